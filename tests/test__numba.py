"""Every process finds the same bits; the cache survives damage and a full disk; late forks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TINY = """
from specsel._runtime import jit


@jit
def inner(x):
    return x + 1.0

@jit
def twice(x):
    return 2.0 * inner(x)
"""
SCRIPT = """
import sys
{before}
import tiny
assert tiny.twice(3.0) == 8.0
assert tiny.twice(3) == 8
print(sum(tiny.twice.stats.cache_hits.values()))
"""


@pytest.fixture
def twice(tmp_path):
    """Run two compiled functions in a new process; return the hits in the cache, and stderr."""
    (tmp_path / "tiny.py").write_text(TINY)
    cache = tmp_path / "cache"

    def run(before="", folder=cache):
        path = f"{ROOT}{os.pathsep}{tmp_path}"
        environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(folder)}
        environment.pop("SPECSEL_CACHE", None)
        command = [sys.executable, "-c", SCRIPT.format(before=before)]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr[-3000:]
        return int(done.stdout), done.stderr

    run.files = lambda: sorted(cache.rglob("*.nb?"))
    return run


def test_compiled_code_is_kept(twice):
    assert twice() == (0, "")
    assert twice() == (2, "")


@pytest.mark.parametrize("kind", [".nbi", ".nbc"])
@pytest.mark.parametrize("how", ["empty", "half", "garbled", "folder"])
def test_a_damaged_cache_costs_compiling_and_nothing_else(twice, kind, how):
    twice()
    for path in twice.files():
        if path.suffix != kind:
            continue
        data = path.read_bytes()
        changed = {
            "empty": b"",
            "half": data[: len(data) // 2],
            # the end of a file of code is the code itself: no reader would notice
            "garbled": data[:-200] + bytes(255 - byte for byte in data[-200:]),
            "folder": None,
        }[how]
        if changed is None:
            path.unlink()
            path.mkdir()
        else:
            path.write_bytes(changed)
    hits, said = twice()
    assert hits == 0
    if how == "folder":  # nothing can be written there: one warning
        assert said.count("UserWarning") == 1
        return
    assert said == ""
    assert twice() == (2, "")


def test_code_of_another_function_is_not_run(twice):
    twice()
    inner, outer = (
        sorted(p for p in twice.files() if p.suffix == ".nbc" and name in p.name)
        for name in ("inner", "twice")
    )
    outer[0].write_bytes(inner[0].read_bytes())
    outer[1].write_bytes(outer[0].read_bytes())
    assert twice() == (0, "")


SOLVE = """
{before}
import numpy as np
from specsel import qalpha
X = np.random.default_rng(0).standard_normal((40, 700))
print(qalpha.gram(X, np.eye(40)[:, :2]).tobytes().hex())
"""
# What may be otherwise in another release of numba: names, and what makes a library.
OTHERWISE = {
    "no library": "from numba.core import codegen; del codegen.JITCodeLibrary",
    "other linkage": """
import enum, llvmlite.binding
llvmlite.binding.Linkage = enum.IntEnum("Linkage", {"external": 0})
""",
    "other arguments": """
from numba.core.codegen import JITCodeLibrary
made = JITCodeLibrary.__init__
def make(self, codegen, name):
    if type(self) is not JITCodeLibrary:
        raise TypeError("missing an argument")
    made(self, codegen, name)
JITCodeLibrary.__init__ = make
""",
}


def solved(before="", **settings):
    """Solve in a new process; return the bytes of the result."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **settings}
    command = [sys.executable, "-c", SOLVE.format(before=before)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_what_compiles_what_loads_and_what_has_no_cache_finds_the_same_bytes(tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path)}
    found = [solved(**cache), solved(**cache), solved(SPECSEL_CACHE="0")]
    assert len(set(found)) == 1


@pytest.mark.parametrize("what", OTHERWISE)
def test_another_numba_compiles_as_it_does_by_itself(what):
    assert solved(OTHERWISE[what], SPECSEL_CACHE="0")


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
def test_a_full_disk_is_one_warning(twice):
    hits, said = twice(FULL)
    assert hits == 0
    assert said.count("UserWarning") == 1
    assert "cannot be cached" in said
    assert "Traceback" not in said
    assert twice() == (0, "")
    assert twice() == (2, "")


def test_without_a_folder_code_is_compiled(twice, tmp_path):
    (tmp_path / "file").write_text("")
    hits, said = twice(folder=tmp_path / "file" / "cache")
    assert (hits, "Traceback" in said) == (0, False)


FORK = """
import multiprocessing, sys
import numpy as np
from specsel import eslda, kernel, positivity, qalpha, sbs
from specsel.gslda import rank_one

X = np.random.default_rng(0).standard_normal((20, 30))
SOLVES = {
    "qalpha": lambda: qalpha.solve(X, 2, max_iter=3),
    "kernel": lambda: kernel.solve(X @ X.T, 2, kernel="precomputed"),
    "eslda": lambda: eslda.solve_pair(np.eye(4), np.eye(4), 2),
    "sbs": lambda: sbs.solve(X, n_boot=100),
    "sparse": lambda: sbs.solve(sparse, n_boot=100),
    "positivity": lambda: positivity.probability(3, 1.0, 1.0, trials=10),
}

def work(name):
    try:
        SOLVES[name]()
    except RuntimeError as error:
        return str(error)
    return "solved"

if __name__ == "__main__":
    from scipy.sparse import csr_array
    sparse = csr_array(X)
    square = np.eye(500)
    rank_one(square, np.ones(500), np.ones(500))
    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:
        for answer in pool.map_async(work, sys.argv[2:]).get(timeout=300):
            print(answer)
"""
NAMES = ["qalpha", "kernel", "eslda", "sbs", "sparse", "positivity"]


@pytest.mark.skipif(sys.platform != "linux", reason="GNU OpenMP is that of Linux")
@pytest.mark.parametrize(("layer", "answer"), [("omp", "spawn"), ("workqueue", "solved")])
def test_a_process_that_was_forked_too_late_says_so(tmp_path, layer, answer):
    script = tmp_path / "forks.py"
    script.write_text(FORK)
    environment = os.environ | {"NUMBA_THREADING_LAYER": layer}
    command = [sys.executable, "-W", "ignore", script, "fork", *NAMES]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    lines = done.stdout.splitlines()
    assert len(lines) == len(NAMES), done.stderr[-2000:]
    for line in lines:
        assert answer in line
