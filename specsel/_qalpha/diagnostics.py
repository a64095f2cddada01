"""What shows whether weights are right: entries of G, and the relevance of any subset."""

from collections.abc import Iterable

import numpy as np
from numba import prange

from specsel import _data, _input
from specsel._input.annotations import ArrayLike, Floats
from specsel.linalg import jit


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
    array, names = _input.as_data(X)
    chosen = _input.as_features("subset", subset, array.shape[1], names)
    if len(chosen) == 0:
        raise ValueError("subset: holds no feature; at least one is needed")
    _input.check_integer("k", k, 1, array.shape[0], "the number of samples")
    _input.check_flag("center", center)
    data = _data.read(array[:, chosen], center=center)
    lengths = np.linalg.svd(data.rows(0, data.n_samples), compute_uv=False)
    return float((lengths[:k] ** 4).sum())
