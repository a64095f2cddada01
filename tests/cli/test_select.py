"""The command line against the solvers: same weights from every kind of file, one-line errors."""

import csv
import inspect
import io
import json
import os
import subprocess
import sys
import textwrap
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import specsel
from specsel import (
    __main__,
    datasets,
    kernel,
    laplacian,
    pairwise,
    qalpha,
    side_info,
    supervised,
    topography,
    weighting,
)
from specsel.cli import main as cli
from specsel.cli import select, tables
from specsel.cli.terminal import PROGRESS_WIDTH

EXAMPLE = datasets.example()
GROWING = datasets.growing_classes(3, n_samples=30, n_relevant=4, n_irrelevant=8, random_state=1)
X, Y = GROWING.X, GROWING.y
NAMES = [f"gene {i}" for i in range(X.shape[1])]
MODULE = [sys.executable, "-W", "error", "-m", "specsel"]
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def table(rows, header=None, delimiter=",", quote=False):
    lines = [] if header is None else [header]
    lines += [[repr(float(value)) for value in row] for row in rows]
    mark = '"' if quote else ""
    return "".join(delimiter.join(f"{mark}{cell}{mark}" for cell in line) + "\n" for line in lines)


def run(capsys, *arguments):
    code = cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def run_json(capsys, *arguments):
    code, out, err = run(capsys, "select", "--json", *arguments)
    assert code == 0
    assert err == ""
    return json.loads(out)


def alpha_of(answer):
    alpha = np.full(answer["n_features"], np.nan)
    for row in answer["ranking"]:
        alpha[row["index"]] = row["weight"]
    return alpha


def assert_refused(result, *parts):
    code, out, err = result
    assert code == 2
    assert out == ""
    assert err.startswith("specsel: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "warning" not in err
    assert "Traceback" not in err
    for part in parts:
        assert part in err


def feature_rows(out):
    """Lines of the printed ranking, without the mark, split into cells."""
    lines = out.split("\n\n")[1].splitlines()[1:]
    return [cells for line in lines if (cells := line.strip(" *").split())[0].isdigit()]


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        if isinstance(content, np.ndarray):
            np.save(path, content)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def saved(write):
    return write("data.csv", table(X, NAMES))


class TestExample:
    def test_ranks_the_relevant_features_first(self, capsys):
        answer = run_json(capsys)
        first = [row["index"] for row in answer["ranking"][: EXAMPLE.relevant.size]]
        assert sorted(first) == EXAMPLE.relevant.tolist()
        assert answer["selected"]
        assert all(name.startswith("signal_") for name in answer["selected"])

    def test_text_says_that_it_is_the_example(self, capsys):
        code, out, err = run(capsys, "select")
        assert code == 0
        assert err == ""
        first, second = out.splitlines()[:2]
        assert "example" in first
        assert "90 samples x 40 features" in first
        assert "qalpha, k = 3" in second


class TestFiles:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("header.csv", table(X, NAMES)),
            ("quoted.csv", table(X, NAMES, quote=True)),
            ("bom.csv", "\ufeff" + table(X, NAMES)),
            ("crlf.csv", table(X, NAMES).replace("\n", "\r\n")),
            ("semicolon.csv", table(X, NAMES, ";")),
            ("tab.tsv", table(X, NAMES, "\t")),
            ("tab.txt", table(X, NAMES, "\t")),
            ("blank.csv", "\n" + table(X, NAMES).replace("\n", "\n\n")),
            ("blank.txt", "\n" + table(X, NAMES, ";")),
            ("UPPER.TSV", table(X, NAMES, "\t")),
        ],
    )
    def test_header_names_the_features(self, capsys, write, name, content):
        answer = run_json(capsys, write(name, content))
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)
        assert [row["feature"] for row in answer["ranking"]] == [
            NAMES[row["index"]] for row in answer["ranking"]
        ]

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("plain.csv", table(X)),
            ("bom.csv", "\ufeff" + table(X)),
            ("plain.tsv", table(X, delimiter="\t")),
            ("end.csv", table(X).rstrip("\n")),
            ("c.npy", X),
            ("fortran.npy", np.asfortranarray(X)),
        ],
    )
    def test_without_a_header_features_are_numbers(self, capsys, write, name, content):
        answer = run_json(capsys, write(name, content))
        expected = qalpha.solve(content if isinstance(content, np.ndarray) else X, "auto")
        assert answer["n_samples"] == len(X)
        np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
        assert answer["selected"] == [str(i) for i in expected.select()]
        assert all(row["feature"] == str(row["index"]) for row in answer["ranking"])

    def test_says_whether_there_was_a_header(self, capsys, write, saved):
        assert "no header" in run(capsys, "select", write("plain.csv", table(X)))[1]
        code, out, _ = run(capsys, "select", saved)
        assert code == 0
        assert out.splitlines()[0] == f"{saved}: 30 samples x 12 features"

    def test_quoted_names_keep_delimiters_and_fill_in_for_empty_ones(self, capsys, write):
        header = ['"a, b"', '"said ""c"""', '"two\nlines"', "", *NAMES[4:]]
        answer = run_json(capsys, write("data.csv", table(X, header)))
        names = {row["index"]: row["feature"] for row in answer["ranking"]}
        assert [names[i] for i in range(5)] == [
            "a, b",
            'said "c"',
            "two lines",
            "column 4",
            NAMES[4],
        ]
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)

    @pytest.mark.parametrize(
        ("name", "header", "delimiter"),
        [
            ("data.csv", ['"' + "a, b" * 20 + '"', *NAMES[1:]], ";"),
            ("data.tsv", ["a, b" * 20, *NAMES[1:]], "\t"),
        ],
    )
    def test_commas_in_names_do_not_hide_the_delimiter(
        self, capsys, write, name, header, delimiter
    ):
        answer = run_json(capsys, write(name, table(X, header, delimiter)))
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)
        assert "a, b" * 20 in [row["feature"] for row in answer["ranking"]]

    def test_half_a_row_of_text_makes_a_header(self, capsys, write):
        header = [str(i) if i % 2 else f"name {i}" for i in range(X.shape[1])]
        answer = run_json(capsys, write("data.csv", table(X, header)))
        assert answer["n_samples"] == len(X)

    @pytest.mark.parametrize("labelled", [False, True])
    def test_a_row_that_numbers_the_columns_is_a_header(self, capsys, write, labelled):
        header = [str(i) for i in range(X.shape[1])]
        plain = run_json(capsys, write("data.csv", table(X)))
        if labelled:
            lines = table(X, header).splitlines()
            content = "\n".join([f",{lines[0]}", *(f"r,{line}" for line in lines[1:])])
        else:
            content = table(X, header)
        answer = run_json(capsys, write("numbered.csv", content))
        assert answer["n_samples"] == len(X)
        assert answer["objective"] == pytest.approx(plain["objective"], rel=1e-9)

    def test_float32_is_not_converted(self, capsys, write):
        answer = run_json(capsys, write("data.npy", X.astype(np.float32)))
        expected = qalpha.solve(X.astype(np.float32), "auto").alpha
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)


