"""Every algorithm gives the same answer whatever container X comes in."""

import json
import os
import signal
import threading
import tracemalloc
import warnings
from functools import cache

import dask
import dask.array
import numpy as np
import pandas as pd
import pytest
from faults.running import lines
from samples import in_disorder
from scipy import sparse

import specsel
from specsel import (
    _containers,
    alignment,
    eslda,
    evidence,
    gslda,
    laplacian,
    pairwise,
    positivity,
    qalpha,
    sbs,
    side_info,
    topography,
    weighting,
)
from specsel._methods import METHODS, parameters


def counts(shape, seed=0):
    """Counts in three groups of samples, most of them 0; one column and one row hold nothing."""
    rng = np.random.default_rng(seed)
    groups = np.arange(shape[0]) % 3
    rate = np.where(groups[:, None] == np.arange(shape[1]) // 4, 2.0, 0.2)
    X = rng.poisson(rate).astype(float)
    X[:, -1] = X[5] = 0
    X[:, -2] = 3.0
    X[:, -3] = rng.standard_normal(shape[0]) + 9  # nothing of it is 0
    return X


def with_long_indices(X):
    matrix = sparse.csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


def mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def in_h5py(X, folder, chunks=None):
    h5py = pytest.importorskip("h5py")
    return h5py.File(folder / "X.h5", "w").create_dataset("X", data=X, chunks=chunks)


def in_zarr(X, folder):
    zarr = pytest.importorskip("zarr")
    array = zarr.create_array(folder / "X.zarr", shape=X.shape, chunks=(24, 7), dtype=X.dtype)
    array[:] = X
    return array


def in_dask_by_feature(X, folder):
    return dask.array.from_array(X, chunks=(-1, (1, X.shape[1] - 9, 8)))


def in_dask_by_sample(X, folder):
    return dask.array.from_array(X, chunks=((1, 13, 10), -1))


def in_dask_both(X, folder):
    return dask.array.from_array(X, chunks=((1, 0, 13, 10), (5, X.shape[1] - 5)))


DASK = {
    "dask by feature": in_dask_by_feature,
    "dask by sample": in_dask_by_sample,
    "dask both": in_dask_both,
    "one chunk of dask": lambda X, folder: dask.array.from_array(X, chunks=-1),
    "sparse in dask": lambda X, folder: in_dask_by_sample(X, folder).map_blocks(sparse.csr_array),
}
BLOCKS = {
    "h5py": in_h5py,
    "h5py by sample": lambda X, folder: in_h5py(X, folder, (5, X.shape[1])),
    "zarr": in_zarr,
    **DASK,
    "csc": lambda X, folder: sparse.csc_array(X),
    "csr": lambda X, folder: sparse.csr_array(X),
}

CONTAINERS = {
    "csc": sparse.csc_array,
    "csr": sparse.csr_array,
    "csc matrix": sparse.csc_matrix,
    "csr matrix": sparse.csr_matrix,
    "coo": sparse.coo_array,
    "lil": sparse.lil_array,
    "long indices": with_long_indices,
    "disorder": in_disorder,
    "frame": lambda X: pd.DataFrame(X).astype(pd.SparseDtype(float, 0.0)),
    "part of a frame": lambda X: pd.DataFrame(X).astype({0: pd.SparseDtype(float, 0.0)}),
}

LABELS = np.arange(24) % 3
PAIRS = np.column_stack((np.arange(0, 20, 2), np.arange(1, 21, 2)))
SIDE = counts((10, 60), 1) + np.random.default_rng(2).random((10, 60))

# What a method needs beside X, for as many samples and features as X has.
NEEDS = {
    "y": lambda X: LABELS[: X.shape[0]],
    "side": lambda X: SIDE[:, : X.shape[1]],
    "apart": lambda X: PAIRS[:6],
}


def solver(name, **options):
    """A method of the table, with what it needs; the weights that it finds."""

    def solve(X):
        given = {need: NEEDS[need](X) for need in METHODS[name].needs[:1]} | options
        if "k" in parameters(name):
            given.setdefault("k", 2)
        found = getattr(specsel, name).solve(X, **given)
        return found.combined if name == "topography" else found

    return solve


SOLVERS = (
    {
        name: solver(name)
        for name, row in METHODS.items()
        if row.command == "select" and name != "alignment"  # which ranks, and has tests of its own
    }
    | {
        "qalpha as is": solver("qalpha", k="auto", center=False),
        "qalpha gap": solver("qalpha", criterion="gap"),
        "qalpha basic": solver("qalpha", method="basic", init="seeded", n_init=2, max_iter=9),
        "weighting": weighting.solve,  # which takes k with labels alone
        "weighting with labels": lambda X: weighting.solve(X, LABELS[: X.shape[0]]),
        "laplacian of ranks": solver("laplacian", k=3, representation="ranks"),
        "pairwise": solver("pairwise", max_iter=9),
        "rows together": solver("pairwise", apart=PAIRS[:6], together=PAIRS[6:], max_iter=9),
        "pairs of samples": lambda X: pairwise.solve(
            X, 2, apart=(SIDE[:5, : X.shape[1]], SIDE[5:, : X.shape[1]]), max_iter=9
        ),
        "linear kernel": solver("kernel", kernel="linear"),
    }
)
WIDE, TALL = counts((24, 60)), counts((24, 14))


@cache
def wanted(solver, wide=True):
    """What a solver finds in dense data."""
    return quietly(SOLVERS[solver], WIDE if wide else TALL)


def assert_same(found, solver, wide=True):
    np.testing.assert_allclose(found.alpha, wanted(solver, wide).alpha, atol=1e-9)
    np.testing.assert_allclose(found.objective, wanted(solver, wide).objective, rtol=1e-9)


def quietly(solve, *given):
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore",
            "not conv|X has neg|.* (is|are) (zero|const)|X: its|tra|.*never|k = .auto.. found no",
        )
        return solve(*given)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("container", BLOCKS)
