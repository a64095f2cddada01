"""Arrays in files: what is whole is read, what is not is refused in words."""

import numpy as np
import pytest
from scipy import sparse

from specsel.cli import binary


def test_an_array_is_read_from_disk_as_it_is(tmp_path, rng):
    X = rng.standard_normal((5, 3))
    np.save(tmp_path / "X.npy", X)
    found = binary.read_npy(tmp_path / "X.npy")
    assert isinstance(found, np.memmap)
    assert (found == X).all()


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr"])
def test_a_sparse_matrix_is_read_in_every_format(tmp_path, rng, kind):
    X = sparse.random_array((9, 6), density=0.3, random_state=rng).asformat(kind)
    sparse.save_npz(tmp_path / "X.npz", X)
    assert (binary.read_npz(tmp_path / "X.npz").toarray() == X.toarray()).all()


@pytest.mark.parametrize("count", [1, 60, 130])
def test_what_is_cut_short_is_refused(tmp_path, rng, count):
    path = tmp_path / "X.npy"
    np.save(path, rng.standard_normal((5, 3)))
    path.write_bytes(path.read_bytes()[:count])
    with pytest.raises(ValueError, match=r"\.npy"):
        binary.read_npy(path)
