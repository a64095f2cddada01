"""Bootstrap intervals against scipy and a literal transcription, pair by pair."""

import numba
import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from oracles import bootstrap as oracle
from similarities import counted, same, scales, skewed
from threadpoolctl import threadpool_limits

from specsel import sbs
from specsel._bootstrap import resamples

MATRICES = ("cosine", "covariance", "correlation", "inner")


DATA = {"skewed": skewed, "counted": counted}


def statistic(matrix):
    def of(x, y, axis):
        if matrix not in ("cosine", "inner"):
            x, y = x - x.mean(axis, keepdims=True), y - y.mean(axis, keepdims=True)
        product = (x * y).sum(axis)
        if matrix == "covariance":
            return product / (x.shape[axis] - 1)
        if matrix == "inner":
            return product
        return product / np.sqrt((x * x).sum(axis) * (y * y).sum(axis))

    return of


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("matrix", MATRICES)
def test_ends_are_those_of_scipy(matrix, method, sparse):
    X = skewed()
    given = scipy.sparse.csr_array(X) if sparse else X
    found = sbs.intervals(given, matrix=matrix, method=method, n_boot=300, random_state=4)
    for i, j in [(0, 1), (1, 3), (2, 4), (3, 2)] + [(1, 1)] * (matrix == "covariance"):
        expected = scipy.stats.bootstrap(
            (X[:, i], X[:, j]),
            statistic(matrix),
            paired=True,
            vectorized=True,
            n_resamples=300,
            confidence_level=0.9,
            method={"bca": "BCa"}.get(method, method),
            rng=np.random.default_rng(4),
        ).confidence_interval
        scale = scales(found)[i, j]
        assert found.lower[i, j] / scale == pytest.approx(expected.low / scale, abs=1e-11)
        assert found.upper[i, j] / scale == pytest.approx(expected.high / scale, abs=1e-11)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("matrix", MATRICES)
def test_ends_are_those_of_the_definition(matrix, data, sparse):
    """Where features repeat few values, resamples tie with the estimate or lack a feature."""
    X = DATA[data](3, 12)
    given = scipy.sparse.coo_array(X) if sparse else X
    found = sbs.intervals(given, matrix=matrix, n_boot=250, confidence=0.8, random_state=5)
    for i in range(5):
        for j in range(i, 5):
            low, high = oracle.bca_interval(X[:, i], X[:, j], matrix, 0.8, 250, 5)
            scale = scales(found)[i, j]
            assert found.A[i, j] == pytest.approx(oracle.similarity(X[:, i], X[:, j], matrix))
            assert found.lower[i, j] / scale == pytest.approx(low / scale, abs=1e-9)
            assert found.upper[i, j] / scale == pytest.approx(high / scale, abs=1e-9)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("matrix", MATRICES)
def test_what_is_the_same_without_any_sample_has_no_skewness(matrix, sparse):
    """Of a jackknife that varies by rounding only, dense and sparse rounding would differ."""
    X = np.zeros((60, 4))
    X[[5, 20, 40], 0] = 1  # a word in three documents: a resample in twenty lacks it
    X[[5, 20, 41], 1] = 0.1, 0.2, 0.3
    X[:, 2] = np.where(np.arange(60) % 2, 1.0, -1.0)  # the covariance is the same without any
    X[:, 3] = 7 * X[:, 2]
    given = scipy.sparse.csr_array(X) if sparse else X
    found = sbs.intervals(given, matrix=matrix, n_boot=200, random_state=0)
    for i in range(4):
        for j in range(i, 4):
            ends = oracle.bca_interval(X[:, i], X[:, j], matrix, 0.9, 200, 0)
            unit = scales(found)[i, j]
            np.testing.assert_allclose(found.lower[i, j] / unit, ends[0] / unit, atol=1e-12)
            np.testing.assert_allclose(found.upper[i, j] / unit, ends[1] / unit, atol=1e-12)
    if matrix in ("cosine", "correlation"):
        np.testing.assert_allclose(found.E.diagonal(), 0, atol=1e-12)


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("far", [1e3, 1e6, 1e9])
def test_features_far_from_zero_are_as_exact_when_sparse(matrix, far):
    """Means of up to a billion deviations, beside features of which some or most are stored."""
    X = np.random.default_rng(0).standard_normal((80, 6))
    X[:, 1] += X[:, 0]
    X[:, 2] *= X[:, 2] > 0
    X[:, [0, 1, 5]] += far
    X[:, 3] += 30
    X[7, 3] = 0.0
    found = sbs.intervals(scipy.sparse.csr_array(X), matrix=matrix, n_boot=150, random_state=0)
    same(found, sbs.intervals(X, matrix=matrix, n_boot=150, random_state=0), 1e-11)
    if matrix == "correlation":
        np.testing.assert_allclose(found.A, np.corrcoef(X.T), atol=1e-11)


