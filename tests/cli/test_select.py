"""``specsel select`` gives what the solvers give; options, output and pictures."""

import csv
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from commands import (
    EXAMPLE,
    GROWING,
    MODULE,
    NAMES,
    Terminal,
    X,
    Y,
    alpha_of,
    assert_refused,
    feature_rows,
    run,
    run_json,
    table,
)

from specsel import datasets, evidence, qalpha, topography
from specsel._methods import METHODS, parameters
from specsel.cli import common

SELECTING = [name for name, row in METHODS.items() if row.command == "select"]
WIDE = datasets.growing_classes(3, n_samples=12, n_relevant=4, n_irrelevant=20, random_state=1)
SPECIES = np.array(["setosa", "versicolor", "virginica"])
PAIRS = np.array([[0, 29], [1, 15], [12, 28]])
UNITS = np.random.default_rng(0).standard_normal((60, 12)) * np.geomspace(1, 1e6, 12) + 5


def labelled(data, place, header=True):
    """A table with a column of species at a place."""
    rows = [[f"gene {i}" for i in range(data.X.shape[1])]] if header else []
    rows += [[repr(float(value)) for value in row] for row in data.X]
    labels = ["species"] * header + SPECIES[data.y].tolist()
    for row, label in zip(rows, labels, strict=True):
        row.insert(place, label)
    return "".join(",".join(row) + "\n" for row in rows)


def solve(method, *data, **options):
    return import_module(f"specsel.{method}").solve(*data, **options)


# A method, its options as texts, and what they are for `solve`.
CASES = [
    ("qalpha", "-k 3 --init equal", {"k": 3, "init": "equal"}),
    ("qalpha", "--init random --seed 4 --tol 1e-9 --max-iter 150",
     {"k": "auto", "init": "random", "random_state": 4, "tol": 1e-9, "max_iter": 150}),
    ("laplacian", "-k 2", {"k": 2}),
    ("laplacian", "-k 2 --representation shift --init continuation",
     {"k": 2, "representation": "shift", "init": "continuation"}),
    ("kernel", "-k 3", {"k": 3}),
    ("kernel", "-k 3 --kernel poly", {"k": 3, "kernel": "poly"}),
    ("alignment", "", {}),
    ("alignment", "--features 5 --neighbours 3 --components 4 --scale native",
     {"n": 5, "neighbours": 3, "components": 4, "scale": "native"}),
]  # fmt: skip


@pytest.mark.parametrize(("method", "texts", "options"), CASES)
def test_options_reach_the_solver(capsys, saved, method, texts, options):
    answer = run_json(capsys, saved, "--method", method, *texts.split())
    expected = solve(method, X, **options)
    assert (answer["method"], answer["n_samples"], answer["n_features"]) == (method, *X.shape)
    if method == "alignment":
        assert_aligned(answer, expected)
        return
    np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
    assert (answer["k"], answer["n_iter"]) == (expected.basis.shape[1], expected.n_iter)


def assert_aligned(answer, expected):
    assert [row["index"] for row in answer["ranking"]] == expected.ranking.tolist()
    np.testing.assert_allclose([row["score"] for row in answer["ranking"]], expected.scores)
    assert len(answer["selected"]) == len(expected.support)
    assert (answer["target"], answer["peak"]) == (expected.target, expected.peak)


@pytest.mark.parametrize(
    ("data", "method", "options"),
    [
        (WIDE, "weighting", {"tradeoff": 0.5}),
        (WIDE, "weighting", {"k": 2}),
        (GROWING, "alignment", {"n": 5}),
    ],
)
def test_options_beside_classes(capsys, write, data, method, options):
    path = write("data.csv", labelled(data, 0))
    (option, value), flags = *options.items(), {"k": "-k", "n": "--features"}
    arguments = (flags.get(option, f"--{option}"), value, "--target", "species")
    answer = run_json(capsys, path, "--method", method, *arguments)
    expected = solve(method, data.X, data.y, **options)
    if method == "alignment":
        assert_aligned(answer, expected)
        assert answer["target"] == "classes"
    else:
        np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)


