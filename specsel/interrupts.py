"""Ctrl-C during compiled work, which asks for the signal only between its chunks."""

import signal
import threading
from contextlib import contextmanager


@contextmanager
def interrupts():
    """Collect Ctrl-C, which would otherwise fall into compiled kernels; the second is raised."""
    caught = []

    def collect(number, frame):
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    before = signal.signal(signal.SIGINT, collect)
    try:
        yield caught
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
