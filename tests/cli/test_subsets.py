"""``specsel path`` and ``specsel stable`` give what the solvers give."""

import csv
import json

import numpy as np
import pytest
from commands import assert_refused, run, table
from scipy import sparse

from specsel import datasets, eslda, gslda, sbs
from specsel.cli import common, terminal

DATA = datasets.lda_problem(8, n_samples=60, n_relevant=3, random_state=1)
NAMES = [f"gene {i}" for i in range(8)]


class TestPath:
    @pytest.fixture
    def saved(self, write):
        columns = np.column_stack((DATA.X, DATA.y))
        return write("data.csv", table(columns, [*NAMES, "sick"]))

    def path(self, capsys, *arguments, code=0):
        found, out, err = run(capsys, "path", "--json", *arguments)
        assert (found, err) == (code, "")
        return json.loads(out)

    def test_it_is_that_of_the_solvers(self, capsys, saved):
        answer = self.path(capsys, saved, "--target", "sick")
        sizes = [answer[name] for name in ("n_samples", "n_features", "n_classes")]
        assert sizes == [60, 8, 2]
        greedy = gslda.solve(DATA.X, DATA.y)
        exact = eslda.solve(DATA.X, DATA.y, k="all")
        for row in answer["path"]:
            subset = exact[row["size"]]
            assert row["features"] == [NAMES[i] for i in subset.support]
            assert row["exact"] == pytest.approx(subset.value)
            assert row["bound"] == pytest.approx(subset.bound)
            assert row["greedy"] == pytest.approx(greedy[row["size"]].value)
            assert row["status"] == "optimal"
        assert len(answer["path"]) == 8

    def test_the_table_names_features_and_classes(self, capsys, saved):
        code, out, _ = run(capsys, "path", saved, "--target", "sick", "--max-size", 3)
        assert code == 0
        lines = out.splitlines()
        assert lines[0] == f"{saved}: 60 samples x 8 features"
        assert lines[1].startswith("sparse LDA of 2 classes, ")
        assert lines[3].split() == [
            "size",
            "greedy",
            "exact",
            "bound",
            "gap",
            "status",
            "features",
        ]
        assert len(lines) == 7
        assert "gene" in lines[4]
        code, out, _ = run(capsys, "path", "--max-size", 2)
        assert code == 0
        assert "built-in example" in out
        assert "signal_" in out

    def test_features_that_are_always_or_never_in_a_set(self, capsys, saved):
        options = ["--target", "sick", "--always", "gene 7,gene 2", "--never", "gene 0"]
        for row in self.path(capsys, saved, *options)["path"]:
            assert {"gene 7", "gene 2"} <= {*row["features"]}
            assert "gene 0" not in row["features"]

    def test_greedy_alone(self, capsys, saved, write):
        rows = self.path(capsys, saved, "--target", "sick", "--greedy")["path"]
        assert {row["status"] for row in rows} == {"greedy"}
        assert rows[0]["exact"] is None
        assert 0 <= rows[0]["lower"] <= rows[0]["greedy"] <= rows[0]["bound"]
        assert len(rows[0]["direction"]) == 1
        assert " - " in run(capsys, "path", saved, "--target", "sick", "--greedy")[1]
        many = datasets.lda_problem(301, n_samples=40, random_state=1)
        many = write("many.npy", np.column_stack((many.X, many.y)))
        options = ("--target", 301, "--direction", "forward", "--max-size", 2)
        code, _, err = run(capsys, "path", many, *options)
        message = "specsel: no search: it takes at most 300 features; --never leaves some out\n"
        assert (code, err) == (1, message)

    def test_many_features_without_labels(self, capsys, write):
        """A factor of five features is proved; of iid noise too much survives."""
        rng = np.random.default_rng(0)
        noise = rng.standard_normal((200, 310))
        paths = [write("noise.npy", noise)]
        noise[:, :5] += 9 * rng.standard_normal((200, 1))
        paths.append(write("factor.npy", noise))
        noise, factor = (
            [row["status"] for row in self.path(capsys, path, "--max-size", 5, code=code)["path"]]
            for path, code in zip(paths, (1, 0), strict=True)
        )
        assert factor == ["optimal"] * 5
        assert (noise[0], noise[-1]) == ("optimal", "features")

    def test_sizes_that_were_not_proved_in_time(self, capsys, write):
        hard = datasets.lda_problem(60, n_samples=80, correlation=0.9, noise=6.0)
        path = write("data.npy", np.column_stack((hard.X, hard.y)))
        options = ["--target", 60, "--max-size", 20, "--time-limit", 0]
        answer = self.path(capsys, path, *options, code=1)
        assert any(row["gap"] > 0 for row in answer["path"])

    def test_features_in_the_table_are_read_back(self, capsys, tmp_path):
        names = ["a, b", "c", 'd "e"']
        path, out = tmp_path / "data.csv", tmp_path / "out.csv"
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names)
            writer.writerows(np.random.default_rng(0).standard_normal((9, 3)).tolist())
        options = ["--never", 'd "e"', "--always", '"a, b"', "--always", "c", "--out", out]
        assert run(capsys, "path", path, *options)[0] == 0
        with open(out, newline="") as file:
            (row,) = csv.DictReader(file)
        assert common.listed([row["features"]]) == names[:2]

    def test_thresholding(self, capsys, saved):
        options = ("--target", "sick", "--threshold", "--max-size", 4)
        path = gslda.threshold(DATA.X, DATA.y, range(1, 5))
        for row in self.path(capsys, saved, *options)["path"]:
            assert row["greedy"] == pytest.approx(path[row["size"]].value)
            assert (row["exact"], row["status"]) == (None, "greedy")
        refused = run(capsys, "path", saved, *options, "--always", "gene 1")
        assert_refused(refused, "--always: is no option of --threshold")

    @pytest.mark.parametrize("criterion", ["leading", "trace", "logdet"])
    def test_the_criterion(self, capsys, saved, criterion):
        options = ("--target", "sick", "--criterion", criterion, "--max-size", 2)
        answer = self.path(capsys, saved, *options)
        best = eslda.solve(DATA.X, DATA.y, k=2, criterion=criterion)
        assert answer["criterion"] == criterion
        assert answer["path"][1]["exact"] == pytest.approx(best.value)


