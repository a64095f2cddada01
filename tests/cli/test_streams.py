"""Streams that are full or closed: the result is not lost, and the exit code tells."""

import os
import subprocess
import sys

import pytest

SPECSEL = f'"{sys.executable}" -W ignore -m specsel'
FEW = [
    "select {file} -k 2 --max-iter 2",
    "path {file} --max-size 2 --greedy",
    "stable {file} --matrix correlation --n-boot 100",
]

pytestmark = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")


@pytest.fixture
def shell(tmp_path, write):
    """Run a command in a shell; return exit code, stdout and stderr."""
    # The last column is constant: every command has something to say.
    rows = "\n".join(f"{i},{i * i % 7},{i * 5 % 11},1" for i in range(30))
    file = write("data.csv", f"a,b,c,d\n{rows}\n")

    def run(command, streams=""):
        line = f"{SPECSEL} {command.format(file=file)} {streams}"
        done = subprocess.run(
            ["/bin/sh", "-c", line], capture_output=True, text=True, cwd=tmp_path
        )
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.mark.parametrize("streams", ["2>/dev/full", "2>&-", "</dev/null 2>/dev/null"])
@pytest.mark.parametrize("command", FEW)
def test_where_nothing_can_be_said_the_result_is_printed(shell, command, streams):
    code, out, err = shell(command)
    assert "constant" in err
    lines = len(out.splitlines())
    found = shell(command, streams)
    assert (found[0], len(found[1].splitlines()), found[2]) == (code, lines, "")


@pytest.mark.parametrize("streams", ["2>/dev/full", "2>&-"])
def test_bad_input_keeps_its_code(shell, streams):
    assert shell("select no.csv", streams) == (2, "", "")


@pytest.mark.parametrize("stream", [">/dev/full", ">&-"])
@pytest.mark.parametrize("command", [*FEW, "info --cite", "--help", "--version"])
def test_a_result_that_cannot_be_printed_is_an_error(shell, command, stream):
    code, _, err = shell(command, stream)
    assert code == 2
    last = err.splitlines()[-1]
    assert last.startswith("specsel: stdout: ")
    assert "Traceback" not in err


@pytest.mark.parametrize("command", FEW)
def test_files_are_written_although_stdout_is_full(shell, tmp_path, command):
    code, _, _ = shell(f"{command} --out full.csv", ">/dev/full")
    assert code == 2
    wanted = shell(f"{command} --out open.csv")[0]
    assert (tmp_path / "full.csv").read_text() == (tmp_path / "open.csv").read_text()
    # Who closes stdout but names a file wants no more.
    assert shell(f"{command} --out closed.csv", ">&-")[0] == wanted
    assert (tmp_path / "closed.csv").read_text() == (tmp_path / "open.csv").read_text()


def test_nothing_works_and_nothing_hangs(shell):
    assert shell(FEW[0], ">/dev/full 2>/dev/full") == (2, "", "")
    assert shell(FEW[0], ">&- 2>&- <&-") == (2, "", "")
