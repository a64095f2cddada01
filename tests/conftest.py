"""Settings of the whole test run; they must stand before numba is imported."""

import os
import tempfile
import tracemalloc

if "NUMBA_CACHE_DIR" not in os.environ:
    # What other processes compile meanwhile is not tested.
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="specsel-tests-")

# Threads of BLAS wait for each other on a busy machine; the tests decompose small matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba
import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("tests", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("tests")


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def clustered(rng):
    """40 samples in two groups, 30 features of which the first 6 tell the groups apart."""
    X = rng.standard_normal((40, 30))
    X[:20, :6] += 3.0
    return X


@pytest.fixture
def set_threads():
    """Set the number of numba's threads for one test."""
    before = numba.get_num_threads()
    yield numba.set_num_threads
    numba.set_num_threads(before)


@pytest.fixture
def peak_memory():
    """Return the function that measures how many bytes a call allocates once it is compiled."""

    def measure(call):
        call()
        tracemalloc.start()
        try:
            call()
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    return measure


@pytest.fixture
def pyplot():
    """matplotlib without a screen; what was drawn is closed in the end."""
    from matplotlib import pyplot

    pyplot.switch_backend("Agg")
    yield pyplot
    pyplot.close("all")
