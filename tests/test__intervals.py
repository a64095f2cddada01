"""Bootstrap intervals and the number of resamples against scipy and a literal transcription."""

import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse
import scipy.stats
from oracles import bootstrap as oracle
from similarities import counted, same, scales, skewed
from threadpoolctl import threadpool_limits

from specsel import _intervals, sbs

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


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("matrix", ["covariance", "correlation"])
@pytest.mark.parametrize("n_samples", [6, 9, 12])
def test_an_offset_that_loses_no_digit_changes_no_interval(n_samples, matrix, method, form):
    """The mean is rounded, which few samples notice most: a correlation of 1 is certain."""
    X = np.round(np.random.default_rng(n_samples).standard_normal((n_samples, 4)) * 8) / 2**9
    options = {"matrix": matrix, "method": method, "n_boot": 200, "random_state": 0}
    expected, unit = sbs.intervals(X, **options), 2.0**-12 if matrix == "covariance" else 1.0
    for power in (30, 35, 40):
        offset = 2.0**power * np.array([1, -1, 1, 0])
        np.testing.assert_array_equal(X + offset - offset, X)
        found = sbs.intervals(form(X + offset), **options)
        for end in ("A", "lower", "upper"):
            wanted = getattr(expected, end)
            np.testing.assert_allclose(getattr(found, end), wanted, rtol=0, atol=1e-12 * unit)
        np.testing.assert_allclose(found.norm, expected.norm, rtol=1e-12)


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
def test_progress_is_reported(n_boot, rounds):
    calls = []
    X = np.random.default_rng(0).random((10, 40))
    options = {"matrix": "covariance", "confidence": 0.5, "pdb": 60}
    sbs.intervals(X, n_boot=n_boot, callback=lambda *done: calls.append(done), **options)
    assert calls == [(512, 820), (820, 820)] * rounds


