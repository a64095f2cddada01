"""A map of all relevant sets of features (Shashua and Wolf, ECCV 2004, Sec. 4).

Q-α runs in rounds. Every round takes the features that earlier rounds found as its side
information, ``D = Σ diag(α²)`` in the terms of `side_info`, and so looks for structure of another
kind. Every feature gets two numbers in a round: its relevance, which is its weight; and its
position, an angle. Take the two leading eigenvectors of that round's G (see `qalpha`). A feature
has one coordinate in each, and its position is the direction of this pair of coordinates.

Departure from the paper: the default trade-off is 2/n for n features. D sums to one over the
features of a round, so with a fixed trade-off later rounds repeat the first as n grows.
"""

from dataclasses import replace

import numpy as np

from specsel import _containers, _data, _iterate, _validate, linalg, qalpha, side_info
from specsel._validate import ArrayLike, Criterion, Directions, Floats, Init, LoopCallback, Seed
from specsel.results import Map, Weights

__all__ = ["solve"]

# The default trade-off times the number of features.
TRADEOFF_TOTAL = 2.0

# Coordinates are taken from a second eigenvalue of G with this relative error.
POSITION_TOL = 1e-4

# How much of a start is not the leading eigenvector, so that the second is found.
SECOND_SHARE = 0.1


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    rounds: int = 2,
    tradeoff: float | None = None,
    criterion: Criterion = "energy",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    center: bool = True,
    scale: _validate.Scale = "unit",
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: Seed = None,
    callback: LoopCallback = None,
) -> Map:
    """Find several sets of features that cluster the samples, each in its own way.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask.
    k : int or "auto"
        Number of leading directions that should carry the structure in every round, about the
        number of clusters; as in `qalpha.solve`. "auto" chooses anew in every round.
    rounds : int
        How many sets to look for, at most as many as features (or two, if there is one feature).
        For a diverse selection, take more rounds than you expect sets.
    tradeoff : float, optional
        λ. The larger it is, the more one round may repeat another. The default is 2/n for n
        features; half of that keeps rounds further apart, which suits a selection over many
        rounds.
    criterion : {"energy", "gap"}
        What every round maximises, as in `qalpha.solve`.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Where every round starts, as in `qalpha.solve`.
    n_init, center, scale, tol, max_iter, random_state
        As in `qalpha.solve`.
    callback : callable, optional
        As in `qalpha.solve`, called in every round; a true value ends that round. The objective
        it sees lacks a constant factor.

    Returns
    -------
    Map
        See `specsel.results.Map`.

    Examples
    --------
    >>> from specsel import datasets, topography
    >>> data = datasets.two_solutions(random_state=1)
    >>> chart = topography.solve(data.X, k=2)
    >>> chart.relevances.shape
    (20, 2)
    """
    array, names = _containers.as_data(X)
    options = _iterate.Options.for_basis(
        array.shape, k, init, n_init, tol, max_iter, random_state, callback
    )
    _validate.check_integer("rounds", rounds, 1, max(array.shape[1], 2))
    if tradeoff is not None:
        _validate.check_positive("tradeoff", tradeoff)
    _validate.check_choice("criterion", criterion, _validate.Criterion)
    data = qalpha.read(array, names, center, criterion=criterion, scale=scale)
    if not center:
        options = options.counted(lambda: qalpha.count_centered(data))
    if tradeoff is None:
        tradeoff = TRADEOFF_TOTAL / data.n_features
    small, lift = data, None
    if data.is_tall():
        small, restrict, lift = data.reduced()
        options = options.restricted(restrict)
    seen, found, coordinates = np.zeros(data.n_features), [], []
    for _ in range(rounds):
        before = data.passes
        weights = side_info.weigh(small, seen, options, tradeoff=tradeoff, criterion=criterion)
        coordinates.append(_coordinates(small, weights))
        basis = weights.basis if lift is None else lift(weights.basis)
        passes = data.passes - before
        found.append(
            replace(weights, basis=basis, mean=data.mean, norm=data.divisors, n_passes=passes)
        )
        seen += weights.alpha**2
    return Map(tuple(found), np.stack(coordinates, axis=1), data.passes)


def _coordinates(data: _data.Data, weights: Weights) -> Floats:
    """Compute the entries of every feature in the two leading eigenvectors of a round's G."""
    basis = np.ascontiguousarray(weights.basis)
    leading = data.adjoint(weights.alpha, basis)
    # Weights that lead exactly give a Krylov space of one dimension, without the second.
    other = linalg.generic(basis.shape)
    other *= SECOND_SHARE * np.linalg.norm(leading) / np.linalg.norm(other)
    second = linalg.leading_pair(
        lambda dual: data.fused(dual, basis)[1],
        leading + other,
        tol=POSITION_TOL,
        floor=data.floor,
        index=2,
    )
    one = data.forward(second.before[0] if second.before else second.dual, basis)
    two = data.forward(second.dual, basis) if second.before else np.zeros_like(one)
    one *= _iterate.orientation(one)
    two *= np.sign(two[np.argmax(np.abs(two))]) or 1.0
    return np.column_stack((one, two))