@pytest.mark.parametrize(
    "method", [m for m in SELECTING if {"k", "random_state"} <= parameters(m).keys()]
)
def test_the_number_of_clusters_is_counted(capsys, write, saved, method):
    more = {
        "side_info": ("--side", write("side.npy", X[::-2])),
        "pairwise": ("--apart", write("apart.npy", PAIRS)),
    }
    options = {"side_info": {"side": X[::-2]}, "pairwise": {"apart": PAIRS}}.get(method, {})
    arguments = (saved, "--method", method, "-k", "auto", *more.get(method, ()))
    answer = run_json(capsys, *arguments)
    expected = solve(method, X, k="auto", **options)
    if method == "topography":
        assert answer["k"] is None
        counts = [run.basis.shape[1] for run in expected.weights]
        assert [one_round["k"] for one_round in answer["rounds"]] == counts
    else:
        assert answer["k"] == expected.basis.shape[1]
        np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
    several = "s" * (answer["k"] != 1)
    count = f"k = {answer['k']} direction{several}" if answer["k"] else "k of every round"
    assert answer["k_found"] is True
    out = run(capsys, "select", *arguments)[1]
    assert f"{method}, {count}, found by itself (-k sets it): objective" in out


class TestOutput:
    def test_json_holds_what_the_solver_returns(self, capsys, saved):
        answer = run_json(capsys, saved, "-k", 2)
        weights = qalpha.solve(X, 2)
        assert list(answer) == [
            "data", "method", "n_samples", "n_features", "k", "k_found", "objective", "gap",
            "selected", "n_iter", "n_passes", "converged", "evidence", "seconds", "ranking",
        ]  # fmt: skip
        assert (answer["data"], answer["method"]) == (str(saved), "qalpha")
        assert (answer["k"], answer["k_found"], answer["converged"]) == (2, False, True)
        assert (answer["objective"], answer["gap"]) == (weights.objective, weights.gap)
        assert answer["selected"] == [NAMES[i] for i in weights.select()]
        assert (answer["n_iter"], answer["n_passes"]) == (weights.n_iter, weights.n_passes)
        assert answer["seconds"] > 0
        ranking = answer["ranking"]
        assert [row["rank"] for row in ranking] == list(range(1, 13))
        assert [row["index"] for row in ranking] == weights.ranking.tolist()
        assert sum(row["selected"] for row in ranking) == len(weights.select())

    def test_an_infinite_gap_is_null(self, capsys, write):
        path = write("data.npy", np.column_stack([np.arange(6.0), np.zeros(6)]))
        code, out, _ = run(capsys, "select", path, "-k", 1, "--json")
        assert (code, json.loads(out)["gap"]) == (0, None)
        assert "infinitely" in run(capsys, "select", path, "-k", 1)[1]

    def test_out_holds_all_features(self, capsys, saved, tmp_path):
        out = tmp_path / "ranking.csv"
        assert run(capsys, "select", saved, "--out", out, "--top", 2)[::2] == (0, "")
        weights = qalpha.solve(X, "auto")
        with open(out, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert header == ["rank", "feature", "index", "weight", "selected"]
        count = len(weights.select())
        assert rows == [
            [str(rank), NAMES[i], str(i), repr(float(weights.alpha[i])), str(rank <= count)]
            for rank, i in enumerate(weights.ranking, 1)
        ]

    def test_table_marks_the_selected_and_rules_off_the_rest(self, capsys):
        weights = qalpha.solve(EXAMPLE.X, "auto")
        count = len(weights.select())
        out = run(capsys, "select")[1]
        lines = out.split("\n\n")[1].splitlines()[1:]
        assert all(line.startswith(" *") for line in lines[:count])
        assert set(lines[count]) == {" ", "─"}
        assert not any("*" in line or "─" in line for line in lines[count + 1 :])
        widths = [line.count("█") for line in lines[:count]]
        assert widths[0] == 30
        assert widths == sorted(widths, reverse=True)
        assert [row[1] for row in feature_rows(out)] == [
            EXAMPLE.names[i] for i in weights.ranking[:20]
        ]
        assert out.splitlines()[-2].startswith(
            f"{count} of 40 features above the gap (*): mean weight {weights.gap:.3g} times"
        )

    def test_an_alignment_ends_on_its_peak(self, capsys, saved):
        expected = solve("alignment", X)
        lines = run(capsys, "select", saved, "--method", "alignment", "--top", 3)[1].splitlines()
        first = expected.ranking[0]
        assert lines[3] == "   rank  feature    score"
        assert lines[4] == f" *    1  {NAMES[first]:7}  {expected.scores[0]:7.4f}"
        assert lines[7] == "   and 9 more"
        count = f"{len(expected.support)} of 12 features selected (*)"
        assert lines[-1] == f"{count}; peak at {expected.peak} features"

    @pytest.mark.parametrize(("top", "shown"), [(1, 1), (7, 7), (40, 40), (1000, 40)])
    def test_top(self, capsys, top, shown):
        out = run(capsys, "select", "--top", top)[1]
        assert [int(row[0]) for row in feature_rows(out)] == list(range(1, shown + 1))
        assert (f"and {40 - shown} more" in out) == (shown < 40)

    def test_cuts_that_are_none(self, capsys, write):
        column = np.random.default_rng(0).standard_normal(9)
        out = run(capsys, "select", write("a.npy", np.c_[column, column, -column]), "-k", 1)[1]
        assert "no gap" in out.splitlines()[-2]
        assert "─" not in out
        almost = 1 + 0.3 * np.random.default_rng(0).standard_normal((30, 6))
        path = write("data.csv", table(almost + 5 * np.arange(30)[:, None]))
        out = run(capsys, "select", path, "-k", 1)[1]
        assert out.splitlines()[-2].endswith(" times that of the rest; no clear cut")

    def test_ascii_where_the_encoding_has_no_blocks(self, write):
        path = write("data.csv", table(X, ["grün", *NAMES[1:]]))
        environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
        command = [*MODULE, "select", str(path)]
        done = subprocess.run(command, capture_output=True, env=environment)
        assert (done.returncode, done.stderr) == (0, b"")
        text = done.stdout.decode("ascii")
        assert all(part in text for part in ("#" * 30, "-" * 30, r"gr\xfcn"))

    def test_help_names_the_methods_of_an_option_and_their_defaults(self, capsys):
        text = " ".join(run(capsys, "select", "--help")[1].split())
        assert "default 0.1 for side_info; 1 for pairwise, weighting (side_info, topog" in text
        assert "nearest samples of each; default 5 (alignment)" in text

    def test_picture_in_the_readme_is_what_is_printed(self, capsys):
        readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
        picture = readme.split("```text\n")[1].split("\n```")[0]
        assert picture in run(capsys, "select", "--top", "9")[1]

    @pytest.mark.parametrize("options", [("-k", "2"), ("--method", "weighting")])
    def test_progress_counts_every_pass_over_the_data(self, capsys, monkeypatch, options):
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        answer = run_json(capsys, *options, "--permutations", "0")
        last = [line.strip() for line in screen.getvalue().split("\r") if "pass " in line][-1]
        assert last.endswith(f"pass {answer['n_passes']} over the data")
        assert last.startswith("iteration ") == ("-k" in options)


class TestTarget:
    @pytest.mark.parametrize("place", [0, 5, 12])
    @pytest.mark.parametrize("header", [True, False])
    def test_labels_may_be_text(self, capsys, write, place, header):
        path = write("data.csv", labelled(GROWING, place, header))
        target = "species" if header else place
        options = ("--target", target, "--permutations", 0)
        answer = run_json(capsys, path, "--method", "supervised", *options)
        assert answer["k"] is None
        np.testing.assert_allclose(alpha_of(answer), solve("supervised", X, Y).alpha, atol=1e-10)
        names = NAMES if header else [str(i) for i in range(X.shape[1] + 1) if i != place]
        assert all(row["feature"] == names[row["index"]] for row in answer["ranking"])

    def test_the_example_has_its_own(self, capsys):
        answer = run_json(capsys, "--method", "supervised", "--permutations", 0)
        expected = solve("supervised", EXAMPLE.X, EXAMPLE.y).alpha
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    @pytest.mark.parametrize("label", ["", " ", "NA", "nan"])
    @pytest.mark.parametrize("place", [0, 5])
    def test_a_missing_label_meets_the_check_of_the_solver(self, capsys, write, label, place):
        path = write("data.csv", labelled(GROWING, place).replace("setosa", label, 1))
        result = run(capsys, "select", path, "--method", "supervised", "--target", "species")
        message = "--target species: 1 label is missing, first of sample 0; every sample needs one"
        assert result == (2, "", f"specsel: {message}\n")

    @pytest.mark.parametrize("suffix", [".csv", ".npy"])
    def test_measurements_are_no_classes(self, capsys, write, suffix):
        values = np.column_stack((X, np.append(Y[:-1], 2.25)))
        path = write(f"data{suffix}", values if suffix == ".npy" else table(values))
        for command in (("select", "--method", "supervised"), ("path",)):
            result = run(capsys, *command, path, "--target", 12)
            assert_refused(result, "--target 12: holds 2.25, a measurement; classes are needed")

    def test_nothing_but_labels(self, capsys, write):
        path = write("data.csv", "species\nx\ny\nx\n")
        result = run(capsys, "select", path, "--method", "supervised", "--target", "species")
        assert_refused(result, ": has shape (3, 0); it must not be empty")


@pytest.mark.parametrize("suffix", [".csv", ".npy"])
def test_shuffled_columns_keep_their_values_and_lose_their_structure(capsys, write, suffix):
    path = write(f"data{suffix}", X if suffix == ".npy" else table(X))
    code, out, err = run(capsys, "select", path, "--shuffle")
    assert code == 0
    assert 'k = "auto": found no clusters' in err
    assert out.splitlines()[0].endswith(", columns shuffled: 30 samples x 12 features")
    answer = json.loads(run(capsys, "select", "--json", path, "--shuffle", "--seed", 3)[1])
    shuffled = np.random.default_rng(3).permuted(X, axis=0)
    with pytest.warns(UserWarning, match="found no clusters"):
        expected = qalpha.solve(shuffled, "auto", random_state=3)
    np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
    assert answer["objective"] < 0.5 * qalpha.solve(X, "auto").objective


def test_columns_in_different_units_are_standardised(capsys, write):
    path = write("units.npy", UNITS)
    answer = run_json(capsys, path, "--method", "alignment", "--standardise", "--features", 4)
    assert_aligned(answer, solve("alignment", (UNITS - UNITS.mean(0)) / UNITS.std(0), n=4))
    assert answer["data"].endswith("columns standardised")
    refused = run(capsys, "select", path, "--standardise")
    assert_refused(refused, "--standardise: is not used by --method qalpha")


class TestSideAndPairs:
    @pytest.mark.parametrize("count", [1, 2])
    def test_side(self, capsys, write, saved, rng, count):
        sides = [rng.standard_normal((7 + i, X.shape[1])) for i in range(count)]
        paths = [write("side.tsv", table(sides[0], NAMES, "\t")), write("side.npy", sides[-1])]
        arguments = [part for path in paths[:count] for part in ("--side", path)]
        expected = solve("side_info", X, sides, "auto", tradeoff=0.5).alpha
        answer = run_json(capsys, saved, "--method", "side_info", "--tradeoff", 0.5, *arguments)
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    def test_side_of_other_features(self, capsys, write, saved):
        narrow = write("side.csv", table(X[:, :5]))
        result = run(capsys, "select", saved, "--method", "side_info", "--side", narrow)
        assert result == (2, "", "specsel: --side: has 5 features; X has 12\n")
        swapped = write("side.csv", table(X, NAMES[::-1]))
        result = run(capsys, "select", saved, "--method", "side_info", "--side", swapped)
        assert_refused(result, "--side: has other column names than X, or in another order")

    @pytest.mark.parametrize("option", ["--drop", "--index"])
    def test_side_may_lack_the_columns_that_are_no_features(self, capsys, write, rng, option):
        def named(values):
            rows = [["who", *NAMES], *[[f"s{i}", *row] for i, row in enumerate(values.tolist())]]
            return "\n".join(",".join(map(str, row)) for row in rows)

        side = rng.standard_normal((9, X.shape[1]))
        path = write("data.csv", named(X))
        expected = solve("side_info", X, [side], "auto").alpha
        for content in (table(side, NAMES), named(side)):
            arguments = ("--side", write("side.csv", content), option, "who")
            answer = run_json(capsys, path, "--method", "side_info", *arguments)
            np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    @pytest.mark.parametrize("name", ["pairs.csv", "pairs.tsv", "header.csv", "pairs.npy"])
    def test_pairs_of_both_kinds(self, capsys, write, saved, name):
        delimiter = "\t" if name.endswith("tsv") else ","
        text = "".join(f"{one}{delimiter}{other}\n" for one, other in PAIRS)
        text = "one,other\n" * name.startswith("header") + text
        apart = write(name, PAIRS if name.endswith("npy") else text)
        together = write("together.csv", "2,3\n")
        arguments = ("--apart", apart, "--together", together, "--tradeoff", 3)
        options = {"apart": PAIRS, "together": [[2, 3]], "tradeoff": 3, "representation": "ranks"}
        answer = run_json(
            capsys, saved, "--method", "pairwise", *arguments, "--representation", "ranks"
        )
        expected = solve("pairwise", X, "auto", **options).alpha
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("0,1.5\n2,3\n", "1.5 is not a row number of a sample"),
            ("0,1\n2,\n", "1 missing value: 1 in column 1 (from 0)"),
            ("0,1\n2,inf\n", "column 1 (from 0), line 2: 'inf' is not finite"),
            (np.array([[0, np.nan]]), "1 missing value: 1 in column 1 (from 0)"),
            ("0,1\n2,1e300\n", "1e+300 is not a row number of a sample"),
            ("0,1,3\n", "is 1 x 3 float64; two columns of row numbers are needed"),
            ("0,1\n2,x\n", "column 1 (from 0), line 2: 'x' is not a number"),
            ("0,1\n2,3\n", "its first row, 0 and 1, may be a header; name the columns"),
            (np.arange(4), "has 1 dimension; 2 are needed"),
            (np.eye(2, dtype=bool), "is 2 x 2 bool; two columns of row numbers are needed"),
        ],
    )
    def test_what_are_no_pairs(self, capsys, write, saved, content, message):
        path = write("pairs.npy" if isinstance(content, np.ndarray) else "pairs.csv", content)
        result = run(capsys, "select", saved, "--method", "pairwise", "--apart", path)
        assert result == (2, "", f"specsel: {path}: {message}\n")

    def test_pairs_of_no_sample(self, capsys, write, saved):
        path = write("pairs.csv", "0,30\n")
        result = run(capsys, "select", saved, "--method", "pairwise", "--together", path)
        assert result == (2, "", "specsel: --together: holds sample 30; must be from 0 to 29\n")


