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


def compared(base, head, **options):
    said = []
    options = {"rounds": 2, "repeats": 2, "factor": 1.2} | options
    code = import_module("gate").compare(base, head, "", say=said.append, **options)
    return code, said


def test_equal_sides_pass():
    code, said = compared(Side(a=[1.0, 1.1]), Side(a=[1.1, 1.0]))
    assert code == 0
    assert said == ["  1.00  a", "1 compared: 0 slower by 1.2, 0 broken"]


def test_the_least_of_all_rounds_counts():
    assert compared(Side(a=[1.0, 1.0]), Side(a=[9.0, 1.1]))[0] == 0


def test_what_looks_slower_once_is_measured_again_and_alone():
    head = Side(a=[2.0, 2.0, 1.0, 1.0], b=[1.0, 1.0])
    code, said = compared(Side(a=[1.0] * 4, b=[1.0] * 2), head)
    assert code == 0
    assert said[0] == "1 of 2 look slower; measured again (1 of 2)"
    assert head.asked == ["", "", "^a$", "^a$"]


def test_what_is_slower_every_time_fails():
    code, said = compared(Side(a=[1.0] * 6), Side(a=[2.0] * 6))
    assert code == 1
    assert said[-2:] == ["  2.00  a  SLOWER", "1 compared: 1 slower by 1.2, 0 broken"]


def test_a_benchmark_that_fails_in_head_alone_fails():
    code, said = compared(Side(a=[1.0] * 2), Side(a=[None] * 2))
    assert code == 1
    assert said[0] == "     -  a  FAILS in HEAD alone"


@pytest.mark.parametrize(
    ("base", "head"), [(Side(), Side()), (Side(), Side(a=[1.0] * 2)), (Side(a=[None] * 2), Side())]
)
def test_nothing_measured_is_not_a_pass(base, head):
    assert compared(base, head)[0] == 2


TINY = """
import specsel

class Tiny:
    def track_passes(self):
        return specsel.reads()

class Sound:
    def track_passes(self):
        return specsel.checked()
"""


@pytest.fixture
def repository(tmp_path):
    """A repository of three commits: the first two alike, the third slow in one and broken."""

    def git(*arguments):
        who = ["-c", "user.name=A", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", tmp_path, *who, *arguments], check=True)

    (tmp_path / "specsel").mkdir()
    (tmp_path / "asv_bench" / "benchmarks").mkdir(parents=True)
    for name in ("gate.py", "asv.conf.json"):
        shutil.copy(ASV_BENCH / name, tmp_path / "asv_bench" / name)
    (tmp_path / "asv_bench" / "benchmarks" / "__init__.py").touch()
    (tmp_path / "asv_bench" / "benchmarks" / "tiny.py").write_text(TINY)
    git("init", "--quiet")
    for reads, checked in ((10, "1"), (10, "2 - 1"), (20, "1 / 0")):
        text = f"def reads():\n    return {reads}\n\ndef checked():\n    return {checked}\n"
        (tmp_path / "specsel" / "__init__.py").write_text(text)
        git("add", ".")
        git("commit", "--quiet", "-m", f"{reads} reads, checked {checked}")
    return tmp_path


ALIKE = ["1.00  tiny.Sound.track_passes", "1.00  tiny.Tiny.track_passes", "2 compared: 0 slower"]
WORSE = ["2.00  tiny.Tiny.track_passes  SLOWER", "-  tiny.Sound.track_passes  FAILS in HEAD alone"]
NOTHING = ["No benchmarks selected", "nothing was compared"]


@pytest.mark.parametrize(
    ("commits", "code", "lines"),
    [
        (["HEAD~2", "HEAD~1", "--bench", "tiny"], 0, ALIKE),
        (["HEAD~1", "--bench", "tiny"], 1, WORSE),
        (["HEAD~1", "--bench", "elsewhere"], 2, NOTHING),
    ],
)
def test_commits_are_compared_by_asv(commits, code, lines, repository):
    gate = [sys.executable, repository / "asv_bench" / "gate.py", *commits]
    run = subprocess.run(
        [*gate, "--rounds", "1", "--repeats", "1"],
        env=os.environ | {"PYTHONPATH": ""},
        capture_output=True,
        text=True,
    )
    assert run.returncode == code, run.stderr
    for line in lines:
        assert line in run.stdout


def test_an_unknown_commit_is_one_line(repository):
    gate = [sys.executable, repository / "asv_bench" / "gate.py", "nowhere"]
    run = subprocess.run(gate, capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1] == "git rev-parse --verify nowhere^{commit}: failed"
