"""Q-α with classes (Wolf and Shashua, JMLR 6, 2005, Def. 6).

``m_i^g`` is feature i over the samples of class g, and ``A^{gh} = Σ α_i m_i^g m_i^{hᵀ}`` a block
of the affinity. Maximise over unit α the energy of the blocks within the classes less γ times
that of the blocks between them,

    Σ_g |A^{gg} Q^{gg}|² - γ Σ_{g≠h} |A^{gh} Q^{gh}|²,

the columns of ``Q^{gh}`` being the leading right singular vectors of ``A^{gh}``. Given all Q, α
leads a matrix ``𝒢`` with both signs. Given α, every Q follows by one step of orthogonal iteration,
``P = qr(A^{gh} Q^{gh})``, ``Q^{gh} <- qr(A^{ghᵀ} P)``, or exactly.

With every ``Q^{gh}`` filled up with rows of zeros, all blocks together are one basis of the
samples, and a product is one pass with as many columns as all of them have. With γ = 0 the
objective never falls; with γ > 0 it may, and the best iterate is returned.

Departures. Energies are squared, so that an affinity of -1 between two classes costs as much as
one of +1: a centred feature that tells the classes apart would be punished for it. Features are
made non-negative first, by default as two, what they have above and below their median. The paper
calls within "inter" and between "intra". The start is continuation, as in `qalpha`. Of
tall data the samples of every class are replaced by a triangular factor that has the same inner
products.
"""

from typing import NamedTuple

import numpy as np

from specsel import _data, _input, _loop, linalg, qalpha
from specsel.results import Weights

__all__ = ["solve"]


def solve(
    X,
    y,
    *,
    k_within=2,
    k_between=1,
    gamma=0.5,
    representation="parts",
    method="power",
    init="continuation",
    n_init=15,
    tol=1e-6,
    max_iter=200,
    random_state=None,
    callback=None,
) -> Weights:
    """Weigh features by how alike they make samples of one class, and how unlike those of two.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame.
    y : array of shape (n_samples,)
        Class labels. With c classes a pass has c (c + 1) columns or more.
    k_within, k_between : int
        Leading directions of every block within a class and between two; no more than the classes
        have samples are used.
    gamma : float
        What affinity between classes counts against affinity within; 0 leaves it out.
    representation : {"parts", "shift", "ranks", "as-is"}
        How features become non-negative: what they have above and below their median, as two
        features; less their minimum; the ranks of the samples (copies X); or not at all.
    method : {"power", "basic"}
        How the bases follow from the weights: by a step of orthogonal iteration, or exactly, in
        O(n q²), up to 2,000 samples.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_features,)
        Start, as in `qalpha.solve`, or the weights to start from.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        `basis` and `eigenvalues` are those of the blocks within the classes, filled up with zeros.

    References
    ----------
    Wolf, L. and Shashua, A. (2005). Feature selection for unsupervised and supervised inference:
    the emergence of sparsity in a weight-based approach. JMLR 6, 1855-1887.

    Examples
    --------
    >>> from specsel import datasets, supervised
    >>> data = datasets.weston_linear(100, random_state=5)
    >>> sorted(supervised.solve(data.X, data.y).select(6).tolist())
    [0, 1, 2, 3, 4, 5]
    """
    array, names = _input.as_matrix(X)
    classes = _input.as_classes(y, len(array))
    _input.check_integer("k_within", k_within, 1)
    _input.check_integer("k_between", k_between, 1)
    _input.check_not_negative("gamma", gamma)
    _input.check_choice("representation", representation, _input.choices.NON_NEGATIVE)
    _input.check_choice("method", method, _input.choices.CLASS_BASIS_STEPS)
    _loop.check_weights_start(array.shape[1], init, n_init, tol, max_iter, random_state, callback)
    data = _data.represent(array, names, representation=representation)
    data.warn_if_negative(representation)
    small, members, lift = data, classes, None
    if data.n_samples > (classes.max() + 1) * data.n_features:
        small, members, lift = _reduced(data, classes)
    problem = Supervised(small, members, k_within, k_between, gamma, basic=method == "basic")
    state, record = _loop.solve(
        problem,
        k_within,
        init=init,
        n_init=n_init,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        callback=callback,
    )
    state = problem.within(state)
    return _loop.pack(data, state, record, lift)


