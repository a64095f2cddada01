"""The generators against their definitions: moments, distributions, what a permutation leaves."""

import dataclasses
import math
import re

import numpy as np
import pytest
from scipy import stats

from specsel import datasets

GENERATORS = [
    datasets.weston_linear,
    datasets.weston_nonlinear,
    datasets.growing_classes,
    datasets.two_gaussians,
    datasets.four_gaussians,
    datasets.lda_problem,
]
GAUSSIANS = [(datasets.two_gaussians, 2), (datasets.four_gaussians, 4)]
PAIRS = [datasets.wishart_pair, datasets.brownian_pair]
BY_NAME = pytest.mark.parametrize("generate", [*GENERATORS, *PAIRS], ids=lambda f: f.__name__)
BOTH_PAIRS = pytest.mark.parametrize("generate", PAIRS, ids=lambda f: f.__name__)


def largest_correlation(X):
    """Largest modulus of a correlation between two columns."""
    correlations = np.corrcoef(X, rowvar=False)
    return np.abs(correlations[np.triu_indices_from(correlations, k=1)]).max()


def assert_uniform(values, low, high):
    """Check that values are uniform between two ends, and reach nearly to both."""
    assert stats.kstest(np.ravel(values), stats.uniform(low, high - low).cdf).pvalue > 1e-3
    assert np.ptp(values) > 0.98 * (high - low)


def class_means(X, y):
    return np.array([X[y == label].mean(axis=0) for label in np.unique(y)])


def class_variances(X, y):
    return np.array([X[y == label].var(axis=0, ddof=1) for label in np.unique(y)])


def between_share(X, y):
    """Share of each feature's variance that lies between the classes."""
    residual = X - class_means(X, y)[np.unique(y, return_inverse=True)[1]]
    return 1 - residual.var(axis=0) / X.var(axis=0)


def arrays(drawn):
    """Return everything that was drawn, and the part in which no two draws have equal numbers."""
    if isinstance(drawn, tuple):
        return list(drawn), np.array(drawn)
    return [drawn.X, drawn.y, drawn.relevant], drawn.X


def assert_same(first, second):
    for one, other in zip(arrays(first)[0], arrays(second)[0], strict=True):
        np.testing.assert_array_equal(one, other)


def assert_others(first, second):
    assert not np.isin(arrays(first)[1], arrays(second)[1]).any()


@pytest.mark.parametrize(
    ("call", "shape", "n_relevant", "labels"),
    [
        (lambda: datasets.weston_linear(), (60, 202), 6, [-1, 1]),
        (lambda: datasets.weston_linear(20, n_features=6), (20, 6), 6, [-1, 1]),
        (lambda: datasets.weston_nonlinear(), (60, 52), 2, [-1, 1]),
        (lambda: datasets.weston_nonlinear(20, n_features=2), (20, 2), 2, [-1, 1]),
        (lambda: datasets.growing_classes(), (60, 125), 5, [0, 1]),
        (lambda: datasets.growing_classes(1), (60, 125), 5, [0]),
        (lambda: datasets.growing_classes(n_relevant=3, n_irrelevant=0), (60, 3), 3, [0, 1]),
        (lambda: datasets.two_gaussians(), (100, 203), 3, [0, 1]),
        (lambda: datasets.two_gaussians(n_samples=2, n_features=3), (2, 3), 3, [0, 1]),
        (lambda: datasets.four_gaussians(), (100, 200), 3, [0, 1, 2, 3]),
        (lambda: datasets.four_gaussians(n_relevant=7, n_features=9), (100, 9), 7, [0, 1, 2, 3]),
        (lambda: datasets.example(), (90, 40), 6, [0, 1, 2]),
        (lambda: datasets.lda_problem(10), (500, 10), 10, [0, 1]),
        (lambda: datasets.lda_problem(3, n_samples=9, n_relevant=3), (9, 3), 3, [0, 1]),
    ],
)
def test_form(call, shape, n_relevant, labels):
    data = call()
    assert data.X.shape == shape
    assert data.X.dtype == np.float64
    assert data.X.flags.c_contiguous
    assert np.isfinite(data.X).all()
    assert data.y.shape == shape[:1]
    assert data.y.dtype.kind == "i"
    assert np.unique(data.y).tolist() == labels
    assert data.relevant.dtype.kind == "i"
    assert data.relevant.size == n_relevant
    assert (np.diff(data.relevant) > 0).all()
    if data.names is None:
        assert data.relevant.tolist() == list(range(n_relevant))


