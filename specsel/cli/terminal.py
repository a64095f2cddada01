"""Writes results to stdout, messages of one line and progress to stderr.

A stream may be closed or full. Without stderr the work goes on in silence. Without stdout it goes
on too, for results may go to files, and `check_written` raises in the end.
"""

import errno
import math
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Any, TextIO

PROGRESS_WIDTH = 70
BEGUN = "working; a first run compiles, up to a minute"

# How often the line of progress changes by itself, and from when on, in seconds.
SECOND, PATIENCE = 1.0, 2.0

# Why results could not be written to stdout.
_lost: list[OSError] = []


def say(message: str) -> None:
    """Write a message to stderr, in one line."""
    _show(f"specsel: {escaped(' '.join(message.split()))}\n")


def _show(text: str) -> None:
    """Write to stderr; if that is impossible, write nothing."""
    # Python sets a stderr that the user closed to None, and print would then take stdout.
    if sys.stderr is None:
        return
    try:
        print(text, end="", file=sys.stderr, flush=True)
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Throw away what is in the buffer; it would fail again when the interpreter ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def warnings_in_lines(describe: Callable[[str], str] = str) -> Iterator[None]:
    """Write the warnings of the work inside to stderr, each text once, after the work is done.

    `describe` may reword a text. If the work fails, its error is all that the user sees.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(describe(str(warning.message)) for warning in caught):
        say(f"warning: {text}")


def write(text: str) -> None:
    """Write a result to stdout; if that is impossible, remember why."""
    if sys.stdout is None:
        _lost.append(OSError(errno.EBADF, "is closed", "stdout"))
        return
    try:
        print(encodable("\n".join(map(escaped, text.split("\n")))), flush=True)
    except OSError as error:
        _discard(sys.stdout)
        if not isinstance(error, BrokenPipeError):  # a reader such as head has read enough
            _lost.append(OSError(error.errno, error.strerror, "stdout"))


def check_written(in_files: bool = False) -> None:
    """Raise the error that kept a result from stdout.

    Whoever closes stdout and has the results `in_files` misses nothing.
    """
    lost = [error for error in _lost if not (in_files and error.errno == errno.EBADF)]
    _lost.clear()
    if lost:
        raise lost[0]


def escaped(text: str) -> str:
    """Return the text with escapes for control characters."""
    if text.isprintable():
        return text
    # Here, for a message may come before anything else could be imported.
    from specsel import _validate

    return _validate.printable(text)


def encodable(text: str) -> str:
    """Return the text with escapes for the characters that stdout cannot show."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def is_watched() -> bool:
    """Return whether stderr is a terminal, on which somebody may wait for the end."""
    return sys.stderr is not None and sys.stderr.isatty()


def announce(work: str, seconds: float, advice: str, limit: float = math.inf) -> None:
    """Say beforehand how long something may take, if somebody may wait for it."""
    if min(seconds, limit) > PATIENCE and is_watched():
        about = f"about {duration(seconds)}, at the speed of two cores"
        most = f"up to {duration(limit)}, the --time-limit"
        say(f"{work}: {about if seconds < limit else most}; {advice}")


@contextmanager
def progress(
    describe: Callable[..., str], doing: str = "", *, counted: bool = False
) -> Iterator[Callable[..., None] | None]:
    """Give a callback that shows progress in one line of stderr.

    The callback passes its arguments to `describe` and shows the text; if they are `counted`, how
    much is done of how much, it adds how long the rest will take. After two seconds the line also
    says how long the work has lasted, every second, whether the callback is called or not; with
    `doing`, which says what is done, nothing is shown before. The line is erased in the end. If
    stderr is not a terminal, there is no callback: None.
    """
    if not is_watched():
        yield None
        return
    text, begin, lock, ended = doing or BEGUN, time.monotonic(), Lock(), Event()

    def show(more: str = "") -> None:
        line = text[: PROGRESS_WIDTH - len(more)] + more
        _show(f"\r{line:{PROGRESS_WIDTH}}")

    def report(*values: Any) -> None:
        nonlocal text
        with lock:  # the line is written by two threads
            text = describe(*values)
            passed = time.monotonic() - begin
            if counted and passed >= PATIENCE and 0 < values[0] < values[1]:
                text += f", {duration(passed * (values[1] / values[0] - 1))} left"
            show()

    def tick() -> None:
        while not ended.wait(SECOND):
            passed = time.monotonic() - begin
            if passed >= PATIENCE:
                with lock:
                    show(f" ({duration(passed)})")

    if not doing:
        show()
    ticker = Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield report
    finally:
        ended.set()
        ticker.join()
        _show(f"\r{'':{PROGRESS_WIDTH}}\r")


def duration(seconds: float) -> str:
    """Write a time in the unit that a person would take."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
