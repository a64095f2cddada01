"""What several tests need: a clock, weights, small pairs of matrices and their values."""

import itertools

import numpy as np
from oracles import pencil as oracle

from specsel import Weights, datasets
from specsel._exact.search import TIE

KINDS = (
    "indefinite",
    "rank one",
    "rank three",
    "identity",
    "near singular",
    "integers",
    "duplicates",
    "zero",
    "negative",
    "block",
)

# Kinds for the comparisons of greedy and exact supports.
PAIRS = ("rank one", "rank three", "full rank", "identity", "Brownian", "indefinite", "negative")


class Clock:
    """A clock that goes on by one step whenever it is read."""

    def __init__(self, step):
        self.step, self.now = step, 0.0

    def __call__(self):
        self.now += self.step
        return self.now


def weights_of(alpha, **changes):
    alpha = np.asarray(alpha, dtype=float)
    values = {
        "alpha": alpha,
        "objective": 1.0,
        "history": [1.0],
        "eigenvalues": [1.0],
        "basis": np.ones((2, 1)),
        "n_iter": 1,
        "n_passes": 3,
        "converged": True,
        "mean": np.zeros(len(alpha)),
        "norm": np.ones(len(alpha)),
    }
    return Weights(**(values | changes))


def wishart(rng, n, rank=None):
    rows = rng.standard_normal((rank or 2 * n, n))
    return rows.T @ rows / len(rows)


def pencil(rng, kind, n):
    if kind == "Brownian":
        return datasets.brownian_pair(n, random_state=rng)
    half = max(n // 2, 1)
    A, B = wishart(rng, n), wishart(rng, n)
    if kind == "indefinite":
        A = A - wishart(rng, n)
    elif kind == "rank one":
        A = wishart(rng, n, 1)
    elif kind == "rank three":
        A = wishart(rng, n, 3)
    elif kind == "identity":
        B = np.eye(n)
    elif kind == "near singular":
        B = wishart(rng, n, half) + 10.0 ** rng.integers(-8, -2) * np.eye(n)
    elif kind == "integers":
        A = rng.integers(-1, 2, (n, n)).astype(float)
        A, B = A + A.T, np.diag(rng.integers(1, 3, n).astype(float))
    elif kind == "duplicates":
        pick = rng.integers(0, half, n)
        d = rng.standard_normal(half)[pick]
        A, B = np.outer(d, d), wishart(rng, half)[np.ix_(pick, pick)] + 0.1 * np.eye(n)
    elif kind == "zero":
        A = np.zeros((n, n))
    elif kind == "negative":
        A, B = -A, np.eye(n) + 0.5
    elif kind == "block":
        A[half:] = A[:, half:] = 0.0
        B = np.diag(rng.uniform(1, 2, n))
    return A, B


def value(A, B, support, criterion="leading"):
    return oracle.pencil_value(A, B, support, criterion)


def enumerate_all(A, B, k, always=(), criterion="leading"):
    free = [j for j in range(len(A)) if j not in always]
    supports = [
        tuple(sorted((*always, *rest))) for rest in itertools.combinations(free, k - len(always))
    ]
    return supports, np.array([value(A, B, support, criterion) for support in supports])


def tolerance(A, B, best):
    scale = max(abs(best), np.abs(A / np.sqrt(np.outer(np.diag(B), np.diag(B)))).max())
    return (scale or 1.0) * max(2 * TIE, 1e-13 * np.linalg.cond(B))


def factored(seed):
    """U and B of various kinds, the diagonal of B scaled to 1."""
    rng = np.random.default_rng(seed)
    n, rank = int(rng.integers(4, 10)), int(rng.integers(1, 4))
    U, B = rng.standard_normal((rank, n)), wishart(rng, n)
    if seed % 4 == 1:
        B = wishart(rng, n, max(n // 2, 1)) + 10.0 ** -rng.integers(2, 8) * np.eye(n)
    if seed % 4 == 2:
        copies = rng.integers(0, n, n)
        U, B = U[:, copies], B[np.ix_(copies, copies)] + 0.01 * np.eye(n)
    if seed % 4 == 3:
        U, B = rng.integers(-1, 2, (rank, n)).astype(float), np.eye(n)
    scale = 1 / np.sqrt(np.diag(B))
    return rng, np.ascontiguousarray(U * scale), B * scale * scale[:, None]
