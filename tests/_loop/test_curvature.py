"""Rows of tangents, in plain and in bent spaces, and what a memory of steps knows."""

import itertools

import numpy as np
import pytest

from specsel._loop import curvature
from specsel._loop.spaces import Place

D, K, BESIDE = 9, 3, 2
SIZE = K * K + D * K + BESIDE


class Bent:
    """Vectors with inner products ``xᵀ G y``; only what `curvature` asks of a space.

    ``root x`` are the same vectors in a plain space.
    """

    def __init__(self, root):
        self.root, self.gram = root, root.T @ root

    def dual(self, directions):
        return self.gram @ directions

    def basis(self, rng):
        return np.linalg.solve(self.root, np.linalg.qr(rng.standard_normal((D, K)))[0])


class Plain(Bent):
    """With the usual inner products, so that directions are their own dual."""

    def dual(self, directions):
        return directions


@pytest.fixture(params=["plain", "bent"])
def space(request, rng):
    bent = np.eye(D) + 0.3 * rng.standard_normal((D, D))
    return Bent(bent) if request.param == "bent" else Plain(np.eye(D))


def rows_at(space, basis, rng, count):
    """Some tangents as rows."""
    inside, outside = rng.standard_normal((count, K, K)), rng.standard_normal((count, D, K))
    outside -= basis @ (basis.T @ space.dual(outside))
    return curvature.row(
        inside + inside.swapaxes(1, 2), outside, rng.standard_normal((count, BESIDE))
    )


def tangents(space, rows, basis):
    """The matrices that rows stand for, in the plain space, and the numbers beside."""
    inside, outside, beside = curvature.parts(rows, basis)
    basis, outside = space.root @ basis, space.root @ outside
    half = outside @ basis.T
    return basis @ inside @ basis.T + half + half.swapaxes(1, 2), beside


def place(space, basis, gradient):
    """A place, as far as `curvature` looks at it."""
    nothing = np.zeros(0)
    return Place(space, basis, nothing, nothing, nothing, nothing, 1.0, gradient)


def followed(space, rng, count):
    """A memory of random steps, on which the gradient lost about twice as much."""
    memory, factors = curvature.Memory(SIZE), rng.uniform(0.5, 1, SIZE)
    factors[: K * K + D * K] = factors[0]
    bases = [space.basis(rng) for _ in range(count + 1)]
    for before, after in itertools.pairwise(bases):
        step, gradient, noise = rows_at(space, before, rng, 3)
        here = place(space, before, gradient)
        left = gradient - 2 * step - 0.1 * noise
        there = place(space, after, curvature.moved(space, left[None], before, after)[0])
        memory.follow(here, there, step, factors)
    return memory, there, factors


def test_parts_are_those_of_the_row(space, rng):
    basis = space.basis(rng)
    given = rng.standard_normal((4, K, K)), rng.standard_normal((4, D, K)), rng.random((4, BESIDE))
    rows = curvature.row(*given)
    assert rows.shape == (4, SIZE)
    for found, one, wanted in zip(
        curvature.parts(rows, basis), curvature.parts(rows[2], basis), given, strict=True
    ):
        np.testing.assert_allclose(found, wanted, rtol=1e-15)
        np.testing.assert_array_equal(one, found[2])


def test_duals_give_inner_products(space, rng):
    basis = space.basis(rng)
    rows = rows_at(space, basis, rng, 4)
    matrices, beside = tangents(space, rows, basis)
    wanted = np.einsum("aij,bij->ab", matrices, matrices) + beside @ beside.T
    np.testing.assert_allclose(rows @ curvature.dual(space, rows, basis).T, wanted, atol=1e-10)
    squares = curvature.squared(space, rows, basis)
    np.testing.assert_allclose(squares, wanted.diagonal())
    assert curvature.squared(space, rows[1], basis) == pytest.approx(squares[1])


def test_moves_are_projections(space, rng):
    here, there = space.basis(rng), space.basis(rng)
    rows = rows_at(space, here, rng, 4)
    moved = curvature.moved(space, rows, here, there)
    matrices, beside = tangents(space, rows, here)
    target = space.root @ there
    rest = np.eye(D) - target @ target.T
    found, beside_found = tangents(space, moved, there)
    np.testing.assert_allclose(found, matrices - rest @ matrices @ rest, atol=1e-11)
    np.testing.assert_array_equal(beside_found, beside)
    inside, outside, _ = curvature.parts(moved, there)
    np.testing.assert_allclose(inside, inside.swapaxes(1, 2), atol=1e-12)
    np.testing.assert_allclose(there.T @ space.dual(outside), 0.0 * inside, atol=1e-12)
    np.testing.assert_allclose(curvature.moved(space, moved, there, there), moved, atol=1e-12)


