"""What users write. mypy must accept every line; nothing here runs."""

from typing import assert_type

import numpy as np
import polars as pl
from numpy.typing import NDArray

import specsel
from specsel import (
    Path,
    StableSubspace,
    Subset,
    Weights,
    datasets,
    eslda,
    gslda,
    kernel,
    pairwise,
    qalpha,
    sbs,
    side_info,
    supervised,
    topography,
    weighting,
)

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


def weigh(X: NDArray[np.float32], y: list[str], pairs: NDArray[np.int64]) -> None:
    weights = qalpha.solve(X, 3)
    assert_type(weights, Weights)
    assert_type(weights.alpha, Floats)
    assert_type(weights.basis, Floats)
    assert_type(weights.objective, float)
    assert_type(weights.gap, float)
    assert_type(weights.converged, bool)
    assert_type(weights.names, tuple[str, ...] | None)
    assert_type(weights.ranking, Indices)
    assert_type(weights.select(), Indices)
    assert_type(weights.select(2, diverse=X), Indices)
    qalpha.solve(X, "auto", criterion="gap", init="random", n_init=3, random_state=1)
    qalpha.solve(X, k=3, method="ritz", random_state=np.random.default_rng(0))
    qalpha.solve(X, k=3, callback=lambda iteration, objective: objective > iteration)
    qalpha.solve([[1.0, 2.0], [3.0, 5.0]], k=1)
    qalpha.solve(pl.DataFrame({"one": [1.0, 2.0], "two": [3.0, 5.0]}), k=1)
    assert_type(weighting.solve(X), Weights)
    assert_type(supervised.solve(X, y, representation="shift"), Weights)
    assert_type(side_info.solve(X, [X, X], 3), Weights)
    assert_type(pairwise.solve(X, 3, apart=pairs), Weights)
    assert_type(kernel.solve(X, 3, kernel="rbf", sigma=2.0), Weights)
    assert_type(topography.solve(X, 3, rounds=2).combined, Weights)


def search(X: Floats, y: Indices) -> None:
    best = eslda.solve(X, y, 4)
    assert_type(best, Subset)
    assert_type(best.support, Indices)
    assert_type(best.direction, Floats)
    assert_type(best.value, float)
    assert_type(best.status, str)
    path = eslda.solve(X, y, [3, 4])
    assert_type(path, Path)
    assert_type(path[3], Subset)
    assert_type(path.values, Floats)
    assert_type(eslda.solve(X, y, "all", time_limit=60), Path)
    assert_type(eslda.solve(X, k=range(2, 5), matrix="correlation"), Path)
    assert_type(gslda.solve(X, y), Path)
    stable = sbs.solve(X, matrix="correlation", random_state=0)
    assert_type(stable, StableSubspace)


def select(y: Indices) -> None:
    data = datasets.example()
    selector = specsel.QAlpha(k=3, n_features_to_select=6)
    assert_type(selector.fit(data.X), specsel.QAlpha)
    selector.fit_transform(data.X)
    specsel.SupervisedQAlpha().fit(data.X, y).get_support(indices=True)
    specsel.ExactSparseLDA(n_features_to_select=4).fit(data.X, y)
