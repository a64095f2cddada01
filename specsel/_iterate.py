"""The loop of the weighting algorithms: starts, iterations, convergence, the number of clusters.

An algorithm is a `Problem`. It maximises ``αᵀ Φ J Φᵀ α`` over the unit weights α, one for every
feature. Row i of Φ is what the algorithm makes of feature i at a basis of the samples; J is
symmetric and may have negative eigenvalues; it is the identity where nothing is punished. Φ is
never formed: the loop works with *duals*, which have the size of one row of Φ and give weights by
``α = Φ dual``. An iteration of `alternate` does two things:

1. It finds the weights α, the leading eigenvector of ``Φ J Φᵀ``, from products with ``ΦᵀΦ``
   alone (see `linalg.leading_pair`).
2. It moves the basis by one step of orthogonal iteration with the weighted affinity ``A_α``.

`ascend` does both at once, see `_ascent`.

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

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol, Self, TypeVar, get_args

import numpy as np

from specsel import _ascent, _data, _validate, linalg
from specsel._ascent import AscentPoint
from specsel._validate import ArrayLike, Directions, Floats, LoopCallback, Seed
from specsel.results import Weights
from specsel.results.weights import check

# The columns of a basis may differ from orthonormal ones by this much.
ORTHONORMAL_TOL = 1e-6

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

# How k = "auto" is found: columns of the basis besides the mean, iterations, tolerance.
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

# Objectives of at most so many roundings of a pass are 0.
WORTHLESS = 10

# Data are symmetric if at least this share of the eigenvalues at equal weights is tied with the
# next, up to the share TIED of it. Those below the share ABSENT of the largest do not count.
SYMMETRIC_TIES, TIED, ABSENT = 0.3, 1e-4, 0.01

# Data of more numbers are not asked whether they are symmetric.
SYMMETRIC_NUMBERS = 2**14

# Other starts, where one does not do: so many by features, and so many random ones.
SEEDS, RANDOM = 2, 10

TINY = np.finfo(float).tiny

# Tolerances up to this one leave no doubt that the two values of an objective must agree.
SETTLED = 1e-6

# A basis, with what all products at it share: an array for most algorithms, a record for others.
Point = TypeVar("Point")


class Iterate(NamedTuple):
    """The weights that one iteration found, and the basis that follows from them."""

    alpha: Floats
    basis: Floats
    image: Floats  # A_α basis, where A_α is the weighted affinity of the samples
    objective: float


# An iterate, the point after it, and ``J Φᵀ α`` there, with which the next iteration begins.
Step = tuple[Iterate, Point, Floats]


class Problem(Protocol[Point]):
    """An algorithm, as the loop sees it: starts, products at a point, and the next point."""

    @property
    def data(self) -> _data.Data:
        """The features."""

    def subspace(self, alpha: Floats, width: int) -> Point:
        """Return the `width` leading directions at some weights."""

    def random(self, generator: np.random.Generator, width: int) -> Point:
        """Return a random basis."""

    def from_array(self, init: ArrayLike, k: int) -> Point:
        """Return the start that an array stands for."""

    def seeds(self) -> Iterator[Floats]:
        """Yield weights to start from, the most promising first."""

    def first_dual(self, point: Point) -> Floats:
        """Compute ``J Φᵀ α`` of nearly equal weights, with which the first iteration begins."""

    def product(self, dual: Floats, point: Point) -> Floats:
        """Compute ``ΦᵀΦ dual``."""

    def apply_form(self, image: Floats, point: Point) -> Floats:
        """Compute ``J image``, for what `product` returned."""

    def advance(self, pair: linalg.LeadingPair, point: Point, width: int) -> Step[Point]:
        """Find the weights that `pair` stands for, and go on to a basis of `width` directions.

        `pair` is the leading eigenpair of ``Φ J Φᵀ`` at `point`.
        """


@dataclass(frozen=True)
class Options:
    """How the loop runs. Build one by `for_basis` or `for_weights`, which check the arguments."""

    k: Directions
    init: str | ArrayLike = "continuation"
    n_init: int = 1
    tol: float = 1e-6
    max_iter: int = 200
    random_state: Seed = None
    callback: LoopCallback = None

    @classmethod
    def for_basis(cls, shape: tuple[int, ...], k: Directions, init: Any, *rest: Any) -> Self:
        """Check options where `init` is a name or an orthonormal basis; `shape` is that of X.

        `rest` is n_init, tol, max_iter, random_state and callback.
        """
        check_k(k, min(shape), "min(n_samples, n_features)")
        options = cls(k, init, *rest)
        options._check("a basis")
        if not options.starts_by_name:
            basis = _start_array(init, (shape[0], options.number), "a basis")
            error = np.abs(basis.T @ basis - np.eye(options.number)).max()
            if not error <= ORTHONORMAL_TOL:
                raise ValueError(f"init: columns must be orthonormal; they are off by {error:.2g}")
        return options

    @classmethod
    def for_weights(cls, n_features: int, k: Directions, init: Any, *rest: Any) -> Self:
        """Check options where `init` is a name or a weight a feature; the caller checks `k`."""
        options = cls(k, init, *rest)
        options._check("weights")
        if not options.starts_by_name:
            alpha = _start_array(init, (n_features,), "weights")
            if not (np.isfinite(alpha).all() and (alpha >= 0).all() and alpha.any()):
                raise ValueError(
                    "init: weights must be finite and not negative, and one of them not 0"
                )
        return options

    @property
    def starts_by_name(self) -> bool:
        """Whether `init` is a name, and not an array."""
        return isinstance(self.init, str)

    @property
    def number(self) -> int:
        """`k`, where it is a number; "auto" must have been replaced before."""
        assert not isinstance(self.k, str)
        return self.k

    def report(self, count: int, value: float) -> bool:
        """Call the callback after an iteration; return whether it stops the loop."""
        return self.callback is not None and bool(self.callback(count, value))

    def counted(self, count: Callable[[], Directions]) -> Self:
        """Replace k = "auto" by what `count` returns; another k stays."""
        return replace(self, k=count()) if self.k == "auto" else self

    def restricted(self, restrict: Callable[[Any], Any]) -> Self:
        """Map a start that is an array to the samples of reduced data; a name stays."""
        if self.starts_by_name:
            return self
        return replace(self, init=restrict(np.asarray(self.init, dtype=float)))

    def _check(self, array: str) -> None:
        """Refuse bad arguments; `array` says what else than a name `init` may be."""
        _validate.check_integer("n_init", self.n_init, 1)
        _validate.check_integer("max_iter", self.max_iter, 1)
        check_tol(self.tol)
        _validate.check_callback(self.callback)
        _validate.as_generator(self.random_state)
        names = get_args(_validate.Init)
        if np.ndim(self.init) == 0 and self.init not in names:
            allowed = ", ".join(names)
            raise ValueError(
                f"init = {_validate.brief(self.init)}: must be one of {allowed}, or {array}"
            )
        if isinstance(self.k, str) and not self.starts_by_name:
            raise ValueError(
                f"k = 'auto': needs a start by name; init = {_validate.brief(self.init)}"
            )


def check_tol(tol: Any) -> None:
    """Refuse a tolerance that is no share."""
    if not (_validate.is_finite(tol) and 0 <= tol < 1):
        raise ValueError(f"tol = {_validate.brief(tol)}: must be a number from 0 to 1, 1 excluded")


def check_k(k: object, most: int, what: str) -> None:
    """Refuse a `k` that is neither "auto" nor a whole number from 1 to `most`, which is `what`."""
    if not (isinstance(k, str) and k == "auto"):
        _validate.check_integer("k", k, 1, most, f'{what}, or "auto"')


def _start_array(init: ArrayLike, shape: tuple[int, ...], what: str) -> np.ndarray:
    array = np.asarray(init)
    if array.dtype.kind not in "fiu":
        raise ValueError(f"init: has dtype {array.dtype}; a name or {what} of numbers is needed")
    if array.shape != shape:
        raise ValueError(f"init: has shape {array.shape}; {what} of shape {shape} is needed")
    return array


class Run(NamedTuple):
    """The result of one start."""

    iterate: Iterate
    history: list[float]
    converged: bool
    stopped: bool = False  # by the callback
    # The objective, as the products before those of the iterate give it; None where the two need
    # not agree, because the loop has not settled on this iterate.
    value: float | None = None


def alternate(
    problem: Problem[Point],
    options: Options,
    *,
    finish: Callable[[linalg.LeadingPair, Point], Iterate] | None = None,
) -> Run:
    """Find weights and basis in turn, from every start; return the run with the best objective.

    `finish` computes the final iterate from the leading pair at the last point. Without it the
    last iterate is returned.
    """
    options = options.counted(lambda: count_clusters(problem))

    def run(point: Point, widths: list[int]) -> Run:
        return _alternate(problem, point, widths, options, finish)

    return best_of_starts(problem, options, run)


def ascend(
    problem: Problem[Floats],
    options: Options,
    objective: _ascent.Objective | None = None,
) -> Run:
    """Ascend from every start and return the run with the best objective; see `_ascent`.

    `objective` is by default that of the data of the problem.
    """
    objective = objective or _ascent.Objective(problem.data)
    first = None
    if isinstance(options.init, str) and options.init == "continuation":
        first = _narrowed(problem, objective, options.k)
    if first is not None:
        options = replace(options, k=len(first.spectrum))
    options = options.counted(lambda: count_clusters(problem))

    def run(point: Any, widths: list[int]) -> Run:
        return _ascend(problem, objective, point, widths[-1], options)

    return best_of_starts(problem, options, run, first)


def best_of_starts(
    problem: Problem[Point],
    options: Options,
    run: Callable[[Any, list[int]], Run],
    first: AscentPoint | None = None,
) -> Run:
    """Run from every start, or from `first` if there is one, and return the best.

    Where its objective is 0 but for rounding, to which symmetry can lead, other starts are tried
    as well. So they are where data are symmetric and the start is a single one: directions that
    nothing tells apart have no order, and what it takes of them is arbitrary.
    """
    begun: Any = starts(problem, options) if first is None else [(first, [options.number])]
    best = _best(begun, run)
    size = float(np.vdot(best.iterate.image, best.iterate.image))
    is_zero = abs(best.iterate.objective) <= WORTHLESS * problem.data.floor * size
    is_single = options.starts_by_name and options.init in ("continuation", "equal")
    is_doubtful = options.starts_by_name and (
        is_zero or (is_single and _is_symmetric(problem.data))
    )
    if is_doubtful and not best.stopped:
        seeded = starts(problem, replace(options, init="seeded", n_init=SEEDS))
        random = replace(options, init="random", n_init=RANDOM, random_state=0)
        other = _best(itertools.chain(seeded, starts(problem, random)), run)
        best = max(best, other, key=lambda one: one.iterate.objective)
        best = best._replace(stopped=other.stopped)
    if not best.converged and not best.stopped:
        warnings.warn(
            f"not converged after {len(best.history)} iterations: raise max_iter or tol",
            stacklevel=_validate.caller(),
        )
    return best


def _is_symmetric(data: _data.Data) -> bool:
    """Return whether many eigenvalues of the affinity of equal weights are tied."""
    if data.n_samples * data.n_features > SYMMETRIC_NUMBERS:
        return False
    lengths = np.sqrt(data.squares)
    scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    samples = data.rows(0, data.n_samples) * scale
    values = np.linalg.svd(samples, compute_uv=False) ** 2
    values = values[values > ABSENT * values[0]]
    ties = -np.diff(values) <= TIED * values[:-1]
    return bool(ties.sum() >= max(1, SYMMETRIC_TIES * len(values)))


def _best(begun: Iterable[tuple[Any, list[int]]], run: Callable[[Any, list[int]], Run]) -> Run:
    """Return the best of the runs from every start; `stopped` says how the last one ended."""
    best = None
    for point, widths in begun:
        found = run(point, widths)
        if best is None or found.iterate.objective > best.iterate.objective:
            best = found
        if found.stopped:
            break
    assert best is not None  # every kind of start gives at least one
    return best._replace(stopped=found.stopped)


def _alternate(
    problem: Problem[Point],
    point: Point,
    widths: list[int],
    options: Options,
    finish: Callable[[linalg.LeadingPair, Point], Iterate] | None = None,
) -> Run:
    """Run one start to its end."""
    dual = problem.first_dual(point)
    history: list[float] = []
    stopped = converged = False
    tol = options.tol
    inner = INNER_SHARE * tol
    while len(history) < options.max_iter and not (converged or stopped):
        narrowing = len(widths) > 1
        widths = widths[1:] or widths
        exact = max(inner, ENTRY_TOL) if narrowing and tol > 0 else inner
        pair = _leading_pair(problem, dual, point, exact)
        iterate, after, next_dual = problem.advance(pair, point, widths[0])
        if not linalg.is_unit(iterate.alpha, problem.data.floor):
            # The start was in the null space of Φ. Any other will do.
            dual = problem.product(linalg.generic(dual.shape), point)
            pair = _leading_pair(problem, dual, point, exact)
            iterate, after, next_dual = problem.advance(pair, point, widths[0])
        point, dual = after, next_dual
        if narrowing:
            continue
        history.append(float(iterate.objective))
        if len(history) > 1:
            change = abs(history[-1] - history[-2]) / max(*map(abs, history[-2:]), TINY)
            converged = bool(change <= tol and inner <= INNER_SHARE * tol and pair.converged)
            inner = INNER_SHARE * max(tol, min(change, LOOSEST)) if tol > 0 else 0.0
        stopped = options.report(len(history), history[-1])
    if finish is not None:
        iterate = finish(_leading_pair(problem, dual, point, inner), point)
    return Run(iterate, history, converged, stopped)


def _leading_pair(
    problem: Problem[Point], start: Floats, point: Point, tol: float
) -> linalg.LeadingPair:
    return linalg.leading_pair(
        lambda dual: problem.product(dual, point),
        start,
        tol=tol,
        apply_form=lambda image: problem.apply_form(image, point),
        floor=problem.data.floor,
    )


def _ascend(
    problem: Problem[Floats],
    objective: _ascent.Objective,
    start: AscentPoint | Floats,
    width: int,
    options: Options,
) -> Run:
    """Ascend from one start, be it a basis or a point of an earlier ascent."""
    if isinstance(start, AscentPoint):
        point = start
    else:
        pair = _leading_pair(problem, problem.first_dual(start), start, ENTRY_TOL)
        iterate = problem.advance(pair, start, width)[0]
        if not iterate.objective > 0:
            return Run(iterate, [0.0], True)  # nothing to ascend on from here
        point = objective.start(iterate.alpha, iterate.basis, iterate.image)

    def maximise(point: AscentPoint, most: int) -> tuple[AscentPoint, list[float], bool, bool]:
        return _ascent.maximise(point, tol=options.tol, max_iter=most, report=options.report)

    point, history, converged, stopped = maximise(point, options.max_iter)
    left = options.max_iter - len(history)
    if converged and left > 0 and point.has_lost:
        # The directions that lead the affinity may be others than those of the basis.
        alpha = point.alpha / np.sqrt(point.value)
        other = objective.start(alpha, problem.subspace(alpha, options.number))
        if other.value > (1 + options.tol) * point.value:
            point, more, converged, stopped = maximise(other, left)
            history += more
    size = np.sqrt(point.value)
    iterate = Iterate(point.alpha / size, point.basis, point.image / size, point.energy)
    value = point.value if converged and options.tol <= SETTLED else None
    return Run(iterate, history, converged, stopped, value)


def _narrowed(
    problem: Problem[Floats], objective: _ascent.Objective, k: Directions
) -> AscentPoint | None:
    """Ascend a little with a wide W, and drop its least directions, in stages; None if W is 0.

    With k = "auto" the clusters are counted after the first stage.
    """
    mean = 0 if problem.data.mean_free else 1
    known = 0 if isinstance(k, str) else k
    wide = max(ASCENT_FACTOR * known + ASCENT_MORE, ASCENT_LEAST + mean)
    width = max(known, min(wide, problem.data.rank_bound))
    alpha = linalg.uneven(problem.data.varies)
    values, basis = linalg.top_eigenpairs(
        partial(problem.data.adjoint, alpha), problem.data.n_samples, width, positive=True
    )
    point = objective.start(alpha, basis, basis * values)
    while point.value > 0:
        if width == known:
            return point
        point = _ascent.maximise(point, tol=0.0, max_iter=STAGE_PASSES, report=lambda *_: False)[0]
        if not known:
            inner = point.basis.T @ point.image
            known = _clusters(linalg.largest_modulus(inner, width)[0], mean)
            if ASCENT_FACTOR * known + ASCENT_MORE > wide:
                return _narrowed(problem, objective, known)
        width = max(known, int(STAGE_SHARE * width))
        point = point.narrowed(width)
    return None


def count_clusters(problem: Problem[Point]) -> int:
    """Find k for "auto": the number of clusters that the leading eigenvalues show."""
    mean = 0 if problem.data.mean_free else 1
    width = min(AUTO_WIDTH + mean, problem.data.rank_bound)
    point = problem.subspace(linalg.uneven(problem.data.varies), width)
    options = Options(width, tol=AUTO_TOL, max_iter=AUTO_ITERATIONS)
    found = _alternate(problem, point, [width], options).iterate
    return _clusters(linalg.largest_modulus(found.basis.T @ found.image, width)[0], mean)


def _clusters(eigenvalues: Floats, mean: int) -> int:
    """Find the largest ratio of an eigenvalue to the next; the first `mean` do not count."""
    values = np.abs(eigenvalues)[mean : mean + AUTO_WIDTH]
    if len(values) < 2:
        return len(eigenvalues)
    ratios = values[:-1] / np.maximum(values[1:], max(AUTO_FLOOR * values[0], TINY))
    return int(np.argmax(ratios)) + 2


def starts(problem: Problem[Point], options: Options) -> Iterator[tuple[Point, list[int]]]:
    """Yield every start: a point, its width, and the widths that it is narrowed to."""
    k, init = options.number, options.init
    if not isinstance(init, str):
        yield problem.from_array(init, k), [k]
    elif init == "continuation":
        wide = max(k, min(WIDTH_FACTOR * k + WIDTH_FACTOR, problem.data.rank_bound))
        widths = np.geomspace(wide, k, NARROWING_STEPS + 1).round().astype(int)
        point = problem.subspace(linalg.uneven(problem.data.varies), wide)
        yield point, np.unique(widths)[::-1].tolist()
    elif init == "equal":
        yield problem.subspace(linalg.uneven(problem.data.varies), k), [k]
    elif init == "random":
        generator = np.random.default_rng(options.random_state)
        for _ in range(options.n_init):
            yield problem.random(generator, k), [k]
    else:
        for alpha in itertools.islice(problem.seeds(), options.n_init):
            yield problem.subspace(alpha, k), [k]


def pack(data: _data.Data, run: Run, lift: Callable[[Floats], Floats] | None = None) -> Weights:
    """Make the result of a run and check it; `lift` maps bases of reduced data to all samples."""
    iterate, image = run.iterate, run.iterate.image
    values, rotation = linalg.largest_modulus(iterate.basis.T @ image, image.shape[1])
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
        history=np.array(run.history),
        n_iter=len(run.history),
        n_passes=data.passes,
        converged=run.converged,
        mean=data.mean,
        norm=data.divisors,
        names=data.names,
    )
    return check(weights, data.floor, value=run.value, scale=float(np.vdot(image, image)))


def orientation(alpha: Floats) -> float:
    """Return the sign, 1.0 or -1.0, that makes the sum of the weights positive.

    Where the sum is tiny, the sign makes the largest weight positive instead.
    """
    total = alpha.sum()
    if abs(total) <= 1e-8 * np.abs(alpha).sum():
        total = alpha[np.argmax(np.abs(alpha))]
    return -1.0 if total < 0 else 1.0
