"""Sparse matrices as they lie: bands of features, rows, columns, cuts."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from specsel._data import stored
from specsel._data.stored import Stored

FORMS = [sparse.csc_array, sparse.csr_array]


def example(rng, shape=(30, 70)):
    X = np.where(rng.random(shape) < 0.2, rng.standard_normal(shape), 0.0)
    X[:, :40] *= rng.random(40) < 0.5
    return X


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [10, 40, 10**6])
def test_bands_hold_all_features_in_turn(form, size, rng, monkeypatch):
    monkeypatch.setattr(stored, "BAND", size)
    monkeypatch.setattr(stored, "PIECE_NUMBERS", 0.1)
    X, dense = example(rng), []
    for part, band in Stored(form(X)).bands():
        arrays = band.values, band.places, band.starts
        dense.append(sparse.csc_array(arrays, shape=(30, part.stop - part.start)).toarray())
        assert sparse.csc_array(arrays, shape=(30, part.stop - part.start)).has_sorted_indices
    np.testing.assert_array_equal(np.hstack(dense), X)
    assert len(dense) == 1 or form is sparse.csr_array


@pytest.mark.parametrize("form", FORMS)
def test_parts_are_those_of_the_matrix(form, rng):
    X = example(rng)
    matrix = Stored(form(X))
    assert (matrix.n_samples, matrix.n_columns, matrix.size) == (30, 70, np.count_nonzero(X))
    np.testing.assert_array_equal(matrix.counts, np.count_nonzero(X, axis=0))
    for start, stop in ((0, 30), (4, 9), (25, 40), (7, 7)):
        np.testing.assert_array_equal(matrix.rows(start, stop), X[start:stop])
    np.testing.assert_array_equal(matrix.columns([5, 2]), X[:, [5, 2]])
    exponents = rng.integers(-3, 4, 70)
    scaled = matrix.scaled(exponents).matrix.toarray()
    np.testing.assert_array_equal(scaled, np.ldexp(X, -exponents))
    np.testing.assert_array_equal(matrix.matrix.toarray(), X)


@pytest.mark.parametrize(("spanned", "numbers", "n_spans"), [(2, 1, 5), (2, 10**6, 1), (3, 1, 1)])
def test_segments_are_spans_of_features_in_every_sample(
    spanned, numbers, n_spans, rng, monkeypatch
):
    monkeypatch.setattr(stored, "SPANNED", spanned)
    monkeypatch.setattr(stored, "PIECES", 5)
    monkeypatch.setattr(stored, "PIECE_NUMBERS", numbers)
    X = example(rng)
    matrix = Stored(sparse.csr_array(X))
    segments = matrix.segments
    assert segments.shape == (n_spans + 1, 30)
    np.testing.assert_array_equal(segments[0], matrix.matrix.indptr[:-1])
    np.testing.assert_array_equal(segments[-1], matrix.matrix.indptr[1:])
    bounds = stored.cuts(stored.starts_of(matrix.counts), n_spans)
    for s, row in enumerate(segments.T):
        counts = [np.count_nonzero(X[s, a:b]) for a, b in itertools.pairwise(bounds)]
        np.testing.assert_array_equal(np.diff(row), counts)


@pytest.mark.parametrize("form", FORMS)
def test_an_orderly_matrix_is_not_copied(form, rng):
    matrix = form(example(rng))
    assert np.shares_memory(Stored.of(matrix).whole.values, matrix.data)
    matrix.has_canonical_format = False
    assert Stored.of(form((matrix.data, matrix.indices, matrix.indptr))).matrix.data is not None


def test_cuts_share_the_stored_numbers_equally():
    counts = np.concatenate(([300], np.full(60, 10)))
    bounds = stored.cuts(7 + stored.starts_of(counts), 3)
    work = counts + stored.FEATURE_COST
    shares = [work[a:b].sum() / work.sum() for a, b in itertools.pairwise(bounds)]
    np.testing.assert_allclose(shares, 1 / 3, atol=0.02)
    assert stored.cuts(np.zeros(4, int), 1).tolist() == [0, 3]
