"""Q-α with classes (Wolf and Shashua, JMLR 6, 2005, Def. 6).

Let ``m_i^g`` be the i-th feature over the samples of class g. The affinity between classes g and h
is ``A^{gh} = Σ α_i m_i^g m_i^{hᵀ}``, a block of the weighted affinity of all samples. The weights
maximise the energy of the blocks within the classes less γ times that of the blocks between them,

    Σ_g |A^{gg} Q^{gg}|² - γ Σ_{g≠h} |A^{gh} Q^{gh}|²,

where the columns of ``Q^{gh}`` are the leading right singular vectors of ``A^{gh}``:

- given all Q, α is the leading eigenvector of a matrix 𝒢, which has negative eigenvalues too;
- given α, every Q follows by one step of orthogonal iteration, ``P = qr(A^{gh} Q^{gh})`` and
  ``Q^{gh} <- qr(A^{ghᵀ} P)``, or exactly.

Every ``Q^{gh}`` is filled up with rows of zeros to all samples. Side by side, the blocks are then
one basis of the samples, and a product is one pass with as many columns as all blocks together.

With γ = 0 the objective never falls. With γ > 0 it may, for the leading weights at some Q may
bring out other directions between the classes. Then the weights go only a part of the way towards
the leading ones: half of it, a quarter or an eighth, until the objective is no less than with the
weights before. Later steps are no longer.

Departures from the paper:

- Energies are squared, so an affinity of -1 between two classes costs as much as one of +1. A
  centred feature that tells the classes apart would be punished for it. So features are made
  non-negative first: by default each becomes two, what it has above its median and what it has
  below.
- The paper calls blocks within a class "inter" and blocks between classes "intra".
- The start is continuation, as in `qalpha`.
- In tall data, a triangular factor with the same inner products replaces the samples of every
  class.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, Self

import numpy as np

from specsel import _containers, _data, _iterate, _validate, linalg, qalpha
from specsel._iterate import Iterate, Step
from specsel._validate import ArrayLike, Bools, Floats, Init, Integers, LoopCallback, Seed
from specsel.results import Weights

__all__ = ["solve"]

# The shortest step of an iteration, as a share of the step before.
LEAST_SHARE = 1 / 8


def solve(
    X: ArrayLike,
    y: ArrayLike,
    *,
    k_within: int = 2,
    k_between: int = 1,
    k_blocks: ArrayLike | None = None,
    gamma: float = 0.5,
    representation: _validate.NonNegative = "parts",
    scale: _validate.Scale = "unit",
    method: _validate.ClassBasisStep = "power",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: Seed = None,
    callback: LoopCallback = None,
) -> Weights:
    """Weigh features by how alike they make samples of one class, and how unlike those of two.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask.
    y : array of shape (n_samples,)
        Class labels. With c classes, a pass over the data has at least c (c + 1) columns.
    k_within, k_between : int
        Number of leading directions of every block within a class and between two classes. A
        block uses no more of them than its classes have samples.
    k_blocks : array of shape (n_classes, n_classes), optional
        Another number for every block, in place of `k_within` and `k_between`: of a class on the
        diagonal, of two classes beside it. The table is symmetric; its rows and columns are in
        the order of the sorted labels. A class of several clusters may have more directions than
        a compact one.
    gamma : float
        How much the affinity between classes counts against that within; with 0, not at all.
    representation : {"parts", "shift", "ranks", "as-is"}
        How features are made non-negative. "parts": every feature becomes two, what it has above
        its median and what it has below. "shift": its minimum is subtracted. "ranks": the samples
        are ranked, in a copy of X. "as-is": not at all.
    scale : {"unit", "sqrt", "native"}
        As in `qalpha.solve`.
    method : {"power", "basic"}
        How the bases follow from the weights: by a step of orthogonal iteration; or exactly up to
        2,000 samples, in O(n q²) for n features and q samples.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_features,)
        Where to start, as in `qalpha.solve`; an array holds weights to start from.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        `basis` and `eigenvalues` are those of the blocks within the classes; a column of `basis`
        is 0 outside of its class.

    Examples
    --------
    >>> from specsel import datasets, supervised
    >>> data = datasets.weston_linear(100, random_state=5)
    >>> sorted(supervised.solve(data.X, data.y).select(6).tolist())
    [0, 1, 2, 3, 4, 5]

    The first class may have three directions of its own, the second one:

    >>> weights = supervised.solve(data.X, data.y, k_blocks=[[3, 1], [1, 1]])
    >>> weights.basis.shape
    (100, 4)
    """
    array, names = _containers.as_data(X)
    classes = _containers.as_classes(y, array.shape[0])
    widths = _widths(classes, k_within, k_between, k_blocks)
    _validate.check_number("gamma", gamma, 0)
    _validate.check_choice("representation", representation, _validate.NonNegative)
    _validate.check_choice("scale", scale, _validate.Scale)
    _validate.check_choice("method", method, _validate.ClassBasisStep)
    k = int(widths.diagonal().max())
    options = _iterate.Options.for_weights(
        array.shape[1], k, init, n_init, tol, max_iter, random_state, callback
    )
    data = _data.represent(array, names, representation=representation).scaled(scale)
    data.warn_if_negative(representation)
    small, members, lift = data, classes, None
    if data.is_tall(len(widths)):
        small, members, lift = _reduced(data, classes)
    problem = Supervised(small, members, widths, gamma, basic=method == "basic")
    run = _iterate.alternate(problem, options)
    run = run._replace(iterate=problem.within(run.iterate))
    return _iterate.pack(data, run, lift)


def _widths(
    classes: Integers, k_within: int, k_between: int, k_blocks: ArrayLike | None
) -> Integers:
    """Return the table of ``k^{gh}``, of every block: no more than there are samples."""
    n_classes = int(classes.max()) + 1
    _validate.check_integer("k_within", k_within, 1)
    _validate.check_integer("k_between", k_between, 1)
    table = np.where(np.eye(n_classes, dtype=bool), k_within, k_between)
    if k_blocks is not None:
        table = _containers.as_table("k_blocks", k_blocks, n_classes)
    return np.minimum(table, len(classes)).astype(np.intp)


def _reduced(
    data: _data.Data, classes: Integers
) -> tuple[_data.Data, Integers, Callable[[Floats], Floats]]:
    """Replace the samples of every class by as many as there are features.

    Return the reduced data, their classes, and a function that maps a basis back to all samples.
    The products only need inner products of features within a class, which triangular factors
    keep.
    """
    parts = [data.reduced(classes == g) for g in range(classes.max() + 1)]
    factors = [small.rows(0, small.n_samples) for small, _, _ in parts]
    members = np.repeat(np.arange(len(parts)), [len(factor) for factor in factors])

    def lift(basis: Floats) -> Floats:
        sizes = [np.linalg.norm(basis[members == g], axis=0) for g in range(len(parts))]
        lifted = np.zeros((data.n_samples, basis.shape[1]))
        for g, (_, _, lift_class) in enumerate(parts):
            columns = np.argmax(sizes, axis=0) == g
            inner = basis[np.ix_(members == g, columns)]
            lifted[np.ix_(classes == g, columns)] = lift_class(inner)
        return lifted

    return _data.Dense.of_factor(np.vstack(factors), data), members, lift


# One block ``A^{gh}``: the samples of class g, those of class h, and its columns in the basis.
Block = tuple[Integers, Integers, slice]


class BlockBasis(NamedTuple):
    """``Q^{gh}`` of all blocks side by side; a column is 0 outside of the samples of class h."""

    basis: Floats
    blocks: list[Block]
    mask: Bools  # samples x columns: true for the samples of class g
    sign: Floats  # of every column: 1 within a class, -γ between two
    before: Iterate | None = None  # that led here
    share: float = 1.0  # of the way from its weights to the leading ones that is taken

    def filled(self, products: Iterable[Floats]) -> Self:
        """Return the leading left singular vectors of one matrix for every block."""
        basis = np.zeros(self.mask.shape)
        for (_, right, columns), matrix in zip(self.blocks, products, strict=True):
            vectors = np.linalg.svd(matrix, full_matrices=False)[0]
            basis[right, columns] = vectors[:, : columns.stop - columns.start]
        return self._replace(basis=basis)


class Supervised:
    """The problem ``αᵀ 𝒢 α``. Duals have the shape of a basis and are 0 outside of the mask.

    J multiplies every column by the sign of its block. A width, as the loop gives it, is the
    number of directions within the class that has most of them; `widths` is the table of all in
    the end.
    """

    def __init__(
        self,
        data: _data.Data,
        classes: Integers,
        widths: Integers,
        gamma: float,
        *,
        basic: bool,
    ) -> None:
        self.data, self.basic = data, basic
        self.members = [np.flatnonzero(classes == g) for g in range(classes.max() + 1)]
        self.widths, self.gamma = widths, gamma

    def product(self, dual: Floats, point: BlockBasis) -> Floats:
        return point.mask * self.data.fused(dual, point.basis)[1]

    def apply_form(self, image: Floats, point: BlockBasis) -> Floats:
        return point.sign * image

    def first_dual(self, point: BlockBasis) -> Floats:
        image = self.data.adjoint(linalg.uneven(self.data.varies), point.basis)
        return point.sign * point.mask * image

    def advance(self, pair: linalg.LeadingPair, point: BlockBasis, width: int) -> Step[BlockBasis]:
        before, share = point.before, point.share
        found = self._step(pair, point, width, share)
        is_same_width = found[1].mask.shape == point.mask.shape
        if before and is_same_width and found[0].objective < before.objective:
            # The bases may have lowered the objective, too: renew them at the weights before.
            stay = self._step(pair, point, width, 0.0)
            least = LEAST_SHARE * share
            while found[0].objective < stay[0].objective and share > least:
                share /= 2
                found = self._step(pair, point, width, share)
            found = max(stay, found, key=lambda step: step[0].objective)
        iterate, after, signed = found
        return iterate, after._replace(before=iterate, share=share), signed

    def _step(
        self, pair: linalg.LeadingPair, point: BlockBasis, width: int, share: float
    ) -> Step[BlockBasis]:
        """Go so far from the weights before to those of the pair, and renew the bases."""
        image, before = pair.image, point.before
        if before is not None and share < 1:
            sign = np.copysign(share, np.vdot(before.image, pair.dual))
            image = (1 - share) * before.image + sign * image
        left = image[:, :0] if self.basic else _left_vectors(image, point)
        alpha, image = self.data.fused(pair.dual, point.basis, left)
        if before is not None and share < 1:
            alpha = (1 - share) * before.alpha + sign * alpha
            alpha /= np.linalg.norm(alpha)
            image = self.data.adjoint(alpha, left)
        if self.basic:
            after = self.subspace(alpha, width)
        else:
            after = self._right_vectors(image, point, width)
        image = after.mask * self.data.adjoint(alpha, after.basis)
        signed = after.sign * image
        return Iterate(alpha, after.basis, image, float(np.vdot(signed, image))), after, signed

    def subspace(self, alpha: Floats, width: int) -> BlockBasis:
        if self.data.n_samples <= linalg.DENSE_LIMIT:
            affinity = self.data.adjoint(alpha, None)
            empty = self.empty(width)
            return empty.filled(affinity[np.ix_(right, left)] for left, right, _ in empty.blocks)
        point = self.random(np.random.default_rng(0), width)
        for _ in range(linalg.SUBSPACE_PASSES):
            left = _left_vectors(self.data.adjoint(alpha, point.basis), point)
            point = self._right_vectors(self.data.adjoint(alpha, left), point, width)
        return point

    def random(self, generator: np.random.Generator, width: int) -> BlockBasis:
        empty = self.empty(width)
        shapes = ((len(right), columns.stop - columns.start) for _, right, columns in empty.blocks)
        return empty.filled(map(generator.standard_normal, shapes))

    def from_array(self, init: ArrayLike, k: int) -> BlockBasis:
        weights = np.asarray(init, dtype=float)
        alpha = np.tile(weights, self.data.n_features // len(weights))
        if not alpha[self.data.norms.ravel() > 0].any():
            raise ValueError("init: weighs constant features alone; at least one must vary")
        return self.subspace(alpha, k)

    def seeds(self) -> Iterator[Floats]:
        return qalpha.Energy(self.data).seeds()

    def within(self, iterate: Iterate) -> Iterate:
        """Keep the columns of the blocks within classes alone."""
        columns = self.empty(self.widths.diagonal().max()).sign == 1
        return iterate._replace(basis=iterate.basis[:, columns], image=iterate.image[:, columns])

    def empty(self, width: int) -> BlockBasis:
        """Give every block its columns, still 0; a wide start is wide in every block."""
        widths = -(-width * self.widths // self.widths.diagonal().max())
        blocks: list[Block] = []
        signs: list[float] = []
        for g, left in enumerate(self.members):
            for h, right in enumerate(self.members):
                start, count = len(signs), min(int(widths[g, h]), len(left), len(right))
                blocks.append((left, right, slice(start, start + count)))
                signs += [1.0 if g == h else -self.gamma] * count
        mask = np.zeros((self.data.n_samples, len(signs)), bool)
        for left, _, columns in blocks:
            mask[left, columns] = True
        return BlockBasis(np.zeros(mask.shape), blocks, mask, np.array(signs))

    def _right_vectors(self, image: Floats, point: BlockBasis, width: int) -> BlockBasis:
        """Return the next bases, from ``A_α P`` of the blocks as they were."""
        products = [image[right, columns] for _, right, columns in point.blocks]
        return self.empty(width).filled(products)


def _left_vectors(image: Floats, point: BlockBasis) -> Floats:
    """Orthonormalise ``A^{gh} Q^{gh}`` of every block: P, filled up with zeros."""
    filled = np.zeros_like(image)
    for left, _, columns in point.blocks:
        filled[left, columns] = linalg.orthonormal(image[left, columns])
    return filled