def test_solvers_take_every_container(solver, container, tmp_path):
    assert_same(quietly(SOLVERS[solver], BLOCKS[container](WIDE, tmp_path)), solver)


@pytest.mark.parametrize("solver", ["qalpha", "weighting", "supervised", "topography"])
@pytest.mark.parametrize("container", BLOCKS)
def test_tall_data_are_reduced(solver, container, tmp_path):
    found = quietly(SOLVERS[solver], BLOCKS[container](TALL, tmp_path))
    assert_same(found, solver, wide=False)
    overlap = found.basis.T @ wanted(solver, wide=False).basis
    np.testing.assert_allclose(abs(overlap).max(axis=0), 1, atol=1e-6)


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_container_gives_the_same_weights_and_stays_as_it_is(container):
    X = CONTAINERS[container](WIDE)
    before = X.copy()
    found = quietly(SOLVERS["laplacian"], X)
    assert_same(found, "laplacian")
    if hasattr(X, "data"):
        np.testing.assert_array_equal(X.data, before.data)
        assert X.format == before.format
    assert (found.names is None) == (not hasattr(X, "columns"))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.uint8, bool])
def test_other_numbers(dtype):
    X = np.rint(abs(WIDE)).astype(dtype)
    expected = quietly(SOLVERS["qalpha"], X.astype(float))
    found = quietly(SOLVERS["qalpha"], sparse.csr_array(X))
    np.testing.assert_allclose(found.alpha, expected.alpha, atol=1e-9)


