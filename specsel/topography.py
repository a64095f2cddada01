"""A map of all relevant sets of features (Shashua and Wolf, ECCV 2004, Sec. 4).

Q-α is run in rounds. Each has the features that earlier rounds have weighed as its side
information, ``D = Σ diag(α²)``, and so looks for structure along another dimension. A feature has
two numbers a round: its relevance, the weight; and its position, the direction of its pair of
coordinates in the two leading eigenvectors of that round's ``G``, an angle.

Departures. D sums to one a round over n features, so that a fixed trade-off makes later rounds
repeat the first as n grows: it is 2/n unless given.
"""

from dataclasses import replace

import numpy as np

from specsel import _data, _input, _loop, linalg, side_info
from specsel.results import Map

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
) -> Map:
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
    array, names = _input.as_matrix(X)
    _loop.check_options(array.shape, k, init, n_init, tol, max_iter, random_state, callback)
    _input.check_integer("rounds", rounds, 1, max(array.shape[1], 2))
    if tradeoff is not None and not (_input.is_finite(tradeoff) and tradeoff > 0):
        raise ValueError(
            f"tradeoff = {_input.brief(tradeoff)}: must be a finite number above 0, or None"
        )
    data = _data.represent(array, names)
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
    one *= _loop.orientation(one)
    two *= np.sign(two[np.argmax(np.abs(two))]) or 1.0
    return np.arctan2(np.where(one < 0, -two, two), np.abs(one))
