"""The estimators against their solvers, and as citizens of scikit-learn."""

import inspect
import pickle
import re
import warnings
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectorMixin, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import specsel
from specsel import (
    QAlpha,
    StabilitySelection,
    datasets,
    eslda,
    gslda,
    kernel,
    laplacian,
    pairwise,
    qalpha,
    sbs,
    side_info,
    supervised,
    topography,
    weighting,
)
from specsel.estimators import base
from specsel.estimators import weighting as estimators

CLASSES = [getattr(specsel, name) for name in specsel.ESTIMATORS if name != "StabilitySelection"]
WITH_ALPHA = [c for c in CLASSES if c is not specsel.AlignmentSelector]
WEIGHTS = [c for c in CLASSES if issubclass(c, base.WeightSelector)]

# What the data of scikit-learn's checks, noise for the most part, rightly lead to.
EXPECTED = (
    "ignore:not converged after",
    "ignore:k = .auto.. found no clusters",
    "ignore:tradeoff = 1.0. no weights make classes differ more",
    "ignore:X. its features are linearly independent",
    "ignore:retain = .* no stable subspace",
    "ignore:.* constant and",
    "ignore:Can't check dok sparse matrix",
)


@pytest.fixture
def labelled():
    return datasets.weston_linear(80, random_state=5)


def make(cls, **options):
    if cls is specsel.PairwiseQAlpha:
        options.setdefault("apart", np.random.default_rng(1).standard_normal((2, 5, 30)))
    if cls is specsel.SideInfoQAlpha:
        options.setdefault("side", np.random.default_rng(1).standard_normal((20, 30)))
    if cls in (specsel.StablePCA, specsel.StableLSI):
        options |= {"random_state": 0, "retain": 0.01}
    return cls(**options)


def fit(estimator, X, y=None):
    with warnings.catch_warnings():
        for message in EXPECTED:
            warnings.filterwarnings("ignore", message.removeprefix("ignore:"))
        return estimator.fit(X, y)


