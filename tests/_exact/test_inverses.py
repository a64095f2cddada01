"""What inverses rule out, against enumeration, and their updates."""

import itertools

import numpy as np
from instances import KINDS, pencil, tolerance, value, wishart
from scipy.linalg import eigh

from specsel._exact import inverses


def test_bounds_of_nodes_hold():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 9))
        A, B = pencil(rng, KINDS[seed % len(KINDS)], n)
        n_free = int(rng.integers(1, n + 1))
        choose = int(rng.integers(0, n_free + 1))
        kept = tuple(range(n_free, n))
        if choose + len(kept) == 0:
            continue
        values = [
            value(A, B, (*rest, *kept)) for rest in itertools.combinations(range(n_free), choose)
        ]
        error = tolerance(A, B, max(values))
        below = (max(values) - error) * B - A
        for plain in (False, True):
            assert not inverses.is_empty(below, n_free, choose, plain)
        highest = eigh(A, B, eigvals_only=True)[-1] + error
        assert inverses.is_empty(highest * B - A, n_free, choose, False)


def test_inverse_and_inertia(rng):
    for n in (1, 2, 3, 7, 20):
        for zero_diagonal in (False, True):
            matrix = rng.standard_normal((n, n))
            matrix += matrix.T
            if zero_diagonal and n > 1:
                np.fill_diagonal(matrix, 0.0)
            inverse = matrix.copy()
            negative = inverses.invert(inverse)
            assert negative == (np.linalg.eigvalsh(matrix) < 0).sum()
            error = 1e-12 * np.linalg.cond(matrix) * np.abs(inverse).max()
            np.testing.assert_allclose(inverse, np.linalg.inv(matrix), rtol=0, atol=error)


def test_dropping_features_updates_the_inverse(rng):
    matrix = wishart(rng, 8) - 0.3 * np.eye(8)
    inverse, part = np.linalg.inv(matrix).ravel(), np.empty(25)
    inverses.drop(inverse, part, 8, 2)
    others = [0, 1, 3, 4, 5, 6, 7]
    expected = np.linalg.inv(matrix[np.ix_(others, others)])[2:, 2:]
    np.testing.assert_allclose(part.reshape(5, 5), expected, rtol=1e-9)


def test_partners_are_the_pairs_that_can_go(rng):
    matrix = wishart(rng, 9)
    matrix = eigh(matrix, eigvals_only=True)[-1] * 0.95 * np.eye(9) - matrix
    inverse = np.linalg.inv(matrix)
    order = np.argsort(np.diag(inverse))
    matrix, inverse = (m[np.ix_(order, order)] for m in (matrix, inverse))
    start = int((np.diag(inverse) < 0).sum())
    losses, partners = np.zeros((2, 9))
    peaks = np.zeros(9)
    inverses.couple(inverse.ravel(), 9, start, peaks, losses, partners)
    for i in range(start, 9):
        rests = [[c for c in range(9) if c not in (i, j)] for j in range(start, 9)]
        lowest = [np.linalg.eigvalsh(matrix[np.ix_(rest, rest)])[0] for rest in rests]
        assert partners[i] == sum(low < 0 for low in lowest)
    inverses.uncouple(inverse.ravel(), 9, start, peaks, losses, partners)
    rest, counts = np.zeros((2, 9))
    inverses.couple(inverse.ravel(), 9, start + 1, peaks, rest, counts)
    np.testing.assert_allclose(losses[start + 1 :], rest[start + 1 :])
    np.testing.assert_array_equal(partners[start + 1 :], counts[start + 1 :])


def test_what_cancellation_left_rules_out_nothing(rng):
    inverse = np.linalg.inv(wishart(rng, 6))
    peaks = np.diag(inverse).copy()
    peaks[4] /= inverses.CANCELLED / 2
    losses, partners = np.zeros((2, 6))
    inverses.couple(inverse.ravel(), 6, 0, peaks, losses, partners)
    assert partners.tolist() == [6] * 6
    assert losses[4] == 0
    inverse[4, 4] = 1e-9  # would rule out all pairs with it
    inverses.couple(inverse.ravel(), 6, 0, peaks, losses, partners)
    assert partners.tolist() == [6] * 6
    inverses.couple(inverse.ravel(), 6, 0, np.zeros(6), losses, partners)
    assert partners[4] < 6


def test_exchanging_features_of_an_inverse(rng):
    matrix = wishart(rng, 6)
    order = [0, 1, 4, 3, 2, 5]
    exchanged = matrix.ravel().copy()
    inverses.exchange(exchanged, 6, 2, 4)
    expected = matrix[np.ix_(order, order)]
    np.testing.assert_array_equal(exchanged.reshape(6, 6)[2:, 2:], expected[2:, 2:])


def test_negative_eigenvalues_are_seen(rng):
    for shift, negative in ((-1e-6, False), (1e-6, True)):
        matrix = wishart(rng, 7)
        matrix -= (np.linalg.eigvalsh(matrix)[0] + shift) * np.eye(7)
        assert inverses.is_negative(matrix) == negative
