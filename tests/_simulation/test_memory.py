import pytest

from specsel._simulation import memory


def test_what_all_threads_need_is_counted(set_threads):
    set_threads(1)
    refused = pytest.raises(MemoryError, match=r"^n = 3: needs 8e\+03 GB; there are .* GB$")
    with refused, memory.reserved("n = 3", 10**12, 5):
        raise AssertionError
    with memory.reserved("n = 3", 10, 5):
        pass


def test_where_a_thread_got_none_that_is_said():
    refused = pytest.raises(MemoryError, match=r"^n = 3: needs .* GB, more than is free$")
    with refused, memory.reserved("n = 3", 10, 5):
        raise SystemError