STORED_TYPES = (">f8", "f4", "f2", ">f4", "i2", ">i4", "u1", "i8", "?")
STORED = {"mapped": mapped, **{name: BLOCKS[name] for name in ("h5py", "zarr", "dask both")}}
READERS = {
    "relevance": lambda X, _: qalpha.relevance(X, [1, 3, 4, 9], 2),
    "relevance as is": lambda X, _: qalpha.relevance(X, range(8), 2, center=False),
    "gram": lambda X, found: qalpha.gram(X, found.basis),
    "reweight": lambda X, found: found.reweight(X),
    "spectrum": lambda X, found: found.spectrum(X),
    "diverse": lambda X, found: found.select(5, diverse=X),
    "bound": lambda X, found: positivity.irrelevant_weight_bound(found, X, [1, 2]).bound,
    "evidence": lambda X, _: evidence.solve(X, k=2, n=3, random_state=0).objective,
    "alignment": lambda X, _: alignment.solve(X, LABELS, n=5).scores,
    "sbs": lambda X, _: sbs.intervals(X, n_boot=100, random_state=0).lower,
    "gslda": lambda X, _: gslda.solve(X, LABELS, max_size=3).values,
    "ranks": lambda X, _: laplacian.solve(X, 2, representation="ranks").objective,
    **{
        name: lambda X, _, solve=SOLVERS[name]: solve(X).objective
        for name in ("qalpha", "supervised", "weighting", "side_info", "pairwise")
    },
}


@cache
def read_in_memory(dtype):
    """Numbers of a type, and as float64: weights of these, and what every reader finds in them."""
    X = np.rint(TALL).astype(dtype)
    weights = quietly(SOLVERS["qalpha"], X.astype(float))
    found = {name: quietly(one, X.astype(float), weights) for name, one in READERS.items()}
    return X, weights, found


@pytest.mark.parametrize("dtype", STORED_TYPES)
@pytest.mark.parametrize("container", STORED)
def test_stored_numbers_of_any_type_are_those_in_memory(container, dtype, tmp_path, monkeypatch):
    """Compiled code is there for float64 when it gets other bytes."""
    monkeypatch.setattr(_containers, "MAPPED", 0)
    X, weights, known = read_in_memory(dtype)
    stored = STORED[container](X, tmp_path)
    atol = 1e-5 if dtype in ("f4", "f2", ">f4") else 1e-9
    for name, reader in READERS.items():
        found, expected = quietly(reader, stored, weights), known[name]
        scale = max(1.0, np.abs(expected).max())
        np.testing.assert_allclose(found, expected, rtol=0, atol=atol * scale, err_msg=name)


def test_relevance_counts_numbers_as_they_are_read(tmp_path, monkeypatch):
    X = in_h5py(np.ones((4000, 20), "u1"), tmp_path)
    monkeypatch.setenv("SPECSEL_MEMORY", "300kB")
    with pytest.raises(
        MemoryError, match=r"^subset: 10 features of 4000 samples: would take 352 KiB"
    ):
        qalpha.relevance(X, range(10), 2)


def test_dense_side_data_beside_sparse_ones_and_the_reverse():
    side, apart = sparse.csc_array(SIDE), (sparse.csr_array(SIDE[:5]), SIDE[5:])
    for X in (WIDE, sparse.csc_array(WIDE)):
        assert_same(quietly(lambda X: side_info.solve(X, [side], 2), X), "side_info")
        found = quietly(lambda X: pairwise.solve(X, 2, apart=apart, max_iter=9), X)
        assert_same(found, "pairs of samples")


ALIGNED = ("csc", "csr", "dask by sample", "dask both")


@pytest.mark.parametrize("container", ALIGNED)
@pytest.mark.parametrize("options", [{"target": "neighbours", "n": 8}, {"y": LABELS, "n": 5}])
def test_alignment(container, options, tmp_path):
    expected, found = (
        quietly(lambda X: alignment.solve(X, **options), X)
        for X in (WIDE, BLOCKS[container](WIDE, tmp_path))
    )
    np.testing.assert_array_equal(found.ranking, expected.ranking)


