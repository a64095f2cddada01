"""Ctrl-C during compiled work, which looks for the signal only between its chunks."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def catch_interrupts() -> Iterator[list[int]]:
    """Collect Ctrl-C in a list instead of raising it in the middle of compiled work.

    Whoever works looks into the list between chunks and ends in good order. A second Ctrl-C is
    raised at once. Nested calls share the outermost list. Outside the main thread, where Python
    delivers no signals, the list stays empty.
    """
    caught = getattr(signal.getsignal(signal.SIGINT), "caught", None)
    if caught is not None:
        yield caught
        return
    caught = []

    def collect(number: int, frame: Any) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    collect.caught = caught  # type: ignore[attr-defined]  # where a nested call finds it
    if threading.current_thread() is not threading.main_thread():
        yield caught
        return
    before = signal.signal(signal.SIGINT, collect)
    try:
        yield caught
    finally:
        signal.signal(signal.SIGINT, before or signal.default_int_handler)
