"""The filters, the wrappers around support vector machines, and the clusters of gene shaving."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, pearsonr
from sklearn.feature_selection import RFE
from sklearn.svm import SVC

from specsel import datasets
from specsel.papers import selectors
from specsel.papers.sources import standardised

KERNELS = [selectors.linear, selectors.quadratic]


def test_filters_are_what_they_are_called(rng):
    X = np.round(rng.standard_normal((31, 5)), 1)  # with ties
    y = rng.integers(0, 2, 31)
    X[:, 0] += y
    for i, score in enumerate(selectors.pearson(X, y)):
        assert score == pytest.approx(abs(pearsonr(X[:, i], y)[0]))
    for i, score in enumerate(selectors.kolmogorov_smirnov(X, y)):
        assert score == pytest.approx(ks_2samp(X[y == 0, i], X[y == 1, i]).statistic)
    r = selectors.pearson(X, y)
    np.testing.assert_allclose(selectors.variance_ratio(X, y), r**2 / (1 - r**2))
    one, other = X[y == 0], X[y == 1]
    literal = [
        abs(a.mean() - b.mean()) / (a.var() + b.var()) for a, b in zip(one.T, other.T, strict=True)
    ]
    np.testing.assert_allclose(selectors.fisher(X, y), literal)
    assert selectors.best(selectors.fisher(X, y), 2)[0] == 0


def two_classes(rng, n_features=16):
    y = np.arange(40) % 2
    X = rng.standard_normal((40, n_features))
    X[:, [1, 3]] += 3 * y[:, None]
    return standardised(X), y


@pytest.mark.parametrize("choose", [selectors.eliminated, selectors.bounded])
def test_wrappers_find_the_features_that_tell_classes_apart(choose):
    linear = datasets.weston_linear(100)
    found = choose(standardised(linear.X), linear.y, 6, selectors.linear)
    assert (found < 6).sum() >= 4
    twisted = datasets.weston_nonlinear(100)
    assert choose(standardised(twisted.X), twisted.y, 2, selectors.quadratic).tolist() == [0, 1]


def test_elimination_is_that_of_scikit_learn(rng, monkeypatch):
    Z, y = two_classes(rng)
    monkeypatch.setattr(selectors, "RIDGE", 1e-12)  # a hard margin, as with a large C
    halving = RFE(SVC(kernel="linear", C=1e6), n_features_to_select=4, step=0.5).fit(Z, y)
    ours = selectors.eliminated(Z, y, 4, selectors.linear)
    assert ours.tolist() == np.flatnonzero(halving.support_).tolist()


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_gradient_of_the_bound_is_its_derivative(kernel, rng, monkeypatch):
    monkeypatch.setattr(selectors, "ROUNDS", 50_000)
    Z, y = two_classes(rng, 5)
    _, gradient = selectors.bound(Z, y, kernel)
    step = 1e-3
    for i in range(5):
        up, down = Z.copy(), Z.copy()
        up[:, i] *= 1 + step
        down[:, i] *= 1 - step
        rise = selectors.bound(up, y, kernel)[0] - selectors.bound(down, y, kernel)[0]
        assert gradient[i] == pytest.approx(rise / (2 * step), rel=0.05, abs=0.02)


def test_the_smallest_ball_around_two_points():
    values = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.25]])  # -1, 1 and (0, ½)
    np.testing.assert_allclose(selectors._center(values), [0.5, 0.5, 0], atol=0.01)


def test_shaving_finds_planted_clusters_one_after_another(rng):
    Z = rng.standard_normal((60, 80))
    for columns in (slice(0, 10), slice(10, 25)):
        Z[:, columns] = rng.standard_normal((60, 1)) + 0.3 * Z[:, columns]
    Z[:, 3] *= -1
    found = selectors.clusters(standardised(Z), 2)
    (first, signs), (second, _) = sorted(found, key=lambda cluster: cluster[0][0])
    assert len(first) >= 8
    assert first.max() < 10
    assert len(second) >= 12
    assert second.min() >= 10
    assert second.max() < 25
    assert (signs[first != 3] == -signs[first == 3]).all()
