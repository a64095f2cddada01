"""Ctrl-C during compiled work, which asks for the signal only between its chunks."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def catch_interrupts():
    """Collect Ctrl-C, which would otherwise fall into compiled kernels; the second is raised.

    Within another collection it is the same one.
    """
    caught = getattr(signal.getsignal(signal.SIGINT), "caught", None)
    if caught is not None:
        yield caught
        return
    caught = []

    def collect(number, frame):
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    collect.caught = caught
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    before = signal.signal(signal.SIGINT, collect)
    try:
        yield caught
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
