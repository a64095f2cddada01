"""The benchmarks as asv sees them: it passes over in silence what it does not recognise."""

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from specsel._methods import METHODS

BENCHMARKS = Path(__file__).parents[2] / "asv_bench" / "benchmarks"
FILES = sorted({path.stem for path in BENCHMARKS.glob("[a-z]*.py")} - {"common"})


@pytest.mark.parametrize("name", FILES)
def test_every_class_measures_something(name):
    module = import_module(f"benchmarks.{name}")
    classes = [one for one in vars(module).values() if inspect.isclass(one)]
    own = [one for one in classes if one.__module__ == module.__name__]
    assert own
    for group in own:
        assert any(re.match("(time|timeraw|peakmem|track)_", method) for method in dir(group))


def test_every_method_is_solved():
    solve = import_module("benchmarks.solve")
    called = {call.split(".")[0] for call in solve.CALLS}
    assert METHODS.keys() - called == set()


def test_the_table_of_speeds_shows_benchmarks():
    speeds, solve = import_module("speeds"), import_module("benchmarks.solve")
    assert set(speeds.SHOWN) <= set(solve.CALLS)
    line = speeds.row("call", solve.prepare("qalpha.solve(X, k=3)", (20, 30)), (20, 30), repeats=1)
    assert re.fullmatch(r"\| `call` \| 20 × 30 \| .+ s \| \d+ \|", line)