@pytest.mark.filterwarnings(*EXPECTED)
@parametrize_with_checks(
    [
        *(cls() for cls in CLASSES),
        QAlpha(rounds=2, diverse=True, reweight=True),
        StabilitySelection(QAlpha(), n_resamples=3, random_state=0),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", WITH_ALPHA, ids=lambda cls: cls.__name__)
def test_it_is_a_selector_with_its_attributes(cls, clustered):
    y = np.arange(40) < 20
    found = fit(make(cls), clustered, y)
    assert isinstance(found, SelectorMixin)
    for name in ("scores_", "alpha_", "ranking_", "support_"):
        assert getattr(found, name).shape == (30,)
    assert sorted(found.ranking_) == list(range(1, 31))
    assert found.support_.dtype == bool
    assert np.linalg.norm(found.alpha_) == pytest.approx(1 if getattr(found, "k_", 1) else 0)
    assert np.isfinite(found.objective_)
    assert found.n_iter_ >= 1
    chosen = found.support_.sum()
    assert 1 <= chosen <= 30
    np.testing.assert_array_equal(found.ranking_ <= chosen, found.support_)
    np.testing.assert_array_equal(found.transform(clustered), clustered[:, found.support_])
    assert not {"X", "X_", "y_"} & set(vars(found))


SOLVERS = {
    "QAlpha": (qalpha.solve, {"k": 3}),
    "ParameterFreeWeighting": (weighting.solve, {"tol": 1e-3}),
    "FisherWeighting": (weighting.solve, {"tradeoff": 0.5, "tol": 1e-3}),
    "LaplacianQAlpha": (laplacian.solve, {"k": 3, "shift": "definition"}),
    "SupervisedQAlpha": (supervised.solve, {"gamma": 0.3, "k_within": 1}),
    "KernelQAlpha": (kernel.solve, {"k": 3, "kernel": "poly", "degree": 3, "method": "power"}),
    "SideInfoQAlpha": (side_info.solve, {"k": 3, "side": np.arange(202.0), "tradeoff": 0.5}),
    "PairwiseQAlpha": (pairwise.solve, {"k": 2, "apart": np.eye(6, 202).reshape(2, 3, 202)}),
    "GreedySparseLDA": (gslda.solve, {"direction": "forward", "never": [3]}),
    "ExactSparseLDA": (eslda.solve, {"never": list(range(20, 202)), "time_limit": None}),
    "StablePCA": (sbs.solve, {"matrix": "correlation", "retain": 0.01, "random_state": 3}),
    "StableLSI": (sbs.solve, {"retain": 0.01, "random_state": 3}),
}


@pytest.mark.parametrize("name", SOLVERS)
def test_weights_and_subsets_are_those_of_the_solver(name, labelled):
    solve, options = SOLVERS[name]
    cls = getattr(specsel, name)
    X, y = labelled.X, labelled.y
    given = (X, y) if cls.needs_classes else (X,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "LDA" in name:
            found = cls(n_features_to_select=4, **options).fit(X, y)
            size = {"max_size": 4} if name == "GreedySparseLDA" else {"k": 4}
            expected = solve(*given, **size, **options)
            expected = expected[4] if name == "GreedySparseLDA" else expected
        else:
            found = cls(**options).fit(X, y)
            options = options | ({"matrix": "cosine"} if name == "StableLSI" else {})
            expected = solve(*given, **options)
    if issubclass(cls, base.WeightSelector):
        np.testing.assert_allclose(found.alpha_, expected.alpha, atol=1e-10)
        np.testing.assert_array_equal(found.get_support(indices=True), np.sort(expected.select()))
        assert (found.objective_, found.n_iter_) == (expected.objective, expected.n_iter)
        assert found.k_ == expected.basis.shape[1]
    else:
        np.testing.assert_array_equal(found.get_support(indices=True), expected.support)


@pytest.mark.parametrize("name", SOLVERS)
def test_defaults_are_those_of_the_solver(name):
    solver = inspect.signature(SOLVERS[name][0]).parameters
    own = base.SELECTION_PARAMETERS | {"rounds", "apart", "side", "together"}
    changed = {("k", "auto"), ("time_limit", 60.0), ("matrix", "covariance")}
    for field in fields(getattr(specsel, name)):
        if field.name not in own and (field.name, field.default) not in changed:
            assert solver[field.name].default == field.default or field.default == ()


@pytest.mark.parametrize("cls", [*CLASSES, StabilitySelection], ids=lambda cls: cls.__name__)
def test_docstrings_describe_every_parameter(cls):
    section = inspect.getdoc(cls).split("Parameters\n")[1].split("\n\n")[0]
    described = re.findall(r"^(\w[\w, ]*) ?(?::.*)?$", section, flags=re.M)
    names = [name for line in described for name in line.strip().split(", ")]
    assert sorted(names) == sorted(inspect.signature(cls).parameters)
    assert list(inspect.signature(cls).parameters) == [field.name for field in fields(cls)]


BAD_LABELS = {
    "y: mixes labels that cannot be compared; use one type": np.array(["a", 1] * 20, dtype=object),
    "y: 5 labels are missing, first of sample 0": pd.Series([pd.NA] * 5 + ["a"] * 35, dtype="str"),
    "y: 1 label is missing, first of sample 39": np.array([*"ab" * 19, "a", None], dtype=object),
    "y: holds 0.5, a measurement; classes are needed": np.arange(40) / 2,
    "y: has one class, a; at least 2 are needed": np.repeat("a", 40),
}


@pytest.mark.parametrize("message", BAD_LABELS)
@pytest.mark.parametrize("cls", [c for c in CLASSES if c.needs_classes], ids=lambda c: c.__name__)
def test_bad_labels_are_refused_in_the_words_of_the_solvers(cls, message, clustered):
    with pytest.raises(ValueError, match="^" + message):
        cls().fit(clustered, BAD_LABELS[message])


def test_rounds_are_those_of_a_map_for_selection():
    X = datasets.two_solutions(random_state=1).X
    found = QAlpha(k=2, rounds=2, n_features_to_select=9).fit(X)
    expected = topography.solve(X, 2, rounds=2, tradeoff=1 / 20)
    np.testing.assert_allclose(found.alpha_, expected.combined.alpha, atol=1e-10)
    assert found.get_support(indices=True).tolist() == list(range(9))
    np.testing.assert_allclose(found.result_.positions, expected.positions, atol=1e-8)
    with pytest.raises(ValueError, match=r"^rounds = 2: several are for method = 'ascent' alone$"):
        QAlpha(k=2, rounds=2, method="ritz").fit(X)
    with pytest.raises(ValueError, match=r"^rounds = 2: several are for method = 'ascent' alone$"):
        QAlpha(k=2, rounds=2, method=np.ones(2)).fit(X)
    gap = QAlpha(k=2, rounds=2, criterion="gap").fit(X).result_
    expected = topography.solve(X, 2, rounds=2, tradeoff=1 / 20, criterion="gap")
    np.testing.assert_allclose(gap.relevances, expected.relevances, atol=1e-10)
    with pytest.raises(ValueError, match=r"^rounds = 0: must be at least 1$"):
        QAlpha(k=2, rounds=0).fit(X)


@pytest.mark.parametrize("option", ["diverse", "reweight"])
def test_a_precomputed_kernel_has_no_samples(option, clustered):
    V = clustered.T @ clustered
    with pytest.raises(ValueError, match=rf"^{option} = True: needs samples; a precomputed"):
        specsel.KernelQAlpha(k=2, kernel="precomputed", **{option: True}).fit(V)


def test_weights_of_rounds_reweight_together():
    X = datasets.two_solutions(random_state=1).X
    found = QAlpha(k=2, rounds=2, reweight=True).fit(X)
    expected = found.result_.combined.reweight(X)
    np.testing.assert_allclose(found.transform(X), expected, atol=1e-12)


@pytest.mark.parametrize("cls", WEIGHTS, ids=lambda cls: cls.__name__)
def test_reweighting_is_that_of_the_weights_and_goes_back(cls, clustered):
    y = np.arange(40) < 20
    found = fit(make(cls, reweight=True), clustered, y)
    assert found.support_.all()
    Z = found.transform(clustered)
    np.testing.assert_allclose(Z, found.result_.reweight(clustered), atol=1e-12)
    assert Z.dtype == clustered.dtype
    weighted = found.alpha_ > 1e-9
    np.testing.assert_allclose(
        found.inverse_transform(Z)[:, weighted], clustered[:, weighted], atol=1e-6
    )
    some = fit(make(cls, reweight=True, n_features_to_select=4), clustered, y)
    np.testing.assert_allclose(some.transform(clustered), Z[:, some.support_], atol=1e-12)
    back = some.inverse_transform(some.transform(clustered).astype(np.float32))
    kept = some.support_ & weighted
    assert back.dtype == np.float32
    np.testing.assert_allclose(back[:, kept], clustered[:, kept], atol=1e-3)
    assert not back[:, ~some.support_].any()
    with pytest.raises(ValueError, match="X has a different shape than during fitting"):
        some.inverse_transform(Z)
    narrow = fit(some, clustered.astype(np.float32), y).transform(clustered.astype(np.float32))
    assert narrow.dtype == np.float32


def test_reweighted_components_see_the_groups():
    hidden = datasets.two_gaussians(spread=6.0)
    scores = {}
    for reweight in (False, True):
        steps = [QAlpha(k=2, method="basic", n_features_to_select=1.0, reweight=reweight)]
        first = make_pipeline(*steps, PCA(1)).fit_transform(hidden.X)[:, 0]
        scores[reweight] = abs(np.corrcoef(first, hidden.y)[0, 1])
    assert scores[False] < 0.5 < 0.8 < scores[True]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_names_go_in_and_come_out(cls, clustered):
    import polars

    names = [f"gene {i}" for i in range(30)]
    y = np.arange(40) < 20
    for frame, kind in ((pd.DataFrame, "pandas"), (polars.DataFrame, "polars")):
        X = frame(clustered, **{"columns" if frame is pd.DataFrame else "schema": names})
        found = fit(make(cls), X, y).set_output(transform=kind)
        out = found.transform(X)
        assert isinstance(out, frame)
        kept = [names[i] for i in found.get_support(indices=True)]
        assert list(out.columns) == kept == found.get_feature_names_out().tolist()
        np.testing.assert_array_equal(out.to_numpy(), clustered[:, found.support_])
        plain = fit(make(cls), clustered, y)
        np.testing.assert_array_equal(found.support_, plain.support_)
    with pytest.raises(ValueError, match="feature names should match"):
        found.transform(X[names[::-1]])
    result = found.result_
    assert list(result.intervals.names if "Stable" in cls.__name__ else result.names) == names


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_clones_and_pickles_select_the_same(cls, clustered):
    y = np.arange(40) < 20
    found = fit(make(cls), clustered, y)
    copied = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(copied.transform(clustered), found.transform(clustered))
    again = clone(found)
    assert not hasattr(again, "support_")
    np.testing.assert_array_equal(fit(again, clustered, y).support_, found.support_)


@pytest.mark.parametrize("cls", WITH_ALPHA, ids=lambda cls: cls.__name__)
def test_float32_stays_and_the_data_are_left_alone(cls, clustered):
    y = np.arange(40) < 20
    X = clustered.astype(np.float32)
    X.flags.writeable = False
    found = fit(make(cls), X, y)
    assert found.transform(X).dtype == np.float32
    wide = fit(make(cls), X.astype(float), y)
    np.testing.assert_allclose(found.alpha_, wide.alpha_, atol=5e-3)


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_the_solver_gets_the_array_itself(kind, clustered, monkeypatch):
    given = []

    def spy(X, **options):
        given.append(X)
        return solve(X, **options)

    solve = qalpha.solve
    monkeypatch.setattr(estimators.qalpha, "solve", spy)
    X = np.asfortranarray(clustered, dtype=kind)
    QAlpha(k=2).fit(X)
    assert np.shares_memory(given[0], X)
    assert given[0].dtype == kind


def test_grid_search_over_k(labelled):
    steps = make_pipeline(
        QAlpha(n_features_to_select=20), LogisticRegression(C=0.01, max_iter=1000)
    )
    grid = {"qalpha__k": ["auto", 2, 4], "qalpha__tol": [1e-3], "qalpha__diverse": [True]}
    search = GridSearchCV(steps, grid, cv=3, error_score="raise")
    fit(search, labelled.X, labelled.y)
    assert search.best_params_["qalpha__k"] in grid["qalpha__k"]
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    best = search.best_estimator_
    assert best[0].transform(labelled.X).shape[1] == 20


def test_auto_is_told():
    rng = np.random.default_rng(0)
    for count in range(2, 7):
        X = rng.standard_normal((90, 60))
        X[:, :30] += 3 * rng.standard_normal((count, 30))[np.arange(90) % count]
        assert QAlpha().fit(X).k_ == count


def test_supervised_selection_in_cross_validation_beats_no_selection(labelled):
    model = LogisticRegression(max_iter=1000)
    selector = specsel.SupervisedQAlpha(n_features_to_select=6)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "not converged")
        selected = cross_val_score(make_pipeline(selector, model), labelled.X, labelled.y).mean()
    assert selected > cross_val_score(model, labelled.X, labelled.y).mean() + 0.1


@pytest.mark.parametrize("cls", [c for c in CLASSES if c.needs_classes], ids=lambda c: c.__name__)
def test_labels_are_needed_and_may_be_strings(cls, clustered):
    with pytest.raises(ValueError, match=f"This {cls.__name__} estimator requires y to be passed"):
        cls().fit(clustered)
    with pytest.raises(ValueError, match=r"^y: holds .*, a measurement; classes are needed$"):
        cls().fit(clustered, clustered[:, 0])
    with pytest.raises(ValueError, match=r"^y: has one class"):
        cls().fit(clustered, ["same"] * 40)
    words = np.where(np.arange(40) < 20, "left", "right")
    np.testing.assert_array_equal(
        fit(cls(), clustered, words).support_, fit(cls(), clustered, words == "right").support_
    )


@pytest.mark.parametrize("seed", [3, np.random.RandomState(3), np.random.default_rng(3)])
def test_any_seed_will_do(seed, clustered):
    options = {"init": "random", "n_init": 2, "max_iter": 1000}
    assert QAlpha(k=2, random_state=seed, **options).fit(clustered).support_[:6].all()


def test_masked_values_are_refused_as_by_the_solvers(clustered):
    with pytest.raises(ValueError, match=r"^X: holds masked values; remove or fill them first$"):
        QAlpha().fit(np.ma.masked_greater(clustered, 2))
    for refused in (
        QAlpha(reweight=True).fit(clustered).transform,
        StabilitySelection(VarianceThreshold(), 5).fit,
    ):
        with pytest.raises(ValueError, match=r"^X: holds masked values"):
            refused(np.ma.masked_greater(clustered, 2))
    QAlpha().fit(np.ma.masked_greater(clustered, np.inf))


def test_constant_features_are_never_selected_first(clustered):
    clustered[:, 7] = 4.0
    with pytest.warns(UserWarning, match="1 of 30 features is constant and gets weight 0"):
        found = QAlpha(k=2).fit(clustered)
    assert not found.support_[7]
    with pytest.raises(ValueError, match=r"^X: all 3 features are constant"):
        QAlpha().fit(np.ones((5, 3)))


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: specsel.QAlpha(k=2, verbose=True), "[QAlpha] iteration 1, objective "),
        (lambda: specsel.QAlpha(k=2, rounds=2, verbose=1), "[QAlpha] iteration 1, objective "),
        (lambda: specsel.ExactSparseLDA(n_features_to_select=2, verbose=True), None),
        (
            lambda: specsel.StablePCA(retain=1e-3, n_boot=100, random_state=0, verbose=True),
            "[StablePCA] 0 features removed, gap ",
        ),
    ],
)
def test_verbose_prints_how_far_the_work_is(capsys, make, line):
    rng = np.random.default_rng(0)
    factor = rng.normal(size=(200, 1))
    X, y = rng.normal(size=(200, 6)), factor[:, 0] > 0
    X[:, :4] += 4 * factor
    make().fit(X, y)
    out = capsys.readouterr().out
    assert all(text.startswith("[") for text in out.splitlines())
    assert line is None or out.startswith(line)
    silent = make().set_params(verbose=False).fit(X, y)
    assert capsys.readouterr().out == ""
    assert silent.result_ is not None


def test_verbose_is_a_flag_or_a_number():
    with pytest.raises(ValueError, match=r"^verbose = 'no': must be a whole number at least 0$"):
        specsel.QAlpha(k=2, verbose="no").fit(datasets.example().X)
