"""Data that are not in memory: a solve and a pass over a file, and over chunks of Dask."""

import contextlib
import tempfile

import numpy as np

from specsel import _data, qalpha

from .common import FULL, best_of_interleaved

N_TALL = 10**7 if FULL else 7 * 10**5
N_WIDE = 10**6 if FULL else 10**5
STEP = 10**5


def in_groups(n_samples, n_features, seed, n_relevant):
    """Samples in two groups, which show in the first features, as float32."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_samples, n_features), dtype=np.float32)
    X[: n_samples // 2, :n_relevant] += 2
    return X


class TallFile:
    """A tall file, large enough to be read in blocks; k = 3."""

    timeout = 3600

    def setup_cache(self):
        file = np.lib.format.open_memmap("tall.npy", "w+", np.float32, (N_TALL, 100))
        for seed, start in enumerate(range(0, N_TALL, STEP)):
            file[start : start + STEP] = in_groups(STEP, 100, seed, 5)
        file.flush()

    def setup(self):
        self.X = np.load("tall.npy", mmap_mode="r")

    def time_solve(self):
        qalpha.solve(self.X, 3)

    def track_pass_over_read(self):
        """A pass reads the file twice: over the time to sum it twice; the bar is 2."""
        data = _data.read(self.X)
        Q = np.random.default_rng(0).standard_normal((N_TALL, 3))

        def read():
            for _ in range(2):
                for start in range(0, N_TALL, STEP):
                    self.X[start : start + STEP].sum(dtype=np.float64)

        ours, theirs = best_of_interleaved([lambda: data.fused(Q, Q), read], 3)
        return ours / theirs

    track_pass_over_read.unit = "times reading"


class Workers:
    """Two processes of Dask with a thread each, k = 6."""

    params = ([20, 50],)
    param_names = ("chunks",)
    timeout = 3600

    def setup(self, chunks):
        try:
            import dask
            from dask import array
            from distributed import Client, LocalCluster
        except ImportError:
            raise NotImplementedError("needs dask and distributed") from None
        self.stack = contextlib.ExitStack()
        folder = self.stack.enter_context(tempfile.TemporaryDirectory())
        self.stack.enter_context(dask.config.set(temporary_directory=folder))
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
        cluster = self.stack.enter_context(LocalCluster(**options))
        client = self.stack.enter_context(Client(cluster))
        self.X = in_groups(100, N_WIDE, 0, N_WIDE // 100).astype(float)
        size = N_WIDE // chunks
        self.chunked = client.persist(array.from_array(self.X, chunks=(100, size)))
        qalpha.solve(self.chunked, 6, max_iter=2)

    def teardown(self, chunks):
        self.stack.close()

    def track_solve_over_memory(self, chunks):
        """Time over that of the same data in memory; the bar is 2.5."""
        calls = [lambda X=X: qalpha.solve(X, 6) for X in (self.chunked, self.X)]
        ours, theirs = best_of_interleaved(calls, 3)
        return ours / theirs

    track_solve_over_memory.unit = "times memory"

    def track_task(self, chunks):
        """Milliseconds a chunk beyond what the same pass takes in memory; the bar is 1.5."""
        Q = np.random.default_rng(0).standard_normal((100, 6))
        both = [_data.read(X) for X in (self.chunked, self.X)]
        calls = [lambda data=data: data.fused(Q, Q) for data in both]
        ours, theirs = best_of_interleaved(calls, 5)
        return 1000 * (ours - theirs) / chunks

    track_task.unit = "ms"