def test_another_basis_of_the_same_directions_changes_no_tangent(space, rng):
    basis, turn = space.basis(rng), np.linalg.qr(rng.standard_normal((K, K)))[0]
    rows = rows_at(space, basis, rng, 2)
    moved = curvature.moved(space, rows, basis, basis @ turn)
    for found, wanted in zip(
        tangents(space, moved, basis @ turn), tangents(space, rows, basis), strict=True
    ):
        np.testing.assert_allclose(found, wanted, atol=1e-11)


def test_factors_divide_what_is_outside_by_columns(space, rng):
    basis, scale = space.basis(rng), np.array([1.0, 2.0, 4.0])
    rows = rows_at(space, basis, rng, 2)
    found = curvature.parts(rows * curvature.divided(basis, np.ones(BESIDE), 8.0, scale), basis)
    inside, outside, beside = curvature.parts(rows, basis)
    for one, wanted in zip(found, (inside / 8, outside / scale / 8, beside / 8), strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-14)


def test_where_nothing_is_known_the_gradient_is_scaled(space, rng):
    basis, memory, factors = space.basis(rng), curvature.Memory(SIZE), rng.random(SIZE)
    gradient, memory.gain = rows_at(space, basis, rng, 1)[0], 3.0
    here = place(space, basis, gradient)
    slopes = curvature.dual(space, gradient, basis)
    np.testing.assert_array_equal(memory.direction(here, slopes, factors), 3 * factors * gradient)


def test_a_memory_holds_steps_and_losses_at_the_new_place(space, rng):
    memory, factors = curvature.Memory(SIZE), np.ones(SIZE)
    bases = [space.basis(rng) for _ in range(3)]
    steps, losses = np.zeros((2, 0, SIZE))
    for before, after in itertools.pairwise(bases):
        step, gradient = rows_at(space, before, rng, 2)
        left = curvature.moved(space, (gradient - 2 * step)[None], before, after)[0]
        memory.follow(place(space, before, gradient), place(space, after, left), step, factors)
        steps = curvature.moved(space, np.vstack((steps, step)), before, after)
        losses = curvature.moved(space, np.vstack((losses, 2 * step)), before, after)
    np.testing.assert_allclose(memory.steps, steps, atol=1e-12)
    np.testing.assert_allclose(memory.losses, losses, atol=1e-12)
    wanted = steps @ curvature.dual(space, losses, after).T
    np.testing.assert_allclose(memory.products, wanted, atol=1e-11)


def test_the_newest_step_is_what_its_loss_stands_for(space, rng):
    """The secant equation; the inverse is symmetric and positive, too."""
    memory, there, factors = followed(space, rng, 4)
    assert len(memory.steps) == 4

    def inverse(row):
        slopes = curvature.dual(space, row, there.basis)
        return memory.direction(there._replace(gradient=row), slopes, factors)

    np.testing.assert_allclose(inverse(memory.losses[-1]), memory.steps[-1], atol=1e-10)
    rows = rows_at(space, there.basis, rng, 6)
    duals = curvature.dual(space, rows, there.basis)
    form = np.array([inverse(row) for row in rows]) @ duals.T
    np.testing.assert_allclose(form, form.T, atol=1e-10)
    assert np.linalg.eigvalsh(form)[0] > 0


def test_directions_are_those_of_bfgs_pair_by_pair(rng):
    """The compact form against products with one pair after another, as in the textbook."""
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    bend, gradient = rng.standard_normal((SIZE, SIZE)), rng.standard_normal(SIZE)
    memory.steps = rng.standard_normal((3, SIZE))
    memory.losses = memory.steps @ (bend @ bend.T + np.eye(SIZE))
    memory.products = memory.steps @ memory.losses.T
    factors = rng.random(SIZE) + 0.5
    inverse = np.diag(factors)
    for s, y in zip(memory.steps, memory.losses, strict=True):
        side = np.eye(SIZE) - np.outer(s, y) / (s @ y)
        inverse = side @ inverse @ side.T + np.outer(s, s) / (s @ y)
    here = place(space, space.basis(rng), gradient)
    np.testing.assert_allclose(memory.direction(here, gradient, factors), inverse @ gradient)


