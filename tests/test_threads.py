"""Every parallel kernel, run by a public call with one thread and with all: the same bytes.

`tests/test_architecture.py` finds the kernels; the table here must hold all of them.
"""

import dataclasses
import importlib
import sys

import numba
import numpy as np
import pytest
from fingerprints import digest, expression
from test_architecture import ROOT, kernels

from specsel import (
    _data,
    datasets,
    eslda,
    gslda,
    kernel,
    laplacian,
    positivity,
    qalpha,
    sbs,
    weighting,
)

WIDE = expression(40, 1200)
FACTOR = WIDE + np.where(np.arange(1200) < 9, 5.0, 0.0) * WIDE[:, :1]
COUNTS = np.random.default_rng(0).poisson([2] * 30 + [0.05] * 30, (150, 60)).astype(float)
SEED = {"trials": 50, "random_state": 0}
RESAMPLES = {"n_boot": 100, "random_state": 0}


def intervals(sparse=False, **options):
    import scipy.sparse

    X = scipy.sparse.csr_array(COUNTS) if sparse else COUNTS
    return sbs.intervals(X, **RESAMPLES, **options)


def solve_sparse(algorithm, by_sample=False, **options):
    import scipy.sparse

    form = scipy.sparse.csr_array if by_sample else scipy.sparse.csc_array
    return algorithm.solve(form(WIDE * (WIDE > 0)), 2, tol=0.1, **options)


def read_by_sample():
    import dask.array

    from specsel._data.sources import Source

    data = _data.represent(dask.array.from_array(WIDE, chunks=(9, 1200)))
    blocks = data.blocks._replace(source=Source(WIDE, False, (0, 9, 40)))
    return dataclasses.replace(data, blocks=blocks).fused(np.eye(40, 3), np.eye(40)[:, 3:6])


# What runs each kernel, by its module and name.
CALLS = {
    "_bootstrap.jackknife.dense": intervals,
    "_bootstrap.jackknife.sparse": lambda: intervals(sparse=True),
    "_bootstrap.resamples._compare": intervals,
    "_bootstrap.resamples.quantiles": intervals,
    "_data.passes._sweep": lambda: qalpha.solve(WIDE, 3, tol=0.1),
    "_data.whole._sweep": lambda: weighting.solve(WIDE),
    "_data.representations._standardise": lambda: qalpha.solve(WIDE, 1, tol=0.1),
    "_data.representations.middles": lambda: laplacian.solve(WIDE, 2, tol=0.1),
    "_data.representations.part_norms": lambda: laplacian.solve(WIDE, 2, tol=0.1),
    "_data.representations.spans": lambda: laplacian.solve(WIDE, 2, tol=0.1),
    "_data.representations.ranks": lambda: laplacian.solve(
        WIDE, 2, tol=0.1, representation="ranks"
    ),
    "_data.row_passes.scores": lambda: read_by_sample(),
    "_data.row_passes.images": lambda: read_by_sample(),
    "_data.sparse_columns.standardise": lambda: solve_sparse(laplacian),
    "_data.sparse_columns.middles": lambda: solve_sparse(laplacian),
    "_data.sparse_columns.part_norms": lambda: solve_sparse(laplacian),
    "_data.sparse_columns.spans": lambda: solve_sparse(laplacian),
    "_data.sparse_columns.ranks": lambda: solve_sparse(laplacian, representation="ranks"),
    "_data.sparse_passes._sweep": lambda: solve_sparse(qalpha),
    "_data.sparse_passes._forms": lambda: solve_sparse(qalpha, criterion="gap"),
    "_data.sparse_passes.affinities": lambda: solve_sparse(qalpha),
    "_data.sparse_rows.scores": lambda: solve_sparse(qalpha, by_sample=True),
    "_data.sparse_rows.weigh": lambda: solve_sparse(qalpha, by_sample=True),
    "_data.sparse_rows.combine": lambda: solve_sparse(qalpha, by_sample=True),
    "_data.stored._gather": lambda: solve_sparse(laplacian, by_sample=True),
    "_exact.ladder._largest_squares": lambda: eslda.solve(FACTOR, k=[2, 5]),
    "gslda.best_swaps": lambda: gslda.solve(
        WIDE, np.arange(40) % 3, max_size=6, direction="forward"
    ),
    "positivity._run_counts_above": lambda: positivity.semicircle(40, 0.0, 1.0, **SEED),
    "positivity._run_leading_pairs": lambda: positivity.leading_eigenvalue(40, 0.1, 1.0, **SEED),
    "positivity._run_signs": lambda: positivity.probability(40, 0.1, 1.0, **SEED),
    "positivity._run_sums": lambda: positivity.hoeffding_tail(40, 3.0, **SEED),
    "positivity._run_triple_products": lambda: positivity.triple_product(9, 2, **SEED),
    "positivity._run_moments": lambda: positivity.wishart_moments(20, 30, **SEED),
    "kernel._finish": lambda: kernel.solve(WIDE, 2, tol=0.1),
    "kernel._sectioned": lambda: kernel.solve(WIDE, 2, kernel="sectioned", tol=0.1),
    "gslda._rank_one": lambda: gslda.solve_pair(
        *datasets.wishart_pair(320, rank=2), direction="backward", refine=False
    ),
    "qalpha._gram": lambda: qalpha.gram(WIDE, np.eye(40)[:, :3]),
}


def test_the_table_holds_every_parallel_kernel():
    assert sorted(CALLS) == sorted(name for name, _ in kernels(ROOT, parallel=True))


@pytest.mark.parametrize("name", CALLS)
def test_the_bytes_do_not_depend_on_the_threads(name, set_threads, monkeypatch):
    module, _, function = name.rpartition(".")
    module = importlib.import_module(f"specsel.{module}")
    compiled, ran = getattr(module, function), []
    for user in [sys.modules[key] for key in sys.modules if key.startswith("specsel.")]:
        if vars(user).get(function) is compiled:
            monkeypatch.setattr(user, function, lambda *args: ran.append(1) or compiled(*args))
    found = set()
    for threads in (1, numba.config.NUMBA_NUM_THREADS):
        set_threads(threads)
        found.add(digest(CALLS[name]()))
    assert ran
    assert len(found) == 1
