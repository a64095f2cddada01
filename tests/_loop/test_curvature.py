"""What a memory of steps knows of the curvature."""

import itertools

import numpy as np
import pytest
from tangent_spaces import BESIDE, SIZE, D, K, Plain, place, rows_at, space_of

from specsel._loop import curvature, tangents


@pytest.fixture(params=["plain", "bent"])
def space(request, rng):
    return space_of(request.param, rng)


def by(factors):
    """What multiplies rows, in the place of an inverse."""
    return lambda rows: factors * rows


def followed(space, rng, count):
    """A memory of random steps, on which the gradient lost about twice as much."""
    memory, factors = curvature.Memory(SIZE), rng.uniform(0.5, 1, SIZE)
    factors[: K * K + D * K] = factors[0]
    bases = [space.basis(rng) for _ in range(count + 1)]
    for before, after in itertools.pairwise(bases):
        step, gradient, noise = rows_at(space, before, rng, 3)
        here = place(space, before, gradient)
        left = gradient - 2 * step - 0.1 * noise
        there = place(space, after, tangents.moved(space, left[None], before, after)[0])
        memory.follow(here, there, step, by(factors))
    return memory, there, factors


def test_where_nothing_is_known_the_gradient_is_scaled(space, rng):
    basis, memory, factors = space.basis(rng), curvature.Memory(SIZE), rng.random(SIZE)
    gradient, memory.gain = rows_at(space, basis, rng, 1)[0], 3.0
    here = place(space, basis, gradient)
    slopes = tangents.dual(space, gradient, basis)
    ahead = memory.direction(here, slopes, by(factors))
    np.testing.assert_array_equal(ahead, 3 * (factors * gradient))


def test_a_memory_holds_steps_and_losses_at_the_new_place(space, rng):
    memory, factors = curvature.Memory(SIZE), 1.0
    bases = [space.basis(rng) for _ in range(3)]
    steps, losses = np.zeros((2, 0, SIZE))
    for before, after in itertools.pairwise(bases):
        step, gradient = rows_at(space, before, rng, 2)
        left = tangents.moved(space, (gradient - 2 * step)[None], before, after)[0]
        memory.follow(place(space, before, gradient), place(space, after, left), step, by(factors))
        steps = tangents.moved(space, np.vstack((steps, step)), before, after)
        losses = tangents.moved(space, np.vstack((losses, 2 * step)), before, after)
    np.testing.assert_allclose(memory.steps, steps, atol=1e-12)
    np.testing.assert_allclose(memory.losses, losses, atol=1e-12)
    wanted = steps @ tangents.dual(space, losses, after).T
    np.testing.assert_allclose(memory.products, wanted, atol=1e-11)


def test_the_newest_step_is_what_its_loss_stands_for(space, rng):
    """The secant equation; the inverse is symmetric and positive, too."""
    memory, there, factors = followed(space, rng, 4)
    assert len(memory.steps) == 4

    def inverse(row):
        slopes = tangents.dual(space, row, there.basis)
        return memory.direction(there._replace(gradient=row), slopes, by(factors))

    np.testing.assert_allclose(inverse(memory.losses[-1]), memory.steps[-1], atol=1e-10)
    rows = rows_at(space, there.basis, rng, 6)
    duals = tangents.dual(space, rows, there.basis)
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
    ahead = memory.direction(here, gradient, by(factors))
    np.testing.assert_allclose(ahead, inverse @ gradient)


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
        memory.follow(here, there, step, by(1.0))
        assert len(memory.steps) == min(number, curvature.KEPT)
        np.testing.assert_allclose(memory.steps[-1], step, atol=1e-10)
    assert memory.products.shape == (curvature.KEPT, curvature.KEPT)
    memory.forget()
    assert (memory.steps.shape, memory.losses.shape) == ((0, SIZE), (0, SIZE))


def test_steps_that_say_nothing_are_not_kept(rng):
    """A curvature that is negative or too small, or no step at all."""
    space, memory, factors = Plain(np.eye(D)), curvature.Memory(SIZE), 1.0
    basis, gains = space.basis(rng), []
    step, other = rows_at(space, basis, rng, 2)
    for bend in (-1.0, 0.5 * curvature.LEAST_CURVATURE, 2 * curvature.LEAST_CURVATURE):
        here, there = place(space, basis, bend * step), place(space, basis, 0 * step)
        memory.follow(here, there, step, by(factors))
        gains.append(memory.gain)
    assert len(memory.steps) == 1
    assert gains == [2.0, 4.0, curvature.USUAL_GAIN]
    step = tangents.row(np.zeros((K, K)), np.zeros((D, K)), np.zeros(BESIDE))
    memory.follow(place(space, basis, other), place(space, basis, other), step, by(factors))
    assert len(memory.steps) == 1


def test_what_is_nothing_at_the_new_place_is_forgotten():
    space, memory, axes = Plain(np.eye(D)), curvature.Memory(SIZE), np.eye(D)
    here, there = (place(space, U, np.zeros(SIZE)) for U in (axes[:, :K], axes[:, K : 2 * K]))
    step = tangents.row(np.eye(K), np.zeros((D, K)), np.zeros(BESIDE))
    memory.follow(here._replace(gradient=2 * step), here, step, by(1.0))
    assert len(memory.steps) == 1
    memory.follow(here, there, step, by(1.0))
    assert len(memory.steps) == 0


@pytest.mark.parametrize(("value", "telling"), [(1.0, True), (4.0, False)])
def test_the_least_curvature_is_in_units_of_the_value(value, telling, rng):
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis = space.basis(rng)
    step = rows_at(space, basis, rng, 1)[0]
    here = place(space, basis, 2 * curvature.LEAST_CURVATURE * step, value)
    memory.follow(here, here._replace(gradient=0 * step), step, by(1 / value))
    assert len(memory.steps) == telling


@pytest.mark.parametrize(("bend", "gain"), [(0.5, 2.0), (4.0, 1.0), (0.01, 10.0)])
def test_the_scale_is_that_of_the_last_step_within_limits(bend, gain, rng):
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis = space.basis(rng)
    step = rows_at(space, basis, rng, 1)[0]
    memory.follow(place(space, basis, bend * step), place(space, basis, 0 * step), step, by(1.0))
    assert memory.gain == pytest.approx(gain)


def test_the_scale_is_doubled_up_to_a_limit_where_nothing_is_learnt(rng):
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis, gains = space.basis(rng), []
    step = rows_at(space, basis, rng, 1)[0]
    for _ in range(6):
        here, there = place(space, basis, -step), place(space, basis, 0 * step)
        memory.follow(here, there, step, by(1.0))
        gains.append(memory.gain)
    assert gains == [2.0, 4.0, 8.0, 16.0, curvature.LARGEST_GAIN, curvature.LARGEST_GAIN]


def test_an_inverse_of_another_place_that_is_not_positive_leaves_the_usual_scale(rng):
    space, memory = Plain(np.eye(D)), curvature.Memory(SIZE)
    basis = space.basis(rng)
    step = rows_at(space, basis, rng, 1)[0]
    here, there = place(space, basis, step), place(space, basis, 0 * step)
    for factor in (0.0, -1.0, np.nan):
        memory.follow(here, there, step, by(factor))
        assert memory.gain == curvature.USUAL_GAIN
