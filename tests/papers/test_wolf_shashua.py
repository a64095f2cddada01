"""Wolf and Shashua (JMLR 2005): what its experiments must show."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, pearsonr

from specsel.papers import bendor, classes, kernel, positivity, rankings, sparsity, weston


def ours(report):
    return {row.what: row.ours for row in report.rows}


def test_labels_halve_the_error_of_all_features():
    found = ours(weston.run(sizes=(50,), runs=10, problems=("linear",)))
    every = found["linear, 50 samples, all features"]
    assert found["linear, 50 samples, Q-α with labels"] < every / 2
    assert found["linear, 50 samples, Q-α without labels"] < every


def test_the_non_linear_problem_needs_few_features():
    found = ours(weston.run(sizes=(100,), runs=3, problems=("non-linear",)))
    assert found["non-linear, 100 samples, Q-α with labels"] < 0.1
    assert found["non-linear, 100 samples, all features"] > 0.4


def test_the_gap_is_wide_up_to_six_classes():
    found = ours(classes.run(classes=(2, 4, 6), runs=8))
    for n in (2, 4, 6):
        assert found[f"{n} classes, k = n"] >= 5


def test_leading_eigenvectors_are_positive_from_25_on():
    found = ours(positivity.run(first_sizes=(10, 25), second_sizes=(500,), trials=500))
    assert found["μ = 1/6, σ = √2/6, n = 25"] > 0.98
    assert found["μ = 1/6, σ = √2/6, n = 10"] < 0.9
    assert found["μ = .1, σ = 1, n = 500"] < 0.05


def test_weights_are_positive_and_concentrated():
    found = ours(sparsity.run(runs=3))
    for name in sparsity.DATA:
        assert found[f"{name}: share of Σ|α| that is negative"] == pytest.approx(0, abs=1e-6)
        assert found[f"{name}: trace over that of equal weights"] < 0.7
    assert found["linear problem: share of Σα² in six features"] > 0.7


def test_a_kernel_sees_through_random_signs():
    found = ours(kernel.run(variances=(0.001,), runs=40))
    assert found["kernel, signs last, variance from 0.001"] >= 0.65
    assert found["kernel, signs before permuting, variance from 0.001"] == 1
    assert found["squared data, signs last, variance from 0.001"] == 1
    assert found["plain, signs last, variance from 0.001"] == 0


def test_relevant_genes_weigh_most():
    found = ours(bendor.run(varied={"e": (0.95,), "d": (1.0,)}, runs=2))
    for setting in ("base", "e = 0.95", "d = 1"):
        assert found[f"{setting}: mean weight, relevant over irrelevant"] >= 10
        assert found[f"{setting}: share right of the top five"] == 1


def test_filters_are_what_they_are_called(rng):
    X = np.round(rng.standard_normal((31, 5)), 1)  # with ties
    y = rng.integers(0, 2, 31)
    X[:, 0] += y
    for i, score in enumerate(rankings.pearson(X, y)):
        assert score == pytest.approx(abs(pearsonr(X[:, i], y)[0]))
    for i, score in enumerate(rankings.kolmogorov_smirnov(X, y)):
        assert score == pytest.approx(ks_2samp(X[y == 0, i], X[y == 1, i]).statistic)
    r = rankings.pearson(X, y)
    np.testing.assert_allclose(rankings.fisher(X, y), r**2 / (1 - r**2))
    assert rankings.best(rankings.fisher(X, y), 2)[0] == 0
