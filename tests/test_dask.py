"""Dask arrays: what is asked of Dask, blocks that workers hold, and blocks that are wrong or gone.

Which blocks share a task changes no bit; a block that is lost with its worker is made again.
"""

import asyncio
from contextlib import contextmanager

import dask
import dask.array
import numpy as np
import pytest
from scipy import sparse

from specsel import _data, gslda, laplacian, qalpha

distributed = pytest.importorskip("distributed")


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


DECLARED = (
    r"a block has shape {} and dtype {}, but its Dask array declares \([46], (7|20)\) and float64"
)
DAMAGED = r"is a damaged sparse matrix: indices must be < (7|20)$"
MASKED = "holds masked values; remove or fill them first$"

WRONG = {
    "damaged": (misplaced, DAMAGED),
    "masked": (lambda b: np.ma.masked_greater(b, np.median(b)), MASKED),
    "masked and sparse": (hidden, MASKED),
    "short": (lambda b: b[:-1], DECLARED.format(r"\([35], (7|20)\)", "float64")),
    "narrow": (lambda b: b[:, 1:], DECLARED.format(r"\([46], (6|19)\)", "float64")),
    "turned": (lambda b: b.T, DECLARED.format(r"\((7|20), [46]\)", "float64")),
    "a row": (lambda b: b[0], DECLARED.format(r"\((7|20),\)", "float64")),
    "nothing": (lambda b: None, DECLARED.format(r"\(\)", "object")),
    "complex": (lambda b: b + 1j, DECLARED.format(r"\([46], (7|20)\)", "complex128")),
    "text": (lambda b: b.astype("U9"), DECLARED.format(r"\([46], (7|20)\)", "<U9")),
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


# distributed warns of ports and sockets.
pytestmark = pytest.mark.filterwarnings("ignore:.*:Warning")


@contextmanager
def cluster(n_workers=1):
    """A cluster of workers with a thread each, all in this process, and its client."""
    options = {"processes": False, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(n_workers=n_workers, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


@pytest.fixture(scope="module")
def client():
    with cluster(2) as (_, client):
        yield client


def spread(client, X, widths, places):
    """X on the workers, each chunk at its place."""
    addresses = sorted(client.nthreads())
    array = dask.array.from_array(X, chunks=(-1, widths), name=False)  # not those of other tests
    chunks = [
        client.persist(array.blocks[:, i], workers=[addresses[place]])
        for i, place in enumerate(places)
    ]
    persisted = client.persist(dask.array.concatenate(chunks, axis=1))
    distributed.wait(persisted)
    return persisted


@pytest.mark.parametrize(
    ("places", "n_tasks"), [((0, 1, 1, 0, 1, 0), 2), ((1, 1, 1, 0, 1, 1), 2), ((1,) * 6, 1)]
)
def test_a_pass_is_a_task_a_worker_and_gives_the_same_bits(
    client, places, n_tasks, rng, monkeypatch
):
    X, Q = rng.standard_normal((12, 30)), rng.standard_normal((12, 2))
    widths, tasks = (7, 1, 9, 2, 3, 8), []
    with dask.config.set(scheduler="synchronous"):
        wanted = answers(dask.array.from_array(X, chunks=(-1, widths)), Q)
    original = client.map
    monkeypatch.setattr(
        client, "map", lambda f, lists, **kw: tasks.append(len(lists)) or original(f, lists, **kw)
    )
    found = answers(spread(client, X, widths, places), Q)
    assert tasks == [n_tasks] * 3  # moments, and two passes
    for got, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(got, expected)


def answers(X, Q):
    data = _data.read(X)
    alpha, image = data.fused(Q, Q)
    return alpha, image, data.adjoint(alpha, Q)


def test_another_client_than_the_current_one(client, rng):
    X = rng.standard_normal((12, 30))
    persisted = client.persist(dask.array.from_array(X, chunks=(-1, 10)))
    wanted = qalpha.solve(persisted, 2).alpha
    with cluster() as (_, other):
        assert distributed.default_client() is other
        np.testing.assert_array_equal(qalpha.solve(persisted, 2).alpha, wanted)
        with pytest.raises(ValueError, match=f"^{OUT_OF_REACH}$"):
            qalpha.solve(persisted + 1, 2)


OUT_OF_REACH = (
    "X: its blocks are out of reach: they were cancelled, or their client or cluster is closed or "
    "not the current one; make or persist X again with one that is open"
)


def test_blocks_of_two_clients(client, rng):
    X = rng.standard_normal((12, 20))
    with distributed.Client(client.scheduler.address, set_as_default=False) as other:
        futures = [
            one.submit(np.ascontiguousarray, X[:, part], pure=False)
            for one, part in ((client, slice(0, 10)), (other, slice(10, 20)))
        ]
        distributed.wait(futures[1])
        graph = {("x", 0, i): future for i, future in enumerate(futures)}
        array = dask.array.Array(graph, "x", ((12,), (10, 10)), dtype=float)
        np.testing.assert_array_equal(qalpha.solve(array, 2).alpha, apart(X, 10))


def apart(X, width):
    """Weights of X from blocks that no cluster holds."""
    with dask.config.set(scheduler="synchronous"):
        return qalpha.solve(dask.array.from_array(X, chunks=(-1, width)), 2).alpha


ASKED = {
    "a solver": lambda X, data: qalpha.solve(X, 2),
    "all of it": lambda X, data: laplacian.solve(X, 2, representation="ranks"),
    "all of it at once": lambda X, data: gslda.solve(X, np.arange(12) % 2, max_size=2),
    "one more pass": lambda X, data: data.fused(np.eye(12, 2), np.eye(12, 2)),
}


@pytest.mark.parametrize("end", ["client", "cluster", "cancelled"])
@pytest.mark.parametrize("asked", ASKED)
def test_blocks_that_are_gone_are_named_in_one_line(end, asked, rng):
    X = dask.array.from_array(rng.standard_normal((12, 30)), chunks=(-1, 10), name=False)
    with cluster() as (workers, client):
        persisted = client.persist(X)
        distributed.wait(persisted)
        data = _data.read(persisted)
        ASKED["one more pass"](persisted, data)
        if end == "cancelled":
            client.cancel(persisted)
        else:
            (client if end == "client" else workers).close()
        with pytest.raises(ValueError, match=f"^{OUT_OF_REACH}$"):
            ASKED[asked](persisted, data)


def test_an_asynchronous_client_wants_another_thread(rng):
    X = rng.standard_normal((12, 30))

    async def solved():
        options = {"processes": False, "n_workers": 1, "dashboard_address": None}
        async with (
            distributed.LocalCluster(**options, asynchronous=True) as cluster,
            distributed.Client(cluster, asynchronous=True) as client,
        ):
            persisted = client.persist(dask.array.from_array(X, chunks=(-1, 10)))
            with pytest.raises(ValueError, match=r"^X: its client is asynchronous and would wait"):
                qalpha.solve(persisted, 2)
            return await asyncio.to_thread(qalpha.solve, persisted, 2)

    np.testing.assert_array_equal(asyncio.run(solved()).alpha, apart(X, 10))


def nested():
    """What a task finds that persists an array and reads it."""
    X = np.random.default_rng(0).standard_normal((12, 30))
    array = distributed.get_client().persist(dask.array.from_array(X, chunks=(-1, 10)))
    return _data.read(array).norms - _data.read(X).norms


def test_a_task_that_waits_for_its_own_tasks_gives_up_its_thread(client):
    """Else a cluster with a thread for each task would wait for ever."""
    tasks = [client.submit(nested, pure=False) for _ in range(2)]
    for task in tasks:
        difference = task.result(timeout=20)
        np.testing.assert_allclose(difference, 0.0 * difference, atol=1e-12)


@pytest.mark.parametrize("chunks", [(12, (0, 20, 0, 10)), ((0, 5, 0, 7), 30)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_chunks_may_be_empty_or_sparse_and_columns_extreme(client, chunks, form, rng):
    X = rng.standard_normal((12, 30)) * np.where(np.arange(30) % 3, 1.0, 1e200)
    array = dask.array.from_array(X, chunks=chunks).map_blocks(form, meta=form(X[:0, :0]))
    Q = rng.standard_normal((12, 2))
    for found, wanted in zip(answers(client.persist(array), Q), answers(X, Q), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)
