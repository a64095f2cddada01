"""What shows whether weights are right: entries of G, and the relevance of any subset."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np
from numba import prange

from specsel import _containers, _data, _runtime, _validate, linalg
from specsel._runtime import jit
from specsel._validate import ArrayLike, Floats, Integers

# Where eigenvalues are found by passes: until the relevance rises by no more than this share in a
# round, or for so many rounds; beside those wanted so many are followed, which speeds it up.
RELEVANCE_TOL = 1e-10
MOST_ROUNDS = 100
MORE = 8


def gram(X: ArrayLike, basis: ArrayLike, *, center: bool = True) -> Floats:
    """Compute the matrix G of the features at a basis, for small problems and as a diagnostic.

    The weights are the leading eigenvector of G. `solve` finds them without forming G, whose size
    is n_features x n_features.

    Parameters
    ----------
    X
        As in `solve`.
    basis : array of shape (n_samples, k)
        Orthonormal directions of the samples, such as the `basis` of a result.
    center
        As in `solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import datasets, qalpha
    >>> X = datasets.growing_classes(3, random_state=1).X
    >>> weights = qalpha.solve(X, k=3, tol=1e-10)
    >>> G = qalpha.gram(X, weights.basis)
    >>> bool(np.allclose(weights.alpha @ G @ weights.alpha, weights.objective))
    True
    """
    data = _data.read(X, center=center)
    directions = np.ascontiguousarray(basis, dtype=np.float64)
    if directions.ndim != 2 or directions.shape[0] != data.n_samples:
        raise ValueError(
            f"basis: has shape {directions.shape}; ({data.n_samples}, k) is needed, a row a sample"
        )
    features = np.ascontiguousarray(data.rows(0, data.n_samples).T)
    out = np.empty((data.n_features, data.n_features))
    _gram(features, features @ directions, out)
    return out


@jit(parallel=True)
def _gram(features, scores, out):
    """``out[i, j] = (m_iᵀ m_j) (y_iᵀ y_j)``, where row i of scores is ``y_i``. G is symmetric."""
    n, q = features.shape
    for i in prange(n):
        for j in range(i + 1):
            inner = 0.0
            for s in range(q):
                inner += features[i, s] * features[j, s]
            shared = 0.0
            for c in range(scores.shape[1]):
                shared += scores[i, c] * scores[j, c]
            out[i, j] = out[j, i] = inner * shared


def relevance(X: ArrayLike, subset: Iterable[int | str], k: int, *, center: bool = True) -> float:
    """Score any subset of the features, whatever method it comes from: ``rel(S)`` of Sec. 2.

    It is ``λ₁² + … + λ_k²``, λ being the largest eigenvalues of ``Σ m_i m_iᵀ`` over the subset. It
    grows with every feature: compare selections of the same size.

    Only the columns of the subset are read. Dense ones are copied, sparse ones stay sparse.

    Parameters
    ----------
    X
        As in `solve`.
    subset : list of int or str
        Features, by number or by column name.
    k, center
        As in `solve`; k is a number.

    Examples
    --------
    >>> from specsel import datasets, qalpha
    >>> X = datasets.growing_classes(3, random_state=1).X  # the first five features are relevant
    >>> qalpha.relevance(X, range(5), k=3) > qalpha.relevance(X, range(5, 10), k=3)
    True
    """
    array, names = _containers.as_data(X)
    chosen = _validate.as_features("subset", subset, array.shape[1], names)
    if len(chosen) == 0:
        raise ValueError("subset: holds no feature; at least one is needed")
    _validate.check_integer("k", k, 1, array.shape[0], "the number of samples")
    _validate.check_flag("center", center)
    data = _data.represent(
        _columns(array, chosen), representation="centered" if center else "as-is"
    )
    return _energy(data, k)


def _columns(array: Any, chosen: Integers) -> Any:
    """Some columns of X; what they take is checked, unless they stay where they are."""
    q, count = int(array.shape[0]), len(chosen)
    size = float(array.dtype.itemsize * q * count)
    if hasattr(array, "tocsr"):  # a number has an index, too
        size = min(2.0 * array.dtype.itemsize * array.nnz, 2 * size)
    if not _containers.is_dask(array):
        what = f"subset: {count} features of {q} samples"
        _runtime.check_budget(what, size, "take fewer features or fewer samples")
    return _containers.take_features(array, chosen)


def _energy(data: _data.Data, k: int) -> float:
    """The squares of the k largest eigenvalues of the affinity with equal weights, summed."""
    if data.is_tall() and data.n_features <= linalg.DENSE_LIMIT:
        _check_room(data.n_features, data.n_features)
        data = data.reduced()[0]
    size, equal = data.n_samples, np.ones(data.n_features)
    width = min(k + MORE, size)
    _check_room(size, min(size, 2 * linalg.SUBSPACE_PASSES * width))
    before, basis = -np.inf, None
    for _ in range(MOST_ROUNDS):
        values, basis = linalg.leading_pairs(partial(data.adjoint, equal), size, width, basis)
        energy = float(values[:k] @ values[:k])
        if size <= linalg.DENSE_LIMIT or energy - before <= RELEVANCE_TOL * energy:
            break
        before = energy
    return energy


def _check_room(size: int, width: int) -> None:
    """Refuse matrices that the eigenvalues need and that would not fit: a few are held at once."""
    _runtime.check_budget(
        f"X: matrices of {size} x {width}", 3 * 8 * size * width, "take fewer features or samples"
    )
