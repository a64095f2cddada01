"""Compiled passes over sparse samples, step by step, against the same features written out."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from specsel._data import sparse_passes, sparse_rows
from specsel._data.lanes import LANES, rows_of_lanes
from specsel._data.sparse_passes import Frame
from specsel._data.stored import Band

Q, N = 11, 700  # twice as many parts of features are more than one task
ONE, UNEVEN = np.array([0, Q]), np.array([0, 1, 1, 8, Q])


def example(rng, parts, dtype=np.float64, index=np.int32):
    """Samples one after another; a sample and a feature have no number; another sample is full."""
    X = np.where(rng.random((Q, N)) < 0.1, rng.standard_normal((Q, N)), 0.0).astype(dtype)
    X[6], X[4], X[:, 3] = rng.standard_normal(N), 0.0, 0.0
    matrix, middle = sparse.csr_array(X), rng.standard_normal(N)
    norms = rng.uniform(1, 2, (parts, N))
    norms[:, 8] = 0.0
    middle[0] = 1.0  # a zero of the first feature's second part is 1
    stored = Band(matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data)
    for array in (*stored, middle, norms):
        array.flags.writeable = False
    zero, about = (np.array(_parts(x - middle, parts)) for x in (0.0, X))
    d = np.hstack(about - zero[:, None])
    segments = segments_of(matrix, [0, 200, 200, N]).astype(index)
    return SimpleNamespace(
        stored=stored,
        segments=segments,
        middle=middle,
        norms=norms,
        d=d,
        zero=zero.ravel(),
        parts=parts,
    )


def segments_of(matrix, bounds):
    """Where the numbers of each span of features begin in every sample, and end."""
    starts = matrix.indptr
    return np.transpose(
        [
            start + np.searchsorted(matrix.indices[start:stop], bounds)
            for start, stop in itertools.pairwise(starts)
        ]
    ).copy()


def _parts(about, parts):
    return [about] if parts == 1 else [np.maximum(about, 0), np.maximum(-about, 0)]


def score(data, table, bounds):
    out = rows_of_lanes(len(bounds) - 1, len(table), data.parts * N)
    sparse_rows.scores(data.stored, data.segments, data.middle, data.parts, table, bounds, out)
    return out


def combine(data, coefficients, bounds):
    image = rows_of_lanes(len(coefficients), Q)
    sparse_rows.combine(data.stored, data.middle, data.parts, coefficients, bounds, image)
    return image


KINDS = [(np.float64, np.int32), (np.float32, np.int32), (np.float64, np.int64)]


@pytest.mark.parametrize(("dtype", "index"), KINDS)
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("bounds", [ONE, UNEVEN], ids=["one block", "blocks"])
def test_scores_and_combinations(dtype, index, parts, bounds, rng):
    data, frame = example(rng, parts, dtype, index), rng.standard_normal((Q, 10))
    out = score(data, sparse_passes.groups_of(frame), bounds)
    found = sparse_passes.joined_groups(out.sum(axis=0), 10)
    np.testing.assert_allclose(found, data.d.T @ frame, atol=1e-12)
    assert not found[3].any()
    coefficients = rng.standard_normal((parts * N, 10))
    image = combine(data, sparse_passes.groups_of(coefficients), bounds)
    found = sparse_passes.joined_groups(image, 10)
    np.testing.assert_allclose(found, data.d @ coefficients, atol=1e-12)
    assert not found[4].any()


@pytest.mark.parametrize("dual_is_given", [True, False])
@pytest.mark.parametrize("parts", [1, 2])
def test_weights_and_what_the_image_is_combined_by(parts, dual_is_given, rng):
    """Dual and basis of 3 columns, then a target of 9, which begins inside a group."""
    data, scored = example(rng, parts), rows_of_lanes(3, 2, parts * N)
    scored[:] = rng.standard_normal(scored.shape)
    sums, given = rng.standard_normal(2 * LANES), rng.standard_normal((parts, N))
    counts = (np.arange(LANES) < 3).astype(float)[: LANES * dual_is_given]
    frame = Frame(np.zeros((2, Q, LANES)), sums, 0, 3, 6, counts)
    tails = np.zeros((-(-parts * N // sparse_rows.SPAN), 2 * LANES))
    total = sparse_passes.joined_groups(scored.sum(axis=0), 2 * LANES)
    norms = data.norms.ravel()[:, None]
    rows = (total + np.outer(data.zero, sums)) / np.where(norms > 0, norms, np.inf)
    alpha = given.copy()
    sparse_rows.weigh(scored, data.middle, data.norms, frame, alpha, tails)
    wanted = (rows[:, :3] * rows[:, 3:6]).sum(axis=1) if dual_is_given else given.ravel()
    np.testing.assert_allclose(alpha.ravel(), wanted, atol=1e-12)
    shares = wanted[:, None] * rows[:, 6:15] / np.where(norms > 0, norms, np.inf)
    found = sparse_passes.joined_groups(scored[0], 9)
    np.testing.assert_allclose(found, shares, atol=1e-12)
    tasks = np.arange(parts * N) // sparse_rows.SPAN
    assert tasks[-1] == parts - 1
    gathered = [data.zero[tasks == task] @ shares[tasks == task] for task in range(parts)]
    np.testing.assert_allclose(tails[:, :9], gathered, atol=1e-11)


@pytest.mark.parametrize("parts", [1, 2])
def test_all_three_make_a_pass(parts, rng):
    data, basis = example(rng, parts), rng.standard_normal((Q, 3))
    table, counts = sparse_passes.groups_of(basis), (np.arange(LANES) < 3).astype(float)
    frame = Frame(table, table.sum(axis=1).ravel(), 0, 0, 0, counts)
    scored, alpha = score(data, table, UNEVEN), np.empty((parts, N))
    tails = np.zeros((parts, LANES))
    sparse_rows.weigh(scored, data.middle, data.norms, frame, alpha, tails)
    image = combine(data, scored[0], UNEVEN)
    norms = data.norms.ravel()
    M = (data.d + data.zero) / np.where(norms > 0, norms, np.inf)
    wanted = ((M.T @ basis) ** 2).sum(axis=1)
    np.testing.assert_allclose(alpha.ravel(), wanted, atol=1e-11)
    found = sparse_passes.joined_groups(image, 3) + tails.sum(axis=0)[:3]
    np.testing.assert_allclose(found, M * wanted @ (M.T @ basis), atol=1e-10)


def test_threads_change_no_bit(set_threads, rng):
    data, found = example(rng, 2), []
    groups = sparse_passes.groups_of(rng.standard_normal((Q, 10)))
    coefficients = sparse_passes.groups_of(rng.standard_normal((2 * N, 10)))
    for threads in (1, 2):
        set_threads(threads)
        found.append((score(data, groups, UNEVEN), combine(data, coefficients, UNEVEN)))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
