"""AnnData in memory, in a file, as views; names of files and groups instead of arrays."""

from pathlib import Path

import numpy as np
import pytest
from samples import annotated, dense
from scipy import sparse

from specsel import _containers, pairwise, qalpha, results, sbs, side_info, supervised

anndata = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")
zarr = pytest.importorskip("zarr")

pytestmark = pytest.mark.filterwarnings("ignore:.*:Warning")  # of anndata, about pandas

X = np.random.default_rng(0).standard_normal((60, 12))
X[::2, :3] += 4
X[np.abs(X) < 0.5] = 0
FORMS = [np.asarray, sparse.csr_matrix, sparse.csc_array]
NAMES = tuple(f"g{i}" for i in range(12))


@pytest.fixture(params=FORMS)
def adata(request):
    return annotated(request.param(X))


@pytest.fixture
def backed(adata, tmp_path):
    adata.write_h5ad(tmp_path / "X.h5ad")
    found = anndata.read_h5ad(tmp_path / "X.h5ad", backed="r")
    yield found
    found.file.close()


VIEWS = [(slice(None), slice(None)), (slice(40), slice(None)), ([5, 1, 3], slice(None))]
VIEWS += [(slice(None), [7, 2]), ([5, 1, 3], [7, 2])]


@pytest.mark.parametrize("view", VIEWS)
def test_views_in_memory_and_in_a_file(adata, backed, view):
    for whole in (adata, backed):
        values, names = _containers.unwrapped(whole[view])
        np.testing.assert_array_equal(dense(values), X[view[0]][:, view[1]])
        assert names == tuple(np.array(NAMES)[view[1]])
        assert type(values).__module__.partition(".")[0] in ("numpy", "scipy")


def test_the_budget_comes_before_a_view_is_read(backed, monkeypatch):
    view = backed[:40]
    is_csc = getattr(backed.X, "format", "") == "csc"
    monkeypatch.setenv("SPECSEL_MEMORY", "2kB")
    monkeypatch.setattr(anndata.AnnData, "X", property(lambda _: pytest.fail("was read")))
    with pytest.raises(
        MemoryError, match=r"^X: (all of the view|what is stored of it), in memory"
    ):
        qalpha.solve(view, 2)
    monkeypatch.undo()
    monkeypatch.setenv("SPECSEL_MEMORY", "2kB")
    with pytest.raises(MemoryError, match=r"^X: (a block of it|what is stored of it, in memory)"):
        qalpha.solve(backed, 2)
    monkeypatch.setenv("SPECSEL_MEMORY", "9kB" if is_csc else "2kB")
    assert _containers.unwrapped(backed[:4])[0].shape == (4, 12)


def test_matrices_that_anndata_left_in_a_file(tmp_path):
    wanted = qalpha.solve(X, 2).alpha
    annotated(sparse.csr_matrix(X)).write_zarr(tmp_path / "X.zarr")
    stored = anndata.io.sparse_dataset(zarr.open(tmp_path / "X.zarr", mode="r")["X"])
    np.testing.assert_allclose(qalpha.solve(stored, 2).alpha, wanted, atol=1e-9)
    annotated(sparse.csc_matrix(X)).write_h5ad(tmp_path / "X.h5ad")
    backed = anndata.read_h5ad(tmp_path / "X.h5ad", backed="r")
    assert _containers.unwrapped(backed.X)[0].format == "csc"
    np.testing.assert_allclose(qalpha.solve(backed.X, 2).alpha, wanted, atol=1e-9)
    backed.file.close()
    with h5py.File(tmp_path / "X.h5ad", "r+") as file:
        file["X/indices"][3] = 999
    damaged = anndata.read_h5ad(tmp_path / "X.h5ad", backed="r")
    with pytest.raises(ValueError, match=r"^X: is a damaged sparse matrix: indices must be < 60"):
        qalpha.solve(damaged, 2)


