"""Is there anything to find? A solver's objective beside that of shuffled data.

Noise has an objective too, and weights, and a gap: of many features a few agree by chance.
`solve` shuffles every column by itself, which keeps the features and destroys whatever they have
in common, solves again in the same way, and counts how often chance does as well as the data.

What is tested is that the columns are independent. Any correlation rejects that: a small p value
says "more in common than chance", not "clusters". With labels the columns stay as they are and
the labels alone are shuffled, for correlated columns would look like evidence for labels that mean
nothing.

`detectability` answers the question before any data are there: how many features must show a
direction before it stands out from the noise of the others? With n₁ features that agree on one
direction, among n₂ of noise, over q samples, the direction is found from ``n₁ > 1 + √(n₂/q)`` on
(Baik, Ben Arous and Péché, Ann. Probab. 33, 2005), and its squared cosine with the one that is
found tends to ``1 - (n₂/q) / (n₁ - 1)²``.
"""

import inspect
import math
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from specsel import (
    _data,
    _input,
    kernel,
    qalpha,
    supervised,
    weighting,
)
from specsel._input.annotations import ArrayLike, Directions, Floats, Integers, Seed
from specsel._input.choices import Compared
from specsel.results import Evidence, Weights

__all__ = ["Detectability", "detectability", "solve"]

WITH_LABELS = ("supervised", "weighting")
WITH_DIRECTIONS = ("qalpha", "kernel")

SOLVERS: dict[str, Callable[..., Weights]] = {
    "qalpha": qalpha.solve,
    "weighting": weighting.solve,
    "kernel": kernel.solve,
    "supervised": supervised.solve,
}

# How exact the objectives need to be: two that differ by less count as equal. A p value moves only
# where the data do hardly better than chance.
TOL = 1e-3

# Of the largest weights in shuffled data, this share is below what counts as beyond chance.
CONFIDENCE = 0.95


