"""The one outer loop: weights from a basis, a basis from the weights, until the objective settles.

An algorithm brings its products as a `Problem`; starts, restarts, history and convergence are
here, once. With Φ, J and places as in `protocol`, one iteration does two things:

1. It finds the weights α, the leading eigenvector of ``Φ J Φᵀ``, from products with ``ΦᵀΦ``
   alone (see `linalg.leading`).
2. It moves the basis by one step of orthogonal iteration with the weighted affinity ``A_α``.

The objective has many maxima, and the start decides which one is found. The default start,
continuation, begins with a basis that is wider than asked for and narrows it to k directions
over a few iterations.

With ``k="auto"`` the clusters are counted in a wide basis. An ascent counts after the first stage
of its start; other methods run a few iterations for it. The weights bring out the clusters. In
centred data, c clusters then make c - 1 eigenvalues of the weighted affinity stand apart from the
rest. The largest ratio of one eigenvalue to the next shows where the rest begins, and k is the
number of clusters, c. In data that are not centred the first direction is the mean, and it is not
counted.
"""

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from specsel import _data, _validate, linalg
from specsel._loop import ascent, spaces
from specsel._loop.options import Options
from specsel._loop.protocol import Climbable, Iterate, Place, Problem
from specsel._validate import Directions, Floats
from specsel.results import Weights
from specsel.results.weights import check

# Continuation begins with 4k + 4 columns and narrows them in this many steps.
WIDTH_FACTOR = 4
NARROWING_STEPS = 4

# An ascent begins with 2k + 4 columns, or with more where k is small. A stage is so many passes
# long, and this share of the columns goes on to the next.
ASCENT_FACTOR, ASCENT_MORE, ASCENT_LEAST = 2, 4, 12
STAGE_PASSES = 3
STAGE_SHARE = 0.75

# How exact the weights need to be while a basis is narrowed, or where an ascent begins.
ENTRY_TOL = 1e-3

# How k = "auto" is found: columns of the basis beside the mean, iterations, tolerance.
AUTO_WIDTH = 10
AUTO_ITERATIONS = 3
AUTO_TOL = 0.01

# Eigenvalues below this share of the largest one are taken for this share: where they fall off
# steeply below it, the features have run out, and that says nothing about clusters.
AUTO_FLOOR = 0.02

# In an iteration, weights need be no more exact than this share of the last change of the
# objective; a change above LOOSEST counts as LOOSEST. In the end it is this share of `tol`.
INNER_SHARE = 0.1
LOOSEST = 0.01

# A loop that does not settle ends after this many iterations without a better objective.
PATIENCE = 50

# Objectives of at most so many roundings of a pass are 0.
WORTHLESS = 10

TINY = np.finfo(float).tiny

# Tolerances up to this one leave no doubt that the two values of an objective must agree.
SETTLED = 1e-6


class Run(NamedTuple):
    """What the loop found from one start."""

    iterate: Iterate
    history: list[float]
    converged: bool
    stopped: bool  # by the callback
    # The objective, as the products before those of the iterate give it; None where the two need
    # not agree, because the loop has not settled on this iterate.
    value: float | None

    @property
    def record(self) -> dict[str, Any]:
        """What a result tells about the run, and `value`."""
        count = len(self.history)
        told = {"history": self.history, "n_iter": count, "converged": self.converged}
        return told | {"value": self.value}


def solve(
    problem: Problem[Place],
    options: Options,
    *,
    finish: Callable[[linalg.Leading, Place], Iterate] | None = None,
) -> Run:
    """Run the loop from every start and return the run with the best objective.

    `finish` computes the final iterate from the leading pair at the last place. Without it the
    iterate with the best objective is returned.
    """
    options = options.counted(lambda: count_clusters(problem))
    return from_each_start(
        problem, options, lambda place, widths: _run(problem, place, widths, options, finish)
    )


def ascend(problem: Climbable, space: spaces.Space, options: Options) -> Run:
    """Climb from every start and return the run with the best objective; see `ascent`."""
    first = None
    if options.starts_by_name and options.init == "continuation":
        first = _narrowed(problem, space, options.k)
    if first is not None:
        options = replace(options, k=len(first.lengths))
    options = options.counted(lambda: count_clusters(problem))

    def begin(options: Options) -> Iterator[tuple[spaces.Place | Floats, list[int]]]:
        if first is not None and options.init == "continuation":
            yield first, [options.number]
        else:
            yield from starts(problem, options)

    return from_each_start(
        problem,
        options,
        lambda place, widths: _climbed(problem, space, place, widths, options),
        begin,
    )


