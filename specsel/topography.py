"""A map of all relevant sets of features (Shashua and Wolf, ECCV 2004, Sec. 4).

Q-α is run in rounds. Each has the features that earlier rounds have weighed as its side
information, ``D = Σ diag(α²)``, and so looks for structure along another dimension. A feature has
two numbers a round: its relevance, the weight; and its position, the direction of its pair of
coordinates in the two leading eigenvectors of that round's ``G``, an angle.

Departures. D sums to one a round over n features, so that a fixed trade-off makes later rounds
repeat the first as n grows: it is 2/n unless given.
"""

from dataclasses import dataclass, replace

import numpy as np

from specsel import alternate, blocks, checks, linalg, results, side_info
from specsel.results import Weights

__all__ = ["solve"]

TRADEOFF_SHARE = 2.0

# The relative error of the second eigenvalue of G at which positions are taken.
POSITION_TOL = 1e-4


def solve(
    X,
    k,
    *,
    rounds=2,
    tradeoff=None,
    init="continuation",
    n_init=15,
    tol=1e-6,
    max_iter=200,
    random_state=None,
    callback=None,
) -> "Map":
    """Find several sets of features that cluster the samples, each in its own way.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame.
    k : int or "auto"
        Number of leading directions that should carry the structure of a round, as in
        `qalpha.solve`; "auto" chooses for every round.
    rounds : int
        How many sets to look for, at most one a feature, or two; for a diverse selection, more
        than there may be.
    tradeoff : float, optional
        λ: the larger, the more rounds may repeat each other. By default 2/n for n features;
        half of that keeps rounds further apart, which suits a selection over many rounds.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Start of every round, as in `qalpha.solve`.
    n_init, tol, max_iter, random_state
        As in `qalpha.solve`.
    callback : callable, optional
        As in `qalpha.solve`, for every round, which a true answer stops; it sees the objective up
        to a constant factor.

    Returns
    -------
    Map

    References
    ----------
    Shashua, A. and Wolf, L. (2004). Kernel feature selection with side data using a spectral
    approach. ECCV 2004, LNCS 3023, 39-53.

    Examples
    --------
    >>> from specsel import datasets, topography
    >>> data = datasets.two_solutions(random_state=1)
    >>> chart = topography.solve(data.X, k=2)
    >>> chart.relevances.shape
    (20, 2)
    """
    array, names = checks.as_matrix(X)
    alternate.check_options(array.shape, k, init, n_init, tol, max_iter, random_state, callback)
    checks.check_integer("rounds", rounds, 1, max(array.shape[1], 2))
    if tradeoff is not None and not (checks.is_finite(tradeoff) and tradeoff > 0):
        raise ValueError(
            f"tradeoff = {checks.brief(tradeoff)}: must be a finite number above 0, or None"
        )
    data = blocks.Dense(array, names)
    small, restrict, lift = data, np.asarray, np.asarray
    if data.n_samples > data.n_features:
        small, restrict, lift = data.reduced()
    options = {
        "tradeoff": TRADEOFF_SHARE / data.n_features if tradeoff is None else tradeoff,
        "method": "power",
        "criterion": "energy",
        "init": init if isinstance(init, str) else restrict(np.asarray(init, dtype=float)),
        "n_init": n_init,
        "tol": tol,
        "max_iter": max_iter,
        "random_state": random_state,
        "callback": callback,
    }
    seen, found, positions = np.zeros(data.n_features), [], []
    for _ in range(rounds):
        before = data.passes
        weights = side_info.weigh(small, seen, k, **options)
        positions.append(_positions(small, weights))
        basis = lift(weights.basis)
        passes = data.passes - before
        found.append(
            replace(weights, basis=basis, mean=data.mean, norm=data.norm, n_passes=passes)
        )
        seen += weights.alpha**2
    return Map(tuple(found), np.column_stack(positions), data.passes)


def _positions(data, weights):
    """Angle of every feature's pair in the two leading eigenvectors of G, from -π/2 to π/2."""
    basis = np.ascontiguousarray(weights.basis)
    second = linalg.leading(
        lambda dual: data.fused(dual, basis)[1],
        data.adjoint(weights.alpha, basis),
        tol=POSITION_TOL,
        floor=data.floor,
        place=2,
    )
    one = data.forward(second.before[0] if second.before else second.dual, basis)
    two = data.forward(second.dual, basis) if second.before else np.zeros_like(one)
    one *= alternate.orientation(one)
    two *= np.sign(two[np.argmax(np.abs(two))]) or 1.0
    return np.arctan2(np.where(one < 0, -two, two), np.abs(one))


@dataclass(frozen=True, eq=False, repr=False)
class Map:
    """Features by round: how relevant, and where.

    Attributes
    ----------
    weights : tuple of Weights
        What every round found.
    positions : ndarray of shape (n_features, n_rounds)
        Angles from -π/2 to π/2; features near each other are alike in that round.
    n_passes : int
        Reads of X in all rounds.
    relevances : ndarray of shape (n_features, n_rounds)
    combined : Weights
        The weights of all rounds together, to select and reweight by.
    """

    weights: tuple
    positions: np.ndarray
    n_passes: int

    def __post_init__(self):
        self.positions.flags.writeable = False

    def __repr__(self):
        count = len(self.weights)
        sizes = ", ".join(str(len(weights.select())) for weights in self.weights)
        return (
            f"Map({len(self.positions)} features, {count} round{'s' * (count > 1)}, "
            f"{sizes} above the gap)"
        )

    def _repr_html_(self):
        from specsel import html

        return html.of_map(self)

    @property
    def relevances(self) -> np.ndarray:
        """Weights of the features, a column a round."""
        return np.column_stack([weights.alpha for weights in self.weights])

    @property
    def combined(self) -> Weights:
        """The weights of all rounds, ``√(Σ α²)`` of unit norm, to select and reweight by.

        Objective, basis and eigenvalues are those of the first round.
        """
        return replace(
            self.weights[0],
            alpha=np.sqrt((self.relevances**2).mean(axis=1)),
            n_iter=sum(weights.n_iter for weights in self.weights),
            n_passes=self.n_passes,
            converged=all(weights.converged for weights in self.weights),
        )

    def select(self, n=None, *, threshold=None, diverse=None) -> np.ndarray:
        """Indices of the features selected over all rounds, best first.

        Parameters
        ----------
        n : int, optional
            How many; without it those above the gap.
        threshold : float, optional
            Take the weights of all rounds, ``√(Σ α²)`` of unit norm, that are at least this large.
        diverse : array of samples x features, optional
            The data: take the n features that best span the weighted rest.

        Examples
        --------
        >>> from specsel import datasets, topography
        >>> data = datasets.two_solutions(random_state=1)
        >>> chart = topography.solve(data.X, k=2, rounds=3)
        >>> len(chart.select(6, diverse=data.X))
        6
        """
        return self.combined.select(n, threshold=threshold, diverse=diverse)

    def to_frame(self):
        """Table of the features: relevance and position in every round."""
        names = self.weights[0].names or range(len(self.positions))
        columns = {"feature": list(names)}
        for i, weights in enumerate(self.weights):
            columns[f"relevance_{i + 1}"] = weights.alpha
            columns[f"position_{i + 1}"] = self.positions[:, i]
        return results.frame(columns)
