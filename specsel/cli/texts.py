"""Opens a text to be read: a file, a compressed one, or a pipe, in the encoding it is in."""

import codecs
import gzip
import io
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

STDIN = Path("-")
CHUNK = 2**16
GZIP = b"\x1f\x8b"
DAMAGED = "is a damaged .gz file"
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark begins alike
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What is not UTF-8 is text if fewer than one byte in so many is a control character.
CONTROLS = 50


@contextmanager
def opened(path: Path, encoding: str | None = None) -> Iterator[TextIO]:
    """Open a text such that it can be read twice; its attribute `encoding` says in which code.

    A text is UTF-8 if all of it is, or what its first bytes say; else it is cp1252, which most of
    Western Europe wrote before.
    """
    with ExitStack() as stack:
        file: Any = stack.enter_context(_file(path))
        start = file.read(len(GZIP))
        file.seek(0)
        if start == GZIP:
            file = stack.enter_context(gzip.GzipFile(fileobj=file))
        try:
            encoding = encoding or _encoding(file)
            text = io.TextIOWrapper(file, encoding, newline="")
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise ValueError(DAMAGED) from None
        except LookupError:
            raise ValueError(f"--encoding {encoding}: is not the name of an encoding") from None
        yield text
        text.detach()


@contextmanager
def _file(path: Path) -> Iterator[BinaryIO]:
    """Open a file; what comes through a pipe is kept in a temporary one."""
    if path != STDIN and not stat.S_ISFIFO(path.stat().st_mode):
        with open(path, "rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as kept:
        if path == STDIN:
            if sys.stdin is None:
                raise ValueError("stdin is closed")
            shutil.copyfileobj(sys.stdin.buffer, kept, CHUNK)
        else:
            with open(path, "rb") as pipe:
                shutil.copyfileobj(pipe, kept, CHUNK)
        kept.seek(0)
        yield kept


def _encoding(file: BinaryIO) -> str:
    """Find the encoding; the file is read once and rewound."""
    start = file.read(2**16)
    file.seek(0)
    for mark, encoding in MARKS:
        if start.startswith(mark):
            return encoding
    # Of a table in UTF-16, nearly every other byte is 0.
    for place, encoding in enumerate(("utf-16-be", "utf-16-le")):
        if len(start) > 1 and start[place::2].count(0) > len(start) / 4 > start.count(0) / 3:
            return encoding
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while chunk := file.read(CHUNK):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
        return "utf-8"
    except UnicodeDecodeError:
        controls = sum(byte < 32 and byte not in b"\t\n\r\f" for byte in start)
        if controls * CONTROLS > len(start):
            raise ValueError("is not text") from None
        return "cp1252"
    finally:
        file.seek(0)