class TestOutput:
    def test_json_tells_what_the_solver_tells(self, capsys, saved):
        answer = run_json(capsys, saved, "-k", 2)
        weights = qalpha.solve(X, 2)
        assert list(answer) == [
            "data",
            "method",
            "n_samples",
            "n_features",
            "k",
            "objective",
            "gap",
            "selected",
            "n_iter",
            "n_passes",
            "converged",
            "seconds",
            "ranking",
        ]
        assert (answer["data"], answer["method"]) == (str(saved), "qalpha")
        assert (answer["n_samples"], answer["n_features"], answer["k"]) == (*X.shape, 2)
        assert answer["objective"] == weights.objective
        assert answer["gap"] == weights.gap
        assert answer["selected"] == [NAMES[i] for i in weights.select()]
        assert (answer["n_iter"], answer["n_passes"]) == (weights.n_iter, weights.n_passes)
        assert answer["converged"] is True
        assert answer["seconds"] > 0
        ranking = answer["ranking"]
        assert [row["rank"] for row in ranking] == list(range(1, 13))
        assert [row["index"] for row in ranking] == weights.ranking.tolist()
        assert sum(row["selected"] for row in ranking) == len(weights.select())

    def test_json_of_an_infinite_gap_is_null(self, capsys, write):
        column = np.arange(6.0)
        constant = np.zeros(6)
        path = write("data.npy", np.column_stack([column, constant]))
        code, out, _ = run(capsys, "select", path, "-k", 1, "--json")
        assert code == 0
        assert json.loads(out)["gap"] is None
        assert "infinitely" in run(capsys, "select", path, "-k", 1)[1]

    def test_weighting(self, capsys, saved):
        answer = run_json(capsys, saved, "--method", "weighting")
        np.testing.assert_allclose(alpha_of(answer), weighting.solve(X).alpha, atol=1e-10)
        assert answer["method"] == "weighting"
        assert answer["k"] is None
        code, out, _ = run(capsys, "select", saved, "--method", "weighting")
        assert code == 0
        assert "weighting: objective" in out

    def test_options_reach_the_solver(self, capsys, saved):
        arguments = ("--init", "random", "--seed", 4, "--tol", 1e-9, "--max-iter", 150)
        expected = qalpha.solve(X, "auto", init="random", random_state=4, tol=1e-9, max_iter=150)
        answer = run_json(capsys, saved, *arguments)
        np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
        assert answer["n_iter"] == expected.n_iter

    def test_out_holds_all_features(self, capsys, saved, tmp_path):
        out = tmp_path / "ranking.csv"
        code, _, err = run(capsys, "select", saved, "--out", out, "--top", 2)
        assert code == 0
        assert err == ""
        weights = qalpha.solve(X, "auto")
        with open(out, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert header == ["rank", "feature", "index", "weight", "selected"]
        assert [int(row[0]) for row in rows] == list(range(1, 13))
        assert [int(row[2]) for row in rows] == weights.ranking.tolist()
        assert [row[1] for row in rows] == [NAMES[i] for i in weights.ranking]
        assert [float(row[3]) for row in rows] == weights.alpha[weights.ranking].tolist()
        count = len(weights.select())
        assert [row[4] for row in rows] == ["True"] * count + ["False"] * (12 - count)

    def test_table_marks_the_selected_and_rules_off_the_rest(self, capsys):
        weights = qalpha.solve(EXAMPLE.X, "auto")
        count = len(weights.select())
        lines = run(capsys, "select")[1].split("\n\n")[1].splitlines()[1:]
        assert all(line.startswith(" *") for line in lines[:count])
        assert set(lines[count]) == {" ", "─"}
        assert not any("*" in line or "─" in line for line in lines[count + 1 :])
        widths = [line.count("█") for line in lines[:count]]
        assert widths[0] == 30
        assert widths == sorted(widths, reverse=True)
        names = [row[1] for row in feature_rows("\n\n" + "\n".join(["head", *lines]))]
        assert names == [EXAMPLE.names[i] for i in weights.ranking[:20]]

    def test_last_line_counts_the_features_above_the_gap(self, capsys):
        weights = qalpha.solve(EXAMPLE.X, "auto")
        last = run(capsys, "select")[1].splitlines()[-1]
        assert last.startswith(f"{len(weights.select())} of 40 features above the gap")
        assert f"{weights.gap:.3g} times" in last

    @pytest.mark.parametrize(("top", "shown"), [(1, 1), (7, 7), (40, 40), (1000, 40)])
    def test_top(self, capsys, top, shown):
        out = run(capsys, "select", "--top", top)[1]
        assert [int(row[0]) for row in feature_rows(out)] == list(range(1, shown + 1))
        assert (f"and {40 - shown} more" in out) == (shown < 40)

    def test_equal_weights_have_no_gap(self, capsys, write):
        column = np.random.default_rng(0).standard_normal(9)
        path = write("same.npy", np.column_stack([column, column, -column]))
        code, out, _ = run(capsys, "select", path, "-k", 1)
        assert code == 0
        assert "no gap" in out.splitlines()[-1]
        assert "─" not in out

    @pytest.mark.parametrize("blocks", [True, False])
    def test_bars_grow_with_the_weight_and_negative_ones_are_empty(self, blocks):
        lengths = [len(select._bar(share, blocks)) for share in (-0.7, -0.011, 0, 0.3, 0.6, 1)]
        assert lengths == [0, 0, 0, 9, 18, 30]

    def test_ascii_where_the_encoding_has_no_blocks(self, write):
        path = write("data.csv", table(X, ["grün", *NAMES[1:]]))
        done = subprocess.run(
            [*MODULE, "select", str(path)],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert done.returncode == 0
        assert done.stderr == b""
        text = done.stdout.decode("ascii")
        assert "#" * 30 in text
        assert "-" * 30 in text
        assert r"gr\xfcn" in text


class TestWarnings:
    @pytest.mark.parametrize("form", [(), ("--json",)])
    def test_constant_column_warns_in_one_line(self, capsys, write, form):
        data = np.column_stack([X, np.full(len(X), 7.0)])
        code, out, err = run(capsys, "select", write("data.csv", table(data)), *form)
        assert code == 0
        assert err.startswith("specsel: warning: 1 of 13 feature")
        assert "constant" in err
        assert err.count("\n") == 1
        assert out

    def test_not_converged(self, capsys, saved, tmp_path):
        out = tmp_path / "ranking.csv"
        code, text, err = run(capsys, "select", saved, "--max-iter", 1, "--out", out)
        assert code == 1
        assert err.startswith("specsel: warning: not converged")
        assert err.count("\n") == 1
        assert len(feature_rows(text)) == 12
        assert len(out.read_text().splitlines()) == 13
        code, text, _ = run(capsys, "select", saved, "--max-iter", 1, "--json")
        assert code == 1
        assert json.loads(text)["converged"] is False


class TestRefusals:
    @pytest.mark.parametrize(
        ("content", "parts"),
        [
            ("a,species\n1,setosa\n2,b\n", ["column 'species', line 2: 'setosa' is not a number"]),
            ("a,b\n1,2\n2,x\n3,y\n", ["column 'b', line 3: 'x'"]),
            ("1,2\n3,4\n5,x6\n", ["column 1 (from 0), line 3: 'x6'"]),
            ('a,b\n\n1,"2\n3"\n', ["column 'b', line 4"]),
            ("a,b\n1,2 # two\n2,3\n", ["column 'b', line 2: '2 # two'"]),
            ("a,b\n1,1_000\n2,3\n", ["column 'b', line 2: '1_000'"]),
            ("a,b\n1,2\n3\n4,5\n", ["line 3: has 1 cell, the row before has 2"]),
            ("a,b\n1,2\n3,4,5\n", ["line 3: has 3 cells"]),
            ("a,b\n1,2,3\n4,5,6\n", ["line 2: has 3 cells"]),
            ("1,2\n3,4\n\n5\n", ["line 4: has 1 cell, the row before has 2"]),
            ("a,b\n" + "1,2\n" * 3000 + "1,2 kg\n", ["column 'b', line 3002: '2 kg'"]),
            ("a,b\n1," + "x" * 5000 + "\n2,3\n", ["column 'b', line 2: 'xxx", "xxx...xxx"]),
            ('a,b\n1,"' + "x" * 200_000 + '"\n', ["field"]),
            ("", ["is empty"]),
            ("\n\n", ["is empty"]),
            ("a,b\n", ["no samples"]),
            (b"\xff\xfe\x00a,b\n1,2\n", ["UTF-8"]),
            (b"a,b\n1,2\n3,\xe9\n", ["UTF-8"]),
        ],
    )
    def test_bad_text(self, capsys, write, content, parts):
        path = write("data.csv", content)
        result = run(capsys, "select", path)
        assert_refused(result, f"specsel: {path}: ", *parts)
        assert len(result[2]) < len(str(path)) + 200

    @pytest.mark.parametrize("cell", ["", "NA", "na", "nan", " ", '""', "N/A", "?", "-"])
    @pytest.mark.parametrize("header", [True, False])
    def test_missing_values_are_found(self, capsys, write, cell, header):
        rows = ["a,b,c"] * header + ["3,1,1", f"1,{cell},3", f"2,{cell},4", "4,2,7"]
        path = write("data.csv", "\n".join(rows))
        place = "column 'b', line 3" if header else "column 1 (from 0), line 2"
        assert run(capsys, "select", path) == (
            2,
            "",
            f"specsel: {path}: {place}: a number is missing; --drop leaves a column out\n",
        )

    @pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
    def test_infinite_values_are_found(self, capsys, write, cell):
        path = write("data.csv", f"a,b\n1,2\n{cell},3\n4,7\n")
        assert_refused(run(capsys, "select", path), f"column 'a', line 3: '{cell}' is not finite")

    def test_values_whose_sum_is_no_number_are_read(self, write):
        values = np.array([[1e308, 1e308], [1.5e308, 1.0]])
        table_read = tables.read(write("data.csv", table(values)))
        np.testing.assert_array_equal(table_read.X, values)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"1,2\n3,4\n",
            b"PK\x03\x04 and no more",
            b"\x93NUMPY\x01\x00",
        ],
    )
    def test_bad_npy(self, capsys, write, content):
        path = write("data.npy", content)
        assert_refused(run(capsys, "select", path), f"specsel: {path}: is not a complete .npy")

    def test_truncated_npy(self, capsys, write):
        path = write("data.npy", X)
        path.write_bytes(path.read_bytes()[:-8])
        assert_refused(run(capsys, "select", path), "is not a complete .npy")

    def test_npy_of_objects_is_not_unpickled(self, capsys, write):
        path = write("data.npy", np.array([[1, "a"], [2, None]], dtype=object))
        assert_refused(run(capsys, "select", path), "is not a complete .npy")

    @pytest.mark.parametrize(
        ("array", "part"),
        [
            (np.arange(5.0), "1 dimension"),
            (np.array(5.0), "0 dimensions"),
            (np.array([["a", "b"]]), "real numbers"),
            (np.ones((4, 3)), "constant"),
            (np.ones((1, 3)), "1 sample"),
        ],
    )
    def test_npy_that_the_solver_refuses(self, capsys, write, array, part):
        assert_refused(run(capsys, "select", write("data.npy", array)), part)

    def test_a_refusal_drops_earlier_warnings(self, capsys, write):
        path = write("data.npy", np.column_stack([X, np.zeros(len(X))]))
        assert_refused(run(capsys, "select", path, "-k", 99), "k = 99")

    def test_missing_file(self, capsys, tmp_path):
        for name in ("no.csv", "no.npy", "no/no.csv"):
            path = tmp_path / name
            assert_refused(run(capsys, "select", path), f"specsel: {path}: No such file")

    def test_directory(self, capsys, tmp_path):
        assert_refused(run(capsys, "select", tmp_path), f"{tmp_path}: is a directory")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
    def test_pipe(self, capsys, tmp_path):
        path = tmp_path / "pipe.csv"
        os.mkfifo(path)
        assert_refused(run(capsys, "select", path), "pipe")

    def test_unreadable_file(self, capsys, saved, monkeypatch):
        def refuse(path, *args, **kwargs):
            raise PermissionError(13, "Permission denied", str(path))

        monkeypatch.setattr("builtins.open", refuse)
        assert_refused(run(capsys, "select", saved), f"specsel: {saved}: Permission denied")

    @pytest.mark.parametrize(
        ("arguments", "part"),
        [
            (["nonsense"], "nonsense"),
            (["select", "--method", "pca"], "'pca'"),
            (["select", "-k", "x"], "'x'"),
            (["select", "-k", "0"], "k = 0"),
            (["select", "-k", "41"], "k = 41"),
            (["select", "--tol", "nan"], "tol = nan"),
            (["select", "--max-iter", "0"], "max_iter = 0"),
            (["select", "--init", "random", "--seed", "-1"], "--seed -1"),
            (["select", "--top", "0"], "--top 0"),
            (["select", "--top", "-3"], "--top -3"),
            (["select", "a.csv", "b.csv"], "b.csv"),
            (["select", "--unknown"], "--unknown"),
            (["select", "--out"], "--out"),
        ],
    )
    def test_bad_arguments(self, capsys, arguments, part):
        assert_refused(run(capsys, *arguments), part)

    def test_out_in_no_folder(self, capsys, saved, tmp_path):
        for out in (tmp_path, tmp_path / "no" / "ranking.csv"):
            assert_refused(run(capsys, "select", saved, "--out", out), f"--out {out}")

    def test_out_does_not_overwrite_the_data(self, capsys, saved):
        before = saved.read_bytes()
        assert_refused(run(capsys, "select", saved, "--out", saved), "is a file to be read")
        assert saved.read_bytes() == before

    def test_out_that_cannot_be_written(self, capsys, saved, tmp_path, monkeypatch):
        def refuse(path, ranking):
            raise OSError(28, "No space left on device", str(path))

        monkeypatch.setattr(tables, "save", refuse)
        out = tmp_path / "ranking.csv"
        code, printed, err = run(capsys, "select", saved, "--out", out)
        assert (code, err) == (2, f"specsel: {out}: No space left on device\n")
        assert "above the gap" in printed

    def test_files_must_differ(self, capsys, saved, tmp_path):
        out, plot = tmp_path / "out.svg", tmp_path / "." / "out.svg"
        result = run(capsys, "select", saved, "--out", out, "--plot", plot)
        assert_refused(result, f"--plot {plot}: is the file of --out")

    @pytest.mark.parametrize("names", ['"gene 1', '"gene 1" x,gene 2'])
    def test_quotes_that_do_not_match(self, capsys, saved, names):
        message = f"{names}: a name that begins with a quote must end with it"
        assert_refused(run(capsys, "select", saved, "--drop", names), message)

    def test_too_little_memory(self, capsys, monkeypatch):
        def exhaust(X, **options):
            raise MemoryError("Unable to allocate 8 EiB")

        monkeypatch.setattr(qalpha, "solve", exhaust)
        assert_refused(run(capsys, "select"), "Unable to allocate")


