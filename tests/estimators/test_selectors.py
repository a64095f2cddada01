"""The estimators against their solvers, inside scikit-learn, and what each does by itself."""

import inspect
import re
import warnings
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectorMixin, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import specsel
from specsel import (
    AlignmentSelector,
    ExactSparseLDA,
    GreedySparseLDA,
    PairwiseQAlpha,
    ParameterFreeWeighting,
    QAlpha,
    SideInfoQAlpha,
    StabilitySelection,
    StableLSI,
    StablePCA,
    alignment,
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
        AlignmentSelector(target="neighbours"),
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
    passed = (X, y) if cls.needs_classes else (X,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "LDA" in name:
            found = cls(n_features_to_select=4, **options).fit(X, y)
            size = {"max_size": 4} if name == "GreedySparseLDA" else {"k": 4}
            expected = solve(*passed, **size, **options)
            expected = expected[4] if name == "GreedySparseLDA" else expected
        else:
            found = cls(**options).fit(X, y)
            options = options | ({"matrix": "cosine"} if name == "StableLSI" else {})
            expected = solve(*passed, **options)
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


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_dense_data_reach_the_solver_without_a_copy(kind, rng, peak_memory):
    X = rng.standard_normal((200, 8000)).T.astype(kind).T
    X[:, :4000] += rng.standard_normal((200, 1))
    selector = QAlpha(k=2, n_features_to_select=3, tol=0.5)
    solved = peak_memory(lambda: qalpha.solve(X, 2, tol=0.5))
    own = peak_memory(lambda: selector.fit(X)) - solved
    assert own < 0.1 * X.nbytes


@pytest.mark.parametrize("cls", [c for c in CLASSES if c.needs_classes], ids=lambda c: c.__name__)
def test_labels_are_needed_and_may_be_strings(cls, clustered):
    with pytest.raises(ValueError, match=f"This {cls.__name__} estimator requires y to be passed"):
        cls().fit(clustered)
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
    found = QAlpha().fit(clustered)
    with pytest.raises(ValueError, match=r"^X: holds masked values"):
        found.inverse_transform(np.ma.masked_greater(found.transform(clustered), 0.01))
    for refused in (
        found.transform,
        QAlpha(reweight=True).fit(clustered).transform,
        StabilitySelection(VarianceThreshold(), 5).fit,
    ):
        with pytest.raises(ValueError, match=r"^X: holds masked values"):
            refused(np.ma.masked_greater(clustered, 2))
    QAlpha().fit(np.ma.masked_greater(clustered, np.inf))


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


def test_a_fit_that_fails_leaves_nothing_that_selects(clustered):
    found = QAlpha(k=2).fit(clustered).set_params(k=5)
    with pytest.raises(ValueError, match=r"^k = 5: must be from 1 to 3, "):
        found.fit(clustered[:, :3])
    for use in (found.transform, found.set_params(reweight=True).transform):
        with pytest.raises(NotFittedError):
            use(clustered[:, :3])


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
def test_bad_parameters_are_refused(options, clustered):
    with pytest.raises(ValueError, match=f"^{next(iter(options))} = "):
        ParameterFreeWeighting(**options).fit(clustered)


@pytest.mark.parametrize("reweight", [False, True])
def test_a_threshold_that_no_feature_reaches_warns(reweight, clustered):
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


@pytest.fixture
def halves():
    return np.repeat(["a", "b"], 20)


def test_alignment_without_classes_does_as_the_solver_does(clustered):
    found = AlignmentSelector().fit(clustered)
    expected = alignment.solve(clustered)
    np.testing.assert_array_equal(found.get_support(indices=True), expected.support)
    np.testing.assert_array_equal(np.argsort(found.ranking_), expected.ranking)
    np.testing.assert_array_equal(found.path_, expected.scores)
    np.testing.assert_array_equal(found.scores_, expected.relevance)
    assert found.objective_ == expected.scores.max()
    assert found.transform(clustered).shape == (40, len(expected.support))


def test_with_classes_it_uses_them_by_default(clustered, halves):
    found = AlignmentSelector(n_features_to_select=3).fit(clustered, halves)
    expected = alignment.solve(clustered, halves, n=3)
    assert found.result_.target == "classes"
    np.testing.assert_array_equal(found.get_support(indices=True), expected.support)
    without = AlignmentSelector(n_features_to_select=3, target="neighbours").fit(clustered, halves)
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


def test_the_number_of_features_may_be_chosen_by_stability_or_by_a_score(clustered, halves):
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
    search = GridSearchCV(steps, grid, cv=3, error_score="raise").fit(clustered, halves)
    assert search.best_params_["alignmentselector__n_features_to_select"] in sizes
    chosen = search.best_estimator_[0].get_support(indices=True)
    expected = alignment.solve(clustered, halves, n=len(chosen)).support
    np.testing.assert_array_equal(chosen, expected)


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


def test_a_share_that_sets_do_not_allow_is_named_as_passed(problem):
    message = "^n_features_to_select = 0.5 = 12: must be from 1 to 4, the features allowed$"
    with pytest.raises(ValueError, match=message):
        GreedySparseLDA(never=range(20)).fit(problem.X, problem.y)


@pytest.mark.parametrize("cls", [GreedySparseLDA, ExactSparseLDA])
def test_sizes_and_sets_must_agree_and_are_named_as_passed(cls, problem):
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


def test_a_meaningless_selection_warns(rng):
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
