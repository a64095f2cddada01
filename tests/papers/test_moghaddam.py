"""Moghaddam et al. (ICML 2006), and tissues of both papers: what the experiments must show."""

import naive
import numpy as np
import pytest

from specsel import cli
from specsel.papers import discriminants, genes, ionosphere, monte_carlo, sonar


def ours(report):
    return {row.what: row.ours for row in report.rows}


def test_greedy_comes_near_the_optimum():
    found = ours(monte_carlo.run(pairs=60))
    for k in range(1, 17):
        assert found[f"greedy with swaps, {k} features"] >= 0.95
        assert found[f"greedy, {k} features"] >= 0.93
        assert found[f"thresholding, {k} features"] <= found[f"greedy, {k} features"] + 1e-9
    assert found["thresholding, 4 features"] < 0.9


@pytest.mark.parametrize(("experiment", "half", "every"), [(sonar, 30, 60), (ionosphere, 16, 33)])
def test_half_of_the_features_are_enough(experiment, half, every):
    found = ours(experiment.run(sizes=(half, every), trials=5))
    assert found[f"greedy, {half} features"] <= found[f"greedy, {every} features"] + 2


def test_the_discriminant_is_that_of_the_scatter(rng):
    y = np.arange(80) % 2
    X = rng.standard_normal((80, 6)) * np.arange(1, 7) + y[:, None] * [3, 0, 0, 4, 0, 0]
    M = np.sqrt(80) * naive.standardise(X)
    support = np.array([0, 3, 4])
    between, within = naive.class_scatter(X, y)
    S = np.ix_(support, support)
    within = within[S] + discriminants.RIDGE * np.trace(within[S]) / 3 * np.eye(3)
    d = M[support][:, y == 1].mean(axis=1) - M[support][:, y == 0].mean(axis=1)
    np.testing.assert_allclose(between[S], np.outer(d, d) / 4, atol=1e-12)
    scores = np.linalg.solve(within, d) @ M[support]
    expected = scores > (scores[y == 0].mean() + scores[y == 1].mean()) / 2
    np.testing.assert_array_equal(discriminants.predicted(X, y, X, support), expected)


def test_supports_have_the_sizes_that_are_asked_for(rng):
    X, y = rng.standard_normal((40, 8)), np.arange(40) % 2
    for supports in (*sonar.METHODS.values(), discriminants.forward):
        assert [len(support) for support in supports(X, y, (2, 5, 8))] == [2, 5, 8]


def small_tissues(rng):
    y = np.repeat(["sick", "well"], 10)
    X = rng.standard_normal((20, 60))
    X[:10, :5] += 3
    return X, y


def test_nested_errors_stand_before_biased_ones(rng):
    report = genes.run(data=small_tissues(rng), sizes=(2, 5))
    names = [row.what for row in report.rows]
    assert names[:5] == [
        "all genes", "√α weights", "50 genes by signal to noise",
        "greedy discriminant, genes: 2", "greedy discriminant, genes: 5",
    ]  # fmt: skip
    assert all(name.endswith("(biased)") for name in names[5:])
    assert ours(report)["√α weights"] <= ours(report)["all genes"]


def test_choosing_on_all_samples_finds_what_is_not_there(rng):
    noise = rng.standard_normal((24, 400)), np.arange(24) % 2
    found = ours(genes.run(data=noise, sizes=(5,)))
    nested = found["greedy discriminant, genes: 5"]
    assert nested > 6 > found["greedy discriminant, genes: 5" + genes.BIASED]


def test_leukemias_come_along():
    X, y = genes.leukemia()
    assert X.shape == (38, 5000)
    assert sorted(np.unique(y, return_counts=True)[1]) == [11, 27]
    assert X[0, 0] == pytest.approx(np.log(1080))


def test_genes_of_the_user(capsys, tmp_path, rng):
    X, y = small_tissues(rng)
    path = tmp_path / "tissues.csv"
    lines = [",".join([*(f"gene{i}" for i in range(60)), "state"])]
    lines += [",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    arguments = ["reproduce", "genes", "--data", str(path), "--target", "state", "--quick"]
    assert cli.main(arguments) == 0
    assert "Errors in 20 samples, 60 genes" in capsys.readouterr().out


def test_more_than_two_classes_are_refused(rng):
    with pytest.raises(ValueError, match="y: has 3 classes; 2 are needed"):
        genes.run(data=(rng.standard_normal((9, 4)), np.arange(9) % 3))