def from_each_start(
    problem: Problem[Place],
    options: Options,
    run: Callable[[Any, list[int]], Run],
    begin: Callable[[Options], Iterator[tuple[Any, list[int]]]] | None = None,
) -> Run:
    """Run from every start and return the best. Where it is worth nothing, look from others.

    `begin` yields the starts, by default those of `starts`.
    """
    begin = begin or (lambda options: starts(problem, options))
    best, stopped = _best(begin(options), run)
    if options.starts_by_name and not stopped and _is_worth_nothing(best, problem.data.floor):
        other, stopped = _best(begin(replace(options, init="seeded")), run)
        best = max(best, other, key=lambda found: found.iterate.objective)
    if not best.converged and not stopped:
        count = len(best.history)
        advice = "raise max_iter or tol"
        if count < options.max_iter:
            advice = "the objective does not settle; its best is returned, try another init or k"
        warnings.warn(
            f"not converged after {count} iterations: {advice}", stacklevel=_validate.caller()
        )
    return best


def _best(
    begun: Iterator[tuple[Any, list[int]]], run: Callable[[Any, list[int]], Run]
) -> tuple[Run, bool]:
    """Return the best of the runs from every start, and whether the callback ended the last."""
    best = None
    for place, widths in begun:
        found = run(place, widths)
        if best is None or found.iterate.objective > best.iterate.objective:
            best = found
        if found.stopped:
            break
    assert best is not None  # every kind of start gives at least one
    return best, found.stopped


def _is_worth_nothing(run: Run, floor: float) -> bool:
    """Tell whether an objective is 0 but for rounding: by symmetry, a start can lead there."""
    size = float(np.vdot(run.iterate.image, run.iterate.image))
    return abs(run.iterate.objective) <= WORTHLESS * floor * size


def _climbed(
    problem: Climbable,
    space: spaces.Space,
    place: spaces.Place | Floats,
    widths: list[int],
    options: Options,
) -> Run:
    """Climb from one start, be it a basis or a place where an ascent has been."""
    if isinstance(place, spaces.Place):
        first = place
    else:
        pair = _leading(problem, problem.enter(place), place, ENTRY_TOL)
        iterate = problem.advance(pair, place, widths[-1]).iterate
        if not iterate.objective > 0:
            return Run(iterate, [0.0], True, False, None)  # nothing to climb on from here
        first = ascent.start(space, iterate.alpha, iterate.basis, iterate.image)

    def climb(start: spaces.Place, most: int) -> ascent.Climb:
        return ascent.climb(start, tol=options.tol, max_iter=most, tell=options.tell)

    found, history, converged, stopped = climb(first, options.max_iter)
    left = options.max_iter - len(history)
    if converged and left > 0 and ascent.has_lost(found):
        # The directions that lead the affinity may be others than those of the basis.
        alpha = found.alpha / np.sqrt(found.value)
        other = ascent.start(space, alpha, problem.subspace(alpha, options.number))
        if other.value > (1 + options.tol) * found.value:
            found, more, converged, stopped = climb(other, left)
            history += more
    value = found.value if converged and options.tol <= SETTLED else None
    return Run(ascent.iterate(found), history, converged, stopped, value)


def _narrowed(problem: Climbable, space: spaces.Space, k: Directions) -> spaces.Place | None:
    """Climb a little with a wide W, and drop its least directions, in stages; None if W is 0.

    With k = "auto" the clusters are counted after the first stage.
    """
    mean = 0 if problem.data.mean_free else 1
    known = 0 if isinstance(k, str) else k
    wide = max(ASCENT_FACTOR * known + ASCENT_MORE, ASCENT_LEAST + mean)
    width = max(known, min(wide, problem.data.rank_bound))
    place = ascent.start(space, np.ones(problem.data.n_features), *problem.lead(width))
    while place.value > 0:
        if width == known:
            return place
        place = ascent.climb(place, tol=0.0, max_iter=STAGE_PASSES, tell=lambda *_: False).place
        if not known:
            inner = place.basis.T @ space.dual(place.image)
            known = _clusters(linalg.largest_modulus(inner, width)[0], mean)
            if ASCENT_FACTOR * known + ASCENT_MORE > wide:
                return _narrowed(problem, space, known)
        width = max(known, int(STAGE_SHARE * width))
        place = ascent.narrowed(place, width)
    return None


def count_clusters(problem: Problem[Place]) -> int:
    """Find k for "auto": the number of clusters that the leading eigenvalues show."""
    mean = 0 if problem.data.mean_free else 1
    width = min(AUTO_WIDTH + mean, problem.data.rank_bound)
    place = problem.subspace(np.ones(problem.data.n_features), width)
    options = Options(width, "equal", 1, AUTO_TOL, AUTO_ITERATIONS, None, None)
    found = _run(problem, place, [width], options).iterate
    return _clusters(linalg.largest_modulus(found.basis.T @ found.image, width)[0], mean)


def _clusters(eigenvalues: Floats, mean: int) -> int:
    """Where the largest ratio of an eigenvalue to the next is; the first `mean` do not count."""
    values = np.abs(eigenvalues)[mean : mean + AUTO_WIDTH]
    if len(values) < 2:
        return len(eigenvalues)
    ratios = values[:-1] / np.maximum(values[1:], max(AUTO_FLOOR * values[0], TINY))
    return int(np.argmax(ratios)) + 2


