"""Q-α: weights that make the samples cluster (Wolf and Shashua, JMLR 6, 2005, Defs. 1, 2 and 4).

With features ``m_i``, centred and of unit norm, ``A_α = Σ α_i m_i m_iᵀ`` and an orthonormal
``Q`` of k columns, maximise ``trace(Qᵀ A_α A_α Q) = αᵀ G α`` over unit α and Q, where
``G_ij = (m_iᵀ m_j) m_iᵀ Q Qᵀ m_j``. Given Q, α is the leading eigenvector of G. Given α:

- basic: Q spans the k leading eigenvectors of ``A_α``, by modulus;
- power (Def. 2): ``Q <- qr(A_α Q)``, one step of orthogonal iteration;
- ritz (Def. 4): as power, and α is computed once more from the new Q before the Ritz vectors of
  ``A_α`` inside it replace it.

The gap criterion (end of Sec. 2.1) takes what lies outside Q off: ``αᵀ(2 G - H) α`` with
``H = (M Mᵀ)∘²``.

Departures. G is never formed: row i of Φ being ``vec(m_i (Qᵀ m_i)ᵀ)``, ``G = Φ Φᵀ`` and Lanczos
runs on the small ``Φᵀ Φ``, one pass over the data a step, linear in the number of features where
the paper expects the square. Def. 4 prints ``G`` in step 4 without the factor ``m_iᵀ m_j``; it is
meant as in Def. 2. As G depends on the span of Q alone, the α of step 5 is the α with which the
next iteration begins: ritz is power, but for the last iteration. The start is not random, for a
random one ends on trivial maxima (see `alternate`).
"""

import numpy as np
from numba import prange

from specsel import alternate, blocks, checks
from specsel.linalg import jit
from specsel.results import Weights

__all__ = ["gram", "solve"]


def solve(
    X,
    k,
    *,
    method="power",
    criterion="energy",
    init="continuation",
    n_init=15,
    center=True,
    tol=1e-6,
    max_iter=200,
    random_state=None,
    callback=None,
) -> Weights:
    """Weigh features by how well they make the samples cluster.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame. Never copied where it is float32 or
        float64.
    k : int or "auto"
        Number of leading directions that should carry the structure; about the number of
        clusters. At most min(n_samples, n_features). "auto" takes it from the spectral gap: the
        largest ratio of an eigenvalue to the next, after a few iterations with ten directions,
        says how many clusters stand out, from 2 to 10; too few of them where noise hides some,
        where they differ much in how far they are apart, or show in few features, and now and
        then too many where these are less than ten.
    method : {"power", "ritz", "basic"}
        How the basis follows from the weights. Basic takes the eigenvectors of the affinity,
        exact up to 2,000 samples.
    criterion : {"energy", "gap"}
        Maximise the energy of k directions, or that energy less the energy of all others.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Start: a wide basis narrowed to k, deterministic; the k leading directions of equal
        weights, deterministic; the neighbours of each of the `n_init`
        features of largest parameter-free weight, slower and often a little better; `n_init`
        random bases; or an orthonormal basis to be used as given.
    n_init : int
        Number of starts for "seeded" and "random", the best of which is returned.
    center : bool
        Subtract the mean of every feature.
    tol : float
        Relative change of the objective between two iterations at which the loop ends. With 0
        every iteration is as exact as rounding allows, and the loop goes on until nothing changes
        any more or `max_iter` ends it.
    max_iter : int
        Most iterations; fewer than the tolerance needs give a warning.
    random_state : int, Generator or None
        Seed of the random starts; nothing else is random.
    callback : callable, optional
        Called with (iteration, objective); a true answer stops the loop.

    Returns
    -------
    Weights
        See `specsel.results.Weights`.

    References
    ----------
    Wolf, L. and Shashua, A. (2005). Feature selection for unsupervised and supervised inference:
    the emergence of sparsity in a weight-based approach. JMLR 6, 1855-1887.

    Examples
    --------
    >>> from specsel import datasets, qalpha
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> weights = qalpha.solve(data.X, k=3)
    >>> sorted(weights.select().tolist())
    [0, 1, 2, 3, 4]
    >>> weights.converged
    True
    """
    array, names = checks.as_matrix(X)
    alternate.check_options(array.shape, k, init, n_init, tol, max_iter, random_state, callback)
    alternate.check_form(method, criterion)
    checks.check_flag("center", center)
    data = blocks.Dense(array, names, representation="centered" if center else "as-is")
    if k == "auto" and not center:
        k = alternate.count_centered(data)
    return alternate.q_alpha(
        data,
        k,
        method=method,
        criterion=criterion,
        init=init,
        n_init=n_init,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        callback=callback,
    )


def gram(X, basis, *, center=True) -> np.ndarray:
    """Entries of the n x n matrix G at a basis, for small problems and as a diagnostic.

    `solve` never forms it: the weights are its leading eigenvector, found from passes over X.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    basis : array of shape (n_samples, k)
    center : bool
        Subtract the mean of every feature.

    Returns
    -------
    ndarray of shape (n_features, n_features)

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
    data = blocks.read(X, center=center)
    basis = np.ascontiguousarray(basis, dtype=np.float64)
    if basis.ndim != 2 or basis.shape[0] != data.n_samples:
        raise ValueError(
            f"basis: has shape {basis.shape}; ({data.n_samples}, k) is needed, a row a sample"
        )
    features = np.ascontiguousarray(data.rows(0, data.n_samples).T)
    out = np.empty((data.n_features, data.n_features))
    _gram(features, features @ basis, out)
    return out


@jit(parallel=True)
def _gram(features, scores, out):
    """``out[i, j] = (m_iᵀ m_j) (y_iᵀ y_j)``; row i fills its part of column i too."""
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
