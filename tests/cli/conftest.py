"""Files to read."""

import numpy as np
import pytest
from commands import NAMES, X, table


@pytest.fixture
def write(tmp_path):
    """Write an array or text to a file and return its path."""

    def write(name, content):
        path = tmp_path / name
        if isinstance(content, np.ndarray):
            np.save(path, content)
        else:
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def saved(write):
    """A table of twelve named features."""
    return write("data.csv", table(X, NAMES))
