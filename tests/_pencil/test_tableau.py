"""What a change of one feature does to a support."""

import numpy as np
import pytest
from oracles import pencil as oracle

from specsel import _pencil, datasets
from specsel._pencil import tableau


@pytest.mark.parametrize("rank", [1, 3, None])
def test_the_state_after_any_changes_is_that_of_its_support(rank, rng):
    A, B = datasets.wishart_pair(12, rank=rank, random_state=2)
    scale = 1 / np.sqrt(np.diag(B))
    A, B = (matrix * scale * scale[:, None] for matrix in (A, B))
    state = tableau.Tableau(_pencil.from_pair(A, B), (), np.ones(12, bool), 12)
    for _ in range(40):
        state.move_to(np.flatnonzero(rng.permutation(12) < rng.integers(1, 8)))
        if len(state.members) > 2:
            state.remove(state.members[1])
        S = state.members
        assert state.value == pytest.approx(oracle.pencil_value(A, B, S))
        np.testing.assert_allclose(state.inverse, np.linalg.inv(B[np.ix_(S, S)]), atol=1e-9)
        np.testing.assert_allclose(
            state.coefficients, np.linalg.solve(B[np.ix_(S, S)], B[S]), atol=1e-9
        )
        rest = B.diagonal() - np.einsum("ij,ij->j", B[S], state.coefficients)
        np.testing.assert_allclose(state.rest, rest, atol=1e-9)


def test_ties_do_not_swap_for_ever():
    """All features are alike: no swap helps, whatever rounding says."""
    A = np.full((8, 8), 0.3) + 0.7 * np.eye(8)
    state = tableau.Tableau(_pencil.from_pair(A, np.eye(8)), (), np.ones(8, bool), 4)
    state.move_to(np.array([0, 1, 2, 3]))
    state.swap()
    assert state.value == pytest.approx(1.9)


def test_drift_of_the_state_is_noticed(rng):
    pencil = _pencil.from_pair(*datasets.wishart_pair(10, random_state=0))
    state = tableau.Tableau(pencil, (), np.ones(10, bool), 5)
    state.move_to(np.array([1, 4, 7]))
    value = state.value
    state.weights[:] += 1e-3
    state.move_to(np.array([1, 4, 7]))
    assert state.value == pytest.approx(value)
    np.testing.assert_allclose(state.weights, state.inverse @ pencil.factor[state.members])


@pytest.mark.parametrize("shape", [(3, 5), (400, 300)])
def test_rank_one_updates_by_one_thread_and_by_several(shape, rng):
    matrix = rng.standard_normal(shape)
    left, right = rng.standard_normal(shape[0]), rng.standard_normal(shape[1])
    expected = matrix - np.outer(left, right)
    tableau.rank_one(matrix, left, right)
    np.testing.assert_allclose(matrix, expected, atol=1e-15)
