"""``specsel select`` gives what the solvers give; options, output and pictures."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
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

from specsel import (
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
from specsel._methods import METHODS, parameters
from specsel.cli import common

SELECTING = [name for name, row in METHODS.items() if row.command == "select"]


class TestExample:
    def test_ranks_the_relevant_features_first(self, capsys):
        answer = run_json(capsys)
        first = [row["index"] for row in answer["ranking"][: EXAMPLE.relevant.size]]
        assert sorted(first) == EXAMPLE.relevant.tolist()
        assert answer["selected"]
        assert all(name.startswith("signal_") for name in answer["selected"])


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
            "k_found",
            "objective",
            "gap",
            "selected",
            "n_iter",
            "n_passes",
            "converged",
            "evidence",
            "seconds",
            "ranking",
        ]
        assert (answer["data"], answer["method"]) == (str(saved), "qalpha")
        assert (answer["n_samples"], answer["n_features"], answer["k"]) == (*X.shape, 2)
        assert answer["k_found"] is False
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

    def test_a_line_counts_the_features_above_the_gap(self, capsys):
        weights = qalpha.solve(EXAMPLE.X, "auto")
        last = run(capsys, "select")[1].splitlines()[-2]
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
        assert "no gap" in out.splitlines()[-2]
        assert "─" not in out

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


class TestHelp:
    def test_help_gives_the_methods_of_an_option_and_their_defaults(self, capsys):
        text = " ".join(run(capsys, "select", "--help")[1].split())
        assert "default 0.1 for side_info; 1 for pairwise, weighting (side_info, topog" in text
        assert "nearest samples of each; default 5 (alignment)" in text


class TestSeed:
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
            "specsel: --target species: 1 label is missing, first of sample 0; "
            "every sample needs one\n",
        )

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
        assert_refused(result, ": has shape (3, 0); it must not be empty")


class TestShuffle:
    @pytest.mark.parametrize("suffix", [".csv", ".npy"])
    def test_columns_keep_their_values_and_lose_their_structure(self, capsys, write, suffix):
        path = write(f"data{suffix}", X if suffix == ".npy" else table(X))
        code, out, err = run(capsys, "select", path, "--shuffle")
        assert code == 0
        assert 'k = "auto": found no clusters' in err
        assert out.splitlines()[0].endswith(", columns shuffled: 30 samples x 12 features")
        _, out, _ = run(capsys, "select", "--json", path, "--shuffle", "--seed", 3)
        answer = json.loads(out)
        shuffled = np.random.default_rng(3).permuted(X, axis=0)
        with pytest.warns(UserWarning, match="found no clusters"):
            expected = qalpha.solve(shuffled, "auto", random_state=3)
        np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
        np.testing.assert_array_equal(np.sort(shuffled, axis=0), np.sort(X, axis=0))
        assert answer["objective"] < 0.5 * qalpha.solve(X, "auto").objective

    def test_a_faint_cut_is_said_to_be_no_clear_one(self, capsys, write):
        almost = 1 + 0.3 * np.random.default_rng(0).standard_normal((30, 6))
        path = write("data.csv", table(almost + 5 * np.arange(30)[:, None]))
        code, out, _ = run(capsys, "select", path, "-k", 1)
        assert code == 0
        assert out.splitlines()[-2].endswith(" times that of the rest; no clear cut")


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

    @pytest.mark.parametrize(
        "method",
        [m for m in SELECTING if {"k", "random_state"} <= parameters(m).keys()],
    )
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
        several = "s" * (answer["k"] != 1)
        told = f"k = {answer['k']} direction{several}" if answer["k"] else "k of every round"
        assert answer["k_found"] is True
        out = run(capsys, "select", *arguments)[1]
        assert f"{method}, {told}, found by itself (-k sets it): objective" in out

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
        assert result == (2, "", "specsel: --side: has 5 features; X has 12\n")
        swapped = write("side.csv", table(X, NAMES[::-1]))
        result = run(capsys, "select", saved, "--method", "side_info", "--side", swapped)
        assert_refused(result, "--side: has other column names than X, or in another order")

    def test_side_may_lack_the_columns_that_are_no_features(self, capsys, write, rng):
        side = rng.standard_normal((9, X.shape[1]))
        rows = [["who", *NAMES], *[[f"s{i}", *row] for i, row in enumerate(X.tolist())]]
        path = write("data.csv", "\n".join(",".join(map(str, row)) for row in rows))
        expected = side_info.solve(X, [side], "auto").alpha
        for option in ("--drop", "--index"):
            arguments = ("--side", write("side.csv", table(side, NAMES)), option, "who")
            answer = run_json(capsys, path, "--method", "side_info", *arguments)
            np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

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
        assert out.splitlines()[-4:-1] == [
            f"above the gap of round {i} alone, k = 2 directions: {names}"
            for i, names in enumerate(rounds, 1)
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
    @pytest.mark.parametrize("method", SELECTING)
    def test_what_a_method_does_not_use_is_refused(self, capsys, method):
        for option, value in VALUES.items():
            name = common.PARAMETER_OF_OPTION.get(option, option)
            if name not in parameters(method):
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
            (["--method", "weighting", "-k", 2], "-k: needs --target with --method weighting"),
        ],
    )
    def test_what_a_method_needs(self, capsys, saved, arguments, message):
        result = run(capsys, "select", saved, *arguments)
        assert result == (2, "", f"specsel: {message}\n")

    def test_weighting_for_discriminants_takes_their_number(self, capsys, write):
        table = datasets.growing_classes(3, random_state=1)
        names = [f"x{i}" for i in range(table.X.shape[1])]
        lines = [",".join(["kind", *names])]
        lines += [
            f"c{kind}," + ",".join(map(str, row))
            for kind, row in zip(table.y, table.X, strict=True)
        ]
        path = write("data.csv", "\n".join(lines))
        arguments = ("select", path, "--method", "weighting", "--target", "kind")
        out = run(capsys, *arguments, "-k", 2, "--json")[1]
        found = json.loads(out)
        expected = weighting.solve(table.X, table.y, k=2)
        assert found["k"] == 2
        assert found["objective"] == pytest.approx(expected.objective, rel=1e-6)
        result = run(capsys, *arguments, "-k", "auto")
        message = "-k auto: must be a number of discriminants for --method weighting"
        assert result == (2, "", f"specsel: {message}\n")

    @pytest.mark.parametrize("option", ["side", "apart"])
    def test_out_does_not_overwrite_what_is_read_besides(self, capsys, saved, write, option):
        path = write("other.csv", "0,1\n")
        method = {"side": "side_info", "apart": "pairwise"}[option]
        arguments = (saved, "--method", method, f"--{option}", path, "--out", path)
        assert_refused(run(capsys, "select", *arguments), "is a file to be read")

    def test_representation_that_the_method_does_not_know(self, capsys, saved):
        arguments = ("--method", "laplacian", "--representation", "centered")
        assert_refused(run(capsys, "select", saved, *arguments), "--representation 'centered'")


def test_picture_in_the_readme_is_what_is_printed(capsys):
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    picture = readme.split("```text\n")[1].split("\n```")[0]
    _, out, _ = run(capsys, "select", "--top", "9")
    assert picture in out


@pytest.mark.parametrize("options", [("-k", "2"), ("--method", "weighting")])
def test_progress_tells_every_pass_over_the_data(capsys, monkeypatch, options):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    found = run_json(capsys, *options, "--permutations", "0")
    last = [line.strip() for line in screen.getvalue().split("\r") if "pass " in line][-1]
    assert last.endswith(f"pass {found['n_passes']} over the data")
    assert last.startswith("iteration ") == ("-k" in options)
