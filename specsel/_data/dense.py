"""A dense array whose features are shifted and scaled on the fly, and the passes over it.

The array is never copied: a few features at a time are shifted and scaled into a tile that stays
in cache (see `passes`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from specsel import _input
from specsel._data import passes, representations, whole
from specsel._data.moments import moments
from specsel._data.pairs import Pairs
from specsel._data.passes import Columns, Frames, Places, Tiling
from specsel._data.products import Products
from specsel._data.protocol import Basis, Data, Reduced, Target
from specsel._data.reduced import reduce
from specsel._input.annotations import Bools, Floats, Integers, Names, NDArray
from specsel.linalg import RESIDUAL_FLOOR

# Products with a basis are kept for the next pass if they take at most this share of X.
KEPT_SHARE = 0.08

# Columns whose spans are found at a time.
SPAN_COLUMNS = 2**16


@dataclass
class Counter:
    """How often an array has been read; shared by all data that read the same array."""

    passes: int = 0


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dense:
    """A dense array, its features shifted and scaled on the fly; see `protocol.Data`.

    Made by `read` and `represent`. A record of its parts, all arrays read-only; a changed one is
    made by ``dataclasses.replace``, which starts without kept products.

    Attributes
    ----------
    columns : Columns
        The array, what is subtracted from each column, and the norms of the features.
    mean, norm : ndarray
        Of every column: its mean, and the norm of what remains, 0 for a constant one.
    names : tuple of str or None
        Column names, if X has any.
    loses_rank : bool
        Whether centring costs the data one dimension.
    mean_free : bool
        Whether every feature sums to zero over the samples, or did before data were reduced.
    floor : float
        Relative error that rounding leaves in a pass.
    counter : Counter
    exponents : ndarray of int or None
        The powers of two by which extreme columns were divided; `mean` and `norm` are from before.
    keeps : bool
        Whether products with a basis may be kept for the next pass.
    """

    columns: Columns
    mean: Floats
    norm: Floats
    names: Names
    loses_rank: bool
    mean_free: bool
    floor: float
    counter: Counter
    exponents: Integers | None = None
    keeps: bool = True
    lengths: Floats | None = None  # what `rescaled` has multiplied the features by
    _products: Products = field(init=False, default_factory=Products)

    def __post_init__(self) -> None:
        for array in (*self.columns, self.mean, self.norm):
            array.flags.writeable = False

    @classmethod
    def of_factor(cls, factor: Floats, origin: Data) -> Self:
        """Wrap rows that have the inner products of the standardised features of `origin`."""
        norm = np.where(origin.norms.ravel() > 0, 1.0, 0.0)
        zeros = np.zeros(len(norm))
        return cls(
            columns=Columns(np.ascontiguousarray(factor).T, zeros, norm[None, :]),
            mean=zeros,
            norm=norm,
            names=origin.names,
            loses_rank=False,
            mean_free=origin.mean_free,
            floor=RESIDUAL_FLOOR,
            counter=Counter(),
        )

    @property
    def features(self) -> NDArray[Any]:
        """The array as it lies, columns × samples."""
        return self.columns.features

    @property
    def norms(self) -> Floats:
        """Norm of every feature before scaling, as an array of parts × columns."""
        return self.columns.norms

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.features.shape[1])

    @property
    def n_columns(self) -> int:
        """Number of columns of X."""
        return int(self.features.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features: twice the columns where each becomes two parts."""
        return self.norms.size

    @property
    def rank_bound(self) -> int:
        """The rank that the standardised features can have at most."""
        return min(self.n_features, self.n_samples - int(self.loses_rank))

    @property
    def passes(self) -> int:
        """How often X has been read so far, by data that share it too."""
        return self.counter.passes

    def count_pass(self) -> None:
        """Note that X has been read once more."""
        self.counter.passes += 1

    def feature(self, index: int) -> Floats:
        """One standardised feature."""
        part, column = divmod(index, self.n_columns)
        shifted = self.features[column] - self.columns.middle[column]
        return self._part(shifted, part) / (self.norms[part, column] or np.inf)

    @property
    def squares(self) -> Floats:
        """``|m_i|²``: 1, 0 for constant features, or what rescaling made of it."""
        varies = (self.norms.ravel() > 0).astype(float)
        return varies if self.lengths is None else varies * self.lengths**2

    def block(self, part: slice | Integers) -> Floats:
        """The standardised features of some columns, as samples × features in float64."""
        norms = self.norms[0, part]
        shifted = self.features[part].T - self.columns.middle[part]
        return np.asarray(shifted / np.where(norms > 0, norms, np.inf), dtype=np.float64)

    def rows(self, start: int, stop: int) -> Floats:
        """The standardised samples from `start` to `stop`, as samples × features."""
        shifted = self.features.T[start:stop] - self.columns.middle
        norms = np.where(self.norms > 0, self.norms, np.inf)
        return np.hstack([self._part(shifted, i) / norm for i, norm in enumerate(norms)])

    def _part(self, values: Floats, part: int) -> Floats:
        """The shifted values or, of two parts, what is above zero or minus what is below."""
        if len(self.norms) == 1:
            return values
        return np.maximum(-values if part else values, 0.0)

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Yield slices of the columns, each with minimum, maximum and sum of its features.

        The three stand first, then the parts, then the columns. For all columns at once they
        would take as much memory as six weights a column.
        """
        self.count_pass()
        features, middle, norms = self.columns
        for start in range(0, self.n_columns, SPAN_COLUMNS):
            part = slice(start, start + SPAN_COLUMNS)
            out = np.empty((3, *norms[:, part].shape))
            span = passes.block_span(out.shape[2])
            representations.spans(features[part], middle[part], norms[:, part], out, span)
            yield part, out

    def warn_if_negative(self, representation: str) -> None:
        """Warn where an algorithm needs features without negative values and some have them."""
        if representation == "as-is" and any(out[0].min() < 0 for _, out in self.spans()):
            warnings.warn(
                "X has negative values, and two samples with large values of opposite sign count "
                'as alike; take representation="parts"',
                stacklevel=_input.caller(),
            )

    def rescaled(self, factors: Floats) -> Self:
        """The same data with each standardised feature multiplied by a positive factor.

        Nothing is kept between passes, for such data already take the memory of more vectors.
        """
        norms = self.norms / factors.reshape(self.norms.shape)
        lengths = factors.ravel() if self.lengths is None else self.lengths * factors.ravel()
        columns = self.columns._replace(norms=norms)
        return replace(self, columns=columns, keeps=False, lengths=lengths)

    def centered(self) -> Self:
        """The same data with each column centred, even if every one turns out constant."""
        mean, norm = moments(self.features.T)
        self.count_pass()
        columns = Columns(self.features, mean, norm[None, :])
        return replace(
            self, columns=columns, mean=mean, norm=norm, loses_rank=True, mean_free=True
        )

    def alike(self, array: NDArray[Any]) -> Self:
        """Other samples of the same columns, shifted and scaled as these; counted on their own."""
        rows = array if self.exponents is None else np.ldexp(array, -self.exponents)
        features = np.ascontiguousarray(rows, self.features.dtype).view().T
        columns = self.columns._replace(features=features)
        return replace(self, columns=columns, counter=Counter())

    def joined(self, alpha: Floats) -> Floats:
        """A weight for every column: those of its two parts become ``√(α₊² + α₋²)``, made unit.

        A negative weight of a part counts as 0.
        """
        if len(self.norms) == 1:
            return alpha
        first, second = np.maximum(alpha.reshape(2, -1), 0.0)
        together: Floats = np.hypot(first, second)
        return together / np.linalg.norm(together)

    def reduced(self, members: Bools | None = None) -> Reduced:
        """Replace tall data, or their marked samples, by data with no more samples than features.

        With ``M = U R``, algorithms that depend on inner products of features alone give the same
        weights on R.
        """
        factor, restrict, lift = reduce(self, members)
        return Reduced(Dense.of_factor(factor, self), restrict, lift)

    def forward(self, dual: Floats, basis: Basis) -> Floats:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""
        return self._sweep(dual, basis, None, None, with_image=False)[0]

    def adjoint(self, alpha: Floats, basis: Basis) -> Floats:
        """``A_α basis``, with ``A_α = Σ α_i m_i m_iᵀ``."""
        return self._sweep(None, None, alpha, basis)[1]

    def fused(self, dual: Floats, basis: Basis, target: Target = ...) -> tuple[Floats, Floats]:
        """``α = forward(dual, basis)`` and ``A_α target``; the target defaults to the basis."""
        return self._sweep(dual, basis, None, basis if target is ... else target)[:2]

    def adjoint_pairs(self, alpha: Floats, basis: Basis, pairs: Pairs) -> tuple[Floats, Floats]:
        """``A_α basis``, and the entry ``Σ α_i m_is m_it`` of every pair (s, t) of samples."""
        return self._sweep(None, None, alpha, basis, pairs=pairs)[1:]

    def fused_pairs(
        self, dual: Floats, basis: Basis, pairs: Pairs, values: Floats, target: Target = ...
    ) -> tuple[Floats, Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i + Σ values_st m_is m_it``, then as `adjoint_pairs`."""
        target = basis if target is ... else target
        return self._sweep(dual, basis, None, target, pairs=pairs, values=values)

    def _sweep(
        self,
        dual: Floats | None,
        basis: Basis,
        alpha: Floats | None,
        target: Basis,
        *,
        with_image: bool = True,
        pairs: Pairs | None = None,
        values: Floats | None = None,
    ) -> tuple[Floats, Floats, Floats]:
        """Run the compiled pass: find the weights if there is a dual, then the image if wanted.

        Returns the weights, the image and the entries of the pairs, if there are any.
        """
        self.count_pass()
        if basis is None and target is None and pairs is None:
            found = whole.sweep(self.columns, dual, alpha, with_image=with_image)
            return *found, np.zeros(0)
        matrices = ([] if dual is None else [dual, basis]) + ([target] if with_image else [])
        stack, known, rows = self._lay_out(matrices)
        n_dual = 0 if dual is None else dual.shape[1]
        n_image = 0
        if with_image:
            n_image = self.n_samples if target is None else target.shape[1]
        n_identity = self.n_samples if any(matrix is None for matrix in matrices) else 0
        is_new = n_image > 0 and rows[-1] < len(stack)  # neither the identity nor known
        keeps = is_new and self._may_keep(n_image)
        kept = self._products.room(n_image, like=known) if keeps else known[:0]
        alpha = np.require(
            np.empty(self.n_features) if alpha is None else alpha, float, ["C", "W"]
        )
        n_entries = 0 if pairs is None else len(pairs.seconds)
        partial = n_image * self.n_samples + n_entries
        span = passes.block_span(self.n_columns, partial, self.features.size)
        n_blocks = -(-self.n_columns // span)
        images = np.zeros((n_blocks, n_image, stack.shape[1]))
        entries = np.zeros((n_blocks, n_entries))
        feature_major = passes.is_feature_major(self.features)
        width = passes.tile_width(
            feature_major and pairs is None, len(stack), self.n_samples, span
        )
        passes.sweep(
            self.columns,
            Frames(stack, known, kept),
            Places(
                dual=rows[0] if n_dual else 0,
                basis=rows[1] if n_dual else 0,
                target=rows[-1] if n_image else 0,
                n_dual=n_dual,
                n_identity=n_identity,
            ),
            Tiling(feature_major, width, span),
            None if pairs is None else pairs.with_values(values),
            alpha.reshape(self.norms.shape),
            images,
            entries,
        )
        if keeps and target is not None:
            self._products.keep(target, kept)
        image = images.sum(axis=0)[:, : self.n_samples].T
        return alpha, image, entries[0] if pairs is None else entries.sum(axis=0)[pairs.places]

    def _may_keep(self, n_vectors: int) -> bool:
        """Whether products with so many vectors are small beside X, and kept at all."""
        if not self.keeps or len(self.norms) == 2:
            return False
        return n_vectors * self.n_columns <= KEPT_SHARE * self.features.size

    def _lay_out(self, matrices: list[Basis]) -> tuple[NDArray[Any], NDArray[Any], list[int]]:
        """Stack what the features must be multiplied with, each matrix once.

        Returns the stack, its rows padded with zeros to what the kernels expect; the kept products
        that serve a matrix; and for each matrix the first row of its scores. Those with the stack
        come first, then the kept products, then those with the identity.
        """
        known = np.empty((0, *self.norms.shape), self.features.dtype)
        starts: dict[int, int] = {}  # by id, for one array often stands in two places
        height = 0
        for matrix in matrices:
            if matrix is None or id(matrix) in starts:
                continue
            products = self._products.with_basis(matrix)
            if products is not None:
                known = products
                continue
            starts[id(matrix)] = height
            height += matrix.shape[1] + matrix.shape[1] % 2
        q = self.n_samples
        stack = np.zeros((height, -(-q // passes.LANES) * passes.LANES), self.features.dtype)
        rows = []
        for matrix in matrices:
            if matrix is None:
                rows.append(height + len(known))
                continue
            start = starts.get(id(matrix), height)  # kept products follow the stack
            rows.append(start)
            if start < height:
                stack[start : start + matrix.shape[1], :q] = matrix.T
        return stack, known, rows