@pytest.mark.parametrize("matrix", MATRICES)
def test_other_features_do_not_change_an_interval(matrix):
    """Sixty features make several blocks of pairs, five hundred samples several of samples."""
    X = np.hstack([counted(seed, 500) for seed in range(12)])
    options = {"matrix": matrix, "n_boot": 150, "random_state": 0}
    found, few = sbs.intervals(X, **options), sbs.intervals(X[:, 50:], **options)
    for name in ("A", "lower", "upper"):
        np.testing.assert_allclose(
            getattr(found, name)[50:, 50:], getattr(few, name), atol=1e-9 * few.A.max()
        )


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
    "X: has 1 dimension; 2 are needed, samples x features": {
        "X": scipy.sparse.coo_array(np.ones(4))
    },
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


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("confidence", [1e-300, 1e-17, 1e-9, 1 - 1e-9, 1 - 2**-53])
def test_confidence_may_be_extreme(confidence, method):
    X = skewed() * [1, 1, 1, -1, 1]  # covariances that are skewed to either side
    options = {"matrix": "covariance", "method": method, "random_state": 0}
    found = sbs.intervals(X, n_boot=200, confidence=confidence, **options)
    for i, j in [(0, 0), (1, 3)]:
        values = oracle.resampled(X[:, i], X[:, j], "covariance", 200, 0)
        shares = [(1 - confidence) / 2, (1 + confidence) / 2]
        if method == "bca":
            shares = oracle.bca_shares(X[:, i], X[:, j], "covariance", confidence, values)
        ends = np.quantile(values, shares)
        assert [found.lower[i, j], found.upper[i, j]] == pytest.approx(ends.tolist(), rel=1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that more are needed
        most = sbs.intervals(X[:, :2], n_boot="auto", confidence=confidence, **options)
    assert most.n_boot == 20_000
    assert (most.lower <= most.upper).all()


def test_ends_stay_finite_where_the_formula_does_not():
    """All resamples on one side of the estimate, and a skewness past the pole."""
    below, skewness = np.array([0.0, 200.0, 190.0, 10.0]), np.array([0.1, -0.1, 0.9, -0.9])
    shares = _intervals._shares(_intervals.Rule(True, 0.05, 10, 0.05), below, 200, skewness)
    normal = scipy.stats.norm
    bias = normal.ppf([0.5 / 200, 199.5 / 200])
    for row, a, z0 in zip(shares, skewness, bias, strict=False):
        moved = z0 + normal.ppf([0.05, 0.95])
        np.testing.assert_allclose(row, normal.cdf(z0 + moved / (1 - a * moved)))
    assert shares[2, 1] == 1
    assert shares[3, 0] == 0
    assert ((shares >= 0) & (shares <= 1)).all()


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_the_number_of_resamples_is_found_in_three_steps(method):
    X, bca = skewed()[:, :2], method == "bca"
    options = {"matrix": "covariance", "method": method, "random_state": 8}
    found = sbs.intervals(X, n_boot="auto", pdb=15, tau=0.1, **options)
    first = int(np.ceil(oracle.first_number(0.9, 15, 0.1, bca)))
    needed = [first]
    for i, j in ((0, 0), (0, 1), (1, 1)):
        values = oracle.resampled(X[:, i], X[:, j], "covariance", first, 8)
        shares = [0.05, 0.95]
        if bca:
            shares = oracle.bca_shares(X[:, i], X[:, j], "covariance", 0.9, values)
        estimate = oracle.similarity(X[:, i], X[:, j], "covariance")
        needed.append(oracle.number_needed(estimate, values, shares, 0.9, 15, 0.1, bca))
    assert found.n_boot == int(np.ceil(max(needed)))
    same(sbs.intervals(X, n_boot=found.n_boot, **options), found, 1e-14)


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_that_many_resamples_are_as_precise_as_was_asked_for(method):
    """And a tenth of them are not."""
    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    options = {"matrix": "covariance", "method": method}
    ideal = sbs.intervals(X, n_boot=60_000, random_state=0, **options).E
    enough, fewer = [], []
    for seed in range(25):
        found = sbs.intervals(X, n_boot="auto", random_state=seed, **options)
        enough.append(np.abs(found.E / ideal - 1) <= 0.1)
        found = sbs.intervals(X, n_boot=max(found.n_boot // 10, 100), random_state=seed, **options)
        fewer.append(np.abs(found.E / ideal - 1) <= 0.1)
    assert np.mean(fewer) < 0.95 <= np.mean(enough)


def test_what_is_certain_needs_no_more_resamples():
    """Of similarities of features with themselves, all resamples are the same but for rounding."""
    X = np.random.default_rng(0).random((50, 1)) * np.arange(1.0, 20.0)
    found = sbs.intervals(X, n_boot="auto", random_state=0)
    assert found.n_boot == int(np.ceil(oracle.first_number(0.9, 10, 0.05)))


def test_there_is_a_limit_to_that_number():
    X = skewed()
    with pytest.warns(UserWarning, match="resamples are needed for all pairs; 20000 are taken"):
        assert sbs.intervals(X[:8, :2], n_boot="auto", pdb=1, random_state=0).n_boot == 20_000


def test_the_example_of_the_paper():
    """Its third and fifth cosines are .907 and .944; printed are .96 and 1."""
    X = np.array([(0, 1), (2, 3), (4, 3), (3, 0), (1, 0)], float)
    rows = [[0, 0, 2, 3, 4], [0, 1, 3, 3, 4], [0, 1, 2, 1, 4], [0, 3, 4, 3, 4], [1, 1, 2, 1, 2]]
    counts = np.array([np.bincount(row, minlength=5) for row in rows], np.uint8).T
    features, rule = _intervals._read(X, "cosine"), _intervals.Rule(False, 0.05, 10, 0.05)
    pairs, values, _ = next(_intervals._blocks(features, counts, rule, None))
    assert features.estimates[0, 1] == pytest.approx(0.75, abs=5e-3)
    np.testing.assert_allclose(values[1], [0.710, 0.396, 0.907, 0.0, 0.944], atol=1e-3)
    assert (pairs[0].tolist(), pairs[1].tolist()) == ([0, 0, 1], [0, 1, 1])


def test_quantiles_are_those_of_numpy(rng):
    values = rng.standard_normal((60, 41)).round(1)
    shares = np.sort(rng.random((60, 3)), axis=1)
    shares[:5, 0], shares[5:10, 2] = 0.0, 1.0
    shares[10:15, 1] = shares[10:15, 0]
    expected = [np.quantile(row, share) for row, share in zip(values, shares, strict=True)]
    found = _intervals._quantiles(values.copy(), shares * 40)
    np.testing.assert_allclose(found, expected, atol=1e-14)


def test_quantiles_stay_within_the_values(rng):
    """Ranks that decrease by rounding, and some outside, are the nearest ones allowed."""
    values = np.tile(rng.permutation(50) * 1.0, (4, 1))
    ranks = np.array([[20.0, 20 - 1e-14], [-1.0, 49.0], [0.0, 60.0], [7.5, 30.0]])
    found = _intervals._quantiles(values, ranks)
    np.testing.assert_allclose(found, [[20, 20], [0, 49], [0, 49], [7.5, 30]], atol=1e-12)


def test_sparse_data_stay_sparse():
    X = scipy.sparse.random_array((50_000, 100), density=0.002, random_state=0)
    sbs.intervals(X.tocsr()[:, :3], n_boot=100, random_state=0)
    tracemalloc.start()
    sbs.intervals(X, n_boot=100, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.75 * 8 * 50_000 * 100


def test_memory_is_that_of_the_matrices_and_a_block():
    X = np.random.default_rng(0).standard_normal((50, 400))
    tracemalloc.start()
    sbs.intervals(X, matrix="correlation", n_boot=400, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    values = 400 * 401 // 2 * 400 * 8
    assert peak < 0.1 * values


def test_data_are_not_changed(rng):
    X = rng.random((40, 20)) * (rng.random((40, 20)) < 0.5)
    for given in (X, scipy.sparse.csc_array(X), scipy.sparse.csr_array(X)):
        before = given.copy()
        sbs.intervals(given, matrix="correlation", n_boot=100)
        assert abs(given - before).max() == 0


PAIRS = np.triu_indices(6)
DIFFERENT = PAIRS[0] != PAIRS[1]


def accelerations(X, matrix):
    """The definition; not a number where no sample makes a difference."""
    keep, found = ~np.eye(len(X), dtype=bool), []
    for i, j in zip(*PAIRS, strict=True):
        u = np.array([oracle.similarity(X[rest, i], X[rest, j], matrix) for rest in keep])
        u = u.mean() - u
        found.append((u**3).sum() / (6 * (u**2).sum() ** 1.5) if np.ptp(u) > 1e-14 else np.nan)
    return np.array(found)


def both(X, matrix):
    for given in (X, scipy.sparse.csr_array(X)):
        yield _intervals._jackknife(_intervals._read(given, matrix))(PAIRS)


@pytest.mark.parametrize("far", [0, 1e4])
@pytest.mark.parametrize("matrix", MATRICES)
def test_accelerations_are_those_of_the_definition(matrix, far, rng):
    X = rng.poisson(1.0, (50, 6)) * rng.gamma(1.0, size=(50, 6))
    X[:, 3:] += far
    expected = accelerations(X, matrix)
    differs = np.isfinite(expected)
    assert differs[DIFFERENT & (PAIRS[0] < 3)].all()
    for found in both(X, matrix):
        np.testing.assert_allclose(found[differs], expected[differs], rtol=1e-6)
        assert not found[~differs].any()


def test_an_outlier_does_not_pass_for_rounding(rng):
    """Without it the correlation is another one."""
    X = rng.standard_normal((60, 6))
    X[7] *= 1e6
    expected = accelerations(X, "correlation")
    for found in both(X, "correlation"):
        np.testing.assert_allclose(found[DIFFERENT], expected[DIFFERENT], rtol=1e-3)
        assert not found[~DIFFERENT].any()
