"""Problems of sparse LDA against their definitions."""

import math
import re

import numpy as np
import pytest
from moments import assert_uniform, largest_correlation
from scipy import stats

from specsel import datasets

PAIRS = [datasets.wishart_pair, datasets.brownian_pair]


BOTH_PAIRS = pytest.mark.parametrize("generate", PAIRS, ids=lambda f: f.__name__)


def assert_same_pair(first, second):
    np.testing.assert_array_equal(np.array(first), np.array(second))


@BOTH_PAIRS
def test_the_seed_of_a_pair_decides(generate):
    assert_same_pair(generate(), generate(random_state=0))
    assert not np.isin(generate(random_state=7), generate(random_state=8)).any()
    rng = np.random.default_rng(7)
    first, second = generate(random_state=rng), generate(random_state=rng)
    assert_same_pair(first, generate(random_state=7))
    assert not np.isin(first, second).any()


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


@BOTH_PAIRS
def test_the_matrices_of_a_pair_differ(generate):
    A, B = generate()
    assert not np.isin(A, B).any()


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


@BOTH_PAIRS
def test_the_global_random_state_is_left_alone(generate):
    before = np.random.mtrand._rand.get_state()[2]
    assert_same_pair(generate(), generate())
    assert np.random.mtrand._rand.get_state()[2] == before


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: datasets.wishart_pair(0), "n_features = 0: must be at least 1"),
        (
            lambda: datasets.wishart_pair(4.0),
            "n_features = 4.0: must be a whole number at least 1",
        ),
        (
            lambda: datasets.wishart_pair(4, rank=5),
            "rank = 5: must be from 1 to 4, n_features",
        ),
        (
            lambda: datasets.wishart_pair(rank="full"),
            "rank = 'full': must be a whole number from 1 to 40, n_features",
        ),
        (lambda: datasets.brownian_pair(-1), "n_features = -1: must be at least 1"),
        (
            lambda: datasets.brownian_pair(rank=0),
            "rank = 0: must be from 1 to 16, n_features",
        ),
        (lambda: datasets.lda_problem(0), "n_features = 0: must be at least 1"),
        (lambda: datasets.lda_problem(n_samples=1), "n_samples = 1: must be at least 2"),
        (
            lambda: datasets.lda_problem(9),
            "n_relevant = 10: must be from 1 to 9, n_features",
        ),
        (
            lambda: datasets.lda_problem(correlation=-1.0),
            "correlation = -1.0: must be between -1 and 1, both excluded",
        ),
        (
            lambda: datasets.lda_problem(correlation=math.nan),
            "correlation = nan: must be a finite number",
        ),
        (
            lambda: datasets.lda_problem(noise=-0.5),
            "noise = -0.5: must be a finite number at least 0",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as error:
        call()
    assert error.value.__suppress_context__ or error.value.__context__ is None


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