def test_results_are_written_to_the_columns(adata, backed):
    weights = qalpha.solve(X, 2)
    for whole in (adata, backed):
        found = qalpha.solve(whole, 2)
        np.testing.assert_allclose(found.alpha, weights.alpha, atol=1e-9)
        assert found.names == NAMES
    results.annotate(adata, found, 5, key="qalpha")
    assert adata.var.columns.tolist() == ["qalpha_score", "qalpha_rank", "qalpha_selected"]
    best = [NAMES[i] for i in weights.ranking[:5]]
    assert {*adata.var_names[adata.var["qalpha_selected"]]} == {*best}
    assert adata.var["qalpha_rank"].idxmin() == best[0]


def test_side_data_and_pairs(adata, backed):
    rng = np.random.default_rng(1)
    side = annotated(rng.standard_normal((9, 12)))
    wanted = side_info.solve(X, [side.X, X[:20]], 1).alpha
    for whole in (adata, backed):
        found = side_info.solve(whole, [side, whole[:20]], 1)
        np.testing.assert_allclose(found.alpha, wanted, atol=1e-9)
        side_info.solve(whole, whole[:20], 1)
        pairs = pairwise.solve(whole, 1, apart=(whole[::2], whole[1::2]), together=[(0, 2)])
        known = pairwise.solve(X, 1, apart=(X[::2], X[1::2]), together=[(0, 2)])
        np.testing.assert_allclose(pairs.alpha, known.alpha, atol=1e-9)
    other = adata[:20, [1, 0, *range(2, 12)]]
    with pytest.raises(
        ValueError, match=r"^side: has other column names than X, or in another or"
    ):
        side_info.solve(adata, other, 1)
    with pytest.raises(
        ValueError, match=r"^together: has other column names than X, or in anothe"
    ):
        pairwise.solve(adata, 1, together=(other, other))


def test_stable_subspaces(adata, backed):
    options = {"matrix": "correlation", "n_boot": 100, "random_state": 0, "retain": 0.01}
    wanted = sbs.solve(X, **options)
    for whole in (adata, backed):
        found = sbs.solve(whole, **options)
        assert (found.support.tolist(), found.intervals.names) == (wanted.support.tolist(), NAMES)
        np.testing.assert_allclose(found.transform(whole), wanted.transform(X), atol=1e-9)


def test_a_layer_is_asked_for_where_x_is_none():
    empty = annotated(X)
    empty.X = None
    with pytest.raises(ValueError, match=r"^X: adata\.X is None; pass a layer, such as adata\.la"):
        qalpha.solve(empty, 2)


@pytest.mark.parametrize("path", ["a.npy", Path("a.npy")])
def test_names_of_files(path):
    with pytest.raises(ValueError, match=r"^X = 'a\.npy': is the name of a file; .* np\.load\('a"):
        qalpha.solve(path, 2)
    for suffix, call in _containers.READ_BY.items():
        with pytest.raises(ValueError, match=f"^side = 'a{suffix}': is the name") as told:
            side_info.solve(X, f"a{suffix}", 2)
        assert call.split("(")[0] in str(told.value)
    with pytest.raises(ValueError, match=r"^X = 'abc': is a text; pass the array itself, samples"):
        qalpha.solve("abc", 2)
    with pytest.raises(
        ValueError, match=r"^y: is the text 'kind'; .*, such as adata\.obs\['kind'"
    ):
        supervised.solve(X, "kind")


def test_files_and_groups(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        with pytest.raises(
            ValueError, match=r"^X: is a file or group, which holds nothing; pass "
        ):
            qalpha.solve(file, 2)
        file["numbers"] = X
        group = zarr.open_group(tmp_path / "a.zarr", mode="w")
        group.create_array("numbers", shape=(3, 4), dtype="f8")
        for name, solve in {
            "X": lambda: qalpha.solve(file, 2),
            "side": lambda: side_info.solve(X, file, 2),
            "apart": lambda: pairwise.solve(X, 2, apart=(file, file)),
            "X ": lambda: qalpha.solve(group, 2),
        }.items():
            message = f"^{name.strip()}: is a file or group, which holds 'numbers'; pass an array"
            with pytest.raises(ValueError, match=message):
                solve()
