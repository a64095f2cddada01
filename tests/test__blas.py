"""One thread of OpenBLAS where more cost time, and as many as before afterwards."""

import threading

import numpy as np
import pytest
from numpy import show_config

from specsel import _data, _runtime


@pytest.fixture
def pools(monkeypatch):
    """Two libraries that note how many threads they have."""
    counts = [4, 3]

    def change(i, count):
        counts[i] = count

    found = [(lambda i=i: counts[i], lambda count, i=i: change(i, count)) for i in range(2)]
    monkeypatch.setattr(_runtime, "_pools", lambda: found)
    return counts


@pytest.mark.parametrize("size", [_runtime.LEAST_ROWS, 100, _runtime.MOST_ROWS])
def test_one_thread_inside_and_as_many_as_before_afterwards(pools, size):
    with _runtime.one_thread(size):
        assert pools == [1, 1]
        with _runtime.one_thread(size):
            assert pools == [1, 1]
        assert pools == [1, 1]
    assert pools == [4, 3]
    with pytest.raises(KeyError), _runtime.one_thread(size):
        raise KeyError
    assert pools == [4, 3]


@pytest.mark.parametrize("size", [0, _runtime.LEAST_ROWS - 1, _runtime.MOST_ROWS + 1])
def test_matrices_that_wake_none_or_need_all_are_left_alone(pools, size):
    with _runtime.one_thread(size):
        assert pools == [4, 3]


def test_the_last_of_several_callers_restores(pools):
    entered, leave = threading.Event(), threading.Event()

    def other():
        with _runtime.one_thread():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with _runtime.one_thread():
        thread.start()
        assert entered.wait(10)
    assert pools == [1, 1]
    leave.set()
    thread.join(10)
    assert pools == [4, 3]


def test_who_works_alone_wakes_no_blas_either(pools):
    with _data.alone():
        assert pools == [1, 1]
    assert pools == [4, 3]


def test_the_libraries_of_the_wheels_are_found():
    if "openblas" not in show_config(mode="dicts")["Build Dependencies"]["blas"]["name"]:
        pytest.skip("numpy has another BLAS")
    before = [tell() for tell, _ in _runtime._pools()]
    assert before
    with _runtime.one_thread():
        assert [tell() for tell, _ in _runtime._pools()] == [1] * len(before)
        np.linalg.eigh(np.eye(100))
    assert [tell() for tell, _ in _runtime._pools()] == before
