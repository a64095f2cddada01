"""The gate: what it takes for slower, on made-up measurements and on a small repository."""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ASV_BENCH = Path(__file__).parents[2] / "asv_bench"


class Side:
    """A commit whose benchmarks give the numbers in a list, one a call; None where one fails."""

    def __init__(self, **numbers):
        self.numbers = {name: iter(values) for name, values in numbers.items()}
        self.asked = []

    def measure(self, pattern):
        self.asked.append(pattern)
        names = [name for name in self.numbers if re.search(pattern, name)]
        return {name: next(self.numbers[name]) for name in names}


def compared(base, head):
    said = []
    options = {"rounds": 2, "repeats": 2, "factor": 1.05, "say": said.append}
    return import_module("gate").compare(base, head, "", **options), said


EQUAL = "1 compared: 0 slower by 1.05, 0 broken"
SLOWER = "1 compared: 1 slower by 1.05, 0 broken"


@pytest.mark.parametrize(
    ("base", "head", "code", "last"),
    [
        ([1.0, 1.1], [1.1, 1.0], 0, EQUAL),
        ([1.0, 1.0], [9.0, 1.04], 0, EQUAL),  # the least counts
        ([1.0] * 6, [1.1] * 6, 1, SLOWER),
        ([0.0] * 6, [1.0] * 6, 1, SLOWER),
        ([0.0] * 2, [0.0] * 2, 0, EQUAL),
        ([1.0] * 2, [None] * 2, 1, "0 compared: 0 slower by 1.05, 1 broken"),
        ([None] * 2, [1.0] * 2, 2, "nothing was compared: no benchmark that matches runs on both"),
    ],
)
def test_two_sides(base, head, code, last):
    found, said = compared(Side(a=base), Side(a=head))
    assert found == code
    assert said[-1].startswith(last)


def test_nothing_measured_is_not_a_pass():
    assert compared(Side(), Side())[0] == 2


def test_what_looks_slower_once_is_measured_again_and_alone():
    head = Side(a=[2.0, 2.0, 1.0, 1.0], b=[1.0, 1.0])
    code, said = compared(Side(a=[1.0] * 4, b=[1.0] * 2), head)
    assert code == 0
    assert said[0] == "1 of 2 look slower; measured again (1 of 2)"
    assert head.asked == ["", "", "^a$", "^a$"]


TINY = """
import specsel

class Tiny:
    def track_passes(self):
        return specsel.PASSES

    def track_ratio(self):
        return specsel.PASSES / specsel.SUM
"""
WORSE = ["2.00  tiny.Tiny.track_passes  SLOWER", "tiny.Tiny.track_ratio  FAILS in HEAD alone"]


@pytest.fixture
def repository(tmp_path):
    """A repository of two commits: in the second, one benchmark is slower and one fails."""

    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True)

    benchmarks, package = tmp_path / "asv_bench" / "benchmarks", tmp_path / "specsel"
    benchmarks.mkdir(parents=True)
    package.mkdir()
    for name in ("gate.py", "asv.conf.json"):
        shutil.copy(ASV_BENCH / name, benchmarks.parent / name)
    (benchmarks / "__init__.py").touch()
    (benchmarks / "tiny.py").write_text(TINY)
    git("init", "--quiet")
    for text in ("PASSES, SUM = 10, 1", "PASSES, SUM = 20, 0"):
        (package / "__init__.py").write_text(text)
        git("add", ".")
        git("commit", "--quiet", "-m", text)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "code", "lines"),
    [
        ("tiny", 1, WORSE),
        ("elsewhere", 2, ["No benchmarks selected", "nothing was compared"]),
    ],
)
def test_commits_are_compared_by_asv(pattern, code, lines, repository):
    gate = [sys.executable, repository / "asv_bench" / "gate.py", "HEAD~1", "--bench", pattern]
    run = subprocess.run(
        [*gate, "--rounds", "1", "--repeats", "1"],
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert run.returncode == code, run.stderr
    assert all(line in run.stdout for line in lines), run.stdout


def test_an_unknown_commit_is_one_line(repository):
    gate = [sys.executable, repository / "asv_bench" / "gate.py", "nowhere"]
    run = subprocess.run(gate, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == "git rev-parse --verify nowhere^{commit}: failed"
