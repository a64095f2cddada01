"""Intervals, stable subspaces and estimates: errors, projections, tables, what they report."""

from typing import get_args

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.stats
from similarities import factors

from specsel import _validate, sbs
from specsel.results.estimates import Estimate, Mean

# The data here are for what a result says, whether it retains enough or not.
pytestmark = pytest.mark.filterwarnings("ignore:retain = ")


def test_errors_are_the_larger_distances_to_the_ends():
    found = sbs.solve(factors(), n_boot=200, random_state=0)
    ends = found.intervals
    expected = np.maximum(ends.upper - ends.A, ends.A - ends.lower)
    np.testing.assert_allclose(found.E, expected, atol=1e-12)
    assert found.A is ends.A


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("matrix", get_args(_validate.Similarity))
def test_samples_are_projected_as_the_features_were_compared(matrix, sparse):
    X = factors()
    passed = scipy.sparse.csr_array(X) if sparse else X
    found = sbs.solve(passed, matrix=matrix, retain=0.2, random_state=0)
    assert found.k > 0
    kept = X[:, found.support]
    if matrix == "cosine":
        kept = kept / np.linalg.norm(kept, axis=0)
    elif matrix != "inner":
        kept = kept - kept.mean(axis=0)
        if matrix == "correlation":
            kept = kept / kept.std(axis=0, ddof=1)
    scores = found.transform(passed)
    np.testing.assert_allclose(scores, kept @ found.vectors, atol=1e-10)
    size = 1 if matrix in ("cosine", "inner") else len(X) - 1
    variances = found.eigenvalues[: found.k]
    np.testing.assert_allclose(scores.T @ scores / size, np.diag(variances), atol=1e-9)
    np.testing.assert_allclose(found.transform(passed[:1]), scores[:1])


@pytest.mark.parametrize("matrix", ["covariance", "correlation"])
def test_sparse_samples_far_from_zero_are_projected_exactly(matrix):
    X = factors()
    X[:, ::2] += 1e7
    X[:, 1] *= X[:, 1] > 0
    passed = scipy.sparse.csr_array(X)
    found = sbs.solve(X, matrix=matrix, retain=0.3, random_state=0)
    assert found.k > 0
    assert len(np.unique(found.support % 2)) == 2
    for part in (passed, passed[:1]):
        expected = found.transform(part.toarray())
        np.testing.assert_allclose(found.transform(part), expected, atol=1e-10)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_samples_that_are_not_finite_are_refused(value):
    X = factors()
    found = sbs.solve(X, matrix="correlation", random_state=0)
    X[3, 2] = value
    for form in (np.array, scipy.sparse.csr_array):
        with pytest.raises(ValueError) as caught:
            found.transform(form(X))
        assert str(caught.value) == (
            "X: 1 value is NaN or infinite, first at sample 3, feature 2; "
            "finite numbers are needed"
        )


def test_one_feature_has_a_table():
    found = sbs.solve(factors()[:, :1], matrix="covariance", random_state=0)
    table = found.to_frame()
    assert len(table) == 0
    assert list(table) == ["size", "removed", "gap", "error", "stable", "decomposed"]
    assert len(found.intervals.to_frame()) == 1


def test_a_subspace_says_what_it_is():
    names = [f"sensor{i}" for i in range(14)]
    frame = pd.DataFrame(factors(), columns=names)
    found = sbs.solve(frame, matrix="correlation", random_state=0)
    assert repr(found).startswith("StableSubspace(k = 2 components of ")
    assert "sensor0, sensor1" in repr(found)
    assert repr(found).endswith("converged)")
    table = found.to_frame()
    assert table["size"].tolist() == [step.size for step in found.trace]
    assert table["removed"].tolist()[1:] == [names[i] for i in found.removed]
    assert table["decomposed"].sum() == found.n_decompositions
    with pytest.raises(ValueError, match="read-only"):
        found.vectors[0, 0] = 1
    with pytest.raises(ValueError, match="column 0 is 'x'; the intervals have 'sensor0' there"):
        found.transform(frame.rename(columns={"sensor0": "x"}))
    with pytest.raises(ValueError, match="X: has 3 features; the intervals are for 14"):
        found.transform(frame.to_numpy()[:, :3])


def test_intervals_say_what_they_are():
    frame = pd.DataFrame(factors()[:, :5], columns=list("abcde"))
    found = sbs.intervals(frame, n_boot=200, random_state=0)
    assert repr(found) == (
        "Intervals(cosine of 5 features, bca, confidence 0.9, 200 resamples of 400 samples)"
    )
    table = found.to_frame()
    assert table["feature"].tolist()[:5] == ["a"] * 5
    assert len(table) == 15
    assert (table["lower"] <= table["A"] + 1e-12).all()
    with pytest.raises(ValueError, match="read-only"):
        found.lower[0, 0] = 1


def test_intervals_are_those_of_wilson():
    exact = scipy.stats.binomtest(37, 100).proportion_ci(method="wilson")
    found = Estimate.of(np.arange(100) < 37)
    assert found == pytest.approx((0.37, exact.low, exact.high))
    for count in (1, 3, 10, 77):
        assert Estimate.of(np.zeros(count, bool)).low == 0.0
        assert Estimate.of(np.ones(count, bool)).high == 1.0


def test_the_mean_is_within_its_interval(rng):
    inside = 0
    for _ in range(400):
        found = Mean.of(3 + 2 * rng.standard_normal(200), 3)
        assert found.expected == 3
        inside += found.low < 3 < found.high
    assert 0.92 * 400 < inside < 0.98 * 400