def starts(problem: Problem[Place], options: Options) -> Iterator[tuple[Place, list[int]]]:
    """Yield every start: a place, its width, and the widths that it is narrowed to."""
    k, init = options.number, options.init
    if not isinstance(init, str):
        yield problem.given(init, k), [k]
    elif init == "continuation":
        wide = max(k, min(WIDTH_FACTOR * k + WIDTH_FACTOR, problem.data.rank_bound))
        widths = np.geomspace(wide, k, NARROWING_STEPS + 1).round().astype(int)
        place = problem.subspace(np.ones(problem.data.n_features), wide)
        yield place, np.unique(widths)[::-1].tolist()
    elif init == "equal":
        yield problem.subspace(np.ones(problem.data.n_features), k), [k]
    elif init == "random":
        generator = np.random.default_rng(options.random_state)
        for _ in range(options.n_init):
            yield problem.random(generator, k), [k]
    else:
        for alpha in itertools.islice(problem.seeds(), options.n_init):
            yield problem.subspace(alpha, k), [k]


def _run(
    problem: Problem[Place],
    place: Place,
    widths: list[int],
    options: Options,
    finish: Callable[[linalg.Leading, Place], Iterate] | None = None,
) -> Run:
    """Run one start to its end. Not every algorithm always climbs: the best iterate is kept."""
    start, best = problem.enter(place), None
    history: list[float] = []
    stopped = converged = False
    tol, callback = options.tol, options.callback
    inner = INNER_SHARE * tol
    since = 0
    while len(history) < options.max_iter and since <= PATIENCE and not (converged or stopped):
        narrowing = len(widths) > 1
        widths = widths[1:] or widths
        exact = max(inner, ENTRY_TOL) if narrowing and tol > 0 else inner
        pair = _leading(problem, start, place, exact)
        step = problem.advance(pair, place, widths[0])
        if not linalg.is_unit(step.iterate.alpha, problem.data.floor):
            # The start gave no weights. Any other will do; this one is not in the null space of Φ.
            start = problem.product(linalg.generic(start.shape), place)
            pair = _leading(problem, start, place, exact)
            step = problem.advance(pair, place, widths[0])
        iterate, place, start = step
        if narrowing:
            continue
        history.append(float(iterate.objective))
        if best is None or iterate.objective >= best.objective:
            best, since = iterate, 0
        since += 1
        if len(history) > 1:
            change = abs(history[-1] - history[-2]) / max(*map(abs, history[-2:]), TINY)
            converged = bool(change <= tol and inner <= INNER_SHARE * tol and pair.converged)
            inner = INNER_SHARE * max(tol, min(change, LOOSEST)) if tol > 0 else 0.0
        stopped = callback is not None and bool(callback(len(history), history[-1]))
    if finish is not None:
        best = finish(_leading(problem, start, place, inner), place)
    assert best is not None  # max_iter is at least 1
    return Run(best, history, converged, stopped, None)


def _leading(problem: Problem[Place], start: Floats, place: Place, tol: float) -> linalg.Leading:
    return linalg.leading(
        lambda dual: problem.product(dual, place),
        start,
        tol=tol,
        signs=lambda image: problem.signs(image, place),
        floor=problem.data.floor,
    )


def pack(
    data: _data.Weighable,
    iterate: Iterate,
    record: dict[str, Any],
    lift: Callable[[Floats], Floats] | None = None,
) -> Weights:
    """Turn what the loop found into the result that users get, after a check.

    `record` holds history, n_iter, converged and, where it is known, `value`; see `Run`. Where the
    data were reduced, `lift` maps a basis back to all samples.
    """
    values, rotation = linalg.largest_modulus(
        iterate.basis.T @ iterate.image, iterate.basis.shape[1]
    )
    sign = orientation(iterate.alpha)
    basis = iterate.basis @ rotation
    alpha = sign * iterate.alpha + 0.0  # no -0.0
    joined = data.joined(alpha)
    weights = Weights(
        alpha=joined,
        parts=None if joined is alpha else alpha.reshape(2, -1),
        objective=float(iterate.objective),
        eigenvalues=sign * values,
        basis=basis if lift is None else lift(basis),
        n_passes=data.passes,
        mean=data.mean,
        norm=data.norm,
        names=data.names,
        **{name: told for name, told in record.items() if name != "value"},
    )
    scale = float(np.vdot(iterate.image, iterate.image))
    return check(weights, data.floor, value=record.get("value"), scale=scale)


def orientation(alpha: Floats) -> float:
    """Return the sign, 1.0 or -1.0, that makes the sum of the weights positive.

    Where the sum is tiny, the sign makes the largest weight positive instead.
    """
    total = alpha.sum()
    if abs(total) <= 1e-8 * np.abs(alpha).sum():
        total = alpha[np.argmax(np.abs(alpha))]
    return -1.0 if total < 0 else 1.0