@pytest.mark.parametrize("container", ["csc", "csr", "disorder", "long indices", "frame"])
@pytest.mark.parametrize("X", [WIDE, TALL], ids=["wide", "tall"])
def test_sparse_lda_of_sparse_data(X, container):
    for solve in (
        lambda X: gslda.solve(X, LABELS, max_size=4),
        lambda X: gslda.solve(X, LABELS, max_size=4, direction="forward", shrinkage=0.1),
        lambda X: gslda.threshold(X, LABELS, [2, 5]),
        lambda X: eslda.solve(X, LABELS, [2]),
    ):
        expected, found = (quietly(solve, form(X)) for form in (np.asarray, CONTAINERS[container]))
        np.testing.assert_allclose(found.values, expected.values, rtol=1e-9)
        for one, other in zip(found.supports, expected.supports, strict=True):
            np.testing.assert_array_equal(one, other)


def test_principal_components_take_dense_data():
    message = r"^X: is a sparse matrix; dense .* toarray\(\) would take 11.2 KiB \(the budget is "
    with pytest.raises(ValueError, match=message):
        gslda.solve(sparse.csr_array(WIDE), max_size=3)


TOO_MUCH = {
    "weighting with labels": lambda X: weighting.solve(X, LABELS[np.arange(X.shape[0]) % 24]),
    "qalpha gap": lambda X: qalpha.solve(X, 2, criterion="gap"),
    "linear kernel": SOLVERS["linear kernel"],
    "rbf": SOLVERS["kernel"],
    "backward": lambda X: gslda.solve(X, np.arange(X.shape[0]) % 2, max_size=3),
    "forward": lambda X: gslda.solve(
        X, np.arange(X.shape[0]) % 2, max_size=3, direction="forward"
    ),
    "eslda": lambda X: eslda.solve(X[:, :300], np.arange(X.shape[0]) % 2, 3),
    "sbs": sbs.solve,
}


@pytest.mark.parametrize("name", TOO_MUCH)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_what_has_no_linear_path_is_refused_before_it_is_allocated(name, container, monkeypatch):
    X = container(counts((400, 500)))
    quietly(SOLVERS["qalpha"], X)  # compiles
    monkeypatch.setenv("SPECSEL_MEMORY", "1MiB")
    tracemalloc.start()
    with pytest.raises(MemoryError, match=r".*: would take .* and the budget .* is 1 MiB; \w.*"):
        quietly(TOO_MUCH[name], X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


WIDER = {
    "weighting": lambda X, y: weighting.solve(X),
    "weighting with y": lambda X, y: weighting.solve(X, y),
    "weighting with rank": lambda X, y: weighting.solve(X, rank=490),
    "qalpha": lambda X, y: qalpha.solve(X, 2, criterion="gap"),
    "topography": lambda X, y: topography.solve(X, 2, criterion="gap"),
    "side_info": lambda X, y: side_info.solve(X, X[:5].toarray(), 2, criterion="gap"),
    "pairwise": lambda X, y: pairwise.solve(X, 2, apart=[(0, 1)], criterion="gap"),
    "sbs": lambda X, y: sbs.solve(X),
}


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    ("name", "shape"),
    [(name, (5000, 100_000)) for name in WIDER]
    + [(name, (100_000, 500)) for name in WIDER if name != "sbs"],  # whose matrices are small
)
def test_sparse_data_are_refused_before_they_are_measured_or_copied(
    name, form, shape, monkeypatch, peak_memory, rng
):
    monkeypatch.setenv("SPECSEL_MEMORY", "150MB")
    X = sparse.random_array(shape, density=1e6 / np.prod(shape), random_state=rng, format=form)

    def refused():
        with pytest.raises(MemoryError, match=r"would take .* and the budget \(SPECSEL_MEMORY\)"):
            WIDER[name](X, np.arange(shape[0]) % 2)

    assert peak_memory(refused) < 10e6


def test_diverse_selection_from_sparse_data():
    expected, found = (
        quietly(lambda X: wanted("qalpha").select(5, diverse=X), X)
        for X in (WIDE, sparse.csr_array(WIDE))
    )
    np.testing.assert_array_equal(found, expected)


