"""Q-α on the Laplacian of the samples (Wolf and Shashua, JMLR 6, 2005, Def. 5).

With non-negative features ``m_i`` of unit norm and ``L_i = m_i m_iᵀ - diag(m_i m_iᵀ 1) + d_i I``,
maximise ``trace(Qᵀ L_α L_α Q)`` over unit α and Q, where ``L_α = Σ α_i L_i``. Given Q, α leads
the matrix of ``trace(Qᵀ L_i L_j Q)``; given α, ``Q <- qr(L_α Q)``. The shift keeps the leading
end of the spectrum in front: ``d_i`` of every feature at the start, one number for all after.

Row i of Φ is ``vec(m_i y_iᵀ - s_i diag(m_i) Q + d_i Q)``, ``y_i = Qᵀ m_i`` and ``s_i`` the sum of
``m_i``. A column of ones beside Q gives the middle term, so that a product is one pass with k + 1
columns, and the last term is a rank-one correction.

Departures. Def. 5 takes the largest entry on the diagonal of ``Σ α_i m_i m_iᵀ`` for d. It lacks a
factor 1 there: about q times too small against the degrees, it leaves ``L ≈ -D``, and Q ends on
the wrong end of the spectrum. The default is the largest degree, ``max(Σ α_i m_i m_iᵀ 1)``; the
printed one is ``shift="definition"``. With centred features the degrees vanish, and with them the
point of it: features are never centred. As d changes from one iteration to the next, the objective
may fall; the best iterate is returned. The default start does not widen the basis: most maxima
have a higher objective and say less. For the same reason few relevant features are missed here
that `qalpha` finds; a third of all are found, as parts, not when shifted to a minimum of zero.
"""

import numpy as np

from specsel import _data, _input, _loop, linalg, qalpha
from specsel.results import Weights

__all__ = ["solve"]


def solve(
    X,
    k,
    *,
    shift="degree",
    representation="parts",
    init="equal",
    n_init=15,
    tol=1e-6,
    max_iter=200,
    random_state=None,
    callback=None,
) -> Weights:
    """Weigh features by how well the Laplacian of the samples shows clusters.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame.
    k : int or "auto"
        Number of leading directions. The first one is constant; clusters show from the second on.
        "auto" counts them as `qalpha.solve` does.
    shift : {"degree", "definition"}
        What is added to the diagonal: the largest degree, or the number that the paper prints.
    representation : {"parts", "shift", "ranks", "as-is"}
        How features become non-negative: what they have above and below their median, as two
        features; less their minimum; the ranks of the samples (copies X); or not at all.
    init : {"equal", "continuation", "seeded", "random"} or array of shape (n_samples, k)
        Start: the k leading directions of equal weights; or as in `qalpha.solve`.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        `eigenvalues` are those of ``L_α``.

    References
    ----------
    Wolf, L. and Shashua, A. (2005). Feature selection for unsupervised and supervised inference:
    the emergence of sparsity in a weight-based approach. JMLR 6, 1855-1887.

    Examples
    --------
    Two groups of samples in the first 20 of 60 features:

    >>> import numpy as np
    >>> from specsel import laplacian
    >>> X = np.random.default_rng(0).standard_normal((60, 60))
    >>> X[:30, :20] += 4
    >>> sorted(laplacian.solve(X, k=2).select(20).tolist()) == list(range(20))
    True
    """
    array, names = _input.as_matrix(X)
    _loop.check_options(array.shape, k, init, n_init, tol, max_iter, random_state, callback)
    _input.check_choice("shift", shift, _input.choices.SHIFTS)
    _input.check_choice("representation", representation, _input.choices.NON_NEGATIVE)
    data = _data.represent(array, names, representation=representation)
    if k == "auto":
        k = qalpha.count_centered(data)
    data.warn_if_negative(representation)
    state, record = _loop.solve(
        Laplacian(data, shift),
        k,
        init=init,
        n_init=n_init,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        callback=callback,
    )
    return _loop.pack(data, state, record)