@pytest.fixture(scope="module")
def chart():
    return topography.solve(X, 2, rounds=3, tradeoff=0.2)


class TestTopography:
    ARGUMENTS = ("--method", "topography", "-k", 2, "--rounds", 3, "--tradeoff", 0.2)

    def test_rounds_in_json_and_text(self, capsys, saved, chart):
        answer = run_json(capsys, saved, *self.ARGUMENTS)
        np.testing.assert_allclose(alpha_of(answer), chart.combined.alpha, atol=1e-10)
        selected = [[NAMES[i] for i in weights.select()] for weights in chart.weights]
        assert answer["rounds"] == [{"k": 2, "selected": names} for names in selected]
        assert answer["selected"] == [NAMES[i] for i in chart.select()]
        assert answer["n_iter"] == sum(weights.n_iter for weights in chart.weights)
        assert answer["n_passes"] == chart.n_passes
        code, out, err = run(capsys, "select", saved, *self.ARGUMENTS)
        assert (code, err) == (0, "")
        assert out.splitlines()[-4:-1] == [
            f"above the gap of round {i} alone, k = 2 directions: {', '.join(names)}"
            for i, names in enumerate(selected, 1)
        ]

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

    def test_every_round_must_converge(self, capsys, saved):
        code, out, _ = run(
            capsys, "select", saved, "--json", *self.ARGUMENTS, "--max-iter", 8, "--tol", 1e-9
        )
        assert (code, json.loads(out)["converged"]) == (1, False)


