"""Side data and pairs of samples inside pipelines and cross-validation."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from specsel import PairwiseQAlpha, QAlpha, SideInfoQAlpha, laplacian, pairwise, side_info

NAMES = [f"x{i}" for i in range(20)]


@pytest.fixture
def groups(rng):
    """Two groupings of 60 samples, wanted by features 0-2 and, more strongly, not by 3-5."""
    wanted, other = rng.integers(0, 2, (2, 60))
    X = rng.standard_normal((60, 20))
    X[:, :3] += 4 * wanted[:, None]
    X[:, 3:6] += 8 * other[:, None]
    return X, wanted, other


@pytest.fixture
def side(rng):
    side = rng.standard_normal((30, 20))
    side[:, 3:6] += 8 * rng.integers(0, 2, (30, 1))
    return side


@pytest.fixture
def apart(groups, rng):
    """Pairs of samples of their own, apart in the wanted grouping and alike in the other."""
    first, second = rng.standard_normal((2, 40, 20))
    second[:, :3] += 4
    unwanted = 8 * rng.integers(0, 2, (40, 1))
    first[:, 3:6] += unwanted
    second[:, 3:6] += unwanted
    return first, second


def test_side_data_survive_cross_validation_in_a_pipeline(groups, side):
    X, wanted, _ = groups
    scores = []
    for selector in (SideInfoQAlpha(side=side, k=1), QAlpha(k=1)):
        selector.set_params(n_features_to_select=3)
        steps = make_pipeline(selector, KNeighborsClassifier())
        scores.append(cross_val_score(steps, X, wanted, error_score="raise").mean())
    assert scores[0] > 0.9 > scores[1]


def test_pairs_of_samples_survive_cross_validation_in_a_pipeline(groups, apart):
    X, wanted, _ = groups
    selector = PairwiseQAlpha(apart=apart, k=1, n_features_to_select=3, tol=1e-3)
    steps = make_pipeline(selector, KNeighborsClassifier())
    grid = {"pairwiseqalpha__tradeoff": [0.0, 3.0]}
    search = GridSearchCV(steps, grid, cv=3, error_score="raise").fit(X, wanted)
    assert search.best_params_["pairwiseqalpha__tradeoff"] == 3.0
    assert search.best_score_ > 0.9
    assert search.best_estimator_[0].get_support(indices=True).tolist() == [0, 1, 2]
    for train in (slice(0, 30), slice(30, 60)):
        chosen = PairwiseQAlpha(apart=apart, k=1, tradeoff=3.0, n_features_to_select=3)
        assert chosen.fit(X[train]).get_support(indices=True).tolist() == [0, 1, 2]


def test_pairs_are_those_of_the_solver(groups):
    X = groups[0]
    found = PairwiseQAlpha(apart=X[[[0, 2], [1, 9]]], together=(X[3:4], X[4:5]), k=2).fit(X)
    expected = pairwise.solve(X, apart=[(0, 1), (2, 9)], together=[(3, 4)], k=2)
    np.testing.assert_allclose(found.alpha_, expected.alpha, atol=1e-10)
    together = PairwiseQAlpha(together=(X[:5], X[5:10]), k=2).fit(X)
    expected = pairwise.solve(X, 2, together=(X[:5], X[5:10]))
    np.testing.assert_allclose(together.alpha_, expected.alpha, atol=1e-10)


@pytest.mark.parametrize("name", ["apart", "together"])
def test_row_numbers_are_refused_for_samples_may_be_split(groups, name):
    with pytest.raises(ValueError, match=rf"^{name} = \[\(0, 1\)\]: two arrays of samples are ne"):
        PairwiseQAlpha(k=2, **{name: [(0, 1)]}).fit(groups[0])


def test_without_side_data_or_pairs_nothing_but_the_clusters_counts(groups):
    X = groups[0]
    plain = QAlpha(k=2).fit(X)
    np.testing.assert_allclose(SideInfoQAlpha(k=2).fit(X).alpha_, plain.alpha_, atol=1e-9)
    apart_from_scale = SideInfoQAlpha(k=2, tradeoff=0).fit(X)
    np.testing.assert_allclose(apart_from_scale.alpha_, plain.alpha_, atol=1e-9)
    unpaired = PairwiseQAlpha(k=2, representation="centered", tradeoff=7.0).fit(X)
    np.testing.assert_allclose(unpaired.alpha_, plain.alpha_, atol=1e-3)
    assert unpaired.objective_ == pytest.approx(plain.objective_, rel=1e-5)


def test_frames_of_side_data_must_have_the_columns_of_X(groups, side):
    X, sides = (pd.DataFrame(part, columns=NAMES) for part in (groups[0], side))
    found = SideInfoQAlpha(side=sides, k=1).fit(X)
    assert found.get_feature_names_out().tolist() == NAMES[:3]
    expected = side_info.solve(groups[0], side, 1)
    np.testing.assert_allclose(found.alpha_, expected.alpha, atol=1e-12)
    with pytest.raises(ValueError, match=r"^side: has other column names than X, or in another"):
        SideInfoQAlpha(side=sides[NAMES[::-1]], k=1).fit(X)
    with pytest.raises(ValueError, match=r"^side: has 4 features; X has 20$"):
        SideInfoQAlpha(side=side[:, :4], k=1).fit(groups[0])


def test_the_scale_of_side_data_is_that_of_the_step_before(groups, side):
    """The selector may come after a step that scales all features alike, if the side data did."""
    X = groups[0]
    plain = SideInfoQAlpha(side=side, k=1).fit(X)
    scaled = SideInfoQAlpha(side=side * 10, k=1).fit(X * 10)
    np.testing.assert_allclose(scaled.alpha_, plain.alpha_, atol=1e-9)


def test_it_goes_before_clustering_and_components(groups, side):
    X, wanted, _ = groups
    steps = make_pipeline(
        SideInfoQAlpha(side=side, k=1, reweight=True), PCA(1), KMeans(2, n_init=3, random_state=0)
    )
    labels = steps.fit_predict(X)
    assert abs(np.corrcoef(labels, wanted)[0, 1]) > 0.9


def test_auto_counts_as_the_solvers_do(groups, side):
    X = groups[0]
    assert PairwiseQAlpha().fit(X).k_ == laplacian.solve(X, "auto").basis.shape[1]
