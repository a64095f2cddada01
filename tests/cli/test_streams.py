"""Streams that are full or closed: the result is not lost, and the exit code tells."""

import os
import subprocess
import sys
from functools import cache
from itertools import product

import pytest

SPECSEL = f'"{sys.executable}" -W ignore -m specsel'
FEW = [
    "select {file} -k 2 --max-iter 2",
    "path {file} --max-size 2 --greedy",
    "stable {file} --matrix correlation --n-boot 100",
]

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """Run a command in a shell; return exit code, stdout and stderr."""
    folder = tmp_path_factory.mktemp("streams")
    # The last column is constant: every command has something to say.
    rows = "\n".join(f"{i},{i * i % 7},{i * 5 % 11},1" for i in range(30))
    (folder / "data.csv").write_text(f"a,b,c,d\n{rows}\n")

    @cache
    def run(command, streams=""):
        line = f"{SPECSEL} {command.format(file='data.csv')} {streams}"
        done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, cwd=folder)
        return done.returncode, done.stdout, done.stderr

    run.folder = folder
    return run


CLOSED = ["2>/dev/full", "2>&-", "</dev/null 2>/dev/null"]


@pytest.mark.parametrize(
    ("command", "streams"), [*product(FEW[:1], CLOSED), *zip(FEW[1:], CLOSED, strict=False)]
)
def test_where_nothing_can_be_said_the_result_is_printed(shell, command, streams):
    code, out, err = shell(command)
    assert "constant" in err
    lines = len(out.splitlines())
    found = shell(command, streams)
    assert (found[0], len(found[1].splitlines()), found[2]) == (code, lines, "")


@pytest.mark.parametrize("streams", ["2>/dev/full", "2>&-"])
def test_bad_input_keeps_its_code(shell, streams):
    assert shell("select no.csv", streams) == (2, "", "")


FULL = [">/dev/full", ">&-"]


@pytest.mark.parametrize(
    ("command", "stream"),
    [
        *product([FEW[0], "info --cite", "--help", "--version"], FULL),
        *zip(FEW[1:], FULL, strict=True),
    ],
)
def test_a_result_that_cannot_be_printed_is_an_error(shell, command, stream):
    code, _, err = shell(command, stream)
    assert code == 2
    last = err.splitlines()[-1]
    assert last.startswith("specsel: stdout: ")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "command", [FEW[0], *(pytest.param(one, marks=pytest.mark.slow) for one in FEW[1:])]
)
def test_files_are_written_although_stdout_is_full(shell, command):
    code, _, _ = shell(f"{command} --out full.csv", ">/dev/full")
    assert code == 2
    wanted = shell(f"{command} --out open.csv")[0]
    text = (shell.folder / "open.csv").read_text()
    assert (shell.folder / "full.csv").read_text() == text
    # Who closes stdout but names a file wants no more.
    assert shell(f"{command} --out closed.csv", ">&-")[0] == wanted
    assert (shell.folder / "closed.csv").read_text() == text


def test_nothing_works_and_nothing_hangs(shell):
    assert shell(FEW[0], ">/dev/full 2>/dev/full") == (2, "", "")
    assert shell(FEW[0], ">&- 2>&- <&-") == (2, "", "")
