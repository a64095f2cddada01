"""Features whose affinity is aligned with a target: relevant, and no copies of each other.

With ``m_i`` the centred features and ``A_S = Σ_{i∈S} m_i m_iᵀ`` the affinity of the samples in the
features S, greedy selection maximises the alignment of this affinity with a target T::

    ⟨A_S, T⟩ / |A_S| = Σ_{i∈S} t_i / √(Σ_{i,j∈S} H_ij),  t_i = m_iᵀ T m_i,  H_ij = (m_iᵀ m_j)²

The sum over the t_i rewards features that are relevant to T. The root punishes redundancy, for
H_ij is large where two features say the same. H is the matrix of the second algorithm of Wolf and
Bileschi, see `weighting`, where it is a reward.

The measure is that of Cristianini, Shawe-Taylor, Elisseeff and Kandola (NIPS 14, 2002), who align
a kernel with classes. What is selected here are features, one after another.

The target says what the features shall stand for: the neighbourhoods of the samples, their
classes, the directions that other weights found, or a matrix of the user. With classes and with
neighbours the level of irrelevant features is subtracted from every t_i, as if T had lost a
multiple of the identity. With classes this is the mean for noise. With neighbours it is the median
of all features: where most features are noise that is the level of noise, and where most are
relevant, features that are less so than usual should not be taken merely because they differ from
the others. Weights and matrices of the user are taken as they are.

Selection is lazy. ``h_i = Σ_{j∈S} H_ij`` never falls, so an old h_i bounds the score of feature i
from above as long as the sum over the t_i is not negative. Only the features whose bound reaches
the best score known are brought up to date. When these become many, one pass over the data brings
all up to date. The outcome is that of plain greedy selection. Where the sum is negative, the
largest t_i wins: dividing by a larger root would make copies look better.

`_data.pivoted` also takes one feature at a time and lowers the worth of the others, but the two do
not share their loop. Its residuals are differences, which lose digits, so that it computes every
candidate anew and orthogonalises every direction; here sums only grow, which is what makes the
bounds valid.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from specsel import _alignment, _containers, _data, _validate
from specsel._validate import SCALES, ArrayLike, Bools, Floats, Integers, Scale
from specsel.results import Aligned

__all__ = ["graph", "solve"]

# Without n so many features are looked at.
LOOKED_AT = 1000

# With classes this share of the features competes, at least so many times those wanted, and at
# least so many.
COMPETING_SHARE = 0.05
COMPETING_TIMES = 5
LEAST_COMPETING = 100

# The least norm of a feature, as a share of the largest, whose square is a number.
LEAST_SHARE = 1e-150


def solve(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    n: int | None = None,
    target: Any = None,
    neighbours: int = 5,
    components: int = 20,
    scale: Scale = "unit",
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
) -> Aligned:
    """Select features that stand for the data, or for classes, without saying the same twice.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask. Standardise it first if its columns are in
        different units: the graph of the neighbours is that of X as it is given.
    y : array of shape (n_samples,), optional
        Class labels. With them the target is "classes".
    n : int, optional
        How many features. Choices are nested: with more, those of fewer come first, as long as
        the same features compete. By default as many as have the highest score, of at most 1,000.
    target : {"neighbours", "classes"}, Weights, array, sparse matrix or operator, optional
        What the affinity of the features is aligned with. "neighbours", the default without y:
        the graph of the nearest neighbours, see `graph`. "classes", the default with y: the
        classes; only the 5 % of the features compete that differ most between the classes, at
        least five times n and at least 100. `Weights`: the directions that a solver found in the
        same samples. Otherwise a symmetric matrix of samples x samples, or anything with
        ``target @ M``.
    neighbours, components : int
        Of the graph: neighbours of every sample, at most half of the others, and principal
        components in which distances are taken.
    scale : {"unit", "native"}
        Features of unit norm, for use after standardising; or in their own units, for use as
        they are.
    always, never : list of int or str
        Features taken first, and features not taken, by number or by column name.

    Returns
    -------
    Aligned

    Examples
    --------
    Ten copies of a feature that tells two groups apart, another such feature, and noise:

    >>> import numpy as np
    >>> from specsel import alignment
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 40))
    >>> X[:30, 0] += 8
    >>> X[15:45, 20] += 8
    >>> X[:, 1:11] = X[:, :1]
    >>> sorted(alignment.solve(X, n=2).ranking.tolist())
    [0, 20]
    """
    array, names = _containers.as_data(X)
    n_samples, n_features = array.shape
    _validate.check_choice("scale", scale, SCALES)
    first, left_out = _validate.check_sets(always, never, n_features, names)
    count = n_features - len(left_out)
    if n is not None:
        n = _validate.check_integer("n", n, max(len(first), 1), count, "the features allowed")
    kind, matrix = _alignment.check_target(target, y, n_samples)
    if kind == "neighbours":
        _alignment.check_graph(n_samples, neighbours, components)
    data = _data.represent(array, names)
    native, square = _in_own_units(data)
    if kind == "neighbours":
        _alignment.warn_of_units(square, names)
        matrix = _alignment.nearest_neighbours(native, neighbours, components)
    if scale == "unit":
        native, square = data, np.where(data.norm > 0, 1.0, 0.0)
    relevance = _alignment.relevance_to(native, kind, matrix, square)
    allowed = np.ones(n_features, dtype=bool)
    allowed[left_out] = False
    if kind == "classes":
        allowed &= _competing(np.where(allowed, relevance, -np.inf), first, n)
    search = _alignment.Search(native, relevance, square, allowed)
    ranking, scores = search.run(min(int(allowed.sum()), n or max(LOOKED_AT, len(first))), first)
    size = n or max(int(np.argmax(scores)) + 1, len(first))
    return Aligned(
        ranking=ranking,
        scores=scores,
        support=np.sort(ranking[:size]),
        target=kind,
        relevance=relevance,
        n_passes=data.passes - (-search.columns_read // n_features),
        names=names,
    )


def graph(X: ArrayLike, neighbours: int = 5, components: int = 20) -> Any:
    """Graph of nearest neighbours that `solve` takes as its target: ``D^(-½) W D^(-½)``, sparse.

    ``W_st`` is 1 where s is among the nearest neighbours of t, or t among those of s; D holds the
    degrees. Of samples that are equally near, those count that come next by number. Distances are
    taken in leading principal components, which leave out what most features have of noise.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    neighbours : int
        Neighbours of every sample; at most half of the others are taken.
    components : int
        Principal components, of X as it is given.

    Returns
    -------
    scipy.sparse.csr_array of shape (n_samples, n_samples)

    Examples
    --------
    >>> from specsel import alignment
    >>> alignment.graph([[0.0], [1.0], [4.0], [7.0], [8.0]], neighbours=1).nnz
    6
    """
    array, names = _containers.as_data(X)
    _alignment.check_graph(array.shape[0], neighbours, components)
    native, square = _in_own_units(_data.represent(array, names))
    _alignment.warn_of_units(square, names)
    return _alignment.nearest_neighbours(native, neighbours, components)


def _in_own_units(data: _data.Data) -> tuple[_data.Data, Floats]:
    """The data, all features scaled alike, and the square of the norm of every feature then."""
    shares = data.norm / data.norm.max()
    return data.rescaled(np.maximum(shares, LEAST_SHARE)), shares**2


def _competing(relevance: Floats, always: Integers, n: int | None) -> Bools:
    """Features that differ most between the classes, and those to be taken anyway."""
    count = max(int(COMPETING_SHARE * len(relevance)), COMPETING_TIMES * (n or 0), LEAST_COMPETING)
    competing = np.zeros(len(relevance), dtype=bool)
    competing[np.argsort(-relevance, kind="stable")[:count]] = True
    competing[always] = True
    return competing
