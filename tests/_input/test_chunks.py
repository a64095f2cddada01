"""Chunks of Dask: refused if they are not what their array declares."""

import dask.array
import numpy as np
import pytest
from scipy import sparse

from specsel._containers import checked_block, checked_chunks, within_reach


@pytest.mark.parametrize(
    "form", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_array]
)
def test_blocks_as_declared_come_back(form):
    block = form(np.eye(3, dtype=np.float32))
    found = checked_block(block, (3, 3), np.dtype(np.float64))
    np.testing.assert_array_equal(found.toarray() if sparse.issparse(block) else found, np.eye(3))
    assert found.dtype == np.float32
    assert found is block or sparse.issparse(block)


def test_values_that_a_mask_hides_are_named():
    hidden = np.ma.masked_array(np.eye(3), np.eye(3))
    with pytest.raises(
        ValueError, match=r"^side: holds masked values; remove or fill them first$"
    ):
        checked_block(hidden, (3, 3), hidden.dtype, "side")
    shown = np.ma.masked_array(np.eye(3), False)
    assert checked_block(shown, (3, 3), shown.dtype) is shown


def test_every_chunk_is_checked_as_it_is_made():
    X = dask.array.ones((4, 6), chunks=(2, 3))
    np.testing.assert_array_equal(checked_chunks(X).compute(), np.ones((4, 6)))
    shifted = X.map_blocks(
        lambda block, block_info: np.ones((3 - 2 * block_info[0]["chunk-location"][0], 3)),
        dtype=float,
        chunks=X.chunks,
        meta=np.empty((0, 0)),
    )
    assert shifted.compute().shape == (4, 6)  # Dask does not notice
    with pytest.raises(
        ValueError, match=r"^X: a block has shape \([13], 3\) and dtype float64, bu"
    ):
        checked_chunks(shifted).compute()


class CancelledError(Exception):
    """As clusters name it."""


def test_only_what_is_gone_is_told_in_other_words():
    with (
        pytest.raises(ValueError, match=r"^side: its blocks are out of reach: "),
        within_reach("side"),
    ):
        raise CancelledError
    with pytest.raises(KeyError), within_reach():
        raise KeyError