class TestProcess:
    def test_no_command_prints_the_help(self, capsys):
        code, out, err = run(capsys)
        assert code == 2
        assert err == ""
        assert "select" in out

    def test_help_shows_an_example(self, capsys):
        code, out, err = run(capsys, "select", "--help")
        assert code == 0
        assert err == ""
        assert "specsel select measurements.csv" in out
        for method in select.METHODS:
            assert method in out

    def test_version(self, capsys):
        assert run(capsys, "--version") == (0, f"specsel {specsel.__version__}\n", "")

    @pytest.mark.parametrize("method", select.METHODS)
    def test_options_are_parameters_of_the_solver(self, method):
        solve = import_module(f"specsel.{method}").solve
        names = {select.PARAMETERS.get(option, option) for option in select.METHODS[method]}
        assert names <= set(inspect.signature(solve).parameters)

    def test_help_loads_no_solver(self):
        source = (
            "import sys, specsel.cli; specsel.cli.main(['select', '--help']); print(sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
        assert done.returncode == 0
        assert "'numba'" not in done.stdout

    def test_interrupt(self, capsys, monkeypatch):
        def interrupt(X, **options):
            raise KeyboardInterrupt

        monkeypatch.setattr(qalpha, "solve", interrupt)
        monkeypatch.setattr("sys.argv", ["specsel", "select"])
        assert (__main__.main(), *capsys.readouterr()) == (130, "", "specsel: interrupted\n")

    def test_interrupt_of_an_import(self):
        source = """
            import sys
            from importlib.abc import MetaPathFinder

            class Interrupt(MetaPathFinder):
                def find_spec(self, name, path, target=None):
                    if name == "numpy":
                        raise KeyboardInterrupt

            sys.meta_path.insert(0, Interrupt())
            from specsel.__main__ import main
            raise SystemExit(main())
        """
        command = [sys.executable, "-c", textwrap.dedent(source)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (130, "")
        assert done.stderr == "specsel: interrupted\n"

    def test_module_runs(self, saved):
        done = subprocess.run([*MODULE, "select", str(saved), "--json"], capture_output=True)
        assert done.returncode == 0
        assert done.stderr == b""
        np.testing.assert_array_equal(
            alpha_of(json.loads(done.stdout)), qalpha.solve(X, "auto").alpha
        )

    def test_module_returns_the_exit_code(self, tmp_path):
        done = subprocess.run([*MODULE, "select", str(tmp_path / "no.csv")], capture_output=True)
        assert_refused((done.returncode, done.stdout.decode(), done.stderr.decode()), "no.csv")

    @pytest.mark.parametrize("arguments", [["select", "--json"], ["select", "--help"]])
    def test_closed_pipe(self, arguments):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [*MODULE, *arguments], stdout=writer, stderr=subprocess.PIPE, env=BUFFERED
        )
        os.close(writer)
        assert done.returncode == 0
        assert done.stderr == b""

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
    def test_full_disk(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run(
                [*MODULE, "select"], stdout=full, stderr=subprocess.PIPE, env=BUFFERED
            )
        assert_refused((done.returncode, "", done.stderr.decode()), "No space left")


class TestHeaders:
    def test_a_first_column_without_a_name_labels_the_rows(self, capsys, write):
        lines = table(X, [f"f{i}" for i in range(X.shape[1])]).splitlines()
        labelled = ["," + lines[0], *(f"sample {i},{line}" for i, line in enumerate(lines[1:]))]
        answer = run_json(capsys, write("data.csv", "\n".join(labelled)))
        assert answer["n_features"] == X.shape[1]
        np.testing.assert_allclose(alpha_of(answer), qalpha.solve(X, "auto").alpha, atol=1e-10)

    def test_one_bad_cell_does_not_make_a_header(self, capsys, write):
        path = write("typo.csv", "1,2,1e5x\n2,3,4\n5,1,2\n")
        assert_refused(run(capsys, "select", path), "column 2 (from 0), line 1: '1e5x' is not")

    def test_what_is_no_text_is_refused(self, capsys, tmp_path):
        path = tmp_path / "data.csv"
        path.write_bytes("é,b\n1,2\n".encode("latin-1"))
        assert_refused(run(capsys, "select", path), "is not text in UTF-8")

    def test_a_negative_seed_is_refused(self, capsys):
        assert_refused(run(capsys, "select", "--seed", "-3"), "--seed -3: must be at least 0")


WIDE = datasets.growing_classes(3, n_samples=12, n_relevant=4, n_irrelevant=20, random_state=1)
SPECIES = np.array(["setosa", "versicolor", "virginica"])
PAIRS = np.array([[0, 29], [1, 15], [12, 28]])


def labelled(data, place, header=True, delimiter=","):
    """A table with a column of species at a place."""
    names = [f"gene {i}" for i in range(data.X.shape[1])]
    rows = [names] if header else []
    rows += [[repr(float(value)) for value in row] for row in data.X]
    labels = ["species"] * header + SPECIES[data.y].tolist()
    for row, label in zip(rows, labels, strict=True):
        row.insert(place, label)
    return "".join(delimiter.join(row) + "\n" for row in rows)


class TestTarget:
    @pytest.mark.parametrize("place", [0, 5, 12])
    @pytest.mark.parametrize("header", [True, False])
    def test_labels_may_be_text(self, capsys, write, place, header):
        path = write("data.csv", labelled(GROWING, place, header))
        target = "species" if header else place
        answer = run_json(capsys, path, "--method", "supervised", "--target", target)
        assert answer["k"] is None
        assert (answer["n_samples"], answer["n_features"]) == X.shape
        np.testing.assert_allclose(alpha_of(answer), supervised.solve(X, Y).alpha, atol=1e-10)
        names = NAMES if header else [str(i) for i in range(X.shape[1] + 1) if i != place]
        assert all(row["feature"] == names[row["index"]] for row in answer["ranking"])

    @pytest.mark.parametrize("place", [0, 5, 12])
    def test_labels_may_be_a_column_of_an_array(self, capsys, write, place):
        path = write("data.npy", np.insert(X, place, Y, axis=1))
        answer = run_json(capsys, path, "--method", "supervised", "--target", place)
        np.testing.assert_allclose(alpha_of(answer), supervised.solve(X, Y).alpha, atol=1e-10)

    def test_beside_names_of_the_rows(self, capsys, write):
        lines = labelled(GROWING, 3, delimiter="\t").splitlines()
        content = "".join(f"{f'row {i}' if i else ''}\t{line}\n" for i, line in enumerate(lines))
        path = write("data.tsv", content)
        answer = run_json(capsys, path, "--method", "supervised", "--target", " species ")
        np.testing.assert_allclose(alpha_of(answer), supervised.solve(X, Y).alpha, atol=1e-10)

    def test_makes_weighting_discriminant(self, capsys, write):
        path = write("data.csv", labelled(WIDE, 24))
        arguments = (path, "--method", "weighting", "--target", "species", "--tradeoff", 0.5)
        expected = weighting.solve(WIDE.X, WIDE.y, tradeoff=0.5)
        np.testing.assert_allclose(
            alpha_of(run_json(capsys, *arguments)), expected.alpha, atol=1e-10
        )

    def test_the_example_brings_its_own(self, capsys):
        answer = run_json(capsys, "--method", "supervised")
        expected = supervised.solve(EXAMPLE.X, EXAMPLE.y).alpha
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    @pytest.mark.parametrize("label", ["", " ", "NA", "nan"])
    @pytest.mark.parametrize("place", [0, 5])
    def test_a_missing_label_meets_the_check_of_the_solver(self, capsys, write, label, place):
        path = write("data.csv", labelled(GROWING, place).replace("setosa", label, 1))
        result = run(capsys, "select", path, "--method", "supervised", "--target", "species")
        assert result == (
            2,
            "",
            "specsel: y: 1 label is missing, first of sample 0; every sample needs one\n",
        )

    def test_one_class(self, capsys, write):
        path = write("data.csv", "a,b,species\n1,2,x\n3,1,x \n2,2,x\n")
        result = run(capsys, "select", path, "--method", "supervised", "--target", "species")
        assert result == (2, "", "specsel: y: has one class, x; at least 2 are needed\n")

    @pytest.mark.parametrize(
        ("content", "target", "message"),
        [
            ("a,b\n1,2\n", "c", "has no column 'c'; it has a, b"),
            ("a,b\n1,2\n", "0", "has no column '0'; it has a, b"),
            (",b\n1,2\n", "column 1", "has no column 'column 1'; it has b"),
            ("a,a\n1,2\n", "a", "has 2 columns 'a'"),
            ("1,2\n3,4\n", "2", "has columns 0 to 1, without names; no column '2'"),
            ("1,2\n3,4\n", "-1", "has columns 0 to 1, without names; no column '-1'"),
            ("1,2\n3,4\n", "a", "has columns 0 to 1, without names; no column 'a'"),
            (
                "a,b\n1,2\n3,y\nz,4\n",
                "b",
                "column 'a', line 4: 'z' is not a number; --drop leaves a column out",
            ),
            ("a,b\n1,2\n3\n", "b", "line 3: has 1 cell, the row before has 2"),
            ("a,b\n", "b", "holds a header but no samples"),
            (np.ones((3, 2)), "2", "has columns 0 to 1, without names; no column '2'"),
            (np.ones(3), "0", "has 1 dimension; 2 are needed"),
        ],
    )
    def test_a_bad_column_is_refused(self, capsys, write, content, target, message):
        path = write("data.npy" if isinstance(content, np.ndarray) else "data.csv", content)
        result = run(capsys, "select", path, "--method", "supervised", "--target", target)
        assert result == (2, "", f"specsel: {path}: {message}\n")

    @pytest.mark.parametrize("method", ["supervised", "weighting"])
    @pytest.mark.parametrize("suffix", [".csv", ".npy"])
    def test_measurements_are_no_classes(self, capsys, write, method, suffix):
        values = np.column_stack((X, np.append(Y[:-1], 2.25)))
        path = write(f"data{suffix}", values if suffix == ".npy" else table(values))
        result = run(capsys, "select", path, "--method", method, "--target", 12)
        assert_refused(result, "--target 12: holds 2.25, a measurement; classes are needed")
        assert run(capsys, "path", path, "--target", 12)[0] == 2

    def test_nothing_but_labels(self, capsys, write):
        path = write("data.csv", "species\nx\ny\nx\n")
        result = run(capsys, "select", path, "--method", "supervised", "--target", "species")
        assert_refused(result, "X: has shape (3, 0); it must not be empty")


class TestShuffle:
    @pytest.mark.parametrize("suffix", [".csv", ".npy"])
    def test_columns_keep_their_values_and_lose_their_structure(self, capsys, write, suffix):
        path = write(f"data{suffix}", X if suffix == ".npy" else table(X))
        code, out, _ = run(capsys, "select", path, "--shuffle")
        assert code == 0
        assert out.splitlines()[0].endswith(", columns shuffled: 30 samples x 12 features")
        answer = run_json(capsys, path, "--shuffle", "--seed", 3)
        shuffled = np.random.default_rng(3).permuted(X, axis=0)
        expected = qalpha.solve(shuffled, "auto", random_state=3)
        np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
        np.testing.assert_array_equal(np.sort(shuffled, axis=0), np.sort(X, axis=0))
        assert answer["objective"] < 0.5 * qalpha.solve(X, "auto").objective

    def test_a_faint_cut_is_said_to_be_no_clear_one(self, capsys, write):
        almost = 1 + 0.3 * np.random.default_rng(0).standard_normal((30, 6))
        path = write("data.csv", table(almost + 5 * np.arange(30)[:, None]))
        code, out, _ = run(capsys, "select", path, "-k", 1)
        assert code == 0
        assert out.endswith(" times that of the rest; no clear cut\n")


class TestMethods:
    @pytest.mark.parametrize(
        ("method", "arguments", "solve", "options"),
        [
            ("qalpha", ["-k", 3, "--init", "equal"], qalpha.solve, {"k": 3, "init": "equal"}),
            ("laplacian", ["-k", 2], laplacian.solve, {"k": 2}),
            (
                "laplacian",
                ["-k", 2, "--representation", "shift", "--init", "continuation"],
                laplacian.solve,
                {"k": 2, "representation": "shift", "init": "continuation"},
            ),
            ("kernel", ["-k", 3], kernel.solve, {"k": 3}),
            ("kernel", ["-k", 3, "--kernel", "poly"], kernel.solve, {"k": 3, "kernel": "poly"}),
        ],
    )
    def test_options_reach_every_solver(self, capsys, saved, method, arguments, solve, options):
        answer = run_json(capsys, saved, "--method", method, *arguments)
        assert answer["method"] == method
        assert (answer["n_samples"], answer["n_features"], answer["k"]) == (*X.shape, options["k"])
        np.testing.assert_allclose(alpha_of(answer), solve(X, **options).alpha, atol=1e-10)

    @pytest.mark.parametrize("method", [m for m in select.METHODS if "k" in select.METHODS[m]])
    def test_the_number_of_clusters_is_found(self, capsys, write, saved, method):
        more = {
            "side_info": ("--side", write("side.npy", X[::-2])),
            "pairwise": ("--apart", write("apart.npy", PAIRS)),
        }
        given = {"side_info": {"side": X[::-2]}, "pairwise": {"apart": PAIRS}}.get(method, {})
        arguments = (saved, "--method", method, "-k", "auto", *more.get(method, ()))
        answer = run_json(capsys, *arguments)
        found = import_module(f"specsel.{method}").solve(X, k="auto", **given)
        if method == "topography":
            assert answer["k"] is None
            assert [r["k"] for r in answer["rounds"]] == [
                len(run.basis.T) for run in found.weights
            ]
        else:
            assert answer["k"] == len(found.basis.T)
            np.testing.assert_allclose(alpha_of(answer), found.alpha, atol=1e-10)
        told = method if method == "topography" else f"{method}, k = {answer['k']}"
        assert f"{told}: objective" in run(capsys, "select", *arguments)[1]

    @pytest.mark.parametrize("count", [1, 2])
    def test_side(self, capsys, write, saved, rng, count):
        sides = [rng.standard_normal((7 + i, X.shape[1])) for i in range(count)]
        paths = [write("side.tsv", table(sides[0], NAMES, "\t")), write("side.npy", sides[-1])]
        arguments = [part for path in paths[:count] for part in ("--side", path)]
        expected = side_info.solve(X, sides, "auto", tradeoff=0.5).alpha
        answer = run_json(capsys, saved, "--method", "side_info", "--tradeoff", 0.5, *arguments)
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    def test_side_of_other_features(self, capsys, write, saved):
        narrow = write("side.csv", table(X[:, :5]))
        result = run(capsys, "select", saved, "--method", "side_info", "--side", narrow)
        assert result == (2, "", "specsel: side: has 5 features; X has 12\n")
        swapped = write("side.csv", table(X, NAMES[::-1]))
        result = run(capsys, "select", saved, "--method", "side_info", "--side", swapped)
        assert_refused(result, "side: has other column names than X, or in another order")

    @pytest.mark.parametrize("name", ["pairs.csv", "pairs.tsv", "header.csv", "pairs.npy"])
    @pytest.mark.parametrize("option", ["apart", "together"])
    def test_pairs(self, capsys, write, saved, name, option):
        delimiter = "\t" if name.endswith("tsv") else ","
        text = "".join(f"{one}{delimiter}{other}\n" for one, other in PAIRS)
        text = "one,other\n" * name.startswith("header") + text
        path = write(name, PAIRS if name.endswith("npy") else text)
        answer = run_json(capsys, saved, "--method", "pairwise", f"--{option}", path)
        expected = pairwise.solve(X, "auto", **{option: PAIRS}).alpha
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    def test_pairs_of_both_kinds(self, capsys, write, saved):
        apart, together = write("apart.npy", PAIRS), write("together.csv", "2,3\n")
        arguments = ("--apart", apart, "--together", together, "--tradeoff", 3)
        options = {"apart": PAIRS, "together": [[2, 3]], "tradeoff": 3, "representation": "ranks"}
        answer = run_json(
            capsys, saved, "--method", "pairwise", *arguments, "--representation", "ranks"
        )
        np.testing.assert_allclose(
            alpha_of(answer), pairwise.solve(X, "auto", **options).alpha, atol=1e-10
        )

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("0,1.5\n2,3\n", "1.5 is not a row number of a sample"),
            ("0,1\n2,\n", "column 1 (from 0), line 2: a number is missing"),
            ("0,1\n2,inf\n", "column 1 (from 0), line 2: 'inf' is not finite"),
            (np.array([[0, np.nan]]), "nan is not a row number of a sample"),
            ("0,1\n2,1e300\n", "1e+300 is not a row number of a sample"),
            ("0,1,3\n", "is 1 x 3 float64; two columns of row numbers needed"),
            ("0,1\n2,x\n", "column 1 (from 0), line 2: 'x' is not a number"),
            ("0,1\n2,3\n", "its first row, 0 and 1, may be a header; name the columns"),
            (np.arange(4), "has 1 dimension; 2 are needed"),
            (np.eye(2, dtype=bool), "is 2 x 2 bool; two columns of row numbers needed"),
        ],
    )
    def test_what_are_no_pairs(self, capsys, write, saved, content, message):
        path = write("pairs.npy" if isinstance(content, np.ndarray) else "pairs.csv", content)
        result = run(capsys, "select", saved, "--method", "pairwise", "--apart", path)
        assert result == (2, "", f"specsel: {path}: {message}\n")

    def test_pairs_of_no_sample(self, capsys, write, saved):
        path = write("pairs.csv", "0,30\n")
        result = run(capsys, "select", saved, "--method", "pairwise", "--together", path)
        assert result == (2, "", "specsel: together: holds sample 30; must be from 0 to 29\n")


