"""What the commands share: columns that are left out, pictures, examples in the help."""

import json
import os
import shlex

import numpy as np
import pytest
from commands import assert_refused, run

from specsel import datasets
from specsel.cli import common, tables
from specsel.cli import main as cli

DATA = datasets.example()
COMMANDS = {
    "select": (),
    "path": ("--max-size", "3"),
    "stable": ("--matrix", "correlation", "--n-boot", "100", "--retain", "0.05"),
}


@pytest.fixture
def saved(tmp_path):
    """Six features, and before them a name and after them a class of every sample."""
    path = tmp_path / "data.csv"
    columns = np.flatnonzero(np.isin(np.arange(40), DATA.relevant) | (np.arange(40) < 8))
    names = [DATA.names[i] for i in columns]
    lines = [",".join(["who", *names, "kind"])]
    for i, row in enumerate(DATA.X[:, columns].round(4).tolist()):
        lines.append(",".join([f"s{i}", *map(str, row), "pqr"[DATA.y[i]]]))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("command", [*COMMANDS, "reproduce"])
def test_examples_in_the_help_are_commands(command):
    lines = cli.COMMANDS[command].epilog.splitlines()
    lines = [line.strip() for line in lines if line.startswith("  specsel ")]
    assert lines
    for line in lines:
        given = shlex.split(line)[1:]
        cli.parser(given).parse_args(given)


@pytest.mark.parametrize("command", COMMANDS)
def test_columns_are_left_out(capsys, saved, command):
    code, _, err = run(capsys, command, saved, *COMMANDS[command])
    assert code == 2
    assert err.endswith(f"line 2: 's0' is not a number; {tables.NO_NUMBERS}\n")
    for drop in (["--drop", "who, kind"], ["--drop", "who", "--drop", "kind"]):
        arguments = (command, saved, *drop, "--json", *COMMANDS[command])
        code, out, err = run(capsys, *arguments)
        assert (code, err) == (0, "")
        assert json.loads(out)["data"] == str(saved)
        assert "signal_6" in out
        assert "kind" not in out
        assert "who" not in out


@pytest.mark.parametrize(
    ("text", "names"),
    [("", []), (" a , b,", ["a", "b"]), ('"a, b", c', ["a, b", "c"]), ('5" pipe', ['5" pipe'])],
)
def test_commas_divide_names_that_are_not_in_quotes(text, names):
    assert common.listed([text]) == names
    assert common.listed([common.joined(names)]) == names


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_a_picture_is_drawn(capsys, tmp_path, command, suffix):
    path = tmp_path / f"picture{suffix}"
    code, _, err = run(capsys, command, "--plot", path, *COMMANDS[command])
    assert (code, err) == (0, "")
    start = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}[suffix]
    assert path.read_bytes().startswith(start)
    assert path.stat().st_size > 5000


def test_letters_that_a_font_lacks_are_told_once(capsys, tmp_path):
    path, plot = tmp_path / "data.csv", tmp_path / "picture.png"
    rows = np.random.default_rng(0).standard_normal((9, 3)).tolist()
    lines = [["日本", "語", "c"], *[map(str, row) for row in rows]]
    path.write_text("\n".join(map(",".join, lines)), encoding="utf-8")
    code, _, err = run(capsys, "select", path, "-k", "1", "--plot", plot)
    assert code == 0
    assert err == f"specsel: warning: --plot {plot}: its font lacks letters of names\n"


REFUSED = {
    "--plot p.gif: must end in .png, .svg or .pdf": ("--plot", "p.gif"),
    "--plot no/p.png: is not a file in an existing folder": ("--plot", "no/p.png"),
    "--drop: needs FILE": ("--drop", "a"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("message", REFUSED)
def test_bad_options_are_refused_in_one_line(capsys, command, message):
    result = run(capsys, command, *REFUSED[message])
    assert result[0] == 2
    assert result[1:] == ("", f"specsel: {message}\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
def test_a_full_disk_is_named(capsys, tmp_path):
    path = tmp_path / "picture.png"
    path.symlink_to("/dev/full")
    code, _, err = run(capsys, "select", "--plot", path)
    assert (code, err) == (2, f"specsel: {path}: No space left on device\n")


@pytest.mark.parametrize(("command", "flag"), [("select", "-k"), ("stable", "--n-boot")])
def test_neither_a_number_nor_auto(capsys, command, flag):
    message = f"specsel: argument {flag}: '2.5': must be a whole number or auto\n"
    assert run(capsys, command, flag, "2.5") == (2, "", message)


def test_a_picture_needs_matplotlib(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(common.importlib.util, "find_spec", lambda name: None)
    path = tmp_path / "p.png"
    message = f"specsel: --plot {path}: needs matplotlib: pip install 'specsel[plot]'\n"
    assert run(capsys, "select", "--plot", path) == (2, "", message)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_picture_does_not_overwrite_the_table(capsys, saved, command):
    table = saved.rename(saved.with_suffix(".png"))
    code, out, err = run(capsys, command, table, "--plot", table)
    assert (code, out, err) == (2, "", f"specsel: --plot {table}: is a file to be read\n")


class TestOutput:
    def test_out_in_no_folder(self, capsys, saved, tmp_path):
        for out in (tmp_path, tmp_path / "no" / "ranking.csv"):
            assert_refused(run(capsys, "select", saved, "--out", out), f"--out {out}")

    def test_out_does_not_overwrite_the_data(self, capsys, saved):
        before = saved.read_bytes()
        assert_refused(run(capsys, "select", saved, "--out", saved), "is a file to be read")
        assert saved.read_bytes() == before

    def test_files_must_differ(self, capsys, saved, tmp_path):
        out, plot = tmp_path / "out.svg", tmp_path / "." / "out.svg"
        result = run(capsys, "select", saved, "--out", out, "--plot", plot)
        assert_refused(result, f"--plot {plot}: is the file of --out")

    @pytest.mark.parametrize("names", ['"gene 1', '"gene 1" x,gene 2'])
    def test_quotes_that_do_not_match(self, capsys, saved, names):
        message = f"{names}: a name that begins with a quote must end with it"
        assert_refused(run(capsys, "select", saved, "--drop", names), message)
