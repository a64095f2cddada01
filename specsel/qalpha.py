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
random one ends on trivial maxima (see `_loop`).
"""

import numpy as np
from numba import prange

from specsel import _data, _input, _loop, linalg
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
    array, names = _input.as_matrix(X)
    _loop.check_options(array.shape, k, init, n_init, tol, max_iter, random_state, callback)
    check_form(method, criterion)
    _input.check_flag("center", center)
    data = _data.represent(array, names, representation="centered" if center else "as-is")
    if k == "auto" and not center:
        k = count_centered(data)
    return weigh(
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


def weigh(data, k, *, method, criterion, init, **options) -> Weights:
    """Q-α of data as they are scaled, by any of its methods; tall data are reduced first."""
    small, lift = data, None
    if data.n_samples > data.n_features:
        small, restrict, lift = data.reduced()
        init = init if isinstance(init, str) else restrict(np.asarray(init, dtype=float))
    problem = PROBLEMS[criterion](small, basic=method == "basic")
    state, record = _loop.solve(problem, k, init=init, final_weights=method == "ritz", **options)
    return _loop.pack(data, state, record, lift)


def check_form(method, criterion):
    """Refuse a method or a criterion that does not exist."""
    _input.check_choice("method", method, _input.choices.BASIS_STEPS)
    _input.check_choice("criterion", criterion, _input.choices.CRITERIA)


def count_centered(data) -> int:
    """The same by the centred data, where an algorithm represents them otherwise."""
    centered = data.centered()
    if not centered.norm.any():
        return 1
    if centered.n_samples > centered.n_features:
        centered = centered.reduced()[0]
    return _loop.count_clusters(Energy(centered))


class Energy:
    """The products of ``αᵀ G α`` and its starts: what a variant of Q-α changes.

    Duals are q x k, row i of Φ being ``vec(m_i (Qᵀ m_i)ᵀ)``, and J is the identity. The loop asks
    for the methods here, and `data` for how many features there are, of what rank and precision.
    """

    def __init__(self, data, *, basic=False):
        self.data = data
        self.basic = basic

    def product(self, dual, basis):
        """``ΦᵀΦ dual`` at a basis."""
        return self.data.fused(dual, basis)[1]

    def signs(self, image, basis):
        """``J image``."""
        return image

    def enter(self, basis):
        """``J Φᵀ α`` of equal weights at a basis, with which the first iteration begins."""
        return self.data.adjoint(np.ones(self.data.n_features), basis)

    def advance(self, pair, basis, width):
        """State that follows from the leading pair at a basis.

        Its basis is of the width asked for, or the same one where that is None.
        """
        if width is None:
            alpha, image = self.data.forward(pair.dual, basis), pair.image
        elif self.basic:
            alpha = self.data.forward(pair.dual, basis)
            basis = _data.affinity_subspace(self.data, alpha, width, start=basis)
            image = self.data.adjoint(alpha, basis)
        else:
            basis, before = linalg.narrow(pair.image, basis, width), basis
            alpha, image = self.data.fused(pair.dual, before, basis)
        return _loop.State(alpha, basis, image, image, np.vdot(image, image))

    def subspace(self, alpha, width):
        """Leading basis at given weights."""
        return _data.affinity_subspace(self.data, alpha, width)

    def random(self, generator, k):
        """Random basis."""
        return linalg.orthonormal(generator.standard_normal((self.data.n_samples, k)))

    def given(self, init):
        """Basis from the array that the user gave."""
        basis = np.array(init, dtype=float)
        image = self.data.adjoint(np.ones(self.data.n_features), basis)
        if np.linalg.norm(image) <= self.data.floor * self.data.norm.astype(bool).sum():
            raise ValueError("init: the basis is orthogonal to every feature; it can lead nowhere")
        return basis

    def seeds(self):
        """Weights to start from, the neighbours of one feature each, most promising first."""
        for seed in np.argsort(-np.abs(Whole(self.data).solve()[0]), kind="stable"):
            column = self.data.feature(seed)[:, None]
            yield self.data.forward(column, column)


class Gap(Energy):
    """The products of ``αᵀ (2 G - H) α = αᵀ Φ J Φᵀ α``, row i of Φ being ``vec(m_i m_iᵀ)``.

    Duals are q x q and ``J A = A QQᵀ + QQᵀ A - A``, unless the vectors of n weights are the
    smaller ones: then Lanczos runs on those, two passes a step.
    """

    def __init__(self, data, *, basic=False):
        super().__init__(data, basic=basic)
        self.weights_are_smaller = data.n_features <= data.n_samples**2

    def form(self, affinity, basis):
        """``J affinity``."""
        inside = affinity @ basis @ basis.T
        return inside + inside.T - affinity

    def product(self, vector, basis):
        return vector if self.weights_are_smaller else self.data.fused(vector, None)[1]

    def signs(self, image, basis):
        if not self.weights_are_smaller:
            return self.form(image, basis)
        return self.data.forward(self.form(self.data.adjoint(image, None), basis), None)

    def enter(self, basis):
        # Constant features are left out: they add 0 to the objective, which may be more than any.
        equal = (self.data.norms.ravel() > 0).astype(float)
        if self.weights_are_smaller:
            return equal
        return self.form(self.data.adjoint(equal, None), basis)

    def affinity(self, pair):
        """Weights of a leading pair, and the affinity of the samples with those weights."""
        if self.weights_are_smaller:
            return pair.dual, self.data.adjoint(pair.dual, None)
        return self.data.forward(pair.dual, None), pair.image

    def advance(self, pair, basis, width):
        alpha, affinity = self.affinity(pair)
        if self.basic and width is not None:
            basis = linalg.largest_modulus(affinity, width)[1]
        elif width is not None:
            basis = linalg.narrow(affinity @ basis, basis, width)
        signed = self.form(affinity, basis)
        start = alpha if self.weights_are_smaller else signed
        return _loop.State(alpha, basis, affinity @ basis, start, np.vdot(affinity, signed))


class Whole(Gap):
    """The products of ``<A_α, F(A_α)>`` with all of the affinity, not its part inside a basis.

    F is a linear form on symmetric matrices, by default the identity: the objective is then
    ``‖A_α‖²``. No basis enters, so `solve` finds the weights as one eigenvector, without a loop.
    """

    def __init__(self, data, form=None):
        super().__init__(data)
        self._form = form

    def form(self, affinity, basis=None):
        return affinity if self._form is None else self._form(affinity)

    def solve(self):
        """Leading weights, the affinity at them, and whether they lead to working precision."""
        pair = linalg.leading(
            lambda vector: self.product(vector, None),
            self.enter(None),
            tol=self.data.floor**2,
            signs=lambda image: self.signs(image, None),
            floor=self.data.floor,
        )
        return *self.affinity(pair), pair.converged


PROBLEMS = {"energy": Energy, "gap": Gap}


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
    data = _data.read(X, center=center)
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
