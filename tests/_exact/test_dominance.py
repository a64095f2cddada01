"""The bound of the tree that includes features, against enumeration."""

import itertools

import numpy as np
from oracles import pencil as oracle

from specsel import datasets
from specsel._exact import dominance


def smallest(matrix, k):
    """The smallest eigenvalue of any k x k principal submatrix."""
    supports = itertools.combinations(range(len(matrix)), k)
    return min(np.linalg.eigvalsh(matrix[np.ix_(s, s)])[0] for s in map(list, supports))


def pairs():
    for seed in range(30):
        n = 4 + seed % 5
        make = datasets.brownian_pair if seed % 2 else datasets.wishart_pair
        A, B = make(n, rank=(None, 1, 2)[seed % 3], random_state=seed)
        if seed % 7 == 3:
            A = A - 2 * np.diag(np.arange(n))
        yield A, B


def test_dominated_rows_leave_no_support_worth_more():
    """Whenever the inequality holds, enumeration finds nothing; and it does hold often."""
    held = 0
    for A, B in pairs():
        n = len(A)
        for k in range(1, n + 1):
            value = oracle.best_subsets(A, B, k)[0][1]
            for factor in (0.9, 0.999, 1.001, 1.1, 1.5, 3.0):
                matrix = value * factor * B - A
                if (matrix.diagonal() <= 0).any():
                    continue
                scale, out = np.ones(n), np.empty(n)
                if dominance.undominated(matrix, n, k - 1, scale, out, 20) < 0:
                    held += 1
                    assert smallest(matrix, k) >= -1e-12 * np.abs(matrix).max()
    assert held > 200


def test_rows_are_sums_of_the_largest(rng):
    matrix = rng.standard_normal((7, 7))
    np.fill_diagonal(matrix, 1 + rng.random(7))
    scale, out = 1 + rng.random(7), np.empty(7)
    for others in range(7):
        worst = dominance.ratios(matrix, 7, others, scale, out)
        entries = np.abs(matrix) * scale
        np.fill_diagonal(entries, 0)
        sums = np.sort(entries, axis=1)[:, 7 - others :].sum(axis=1)
        np.testing.assert_allclose(out, sums / (matrix.diagonal() * scale))
        assert worst == np.argmax(out)


def test_complements_are_schur_complements(rng):
    G = rng.standard_normal((6, 9))
    matrix = G @ G.T
    part, positive = dominance.complement(matrix, 4)
    assert positive
    inner = np.linalg.solve(matrix[4:, 4:], matrix[4:, :4])
    np.testing.assert_allclose(part, matrix[:4, :4] - matrix[:4, 4:] @ inner, atol=1e-10)
    assert not dominance.complement(matrix - 100 * np.eye(6), 4)[1]