@BY_NAME
def test_the_seed_decides(generate):
    assert_same(generate(), generate(random_state=0))
    assert_others(generate(random_state=7), generate(random_state=8))
    rng = np.random.default_rng(7)
    first, second = generate(random_state=rng), generate(random_state=rng)
    assert_same(first, generate(random_state=7))
    assert_others(first, second)


@pytest.mark.parametrize("generate", [*GENERATORS, *PAIRS, datasets.example])
def test_the_global_random_state_is_left_alone(generate):
    legacy = np.random.mtrand._rand
    first = generate()
    legacy.random_sample(3)
    before = legacy.get_state()
    assert_same(first, generate())
    after = legacy.get_state()
    np.testing.assert_array_equal(before[1], after[1])
    assert before[2:] == after[2:]


@pytest.fixture(scope="module")
def linear():
    return datasets.weston_linear(200_000, n_features=8, random_state=1)


@pytest.fixture(scope="module")
def nonlinear():
    return datasets.weston_nonlinear(200_000, n_features=4, random_state=1)


@pytest.mark.parametrize("name", ["linear", "nonlinear"])
def test_weston_labels_are_balanced_and_unordered(name, request):
    y = request.getfixturevalue(name).y
    assert abs(y.mean()) < 0.01
    assert abs((y[1:] * y[:-1]).mean()) < 0.01


@pytest.mark.parametrize("name", ["linear", "nonlinear"])
def test_weston_noise_has_variance_twenty_and_no_structure(name, request):
    data = request.getfixturevalue(name)
    noise = data.X[:, data.relevant.size :]
    np.testing.assert_allclose(noise.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(noise.var(axis=0), 20, rtol=0.02)
    assert stats.kstest(noise[:5000, 0] / math.sqrt(20), stats.norm.cdf).pvalue > 1e-3
    assert largest_correlation(np.column_stack([data.X, data.y])[:, data.relevant.size :]) < 0.015
    relevant = data.X[:, data.relevant]
    assert np.abs(np.corrcoef(relevant.T, noise.T)[: data.relevant.size, -2:]).max() < 0.015


def test_weston_linear_has_the_moments_of_its_mixture(linear):
    first, second = np.array([[1, 2, 3, 0, 0, 0], [0, 0, 0, 1, 2, 3]])
    signed = linear.y[:, None] * linear.X[:, :6]
    mean = 0.7 * first + 0.3 * second
    moments = np.eye(6) + 0.7 * np.outer(first, first) + 0.3 * np.outer(second, second)
    np.testing.assert_allclose(signed.mean(axis=0), mean, atol=0.03)
    np.testing.assert_allclose(signed.T @ signed / len(signed), moments, atol=0.1)


def test_weston_linear_puts_the_signal_in_one_triple_a_sample(linear):
    signed = linear.y[:, None] * linear.X[:, :6]
    weights = np.array([1, 2, 3, -1, -2, -3])
    in_first = signed @ weights > 0
    assert in_first.mean() == pytest.approx(0.7, abs=0.01)
    for label in (-1, 1):
        chosen = linear.y == label
        assert in_first[chosen].mean() == pytest.approx(0.7, abs=0.01)
    for branch, mean in ((in_first, [1, 2, 3, 0, 0, 0]), (~in_first, [0, 0, 0, 1, 2, 3])):
        np.testing.assert_allclose(signed[branch].mean(axis=0), mean, atol=0.05)
        np.testing.assert_allclose(signed[branch].var(axis=0), 1, atol=0.1)


@pytest.mark.parametrize(("label", "center"), [(-1, (0.75, 3.0)), (1, (3.0, -3.0))])
def test_weston_nonlinear_has_two_opposite_clusters_a_class(nonlinear, label, center):
    X = nonlinear.X[nonlinear.y == label, :2]
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=0.06)
    moments = np.eye(2) + np.outer(center, center)
    np.testing.assert_allclose(X.T @ X / len(X), moments, atol=0.1)
    side = np.sign(X @ center)
    assert abs(side.mean()) < 0.02
    clusters = side[:, None] * X
    np.testing.assert_allclose(clusters.mean(axis=0), center, atol=0.03)
    np.testing.assert_allclose(np.cov(clusters.T), np.eye(2), atol=0.05)