def _reduced(data, classes):
    """Tall data with as many samples a class as features, their classes, and the way back.

    All products are of inner products of features within a class, which triangular factors keep.
    """
    parts = [data.reduced(classes == g) for g in range(classes.max() + 1)]
    factors = [small.rows(0, small.n_samples) for small, _, _ in parts]
    members = np.repeat(np.arange(len(parts)), [len(factor) for factor in factors])

    def lift(basis):
        sizes = [np.linalg.norm(basis[members == g], axis=0) for g in range(len(parts))]
        lifted = np.zeros((data.n_samples, basis.shape[1]))
        for g, (_, _, lift_class) in enumerate(parts):
            columns = np.argmax(sizes, axis=0) == g
            inner = basis[np.ix_(members == g, columns)]
            lifted[np.ix_(classes == g, columns)] = lift_class(inner)
        return lifted

    return _data.Dense.of_factor(np.vstack(factors), data), members, lift


class Block(NamedTuple):
    """One ``A^{gh}``: the samples of g and of h, its columns in the basis, 1 or -γ."""

    left: np.ndarray
    right: np.ndarray
    columns: slice
    sign: float


class Supervised(qalpha.Energy):
    """The products of ``αᵀ 𝒢 α``; duals are q x all columns, zero but for rows of class g.

    The width that the loop speaks of is that of the blocks within a class.
    """

    def __init__(self, data, classes, k_within, k_between, gamma, *, basic):
        super().__init__(data, basic=basic)
        self.members = [np.flatnonzero(classes == g) for g in range(classes.max() + 1)]
        self.k_within, self.k_between, self.gamma = k_within, k_between, gamma

    def product(self, dual, basis):
        return self.mask * self.data.fused(dual, basis)[1]

    def signs(self, image, basis):
        return self.sign * image

    def enter(self, basis):
        return self.sign * self.mask * self.data.adjoint(np.ones(self.data.n_features), basis)

    def advance(self, pair, basis, width):
        if self.basic:
            alpha = self.data.forward(pair.dual, basis)
            basis = self.subspace(alpha, width)
        else:
            alpha, image = self.data.fused(pair.dual, basis, self._left_vectors(pair.image))
            basis = self._right_vectors(image, width)
        image = self.mask * self.data.adjoint(alpha, basis)
        signed = self.sign * image
        return _loop.State(alpha, basis, image, signed, np.vdot(signed, image))

    def subspace(self, alpha, width):
        if self.data.n_samples <= linalg.DENSE_LIMIT:
            affinity = self.data.adjoint(alpha, None)
            self._arrange(width)
            return self._basis(affinity[np.ix_(b.right, b.left)] for b in self.blocks)
        basis = self.random(np.random.default_rng(0), width)
        for _ in range(linalg.SUBSPACE_PASSES):
            left = self._left_vectors(self.data.adjoint(alpha, basis))
            basis = self._right_vectors(self.data.adjoint(alpha, left), width)
        return basis

    def random(self, generator, k):
        self._arrange(k)
        return self._basis(generator.standard_normal((len(b.right), k)) for b in self.blocks)

    def given(self, init):
        alpha = np.tile(np.asarray(init, dtype=float), self.data.n_features // len(init))
        if not alpha[self.data.norms.ravel() > 0].any():
            raise ValueError("init: weighs constant features alone; at least one must vary")
        return self.subspace(alpha, self.k_within)

    def within(self, state):
        """The state with what belongs to the blocks within classes alone."""
        self._arrange(self.k_within)
        columns = self.sign == 1
        return state._replace(basis=state.basis[:, columns], image=state.image[:, columns])

    def _arrange(self, width):
        """Give every block its columns: more between the classes too where more within."""
        between = -(-width * self.k_between // self.k_within)
        self.blocks, stop = [], 0
        for g, left in enumerate(self.members):
            for h, right in enumerate(self.members):
                start, k = stop, width if g == h else between
                stop += min(k, len(left), len(right))
                sign = 1.0 if g == h else -self.gamma
                self.blocks.append(Block(left, right, slice(start, stop), sign))
        self.mask, self.sign = np.zeros((self.data.n_samples, stop), bool), np.empty(stop)
        for block in self.blocks:
            self.mask[block.left, block.columns] = True
            self.sign[block.columns] = block.sign

    def _left_vectors(self, image):
        """Orthonormal ``A^{gh} Q^{gh}``, filled up with zeros."""
        filled = np.zeros_like(image)
        for block in self.blocks:
            vectors = linalg.orthonormal(image[block.left, block.columns])
            filled[block.left, block.columns] = vectors
        return filled

    def _right_vectors(self, image, width):
        """Next basis, from ``A_α P``."""
        products = [image[block.right, block.columns] for block in self.blocks]
        self._arrange(width)
        return self._basis(products)

    def _basis(self, products):
        """Leading left singular vectors of what is given for every block, filled up with zeros."""
        basis = np.zeros(self.mask.shape)
        for block, matrix in zip(self.blocks, products, strict=True):
            k = block.columns.stop - block.columns.start
            basis[block.right, block.columns] = np.linalg.svd(matrix, full_matrices=False)[0][
                :, :k
            ]
        return basis
