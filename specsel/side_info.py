"""Q-α with side information (Shashua and Wolf, ECCV 2004, Def. 3).

Side data are other samples of the same features, and their variation is not wanted. With G as in
`qalpha`, let D be diagonal, ``D_i`` the variance of feature i in the side data, and λ a trade-off.
The weights maximise ``αᵀ G α / αᵀ (D + λ I) α`` over α and Q. Given Q, α is the leading
eigenvector of ``(D + λI)⁻¹ G``; given α, Q follows as in `qalpha`.

Departures from the paper:

- With ``β = (D + λI)^½ α``, this is Q-α of the features ``(D_i + λ)^(-¼) m_i``. It is solved as
  such, and α is scaled to unit norm in the end.
- ``D_i`` is the variance in the side data over the variance in X, so that the scale of a feature
  does not matter.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from specsel import _containers, _data, _iterate, _validate, qalpha
from specsel._validate import ArrayLike, Directions, Floats, Init, LoopCallback, Names, Seed
from specsel.results import Weights
from specsel.results.weights import check

__all__ = ["solve"]

# A ratio of variances as large as this leaves no digit of anything else.
BEYOND = 1e100


def solve(
    X: ArrayLike,
    side: ArrayLike | list[ArrayLike],
    k: Directions,
    *,
    tradeoff: float = 0.1,
    method: _validate.BasisStep = "ascent",
    criterion: _validate.Criterion = "energy",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    center: bool = True,
    scale: _validate.Scale = "unit",
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: Seed = None,
    callback: LoopCallback = None,
) -> Weights:
    """Weigh features by how well they cluster the samples and how little they vary in side data.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask.
    side : array of shape (n_side_samples, n_features), list of such arrays, or (n_features,)
        Side data. Several sets of side data add up. An array of one number per feature is taken
        as D itself.
    k : int or "auto"
        Number of leading directions that should carry the structure, about the number of
        clusters; as in `qalpha.solve`.
    tradeoff : float
        λ, which is added to the variance ratios D. The larger it is, the less the side data count.
        With 0, every feature must vary in the side data.
    method : {"ascent", "power", "ritz", "basic"}
        How weights and basis are found, as in `qalpha.solve`.
    criterion : {"energy", "gap"}
        Maximise the energy of the k directions, or that energy less the energy of all others.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Where to start, as in `qalpha.solve`.
    n_init, center, scale, tol, max_iter, random_state
        As in `qalpha.solve`. Def. 3 of the paper asks for features of unit norm alone, which is
        ``center=False``; the side data are centred either way, since D holds variances.
    callback : callable, optional
        As in `qalpha.solve`, but the objective it sees lacks a constant factor.

    Returns
    -------
    Weights
        Its `objective` is the ratio that was maximised.

    Examples
    --------
    The samples are grouped in two ways, by features 0-2 and by features 3-5. The second grouping
    also shows in the side data, so it is not wanted:

    >>> import numpy as np
    >>> from specsel import qalpha, side_info
    >>> rng = np.random.default_rng(0)
    >>> X, side = rng.standard_normal((60, 20)), rng.standard_normal((30, 20))
    >>> X[:, :3] += 4 * rng.integers(0, 2, (60, 1))
    >>> X[:, 3:6] += 8 * rng.integers(0, 2, (60, 1))
    >>> side[:, 3:6] += 8 * rng.integers(0, 2, (30, 1))
    >>> sorted(qalpha.solve(X, k=1).select(3).tolist())
    [3, 4, 5]
    >>> sorted(side_info.solve(X, side, k=1).select(3).tolist())
    [0, 1, 2]
    """
    array, names = _containers.as_data(X)
    options = _iterate.Options.for_basis(
        array.shape, k, init, n_init, tol, max_iter, random_state, callback
    )
    _validate.check_number("tradeoff", tradeoff, 0)
    sides = _as_sides(side, array.shape[1], names)
    data = qalpha.read(array, names, center, method=method, criterion=criterion, scale=scale)
    if not center:
        options = options.counted(lambda: qalpha.count_centered(data))
    unwanted = sides if isinstance(sides, np.ndarray) else _variance_ratios(data, sides)
    return weigh(data, unwanted, options, tradeoff=tradeoff, method=method, criterion=criterion)


def weigh(
    data: _data.Data,
    unwanted: Floats,
    options: _iterate.Options,
    *,
    tradeoff: float,
    method: _validate.BasisStep = "ascent",
    criterion: _validate.Criterion = "energy",
) -> Weights:
    """Weigh the features of data that have been read; `unwanted` is the diagonal D."""
    penalty = unwanted + tradeoff
    penalty[data.norm == 0] = np.inf
    least = float(penalty.min())
    if least < 1 / BEYOND:
        raise ValueError(
            f"tradeoff = {tradeoff}: feature {np.argmin(penalty)} does not vary in the side data; "
            f"must be at least {1 / BEYOND:g} then"
        )
    penalty[data.norm == 0] = least
    scale = np.sqrt(np.divide(least, penalty, out=penalty), out=penalty)
    np.maximum(scale, 1 / BEYOND, out=scale)  # the norms divide by its root
    rescaled = data.rescaled(np.sqrt(scale))
    found = qalpha.weigh(rescaled, options, method=method, criterion=criterion)
    scale *= found.alpha
    size = np.linalg.norm(scale)
    weights = replace(
        found,
        alpha=scale / size,
        objective=found.objective / least,
        history=found.history / least,
        eigenvalues=found.eigenvalues / size,
    )
    return check(weights, data.floor)


def _as_sides(side: Any, n_features: int, names: Names) -> Floats | list[tuple[Any, Names]]:
    """Read side data: a list of matrices with their column names, or D as one array."""
    several = isinstance(side, list | tuple) and any(
        _containers.dimensions(part, "side") == 2 for part in side
    )
    if not several and _containers.dimensions(side, "side") == 1:
        labelled = hasattr(side, "to_numpy") and hasattr(side, "index")
        if names and labelled and {*map(str, side.index)} == {*names}:
            side = [side[name] for name in names]
        return _as_diagonal(side, n_features)
    matrices = []
    for part in side if several else [side]:
        matrix, part_names = _containers.as_data(part, name="side")
        if matrix.shape[1] != n_features:
            raise ValueError(f"side: has {matrix.shape[1]} features; X has {n_features}")
        if part_names and names and part_names != names:
            raise ValueError("side: has other column names than X, or in another order")
        matrices.append((matrix, part_names))
    return matrices


def _as_diagonal(side: ArrayLike, n_features: int) -> Floats:
    diagonal = np.asarray(side)
    if diagonal.shape != (n_features,) or diagonal.dtype.kind not in "biuf":
        raise ValueError(
            f"side: has shape {diagonal.shape} and dtype {diagonal.dtype}; side samples x "
            f"{n_features} features, or a number a feature, are needed"
        )
    if not (np.isfinite(diagonal).all() and (diagonal >= 0).all()):
        raise ValueError("side: holds a negative or infinite number or NaN; variances are needed")
    return diagonal.astype(float)


def _variance_ratios(data: _data.Data, sides: list[tuple[Any, Names]]) -> Floats:
    """Compute ``D_i``: the variance in side data over that in X, summed over all side data."""
    total = np.zeros(data.n_features)
    for matrix, names in sides:
        norm = _data.moments(matrix, names, name="side")[1]
        shares = np.divide(norm, data.norm, out=np.zeros_like(norm), where=data.norm > 0)
        total += np.minimum(shares, BEYOND) ** 2 * (data.n_samples / matrix.shape[0])
    if total.max() >= BEYOND:
        raise ValueError(
            f"side: feature {np.argmax(total)} varies more than 1e50 times as much as in X; "
            "drop or rescale it"
        )
    return total
