from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _beside_the_tools(monkeypatch):
    """Import the tools of ``asv_bench`` as they import each other."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "asv_bench")
