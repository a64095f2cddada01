"""The benchmarks that are written, beside those that asv found.

asv passes over in silence what it does not recognise: a class that is still abstract, a method
with another prefix, a file that it does not see. ``python written.py``, after a run in this
folder, says what is missing.
"""

import importlib
import inspect
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
FILES = sorted(path.stem for path in (HERE / "benchmarks").glob("[a-z]*.py"))


def classes(name):
    """Classes of benchmarks that a file defines; those of ``bases`` are none."""
    module = importlib.import_module(f"benchmarks.{name}")
    for group in vars(module).values():
        if inspect.isclass(group) and group.__module__ == module.__name__ and name != "bases":
            yield group


def measures(group):
    """Names of the methods that measure, inherited ones too."""
    return [name for name in dir(group) if re.match("(time|timeraw|peakmem|track)_", name)]


def passed_over(group):
    """Why asv passes over a class, or None."""
    if inspect.isabstract(group):
        return f"still abstract: {', '.join(sorted(group.__abstractmethods__))}"
    return None if measures(group) else "no method measures anything"


def main():
    found = json.loads((HERE / ".asv" / "results" / "benchmarks.json").read_text())
    written = {
        f"{name}.{group.__name__}.{method}"
        for name in FILES
        for group in classes(name)
        for method in measures(group)
    }
    differing = written ^ (found.keys() - {"version"})
    if differing or not written:
        sys.exit(f"written or found, not both: {', '.join(sorted(differing)) or 'none at all'}")
    print(f"{len(written)} benchmarks ran")


if __name__ == "__main__":
    main()
