"""Weights of one iteration against the definitions, on random shapes, ranks and scales.

The data are multiplied by powers of two, which change no weight; the oracles get them as they
were. Where no eigenvalue is positive the null space leads, which the solvers leave out: such
problems are passed over.
"""

import warnings

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import laplacian, qalpha, side_info, supervised, topography

# Weights are compared where the leading eigenvalue of G stands apart by this share.
APART = 1e-3

ONCE = {"tol": 0, "max_iter": 1}


def draw(seed):
    """Draw data of some rank and with duplicates, the same at another scale, and a basis."""
    rng = np.random.default_rng(seed)
    q, n = rng.integers(4, 10), rng.integers(2, 9)
    X = rng.standard_normal((q, n))
    if seed % 3 == 1:
        X = X[:, rng.integers(0, n, n)]
    elif seed % 3 == 2:
        X = rng.standard_normal((q, 2)) @ rng.standard_normal((2, n))
    basis = np.linalg.qr(rng.standard_normal((q, 1 + seed % 2)))[0]
    return rng, X, np.ldexp(X, rng.integers(-900, 900, n)), basis


def leads(G):
    """Tell whether the leading eigenvalue of a matrix stands apart."""
    values = np.linalg.eigvalsh(G)
    least = APART * np.abs(values).max()
    return values[-1] > least and values[-1] - values[-2] > least


def same(got, alpha):
    """Compare weights up to rounding; their signs are set by their sum, which may be 0."""
    return min(np.abs(got - alpha).max(), np.abs(got + alpha).max()) < 1e-6


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


@pytest.mark.parametrize("seed", range(40))
def test_qalpha(seed):
    _, X, scaled, Q = draw(seed)
    M = oracle.standardise(X)
    for criterion in ("energy", "gap"):
        G = (
            oracle.gram(M, Q)
            if criterion == "energy"
            else 2 * oracle.gram(M, Q) - oracle.squared(M)
        )
        if leads(G):
            options = {"method": "power", "criterion": criterion, **ONCE}
            got = qalpha.solve(scaled, Q.shape[1], init=Q, **options)
            alpha, _, history = oracle.power_iterations(M, Q, 1, criterion)
            assert same(got.alpha, alpha)
            np.testing.assert_allclose(got.history, history, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_laplacian(seed):
    _, X, scaled, Q = draw(seed)
    for shift in ("degree", "definition"):
        for representation in ("shift", "ranks"):
            M = oracle.represent(X, representation)
            if leads(oracle.laplacian_gram(M, Q, oracle.laplacian_first_shift(M, shift))):
                options = {"shift": shift, "representation": representation}
                got = laplacian.solve(scaled, Q.shape[1], init=Q, **options, **ONCE)
                assert same(got.alpha, oracle.laplacian_iterations(M, Q, 1, shift)[0])


@pytest.mark.parametrize("seed", range(40))
def test_supervised(seed):
    rng, X, scaled, _ = draw(seed)
    y = rng.permutation(np.arange(len(X)) % 2)
    rows, start = oracle.class_rows(y), rng.random(X.shape[1]) + 0.1
    for gamma in (0, 0.5, 2):
        M = oracle.represent(X, "shift")
        bases = oracle.supervised_bases(M, start, rows, 1, 1)
        if leads(oracle.supervised_gram(M, bases, rows, gamma)):
            options = {"k_within": 1, "gamma": gamma, "representation": "shift", "init": start}
            got = supervised.solve(scaled, y, **options, **ONCE)
            alpha, _ = oracle.leading(oracle.supervised_gram(M, bases, rows, gamma))
            assert same(got.alpha, alpha)


@pytest.mark.parametrize("seed", range(40))
def test_side_info(seed):
    rng, X, scaled, Q = draw(seed)
    side = X[rng.integers(0, len(X), 5)] * rng.random(X.shape[1])
    exponents = np.rint(np.log2(np.abs(scaled[0] / X[0]))).astype(int)
    M, D = oracle.standardise(X), oracle.side_diagonal(X, [side])
    root = np.sqrt(D + 0.1)
    if leads(oracle.gram(M, Q) / np.outer(root, root)):
        options = {"method": "power", "init": Q, **ONCE}
        got = side_info.solve(scaled, np.ldexp(side, exponents), Q.shape[1], **options)
        alpha, _, history = oracle.side_iterations(M, Q, 1, D, 0.1)
        assert same(got.alpha, alpha)
        np.testing.assert_allclose(got.history, history, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_topography(seed):
    """The weights of every round lead the problem of that round at the basis found."""
    _, X, scaled, Q = draw(seed)
    M, seen = oracle.standardise(X), np.zeros(X.shape[1])
    options = {"rounds": 2, "tradeoff": 0.3, "tol": 1e-13, "max_iter": 2000}
    for found in topography.solve(scaled, Q.shape[1], **options).weights:
        root = np.sqrt(seen + 0.3)
        G = oracle.gram(M, found.basis) / np.outer(root, root)
        if not leads(G):
            return
        alpha = oracle.leading(G)[0] / root
        assert np.abs(np.abs(found.alpha) - np.abs(alpha) / np.linalg.norm(alpha)).max() < 1e-4
        seen = seen + found.alpha**2
