"""A dense array whose features are shifted and scaled on the fly, and the passes over it.

The array is never copied: a few features at a time are shifted and scaled into a tile that stays
in cache (see `passes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from specsel._data import passes, registers, representations, whole
from specsel._data.moments import moments
from specsel._data.pairs import Pairs
from specsel._data.passes import Columns, Frames, Places, Tiling
from specsel._data.products import Products
from specsel._data.protocol import Basis, Data, Reduced, Target
from specsel._data.reduced import reduce
from specsel._data.standardised import Counter, Standardised
from specsel._validate import Bools, Floats, Integers, NDArray
from specsel.linalg import RESIDUAL_FLOOR

# Products with a basis are kept for the next pass if they take at most this share of X.
KEPT_SHARE = 0.08

# Columns whose spans are found at a time.
SPAN_COLUMNS = 2**16


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Dense(Standardised):
    """A dense array, its features shifted and scaled on the fly; see `protocol.Data`.

    Made by `read` and `represent`. A record of its parts, all arrays read-only; a changed one is
    made by ``dataclasses.replace``, which starts without kept products.

    Attributes
    ----------
    columns : Columns
        The array, what is subtracted from each column, and the norms of the features.
    keeps : bool
        Whether products with a basis may be kept for the next pass.
    """

    columns: Columns
    keeps: bool = True
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

    @classmethod
    def of(cls, data: Data) -> Dense:
        """The same data as one array, whatever holds them."""
        return (
            data if isinstance(data, Dense) else cls.of_factor(data.rows(0, data.n_samples), data)
        )

    @property
    def features(self) -> NDArray[Any]:
        """The array as it lies, columns × samples."""
        return self.columns.features

    @property
    def scaling(self) -> Columns:
        """What standardises the columns."""
        return self.columns

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.features.shape[1])

    def is_tall(self, times: int = 1) -> bool:
        """Whether samples, or those of each of so many classes, outnumber the features."""
        return self.n_samples > times * self.n_features

    def feature(self, index: int) -> Floats:
        """One standardised feature."""
        part, column = divmod(index, self.n_columns)
        shifted = self.features[column] - self.columns.middle[column]
        return self.part_of(shifted, part) / (self.norms[part, column] or np.inf)

    def block(self, part: slice | Integers) -> Floats:
        """The standardised features of some columns, as samples × features in float64."""
        norms = self.norms[0, part]
        shifted = self.features[part].T - self.columns.middle[part]
        return np.asarray(shifted / np.where(norms > 0, norms, np.inf), dtype=np.float64)

    def rows(self, start: int, stop: int) -> Floats:
        """The standardised samples from `start` to `stop`, as samples × features."""
        return self.standardised(self.features.T[start:stop])

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

    def reordered(self, features: NDArray[Any]) -> Self:
        """The same columns with their values in another order, which moves no mean and no norm.

        `features` are columns × samples.
        """
        columns = self.columns._replace(features=features)
        return replace(self, columns=columns, counter=Counter())

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
        # A loop comes back to a basis, with another dual; an ascent, whose dual it is, does not.
        keeps = is_new and dual is not target and self._may_keep(n_image)
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
        length = registers.row_length(q, self.features.itemsize)
        stack = np.zeros((height, length), self.features.dtype)
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
