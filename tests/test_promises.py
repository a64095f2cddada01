"""Every test that ``tests/README.md`` names as holding a promise is there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_every_promise_names_a_test():
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    section = text.partition("## What is promised")[2].partition("\n## ")[0]
    promises = re.split(r"^\d+\. ", section, flags=re.MULTILINE)[1:]
    assert len(promises) == 12
    for promise in promises:
        named = re.findall(r"`(tests/\S+\.py)::(\w+)`", promise)
        assert named, promise
        for path, name in named:
            tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
            assert name in {getattr(node, "name", "") for node in ast.walk(tree)}, (path, name)


def test_every_path_of_the_quick_tests_is_there():
    for line in (ROOT / "tests" / "quick.txt").read_text(encoding="utf-8").splitlines():
        path = line.rpartition("=")[2].partition("::")[0]
        assert (ROOT / path).exists(), line
