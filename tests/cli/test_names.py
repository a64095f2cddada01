"""Names of columns come from files of others: what is shown of them cannot steer a terminal."""

import csv
from xml.etree import ElementTree

import numpy as np
import pytest
from commands import X, run, run_json

from specsel import _validate
from specsel.cli import common

TITLE = "\x1b]0;owned\x07"
EVIL = [
    TITLE,
    "\x1b[2J\x1b[31mred",
    '=HYPERLINK("http://example.org")',
    "+1+cmd",
    "-1+cmd",
    "@SUM(A1)",
    "null\x00byte",
    "back\b\b\bspace",
    "c1\x9b31m",
    "\u202ertl\u2066\u061c\u200f",
    "\x7fdelete",
    "<script>&\x01",
]
RAW = [*map(chr, range(10)), *map(chr, range(11, 32)), *map(chr, range(127, 160))]
RAW += ["\u061c", "\u200e", "\u200f", *map(chr, (*range(0x2028, 0x202F), *range(0x2066, 0x206A)))]


@pytest.fixture
def evil(tmp_path):
    """A table whose columns have names that steer terminals and spreadsheets."""
    path = tmp_path / "evil.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(EVIL)
        rows.writerows(X.tolist())
    return path


def assert_harmless(text):
    assert [character for character in RAW if character in text] == []


@pytest.mark.parametrize(
    "command",
    [
        ["select", "-k", "2", "--method", "topography", "--max-iter", "5"],
        ["select", "--top", "99"],
        ["select", "--top", "99", "--json"],
        ["path", "--max-size", "3", "--greedy"],
        ["path", "--max-size", "2", "--never", TITLE, "--always", TITLE],
        ["stable", "--n-boot", "100", "--matrix", "correlation"],
        ["stable", "--n-boot", "100", "--matrix", "correlation", "--json"],
        ["select", "--target", "no such", "--method", "supervised"],
        ["select", "--target", TITLE, "--method", "supervised"],
        ["select", "--drop", "\x1b]0;other\x07"],
        ["path", "--always", "\x1b]0;other\x07"],
        ["select", "--side", "\x1b[31m.csv"],
        ["\x1b[31m"],
        ["select", "--out", "\x1b[31m/x"],
    ],
)
def test_nothing_raw_reaches_the_terminal(capsys, evil, command):
    _, out, err = run(capsys, *command, evil)
    assert out or err
    assert_harmless(out + err)


def test_json_keeps_names_and_columns_stay_in_line(capsys, evil):
    answer = run_json(capsys, evil)
    assert {row["feature"] for row in answer["ranking"]} == {*EVIL}
    _, out, _ = run(capsys, "select", "--top", "99", evil)
    lines = [line for line in out.splitlines() if "0." in line and line[5:8].strip().isdigit()]
    assert len({line.index(" 0.") for line in lines}) == 1


def test_constant_features_are_named_harmlessly(capsys, tmp_path):
    path = tmp_path / "evil.csv"
    rows = "\n".join(f"{i},{i * i % 7},1" for i in range(9))
    path.write_text(f"a,b,{TITLE}\n{rows}\n")
    _, out, err = run(capsys, "select", "-k", "1", path)
    assert "\\x1b]0;owned\\x07" in err
    assert_harmless(out + err)


@pytest.mark.parametrize("command", ["select", "path", "stable"])
def test_no_cell_of_a_table_is_a_formula(capsys, evil, tmp_path, command):
    out = tmp_path / "out.csv"
    options = {"path": ["--max-size", "2"], "stable": ["--n-boot", "100", "--retain", "0.01"]}
    code, _, _ = run(capsys, command, evil, "--out", out, *options.get(command, ()))
    assert code in (0, 1)
    with open(out, encoding="utf-8", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    for cell in cells:
        assert cell[:1] not in ("=", "@", "\t", "\r")
        assert cell[:1] not in ("+", "-") or np.isfinite(float(cell))
    if command == "select":
        assert {f"'{name}" for name in EVIL if name[0] in "=+-@"} <= {*cells}


def test_numbers_are_written_as_they_are(tmp_path):
    path = tmp_path / "out.csv"
    common.save_rows(path, [{"a": -1.5, "b": "-1.5", "c": "-", "d": "\tx", "e": "x=1"}])
    with open(path, encoding="utf-8", newline="") as file:
        assert [*csv.reader(file)][1] == ["-1.5", "-1.5", "-", "'\tx", "x=1"]


PAGES = {
    "select": ["-k", "2", "--max-iter", "5"],
    "select --method topography": ["-k", "2", "--max-iter", "5"],
    "select --method alignment": [],
    "path": ["--max-size", "3", "--greedy"],
    "stable": ["--n-boot", "100", "--matrix", "correlation"],
}


@pytest.mark.parametrize("command", PAGES)
def test_pages_and_pictures_show_no_raw_character_and_pictures_are_sound_xml(
    capsys, evil, tmp_path, command
):
    picture, page = tmp_path / "out.svg", tmp_path / "out.html"
    options = [*PAGES[command], "--plot", picture, "--report", page]
    assert run(capsys, *command.split(), evil, *options)[0] in (0, 1)
    ElementTree.parse(picture)
    for path in (picture, page):
        assert_harmless(path.read_text(encoding="utf-8").replace("\t", ""))


def test_what_is_shown_is_escaped_and_the_rest_kept():
    assert _validate.printable("λ \x1b[0m\u202e\ud800\n") == "λ \\x1b[0m\\u202e\\ud800\\n"
    assert _validate.printable("naïve 名 😀") == "naïve 名 😀"
