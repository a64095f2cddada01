"""What the tests of the command line share: data, tables as text, and calls of commands."""

import io
import json
import os
import sys

import numpy as np

from specsel import (
    datasets,
)
from specsel.cli import main as cli

EXAMPLE = datasets.example()
GROWING = datasets.growing_classes(3, n_samples=30, n_relevant=4, n_irrelevant=8, random_state=1)
X, Y = GROWING.X, GROWING.y
NAMES = [f"gene {i}" for i in range(X.shape[1])]
MODULE = [sys.executable, "-W", "error", "-m", "specsel"]
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def table(rows, header=None, delimiter=",", quote=False):
    """The text of a table."""
    lines = [] if header is None else [header]
    lines += [[repr(float(value)) for value in row] for row in rows]
    mark = '"' if quote else ""
    return "".join(delimiter.join(f"{mark}{cell}{mark}" for cell in line) + "\n" for line in lines)


def run(capsys, *arguments):
    """Exit code, stdout and stderr of a command."""
    code = cli.main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def run_json(capsys, *arguments):
    """What ``specsel select --json`` prints."""
    code, out, err = run(capsys, "select", "--json", *arguments)
    assert code == 0
    assert err == ""
    return json.loads(out)


def alpha_of(answer):
    """The weights of a ranking, in the order of the features."""
    alpha = np.full(answer["n_features"], np.nan)
    for row in answer["ranking"]:
        alpha[row["index"]] = row["weight"]
    return alpha


def assert_refused(result, *parts):
    """A command printed nothing but one line on stderr, which holds these parts."""
    code, out, err = result
    assert code == 2
    assert out == ""
    assert err.startswith("specsel: ")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert "warning" not in err
    assert "Traceback" not in err
    for part in parts:
        assert part in err


class Terminal(io.StringIO):
    """A stderr that shows progress."""

    def isatty(self):
        return True


def feature_rows(out):
    """Lines of the printed ranking, without the mark, split into cells."""
    lines = out.split("\n\n")[1].splitlines()[1:]
    return [cells for line in lines if (cells := line.strip(" *").split())[0].isdigit()]
