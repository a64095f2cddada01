"""Weights, maps and aligned features: selection, reweighting, clusters, what goes to AnnData."""

import dataclasses
import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.linalg
from instances import weights_of
from oracles import weighing as oracle

from specsel import alignment, datasets, gslda, laplacian, qalpha, topography
from specsel.results import Map, annotate


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
    chart = Map((weights,), np.zeros((2, 1, 2)), 9)
    for array in (weights.alpha, chart.coordinates, alignment.solve(X, n=2).scores):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


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


def test_a_spectrum_where_the_affinity_is_not_formed(rng):
    """More than 2,000 samples and features: leading eigenvalues are exact, others from below."""
    X = rng.standard_normal((2001, 2002)) * np.geomspace(1, 5, 2001)[:, None]
    weights = qalpha.solve(X, k=2, tol=1e-3)
    M = X - X.mean(axis=0)
    M /= np.linalg.norm(M, axis=0)
    affinity = scipy.linalg.eigvalsh((M * weights.alpha) @ M.T, subset_by_index=[1989, 2000])[::-1]
    spectrum = weights.spectrum(X)
    assert (spectrum[:2] >= weights.eigenvalues * (1 - 1e-12)).all()
    np.testing.assert_allclose(spectrum[:2], affinity[:2], rtol=1e-4)
    np.testing.assert_allclose(spectrum, affinity, rtol=0.1)
    assert (spectrum <= affinity * (1 + 1e-9)).all()


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


def cost(points, labels):
    parts = [points[labels == c] for c in np.unique(labels)]
    return sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts)


def labels_of(points, k):
    return weights_of([1.0], basis=points).labels(k=k)


def test_clusters_that_are_apart_are_found_and_numbered_by_their_first_member(rng):
    y = np.repeat([0, 1, 2, 3], [40, 10, 25, 5])
    points = rng.standard_normal((80, 3)) + 12 * rng.standard_normal((4, 3))[y]
    order = rng.permutation(80)
    labels = labels_of(points[order], 4)
    assert len({*zip(y[order].tolist(), labels.tolist(), strict=True)}) == 4
    _, first = np.unique(labels, return_index=True)
    assert labels[0] == 0
    assert (np.diff(first) > 0).all()
    np.testing.assert_array_equal(labels, labels_of(points[order], 4))


def test_few_points_are_clustered_as_well_as_can_be(rng):
    for _ in range(10):
        points = rng.standard_normal((7, 2))
        splits = (np.array(labels) for labels in itertools.product(range(3), repeat=7))
        best = min(cost(points, labels) for labels in splits)
        assert cost(points, labels_of(points, 3)) == pytest.approx(best, rel=1e-9)


def test_every_point_is_in_the_cluster_of_the_nearest_mean(rng):
    points = rng.standard_normal((500, 3))
    labels = labels_of(points, 4)
    centres = np.array([points[labels == c].mean(axis=0) for c in range(4)])
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(labels, nearest)


def test_equal_points_and_as_many_clusters_as_points():
    assert labels_of(np.zeros((5, 2)), 2).max() <= 1
    assert sorted(labels_of(np.arange(4.0)[:, None], 4).tolist()) == [0, 1, 2, 3]


def unit(*alpha):
    return np.array(alpha) / np.linalg.norm(alpha)


def chart_of(*rounds, **changes):
    weights = tuple(weights_of(alpha, **changes) for alpha in rounds)
    return Map(weights, np.zeros((len(rounds[0]), len(rounds), 2)), 9)


def test_relevances_hold_one_column_for_every_round():
    rounds = unit(1, 2, 0), unit(0, 1, 1)
    np.testing.assert_array_equal(chart_of(*rounds).relevances, np.column_stack(rounds))


def test_combined_weights_have_unit_norm_and_the_counts_of_all_rounds():
    chart = chart_of(unit(1, 0, 0, 0), unit(0, 1, 0, 0), n_iter=4)
    combined = chart.combined
    np.testing.assert_allclose(combined.alpha, unit(1, 1, 0, 0))
    assert (combined.n_iter, combined.n_passes, combined.converged) == (8, 9, True)


def test_combined_weights_converged_if_all_rounds_did():
    found = weights_of(unit(1, 0)), weights_of(unit(0, 1), converged=False)
    assert not Map(found, np.zeros((2, 2, 2)), 3).combined.converged


