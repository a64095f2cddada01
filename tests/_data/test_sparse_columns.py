"""Kernels that measure sparse features, against the same features written out."""

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import rankdata

from specsel._data import sparse_columns
from specsel._data.stored import Stored

FORMS = [(sparse.csc_array, float), (sparse.csr_array, float), (sparse.csc_array, np.float32)]
N = 14
CUTS = np.array([0, 1, 1, 9, N])  # blocks of one feature, of none and of several


def example(rng, q=31):
    """Ties; columns of nothing, of one value, without a zero, of one sign, and of one number."""
    X = np.where(rng.random((q, N)) < 0.5, np.round(2 * rng.standard_normal((q, N))), 0.0)
    X[:, 0], X[:, 1], X[:, 2] = 0.0, 2.0, np.arange(q) % 7 - 8.5
    X[:, 3], X[:, 4] = np.abs(X[:, 3]), -np.abs(X[:, 4])
    X[:, 5], X[4] = 0.0, np.where(np.arange(N) % 3 == 1, X[4], 0.0)
    X[7, 5] = -3.0
    return X


def band_of(X, form=sparse.csc_array, dtype=float):
    """The stored numbers of the features, some of them zeros."""
    marked = np.where((X == 0) & (np.arange(X.size).reshape(X.shape) % 5 == 0), 99.0, X)
    marked[:, 0] = 0.0
    matrix = form(marked.astype(dtype))
    matrix.data[matrix.data == 99] = 0.0
    ((_, band),) = Stored(matrix).bands()
    return band


@pytest.fixture(params=FORMS, ids=["columns", "rows", "float32"])
def as_band(request):
    return lambda X: band_of(X, *request.param)


def standardised(band, q, center, cuts=CUTS):
    mean, norm = np.zeros((2, N))
    sparse_columns.standardise(band, q, cuts, mean, norm, center)
    return mean, norm


def represented(X, middle, parts):
    about = X - middle
    return np.array([about] if parts == 1 else [np.maximum(about, 0), np.maximum(-about, 0)])


@pytest.mark.parametrize("center", [True, False])
def test_means_and_norms(as_band, center, rng):
    X = example(rng)
    mean, norm = standardised(as_band(X), len(X), center)
    wanted = X.mean(axis=0) * center
    np.testing.assert_allclose(mean, wanted, atol=1e-14)
    np.testing.assert_allclose(norm, np.linalg.norm(X - wanted, axis=0), atol=1e-14)
    assert (norm == 0).tolist() == [True, center, *[False] * (N - 2)]


def test_a_feature_that_is_constant_but_for_rounding_is_constant(rng):
    X = example(rng)
    X[:, 2] = np.where(np.arange(len(X)) % 2, 0.1, np.nextafter(0.1, 1))
    assert standardised(band_of(X), len(X), True)[1][2] == 0
    X[:, 2] = np.where(np.arange(len(X)) % 2, 0.1, 0.1 + 1e-14)
    assert standardised(band_of(X), len(X), True)[1][2] > 0


@pytest.mark.parametrize("exponent", [-700, 700])
@pytest.mark.parametrize("center", [True, False])
def test_norms_neither_overflow_nor_underflow(exponent, center, rng):
    X = example(rng)
    plain, extreme = (
        standardised(band_of(one), len(X), center) for one in (X, np.ldexp(X, exponent))
    )
    np.testing.assert_allclose(extreme, np.ldexp(plain, exponent), rtol=1e-14)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_shows_in_the_mean(bad, center, rng):
    X = example(rng)
    X[3, 6] = bad
    mean, _ = standardised(band_of(X), len(X), center)
    assert np.flatnonzero(~np.isfinite(mean)).tolist() == [6]


@pytest.mark.parametrize("fraction", [0.0, 0.5])
@pytest.mark.parametrize("q", [30, 31])
def test_minima_and_medians(as_band, fraction, q, rng):
    X, middle = example(rng, q), np.zeros(N)
    X[: q // 2, 8], X[q // 2 :, 8] = 0.0, np.arange(q - q // 2) + 1  # half of them zeros
    sparse_columns.middles(as_band(X), q, CUTS, middle, fraction)
    np.testing.assert_array_equal(middle, np.quantile(X, fraction, axis=0))


@pytest.mark.parametrize("parts", [1, 2])
def test_norms_and_spans_about_any_middle(as_band, parts, rng):
    """A zero beyond the middle is the largest number of many a feature."""
    X, middle, norms = example(rng), np.round(4 * rng.standard_normal(N)), np.zeros((parts, N))
    middle[:2] = 0.0, 2.0  # these two are nothing about their middle
    band, features = as_band(X), represented(X, middle, parts)
    sparse_columns.part_norms(band, len(X), CUTS, middle, norms)
    np.testing.assert_allclose(norms, np.linalg.norm(features, axis=1), atol=1e-14)
    assert not norms[:, :2].any()
    out = np.full((3, parts, N), np.nan)
    middle.flags.writeable = False
    sparse_columns.spans(band, len(X), CUTS, middle, norms, out)
    wanted = features.min(axis=1), features.max(axis=1), features.sum(axis=1)
    np.testing.assert_allclose(out * norms, wanted, atol=1e-12)
    assert not out[:, :, :2].any()


def test_ranks(as_band, rng):
    X, absent = example(rng), np.zeros(N)
    band = as_band(X)
    out = np.full(len(band.values), np.nan)
    sparse_columns.ranks(band, len(X), CUTS, absent, out)
    found = np.tile(absent, (len(X), 1))
    found[band.places, np.repeat(np.arange(N), np.diff(band.starts))] += out
    wanted = rankdata(X, axis=0)
    has_zeros = (X == 0).any(axis=0)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(absent[has_zeros], np.where(X == 0, wanted, 0).max(0)[has_zeros])
    assert not out[band.values == 0].any()


def test_neither_threads_nor_blocks_change_a_bit(set_threads, rng):
    X, found = rng.standard_normal((31, N)), []
    X[rng.random(X.shape) < 0.3] = 0.0
    for threads, cuts in [(1, CUTS), (2, CUTS), (2, np.array([0, N])), (1, np.arange(N + 1))]:
        set_threads(threads)
        found.append(standardised(band_of(X), len(X), True, cuts))
    for one in found[1:]:
        np.testing.assert_array_equal(one, found[0])
