"""Results written back to the variables of AnnData; any object with `var` and `n_vars` will do."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from specsel import alignment, datasets, gslda, qalpha, topography
from specsel.results import annotate

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
