"""What all estimators share: how many features, which ones, and what becomes of the data."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import specsel
from specsel import ParameterFreeWeighting, QAlpha, datasets, qalpha, weighting
from specsel.estimators import weighting as estimators


def test_a_fit_that_fails_leaves_nothing_that_selects(clustered):
    found = QAlpha(k=2).fit(clustered).set_params(k=5)
    with pytest.raises(ValueError, match=r"^k = 5: must be from 1 to 3, "):
        found.fit(clustered[:, :3])
    for use in (found.transform, found.set_params(reweight=True).transform):
        with pytest.raises(NotFittedError):
            use(clustered[:, :3])


@pytest.mark.parametrize("reweight", [True, False])
def test_masked_values_are_not_unmasked(clustered, reweight):
    found = QAlpha(k=2, reweight=reweight).fit(clustered)
    with pytest.raises(ValueError, match=r"^X: holds masked values; remove or fill them first$"):
        found.transform(np.ma.masked_greater(clustered, 2))
    with pytest.raises(ValueError, match=r"^X: holds masked values"):
        found.inverse_transform(np.ma.masked_greater(found.transform(clustered), 0.01))


def test_how_many_features(clustered):
    X = clustered
    weights = weighting.solve(X)
    for count, expected in (
        (None, 6), ("gap", 6), (7, 7), (1, 1), (1.0, X.shape[1]), (0.1, 3), (1e-9, 1),
        (np.int64(3), 3), (np.float32(0.5), X.shape[1] // 2),
    ):  # fmt: skip
        found = ParameterFreeWeighting(n_features_to_select=count).fit(X)
        np.testing.assert_array_equal(
            found.get_support(indices=True), np.sort(weights.ranking[:expected])
        )
    found = ParameterFreeWeighting(threshold=0.2).fit(X)
    np.testing.assert_array_equal(found.support_, weights.alpha >= 0.2)
    for count in (0, 999, -1, 1.5, 0.0, True, "all", np.nan, [3]):
        with pytest.raises(
            ValueError, match=r"^n_features_to_select = .*: must be \"gap\", a who"
        ):
            ParameterFreeWeighting(n_features_to_select=count).fit(X)
    for count in (3, "gap"):
        message = (
            rf"^n_features_to_select = {count!r}, threshold = 0.2: give one of them, not both$"
        )
        with pytest.raises(ValueError, match=message):
            ParameterFreeWeighting(n_features_to_select=count, threshold=0.2).fit(X)
    with pytest.raises(ValueError, match=r"^n_features_to_select = 'gap': must be a whole number"):
        specsel.GreedySparseLDA(n_features_to_select="gap").fit(X, np.arange(40) % 2)


@pytest.mark.parametrize(
    "options",
    [
        {"n_features_to_select": 99},
        {"threshold": np.nan},
        {"diverse": "no"},
        {"reweight": np.array([True, False])},
    ],
)
def test_bad_parameters_are_refused_before_any_work(options, clustered, monkeypatch):
    monkeypatch.setattr(estimators.weighting, "solve", None)
    with pytest.raises(ValueError, match=f"^{next(iter(options))} = "):
        ParameterFreeWeighting(**options).fit(clustered)


@pytest.mark.parametrize("reweight", [False, True])
def test_a_threshold_that_no_feature_reaches_is_told(reweight, clustered):
    message = r"^threshold = 2: no feature weighs as much; the largest weight is 0\.\d+$"
    with pytest.warns(UserWarning, match=message):
        found = ParameterFreeWeighting(threshold=2, reweight=reweight).fit(clustered)
    assert not found.support_.any()


def test_diverse_selection_is_that_of_the_weights():
    X = np.repeat(datasets.example().X, 3, axis=1)
    weights = qalpha.solve(X, 3)
    chosen = weights.select(6, diverse=X)
    found = QAlpha(k=3, n_features_to_select=6, diverse=True).fit(X)
    np.testing.assert_array_equal(np.argsort(found.ranking_)[:6], chosen)
    assert set(chosen) != set(weights.select(6))


def test_reweighted_frames_keep_their_names(clustered):
    X = pd.DataFrame(clustered, columns=[f"x{i}" for i in range(30)])
    found = QAlpha(k=2, reweight=True, n_features_to_select=3).set_output(transform="pandas")
    out = found.fit_transform(X)
    assert list(out.columns) == found.get_feature_names_out().tolist()
    assert out.shape == (40, 3)


def test_a_name_that_stands_twice_is_refused(clustered):
    X = pd.DataFrame(clustered[:, :3], columns=["a", "b\x1b", "b\x1b"])
    with pytest.raises(ValueError, match=r"^X: 2 columns are named '[^\x1b]+'; give every column"):
        QAlpha(k=1).fit(X)


def test_features_may_be_fixed_by_name(clustered):
    X = pd.DataFrame(clustered, columns=[f"x{i}" for i in range(30)])
    y = np.arange(40) < 20
    for cls in (specsel.GreedySparseLDA, specsel.ExactSparseLDA):
        found = cls(n_features_to_select=3, always=("x29",), never=("x0", "x1")).fit(X, y)
        assert "x29" in found.get_feature_names_out()
        assert not {"x0", "x1"} & set(found.get_feature_names_out())