def test_a_sparse_frame_about_another_number_is_refused():
    frame = pd.DataFrame(WIDE).astype(pd.SparseDtype(float, np.nan))
    with pytest.raises(
        ValueError, match=r"^X: column '0' is sparse about nan; 0 is needed: pass X"
    ):
        qalpha.solve(frame, 2)
    for advised in (frame.sparse.to_dense(), frame.fillna(0)):
        assert_same(quietly(SOLVERS["qalpha"], advised), "qalpha")


def test_a_sparse_frame_is_named_and_refused_as_a_dense_one_is():
    frame = pd.DataFrame(WIDE, columns=pd.MultiIndex.from_tuples([("a", i) for i in range(60)]))
    dense = quietly(SOLVERS["qalpha"], frame).names
    assert quietly(SOLVERS["qalpha"], frame.astype(pd.SparseDtype(float, 0.0))).names == dense
    frame = pd.DataFrame({"g": [0.0, 1.0, 2.0], "kind": pd.Categorical(["x", "y", "x"])})
    frame["g"] = frame["g"].astype(pd.SparseDtype(float, 0.0))
    with pytest.raises(ValueError, match=r"^X: column 'kind' is categorical; drop it, or encode "):
        qalpha.solve(frame, 1)


@pytest.mark.parametrize(
    "container", [np.asarray, sparse.csc_array, sparse.csr_array, in_disorder]
)
def test_values_that_are_not_finite_are_named(container):
    X = WIDE.copy()
    X[3, [9, 7]] = X[8, 2] = np.nan
    with pytest.raises(
        ValueError, match=r"^X: 3 values are NaN or infinite, first at sample 3, feature 7; "
    ):
        qalpha.solve(container(X), 2)


ESTIMATORS = {
    "QAlpha": {"k": 2, "n_features_to_select": 9},
    "ParameterFreeWeighting": {"n_features_to_select": 9},
    "FisherWeighting": {"n_features_to_select": 9},
    "LaplacianQAlpha": {"k": 3, "n_features_to_select": 9},
    "SupervisedQAlpha": {"n_features_to_select": 9},
    "KernelQAlpha": {"k": 2, "kernel": "linear", "n_features_to_select": 9},
    "SideInfoQAlpha": {"k": 2, "side": SIDE, "n_features_to_select": 9},
    "PairwiseQAlpha": {"k": 2, "apart": (SIDE[:5], SIDE[5:]), "n_features_to_select": 9},
    "AlignmentSelector": {"n_features_to_select": 9, "target": "neighbours"},
    "GreedySparseLDA": {"n_features_to_select": 4},
}


@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_matrix])
def test_estimators_take_sparse_data_and_keep_them_sparse(name, container):
    selector = getattr(specsel, name)(**ESTIMATORS[name])
    y = LABELS if name in ("FisherWeighting", "SupervisedQAlpha", "GreedySparseLDA") else None
    support = quietly(lambda X: selector.fit(X, y), WIDE).get_support()
    out = quietly(lambda X: selector.fit(X, y), container(WIDE)).transform(container(WIDE))
    np.testing.assert_array_equal(selector.get_support(), support)
    assert sparse.issparse(out)
    np.testing.assert_array_equal(out.toarray(), WIDE[:, support])


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("container", [sparse.csc_array, sparse.csr_array])
def test_reweighted_samples_stay_sparse_where_they_can(center, container, monkeypatch):
    selector = specsel.QAlpha(k=2, center=center, reweight=True)
    quietly(lambda X: selector.fit(X), WIDE)
    X = container(WIDE)
    found = selector.result_.reweight(X), selector.transform(X)
    for one in found:
        assert sparse.issparse(one) == (not center)
        dense = one if center else one.toarray()
        np.testing.assert_allclose(dense, selector.transform(WIDE), atol=1e-12)
    monkeypatch.setenv("SPECSEL_MEMORY", "1kB")
    if center:
        with pytest.raises(MemoryError, match=r"^X: 24 x 60 centred samples, which are dense: "):
            selector.result_.reweight(X)


