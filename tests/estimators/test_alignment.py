"""Alignment as an estimator."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from specsel import AlignmentSelector, StabilitySelection, alignment


@parametrize_with_checks([AlignmentSelector(), AlignmentSelector(target="neighbours")])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.fixture
def y():
    return np.repeat(["a", "b"], 20)


def test_without_classes_it_does_as_the_solver_does(clustered):
    found = AlignmentSelector().fit(clustered)
    expected = alignment.solve(clustered)
    np.testing.assert_array_equal(found.get_support(indices=True), expected.support)
    np.testing.assert_array_equal(np.argsort(found.ranking_), expected.ranking)
    np.testing.assert_array_equal(found.path_, expected.scores)
    np.testing.assert_array_equal(found.scores_, expected.relevance)
    assert found.objective_ == expected.scores.max()
    assert found.transform(clustered).shape == (40, len(expected.support))


def test_with_classes_it_uses_them_unless_told_otherwise(clustered, y):
    found = AlignmentSelector(n_features_to_select=3).fit(clustered, y)
    expected = alignment.solve(clustered, y, n=3)
    assert found.result_.target == "classes"
    np.testing.assert_array_equal(found.get_support(indices=True), expected.support)
    without = AlignmentSelector(n_features_to_select=3, target="neighbours").fit(clustered, y)
    expected = alignment.solve(clustered, n=3)
    np.testing.assert_array_equal(without.get_support(indices=True), expected.support)
    with pytest.raises(ValueError, match=r"^y: is None; labels of shape \(40,\) are needed$"):
        AlignmentSelector(target="classes").fit(clustered)


def test_features_not_looked_at_are_ranked_by_relevance(clustered):
    found = AlignmentSelector(n_features_to_select=0.1).fit(clustered)
    order = np.argsort(found.ranking_)
    assert found.support_.sum() == 3
    np.testing.assert_array_equal(order[:3], found.result_.ranking)
    assert (np.diff(found.scores_[order[3:]]) <= 0).all()


def test_a_graph_as_the_target_and_names(clustered):
    graph = alignment.graph(clustered, neighbours=3)
    table = pd.DataFrame(clustered, columns=[f"gene {i}" for i in range(30)])
    selector = AlignmentSelector(n_features_to_select=4, target=graph, always=["gene 9"])
    found = clone(selector).fit(table)
    assert "gene 9" in found.get_feature_names_out()
    expected = alignment.solve(clustered, n=4, neighbours=3, always=[9])
    np.testing.assert_array_equal(found.get_support(indices=True), expected.support)


@pytest.mark.parametrize("count", [0, 31, 1.5, True, "gap"])
def test_how_many_must_be_a_number_or_a_share(count, clustered):
    with pytest.raises(ValueError, match=r"^n_features_to_select = .*: must be a whole number fr"):
        AlignmentSelector(n_features_to_select=count).fit(clustered)


def test_in_a_pipeline(clustered, y):
    steps = make_pipeline(AlignmentSelector(n_features_to_select=4), LogisticRegression())
    assert steps.fit(clustered, y).score(clustered, y) > 0.9


def test_the_number_of_features_may_be_chosen_by_stability_or_by_a_score(clustered, y):
    sizes = [2, 5, 15]
    stable = [
        StabilitySelection(
            AlignmentSelector(n_features_to_select=m), n_resamples=8, random_state=0
        )
        .fit(clustered)
        .kuncheva_
        for m in sizes
    ]
    assert np.isfinite(stable).all()
    steps = make_pipeline(AlignmentSelector(), LogisticRegression())
    grid = {"alignmentselector__n_features_to_select": sizes}
    search = GridSearchCV(steps, grid, cv=3, error_score="raise").fit(clustered, y)
    assert search.best_params_["alignmentselector__n_features_to_select"] in sizes
    chosen = search.best_estimator_[0].get_support(indices=True)
    expected = alignment.solve(clustered, y, n=len(chosen)).support
    np.testing.assert_array_equal(chosen, expected)