@pytest.fixture(scope="module")
def chart():
    return topography.solve(X, 2, rounds=3, tradeoff=0.2)


class TestTopography:
    ARGUMENTS = ("--method", "topography", "-k", 2, "--rounds", 3, "--tradeoff", 0.2)

    def test_json_has_the_rounds(self, capsys, saved, chart):
        answer = run_json(capsys, saved, *self.ARGUMENTS)
        np.testing.assert_allclose(alpha_of(answer), chart.combined.alpha, atol=1e-10)
        assert answer["rounds"] == [
            {"k": 2, "selected": [NAMES[i] for i in weights.select()]} for weights in chart.weights
        ]
        assert answer["selected"] == [NAMES[i] for i in chart.select()]
        assert answer["n_iter"] == sum(weights.n_iter for weights in chart.weights)
        assert answer["n_passes"] == chart.n_passes

    def test_text_has_a_line_for_every_round(self, capsys, saved, chart):
        code, out, err = run(capsys, "select", saved, *self.ARGUMENTS)
        assert code == 0
        assert err == ""
        rounds = [", ".join(NAMES[i] for i in weights.select()) for weights in chart.weights]
        assert out.splitlines()[-3:] == [
            f"round {i}, k = 2: {names}" for i, names in enumerate(rounds, 1)
        ]

    def test_long_rounds_are_cut(self, capsys, write, chart):
        out = run(capsys, "select", write("data.npy", X), *self.ARGUMENTS, "--top", 1)[1]
        first = chart.weights[0].select()
        assert out.splitlines()[-3] == f"round 1, k = 2: {first[0]} and {len(first) - 1} more"

    def test_out_has_relevance_and_position(self, capsys, saved, tmp_path, chart):
        out = tmp_path / "ranking.csv"
        assert run(capsys, "select", saved, *self.ARGUMENTS, "--out", out)[0] == 0
        with open(out, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert header[5:] == [
            f"{what}_{i}" for i in (1, 2, 3) for what in ("relevance", "position")
        ]
        order = chart.combined.ranking
        assert [int(row[2]) for row in rows] == order.tolist()
        numbers = np.array([row[5:] for row in rows], dtype=float)
        np.testing.assert_array_equal(numbers[:, ::2], chart.relevances[order])
        np.testing.assert_array_equal(numbers[:, 1::2], chart.positions[order])

    def test_every_round_must_converge(self, capsys, saved, monkeypatch, chart):
        last = replace(chart.weights[-1], converged=False)
        broken = replace(chart, weights=(*chart.weights[:-1], last))
        monkeypatch.setattr(topography, "solve", lambda X, **options: broken)
        code, out, _ = run(capsys, "select", saved, "--json", *self.ARGUMENTS)
        assert code == 1
        assert json.loads(out)["converged"] is False


VALUES = {
    "k": 2,
    "target": "a",
    "side": "a.csv",
    "apart": "a.csv",
    "together": "a.csv",
    "tradeoff": 1,
    "representation": "parts",
    "kernel": "rbf",
    "rounds": 2,
    "features": 3,
    "neighbours": 3,
    "components": 3,
    "scale": "native",
    "init": "equal",
    "tol": 0.1,
    "max_iter": 9,
    "seed": 1,
}


class TestUseOfOptions:
    @pytest.mark.parametrize("method", select.METHODS)
    def test_what_a_method_does_not_use_is_refused(self, capsys, method):
        for option, value in VALUES.items():
            if option not in select.METHODS[method]:
                flag = "-k" if option == "k" else "--" + option.replace("_", "-")
                result = run(capsys, "select", "--method", method, flag, value)
                hint = "; --drop leaves a column out" * (option == "target")
                message = f"specsel: {flag}: is not used by --method {method}{hint}\n"
                assert result == (2, "", message)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--method", "supervised"], "--method supervised: needs --target"),
            (["--method", "side_info"], "--method side_info: needs --side"),
            (["--method", "pairwise"], "--method pairwise: needs --apart or --together"),
            (
                ["--method", "weighting", "--tradeoff", 2],
                "--tradeoff: needs --target with --method weighting",
            ),
        ],
    )
    def test_what_a_method_needs(self, capsys, saved, arguments, message):
        result = run(capsys, "select", saved, *arguments)
        assert result == (2, "", f"specsel: {message}\n")

    def test_target_needs_a_file(self, capsys):
        result = run(capsys, "select", "--method", "weighting", "--target", "a")
        assert result == (2, "", "specsel: --target: needs FILE\n")

    def test_side_data_that_are_missing(self, capsys, tmp_path):
        path = tmp_path / "no.csv"
        result = run(capsys, "select", "--method", "side_info", "--side", path)
        assert_refused(result, f"specsel: {path}: No such file")

    @pytest.mark.parametrize("option", ["side", "apart"])
    def test_out_does_not_overwrite_what_is_read_besides(self, capsys, saved, write, option):
        path = write("other.csv", "0,1\n")
        method = {"side": "side_info", "apart": "pairwise"}[option]
        arguments = (saved, "--method", method, f"--{option}", path, "--out", path)
        assert_refused(run(capsys, "select", *arguments), "is a file to be read")

    def test_representation_that_the_method_does_not_know(self, capsys, saved):
        arguments = ("--method", "laplacian", "--representation", "centered")
        assert_refused(run(capsys, "select", saved, *arguments), "representation = 'centered'")


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestProgress:
    def test_a_terminal_shows_one_line_and_erases_it(self, saved, monkeypatch, capsys):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert cli.main(["select", str(saved)]) == 0
        begun, *shown, erased, end = terminal.getvalue().split("\r")[1:]
        assert begun.startswith("at work")
        history = qalpha.solve(X, "auto").history
        assert [line.rstrip() for line in shown] == [
            f"iteration {i}, objective {value:.6g}" for i, value in enumerate(history, 1)
        ]
        assert {len(line) for line in (*shown, erased)} == {PROGRESS_WIDTH}
        assert erased.strip() == end == ""
        assert "iteration 1," not in capsys.readouterr().out

    def test_an_error_comes_after_it_is_erased(self, saved, monkeypatch):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        assert cli.main(["select", str(saved), "-k", "99"]) == 2
        assert terminal.getvalue().split("\r")[-1].startswith("specsel: k = 99")


def test_picture_in_the_readme_is_what_is_printed(capsys):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    picture = readme.split("```text\n")[1].split("\n```")[0]
    _, out, _ = run(capsys, "select", "--top", "9")
    assert picture in out