@pytest.mark.parametrize("n_classes", range(1, 10))
def test_growing_classes_are_equal_in_size(n_classes):
    y = datasets.growing_classes(n_classes, n_irrelevant=1).y
    assert np.bincount(y).tolist() == [math.ceil(60 / n_classes)] * n_classes
    assert (np.diff(y) >= 0).all()


@pytest.mark.parametrize(("generate", "n_classes"), GAUSSIANS)
@pytest.mark.parametrize("n_samples", range(4, 14))
def test_gaussians_share_the_samples_evenly(generate, n_classes, n_samples):
    y = generate(n_samples=n_samples, n_features=4).y
    sizes = np.bincount(y, minlength=n_classes)
    assert sizes.sum() == n_samples
    assert sizes.max() - sizes.min() <= 1
    assert (np.diff(y) >= 0).all()


@pytest.fixture(scope="module", params=["growing_classes", "two_gaussians", "four_gaussians"])
def clusters(request):
    """Data, half-width of the centres, range of the variances; 200 relevant features of 300."""
    if request.param == "growing_classes":
        data = datasets.growing_classes(2, n_samples=4000, n_relevant=200, n_irrelevant=100)
        return data, 1.0, (0.0, 0.02)
    if request.param == "two_gaussians":
        data = datasets.two_gaussians(n_samples=4000, n_relevant=200, n_features=300)
        return data, 0.5, (0.5, 1.5)
    data = datasets.four_gaussians(n_samples=8000, n_relevant=200, n_features=300, spread=6)
    return data, 3.0, (0.5, 1.5)


def test_clusters_have_uniform_centers_and_variances(clusters):
    data, half_width, variance_range = clusters
    X = data.X[:, data.relevant]
    centers, variances = class_means(X, data.y), class_variances(X, data.y)
    assert_uniform(centers, -half_width, half_width)
    assert_uniform(variances, *variance_range)
    assert largest_correlation(np.vstack([centers, variances]).T) < 0.35


def test_clusters_are_gaussians_of_diagonal_covariance(clusters):
    data, *_ = clusters
    X = data.X[data.y == 0][:, data.relevant]
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    assert stats.kstest(standard[:, :20].ravel(), stats.norm.cdf).pvalue > 1e-3
    assert largest_correlation(X) < 5.5 / math.sqrt(len(X))


def test_only_relevant_features_know_the_classes(clusters):
    data, *_ = clusters
    share = between_share(data.X, data.y)
    irrelevant = np.delete(share, data.relevant)
    assert irrelevant.max() < 25 / len(data.y)
    assert np.median(share[data.relevant]) > 3 * irrelevant.max()


def test_permutations_are_independent(clusters):
    data, *_ = clusters
    irrelevant = np.delete(data.X, data.relevant, axis=1)
    bound = 5.5 / math.sqrt(len(data.y))
    assert largest_correlation(irrelevant) < bound
    assert largest_correlation(irrelevant**2) < 2 * bound
    lagged = [stats.pearsonr(x[1:], x[:-1]).statistic for x in irrelevant.T]
    assert np.abs(lagged).max() < bound


def test_a_permuted_feature_alone_looks_like_a_relevant_one(clusters):
    data, *_ = clusters
    relevant = data.X[:, data.relevant]
    irrelevant = np.delete(data.X, data.relevant, axis=1)
    for statistic in (np.mean, np.var, stats.kurtosis):
        values = statistic(relevant, axis=0), statistic(irrelevant, axis=0)
        assert stats.ks_2samp(*values).pvalue > 1e-3


def test_a_permuted_feature_keeps_its_two_clusters():
    """Of all equal splits the one at the median is tightest, so no looser than the clusters."""
    data = datasets.growing_classes(2, n_samples=4000)
    low, high = np.split(np.sort(data.X[:, 5:], axis=0), 2)
    assert (low.var(axis=0) + high.var(axis=0)).max() < 0.042
    assert data.X[:, 5:].var(axis=0).max() > 0.5


