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

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from specsel import (
    _data,
    _input,
    kernel,
    qalpha,
    supervised,
    weighting,
)
from specsel._input.annotations import ArrayLike, Directions, Seed
from specsel.results import Evidence, Weights

__all__ = ["Detectability", "detectability", "solve"]

Method = Literal["qalpha", "weighting", "kernel", "supervised"]
METHODS: tuple[str, ...] = get_args(Method)
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
    method: Method = "qalpha",
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
        Number of directions, about the number of clusters, for the methods that take it. With
        "auto" it is counted anew in every shuffle, and what is compared is the energy of all
        directions at the weights, which does not grow with k.
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
        More options of the solver, the same for the data and for every shuffle. ``tol`` is .001
        unless given.

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
    _check(k, y, method, n, callback)
    generator = _input.as_generator(random_state)
    labels = None if y is None else _input.as_classes(y, len(array))
    run = _runner(method, k, {"tol": TOL} | options)
    weights = run(array if names is None else _input.Frame(list(names), array), labels)
    counted = method == "qalpha" and k == "auto"
    found = _Statistics(_objective(weights, array, counted), weights)
    null = []
    for done in range(1, n + 1):
        other, classes = _shuffled(array, labels, generator)
        chance = run(other, classes)
        null.append(_Statistics(_objective(chance, other, counted), chance))
        if callback is not None and callback(done, n):
            break
    return _compared(found, null, method, labels is not None)


class _Statistics:
    """What is compared of a solve: the objective, and how high the weights reach."""

    def __init__(self, objective: float, weights: Weights) -> None:
        self.objective = objective
        # Weights of unit norm are high where few features share them, whatever they share. Their
        # part of the objective is what noise does not reach.
        self.heights = np.sqrt(max(weights.objective, 0.0)) * weights.alpha


def _check(k, y, method, n, callback):
    _input.check_choice("method", method, METHODS)
    _input.check_integer("n", n, 1)
    _input.check_callback(callback)
    if method == "supervised" and y is None:
        raise ValueError("y: is None; class labels are needed for method = 'supervised'")
    if y is not None and method not in WITH_LABELS:
        raise ValueError(
            f"y: is not used by method = {method!r}; labels are for {' and '.join(WITH_LABELS)}"
        )
    if method == "kernel" and isinstance(k, str):
        raise ValueError(f"k = {k!r}: a whole number is needed for method = {method!r}")


def _runner(method, k, options):
    """The solver, with the same options for the data and for every shuffle."""
    if method in WITH_DIRECTIONS:
        options = {"k": k} | options
    if method == "weighting":
        options = {name: value for name, value in options.items() if name != "tol"}
    solver = SOLVERS[method]

    def run(X, classes):
        given = {} if classes is None else {"y": classes}
        with warnings.catch_warnings():
            # A shuffle need not converge to be compared, and constant columns are named once.
            warnings.simplefilter("ignore", UserWarning)
            return solver(X, **given, **options)

    return run


def _shuffled(array, labels, generator):
    """The data with every column in an order of its own; with labels, only these."""
    if labels is not None:
        return array, generator.permutation(labels)
    return generator.permuted(array, axis=0), None


def _objective(weights, array, counted):
    """The objective or, where k is counted, the energy of all directions at the weights."""
    if not counted:
        return weights.objective
    affinity = _data.read(array).adjoint(weights.alpha, None)
    return float(np.vdot(affinity, affinity))


def _compared(found, null, method, by_labels):
    objectives = np.array([one.objective for one in null])
    as_good = objectives >= found.objective - TOL * abs(found.objective)
    spread = objectives.std(ddof=1) if len(null) > 1 else 0.0
    limit = float(np.quantile([one.heights.max() for one in null], CONFIDENCE))
    return Evidence(
        p_value=(1 + int(as_good.sum())) / (1 + len(null)),
        z=float((found.objective - objectives.mean()) / spread) if spread > 0 else np.nan,
        objective=float(found.objective),
        null=objectives,
        beyond_chance=np.flatnonzero(found.heights > limit),
        method=method,
        shuffled="labels" if by_labels else "columns",
    )


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
    _input.check_integer("n_irrelevant", n_irrelevant, 0)
    _input.check_integer("n_samples", n_samples, 1)
    ratio = n_irrelevant / n_samples
    threshold = 1 + np.sqrt(ratio)
    cosine = 1 - ratio / (n_relevant - 1) ** 2 if n_relevant > threshold else 0.0
    energy = n_irrelevant + n_irrelevant * (n_irrelevant - 1) / n_samples
    return Detectability(float(threshold), float(cosine), float(np.sqrt(energy / n_relevant)))
