"""Files of arrays, pairs of rows, and what is written."""

import errno
import os

import numpy as np
import pytest
from commands import X, alpha_of, assert_refused, run, run_json, table
from scipy import sparse

from specsel import (
    qalpha,
)
from specsel.cli import outputs, tables


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full disk here")
def test_a_full_disk_is_named(tmp_path):
    path = tmp_path / "out.csv"
    path.symlink_to("/dev/full")
    with pytest.raises(OSError) as caught:
        outputs.save(path, [{"a": 1}])
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(path))


def test_npy_is_mapped_and_its_target_a_number(write):
    values = np.arange(12.0).reshape(4, 3)
    path = write("data.npy", values)
    assert isinstance(tables.read(path).X, np.memmap)
    table = tables.read(path, "2")
    np.testing.assert_array_equal(table.X.to_numpy(), values[:, :2])
    assert isinstance(table.X.to_numpy(), np.memmap)
    np.testing.assert_array_equal(table.y, values[:, 2])


@pytest.mark.parametrize("content", ["one,other\n0,1\n2,3\n", np.array([[0, 1], [2, 3]])])
def test_pairs_are_whole_numbers(write, content):
    path = write("pairs.npy" if isinstance(content, np.ndarray) else "pairs.csv", content)
    pairs = tables.read_pairs(path)
    assert pairs.dtype == np.intp
    np.testing.assert_array_equal(pairs, [[0, 1], [2, 3]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0,1\n2,3\n", "its first row, 0 and 1, may be a header; name the columns"),
        ("4,1.5\n", "1.5 is not a row number of a sample"),
        (f"4,{2**53}\n", f"{2.0**53} is not a row number of a sample"),
        ("4,1,3\n", "is 1 x 3 float64; two columns of row numbers are needed"),
    ],
)
def test_what_are_no_pairs_is_refused(write, text, message):
    path = write("pairs.csv", text)
    with pytest.raises(ValueError) as caught:
        tables.read_pairs(path)
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
def test_sparse_matrices(tmp_path, make):
    dense = np.array([[0, 1.5, 0, 2], [3, 0, 0, 1], [0, 0, 4, 2]])
    path = tmp_path / "data.npz"
    sparse.save_npz(path, make(dense))
    table = tables.read(path)
    np.testing.assert_array_equal(table.X, dense)
    assert table.origin == str(path)
    kept = tables.read(path, as_stored=True).X
    assert kept.format == ("csc" if make is sparse.csc_matrix else "csr")
    np.testing.assert_array_equal(kept.toarray(), dense)
    labelled = tables.read(path, "3", as_stored=True)
    np.testing.assert_array_equal(labelled.values.toarray(), dense[:, :3])
    assert labelled.names == ["0", "1", "2"]
    np.testing.assert_array_equal(labelled.y, [2, 1, 2])
    with pytest.raises(ValueError, match=r"has columns 0 to 3, without names; no column '4'$"):
        tables.read(path, "4")


def test_other_archives_are_refused(tmp_path):
    path = tmp_path / "data.npz"
    np.savez(path, X=np.eye(3))
    message = f"{path}: is not a sparse matrix of scipy.sparse.save_npz; dense arrays go into .npy"
    for content in (None, b"PK no archive", b""):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ValueError) as caught:
            tables.read(path)
        assert str(caught.value) == message


class TestCommand:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("plain.csv", table(X)),
            ("bom.csv", "\ufeff" + table(X)),
            ("plain.tsv", table(X, delimiter="\t")),
            ("end.csv", table(X).rstrip("\n")),
            ("c.npy", X),
            ("fortran.npy", np.asfortranarray(X)),
        ],
    )
    def test_without_a_header_features_are_numbers(self, capsys, write, name, content):
        answer = run_json(capsys, write(name, content))
        expected = qalpha.solve(content if isinstance(content, np.ndarray) else X, "auto")
        assert answer["n_samples"] == len(X)
        np.testing.assert_allclose(alpha_of(answer), expected.alpha, atol=1e-10)
        assert answer["selected"] == [str(i) for i in expected.select()]
        assert all(row["feature"] == str(row["index"]) for row in answer["ranking"])

    def test_says_whether_there_was_a_header(self, capsys, write, saved):
        assert "no header" in run(capsys, "select", write("plain.csv", table(X)))[1]
        code, out, _ = run(capsys, "select", saved)
        assert code == 0
        assert out.splitlines()[0] == f"{saved}: 30 samples x 12 features"

    def test_float32_is_not_converted(self, capsys, write):
        answer = run_json(capsys, write("data.npy", X.astype(np.float32)))
        expected = qalpha.solve(X.astype(np.float32), "auto").alpha
        np.testing.assert_allclose(alpha_of(answer), expected, atol=1e-10)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"1,2\n3,4\n",
            b"PK\x03\x04 and no more",
            b"\x93NUMPY\x01\x00",
        ],
    )
    def test_bad_npy(self, capsys, write, content):
        path = write("data.npy", content)
        assert_refused(run(capsys, "select", path), f"specsel: {path}: is not a complete .npy")

    def test_truncated_npy(self, capsys, write):
        path = write("data.npy", X)
        path.write_bytes(path.read_bytes()[:-8])
        assert_refused(run(capsys, "select", path), "is not a complete .npy")

    def test_npy_of_objects_is_not_unpickled(self, capsys, write):
        path = write("data.npy", np.array([[1, "a"], [2, None]], dtype=object))
        assert_refused(run(capsys, "select", path), "is not a complete .npy")

    @pytest.mark.parametrize(
        ("array", "part"),
        [
            (np.arange(5.0), "1 dimension"),
            (np.array(5.0), "0 dimensions"),
            (np.array([["a", "b"]]), "real numbers"),
            (np.ones((4, 3)), "constant"),
            (np.ones((1, 3)), "1 sample"),
        ],
    )
    def test_npy_that_the_solver_refuses(self, capsys, write, array, part):
        assert_refused(run(capsys, "select", write("data.npy", array)), part)
