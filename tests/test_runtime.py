"""Compiled code is cached, and forks, threads of BLAS and imports are looked after."""

import shutil
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from faults.running import lines

import specsel
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


TYPED = """
import sys, tiny
value = tiny.double({"int": int, "float": float}[sys.argv[1]](3))
print(value, len(tiny.double.stats.cache_hits))
"""


def test_processes_that_start_together_leave_code_that_others_can_load(tmp_path):
    """Neither sees what the other writes; then some of it is cut off."""
    (tmp_path / "tiny.py").write_text(TINY.partition("assert")[0])
    script, first, second = (tmp_path / name for name in ("typed.py", "a", "b"))
    script.write_text(TYPED)
    assert lines(script, "int", NUMBA_CACHE_DIR=str(first)) == ["8.0 0"]
    assert lines(script, "float", NUMBA_CACHE_DIR=str(second)) == ["8.0 0"]
    shutil.copytree(first, second, dirs_exist_ok=True)
    for kind in ("int", "float"):
        assert lines(script, kind, NUMBA_CACHE_DIR=str(second)) == ["8.0 1"]
    for file in second.rglob("*.nb*"):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert lines(script, "int", NUMBA_CACHE_DIR=str(second)) == ["8.0 0"]


@pytest.fixture
def copied(tmp_path):
    """A copy of the package, which lies where numba may write nothing."""
    root, skipped = Path(specsel.__file__).parent, shutil.ignore_patterns("__pycache__", "cli")
    shutil.copytree(root, tmp_path / "copy" / "specsel", ignore=skipped)
    for folder in {file.parent for file in (tmp_path / "copy").rglob("*.py")}:
        (folder / "__pycache__").write_text("")
    (tmp_path / "copy" / "__pycache__").write_text("")
    return tmp_path / "copy"


def test_code_is_stale_once_a_helper_in_another_file_is_edited(copied, tmp_path):
    begin, script = "from specsel._runtime import jit\n", copied / "script.py"
    script.write_text(
        "from specsel import caller\nprint(caller.next_of(1), *caller.next_of.stats.cache_hits)"
    )
    (copied / "specsel" / "caller.py").write_text(
        f"{begin}from specsel.helper import scaled\n@jit\ndef next_of(x): return scaled(x) + 1\n"
    )
    found = []
    for factor in (2, 2, 3):
        helper = f"{begin}@jit\ndef scaled(x): return {factor} * x\n"
        (copied / "specsel" / "helper.py").write_text(helper)
        found += lines(script, PYTHONPATH=str(copied), NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    assert found == ["3", "3 (int64,)", "4"]


WITHOUT_SPACE = """
import resource, warnings
if {full}:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
def abs_of(x):
    return abs(x)

warnings.simplefilter("always")
with warnings.catch_warnings(record=True) as caught:
    from specsel._runtime import jit
    assert jit(abs_of)(-2) == 2
print(*[one.message for one in caught], sep="\\n")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of processes are those of Unix")
@pytest.mark.parametrize("full", [True, False])
def test_one_warning_says_that_code_is_not_kept(copied, tmp_path, full):
    """Where no folder can be written to, and on a full disk, which ends no solve."""
    nowhere = {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"}
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")} if full else nowhere
    settings = {"NUMBA_CACHE_DIR": "", "PYTHONPATH": str(copied), **settings}
    script = copied / "script.py"
    script.write_text(WITHOUT_SPACE.format(full=full))
    (message,) = lines(script, **settings)
    reason = "File too large" if full else "no folder for it can be written to"
    assert message.startswith(f"compiled code is not kept ({reason}): every process ")
    assert "NUMBA_CACHE_DIR" in message


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


FORK_BEFORE_IMPORT = """
import os, sys
import numba
import numpy as np

@numba.njit(parallel=True)
def total(x):
    s = 0.0
    for i in numba.prange(len(x)):
        s += x[i]
    return s

if sys.argv[1] == "parent":
    total(np.ones(9))
if os.fork() == 0:
    if sys.argv[1] == "child":
        total(np.ones(9))
    from specsel import weighting
    try:
        print(weighting.solve(np.random.default_rng(0).random((9, 600))).converged, flush=True)
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="GNU OpenMP is that of Linux")
@pytest.mark.parametrize(
    ("layer", "who"), [("omp", "parent"), ("omp", "child"), ("workqueue", "parent")]
)
def test_a_process_that_was_forked_before_the_import_says_so_too(layer, who):
    """Where its parent ran threads of OpenMP by itself; else it solves."""
    (found,) = lines(FORK_BEFORE_IMPORT, who, NUMBA_THREADING_LAYER=layer)
    refused = (layer, who) == ("omp", "parent")
    assert ('"spawn"' in found) if refused else (found == "True")


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

    @_runtime.jit(helper=True)
    def rest(x):
        return x[1:].sum()

    @_runtime.jit
    def last(x):
        return rest(x) + x[-1]

    assert last(np.ones(3)) == 3.0
    (compiled,) = last.overloads.values()
    assert type(compiled.library).__name__ == "SeparateLibrary"
    own = [f for f in compiled.library._final_module.functions if not f.is_declaration]
    assert any(function.linkage.name in _runtime.SHARED for function in own)
    (inner,) = rest.overloads.values()
    assert type(inner.library).__name__ == "InnerLibrary"


TWICE = """
import sys
import numpy as np
from specsel._runtime import for_blocks, jit
from numba import prange

@jit
def inner(x):
    return x[0] + 1.0

@jit(parallel=True)
def outer(x):
    for i in prange(len(x)):
        x[i] = inner(x[i:])

ones = np.ones(3)
for name in sys.argv[1]:
    {"i": inner, "p": outer, "s": for_blocks(outer, 1)}[name](ones)
print(ones.tolist(), inner(ones))
"""


def test_a_kernel_that_others_compile_in_is_called_from_python_too(tmp_path):
    """Whether it comes from the cache or not, and whoever compiles it."""
    script = tmp_path / "script.py"
    script.write_text(TWICE)
    for number, (order, value) in enumerate({"ips": 3, "i": 1, "psi": 3, "p": 2}.items()):
        found = lines(script, order, NUMBA_CACHE_DIR=str(tmp_path / str(number // 2)))
        assert found == [f"{[float(value)] * 3} {value + 1.0}"]