def solve(
    X: ArrayLike,
    k: Directions = "auto",
    *,
    y: ArrayLike | None = None,
    method: Compared = "qalpha",
    n: int = 99,
    random_state: Seed = None,
    callback: Callable[[int, int], object] | None = None,
    **options: Any,
) -> Evidence:
    """Compare what a method finds with what it finds in shuffled data.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, or a data frame. Shuffled data take as much memory again.
    k : int or "auto"
        Number of directions, about the number of clusters, for "qalpha" and "kernel"; the kernel
        needs a number. With "auto" it is counted anew in every shuffle, and what is compared is
        the energy of all directions at the weights, which does not grow with k.
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
    array, names = _input.as_matrix(X)
    _check(k, y, method, n, callback, options)
    n = int(n)  # of few bits it would overflow
    generator = _input.as_generator(random_state)
    labels = None if y is None else _input.as_classes(y, len(array))
    solver = _Solver(method, k, options, generator)
    weights = solver.run(array if names is None else _input.Frame(list(names), array), labels)
    found = solver.statistics(weights, array)
    null = []
    for done in range(1, n + 1):
        other, classes = _shuffled(array, labels, generator)
        with warnings.catch_warnings():
            # A shuffle need not converge to be compared, and columns stay what they were.
            warnings.simplefilter("ignore", UserWarning)
            null.append(solver.statistics(solver.run(other, classes), other))
        if callback is not None and callback(done, n):
            break
    return _compared(found, null, method, labels is not None)


def _check(
    k: Directions, y: Any, method: str, n: int, callback: object, options: dict[str, Any]
) -> None:
    _input.check_choice("method", method, _input.choices.COMPARED)
    _input.check_integer("n", n, 1)
    _input.check_callback(callback)
    if method == "supervised" and y is None:
        raise ValueError("y: is None; class labels are needed for method = 'supervised'")
    if y is not None and method not in WITH_LABELS:
        raise ValueError(
            f"y: is not used by method = {method!r}; labels are for {' and '.join(WITH_LABELS)}"
        )
    if method == "kernel" and isinstance(k, str):
        raise ValueError(f"k = {k!r}: a whole number is needed for method = 'kernel'")
    if method not in WITH_DIRECTIONS and k != "auto":
        raise ValueError(
            f"k = {_input.brief(k)}: is not used by method = {method!r}; leave it out"
        )
    unknown = [name for name in options if name not in _parameters(method)]
    if unknown:
        raise ValueError(f"{unknown[0]}: is no option of {method}.solve")


def _parameters(method: str) -> set[str]:
    return set(inspect.signature(SOLVERS[method]).parameters)


class _Statistics(NamedTuple):
    """What is compared of a solve."""

    objective: float
    heights: Floats  # √objective · α: what a feature has of the objective, as noise has not


class _Solver:
    """A method with the same options for the data and for every shuffle."""

    def __init__(
        self, method: str, k: Directions, options: dict[str, Any], generator: np.random.Generator
    ) -> None:
        self.solve = SOLVERS[method]
        # The same start every time; the stream of the shuffles is left as it is.
        seed = int(generator.spawn(1)[0].integers(2**32))
        given = {"k": k, "tol": TOL, "random_state": seed} | options
        self.options = {name: given[name] for name in given if name in _parameters(method)}
        self.counted = method == "qalpha" and k == "auto"

    def run(self, X: Any, classes: Integers | None) -> Weights:
        labels = {} if classes is None else {"y": classes}
        return self.solve(X, **labels, **self.options)

    def statistics(self, weights: Weights, array: np.ndarray) -> _Statistics:
        """The objective or, where k is counted, the energy of all directions at the weights."""
        heights = np.sqrt(max(weights.objective, 0.0)) * weights.alpha
        if not self.counted:
            return _Statistics(weights.objective, heights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the solver has named constant columns
            data = _data.read(array, center=self.options.get("center", True))
        affinity = data.adjoint(weights.alpha, None)
        return _Statistics(float(np.vdot(affinity, affinity)), heights)


def _shuffled(
    array: np.ndarray, labels: Integers | None, generator: np.random.Generator
) -> tuple[np.ndarray, Integers | None]:
    """The data with every column in an order of its own; with labels, only these."""
    if labels is not None:
        return array, generator.permutation(labels)
    return generator.permuted(array, axis=0), None


def _compared(
    found: _Statistics, null: list[_Statistics], method: str, by_labels: bool
) -> Evidence:
    objectives = np.array([one.objective for one in null])
    as_good = objectives >= found.objective - TOL * abs(found.objective)
    spread = objectives.std(ddof=1) if len(null) > 1 else 0.0
    return Evidence(
        p_value=(1 + int(as_good.sum())) / (1 + len(null)),
        z=float((found.objective - objectives.mean()) / spread) if spread > 0 else np.nan,
        objective=float(found.objective),
        null=objectives,
        beyond_chance=np.flatnonzero(found.heights > _limit(null)),
        method=method,
        shuffled="labels" if by_labels else "columns",
    )


def _limit(null: list[_Statistics]) -> float:
    """What the largest height exceeds in 5 % of shuffles; infinite where they are too few to say.

    The data count among the shuffles, as for the p value.
    """
    largest = sorted(float(one.heights.max()) for one in null)
    place = math.ceil(CONFIDENCE * (len(largest) + 1))
    return largest[place - 1] if place <= len(largest) else math.inf


class Detectability(NamedTuple):
    """Whether features that agree stand out from noise, before there are data.

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
    """Tell whether relevant features can be found among irrelevant ones.

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
    if not (_input.is_finite(n_relevant) and n_relevant > 0):
        raise ValueError(f"n_relevant = {_input.brief(n_relevant)}: must be a number above 0")
    n_relevant = float(n_relevant)
    n_irrelevant = _input.check_integer("n_irrelevant", n_irrelevant, 0)
    n_samples = _input.check_integer("n_samples", n_samples, 1)
    ratio = n_irrelevant / n_samples
    threshold = 1 + np.sqrt(ratio)
    cosine = 1 - ratio / (n_relevant - 1) ** 2 if n_relevant > threshold else 0.0
    energy = n_irrelevant + n_irrelevant * (n_irrelevant - 1) / n_samples
    return Detectability(float(threshold), float(cosine), float(np.sqrt(energy / n_relevant)))
