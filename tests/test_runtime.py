"""Compiled code is cached, and forks, threads of BLAS and imports are looked after."""

import sys
import threading

import numpy as np
import pytest
from faults.running import lines

from specsel import _runtime

TINY = """
from specsel._runtime import jit

@jit
def add_one(x):
    return x + 1.0

@jit
def double(x):
    return 2.0 * add_one(x)

assert double(3.0) == 8.0
assert double(3) == 8
print(sum(double.stats.cache_hits.values()))
"""


@pytest.fixture
def tiny(tmp_path):
    (tmp_path / "tiny.py").write_text(TINY)
    return tmp_path / "tiny.py"


def test_compiled_code_is_kept(tiny, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert lines(tiny, **cache) == ["0"]
    assert lines(tiny, **cache) == ["2"]
    assert lines(tiny, NUMBA_CACHE_DIR=str(tmp_path / "none"), SPECSEL_CACHE="0") == ["0"]
    assert not (tmp_path / "none").exists()


def test_without_a_folder_code_is_compiled(tmp_path):
    (tmp_path / "file").write_text("")
    nowhere = str(tmp_path / "file" / "cache")
    script = tmp_path / "script.py"  # code in a string has no file, and no folder beside it
    script.write_text(f"exec(compile({TINY!r}, '<string>', 'exec'))")
    assert lines(script, NUMBA_CACHE_DIR=nowhere) == ["0"]


def test_limits_are_known_before_numba_is_imported():
    script = "import sys, specsel._runtime as r; r.budget(); print('numba' in sys.modules)"
    assert lines(script) == ["False"]


FORK = """
import multiprocessing, sys
import numpy as np
from scipy.sparse import csr_array
from specsel import eslda, kernel, positivity, qalpha, sbs

X = np.random.default_rng(0).standard_normal((20, 30))
SOLVES = {
    "qalpha": lambda: qalpha.solve(X, 2, max_iter=3),
    "kernel": lambda: kernel.solve(X @ X.T, 2, kernel="precomputed"),
    "eslda": lambda: eslda.solve_pair(np.eye(4), np.eye(4), 2),
    "sbs": lambda: sbs.solve(X, n_boot=100),
    "sparse": lambda: sbs.solve(csr_array(X), n_boot=100),
    "positivity": lambda: positivity.probability(3, 1.0, 1.0, trials=10),
}

def work(name):
    try:
        SOLVES[name]()
    except RuntimeError as error:
        return str(error)
    return "solved"

if __name__ == "__main__":
    positivity.probability(3, 1.0, 1.0, trials=10)  # in parallel
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for answer in pool.map_async(work, SOLVES).get(timeout=300):
            print("spawn" if "start processes by" in answer else answer)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="GNU OpenMP is that of Linux")
@pytest.mark.parametrize(
    ("layer", "answer"),
    [("omp", "spawn"), pytest.param("workqueue", "solved", marks=pytest.mark.slow)],
)
def test_a_process_that_was_forked_too_late_says_so(tmp_path, layer, answer):
    script = tmp_path / "forks.py"
    script.write_text(FORK)
    assert lines(script, NUMBA_THREADING_LAYER=layer) == [answer] * 6


@pytest.fixture
def threads():
    """Let BLAS use three threads; return the function that tells how many each library has."""
    threadpoolctl = pytest.importorskip("threadpoolctl")
    import scipy.linalg  # noqa: F401  whose BLAS is limited too

    def numbers():
        pools = threadpoolctl.threadpool_info()
        return [pool["num_threads"] for pool in pools if pool["internal_api"] == "openblas"]

    if not numbers():
        pytest.skip("numpy has another BLAS than OpenBLAS")
    with threadpoolctl.threadpool_limits(3, "blas"):
        yield lambda: set(numbers())


@pytest.mark.parametrize(("size", "inside"), [(10, {3}), (26, {1}), (1024, {1}), (1100, {3})])
def test_one_thread_inside_where_more_do_not_pay_and_as_many_as_before_afterwards(
    threads, size, inside
):
    with _runtime.one_thread(size):
        with _runtime.one_thread(size):
            assert threads() == inside
        assert threads() == inside
        np.linalg.eigh(np.eye(40))
    assert threads() == {3}
    with pytest.raises(KeyError), _runtime.one_thread(size):
        raise KeyError
    assert threads() == {3}


def test_the_last_of_several_callers_restores(threads):
    entered, leave = threading.Event(), threading.Event()

    def other():
        with _runtime.one_thread():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with _runtime.serial():
        thread.start()
        assert entered.wait(10)
        assert threads() == {1}
    assert threads() == {1}
    leave.set()
    thread.join(10)
    assert threads() == {3}


SPARSE = """
import numpy as np
from scipy.sparse import csc_array
from specsel import _runtime, qalpha

rng = np.random.default_rng(0)
X = rng.standard_normal((60, 300))
X[:30, :9] += 2
X *= rng.random(X.shape) < 0.2
print(qalpha.solve(csc_array(X), 2).alpha.tobytes().hex())
"""


@pytest.mark.slow
def test_what_compiles_what_loads_and_what_has_no_cache_finds_the_same_bytes(tmp_path):
    """With numba's own compiler the process that compiles differs in the last digits here."""
    script = tmp_path / "script.py"
    script.write_text(SPARSE)
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    cold, warm = lines(script, **cache), lines(script, **cache)
    assert cold == warm == lines(script, SPECSEL_CACHE="0")


def test_the_compiler_that_keeps_helpers_apart_still_fits_numba():
    """If this fails, a release of numba has changed: see `_runtime._separate_compiler`."""

    @_runtime.jit
    def last(x):
        return x[1:].sum() + x[-1]

    assert last(np.ones(3)) == 3.0
    (compiled,) = last.overloads.values()
    assert type(compiled.library).__name__ == "SeparateLibrary"
    own = [f for f in compiled.library._final_module.functions if not f.is_declaration]
    assert any(function.linkage.name in _runtime.SHARED for function in own)
