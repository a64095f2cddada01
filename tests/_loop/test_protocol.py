"""The protocol is enough: a problem that is written for it alone runs through the loop."""

from types import SimpleNamespace

import numpy as np
import pytest

from specsel import _loop, linalg


class Fixed:
    """``αᵀ S α`` for a given matrix S: Φ is the identity, J is S, and a place says nothing."""

    def __init__(self, matrix):
        n = len(matrix)
        self.matrix = matrix
        self.data = SimpleNamespace(
            n_features=n, rank_bound=n, mean_free=True, floor=linalg.RESIDUAL_FLOOR, passes=0,
            names=None, mean=np.zeros(n), norm=np.ones(n), joined=lambda alpha: alpha,
        )  # fmt: skip

    def subspace(self, alpha, width):
        return f"a place of width {width}"

    def random(self, generator, width):
        return self.subspace(None, width)

    def given(self, init, k):
        return self.subspace(None, k)

    def seeds(self):
        yield from np.eye(len(self.matrix))

    def enter(self, place):
        return np.ones(len(self.matrix))

    def product(self, dual, place):
        return dual

    def signs(self, image, place):
        return self.matrix @ image

    def advance(self, pair, place, width):
        alpha, basis = pair.dual, np.eye(len(self.matrix))[:, :width]
        image = self.matrix @ basis
        iterate = _loop.Iterate(alpha, basis, image, float(alpha @ self.matrix @ alpha))
        return _loop.Step(iterate, self.subspace(alpha, width), alpha)


@pytest.mark.parametrize("init", ["continuation", "equal", "seeded", "random", np.ones(6)])
def test_a_problem_of_the_protocol_alone_is_solved(init, rng):
    matrix = rng.standard_normal((6, 6))
    matrix += matrix.T
    options = _loop.Options(2, init, 2, 1e-12, 50, None, None)
    problem = Fixed(matrix)
    run = _loop.solve(problem, options)
    assert run.converged
    values, vectors = np.linalg.eigh(matrix)
    assert run.iterate.objective == pytest.approx(values[-1])
    assert abs(run.iterate.alpha @ vectors[:, -1]) == pytest.approx(1)
    weights = _loop.pack(problem.data, run.iterate, run.record)
    assert weights.alpha.sum() > 0
    assert weights.n_iter == len(weights.history)


def test_finish_replaces_the_last_iterate():
    options = _loop.Options(1, "equal", 1, 1e-6, 50, None, None)
    places = []

    def finish(pair, place):
        places.append(place)
        return _loop.Iterate(-pair.dual, np.eye(2)[:, :1], np.eye(2)[:, :1], 7.0)

    run = _loop.solve(Fixed(np.diag([2.0, 1.0])), options, finish=finish)
    assert run.iterate.objective == 7.0
    assert places == ["a place of width 1"]