@pytest.mark.parametrize("container", DASK)
def test_dask_arrays_are_never_materialised(container, tmp_path, monkeypatch):
    X = DASK[container](WIDE, tmp_path)
    monkeypatch.setattr(type(X), "__array__", None)  # which would read all of it
    for solver in ("qalpha", "laplacian"):
        quietly(SOLVERS[solver], X)


def test_schedulers_and_threads_give_the_same_bits(tmp_path):
    X, found = in_dask_by_feature(WIDE, tmp_path), []
    for scheduler in ("synchronous", "threads"):
        with dask.config.set(scheduler=scheduler):
            found.append(quietly(SOLVERS["laplacian"], X).alpha)
    np.testing.assert_array_equal(*found)


def test_a_frame_of_dask():
    pytest.importorskip("pyarrow")
    from dask import dataframe

    frame = dataframe.from_pandas(pd.DataFrame(WIDE).add_prefix("gene"), npartitions=3)
    found = quietly(SOLVERS["qalpha"], frame)
    assert_same(found, "qalpha")
    assert found.names[0] == "gene0"


def test_chunks_of_unknown_size_are_refused(tmp_path):
    X = in_dask_by_sample(WIDE, tmp_path)
    with pytest.raises(ValueError, match=r"^X: has chunks of unknown size; call compute_chunk"):
        qalpha.solve(X[X[:, 0] >= 0], 2)


def test_pairs_of_rows_and_samples_of_streamed_data(tmp_path):
    expected, *found = (
        quietly(lambda X, t=together: pairwise.solve(X, 2, apart=PAIRS, together=t), X).alpha
        for X, together in (
            (WIDE, (SIDE, SIDE[::-1])),
            (in_dask_both(WIDE, tmp_path), (dask.array.from_array(SIDE, chunks=4), SIDE[::-1])),
            (mapped(WIDE, tmp_path), (dask.array.from_array(SIDE, chunks=4), SIDE[::-1])),
        )
    )
    np.testing.assert_allclose(found, [expected] * 2, atol=1e-9)


def killing(cluster):
    """A callback that kills a worker while the next pass is under way; the cluster starts more."""

    def kill(count, value):
        pids = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
        if count in (2, 4) and pids:
            delay = 0.002 * count
            threading.Timer(delay, os.kill, (pids[count % len(pids)], signal.SIGKILL)).start()
            killed.append(count)

    killed = []
    kill.killed = killed
    return kill


@pytest.mark.filterwarnings("ignore:.*:Warning")  # of distributed, about ports and sockets
def test_processes_of_a_cluster_also_where_they_die(tmp_path):
    distributed = pytest.importorskip("distributed")
    X = in_dask_by_feature(WIDE, tmp_path)
    with dask.config.set(scheduler="synchronous"):
        expected = quietly(SOLVERS["qalpha"], X).alpha
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        for form in (X, client.persist(X)):
            found, kill = quietly(SOLVERS["qalpha"], form).alpha, killing(cluster)
            again = quietly(lambda X, kill=kill: qalpha.solve(X, 2, callback=kill), form).alpha
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(again, expected)
            assert kill.killed == [2, 4]


@pytest.mark.parametrize("container", [mapped, in_h5py, in_zarr, in_dask_both])
@pytest.mark.parametrize("reweight", [True, False])
def test_estimators_stream(container, reweight, tmp_path):
    selector = specsel.QAlpha(k=2, n_features_to_select=5, reweight=reweight)
    expected = quietly(lambda X: selector.fit(X).transform(X), WIDE)
    X = container(WIDE, tmp_path)
    found = quietly(lambda X: selector.fit(X).transform(X), X)
    assert isinstance(found, dask.array.Array) == isinstance(X, dask.array.Array)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(
        selector.result_.reweight(X), selector.result_.reweight(WIDE), atol=1e-12
    )