def counts():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 8)) + 2 * rng.standard_normal((150, 1))
    X[:, 6:] = rng.standard_t(1.5, (150, 2))
    return X.round(4)


X = counts()
WORDS = [f"word {i}" for i in range(8)]


class TestStable:
    OPTIONS = ("--target", "spam", "--matrix", "covariance", "--n-boot", 200)

    @pytest.fixture
    def saved(self, write):
        rows = [[*map(repr, row), "yes" if row[0] > 0 else "no"] for row in X.tolist()]
        return write("data.csv", "\n".join(map(",".join, [[*WORDS, "spam"], *rows])) + "\n")

    def solve(self, seed=0):
        return sbs.solve(X, matrix="covariance", retain=0.01, n_boot=200, random_state=seed)

    def test_the_search_is_that_of_the_solver(self, capsys, saved):
        options = (*self.OPTIONS, "--retain", 0.01, "--seed", 4, "--json")
        code, out, err = run(capsys, "stable", saved, *options)
        assert (code, err) == (0, "")
        answer = json.loads(out)
        expected = self.solve(4)
        assert expected.removed.size
        assert answer["kept"] == [WORDS[i] for i in expected.support]
        assert answer["removed"] == [WORDS[i] for i in expected.removed]
        assert (answer["k"], answer["converged"]) == (expected.k, True)
        assert answer["share"] == pytest.approx(expected.share)
        stable = {str(k): share for k, share in expected.stable.items()}
        assert answer["stable"] == pytest.approx(stable)
        assert answer["eigenvalues"] == pytest.approx(expected.eigenvalues)
        assert answer["n_decompositions"] + answer["n_skipped"] == len(expected.trace)
        for row, step in zip(answer["trace"], expected.trace, strict=True):
            removed = None if step.removed is None else WORDS[step.removed]
            assert (row["size"], row["removed"]) == (step.size, removed)
            assert (row["gap"], row["error"]) == pytest.approx((step.gap, step.error))

    def test_the_table_shows_every_size_and_the_outcome(self, capsys, saved):
        code, out, err = run(capsys, "stable", saved, *self.OPTIONS, "--retain", 0.01)
        assert (code, err) == (0, "")
        lines = out.splitlines()
        assert lines[0] == f"{saved}: 150 samples x 8 features"
        assert lines[1] == "covariance, 200 resamples, confidence 0.9, retain 0.01"
        assert lines[3].split() == ["left", "removed", "gap", "4", "|E|", "stable", "k", "(share)"]
        assert lines[4].split()[0] == "8"
        assert lines[5].startswith("     7  word ")
        assert "1 (" in lines[-5]
        rows = lines[4 : lines.index("", 4)]
        known = [step.stable is not None for step in self.solve().trace]
        assert [" <" not in line for line in rows] == known
        assert not all(known)
        assert lines[-3].startswith("k = 1 component of ")
        assert lines[-2].startswith("kept: word 0, word 1")
        assert lines[-1].startswith("removed: word ")

    def test_the_table_is_printed_as_it_goes(self, capsys, saved, monkeypatch):
        seen, eliminate = [], sbs.eliminate

        def ends(*arguments):
            subspace = eliminate(*arguments)
            seen.append("end")
            return subspace

        monkeypatch.setattr(terminal, "write", seen.append)
        monkeypatch.setattr(sbs, "eliminate", ends)
        run(capsys, "stable", saved, *self.OPTIONS, "--retain", 0.01)
        assert seen.index("end") == 3 + len(self.solve().trace)

    def test_what_retains_too_little(self, capsys, saved):
        code, out, _ = run(capsys, "stable", saved, *self.OPTIONS, "--retain", 0.99)
        assert code == 1
        nearest = "no stable subspace retains 99.0%; this one comes nearest:\nk = 1 component of"
        assert nearest in out

    @pytest.mark.parametrize("matrix", ["cosine", "covariance"])
    def test_nothing_but_zeros_is_refused(self, capsys, tmp_path, matrix):
        path = tmp_path / "data.npz"
        sparse.save_npz(path, sparse.csr_array(np.zeros((9, 4))))
        refused = run(capsys, "stable", path, "--matrix", matrix)
        assert_refused(refused, f"specsel: {path}: all 4 features are ")

    def test_nothing_stable(self, capsys, write):
        path = write("data.npy", np.random.default_rng(0).standard_normal((5, 8)))
        code, out, _ = run(capsys, "stable", path, "--matrix", "covariance")
        assert code == 1
        *_, verdict, hint = out.splitlines()
        assert verdict.startswith("no principal subspace is stable; ")
        assert hint == "more samples or a lower --confidence make the similarities more certain"
        code, out, _ = run(capsys, "stable", path, "--matrix", "covariance", "--json")
        assert (code, json.loads(out)["k"], json.loads(out)["kept"]) == (1, 0, [])

    def test_features_without_variation(self, capsys, write):
        path = write("data.npy", np.insert(X, 2, 0.0, axis=1))
        code, out, err = run(capsys, "stable", path, "--json", "--retain", 0.3)
        assert code == 0
        assert err == "specsel: warning: 1 of 9 features is zero and is left out\n"
        assert json.loads(out)["constant"] == ["2"]

    def test_eigenvectors_are_written(self, capsys, saved, tmp_path):
        out = tmp_path / "kept.csv"
        options = (*self.OPTIONS, "--retain", 0.01, "--out", out)
        assert run(capsys, "stable", saved, *options)[0] == 0
        expected = self.solve()
        with open(out, newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["feature"] for row in rows] == WORDS
        assert [row["kept"] for row in rows] == [str(i in expected.support) for i in range(8)]
        removed = [rows[i]["removed"] for i in expected.removed]
        assert removed == ["1", "2"][: len(expected.removed)]
        entries = [float(rows[i]["vector_1"]) for i in expected.support]
        np.testing.assert_allclose(entries, expected.vectors[:, 0])

    @pytest.mark.parametrize("seed", range(3))
    def test_the_built_in_example_finds_its_signals(self, capsys, seed):
        code, out, _ = run(capsys, "stable", "--seed", seed)
        assert code == 0
        lines = out.splitlines()
        assert lines[0] == "no FILE given, the built-in example: 90 samples x 40 features"
        assert lines[1] == "correlation, 1000 resamples, confidence 0.9, retain 0.1"
        kept = lines[-2].removeprefix("kept: ").split(", ")
        assert sorted(kept) == [f"signal_{i}" for i in range(1, 7)]

    def test_options_hold_for_the_example_as_well(self, capsys):
        options = ("--retain", 0.2, "--n-boot", "auto", "--matrix", "cosine", "--json")
        code, out, _ = run(capsys, "stable", *options)
        answer = json.loads(out)
        assert (code, answer["matrix"], answer["retain"], answer["k"]) == (0, "cosine", 0.2, 1)
        assert answer["n_boot"] > 100


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("path --max-size 0", "--max-size 0: must be from 1 to 40, the features allowed"),
        ("path --max-size 41", "--max-size 41: must be from 1 to 40, the features allowed"),
        ("path --never x", "--never: no feature is named 'x'"),
        ("path --direction forward", "--direction forward: is for greedy selection; add --greedy"),
        ("path --matrix covariance",
         "--matrix covariance: is for sparse PCA, without class labels"),
        ("path --never signal_1 --always signal_1",
         "--never: holds feature 'signal_1', as always does"),
        ("path --time-limit -1", "--time-limit -1.0: must be a finite number at least 0"),
        ("path --shrinkage -1", "--shrinkage -1.0: must be a finite number at least 0"),
        ("stable --seed -1", "--seed -1: must be at least 0"),
        ("stable --retain 1.5", "--retain 1.5: must be from 0 to 1"),
        ("stable --at-least 0", "--at-least 0: must be at least 1"),
        ("stable --n-boot 10", "--n-boot 10: must be from 100 to 1000000"),
        ("stable --confidence 2", "--confidence 2.0: must be between 0 and 1"),
    ],
)  # fmt: skip
def test_bad_options_are_refused_in_one_line(capsys, arguments, message):
    assert run(capsys, *arguments.split()) == (2, "", f"specsel: {message}\n")
