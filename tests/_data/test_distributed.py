"""Dask arrays: how they are cut, and what is asked of Dask."""

from dataclasses import replace

import dask
import dask.array
import numpy as np
import pytest
from scipy import sparse

from specsel import _data, gslda, laplacian, qalpha
from specsel._data import distributed
from specsel._data.distributed import DaskSource


@pytest.mark.parametrize(
    ("chunks", "by_feature", "bounds"),
    [
        (((30,), (1, 5, 4)), True, (0, 1, 6, 10)),
        (((3, 27), (10,)), False, (0, 3, 30)),
        (((3, 0, 27), (2, 8)), True, (0, 2, 10)),
        (((30,), (10,)), True, (0, 10)),
        (((3, 0, 27), (10,)), False, (0, 3, 30)),
    ],
)
def test_blocks_follow_the_chunks(chunks, by_feature, bounds):
    source = DaskSource.of_chunks(dask.array.zeros((30, 10), chunks=chunks))
    assert (source.by_feature, source.bounds) == (by_feature, bounds)


def test_wide_blocks_of_features_give_way_to_blocks_of_samples(monkeypatch):
    monkeypatch.setattr(distributed, "BLOCK", 100)
    X = dask.array.zeros((30, 10), chunks=((10, 20), (1, 9)))
    assert not DaskSource.of_chunks(X).by_feature


@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_blocks_are_read_as_they_are(form, rng):
    X = np.round(rng.standard_normal((12, 10)))
    array = dask.array.from_array(X, chunks=(4, 10)).map_blocks(form)
    source = DaskSource.of_chunks(array)
    found = [*source.run(lambda block, i: (i, block), ((i,) for i in range(3)))]
    assert [i for i, _ in found] == [0, 1, 2]
    np.testing.assert_array_equal(np.vstack([block for _, block in found]), X)
    np.testing.assert_array_equal(source.read(slice(2, 7), slice(1, 3)), X[2:7, 1:3])


def test_every_block_is_divided_by_powers_of_its_own_features(rng):
    X, powers = rng.standard_normal((12, 10)), np.arange(10) - 4
    source = replace(
        DaskSource.of_chunks(dask.array.from_array(X, chunks=(-1, 6))), exponents=powers
    )
    blocks = [*source.run(lambda block: block, (() for _ in range(2)))]
    np.testing.assert_array_equal(np.hstack(blocks), X / 2.0**powers)
    np.testing.assert_array_equal(
        source.read(slice(2, 7), slice(3, 9)), (X / 2.0**powers)[2:7, 3:9]
    )


def test_what_standardises_a_block_is_sent_once(monkeypatch, rng):
    X = rng.standard_normal((12, 10))
    basis = np.linalg.qr(rng.standard_normal((12, 2)))[0]
    sent, itself = [], distributed._itself
    monkeypatch.setattr(distributed, "_itself", lambda value: sent.append(0) or itself(value))
    data = _data.read(dask.array.from_array(X, chunks=(-1, 4)))
    with dask.config.set(scheduler="synchronous"):
        found = [data.fused(basis, basis) for _ in range(3)]
    assert len(sent) == 3  # the means and the norms of every block
    for got, expected in zip(found[-1], _data.read(X).fused(basis, basis), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("tasks", [1, 64])
def test_a_pass_is_a_task_a_block(tasks, rng, monkeypatch):
    monkeypatch.setattr(distributed, "TASKS", tasks)
    data = _data.read(dask.array.from_array(rng.standard_normal((12, 30)), chunks=(-1, 7)))
    ran, run = [], distributed._run
    monkeypatch.setattr(distributed, "_run", lambda *given: ran.append(1) or run(*given))
    Q = rng.standard_normal((12, 2))
    with dask.config.set(scheduler="synchronous"):
        data.fused(Q, Q)
    assert len(ran) == 5


def misplaced(X):
    """A sparse matrix, an index of which points beside its columns, though not out of memory."""
    matrix = sparse.csr_array(X)
    matrix.indices[0] = X.shape[1]
    return matrix


def hidden(X):
    """A sparse matrix, of whose numbers one is masked."""
    matrix = sparse.csr_array(X)
    matrix.data = np.ma.masked_array(matrix.data, np.arange(matrix.nnz) == 1)
    return matrix


TOLD = (
    r"a block has shape {} and dtype {}, but its Dask array declares \([46], (7|20)\) and float64"
)
DAMAGED = r"is a damaged sparse matrix: indices holds (7|20); must be from 0 to (6|19)$"
MASKED = "holds masked values; remove or fill them first$"

WRONG = {
    "damaged": (misplaced, DAMAGED),
    "masked": (lambda b: np.ma.masked_greater(b, np.median(b)), MASKED),
    "masked and sparse": (hidden, MASKED),
    "short": (lambda b: b[:-1], TOLD.format(r"\([35], (7|20)\)", "float64")),
    "narrow": (lambda b: b[:, 1:], TOLD.format(r"\([46], (6|19)\)", "float64")),
    "turned": (lambda b: b.T, TOLD.format(r"\((7|20), [46]\)", "float64")),
    "a row": (lambda b: b[0], TOLD.format(r"\((7|20),\)", "float64")),
    "nothing": (lambda b: None, TOLD.format(r"\(\)", "object")),
    "complex": (lambda b: b + 1j, TOLD.format(r"\([46], (7|20)\)", "complex128")),
    "text": (lambda b: b.astype("U9"), TOLD.format(r"\([46], (7|20)\)", "<U9")),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize(
    ("shape", "chunks"), [((6, 14), (6, 7)), ((8, 20), (4, 20)), ((8, 14), (4, 7))]
)
def test_blocks_that_are_not_as_declared_are_refused_in_one_line(wrong, shape, chunks, rng):
    make, message = WRONG[wrong]
    array = dask.array.from_array(rng.standard_normal(shape), chunks=chunks)
    array = array.map_blocks(make, dtype=float, chunks=array.chunks, meta=np.empty((0, 0)))
    for solve in (
        lambda X: qalpha.solve(X, 2),
        lambda X: laplacian.solve(X, 2, representation="ranks"),
        lambda X: gslda.solve(X, np.arange(len(X)) % 2, max_size=3),
    ):
        with pytest.raises(ValueError, match=f"^X: {message}") as caught:
            solve(array)
        assert "\n" not in str(caught.value)


def test_other_real_numbers_than_declared_are_no_mistake(rng):
    X = rng.integers(0, 9, (12, 10))
    array = dask.array.from_array(X, chunks=(-1, 5)).map_blocks(
        lambda block: block, dtype=float, meta=np.empty((0, 0))
    )
    np.testing.assert_array_equal(qalpha.solve(array, 2).alpha, qalpha.solve(X, 2).alpha)