@pytest.mark.parametrize(("generate", "n_classes"), GAUSSIANS)
def test_spread_scales_the_means_alone(generate, n_classes):
    none, one, nine = (generate(n_features=5, spread=spread) for spread in (0, 1.0, 9))
    np.testing.assert_allclose(
        nine.X[:, :3] - none.X[:, :3], 9 * (one.X[:, :3] - none.X[:, :3]), atol=1e-12
    )
    shifts = one.X[:, :3] - none.X[:, :3]
    assert class_variances(shifts, one.y).max() < 1e-28
    assert len(np.unique(shifts[:, 0].round(12))) == n_classes


def test_example_is_always_the_same():
    changed = datasets.example()
    expected = changed.X.copy()
    changed.X[:] = 0
    np.testing.assert_array_equal(datasets.example().X, expected)


def test_example_names_its_features_in_a_shuffled_order():
    data = datasets.example()
    signals = [f"signal_{i}" for i in range(1, 7)]
    noises = [f"noise_{i:02}" for i in range(1, 35)]
    assert sorted(data.names) == sorted(signals + noises)
    assert sorted(data.names[i] for i in data.relevant) == signals
    assert list(data.names) not in (signals + noises, sorted(data.names))
    assert data.relevant.max() - data.relevant.min() > 6
    assert all(type(name) is str for name in data.names)


def test_example_has_three_clusters_in_its_signals():
    data = datasets.example()
    assert np.bincount(data.y).tolist() == [30, 30, 30]
    share = between_share(data.X, data.y)
    assert share[data.relevant].min() > 0.85
    assert np.delete(share, data.relevant).max() < 0.2
    first, second, third = class_means(data.X[:, data.relevant], data.y)
    for pair in ((first, second), (second, third), (third, first)):
        assert math.dist(*pair) > 1.5


def test_a_data_set_is_frozen_and_prints_one_line():
    data = datasets.weston_linear(20)
    with pytest.raises(dataclasses.FrozenInstanceError):
        data.X = None
    assert repr(data) == "Dataset(20 samples x 202 features, 6 relevant)"


@BOTH_PAIRS
@pytest.mark.parametrize("n_features", [1, 2, 12])
@pytest.mark.parametrize("rank", [None, 1])
def test_a_pair_has_the_form_that_sparse_lda_needs(generate, n_features, rank):
    for matrix in (pair := generate(n_features, rank=rank, random_state=n_features)):
        assert matrix.shape == (n_features, n_features)
        assert matrix.dtype == np.float64
        assert matrix.flags.c_contiguous
        assert np.isfinite(matrix).all()
        np.testing.assert_array_equal(matrix, matrix.T)
    A, B = (np.linalg.eigvalsh(matrix) for matrix in pair)
    assert A[0] >= -1e-12 * A[-1]
    assert B[0] > 1e-5 * B[-1]


@BOTH_PAIRS
@pytest.mark.parametrize("rank", [1, 2, 9, 12, None])
def test_the_first_of_a_pair_has_the_rank_asked_for(generate, rank):
    A, B = generate(12, rank=rank)
    assert np.linalg.matrix_rank(A) == (rank or 12)
    assert np.linalg.matrix_rank(B) == 12


def test_wishart_spectra_follow_the_law_of_marchenko_and_pastur():
    for matrix in datasets.wishart_pair(200):
        values = np.linalg.eigvalsh(matrix)
        edges = (1 - math.sqrt(0.5)) ** 2, (1 + math.sqrt(0.5)) ** 2
        np.testing.assert_allclose(values[[0, -1]], edges, rtol=0.15)
        assert values.mean() == pytest.approx(1, abs=0.03)
    values = np.linalg.eigvalsh(datasets.wishart_pair(200, rank=50)[0])[-50:]
    np.testing.assert_allclose(values[[0, -1]], [1, 9], rtol=0.15)


def test_a_wishart_pair_is_well_conditioned():
    B = [datasets.wishart_pair(40, random_state=seed)[1] for seed in range(50)]
    assert np.linalg.cond(B).max() < 60


def test_wishart_matrices_are_isotropic_and_independent():
    pairs = np.array([datasets.wishart_pair(4, random_state=seed) for seed in range(2000)])
    np.testing.assert_allclose(pairs.mean(axis=0), np.array([np.eye(4)] * 2), atol=0.06)
    upper = pairs[:, :, *np.triu_indices(4)].reshape(len(pairs), -1)
    assert largest_correlation(upper) < 5.5 / math.sqrt(len(pairs))


