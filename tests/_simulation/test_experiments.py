"""Trials against eigen-solves and products of the same random matrices and vectors."""

import numba
import numpy as np
import pytest
from oracles import simulation, weighing

from specsel._simulation import experiments, streams

FIRST = (1 / 6, 2**0.5 / 6)  # the curve of Fig. 2a
MIXED = [(20, *FIRST), (60, 0.1, 1.0), (40, 0.3, 1.0), (30, 0.0, 1.0), (25, -0.3, 1.0)]
SMALL = [(1, 0.5, 1.0), (2, 0.2, 1.0), (9, 0.4, 1.0)]


def matrices(keys, kind, n, mu, sigma):
    """The matrices that the trials see."""
    for key in keys:
        entries = np.empty(n * (n + 1) // 2)
        streams.fill(key, streams.KINDS[kind], 0, entries)
        yield simulation.unpacked(mu + sigma * entries, n)


@pytest.mark.parametrize("kind", ["gaussian", "uniform"])
@pytest.mark.parametrize("case", MIXED + SMALL)
def test_signs_are_those_of_a_full_eigen_solve(kind, case):
    keys = streams.keys(7, 200)
    found = np.empty(len(keys), bool)
    experiments.signs(keys, streams.KINDS[kind], *case, found)
    expected = [simulation.has_positive_leading(G) for G in matrices(keys, kind, *case)]
    assert found.tolist() == expected


@pytest.mark.parametrize("case", [*MIXED, (1, -0.5, 1.0), (150, 0.25, 1.0)])
def test_leading_pairs_are_those_of_a_full_eigen_solve(case):
    keys = streams.keys(8, 20)
    values, sums = np.empty((2, len(keys)))
    experiments.leading_pairs(keys, streams.GAUSSIAN, *case, values, sums)
    for G, value, total in zip(matrices(keys, "gaussian", *case), values, sums, strict=True):
        vector, expected = weighing.leading(G)
        assert value == pytest.approx(expected, abs=1e-10 * np.abs(G).sum())
        assert total == pytest.approx(abs(vector.sum()), abs=1e-7)


@pytest.mark.parametrize("kind", streams.KINDS)
@pytest.mark.parametrize("case", [(3, 1.0, 1.0), (12, 0.0, 1.0), (40, 0.5, 1.0)])
def test_counts_are_those_of_all_eigenvalues(kind, case):
    keys, edges = streams.keys(9, 20), np.array([-3.3, -1.03, 0.017, 2.21, 5.7])
    counts = np.empty((len(keys), len(edges)))
    experiments.counts_above(keys, streams.KINDS[kind], *case, edges, counts)
    for G, found in zip(matrices(keys, kind, *case), counts, strict=True):
        values = np.linalg.eigvalsh(G)
        assert found.tolist() == [(values > edge).sum() for edge in edges]


def test_a_start_that_lacks_the_leading_vector_is_no_trap():
    """The row sums of this matrix are an eigenvector of its least eigenvalue."""
    found = np.empty(50, bool)
    experiments.signs(streams.keys(0, 50), streams.TWO_VALUED, 2, -1.0, 1e-9, found)
    assert not found.any()


def vectors(key, count, q):
    out = np.empty((count, q))
    for i in range(count):
        streams.fill(key, streams.GAUSSIAN, i * q, out[i])
    return out


@pytest.mark.parametrize("cosine", [np.nan, 0.6, -1.0])
def test_triple_products_are_those_of_the_vectors(cosine):
    q, k = 6, 3
    keys = streams.keys(11, 20)
    least, products = np.empty((2, len(keys)))
    experiments.triple_products(keys, q, k, cosine, least, products)
    for key, product in zip(keys, products, strict=True):
        drawn = vectors(key, k + 2, q)
        c = np.linalg.qr(drawn[:k].T)[0].T
        a, b = drawn[k:] / np.linalg.norm(drawn[k:], axis=1)[:, None]
        if np.isfinite(cosine):
            beside = b - (a @ b) * a
            b = cosine * a + np.sqrt(1 - cosine**2) * beside / np.linalg.norm(beside)
        assert product == pytest.approx((a @ b) * ((c @ a) @ (c @ b)))


@pytest.mark.parametrize("q", [2, 3, 40])
def test_the_search_ends_at_unit_vectors_with_the_least_product(q, rng):
    for _ in range(20):
        a, b = rng.standard_normal((2, q))
        start = a, b, c = a / np.linalg.norm(a), b / np.linalg.norm(b), np.empty(q)
        least = experiments._least_product(*start)
        np.testing.assert_allclose(np.linalg.norm([a, b, c], axis=1), 1)
        assert least == pytest.approx((a @ b) * (a @ c) * (b @ c))
        assert least == pytest.approx(-1 / 8, abs=1e-12)


def test_moments_are_traces_of_powers():
    n, q, key = 7, 4, streams.keys(2, 1)
    M = vectors(key[0], n, q)
    found = np.empty((1, 4))
    experiments.wishart_moments(key, streams.GAUSSIAN, n, q, found)
    W = M @ M.T / q
    literal = [np.trace(np.linalg.matrix_power(W, k)) / n for k in range(1, 5)]
    np.testing.assert_allclose(found[0], literal)


def test_sums_are_those_of_the_stream():
    keys = streams.keys(4, 5)
    sums, squares = np.empty((2, 5))
    experiments.sums(keys, streams.UNIFORM, 30, sums, squares)
    for key, total, of_squares in zip(keys, sums, squares, strict=True):
        x = np.empty(30)
        streams.fill(key, streams.UNIFORM, 0, x)
        assert (total, of_squares) == pytest.approx((x.sum(), (x * x).sum()))


def test_a_trial_is_the_same_among_others_and_alone(set_threads):
    keys = streams.keys(6, 50)
    together, alone, found = np.empty(50), np.empty(1), []
    set_threads(numba.config.NUMBA_NUM_THREADS)
    experiments.leading_pairs(keys, streams.GAUSSIAN, 15, *FIRST, together, np.empty(50))
    set_threads(1)
    for i in range(50):
        experiments.leading_pairs(
            keys[i : i + 1], streams.GAUSSIAN, 15, *FIRST, alone, np.empty(1)
        )
        found.append(alone[0])
    assert found == together.tolist()
