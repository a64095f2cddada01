"""Where memory is short, a `MemoryError` says in one line what was needed."""

import sys

import pytest
from faults import running

SCRIPT = """
import resource
from pathlib import Path
import numpy as np
from specsel import gslda, kernel, positivity, sbs

few = {"trials": 2, "random_state": 0}
SOLVES = {
    "kernel": lambda X, n: kernel.solve(X, 2, max_iter=2),
    "sectioned": lambda X, n: kernel.solve(X, 2, kernel="sectioned", max_iter=2),
    "gslda": lambda X, n: gslda.solve(X, np.arange(len(X)) % 3, direction="backward"),
    "sbs": lambda X, n: sbs.solve(X, n_boot=100, random_state=0),
    "covariance": lambda X, n: sbs.solve(X, matrix="covariance", n_boot=100, random_state=0),
    "probability": lambda X, n: positivity.probability(n, 0.0, 1.0, **few),
    "leading": lambda X, n: positivity.leading_eigenvalue(n, 0.0, 1.0, **few),
    "semicircle": lambda X, n: positivity.semicircle(n, 0.0, 1.0, **few),
    "wishart": lambda X, n: positivity.wishart_moments(n, n, **few),
    "triple": lambda X, n: positivity.triple_product(1000 * n, 3, **few),
    "hoeffding": lambda X, n: positivity.hoeffding_tail(5000 * n, 3, **few),
    "norm": lambda X, n: positivity.norm_tail(5000 * n, 1.0, **few),
}
X = np.random.default_rng(0).standard_normal((12, 8))
for solve in SOLVES.values():  # what is compiled or loaded later needs memory, too
    solve(X, 8)
large = np.random.default_rng(0).standard_normal((12, 8000))
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 100 * 2**20,) * 2)
for name, solve in SOLVES.items():
    try:
        print(name, "returned", solve(large, 8000))
    except MemoryError as error:
        print(name, "refused", error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="a limit of the address space is Linux's")
def test_what_was_needed_is_named():
    found = running.lines(SCRIPT)
    assert len(found) == 12
    for line in found:
        assert line.split()[1] == "refused", line
        assert " GiB" in line or " MiB" in line, line