ALIKE = {
    "F": lambda X, folder: np.asfortranarray(X),
    "frame": lambda X, folder: pd.DataFrame(X).astype(pd.SparseDtype(float, 0.0)),
    "dask": lambda X, folder: dask.array.from_array(X, chunks=(300, 7)),
    **{name: BLOCKS[name] for name in ("csr", "csc", "h5py", "zarr")},
}


@pytest.mark.parametrize("container", ALIKE)
def test_neighbours_among_samples_that_are_alike_do_not_depend_on_the_container(
    container, tmp_path
):
    X = np.random.default_rng(1).poisson(0.1, (1500, 30)).astype(float)
    expected, found = (
        alignment.solve(X, n=10),
        alignment.solve(ALIKE[container](X, tmp_path), n=10),
    )
    np.testing.assert_array_equal(found.ranking, expected.ranking)
    np.testing.assert_allclose(found.scores, expected.scores, rtol=0, atol=1e-9)


def test_where_all_of_x_is_needed_it_is_read_within_the_budget(tmp_path, monkeypatch):
    X = in_dask_both(WIDE, tmp_path)
    expected, found = (
        quietly(lambda X: gslda.solve(X, LABELS, max_size=3), data) for data in (WIDE, X)
    )
    np.testing.assert_allclose(found.values, expected.values)
    monkeypatch.setenv("SPECSEL_MEMORY", "5kB")
    with pytest.raises(MemoryError, match=r"^X: all of it in memory: would take 11.2 KiB, and th"):
        gslda.solve(X, LABELS, max_size=3)


