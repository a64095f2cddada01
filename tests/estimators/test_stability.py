"""Stability selection and the indices of how much selections agree."""

import tracemalloc
from itertools import combinations
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, f_regression
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

from specsel import QAlpha, StabilitySelection, datasets
from specsel.estimators import jaccard, kuncheva


@pytest.fixture
def labelled():
    return datasets.weston_linear(100, random_state=5)


def selections(rng, count, n_features, sizes):
    supports = np.zeros((count, n_features), dtype=bool)
    for support in supports:
        support[rng.permutation(n_features)[: rng.choice(sizes)]] = True
    return supports


def test_indices_are_their_definitions(rng):
    for sizes in ([4], [2, 5, 9]):
        supports = selections(rng, 7, 12, sizes)
        pairs = [(set(np.flatnonzero(a)), set(np.flatnonzero(b))) for a, b in
                 combinations(supports, 2)]  # fmt: skip
        expected = np.mean([len(a & b) / len(a | b) for a, b in pairs])
        assert jaccard(supports) == pytest.approx(expected)
        chance = [len(a) * len(b) / 12 for a, b in pairs]
        expected = [
            (len(a & b) - c) / (min(len(a), len(b)) - c)
            for (a, b), c in zip(pairs, chance, strict=True)
        ]
        assert kuncheva(supports) == pytest.approx(np.mean(expected))


def test_equal_size_is_the_published_index(rng):
    a, b = selections(rng, 2, 20, [6])
    common = (a & b).sum()
    assert kuncheva([a, b]) == pytest.approx((common * 20 - 36) / (6 * 14))


def test_indices_of_equal_random_and_empty_selections(rng):
    same = np.repeat(selections(rng, 1, 30, [5]), 4, axis=0)
    assert kuncheva(same) == pytest.approx(1)
    assert jaccard(same) == 1
    assert abs(kuncheva(selections(rng, 200, 30, [5]))) < 0.02
    assert kuncheva(np.ones((3, 8), bool)) == 0  # as Kuncheva has it: says nothing
    assert (kuncheva(np.zeros((3, 8), bool)), jaccard(np.zeros((3, 8), bool))) == (0, 1)


@pytest.mark.parametrize("supports", [np.ones((1, 4), bool), np.ones((3, 4)), [True, False]])
def test_bad_selections_are_refused(supports):
    for index in (kuncheva, jaccard):
        with pytest.raises(ValueError, match=r"^supports: has shape .* are needed$"):
            index(supports)


SELECTORS = {
    "of scikit-learn": SelectKBest(k=8),
    "wrapper": RFE(LogisticRegression(max_iter=300), n_features_to_select=8, step=0.5),
    "of a model": SelectFromModel(LogisticRegression(max_iter=300), max_features=8),
    "of specsel": QAlpha(k=2, n_features_to_select=8, tol=0.05),
}


@pytest.mark.parametrize("selector", SELECTORS.values(), ids=SELECTORS)
def test_any_selector_will_do(selector, labelled):
    found = StabilitySelection(selector, 20, random_state=0).fit(labelled.X, labelled.y)
    assert found.result_.shape == (20, 202)
    np.testing.assert_array_equal(found.scores_, found.result_.mean(axis=0))
    np.testing.assert_array_equal(found.support_, found.scores_ >= 0.6)
    assert (np.diff(found.scores_[np.argsort(found.ranking_)]) <= 0).all()
    assert found.kuncheva_ == kuncheva(found.result_)
    assert found.jaccard_ == jaccard(found.result_)
    assert found.estimator_.get_support().sum() == 8
    assert not hasattr(selector, "n_features_in_")
    chosen = found.transform(labelled.X)
    np.testing.assert_array_equal(chosen, labelled.X[:, found.support_])


def test_what_is_relevant_is_selected_often_and_noise_is_not(labelled):
    found = StabilitySelection(SelectKBest(k=10), random_state=0).fit(labelled.X, labelled.y)
    assert found.get_support(indices=True).tolist() == [0, 1, 2, 3, 4, 5]
    noise = StabilitySelection(SelectKBest(k=10), random_state=0)
    noise.fit(labelled.X, np.random.default_rng(0).permutation(labelled.y))
    assert noise.kuncheva_ < 0.5 * found.kuncheva_


class Spy(SelectKBest):
    """A selector that notes what all of its kind are fitted to."""

    seen: ClassVar = []

    def fit(self, X, y):
        self.seen.append((X, y))
        return super().fit(X, y)


@pytest.fixture
def seen():
    Spy.seen.clear()
    return Spy.seen