@pytest.mark.parametrize("rank", [None, 1])
def test_identity_leaves_the_first_matrix_as_it_is(rank):
    A, B = datasets.wishart_pair(7, rank=rank, identity=True)
    np.testing.assert_array_equal(A, datasets.wishart_pair(7, rank=rank)[0])
    np.testing.assert_array_equal(B, np.eye(7))


@pytest.fixture(scope="module")
def exponents():
    """Hurst exponents of 150 pairs, by the variance of a step and by that of two steps in turn."""
    n_features = 64
    pairs = [datasets.brownian_pair(n_features, random_state=seed) for seed in range(150)]
    origin = np.pad(np.array(pairs), ((0, 0), (0, 0), (1, 0), (1, 0)))
    steps = np.diff(np.diff(origin, axis=2), axis=3)
    variance = np.trace(steps, axis1=2, axis2=3) / n_features
    neighbours = np.trace(steps, offset=1, axis1=2, axis2=3) / (n_features - 1)
    by_variance = -np.log(variance) / (2 * math.log(n_features))
    by_correlation = (1 + np.log2(1 + neighbours / variance)) / 2
    return by_variance, by_correlation


def test_brownian_paths_have_the_steps_of_one_exponent(exponents):
    by_variance, by_correlation = exponents
    np.testing.assert_allclose(by_variance, by_correlation, atol=0.06)


def test_brownian_exponents_are_uniform_and_independent(exponents):
    by_variance, _ = exponents
    assert_uniform(by_variance, 0.1, 0.9)
    assert largest_correlation(by_variance) < 5.5 / math.sqrt(len(by_variance))


def test_brownian_covariances_are_those_of_stationary_steps_from_zero():
    """The mean over all exponents of ``(s^2H + t^2H - |s - t|^2H) / 2``."""
    drawn = np.mean([datasets.brownian_pair(5, random_state=seed) for seed in range(3000)], axis=0)
    times = np.arange(1, 6) / 5
    exponents = 2 * np.linspace(0.1, 0.9, 801)[:, None, None]
    powers = times**exponents
    apart = np.abs(np.subtract.outer(times, times)) ** exponents
    expected = ((powers.transpose(0, 2, 1) + powers - apart) / 2).mean(axis=0)
    np.testing.assert_allclose(drawn, np.array([expected] * 2), atol=0.03)


@pytest.mark.parametrize(("n_features", "most"), [(16, 5e4), (60, 3e6)])
def test_the_condition_of_a_brownian_pair_is_as_documented(n_features, most):
    B = [datasets.brownian_pair(n_features, random_state=seed)[1] for seed in range(50)]
    condition = np.linalg.cond(B)
    assert condition.max() < most
    assert condition.max() > 10 * condition.min()


@pytest.fixture(scope="module", params=[-0.5, 0.0, 0.9])
def correlated(request):
    call = {"n_samples": 100_000, "n_relevant": 3, "correlation": request.param}
    return datasets.lda_problem(8, **call, random_state=1), request.param


def test_lda_features_are_standard_and_correlated_by_distance(correlated):
    data, correlation = correlated
    np.testing.assert_allclose(data.X.mean(axis=0), 0, atol=0.02)
    apart = np.abs(np.subtract.outer(np.arange(8), np.arange(8)))
    np.testing.assert_allclose(np.cov(data.X.T), np.power(correlation, apart), atol=0.02)
    assert stats.kstest(data.X[:5000, -1], stats.norm.cdf).pvalue > 1e-3
    assert largest_correlation(np.column_stack([data.X[1:, -1], data.X[:-1, -1]])) < 0.02


def test_lda_labels_are_a_probit_of_the_sum_of_the_relevant_features(correlated):
    data, _ = correlated
    score = data.X[:, data.relevant].sum(axis=1)
    chance = stats.norm.cdf(score / 2)
    assert data.y.mean() == pytest.approx(0.5, abs=0.01)
    for low in np.arange(0, 1, 0.1):
        chosen = (chance >= low) & (chance < low + 0.1)
        assert data.y[chosen].mean() == pytest.approx(chance[chosen].mean(), abs=0.03)


def test_lda_labels_without_noise_are_the_sign_of_the_sum():
    data = datasets.lda_problem(9, n_relevant=2, noise=0)
    np.testing.assert_array_equal(data.y, data.X[:, data.relevant].sum(axis=1) > 0)


