"""Every method with one thread and with all of them: the same bits."""

import pickle

import numba
import numpy as np
import pytest
import scipy.sparse as sp
from fingerprints import expression, values

from specsel import (
    alignment,
    datasets,
    eslda,
    gslda,
    kernel,
    laplacian,
    pairwise,
    positivity,
    qalpha,
    sbs,
    side_info,
    supervised,
    weighting,
)

WIDE, SIDE, Y = expression(40, 1200), expression(25, 1200, 2), np.arange(40) % 3
FACTOR = WIDE + np.where(np.arange(1200) < 9, 5.0, 0.0) * WIDE[:, :1]
SPARSE = WIDE * (WIDE > 0)
COUNTS = np.random.default_rng(0).poisson([2] * 30 + [0.05] * 30, (150, 60)).astype(float)
LOOSE, SEED = {"tol": 0.1}, {"trials": 50, "random_state": 0}
RESAMPLES = {"n_boot": 100, "random_state": 0}


def in_chunks():
    dask_array = pytest.importorskip("dask.array")
    return dask_array.from_array(WIDE, chunks=(9, 1200))


CALLS = {
    "qalpha": lambda: qalpha.solve(WIDE, 3, **LOOSE),
    "qalpha float32": lambda: qalpha.solve(WIDE.astype("f4"), 3, **LOOSE),
    "qalpha csc": lambda: qalpha.solve(sp.csc_array(SPARSE), 2, **LOOSE),
    "qalpha csr": lambda: qalpha.solve(sp.csr_array(SPARSE), 2, **LOOSE),
    "qalpha gap csc": lambda: qalpha.solve(sp.csc_array(SPARSE), 2, criterion="gap", **LOOSE),
    "qalpha dask": lambda: qalpha.solve(in_chunks(), 2, **LOOSE),
    "qalpha tall": lambda: qalpha.solve(expression(2000, 20), 2, **LOOSE),
    "qalpha gram": lambda: qalpha.gram(WIDE, np.eye(40)[:, :3]),
    "weighting": lambda: weighting.solve(WIDE),
    "kernel rbf": lambda: kernel.solve(WIDE, 2, **LOOSE),
    "kernel sectioned": lambda: kernel.solve(WIDE, 2, kernel="sectioned", **LOOSE),
    "side_info": lambda: side_info.solve(WIDE, SIDE, 2, **LOOSE),
    "pairwise": lambda: pairwise.solve(WIDE, 2, apart=(WIDE[:9], WIDE[9:18]), **LOOSE),
    "supervised": lambda: supervised.solve(WIDE, Y, **LOOSE),
    "alignment": lambda: alignment.solve(WIDE, n=5),
    "gslda swaps": lambda: gslda.solve(WIDE, Y, max_size=6, direction="forward"),
    "gslda rank": lambda: gslda.solve_pair(
        *datasets.wishart_pair(320, rank=2), direction="backward", refine=False
    ),
    "eslda": lambda: eslda.solve(FACTOR, k=[2, 5]),
    "sbs intervals": lambda: sbs.intervals(COUNTS, **RESAMPLES),
    "sbs intervals sparse": lambda: sbs.intervals(sp.csr_array(COUNTS), **RESAMPLES),
    "semicircle": lambda: positivity.semicircle(40, 0.0, 1.0, **SEED),
    "leading eigenvalue": lambda: positivity.leading_eigenvalue(40, 0.1, 1.0, **SEED),
    "probability": lambda: positivity.probability(40, 0.1, 1.0, **SEED),
    "hoeffding": lambda: positivity.hoeffding_tail(40, 3.0, **SEED),
    "triple product": lambda: positivity.triple_product(9, 2, **SEED),
    "wishart": lambda: positivity.wishart_moments(20, 30, **SEED),
}
for form in (np.asarray, sp.csc_array, sp.csr_array):
    for shape in ("parts", "ranks", "shift"):
        CALLS[f"laplacian {shape} {form.__name__}"] = lambda form=form, shape=shape: (
            laplacian.solve(form(SPARSE), 2, representation=shape, **LOOSE)
        )


@pytest.mark.parametrize("name", CALLS)
def test_the_bytes_do_not_depend_on_the_threads(name, set_threads):
    found = set()
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        set_threads(threads)
        found.add(pickle.dumps(values(CALLS[name]())))
    assert len(found) == 1
