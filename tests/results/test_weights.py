"""Ranking, selection, gap and reweighting."""

import dataclasses
import sys

import numpy as np
import pandas as pd
import pytest
from instances import weights_of
from oracles import weighing as oracle

from specsel import datasets, laplacian, linalg, qalpha


def test_ranking_puts_ties_in_order():
    assert weights_of([0.1, 0.5, 0.5, -0.2]).ranking.tolist() == [1, 2, 0, 3]


@pytest.mark.parametrize(
    ("alpha", "expected", "gap"),
    [
        ([0.9, 0.1, 0.8, 0.1], [0, 2], 8.5),
        ([0.5, 0.5, 0.5], [0, 1, 2], 1.0),
        ([0.6, 0.0, 0.0, -0.1], [0], np.inf),
        ([1.0], [0], 1.0),
        ([0.2, 0.9], [1], 4.5),
        ([0.6, 0.1, 0.0, -0.7], [0], 18.0),
    ],
)
def test_cut_at_the_gap(alpha, expected, gap):
    weights = weights_of(alpha)
    assert sorted(weights.select().tolist()) == expected
    assert weights.gap == pytest.approx(gap)


def test_cut_leaves_the_least_variance_within(rng):
    alpha = rng.random(40)
    ordered = np.sort(alpha)[::-1]
    within = [ordered[:i].var() * i + ordered[i:].var() * (40 - i) for i in range(1, 40)]
    assert len(weights_of(alpha).select()) == np.argmin(within) + 1


def test_cut_finds_the_number_of_relevant_features():
    found = []
    for seed in range(10):
        data = datasets.growing_classes(2, n_relevant=8, random_state=seed)
        chosen = qalpha.solve(data.X, 2).select()
        assert np.isin(chosen, data.relevant).all()
        found.append(len(chosen))
    assert np.mean(found) > 5


def test_select_by_number_and_by_threshold():
    weights = weights_of([0.1, 0.5, 0.4, -0.2])
    assert weights.select(3).tolist() == [1, 2, 0]
    assert weights.select(threshold=0.4).tolist() == [1, 2]
    assert weights.select(threshold=2.0).tolist() == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, "n = 0: must be from 1 to 4, the number of features"),
        ({"n": 5}, "n = 5: must be from 1 to 4, the number of features"),
        ({"n": 1.5}, "n = 1.5: must be a whole number from 1 to 4, the number of features"),
        ({"n": 1, "threshold": 0.5}, "n = 1, threshold = 0.5: give one of them, not both"),
        ({"threshold": float("nan")}, "threshold = nan: must be a finite number"),
        ({"threshold": "a"}, "threshold = 'a': must be a finite number"),
        ({"n": 1, "diverse": np.eye(3)}, "X: has 3 features; the weights are for 4"),
    ],
)
def test_bad_selections_are_refused(options, message):
    with pytest.raises(ValueError) as caught:
        weights_of([0.1, 0.5, 0.4, -0.2]).select(**options)
    assert str(caught.value) == message


