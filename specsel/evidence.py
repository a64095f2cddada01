"""A permutation test of structure: a solver's objective against that of shuffled data.

Noise has an objective too, and weights, and a gap: of many features a few agree by chance.
`solve` shuffles every column by itself, which keeps the features and destroys whatever they have
in common, solves again in the same way, and counts how often chance does as well as the data.

Small shuffles are solved one per thread: threads that share the passes of a single
solve wait for each other between passes, which takes several times the processor time. A shuffle
depends on its seed alone, so the number of threads changes nothing.

The p value is never below 1 / (n + 1) for n shuffles: 19 can reach .05, and 99 can reach .01.

What is tested is that the columns are independent. Any correlation rejects that: a small p value
means "more in common than chance", not "clusters". With labels the columns stay as they are and
the labels alone are shuffled, for correlated columns would look like evidence for labels that mean
nothing.

`detectability` answers the question before any data are there: how many features must show a
direction before it is found among the noise of the others? With n₁ features that agree on one
direction, among n₂ of noise, over q samples, the direction is found from ``n₁ > 1 + √(n₂/q)`` on
(Baik, Ben Arous and Péché, Ann. Probab. 33, 2005), and its squared cosine with the one that is
found tends to ``1 - (n₂/q) / (n₁ - 1)²``.
"""

import math
import warnings
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from importlib import import_module
from typing import Any, NamedTuple

import numba
import numpy as np

from specsel import _containers, _data, _iterate, _runtime, _validate, qalpha
from specsel._methods import COMPARED, parameters
from specsel._validate import ArrayLike, Directions, Floats, Integers, Names, Seed
from specsel.results import Evidence, Weights

__all__ = ["Detectability", "detectability", "solve"]

WITH_LABELS = ("supervised", "weighting")
WITH_DIRECTIONS = ("qalpha", "kernel")

# Objectives that differ by less count as equal. A p value changes only where the data do hardly
# better than chance.
TOL = 1e-3

# For k = "auto" the energy of so many directions is compared. With planted clusters near the limit
# of what can be found, it showed more in 19 shuffles than the count of clusters, or statistics
# of the directions that were counted.
DIRECTIONS = 3

# Up to so many numbers in X, every thread solves a shuffle of its own.
AT_ONCE = 2**24

# Solves a shuffle from its seed; None stands for the data themselves.
Trial = Callable[[int | None], Weights]

# Of the largest weights in shuffled data, this share is below what counts as beyond chance.
CONFIDENCE = 0.95


