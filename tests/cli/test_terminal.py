import io
import sys
import warnings

import pytest

from specsel.cli import terminal


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_message_is_one_line(capsys):
    terminal.say("k = 3:\n  too\tlarge")
    assert capsys.readouterr() == ("", "specsel: k = 3: too large\n")


def test_messages_do_not_go_where_results_are_expected(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    terminal.say("k = 3: too large")
    assert capsys.readouterr().out == ""


def test_warnings_are_said_once_after_work_that_did_not_fail(capsys):
    with terminal.warnings_in_lines(str.upper):
        for _ in range(2):
            warnings.warn("few\nsamples", stacklevel=1)
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "specsel: warning: FEW SAMPLES\n"
    with pytest.raises(ZeroDivisionError), terminal.warnings_in_lines():
        warnings.warn("few samples", stacklevel=1) or 1 / 0
    assert capsys.readouterr().err == ""


def test_what_stdout_cannot_show_is_escaped(monkeypatch):
    bytes_out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(bytes_out, encoding="ascii"))
    terminal.write("λ = 2")
    sys.stdout.flush()
    assert bytes_out.getvalue().splitlines() == [b"\\u03bb = 2"]


def test_progress_is_shown_on_one_line_and_erased(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.progress("{} of {}".format) as tell:
        tell(1, 2)
        tell("x" * 200, 2)
    begun, first, second, erased, end = screen.getvalue().split("\r")[1:]
    assert begun.rstrip() == terminal.BEGUN
    assert first.rstrip() == "1 of 2"
    assert len(begun) == len(first) == len(second) == len(erased) == terminal.PROGRESS_WIDTH
    assert erased.strip() == end == ""


def test_no_progress_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with terminal.progress(str) as tell:
        assert tell is None
    monkeypatch.setattr(sys, "stderr", None)
    with terminal.progress(str) as tell:
        assert tell is None


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (99, "99 s"), (600, "10 min"), (9000, "2.5 h")]
)
def test_durations(seconds, text):
    assert terminal.duration(seconds) == text


def test_what_is_done_is_not_shown_at_once(monkeypatch):
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with terminal.progress(str, "reading"):
        pass
    assert "reading" not in screen.getvalue()