def clustered(shape, by_sample):
    """Numbers of which the first few features form two groups of samples."""
    X = np.random.default_rng(0).standard_normal(shape)
    X[: shape[0] // 2, :5] += 4
    return X if by_sample else np.asfortranarray(X)


@pytest.mark.parametrize(
    ("by_sample", "solve"),
    [
        pytest.param(False, lambda X: laplacian.solve(X, 2, max_iter=3), marks=pytest.mark.slow),
        (True, lambda X: qalpha.solve(X, 1, max_iter=5)),
        (True, lambda X: specsel.supervised.solve(X, np.arange(len(X)) % 3)),
    ],
)
def test_several_blocks_of_a_file(by_sample, solve, tmp_path):
    X = clustered((180_000, 24) if by_sample else (24, 180_000), by_sample)
    chunks = (1000, 24) if by_sample else (24, 1000)
    expected, found = quietly(solve, X), quietly(solve, in_h5py(X, tmp_path, chunks))
    np.testing.assert_allclose(found.alpha, expected.alpha, atol=1e-8)


@pytest.mark.parametrize(
    "solve", [lambda X: qalpha.solve(X, 2), lambda X: weighting.solve(X, tol=0)]
)
def test_tall_arrays_in_memory(solve):
    X = clustered((2**17 + 5, 9), True)
    expected, found = quietly(solve, sparse.csc_array(X)), quietly(solve, X)
    np.testing.assert_allclose(found.alpha, expected.alpha, atol=1e-8)


LIMITED = """
import resource, sys, warnings
import numpy as np
from specsel import qalpha
warnings.simplefilter("ignore")
def opened(path):
    if path.endswith(".npy"):
        return np.load(path, mmap_mode="r")
    if path.endswith(".zarr"):
        import zarr
        return zarr.open_array(path, mode="r")
    import h5py
    return h5py.File(path)["X"]
few, many = map(opened, sys.argv[1:])
qalpha.solve(np.random.default_rng(0).standard_normal((30, 40)), 2)
from specsel import _containers
_containers.MAPPED = 0
qalpha.solve(few, 2)  # compiles
taken = 4096 * int(open("/proc/self/statm").read().split()[0])  # maps included
resource.setrlimit(resource.RLIMIT_AS, (taken + 3 * 2**26, taken + 3 * 2**26))
assert many.size * 4 > 4 * 2**26
print(qalpha.solve(many, 2).ranking[:5].tolist())
"""


def made_npy(path, shape, by_feature):
    return np.lib.format.open_memmap(path, "w+", np.float32, shape, fortran_order=by_feature)


def made_h5(path, shape, by_feature):
    return pytest.importorskip("h5py").File(path, "w").create_dataset("X", shape, np.float32)


def made_zarr(path, shape, by_feature):
    zarr = pytest.importorskip("zarr")
    chunks = (shape[0], 5000) if by_feature else (5000, shape[1])
    return zarr.create_array(path, shape=shape, chunks=chunks, dtype=np.float32, compressors=None)


FILES = {
    "tall.npy": (made_npy, False),
    "wide.npy": (made_npy, True),
    "tall.h5": (made_h5, False),
    "wide.h5": (made_h5, True),
    "tall.zarr": (made_zarr, False),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_a_file_larger_than_the_address_space_left(name, tmp_path, rng):
    make, wide = FILES[name]
    few, many = (
        make(tmp_path / f"{size}{name}", (120, size) if wide else (size, 120), wide)
        for size in (2000, 600_000)
    )
    few[:] = rng.standard_normal(few.shape).astype(np.float32)
    planted, step = 3000 if wide else 5, 20_000
    for start in range(0, 600_000, step):
        block = rng.standard_normal((step, 120), dtype=np.float32)
        if wide:
            block[: planted * (start == 0), :60] += 9
            many[:, start : start + step] = block.T
        else:
            block[: step // 2, :5] += 3
            many[start : start + step] = block
    for array in (few, many):
        if hasattr(array, "file"):
            array.file.close()  # h5py's; the others write at once
    del few, many
    paths = [str(tmp_path / f"{size}{name}") for size in (2000, 600_000)]
    limits = {"SPECSEL_MEMORY": "64MiB", "NUMBA_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    limits["MALLOC_ARENA_MAX"] = "1"  # else every thread of zarr takes 64 MiB of addresses
    (ranking,) = lines(LIMITED, *paths, **limits)
    assert max(json.loads(ranking)) < planted


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("method", ["qalpha", "weighting", "side_info", "laplacian", "parts"])
def test_full_sparse_columns_far_from_zero_keep_their_digits(form, method, rng):
    """Positions and times are such columns. Dense, their mean is subtracted first."""
    X, other = rng.standard_normal((2, 40, 25))
    X[:, :9] += 3 * rng.standard_normal((3, 9))[np.arange(40) % 3]
    X[:, [2, 12]] += 1e6
    other[:, [2, 12]] += 1e6
    solve = {
        "qalpha": lambda X, _: qalpha.solve(X, 3, criterion="gap", tol=1e-12),
        "weighting": lambda X, _: weighting.solve(X, tol=0),
        "side_info": lambda X, other: side_info.solve(X, other, 2, tol=1e-12),
        "laplacian": lambda X, _: laplacian.solve(X, 2, representation="shift", tol=1e-11),
        "parts": lambda X, _: laplacian.solve(X, 2, representation="parts", tol=1e-11),
    }[method]
    found, expected = quietly(solve, form(X), form(other)), quietly(solve, X, other)
    np.testing.assert_allclose(found.alpha, expected.alpha, atol=1e-9)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12)


@pytest.mark.parametrize("form", [sparse.csc_array, sparse.csr_array])
@pytest.mark.parametrize("step", [2, -1])
def test_sparse_numbers_need_not_lie_together(form, step, rng):
    X = np.where(rng.random((20, 30)) < 0.4, rng.standard_normal((20, 30)), 0.0)
    matrix, expected = form(X), qalpha.solve(X, 2, tol=1e-12).alpha
    for part in ("data", "indices"):
        spread = form(X)
        buffer = np.full(abs(step) * matrix.nnz, 10**6, getattr(matrix, part).dtype)
        buffer[::step] = getattr(matrix, part)
        setattr(spread, part, buffer[::step])
        np.testing.assert_allclose(qalpha.solve(spread, 2, tol=1e-12).alpha, expected, atol=1e-9)
