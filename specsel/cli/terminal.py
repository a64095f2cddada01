"""What the commands write: results to stdout, messages of one line to stderr, progress."""

import os
import sys
import warnings
from contextlib import contextmanager

PROGRESS_WIDTH = 70
BEGUN = "at work; a first run compiles, up to a minute"


def say(message):
    if sys.stderr is not None:  # as where it was closed; print would take stdout instead
        print("specsel:", " ".join(message.split()), file=sys.stderr)


@contextmanager
def warnings_in_lines(describe=str):
    """Say warnings after work that did not fail, each once, as `describe` has their text."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for text in dict.fromkeys(describe(str(warning.message)) for warning in caught):
        say(f"warning: {text}")


def write(text):
    try:
        print(encodable(text), flush=True)
    except OSError as error:
        # What is still buffered would fail again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # its reader has read enough
            raise


def encodable(text):
    """The text with what stdout cannot show escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


@contextmanager
def progress(describe):
    """Give a callback that shows `describe` of what it is told on one line, or None.

    None where stderr is no terminal. The line says first that work has begun, and is erased in the
    end.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return

    def show(text, end=""):
        line = text[:PROGRESS_WIDTH]
        print(f"\r{line:{PROGRESS_WIDTH}}", end=end, file=sys.stderr, flush=True)

    show(BEGUN)
    try:
        yield lambda *values: show(describe(*values))
    finally:
        show("", end="\r")