class Laplacian(qalpha.Energy):
    """The products of ``trace(Qᵀ L_α L_α Q)``; duals are q x k.

    With ``c_s = Σ_c B_sc Q_sc``, ``<L_i Q, B> = m_iᵀ B y_i - s_i m_iᵀ c + d_i trace(Qᵀ B)``, and
    ``L_α Q = A_α Q - diag(A_α 1) Q + (Σ α_i d_i) Q``.
    """

    def __init__(self, data, shift):
        super().__init__(data)
        self.shift = shift
        self.absent = np.flatnonzero(data.norms == 0)  # what is constant gets no shift either

    def product(self, dual, basis):
        alpha, image, trace = self._weigh(dual, basis)
        return self._image(image, basis, self._lift(alpha) + trace * self._squares)

    def enter(self, basis):
        self.shifts = self._first_shifts()
        self._prepare(basis)
        equal = np.ones(self.data.n_features)
        return self._image(self.data.adjoint(equal, self._frame), basis, self.shifts.sum())

    def advance(self, pair, basis, width):
        alpha, image, trace = self._weigh(pair.dual, basis)
        alpha += trace * self.shifts
        alpha[self.absent] = 0.0
        sign = _loop.orientation(alpha)
        alpha *= sign
        image *= sign
        self.shifts = self._next_shift(alpha, image[:, -1])
        lifted = self.shifts * alpha.sum()
        basis = linalg.narrow(self._image(image, basis, lifted), basis, width)
        self._prepare(basis)
        image = self._image(self.data.adjoint(alpha, self._frame), basis, lifted)
        return _loop.State(alpha, basis, image, image, np.vdot(image, image))

    def subspace(self, alpha, width):
        lifted = alpha @ self._first_shifts()

        def product(basis):
            columns = np.eye(self.data.n_samples) if basis is None else basis
            image = self.data.adjoint(alpha, np.column_stack((columns, np.ones(len(columns)))))
            return self._image(image, columns, lifted)

        return linalg.subspace(product, self.data.n_samples, width)

    def _prepare(self, basis):
        """What the products at a basis share."""
        self._frame = np.column_stack((basis, np.ones(len(basis))))
        shifts = np.full(self.data.n_features, self.shifts)
        shifts[self.absent] = 0.0
        self._squares = np.einsum("i,i", shifts, shifts)
        self._shifted = self.data.adjoint(shifts, self._frame)

    def _weigh(self, dual, basis):
        """``α - trace d``, ``A_α [Q, 1]`` and the trace, α being ``Φ dual``."""
        trace = np.vdot(basis, dual)
        extended = np.column_stack((dual, -(basis * dual).sum(axis=1)))
        alpha, image = self.data.fused(extended, self._frame)
        return alpha, image + trace * self._shifted, trace

    def _lift(self, alpha):
        """``Σ α_i d_i``; not by BLAS, see `linalg._products`."""
        if np.ndim(self.shifts) == 0:
            return self.shifts * alpha.sum()
        return np.einsum("i,i", alpha, self.shifts)

    def _image(self, image, basis, lifted):
        """``L_α Q`` from ``A_α [Q, 1]`` and ``Σ α_i d_i``."""
        return image[:, :-1] - image[:, -1:] * basis + lifted * basis

    def _first_shifts(self):
        shifts = np.empty(self.data.norms.shape)
        for part, (least, greatest, total) in self.data.spans():
            if self.shift == "degree":
                shifts[:, part] = np.maximum(least * total, greatest * total)
            else:
                shifts[:, part] = np.maximum(least**2, greatest**2)
        return shifts.ravel()

    def _next_shift(self, alpha, degrees):
        if self.shift == "definition":
            samples = np.arange(self.data.n_samples)
            diagonal = _data.Pairs.sort(np.column_stack((samples, samples)), len(samples))
            degrees = self.data.adjoint_pairs(alpha, self._frame[:, :0], diagonal)[1]
        return degrees.max() / alpha.sum()
