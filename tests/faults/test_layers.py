"""The threading layers of numba, and the ways to start processes: the same bytes."""

import importlib.metadata
import os
import sys
from pathlib import Path

import pytest
from faults import running

pytestmark = pytest.mark.slow

SOLVE = """
import sys
from concurrent.futures import ThreadPoolExecutor
import numba
import numpy as np
from specsel import kernel, laplacian, qalpha

X = np.random.default_rng(0).standard_normal((30, 900))
SOLVES = (
    lambda: qalpha.solve(X, 3, tol=0.1).alpha.tobytes(),
    lambda: laplacian.solve(X, 2, tol=0.1).alpha.tobytes(),
    lambda: kernel.solve(X[:, :60], 2, tol=0.1).alpha.tobytes(),
)
found = [solve() for solve in SOLVES]
if sys.argv[1] == "at once":
    with ThreadPoolExecutor(4) as threads:
        again = [future.result() for future in [threads.submit(s) for s in SOLVES * 4]]
    assert again == found * 4
print(numba.threading_layer(), b"".join(found).hex())
"""


SIDE_BY_SIDE = """
import dask.array
import numpy as np
from specsel import qalpha

X = np.random.default_rng(0).standard_normal((30, 40000))
array = dask.array.from_array(X, chunks=(-1, 2500))
with dask.config.set(scheduler="threads", num_workers=8):
    print(qalpha.solve(array, 2, tol=0.1).converged)
"""


def test_tasks_of_dask_start_no_threads():
    """The layer "workqueue" ends a process in which two threads run parallel loops."""
    assert running.lines(SIDE_BY_SIDE, NUMBA_THREADING_LAYER="workqueue") == ["True"]


def library_of_tbb():
    """Return the folder of the library that PyPI's tbb brings, where no loader looks for it."""
    try:
        files = importlib.metadata.files("tbb") or ()
    except importlib.metadata.PackageNotFoundError:
        return None
    found = [file.locate() for file in files if file.name.startswith("libtbb.so")]
    return str(Path(found[0]).resolve().parent) if found else None


@pytest.fixture(scope="module")
def expected():
    return running.lines(SOLVE, "in turn", NUMBA_THREADING_LAYER="workqueue")[0].split()


def test_openmp_as_workqueue(expected):
    layer, found = running.lines(SOLVE, "at once", NUMBA_THREADING_LAYER="omp")[0].split()
    assert (expected[0], layer, found) == ("workqueue", "omp", expected[1])


@pytest.mark.skipif(not library_of_tbb(), reason="there is no tbb")
def test_tbb(expected):
    path = os.pathsep.join(filter(None, (library_of_tbb(), os.environ.get("LD_LIBRARY_PATH"))))
    settings = {"NUMBA_THREADING_LAYER": "tbb", "LD_LIBRARY_PATH": path}
    layer, found = running.lines(SOLVE, "at once", **settings)[0].split()
    assert (layer, found) == ("tbb", expected[1])


WORK = """
import sys
import numpy as np

def work(seed):
    from specsel import qalpha, sbs
    X = np.random.default_rng(seed).standard_normal((20, 40))
    weights = qalpha.solve(X, 2, max_iter=3)
    return weights.alpha.tobytes() + sbs.solve(X, n_boot=100, random_state=0).support.tobytes()

def everywhere(how):
    if how == "loky":
        from joblib import Parallel, delayed
        return Parallel(2, backend="loky")(delayed(work)(seed) for seed in range(4))
    import multiprocessing
    with multiprocessing.get_context(how).Pool(2) as pool:
        return pool.map_async(work, range(4)).get(timeout=600)

if __name__ == "__main__":
    if sys.argv[1] != "fork":  # a child may be forked only before its parent has run threads
        here = [work(seed) for seed in range(4)]
    there = everywhere(sys.argv[1])
    print(there == [work(seed) for seed in range(4)])
"""


@pytest.mark.parametrize("how", ["spawn", "forkserver", "loky", "fork"])
def test_workers_find_the_same_bytes(how, tmp_path):
    if how in ("fork", "forkserver") and sys.platform != "linux":
        pytest.skip("starts processes in another way")
    script = tmp_path / "work.py"
    script.write_text(WORK)
    assert running.lines(script, how) == ["True"]