VALUES = {
    "k": 2, "target": "a", "side": "a.csv", "apart": "a.csv", "together": "a.csv", "tradeoff": 1,
    "representation": "parts", "kernel": "rbf", "rounds": 2, "features": 3, "neighbours": 3,
    "components": 3, "scale": "native", "init": "equal", "tol": 0.1, "max_iter": 9, "seed": 1,
}  # fmt: skip


@pytest.mark.parametrize("method", SELECTING)
def test_options_that_a_method_does_not_use_are_refused(capsys, method):
    assert {*VALUES} == {*common.OPTIONS["select"], "target"}
    for option, value in VALUES.items():
        if common.PARAMETER_OF_OPTION.get(option, option) not in parameters(method):
            flag = common.flag(option)
            result = run(capsys, "select", "--method", method, flag, value)
            hint = "; --drop leaves a column out" * (option == "target")
            message = f"specsel: {flag}: is not used by --method {method}{hint}\n"
            assert result == (2, "", message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("supervised", "--method supervised: needs --target"),
        ("side_info", "--method side_info: needs --side"),
        ("pairwise", "--method pairwise: needs --apart or --together"),
        ("weighting --tradeoff 2", "--tradeoff: needs --target with --method weighting"),
        ("weighting -k 2", "-k: needs --target with --method weighting"),
        ("weighting --target a -k auto", "-k auto: must be a number of discriminants for --met"),
        ("laplacian --representation centered", "--representation 'centered'"),
        ("topography --permutations 9", "--permutations: is for --method"),
        ("qalpha --permutations -1", "--permutations -1: must be at least 0"),
        ("qalpha --permutations 9 --shuffle", "leave --shuffle out"),
        ("kernel --permutations 9", "needs a number for -k"),
        ("side_info --side other.csv --out other.csv", "is a file to be read"),
        ("pairwise --apart other.csv --out other.csv", "is a file to be read"),
    ],
)
def test_calls_that_cannot_be_are_refused(capsys, saved, write, monkeypatch, arguments, message):
    monkeypatch.chdir(write("other.csv", "0,1\n").parent)
    result = run(capsys, "select", saved, "--method", *arguments.split())
    assert_refused(result, message)


