"""Sparse LDA and stable subspaces as estimators: what they tell beside the support."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from specsel import ExactSparseLDA, GreedySparseLDA, StableLSI, StablePCA, datasets, sbs


@pytest.fixture
def problem():
    return datasets.lda_problem(24, n_samples=200, n_relevant=3)


@pytest.fixture
def factor(rng):
    """Eight features that share a factor, and two that are wild at the same time."""
    X = rng.standard_normal((300, 10))
    X[:, :8] += rng.standard_normal((300, 1))
    X[:, 8:] *= 1 / rng.random((300, 1))
    return X


@pytest.mark.parametrize("cls", [GreedySparseLDA, ExactSparseLDA])
def test_a_subset_is_ranked_by_the_discriminant(cls, problem):
    found = cls(n_features_to_select=5).fit(problem.X, problem.y)
    result = found.result_
    assert set(problem.relevant) <= set(found.get_support(indices=True))
    np.testing.assert_array_equal(found.scores_, np.abs(result.direction))
    order = np.argsort(found.ranking_)
    assert (np.diff(found.scores_[order[:5]]) <= 0).all()
    np.testing.assert_array_equal(order[5:], np.flatnonzero(~found.support_))
    assert found.objective_ == result.value
    assert found.n_iter_ == (1 if cls is GreedySparseLDA else result.nodes)
    assert result.nodes > 1 or cls is GreedySparseLDA


@pytest.mark.parametrize("count", [1, 4, 0.25, 1.0])
def test_as_many_are_selected_as_asked_for(count, problem):
    expected = int(count * 24) if isinstance(count, float) else count
    for cls in (GreedySparseLDA, ExactSparseLDA):
        assert cls(n_features_to_select=count).fit(problem.X, problem.y).support_.sum() == expected


def test_components_are_not_of_cosines(factor):
    with pytest.raises(ValueError, match=r"^matrix = 'cosine': must be one of covariance, corr"):
        StablePCA(matrix="cosine").fit(factor)


def test_the_search_may_be_cut_short(problem):
    with pytest.warns(
        UserWarning,
        match=r"^search ended early \(nodes\): .* by 0\.\d+ times the",
    ):
        found = ExactSparseLDA(n_features_to_select=12, node_limit=1).fit(problem.X, problem.y)
    assert found.result_.status == "nodes"
    assert found.result_.bound >= found.objective_


def test_the_number_of_features_is_found_by_cross_validation(problem):
    steps = make_pipeline(GreedySparseLDA(), LogisticRegression())
    grid = {"greedysparselda__n_features_to_select": [1, 3, 24]}
    search = GridSearchCV(steps, grid, error_score="raise").fit(problem.X, problem.y)
    assert search.best_params_["greedysparselda__n_features_to_select"] > 1


def test_a_stable_subspace_leaves_out_what_is_uncertain(factor):
    found = StablePCA(retain=0.001, random_state=0).fit(factor)
    expected = sbs.solve(factor, matrix="covariance", retain=0.001, random_state=0)
    np.testing.assert_array_equal(found.get_support(indices=True), expected.support)
    assert not found.support_[8:].any()
    assert (found.k_, found.objective_) == (expected.k, expected.share)
    assert found.n_iter_ == len(expected.trace) > 1
    np.testing.assert_array_equal(np.argsort(found.ranking_)[8:], expected.removed[::-1])
    assert (np.diff(found.scores_[np.argsort(found.ranking_)]) <= 0).all()
    assert found.scores_.sum() == pytest.approx(found.k_)
    assert np.linalg.norm(found.alpha_) == pytest.approx(1)


def test_a_gap_that_was_asked_for_is_no_early_end(recwarn):
    trial = datasets.lda_problem(60, n_samples=80, correlation=0.9, noise=6.0)
    found = ExactSparseLDA(n_features_to_select=20, gap=10.0).fit(trial.X, trial.y)
    assert found.result_.status == "gap"
    assert not recwarn


def test_a_share_that_sets_do_not_allow_is_told_as_it_was_given(problem):
    message = "^n_features_to_select = 0.5 = 12: must be from 1 to 4, the features allowed$"
    with pytest.raises(ValueError, match=message):
        GreedySparseLDA(never=range(20)).fit(problem.X, problem.y)


@pytest.mark.parametrize("cls", [GreedySparseLDA, ExactSparseLDA])
def test_sizes_and_sets_must_agree_and_are_named_as_they_were_given(cls, problem):
    X = pd.DataFrame(problem.X, columns=[f"x{i}" for i in range(24)])
    for options, allowed in (
        ({"always": ["x1", 2, 3, 4]}, "4 to 24"),
        ({"never": range(22)}, "1 to 2"),
    ):
        with pytest.raises(
            ValueError, match=rf"^n_features_to_select = 3: must be from {allowed}, "
        ):
            cls(n_features_to_select=3, **options).fit(X, problem.y)
    for bad in (None, 3):
        with pytest.raises(
            ValueError, match=rf"^never = {bad}: must be a list of numbers or names"
        ):
            cls(never=bad).fit(X, problem.y)


def test_a_selection_that_says_nothing_is_told(rng):
    noise = rng.standard_normal((30, 8))
    with pytest.warns(
        UserWarning, match=r"^retain = 0.5: there is no stable subspace; .* nothing"
    ):
        found = StablePCA(random_state=0).fit(noise)
    assert (found.k_, found.objective_) == (0, 0)


def test_what_cannot_be_retained_warns(factor):
    with pytest.warns(UserWarning, match=r"^retain = 0.99: no stable subspace retains as much"):
        found = StablePCA(retain=0.99, random_state=0).fit(factor)
    assert sorted(found.ranking_) == list(range(1, 11))


def test_sparse_counts_stay_sparse(rng):
    counts = rng.poisson([1] * 6 + [0.02] * 2 + [0], (300, 9)).astype(float)
    dense = StableLSI(retain=0.3, random_state=0)
    with pytest.warns(UserWarning, match="1 of 9 features"):
        dense.fit(counts)
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        with pytest.warns(UserWarning, match="1 of 9 features"):
            found = StableLSI(retain=0.3, random_state=0).fit(kind(counts))
        np.testing.assert_array_equal(found.support_, dense.support_)
        out = found.transform(kind(counts))
        assert sparse.issparse(out)
        np.testing.assert_array_equal(out.toarray(), counts[:, dense.support_])
    assert dense.ranking_[8] == 9


@pytest.mark.parametrize("cls", [GreedySparseLDA, ExactSparseLDA])
def test_the_criterion_is_that_of_the_solver(cls, rng):
    y = np.arange(90) % 3
    X = rng.standard_normal((90, 6)) + np.eye(3, 6)[y]
    for criterion, taken in ((None, "logdet"), ("trace", "trace"), ("leading", "leading")):
        found = cls(n_features_to_select=2, criterion=criterion).fit(X, y)
        assert found.result_.criterion == taken
