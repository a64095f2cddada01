"""Blocks that workers hold: which of them share a task, and that this changes no bit."""

import asyncio
from types import SimpleNamespace

import dask
import dask.array
import numpy as np
import pytest

from specsel import _data, gslda, laplacian, qalpha
from specsel._data import workers
from specsel._data.distributed import DaskSource
from specsel._data.workers import Placed

distributed = pytest.importorskip("distributed")

# distributed warns of ports and sockets.
pytestmark = pytest.mark.filterwarnings("ignore:.*:Warning")


@pytest.fixture(scope="module")
def client():
    """A cluster of two workers with a thread each, all in this process."""
    options = {"processes": False, "n_workers": 2, "threads_per_worker": 1}
    with (
        distributed.LocalCluster(**options, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def spread(client, X, widths, places):
    """X on the workers, each chunk at its place."""
    addresses = sorted(client.nthreads())
    array = dask.array.from_array(X, chunks=(-1, widths), name=False)  # not those of other tests
    chunks = [
        client.persist(array.blocks[:, i], workers=[addresses[place]])
        for i, place in enumerate(places)
    ]
    held = client.persist(dask.array.concatenate(chunks, axis=1))
    distributed.wait(held)
    return held


def held_at(places, threads, size=1):
    """Blocks that lie at such places, as their scheduler would tell."""
    names = [f"block{i}" for i in range(len(places))]
    scheduler = SimpleNamespace(
        who_has=lambda blocks: dict(zip(names, places, strict=True)), nthreads=lambda: threads
    )
    return Placed([SimpleNamespace(key=name, client=scheduler) for name in names], size)


BOTH = {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("places", "threads", "wanted"),
    [
        (["a", "b", "a", "b"], BOTH, [[0, 2], [1, 3]]),
        (["a", "a", "a", "b"], BOTH, [[0, 1, 2], [3]]),
        (["b", "b", "b", "b"], BOTH, [[0, 1, 2, 3]]),
        (["ab", "ab", "ab", "b"], BOTH, [[0, 2], [1, 3]]),
        (["a", "", "a", ""], BOTH, [[1], [3], [0, 2]]),  # being made
        (["a", "c", "ac"], BOTH, [[1], [0, 2]]),  # of a worker that is gone
        (["a", "a", "a", "a"], {"a": 3, "b": 1}, [[0, 1], [2], [3]]),
        (["a", "b"], {"a": 3, "b": 4}, [[0], [1]]),
        (["a", "a"], {"a": 1, "b": 0}, [[0, 1]]),
    ],
)
def test_blocks_of_a_worker_share_a_task(places, threads, wanted):
    held = held_at(places, threads)
    assert held.groups(held.blocks) == wanted


def test_blocks_that_share_a_task_are_of_bounded_size():
    size = workers.TOGETHER // 3
    held = held_at(["a"] * 7, {"a": 1}, size)
    assert held.groups(held.blocks) == [[0, 1, 2], [3, 4], [5, 6]]
    assert len(held_at(["a"] * 7, {"a": 1}, 100 * size).groups(held.blocks)) == 7


def test_only_what_a_cluster_persists_is_held(client, rng):
    array = dask.array.from_array(rng.standard_normal((12, 30)), chunks=(-1, 7))
    held = client.persist(array)
    assert Placed.of(array, True) is None
    assert Placed.of(held + 1, True) is None
    assert Placed.of(held[:, 1:], True) is None
    assert Placed.of(client.persist(array.rechunk((6, 7))), True) is None
    assert Placed.of(client.persist(array.rechunk((6, 7))), False) is None
    with dask.config.set(scheduler="threads"):
        assert Placed.of(array.persist(), True) is None
    found = Placed.of(held, True)
    assert [block.key for block in found.blocks] == [(held.name, 0, i) for i in range(5)]
    assert found.size == 12 * 7 * 8


@pytest.mark.parametrize("by_feature", [True, False])
def test_empty_chunks_are_no_blocks(client, by_feature, rng):
    X = rng.standard_normal((12, 30))
    chunks = (12, (0, 20, 0, 10)) if by_feature else ((0, 5, 0, 7), 30)
    source = DaskSource.of_chunks(client.persist(dask.array.from_array(X, chunks=chunks)))
    held = Placed.of(source.array, source.by_feature)
    assert len(held.blocks) == 2
    assert held.size == (12 * 20 if by_feature else 7 * 30) * 8
    found = source.run(lambda block, i: (i, block), ((i,) for i in range(2)))
    for i, block in found:
        np.testing.assert_array_equal(block, source.read(*cut(source, i)))


def cut(source, i):
    every = slice(None)
    return (every, source.parts[i]) if source.by_feature else (source.parts[i], every)


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


def test_a_block_that_is_being_made_is_waited_for(client, rng):
    X, gate = rng.standard_normal((12, 30)), distributed.Event()

    def opened(block):
        gate.wait()
        return block

    array = dask.array.from_array(X, chunks=(-1, 10)).map_blocks(opened, meta=X[:0, :0])
    source = DaskSource.of_chunks(client.persist(array))
    held = Placed.of(source.array, True)
    groups = held.groups(held.blocks)
    gate.set()
    assert groups == [[0], [1], [2]]
    found = source.run(lambda block: block, (() for _ in range(3)))
    np.testing.assert_array_equal(np.hstack([*found]), X)


def test_answers_are_let_go_after_the_next_ones_are_asked_for(client, rng, monkeypatch):
    array = dask.array.from_array(rng.random((4, 6)), chunks=(4, 2))
    held, original = Placed.of(client.persist(array), True), client.map
    before, kept = [[]], []

    def asked(*args, **kwargs):
        tasks = original(*args, **kwargs)
        kept.append(all(task.key in client.futures for task in before[-1]))
        before.append([SimpleNamespace(key=task.key) for task in tasks])
        return tasks

    monkeypatch.setattr(client, "map", asked)
    calls = [(block,) for block in held.blocks]
    for _ in range(3):
        assert held.run(lambda calls: [call[0].shape for call in calls], calls) == [(4, 2)] * 3
    assert kept == [True] * 3
    client.sync(client.scheduler.identity)  # whatever was sent has been done
    assert not any(task.key in client.futures for task in before[1])


@pytest.mark.parametrize("end", [KeyboardInterrupt, ValueError])
def test_tasks_that_nobody_waits_for_are_let_go(end, client, rng, monkeypatch):
    """Also while somebody holds the traceback, as an interactive session does."""
    array = dask.array.from_array(rng.random((4, 6)), chunks=(4, 2))
    held, original, asked = Placed.of(client.persist(array), True), client.map, []

    def noted(*args, **kwargs):
        tasks = original(*args, **kwargs)
        asked.extend(task.key for task in tasks)
        return tasks

    def gather(tasks):
        raise end

    monkeypatch.setattr(client, "map", noted)
    monkeypatch.setattr(client, "gather", gather)
    with pytest.raises(end) as caught:
        held.run(lambda calls: [1 for _ in calls], [(block,) for block in held.blocks])
    client.sync(client.scheduler.identity)  # whatever was sent has been done
    assert asked
    assert not any(key in client.futures for key in asked)
    assert caught.tb is not None


def test_another_client_than_the_current_one(client, rng):
    X = rng.standard_normal((12, 30))
    held = client.persist(dask.array.from_array(X, chunks=(-1, 10)))
    wanted = qalpha.solve(held, 2).alpha
    options = {"processes": False, "n_workers": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as other:
        assert distributed.default_client() is other
        np.testing.assert_array_equal(qalpha.solve(held, 2).alpha, wanted)
        np.testing.assert_array_equal(DaskSource.of_chunks(held).read(*ALL), X)
        with pytest.raises(ValueError, match=f"^{OUT_OF_REACH}$"):
            qalpha.solve(held + 1, 2)


ALL = slice(None), slice(None)
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
        assert Placed.of(array, True) is None
        np.testing.assert_array_equal(qalpha.solve(array, 2).alpha, apart(X, 10))


def apart(X, width):
    """Weights of X from blocks that no cluster holds."""
    with dask.config.set(scheduler="synchronous"):
        return qalpha.solve(dask.array.from_array(X, chunks=(-1, width)), 2).alpha


ASKED = {
    "its place": lambda X, data: Placed.of(X, True),
    "a solver": lambda X, data: qalpha.solve(X, 2),
    "all of it": lambda X, data: laplacian.solve(X, 2, representation="ranks"),
    "all of it at once": lambda X, data: gslda.solve(X, np.arange(12) % 2, max_size=2),
    "one more pass": lambda X, data: data.fused(np.eye(12, 2), np.eye(12, 2)),
}


@pytest.mark.parametrize("end", ["client", "cluster", "cancelled"])
@pytest.mark.parametrize("asked", ASKED)
def test_blocks_that_are_gone_are_named_in_one_line(end, asked, rng):
    options = {"processes": False, "n_workers": 1, "dashboard_address": None}
    X = dask.array.from_array(rng.standard_normal((12, 30)), chunks=(-1, 10), name=False)
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        held = client.persist(X)
        distributed.wait(held)
        data = _data.read(held)
        ASKED["one more pass"](held, data)
        if end == "cancelled":
            client.cancel(held)
        else:
            (client if end == "client" else cluster).close()
        with pytest.raises(ValueError, match=f"^{OUT_OF_REACH}$"):
            ASKED[asked](held, data)


def test_an_asynchronous_client_wants_another_thread(rng):
    X = rng.standard_normal((12, 30))

    async def solved():
        options = {"processes": False, "n_workers": 1, "dashboard_address": None}
        async with (
            distributed.LocalCluster(**options, asynchronous=True) as cluster,
            distributed.Client(cluster, asynchronous=True) as client,
        ):
            held = client.persist(dask.array.from_array(X, chunks=(-1, 10)))
            with pytest.raises(ValueError, match=r"^X: its client is asynchronous and would wait"):
                qalpha.solve(held, 2)
            return await asyncio.to_thread(qalpha.solve, held, 2)

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