class TestEvidence:
    def evidence(self, capsys, *arguments):
        return json.loads(run(capsys, "select", "--json", *arguments)[1])["evidence"]

    def last_line(self, capsys, *arguments):
        return run(capsys, "select", *arguments)[1].splitlines()[-1]

    def test_structure_and_noise(self, capsys, write):
        line = self.last_line(capsys, "-k", "3")
        assert line.startswith("more in common than chance: p = 0.05; objective 3.15")
        assert line.endswith("in 19 shuffles of the columns")
        noise = write("noise.npy", np.random.default_rng(3).standard_normal((40, 30)))
        assert self.last_line(capsys, noise, "-k", "2").startswith("no more in common than chance")

    def test_json_holds_what_python_returns(self, capsys):
        expected = evidence.solve(EXAMPLE.X, 3, n=25, random_state=4)
        shown = self.evidence(capsys, "-k", "3", "--permutations", "25", "--seed", "4")
        assert (shown["p_value"], shown["z"]) == (expected.p_value, expected.z)
        assert shown["null"] == expected.null.tolist()
        assert shown["beyond_chance"] == expected.beyond_chance.tolist()

    @pytest.mark.parametrize("method", ["supervised", "weighting", "kernel"])
    def test_methods_that_can_be_compared(self, capsys, method):
        k = ["-k", "2"] if method == "kernel" else []
        shown = self.evidence(capsys, "--method", method, *k, "--permutations", "3")
        assert len(shown["null"]) == 3
        assert shown["shuffled"] == ("labels" if method == "supervised" else "columns")

    def test_what_was_not_compared(self, capsys, write):
        line = "is this more than chance? compare the objective with that of --shuffle"
        assert self.last_line(capsys, "--method", "topography") == line
        assert self.evidence(capsys, "--method", "topography") is None
        assert self.evidence(capsys, "--permutations", "0") is None
        assert self.last_line(capsys, "--permutations", "0").endswith("--permutations 99 tells")
        large = write("large.npy", np.random.default_rng(0).standard_normal((300, 6000)))
        assert self.evidence(capsys, large, "-k", "3", "--max-iter", "30") is None