@pytest.mark.parametrize("matrix", ["cosine", "correlation"])
def test_a_similarity_that_no_resample_changes_is_certain(matrix):
    x = np.random.default_rng(0).random(30)
    found = sbs.intervals(
        np.column_stack((x, 2 * x, x**3)), matrix=matrix, n_boot=200, random_state=0
    )
    np.testing.assert_allclose(found.E[:2, :2], 0, atol=1e-12)
    np.testing.assert_allclose(found.E.diagonal(), 0, atol=1e-12)
    np.testing.assert_array_equal(found.E, found.E.T)
    assert found.E[0, 2] > 0.01


def test_a_feature_that_resamples_may_lack_is_uncertain_beside_itself():
    X = np.ones((20, 2))
    X[1:, 1] = 0
    found = sbs.intervals(X, method="percentile", n_boot=200, random_state=0)
    assert (found.lower[1, 1], found.upper[1, 1]) == (0, pytest.approx(1))


@pytest.mark.parametrize("matrix", MATRICES)
def test_blocks_do_not_change_what_comes_out(matrix, monkeypatch):
    X = np.hstack((skewed(1), counted(1, 60), skewed(2)))
    whole = sbs.intervals(X, matrix=matrix, n_boot=150, random_state=0)
    for pairs, samples, draws in ((7, 11, 1), (1, 3, 40), (64, 600, 1000)):
        monkeypatch.setattr(resamples, "PAIRS", pairs)
        monkeypatch.setattr(resamples, "SAMPLES", samples)
        monkeypatch.setattr(resamples, "DRAWS", draws)
        same(sbs.intervals(X, matrix=matrix, n_boot=150, random_state=0), whole, 1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_same_bits_for_any_number_of_threads(sparse, set_threads):
    X = np.hstack([counted(seed, 200) for seed in range(8)])
    X = scipy.sparse.csr_array(X) if sparse else X
    found = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        set_threads(threads)
        found.append(sbs.intervals(X, matrix="correlation", random_state=1))
    for name in ("A", "lower", "upper"):
        np.testing.assert_array_equal(getattr(found[0], name), getattr(found[1], name))


@pytest.mark.parametrize("matrix", MATRICES)
def test_threads_of_the_linear_algebra_change_no_more_than_rounding(matrix):
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, "blas"):
            X = np.random.default_rng(0).standard_normal((500, 40))
            found.append(sbs.intervals(X, matrix=matrix, n_boot=400, random_state=0))
    same(found[0], found[1], 1e-12)


@pytest.mark.parametrize("matrix", MATRICES)
def test_storage_does_not_matter(matrix):
    X = counted(2)
    found = sbs.intervals(X, matrix=matrix, n_boot=150, random_state=0)
    read_only = X.copy()
    read_only.flags.writeable = False
    for other in (np.asfortranarray(X), read_only, X.astype(np.int16), X.astype(np.float32)):
        same(sbs.intervals(other, matrix=matrix, n_boot=150, random_state=0), found)
    for form in (scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_array):
        same(sbs.intervals(form(X), matrix=matrix, n_boot=150, random_state=0), found)


def test_scale_does_not_matter():
    X = skewed()
    for matrix, power in (("cosine", 0), ("correlation", 0), ("covariance", 2), ("inner", 2)):
        found = sbs.intervals(X, matrix=matrix, n_boot=150, random_state=0)
        for factor in (1e-60, 1e60):
            other = sbs.intervals(X * factor, matrix=matrix, n_boot=150, random_state=0)
            np.testing.assert_allclose(other.E / factor**power, found.E, rtol=1e-8, atol=1e-12)


def test_features_without_variation_are_left_out_with_a_warning():
    X = np.insert(skewed(), 1, 3.0, axis=1)
    rest = np.delete(np.arange(6), 1)
    for given in (X, scipy.sparse.csr_array(X)):
        with pytest.warns(UserWarning, match="^1 of 6 features is constant and is left out$"):
            found = sbs.intervals(given, matrix="correlation", n_boot=150, random_state=0)
        assert found.constant.tolist() == [1]
        assert not found.A[1].any()
        assert not found.E[1].any()
        expected = sbs.intervals(X[:, rest], matrix="correlation", n_boot=150, random_state=0)
        np.testing.assert_allclose(found.E[np.ix_(rest, rest)], expected.E, atol=1e-12)
        X[:, 1] = 0.0
        given = scipy.sparse.csr_array(X) if scipy.sparse.issparse(given) else X
        with pytest.warns(UserWarning, match="^1 of 6 features is zero and is left out$"):
            assert sbs.intervals(given, n_boot=150, random_state=0).constant.tolist() == [1]
        X[:, 1] = 3.0
    assert sbs.intervals(X, n_boot=150, random_state=0).constant.tolist() == []


