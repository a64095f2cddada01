"""Compiled passes over sparse features, against the same features written out."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from specsel import _data
from specsel._data import sparse_passes
from specsel._data.lanes import LANES, rows_of_lanes
from specsel._data.sparse_passes import Features, Frame, PairTerms, Sums
from specsel._data.stored import Band

Q, N = 13, 20
ONE, UNEVEN = np.array([0, N]), np.array([0, 1, 1, 14, N])


def example(rng, parts, dtype=np.float64, index=np.int32):
    """A band and its features, parts × features × samples; one empty, one full, one of norm 0."""
    X = np.where(rng.random((Q, N)) < 0.3, rng.standard_normal((Q, N)), 0.0).astype(dtype)
    X[:, 6], X[5], X[:, 3] = rng.standard_normal(Q), 0.0, 0.0
    matrix, middle = sparse.csc_array(X), rng.standard_normal(N)
    norms = rng.uniform(1, 2, (parts, N))
    middle[4], norms[:, 8] = 0.0, 0.0
    about = X.T - middle[:, None]
    features = [about] if parts == 1 else [np.maximum(about, 0), np.maximum(-about, 0)]
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    M = np.array(features) * scale[:, :, None]
    band = Band(matrix.indptr.astype(index), matrix.indices.astype(index), matrix.data)
    for array in (*band, middle, norms):
        array.flags.writeable = False
    return SimpleNamespace(features=Features(*band, 0, middle, norms), M=M)


def frame_of(dual, basis, target):
    """All three one after another; without a dual the weights are given."""
    ends = np.cumsum([0, *(matrix.shape[1] for matrix in (dual, basis, target))])
    table = sparse_passes.groups_of(np.hstack((dual, basis, target)))
    width = dual.shape[1]
    counts = (np.arange(-(-width // LANES) * LANES) < width).astype(float)
    return Frame(table, table.sum(axis=1).ravel(), *ends[:3].tolist(), counts)


def swept(data, frame, width, bounds, alpha, pairs=None, values=None):
    """Weights, image and the entries of pairs, by one pass."""
    terms, n_pairs = None, 0
    if pairs is not None:
        starts, seconds, filled = pairs.with_values(values)
        firsts, n_pairs = np.repeat(np.arange(Q), np.diff(starts)), len(seconds)
        sums = np.bincount(np.concatenate((firsts, seconds)), np.tile(filled, 2), Q)
        terms = PairTerms(starts, seconds, filled, sums, float(filled.sum()))
    n_blocks, n_groups = len(bounds) - 1, -(-width // LANES)
    shapes = (n_groups * LANES,), (n_pairs,), (0 if pairs is None else Q + 1,)
    sums = Sums(
        rows_of_lanes(n_blocks, n_groups, Q), *(np.zeros((n_blocks, *shape)) for shape in shapes)
    )
    sparse_passes.sweep(data.features, frame, terms, bounds, alpha, sums)
    images, tails, entries, linear = (one.sum(axis=0) for one in sums)
    image = sparse_passes.joined_groups(images, width) + tails[:width]
    if pairs is not None:
        entries = entries + linear[firsts] + linear[seconds] + linear[-1]
        entries = entries[pairs.places]
    return alpha, image, entries


def weights(M, dual, basis):
    return ((M @ dual) * (M @ basis)).sum(axis=2)


KINDS = [(np.float64, np.int32), (np.float32, np.int32), (np.float64, np.int64)]


@pytest.mark.parametrize(("dtype", "index"), KINDS)
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("widths", [(1, 1), (3, 10), (9, 0)])
def test_a_sweep_finds_weights_and_their_image(dtype, index, parts, widths, rng):
    data, (width, n_image) = example(rng, parts, dtype, index), widths
    dual, basis = rng.standard_normal((2, Q, width))
    target, alpha = rng.standard_normal((Q, n_image)), np.full((parts, N), np.nan)
    frame = frame_of(dual, basis, target)
    _, image, _ = swept(data, frame, n_image, ONE, alpha)
    np.testing.assert_allclose(alpha, weights(data.M, dual, basis), atol=1e-11)
    wanted = np.einsum("pi,pis,pic->sc", alpha, data.M, data.M @ target)
    np.testing.assert_allclose(image, wanted, atol=1e-11)


@pytest.mark.parametrize("parts", [1, 2])
def test_given_weights_are_kept(parts, rng):
    data, target = example(rng, parts), rng.standard_normal((Q, 3))
    given = rng.standard_normal((parts, N))
    frame = frame_of(target[:, :0], target[:, :0], target)
    alpha, image, _ = swept(data, frame, 3, UNEVEN, given.copy())
    np.testing.assert_array_equal(alpha, given)
    wanted = np.einsum("pi,pis,pic->sc", given, data.M, data.M @ target)
    np.testing.assert_allclose(image, wanted, atol=1e-11)


@pytest.mark.parametrize("bounds", [ONE, UNEVEN], ids=["one block", "blocks"])
@pytest.mark.parametrize("parts", [1, 2])
def test_pairs_count_and_are_counted(parts, bounds, rng):
    """Pairs with a sample that has no numbers, of a sample with itself, and one given twice."""
    data = example(rng, parts)
    given = np.array([(0, 1), (5, 9), (9, 5), (7, 7), (0, 12), (5, 2)])
    pairs, values = _data.Pairs.sort(given, Q), rng.standard_normal(len(given))
    dual, basis, target = rng.standard_normal((3, Q, 2))
    empty = np.full((parts, N), np.nan)
    frame = frame_of(dual, basis, target)
    alpha, image, entries = swept(data, frame, 2, bounds, empty, pairs, values)
    products = data.M[:, :, given[:, 0]] * data.M[:, :, given[:, 1]]
    wanted = weights(data.M, dual, basis) + products @ values
    np.testing.assert_allclose(alpha, wanted, atol=1e-11)
    image_wanted = np.einsum("pi,pis,pic->sc", wanted, data.M, data.M @ target)
    np.testing.assert_allclose(image, image_wanted, atol=1e-11)
    np.testing.assert_allclose(entries, np.einsum("pi,pij->j", wanted, products), atol=1e-11)


@pytest.mark.parametrize("parts", [1, 2])
def test_threads_change_no_bit_and_blocks_only_the_rounding(parts, set_threads, rng):
    data, (dual, basis) = example(rng, parts), rng.standard_normal((2, Q, 9))
    frame, found = frame_of(dual, basis, basis), []
    for threads, bounds in [(1, UNEVEN), (2, UNEVEN), (2, ONE)]:
        set_threads(threads)
        found.append(swept(data, frame, 9, bounds, np.empty((parts, N))))
    for one, two, whole in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_allclose(one, whole, atol=1e-11)


@pytest.mark.parametrize("parts", [1, 2])
def test_forms(parts, rng):
    data, square = example(rng, parts), rng.standard_normal((Q, Q))
    alpha = np.full((parts, N), np.nan)
    sparse_passes.forms(data.features, square, UNEVEN, alpha)
    wanted = np.einsum("pis,st,pit->pi", data.M, square, data.M)
    np.testing.assert_allclose(alpha, wanted, atol=1e-11)


@pytest.mark.parametrize("parts", [1, 2])
def test_affinities(parts, rng):
    data, alpha = example(rng, parts), rng.standard_normal((parts, N))
    squares, lines = np.zeros((len(UNEVEN) - 1, Q, Q)), np.zeros((len(UNEVEN) - 1, Q + 1))
    sparse_passes.affinities(data.features, alpha, UNEVEN, squares, lines)
    square, linear = squares.sum(axis=0), lines.sum(axis=0)
    np.testing.assert_array_equal(square, np.tril(square))
    found = square + np.tril(square, -1).T + linear[:Q] + linear[:Q, None] + linear[Q]
    wanted = np.einsum("pi,pis,pit->st", alpha, data.M, data.M)
    np.testing.assert_allclose(found, wanted, atol=1e-11)


@pytest.mark.parametrize("middle", [-0.7, 0.0, 0.4])
def test_numbers_are_loaded_less_what_becomes_of_a_zero(middle):
    column, d = np.array([-1.5, -0.5, 0.0, 0.2, 3.0]), np.full(6, 9.0)
    for part, f in enumerate([lambda x: np.maximum(x, 0), lambda x: np.maximum(-x, 0)]):
        zero = sparse_passes.shifted(column, middle, part, 2, d)
        assert zero == f(-middle)
        np.testing.assert_allclose(d[:5] + zero, f(column - middle), atol=1e-15)
    assert sparse_passes.shifted(column, middle, 0, 1, d) == -middle
    np.testing.assert_array_equal(d, [*column, 9.0])


@pytest.mark.parametrize("columns", [0, 1, 8, 11])
def test_groups_are_filled_up_with_zeros_and_joined_again(columns, rng):
    matrix = rng.standard_normal((5, columns))
    groups = sparse_passes.groups_of(matrix)
    assert groups.shape == (-(-columns // LANES), 5, LANES)
    np.testing.assert_array_equal(sparse_passes.joined_groups(groups, columns), matrix)
    assert groups.sum() == pytest.approx(matrix.sum())


def test_blocks_are_as_many_as_have_work_and_room():
    most, least = sparse_passes.MAX_BLOCKS, sparse_passes.MIN_BLOCK
    assert [sparse_passes.n_blocks(size, 0) for size in (0, least, 3 * least)] == [1, 1, 3]
    assert sparse_passes.n_blocks(1000 * least, 1) == most
    room = sparse_passes.PARTIAL_NUMBERS
    found = [sparse_passes.n_blocks(9 * least, partial) for partial in (room // 4, room, 9 * room)]
    assert found == [4, 1, 1]
    size = int(20 * room / sparse_passes.PARTIAL_SHARE)  # there is room for twenty times as much
    assert sparse_passes.n_blocks(size, room) == 20


@pytest.mark.parametrize("sizes", [(1, 1, 1), (8, 8, 8), (3, 9, 17), (5, 5, 8)])
def test_groups_that_begin_at_any_score_have_room(sizes, rng):
    frame = frame_of(*(rng.standard_normal((Q, size)) for size in sizes))
    starts = np.array([frame.dual, frame.basis, frame.target])
    ends = starts + LANES * -(-np.array([sizes[0], sizes[0], sizes[2]]) // LANES)
    room = sparse_passes.score_room(frame)
    assert not room.any()
    assert ends.max() <= len(room)