def test_selection_is_by_the_combined_weights():
    chart = chart_of(unit(4, 1, 0, 0), unit(0, 1, 4, 0))
    assert sorted(chart.select().tolist()) == [0, 2]
    assert chart.select(3).tolist() == [0, 2, 1]
    assert chart.select(threshold=0.1).tolist() == [0, 2, 1]


def test_repr_counts_features_and_rounds():
    text = "Map(3 features, 1 round, 1 above the gap)"
    assert repr(chart_of(unit(1, 0, 0))) == text
    text = "Map(3 features, 2 rounds, 1, 2 above the gap)"
    assert repr(chart_of(unit(1, 0, 0), unit(0, 1, 1))) == text


@pytest.mark.parametrize(("names", "expected"), [(None, [0, 1]), (("a", "b"), ["a", "b"])])
def test_table_names_the_features(names, expected):
    table = chart_of(unit(1, 0), unit(0, 1), names=names).to_frame()
    assert table["feature"].tolist() == expected
    assert table["relevance_2"].tolist() == [0, 1]
    assert table["position_1"].tolist() == [0, 0]


X = datasets.growing_classes(3, random_state=1).X


def annotated(found, *options, n_vars=X.shape[1]):
    adata = SimpleNamespace(var={}, n_vars=n_vars)
    annotate(adata, found, *options)
    return [adata.var[f"specsel_{name}"] for name in ("score", "rank", "selected")]


def test_weights_and_maps():
    found = qalpha.solve(X, 3)
    scores, ranks, selected = annotated(found)
    np.testing.assert_array_equal(scores, found.alpha)
    np.testing.assert_array_equal(np.argsort(ranks), found.ranking)
    np.testing.assert_array_equal(np.flatnonzero(selected), np.sort(found.select()))
    assert annotated(found, 3)[2].sum() == 3
    chart = topography.solve(X, 2)
    np.testing.assert_array_equal(annotated(chart)[0], chart.combined.alpha)


def test_aligned_features_and_subsets():
    found = alignment.solve(X, n=4)
    scores, ranks, selected = annotated(found)
    np.testing.assert_array_equal(scores, found.relevance)
    assert ranks[found.ranking].tolist() == [1, 2, 3, 4]
    assert np.flatnonzero(selected).tolist() == found.support.tolist()
    assert np.flatnonzero(annotated(found, 2)[2]).tolist() == sorted(found.ranking[:2].tolist())
    subset = gslda.solve(X, np.arange(len(X)) % 2, max_size=3)[3]
    _, ranks, selected = annotated(subset)
    assert np.flatnonzero(selected).tolist() == subset.support.tolist()
    assert sorted(ranks[subset.support].tolist()) == [1, 2, 3]
    with pytest.raises(ValueError, match=r"^n = 2: the result is a set of 3 features$"):
        annotated(subset, 2)


def test_other_results_and_other_data_are_refused():
    with pytest.raises(ValueError, match=r"^found: is of type list; Weights, Map, Aligned or S"):
        annotated([1, 2])
    with pytest.raises(ValueError, match=r"^adata: has 7 variables; the result is for"):
        annotated(qalpha.solve(X, 3), n_vars=7)


def test_names_must_agree():
    named = qalpha.solve(pd.DataFrame(X, columns=[f"g{i}" for i in range(X.shape[1])]), 3)
    adata = SimpleNamespace(var={}, n_vars=X.shape[1], var_names=list(named.names))
    annotate(adata, named)
    annotate(adata, qalpha.solve(X, 3))  # without names
    chart = topography.solve(pd.DataFrame(X, columns=named.names), 2)
    adata = SimpleNamespace(var={}, n_vars=X.shape[1], var_names=list(named.names[::-1]))
    for found in (named, chart):
        with pytest.raises(
            ValueError, match=r"^adata: variable 0 is 'g\d+'; the result has 'g0' th"
        ):
            annotate(adata, found)
    assert adata.var == {}


def test_frames_and_paths_are_refused():
    found = qalpha.solve(X, 3)
    with pytest.raises(
        ValueError, match=r"^adata: is of type DataFrame; an AnnData object is need"
    ):
        annotate(pd.DataFrame(X), found)
    path = gslda.solve(X, np.arange(len(X)) % 2, max_size=3)
    with pytest.raises(ValueError, match=r"^found: is a path of sizes 1 to 3; pass path\[k\]$"):
        annotated(path)