def covers(found, truth):
    return (found.lower <= truth) & (truth <= found.upper)


def test_intervals_cover_the_truth_as_often_as_they_say():
    rng, truth = np.random.default_rng(0), np.eye(20)
    truth[np.arange(0, 20, 2), np.arange(1, 20, 2)] = 0.6
    half = np.linalg.cholesky(truth + np.triu(truth, 1).T)
    correlations, cosines = [], []
    for seed in range(12):
        X = rng.standard_normal((200, 20)) @ half.T
        found = sbs.intervals(X, matrix="correlation", random_state=seed)
        correlations.append(covers(found, truth)[np.triu_indices(20, 1)])
        found = sbs.intervals(rng.random((200, 20)), random_state=seed)
        cosines.append(covers(found, 0.75)[np.triu_indices(20, 1)])
    assert np.mean(correlations) == pytest.approx(0.9, abs=0.02)
    assert np.mean(cosines) == pytest.approx(0.9, abs=0.02)


def test_bca_covers_a_skewed_variance_better_than_percentiles():
    rng, shares = np.random.default_rng(1), {}
    X = [rng.exponential(size=(100, 60)) for _ in range(6)]
    for method in ("bca", "percentile"):
        found = [sbs.intervals(x, matrix="covariance", method=method, random_state=0) for x in X]
        shares[method] = np.mean([covers(part, 1.0).diagonal() for part in found])
    assert shares["percentile"] + 0.02 < shares["bca"] < 0.92


@pytest.mark.parametrize(("n_boot", "rounds"), [(100, 1), ("auto", 2)])
def test_progress_is_told(n_boot, rounds):
    calls = []
    X = np.random.default_rng(0).random((10, 40))
    options = {"matrix": "covariance", "confidence": 0.5, "pdb": 60}
    sbs.intervals(X, n_boot=n_boot, callback=lambda *told: calls.append(told), **options)
    assert calls == [(512, 820), (820, 820)] * rounds


def broken(*values):
    X = skewed()
    for sample, feature, value in values:
        X[sample, feature] = value
    return X


BAD = {
    "matrix = 'gram': must be one of cosine, covariance, correlation, inner": {"matrix": "gram"},
    "method = 'basic': must be one of bca, percentile": {"method": "basic"},
    "confidence = 1: must be between 0 and 1": {"confidence": 1},
    "confidence = 0.0: must be between 0 and 1": {"confidence": 0.0},
    "confidence = nan: must be between 0 and 1": {"confidence": float("nan")},
    "n_boot = 99: must be from 100 to 1000000": {"n_boot": 99},
    "n_boot = 200.0: must be a whole number from 100 to 1000000": {"n_boot": 200.0},
    "n_boot = 'many': must be a whole number from 100 to 1000000": {"n_boot": "many"},
    "pdb = 0: must be a finite number above 0": {"pdb": 0},
    "tau = 1: must be between 0 and 1": {"tau": 1},
    "callback = 1: must be a function or None": {"callback": 1},
    "random_state = -1: must be None, a whole number at least 0, or a Generator": {
        "random_state": -1
    },
    "X: has 2 samples; at least 3 are needed": {"X": skewed()[:2]},
    "X: has 1 sample; at least 3 are needed": {"X": scipy.sparse.csr_array(skewed()[:1])},
    "X: has 1 dimension; 2 are needed, samples x features": {"X": np.arange(5.0)},
    "X: 2 values are NaN or infinite, first at sample 1, feature 4; finite numbers are needed": {
        "X": broken((3, 2, np.inf), (1, 4, np.nan))
    },
    "X: 2 values are NaN or infinite, first at sample 2, feature 4; finite numbers are needed": {
        "X": scipy.sparse.csr_array(broken((3, 2, np.inf), (2, 4, np.nan)))
    },
    "X: has dtype complex128; real numbers are needed": {
        "X": scipy.sparse.csr_array(skewed() * 1j)
    },
    "X: has shape (5, 0); it must not be empty": {"X": scipy.sparse.csr_array((5, 0))},
    "X: all 5 features are zero; at least one must vary": {"X": np.zeros((4, 5))},
    "X: all 2 features are constant; at least one must vary": {
        "X": scipy.sparse.csr_array(np.ones((4, 2))),
        "matrix": "covariance",
    },
    "X: values are too large or too small to be standardised; rescale them": {
        "X": skewed() * 1e90
    },
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_refused_in_one_line(message):
    options = {"X": skewed(), "n_boot": 100} | BAD[message]
    with pytest.raises(ValueError) as caught:
        sbs.intervals(**options)
    assert str(caught.value) == message


def test_a_sparse_vector_is_refused():
    with pytest.raises(
        ValueError, match=r"^X: has 1 dimension; 2 are needed, samples x features$"
    ):
        sbs.intervals(scipy.sparse.coo_array(np.ones(4)))
