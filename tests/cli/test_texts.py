"""Texts are opened in the encoding that they are in, compressed or not."""

import gzip
import io
import os
import threading

import pytest

from specsel.cli import texts

TEXT = "größe;日本\n1;2\n"
WESTERN = "größe;b\n1;2\n"


def read(path, encoding=None):
    with texts.opened(path, encoding) as file:
        first = file.read()
        file.seek(0)
        assert file.read() == first
        return first, file.encoding


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_found(write, encoding):
    assert read(write("a.csv", TEXT.encode(encoding)))[0] == TEXT


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_found(write, encoding):
    assert read(write("a.csv", WESTERN.encode(encoding))) == (WESTERN, encoding)


def test_western_letters_are_read_and_told(write):
    assert read(write("a.csv", WESTERN.encode("latin-1"))) == (WESTERN, "cp1252")
    late = b"1,2\n" * 10**5 + b"\xe9"  # far behind the first letters
    assert read(write("a.csv", late))[1] == "cp1252"


def test_an_encoding_that_is_given_is_taken(write):
    path = write("a.csv", "żółw\n".encode("cp1250"))
    assert read(path, "cp1250") == ("żółw\n", "cp1250")
    with pytest.raises(ValueError, match=r"^--encoding nonsense: is not the name of an encoding$"):
        read(path, "nonsense")


def test_what_is_no_text_is_refused(write):
    with pytest.raises(ValueError, match=r"^is not text$"):
        read(write("a.csv", bytes(range(256))))


def test_compressed_text_is_known_by_its_bytes(write):
    assert read(write("a.csv", gzip.compress(TEXT.encode())))[0] == TEXT
    with pytest.raises(ValueError, match=r"^is a damaged \.gz file$"):
        read(write("a.csv.gz", gzip.compress(TEXT.encode() * 9)[:-9]))


def test_stdin(monkeypatch):
    stdin = io.TextIOWrapper(io.BytesIO(TEXT.encode()))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read(texts.STDIN)[0] == TEXT
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ValueError, match="stdin is closed"):
        read(texts.STDIN)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_can_be_read_twice(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(TEXT,))
    writer.start()
    assert read(path)[0] == TEXT
    writer.join()