def test_a_few_rows_at_a_time_are_moved_alike(space, monkeypatch):
    found = []
    for numbers in (2**15, 1, 3 * SIZE):
        monkeypatch.setattr(curvature, "NUMBERS", numbers)
        memory = followed(space, np.random.default_rng(1), 4)[0]
        found.append(np.vstack((memory.steps, memory.losses)))
    for one in found[1:]:
        np.testing.assert_allclose(one, found[0], atol=1e-12)


def test_the_newest_steps_are_kept(rng):
    """Each step is a multiple of its number, at one and the same place."""
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis = space.basis(rng)
    for number in range(1, curvature.KEPT + 3):
        step = number * rows_at(space, basis, rng, 1)[0]
        here, there = place(space, basis, 2 * step), place(space, basis, 0 * step)
        memory.follow(here, there, step, np.ones(SIZE))
        assert len(memory.steps) == min(number, curvature.KEPT)
        np.testing.assert_allclose(memory.steps[-1], step, atol=1e-10)
    assert memory.products.shape == (curvature.KEPT, curvature.KEPT)
    memory.forget()
    assert (memory.steps.shape, memory.losses.shape) == ((0, SIZE), (0, SIZE))


def test_steps_that_say_nothing_are_not_kept(rng):
    """A curvature that is negative or too small, or no step at all."""
    space, memory, factors = Plain(np.eye(D)), curvature.Memory(SIZE), np.ones(SIZE)
    basis, gains = space.basis(rng), []
    step, other = rows_at(space, basis, rng, 2)
    for bend in (-1.0, 0.5 * curvature.LEAST_CURVATURE, 2 * curvature.LEAST_CURVATURE):
        here, there = place(space, basis, bend * step), place(space, basis, 0 * step)
        memory.follow(here, there, step, factors)
        gains.append(memory.gain)
    assert len(memory.steps) == 1
    assert gains == [2.0, 4.0, curvature.USUAL_GAIN]
    step = curvature.row(np.zeros((K, K)), np.zeros((D, K)), np.zeros(BESIDE))
    memory.follow(place(space, basis, other), place(space, basis, other), step, factors)
    assert len(memory.steps) == 1


def test_what_is_nothing_at_the_new_place_is_forgotten():
    space, memory, axes = Plain(np.eye(D)), curvature.Memory(SIZE), np.eye(D)
    here, there = (place(space, U, np.zeros(SIZE)) for U in (axes[:, :K], axes[:, K : 2 * K]))
    step = curvature.row(np.eye(K), np.zeros((D, K)), np.zeros(BESIDE))
    memory.follow(here._replace(gradient=2 * step), here, step, np.ones(SIZE))
    assert len(memory.steps) == 1
    memory.follow(here, there, step, np.ones(SIZE))
    assert len(memory.steps) == 0


@pytest.mark.parametrize(("value", "telling"), [(1.0, True), (4.0, False)])
def test_the_least_curvature_is_in_units_of_the_value(value, telling, rng):
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis = space.basis(rng)
    step = rows_at(space, basis, rng, 1)[0]
    here = place(space, basis, 2 * curvature.LEAST_CURVATURE * step)
    memory.follow(here, here._replace(gradient=0 * step), step, np.full(SIZE, 1 / value))
    assert len(memory.steps) == telling


@pytest.mark.parametrize(("bend", "gain"), [(0.5, 2.0), (4.0, 1.0), (0.01, 10.0)])
def test_the_scale_is_that_of_the_last_step_within_limits(bend, gain, rng):
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis = space.basis(rng)
    step = rows_at(space, basis, rng, 1)[0]
    memory.follow(
        place(space, basis, bend * step), place(space, basis, 0 * step), step, np.ones(SIZE)
    )
    assert memory.gain == pytest.approx(gain)


def test_the_scale_is_doubled_up_to_a_limit_where_nothing_is_learnt(rng):
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis, gains = space.basis(rng), []
    step = rows_at(space, basis, rng, 1)[0]
    for _ in range(6):
        here, there = place(space, basis, -step), place(space, basis, 0 * step)
        memory.follow(here, there, step, np.ones(SIZE))
        gains.append(memory.gain)
    assert gains == [2.0, 4.0, 8.0, 16.0, curvature.LARGEST_GAIN, curvature.LARGEST_GAIN]
