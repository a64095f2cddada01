import os
import signal
import threading

import pytest

from specsel import _runtime


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_is_collected_and_the_second_raised():
    before = signal.getsignal(signal.SIGINT)
    with _runtime.catch_interrupts() as caught:
        press()
        assert caught == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_an_inner_collection_is_the_outer_one():
    with _runtime.catch_interrupts() as outer:
        with _runtime.catch_interrupts() as inner:
            press()
        assert outer is inner
        assert outer == [signal.SIGINT]
        with _runtime.catch_interrupts(), pytest.raises(KeyboardInterrupt):
            press()


def test_other_threads_cannot_collect_and_do_not_fail():
    seen = []

    def work():
        with _runtime.catch_interrupts() as caught:
            seen.append(caught)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [[]]
