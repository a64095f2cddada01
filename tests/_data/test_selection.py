"""The leading subspace of the affinity, and features that span the rest."""

import numpy as np
import pytest
from oracles import weighing as oracle

from specsel import _data, linalg


def test_subspace_of_many_samples_without_a_square_matrix(rng, monkeypatch):
    X = rng.standard_normal((60, 3)) @ (rng.standard_normal((3, 90)) * 9)
    X += 0.1 * rng.standard_normal((60, 90))
    data = _data.read(X)
    exact = _data.affinity_subspace(data, np.ones(90), 3)
    monkeypatch.setattr(linalg, "DENSE_LIMIT", 10)
    basis = _data.affinity_subspace(data, np.ones(90), 3)
    np.testing.assert_allclose(basis @ basis.T, exact @ exact.T, atol=1e-6)


@pytest.mark.parametrize("shape", [(20, 12), (12, 50), (8, 200)])
def test_pivoted_selection_is_column_pivoted_qr(shape, rng):
    X = rng.standard_normal(shape) @ rng.standard_normal((shape[1], shape[1]))
    alpha = rng.random(shape[1])
    n = min(shape) - 1
    expected = oracle.pivoted((np.sqrt(alpha)[:, None] * oracle.standardise(X)).T, n)
    assert _data.pivoted(_data.read(X), alpha, n).tolist() == expected


def test_pivoted_selection_skips_duplicates_and_spans(rng):
    X = np.repeat(rng.standard_normal((30, 10)), 5, axis=1)
    chosen = _data.pivoted(_data.read(X), np.linspace(1, 2, 50), 10)
    assert len(np.unique(chosen // 5)) == 10
    M = oracle.standardise(X)
    basis = np.linalg.qr(M[chosen].T)[0]
    np.testing.assert_allclose(basis @ (basis.T @ M.T), M.T, atol=1e-10)


def test_past_the_rank_pivoted_selection_goes_by_weight(rng):
    X = np.repeat(rng.standard_normal((30, 2)), 3, axis=1)
    alpha = np.array([0.1, 0.2, 0.3, 0.6, 0.5, 0.4])
    assert _data.pivoted(_data.read(X), alpha, 5).tolist() == [3, 2, 4, 5, 1]


def test_nearly_dependent_columns_are_not_taken_for_independent(rng):
    base = rng.standard_normal((40, 3))
    X = np.hstack(
        [base, base @ rng.standard_normal((3, 30)) + 1e-10 * rng.standard_normal((40, 30))]
    )
    alpha = np.ones(33)
    alpha[5] = 0.5
    chosen = _data.pivoted(_data.read(X), alpha, 4)
    assert np.linalg.matrix_rank(X[:, chosen[:3]], tol=1e-6) == 3