def test_same_seed_same_subsamples_without_repetition_and_by_class(seen):
    X = np.arange(40.0)[:, None] + np.eye(40, 3) / 2
    y = np.repeat([0, 1], [30, 10])
    supports = [
        StabilitySelection(Spy(k=1), 5, share=0.4, random_state=1).fit(X, y).result_
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*supports)
    assert len(seen) == 12
    for (X, y), (again, _) in zip(seen[1:6], seen[7:], strict=True):
        assert len(X) == len(np.unique(X[:, 2])) == 16
        assert y.sum() == 4
        np.testing.assert_array_equal(X, again)
    assert len({tuple(X[:, 2]) for X, _ in seen[1:6]}) == 5


@pytest.mark.parametrize(("share", "size"), [(0.33, 13), (0.3625, 14)])
def test_every_class_has_its_share(share, size, seen):
    X, y = np.arange(40.0)[:, None] + np.eye(40, 3), np.repeat([0, 1, 2], [30, 6, 4])
    StabilitySelection(Spy(k=1), 5, share=share, random_state=1).fit(X, y)
    for _, drawn in seen[1:]:
        assert len(drawn) == size
        assert np.abs(np.bincount(drawn) - share * np.array([30, 6, 4])).max() <= 1


def test_estimators_without_a_seed_get_one(labelled):
    forest = SelectFromModel(RandomForestClassifier(5))
    found = [
        StabilitySelection(forest, 3, random_state=0).fit(labelled.X, labelled.y).result_
        for _ in range(2)
    ]
    np.testing.assert_array_equal(*found)
    assert len(np.unique(found[0], axis=0)) > 1
    passed = SelectFromModel(RandomForestClassifier(5, random_state=7))
    fitted = StabilitySelection(passed, 3, random_state=0).fit(labelled.X, labelled.y).estimator_
    assert fitted.estimator.random_state == 7


def test_numbers_to_predict_are_no_classes(rng):
    X = rng.standard_normal((60, 10))
    y = 5 * X[:, 3] + 0.1 * rng.standard_normal(60)
    for target in (y, np.arange(60)[np.argsort(np.argsort(y))]):
        found = StabilitySelection(SelectKBest(f_regression, k=1), 10).fit(X, target)
        assert found.get_support(indices=True).tolist() == [3]
    found = StabilitySelection(SelectFromModel(Lasso(0.5)), 10).fit(sparse.csr_array(X), y)
    assert found.get_support(indices=True).tolist() == [3]


def test_names_reach_the_selector_and_come_out(labelled):
    X = pd.DataFrame(labelled.X, columns=[f"gene {i}" for i in range(202)])
    found = StabilitySelection(SelectKBest(k=10), 20, random_state=0).fit(X, labelled.y)
    assert found.estimator_.feature_names_in_.tolist() == list(X.columns)
    assert found.get_feature_names_out().tolist() == list(X.columns[found.support_])
    model = make_pipeline(found, LogisticRegression(max_iter=1000))
    assert model.fit(X, labelled.y).score(X, labelled.y) > 0.8


@pytest.mark.parametrize("takes", [True, False])
def test_data_are_those_that_the_selector_takes(takes):
    class Dense(SelectKBest):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = False
            return tags

    inner = SelectKBest() if takes else Dense()
    assert get_tags(StabilitySelection(inner)).input_tags.sparse is takes


def test_many_selections_take_little_memory(rng):
    supports = rng.random((3000, 20)) < 0.3
    tracemalloc.start()
    jaccard(supports), kuncheva(supports)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * 10**6


BAD = {
    "random_state = 'x'": {"random_state": "x"},
    "n_resamples = 1: must be at least 2": {"n_resamples": 1},
    "share = 1.0: must be between 0 and 1": {"share": 1.0},
    "threshold = 0: must be above 0 and at most 1": {"threshold": 0},
    "estimator: NoneType has no get_support; a selector is needed": {"estimator": None},
    "estimator: Lasso has no get_support; a selector is needed": {"estimator": Lasso()},
}


def test_missing_labels_are_named(labelled):
    y = np.where(np.arange(len(labelled.y)) == 3, np.nan, labelled.y)
    with pytest.raises(ValueError, match=r"^y: 1 label is missing, first of sample 3; every"):
        StabilitySelection(QAlpha(k=2), 3).fit(labelled.X, y)


@pytest.mark.parametrize("message", BAD)
def test_bad_parameters_are_refused_in_one_line(message, labelled, seen):
    with pytest.raises(ValueError) as caught:
        StabilitySelection(**{"estimator": Spy()} | BAD[message]).fit(labelled.X, labelled.y)
    assert str(caught.value).startswith(message)
    assert not seen


def test_selections_do_not_depend_on_the_processes(labelled):
    X, y = labelled.X, labelled.y
    alone, together = (
        StabilitySelection(SelectKBest(k=3), n_resamples=6, random_state=0, n_jobs=jobs).fit(X, y)
        for jobs in (None, 2)
    )
    assert (alone.result_ == together.result_).all()