def test_diverse_selection_skips_duplicates_and_spans(rng):
    base = rng.standard_normal((40, 6))
    X = np.repeat(base, 4, axis=1)
    weights = qalpha.solve(X, 3)
    top, diverse = weights.select(6), weights.select(6, diverse=X)
    assert len(np.unique(top // 4)) < 6
    assert len(np.unique(diverse // 4)) == 6
    M = oracle.standardise(X)
    span = np.linalg.qr(M[diverse].T)[0]
    np.testing.assert_allclose(span @ (span.T @ M.T), M.T, atol=1e-10)


def test_diverse_selection_starts_with_the_largest_weight(clustered):
    weights = qalpha.solve(clustered, 2)
    chosen = weights.select(5, diverse=clustered)
    assert chosen[0] == weights.ranking[0]
    columns = (np.sqrt(np.maximum(weights.alpha, 0))[:, None] * oracle.standardise(clustered)).T
    assert chosen.tolist() == oracle.pivoted(columns, 5)


def test_reweight_scales_by_the_root_of_the_weights(clustered):
    weights = qalpha.solve(clustered, 2)
    root = np.sqrt(np.maximum(weights.alpha, 0))
    expected = oracle.standardise(clustered).T * root
    np.testing.assert_allclose(weights.reweight(clustered), expected, atol=1e-12)
    fewer = weights.reweight(clustered[:3])
    np.testing.assert_allclose(fewer, expected[:3], atol=1e-12)
    np.testing.assert_allclose(weights.reweight(clustered[:1]), expected[:1], atol=1e-12)


def test_reweight_ignores_negative_weights_and_constant_features():
    weights = weights_of([0.25, -0.5, 0.81], mean=[1, 1, 5], norm=[2, 1, 0])
    np.testing.assert_allclose(weights.reweight([[3.0, 9.0, 5.0]]), [[0.5, 0, 0]])
    with pytest.raises(ValueError, match="X: has 2 features; the weights are for 3"):
        weights.reweight([[1.0, 2.0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_reweight_refuses_what_is_not_finite_even_where_it_weighs_nothing(bad):
    weights = weights_of([0.25, -0.5, 0.81], mean=[1, 1, 5], norm=[2, 1, 0])
    for feature in range(3):
        X = np.ones((2, 3))
        X[1, feature] = bad
        message = rf"^X: 1 value is NaN or infinite, first at sample 1, feature {feature};"
        with pytest.raises(ValueError, match=message):
            weights.reweight(X)


def test_reweighted_components_separate_what_plain_ones_do_not():
    """Algorithm 1: Q-α with exact eigenvectors, then PCA of the weighted data."""
    data = datasets.two_gaussians(spread=8.0, random_state=0)
    weighted = qalpha.solve(data.X, 2, method="basic").reweight(data.X)

    def separation(Z):
        Z = Z - Z.mean(axis=0)
        first = np.linalg.svd(Z, full_matrices=False)[0][:, 0]
        return abs(np.corrcoef(first, data.y)[0, 1])

    plain = oracle.standardise(data.X).T
    assert separation(weighted) > 0.9
    assert separation(weighted) > separation(plain)


def test_columns_in_another_order_are_refused(rng):
    frame = pd.DataFrame(rng.standard_normal((20, 4)), columns=list("abcd"))
    weights = qalpha.solve(frame, 1)
    message = "X: column 1 is 'c'; the weights have 'b' there"
    for use in (weights.reweight, lambda X: weights.select(2, diverse=X)):
        with pytest.raises(ValueError) as caught:
            use(frame[list("acbd")])
        assert str(caught.value) == message
        use(frame.to_numpy())


def test_diverse_selection_centres_as_the_weights_did(rng):
    X = rng.random((20, 8)) + 1
    weights = qalpha.solve(X, 2, center=False)
    root = np.sqrt(np.maximum(weights.alpha, 0))[:, None]
    columns = (root * oracle.standardise(X, center=False)).T
    assert weights.select(4, diverse=X).tolist() == oracle.pivoted(columns, 4)


def test_negative_share():
    assert weights_of([0.6, -0.2, 0.2]).negative_share == pytest.approx(0.2)
    assert weights_of([0.6, 0.2]).negative_share == 0


def test_result_is_frozen():
    weights = weights_of([0.1, 0.2])
    with pytest.raises(dataclasses.FrozenInstanceError):
        weights.objective = 2
    with pytest.raises(ValueError, match="read-only"):
        weights.alpha[0] = 1


def test_repr_is_one_informative_line(clustered):
    text = repr(qalpha.solve(clustered, 2))
    assert "\n" not in text
    for part in (
        "30 features",
        "above a gap of",
        "objective",
        "k = 2 directions",
        "X read",
        "converged",
    ):
        assert part in text


def test_table_of_the_features(rng):
    frame = pd.DataFrame(rng.standard_normal((20, 4)), columns=list("abcd"))
    weights = qalpha.solve(frame, 1)
    table = weights.to_frame()
    assert table["feature"].tolist() == [frame.columns[i] for i in weights.ranking]
    np.testing.assert_array_equal(table["weight"], weights.alpha[weights.ranking])
    assert table["selected"].sum() == len(weights.select())
    assert table.index.tolist() == [1, 2, 3, 4]
    plain = qalpha.solve(frame.to_numpy(), 1).to_frame()
    assert plain["feature"].tolist() == weights.ranking.tolist()


def test_table_without_pandas_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"^to_frame needs pandas: pip install pandas$"):
        weights_of([0.1, 0.2]).to_frame()


def test_labels_are_clusters_of_the_basis_or_of_reweighted_samples():
    data = datasets.growing_classes(3, random_state=1)
    weights = qalpha.solve(data.X, k=3)
    for labels in (weights.labels(), weights.labels(data.X), weights.labels(k=3)):
        assert len({*zip(labels.tolist(), data.y.tolist(), strict=True)}) == 3
    assert set(weights.labels(k=2).tolist()) == {0, 1}
    assert weights.labels(data.X[:7], k=3).shape == (7,)


@pytest.mark.parametrize("k", [0, 61, 1.5])
def test_labels_refuse_a_number_of_clusters(k):
    weights = qalpha.solve(datasets.growing_classes(3, random_state=1).X, k=3)
    with pytest.raises(ValueError, match=f"k = {k}: must be"):
        weights.labels(k=k)


@pytest.mark.parametrize("shape", [(30, 200), (40, 20), (200, 20)])
@pytest.mark.parametrize("center", [True, False])
def test_a_spectrum_is_that_of_the_affinity(rng, shape, center):
    X = rng.standard_normal(shape) + 3.0
    weights = qalpha.solve(X, k=2, center=center)
    M = X - X.mean(axis=0) if center else X
    M = M / np.linalg.norm(M, axis=0)
    affinity = np.linalg.eigvalsh((M * weights.alpha) @ M.T)[::-1]
    spectrum = weights.spectrum(X)
    np.testing.assert_allclose(spectrum, affinity[:12], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(spectrum[:2], weights.eigenvalues, rtol=1e-4)
    assert len(weights.spectrum(X, beyond=0)) == 2
    rank = min(shape[0] - center, shape[1])
    assert len(weights.spectrum(X, beyond=999)) == rank


def test_a_spectrum_where_the_affinity_is_not_formed(rng, monkeypatch):
    monkeypatch.setattr(linalg, "DENSE_LIMIT", 10)
    X = rng.standard_normal((120, 200)) * np.geomspace(1, 5, 120)[:, None]
    weights = qalpha.solve(X, k=2)
    M = X - X.mean(axis=0)
    M /= np.linalg.norm(M, axis=0)
    affinity = np.linalg.eigvalsh((M * weights.alpha) @ M.T)[::-1]
    spectrum = weights.spectrum(X)
    assert (spectrum[:2] >= weights.eigenvalues * (1 - 1e-12)).all()
    np.testing.assert_allclose(spectrum[:2], affinity[:2], rtol=1e-6)
    np.testing.assert_allclose(spectrum, affinity[:12], rtol=0.05)
    assert (spectrum <= affinity[:12] * (1 + 1e-9)).all()


def test_a_spectrum_refuses_other_data(rng):
    data = datasets.growing_classes(3, random_state=1)
    weights = qalpha.solve(data.X, k=2)
    with pytest.raises(ValueError, match=r"^X: has 59 samples; the weights are for 60$"):
        weights.spectrum(data.X[1:])
    with pytest.raises(ValueError, match=r"^X: the affinity of these samples has other eigenval"):
        weights.spectrum(rng.permuted(data.X, axis=0))
    with pytest.raises(ValueError, match=r"^X: the affinity of these samples has other eigenval"):
        laplacian.solve(data.X, k=2).spectrum(data.X)
    with pytest.raises(ValueError, match=r"^beyond = -1: must be"):
        weights.spectrum(data.X, beyond=-1)