def solve(
    X: ArrayLike,
    k: Directions = "auto",
    *,
    y: ArrayLike | None = None,
    method: str = "qalpha",
    n: int = 99,
    random_state: Seed = None,
    callback: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Evidence:
    """Compare what a method finds with what it finds in shuffled data.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, or a data frame. Shuffled data take as much memory again; below 128 MB,
        as much for every thread.
    k : int or "auto"
        Number of directions, about the number of clusters, for "qalpha" and "kernel"; the kernel
        needs a number. For "weighting" with y, number of discriminants, as many as samples by
        default. With "auto" `qalpha` compares three directions: a number that is counted anew in
        noise is large in one shuffle and small in the next, and hides what the data have.
    y : array of shape (n_samples,), optional
        Class labels, for "supervised" and "weighting". The labels are shuffled then, not the
        columns.
    method : {"qalpha", "weighting", "kernel", "supervised"}
        Whose objective is compared. That of the Laplacian is no measure: it holds the shift.
    n : int
        Number of shuffles. The p value is at least ``1 / (n + 1)``: 19 shuffles can reach .05.
    random_state : int, Generator or None
        Seed of the shuffles.
    callback : callable, optional
        Called as ``callback(done, n)`` after every shuffle; true stops, and what was done counts.
    **options
        More options of the solver, the same for the data and for every shuffle, as is the seed of
        its random starts. ``tol`` is .001 unless given.

    Returns
    -------
    Evidence

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import datasets, evidence
    >>> data = datasets.example()
    >>> evidence.solve(data.X, k=3, n=19, random_state=0)
    Evidence(more in common than chance: p = 0.05, objective 3.15 beside ... in 19 shuffles ...)
    >>> noise = np.delete(data.X, data.relevant, axis=1)
    >>> evidence.solve(noise, k=3, n=19, random_state=0).p_value > 0.05
    True
    """
    array, names = _containers.as_matrix(X)
    _check(k, y, method, n, callback, options)
    n = int(n)  # a numpy integer of few bits would overflow
    generator = _validate.as_generator(random_state)
    labels = None if y is None else _containers.as_classes(y, len(array))
    # The same random starts every time, from a stream apart from that of the shuffles.
    own = int(generator.spawn(1)[0].integers(2**32))
    options = {"tol": TOL, "random_state": own} | options
    if method == "qalpha":
        trial, workers = _by_qalpha(array, names, k, options)
    else:
        trial, workers = _by_method(method, array, names, labels, k, options), 1
    found = trial(None)
    null: list[tuple[float, float]] = []
    shuffles = _null(trial, workers, generator.integers(2**63, size=n))
    with warnings.catch_warnings(), closing(shuffles):
        # A shuffle need not converge to be compared, and its columns are constant as before.
        warnings.simplefilter("ignore", UserWarning)
        for one in shuffles:
            null.append(one)
            if callback is not None and callback(len(null), n):
                break
    return _compare(found, null, method, labels is not None)


def _check(
    k: Directions, y: Any, method: str, n: int, callback: object, options: dict[str, Any]
) -> None:
    _validate.check_choice("method", method, COMPARED)
    _validate.check_integer("n", n, 1)
    _validate.check_callback(callback)
    if method == "supervised" and y is None:
        raise ValueError("y: is None; class labels are needed for method = 'supervised'")
    if y is not None and method not in WITH_LABELS:
        raise ValueError(
            f"y: is not used by method = {method!r}; labels are for {' and '.join(WITH_LABELS)}"
        )
    if method == "kernel" and isinstance(k, str):
        raise ValueError(f"k = {k!r}: a whole number is needed for method = 'kernel'")
    takes_k = method in WITH_DIRECTIONS or (method == "weighting" and y is not None)
    if k != "auto" and not takes_k:
        raise ValueError(
            f"k = {_validate.brief(k)}: is not used by method = {method!r}; leave it out"
        )
    unknown = [name for name in options if name not in parameters(method)]
    if unknown:
        raise ValueError(f"{unknown[0]}: is no option of {method}.solve")


def _by_qalpha(
    array: np.ndarray, names: Names, k: Directions, options: dict[str, Any]
) -> tuple[Trial, int]:
    """Return a trial of Q-α, and how many are made at a time, each by one thread.

    The data are checked and measured once, for a shuffle changes no mean and no norm. Shuffles of
    large data are solved one by one, by all threads, for their copies would take much memory.
    """
    settings = {name: option.default for name, option in parameters("qalpha").items()} | options
    number = min(DIRECTIONS, *array.shape) if isinstance(k, str) and k == "auto" else k
    form = {name: settings[name] for name in ("method", "criterion")}
    names_of_loop = ("init", "n_init", "tol", "max_iter", "random_state", "callback")
    loop = (settings[name] for name in names_of_loop)
    run_options = _iterate.Options.for_basis(array.shape, number, *loop)
    scale = settings["scale"]
    data = _data.Dense.of(qalpha.read(array, names, settings["center"], scale=scale, **form))
    serial = array.size <= AT_ONCE
    features = np.ascontiguousarray(data.numbers) if serial else data.numbers

    def trial(seed: int | None) -> Weights:
        shuffled = features if seed is None else _data.shuffled(features, seed)
        with _runtime.serial() if serial else nullcontext():
            return qalpha.weigh(data.reordered(shuffled), run_options, **form)

    return trial, numba.get_num_threads() if serial else 1


def _by_method(
    method: str,
    array: np.ndarray,
    names: Names,
    labels: Integers | None,
    k: Directions,
    options: dict[str, Any],
) -> Trial:
    """Return a trial of another method."""
    solve = import_module(f"specsel.{method}").solve
    options = ({} if k == "auto" else {"k": k}) | options
    options = {name: options[name] for name in options if name in parameters(method)}

    def trial(seed: int | None) -> Weights:
        X: Any = array
        classes = labels
        if seed is None:
            X = X if names is None else _containers.Frame(list(names), X)
        elif labels is not None:
            classes = np.random.default_rng(seed).permutation(labels)
        else:
            X = _data.shuffled(X.T, seed).T
        return solve(X, **({} if classes is None else {"y": classes}), **options)

    return trial


def _null(
    trial: Trial, workers: int, seeds: Integers
) -> Generator[tuple[float, float], None, None]:
    """Yield the objective and the largest height of every shuffle, in the order of the seeds."""

    def one(seed: int) -> tuple[float, float]:
        weights = trial(seed)
        return weights.objective, float(_heights(weights).max())

    if workers == 1:
        yield from map(one, seeds.tolist())
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield from pool.map(one, seeds.tolist())
    finally:
        pool.shutdown(cancel_futures=True)


def _heights(weights: Weights) -> Floats:
    """Compute ``√objective · α``, the part of every feature in the objective."""
    heights: Floats = np.sqrt(max(weights.objective, 0.0)) * weights.alpha
    return heights


def _compare(
    found: Weights, null: list[tuple[float, float]], method: str, by_labels: bool
) -> Evidence:
    objectives, largest = np.array(null).T
    as_good = objectives >= found.objective - TOL * abs(found.objective)
    spread = objectives.std(ddof=1) if len(null) > 1 else 0.0
    # What the largest height exceeds in 5 % of shuffles, the data among them as for the p value.
    rank = math.ceil(CONFIDENCE * (len(null) + 1))
    limit = np.sort(largest)[rank - 1] if rank <= len(null) else math.inf
    return Evidence(
        p_value=(1 + int(as_good.sum())) / (1 + len(null)),
        z=float((found.objective - objectives.mean()) / spread) if spread > 0 else np.nan,
        objective=float(found.objective),
        null=objectives.copy(),
        beyond_chance=np.flatnonzero(_heights(found) > limit),
        method=method,
        shuffled="labels" if by_labels else "columns",
    )


class Detectability(NamedTuple):
    """Whether features that agree can be found among noise, before there are data.

    Attributes
    ----------
    threshold : float
        ``1 + √(n_irrelevant / n_samples)``: so many features at least must agree.
    cosine : float
        Squared cosine of the direction found with the true one, for large data; 0 below the
        threshold.
    weight_bound : float
        What the weights of all irrelevant features sum to at most, on average (Wolf and Shashua
        2005, Lemma 13), if the relevant ones agree completely.
    """

    threshold: float
    cosine: float
    weight_bound: float


def detectability(n_relevant: float, n_irrelevant: int, n_samples: int) -> Detectability:
    """Compute whether relevant features can be found among irrelevant ones.

    Parameters
    ----------
    n_relevant : float
        Features that agree on one direction. For features that agree in part, the largest
        eigenvalue of ``Σ m_i m_iᵀ`` over them, each centred and of unit norm.
    n_irrelevant : int
        Features of pure noise.
    n_samples : int

    Returns
    -------
    Detectability

    Examples
    --------
    >>> from specsel import evidence
    >>> found = evidence.detectability(10, 10_000, 100)
    >>> found.threshold, found.cosine  # ten features do not show among ten thousand
    (11.0, 0.0)
    >>> round(evidence.detectability(30, 10_000, 100).cosine, 2)
    0.88
    """
    _validate.check_positive("n_relevant", n_relevant)
    n_relevant = float(n_relevant)
    n_irrelevant = _validate.check_integer("n_irrelevant", n_irrelevant, 0)
    n_samples = _validate.check_integer("n_samples", n_samples, 1)
    ratio = n_irrelevant / n_samples
    threshold = 1 + np.sqrt(ratio)
    cosine = 1 - ratio / (n_relevant - 1) ** 2 if n_relevant > threshold else 0.0
    energy = n_irrelevant + n_irrelevant * (n_irrelevant - 1) / n_samples
    return Detectability(float(threshold), float(cosine), float(np.sqrt(energy / n_relevant)))
