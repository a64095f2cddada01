"""A report is one file without scripts or network; it tells what was read, run and found."""

import re

import pytest
from commands import X, run, table

COMMANDS = {
    "select": ("-k", "3"),
    "select --method topography": ("-k", "2", "--max-iter", "5"),
    "select --method alignment": (),
    "select --method supervised": (),
    "path": ("--max-size", "3"),
    "stable": ("--n-boot", "100", "--retain", "0.05"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_one_file_tells_all(capsys, tmp_path, command):
    path = tmp_path / "run.html"
    code, _, _ = run(capsys, *command.split(), *COMMANDS[command], "--report", path)
    assert code in (0, 1)
    page = path.read_text(encoding="utf-8")
    assert f"specsel {command.split()[0]}" in page
    for part in ("selected features", "The data as read", "The run", "What to cite", "@misc{"):
        assert part in page
    assert page.count("<svg") >= 1
    assert "signal_6" in page
    assert not re.search(r"<script|src=|@import|href=\"[^#]|url\([^#]", page)
    texts = re.sub(r"<style>.*?</style>", "", page, flags=re.S)
    assert "nan" not in re.findall(r">([^<]*)<", texts)


def test_what_was_read_and_done_is_told(capsys, write, tmp_path):
    rows = X.tolist()
    rows[3][2] = ""
    lines = [";".join(["who", *[f"g{i}" for i in range(12)], "kind"])]
    lines += [";".join([f"s{i}", *map(str, row), "xy"[i % 2]]) for i, row in enumerate(rows)]
    data = write("data.csv", "\n".join(lines).replace(".", ","))
    path = tmp_path / "run.html"
    options = ("--index", "who", "--drop", "kind", "--impute", "median", "-k", "2")
    code, _, _ = run(capsys, "select", data, *options, "--standardise", "--report", path)
    assert code == 2  # --standardise is for alignment
    code, _, _ = run(capsys, "select", data, *options, "--report", path, "--seed", "7")
    assert code == 0
    page = path.read_text(encoding="utf-8")
    for part in (
        "decimal commas",
        "1 missing value set to the median of the column",
        "kind, who",
        "30 samples, with names",
        "--impute median",
        "<dt>seed</dt><dd>7</dd>",
        "cluster 1: ",
        "s29",
        "wolf2005feature",
    ):
        assert part in page


def test_names_are_harmless(capsys, write, tmp_path):
    names = ["<script>alert(1)</script>", "\x1b[31m", *[f"g{i}" for i in range(10)]]
    path = tmp_path / "run.html"
    code, _, _ = run(capsys, "select", write("a.csv", table(X, names)), "--report", path)
    assert code == 0
    page = path.read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\x1b" not in page