def test_noise_moves_the_labels_of_an_lda_problem_alone():
    quiet, loud = (datasets.lda_problem(noise=noise) for noise in (1, 6.0))
    np.testing.assert_array_equal(quiet.X, loud.X)
    assert 0.05 < (quiet.y != loud.y).mean() < 0.5


@pytest.mark.parametrize(
    ("n_features", "n_relevant", "relevant"),
    [(6, 3, [0, 2, 4]), (10, 4, [0, 2, 5, 7]), (4, 4, [0, 1, 2, 3]), (5, 1, [0])],
)
def test_relevant_features_of_an_lda_problem_are_evenly_spread(n_features, n_relevant, relevant):
    data = datasets.lda_problem(n_features, n_relevant=n_relevant)
    assert data.relevant.tolist() == relevant


def test_relevant_features_in_random_places_leave_the_data_as_they_are():
    even = datasets.lda_problem(50, random_state=2)
    found = [datasets.lda_problem(50, places="random", random_state=2) for _ in range(2)]
    np.testing.assert_array_equal(found[0].X, even.X)
    assert len({*found[0].relevant.tolist()}) == 10
    assert found[0].relevant.tolist() == found[1].relevant.tolist() != even.relevant.tolist()
    score = found[0].X[:, found[0].relevant].sum(axis=1)
    assert ((score > 0) == found[0].y).mean() > 0.7
    with pytest.raises(ValueError, match="places = 'odd'"):
        datasets.lda_problem(places="odd")


@pytest.mark.parametrize(
    ("name", "argument", "value", "rule"),
    [
        ("weston_linear", "n_samples", 1, "at least 2"),
        ("weston_linear", "n_samples", 60.0, "a whole number at least 2"),
        ("weston_linear", "n_samples", "60", "a whole number at least 2"),
        ("weston_linear", "n_features", 5, "at least 6"),
        ("weston_linear", "random_state", "0", "None, a whole number at least 0, or a Generator"),
        ("weston_nonlinear", "n_samples", -3, "at least 2"),
        ("weston_nonlinear", "n_features", 1, "at least 2"),
        ("growing_classes", "n_classes", 0, "at least 1"),
        ("growing_classes", "n_classes", 2.5, "a whole number at least 1"),
        ("growing_classes", "n_samples", 1, "at least 2"),
        ("growing_classes", "n_relevant", 0, "at least 1"),
        ("growing_classes", "n_irrelevant", -1, "at least 0"),
        ("two_gaussians", "n_samples", 1, "at least 2"),
        ("two_gaussians", "n_relevant", 0, "at least 1"),
        ("two_gaussians", "n_features", 2, "at least 3"),
        ("two_gaussians", "spread", -1.0, "a finite number at least 0"),
        ("two_gaussians", "spread", math.nan, "a finite number at least 0"),
        ("four_gaussians", "n_samples", 3, "at least 4"),
        ("four_gaussians", "n_features", None, "a whole number at least 3"),
        ("four_gaussians", "spread", "wide", "a finite number at least 0"),
        ("wishart_pair", "n_features", 0, "at least 1"),
        ("wishart_pair", "n_features", 4.0, "a whole number at least 1"),
        ("wishart_pair", "rank", 41, "from 1 to 40, n_features"),
        ("wishart_pair", "rank", "full", "a whole number from 1 to 40, n_features"),
        ("wishart_pair", "random_state", -1, "None, a whole number at least 0, or a Generator"),
        ("brownian_pair", "n_features", -1, "at least 1"),
        ("brownian_pair", "rank", 0, "from 1 to 16, n_features"),
        ("lda_problem", "n_features", 0, "at least 1"),
        ("lda_problem", "n_samples", 1, "at least 2"),
        ("lda_problem", "n_relevant", 101, "from 1 to 100, n_features"),
        ("lda_problem", "correlation", -1.0, "between -1 and 1, both excluded"),
        ("lda_problem", "correlation", math.nan, "a finite number"),
        ("lda_problem", "noise", -0.5, "a finite number at least 0"),
    ],
)
def test_bad_input_is_named(name, argument, value, rule):
    message = f"{argument} = {value!r}: must be {rule}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as error:
        getattr(datasets, name)(**{argument: value})
    assert error.value.__suppress_context__ or error.value.__context__ is None
