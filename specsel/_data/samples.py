"""Data whose blocks hold all features of some samples.

``A_α C = M (D Mᵀ C)``: a pass reads X once for the scores of all features, from which the weights
follow, and once more for the image.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from specsel import _runtime
from specsel._data import row_passes, whole
from specsel._data.dense import Dense
from specsel._data.pairs import Pairs
from specsel._data.parted import Parted
from specsel._data.passes import Columns
from specsel._data.protocol import Basis, Reduced, Target
from specsel._data.reduced import SAMPLES, maps, triangular_factor
from specsel._data.source_measures import totals
from specsel._data.standardised import Counter
from specsel._runtime import serial
from specsel._validate import Bools, Floats, NDArray

# Columns of the identity that are multiplied at a time.
COLUMNS = 64

# Inner products serve in the place of samples where their smallest eigenvalue is at least this
# share of the largest; what squares lose is then far below any tolerance.
SAFE = 1e-6


class BySample(Parted):
    """Data whose blocks hold all features of some samples."""

    def spans(self) -> Iterator[tuple[slice, Floats]]:
        """Yield minimum, maximum and sum of all features at once."""
        self.count_pass()
        total, low, high = totals(self.source)
        middle, q = self.blocks.middle, self.n_samples
        ends = np.stack([low - middle, high - middle])
        out = np.empty((3, *self.norms.shape))
        out[:2, 0], out[2, 0] = ends, total - q * middle
        if len(self.norms) == 2:
            ones = np.ones((q, 1))
            sums = self._scores(ones, count=True)[:, 0]
            out[:, 0] = np.maximum(ends[0], 0), np.maximum(ends[1], 0), sums[0]
            out[:, 1] = np.maximum(-ends[1], 0), np.maximum(-ends[0], 0), sums[1]
        yield slice(0, self.n_columns), out / np.where(self.norms > 0, self.norms, np.inf)

    def forward(self, dual: Floats, basis: Basis) -> Floats:
        """``α_i = m_iᵀ dual basisᵀ m_i``."""
        if basis is not None:
            return self._weigh(dual, basis, dual[:, :0])[0]
        alpha = np.zeros(self.n_features)
        for part in self._columns():
            alpha += self.forward(dual[:, part], _unit(self.n_samples, part))
        return alpha

    def adjoint(self, alpha: Floats, basis: Basis) -> Floats:
        """``A_α basis``, with ``A_α = Σ α_i m_i m_iᵀ``."""
        if basis is None:
            parts = [self.adjoint(alpha, _unit(self.n_samples, part)) for part in self._columns()]
            return np.hstack(parts)
        weights = np.asarray(alpha, dtype=float).reshape(self.norms.shape)
        return self._image(weights, self._standard(self._scores(basis, count=True)))

    def fused(self, dual: Floats, basis: Basis, target: Target = ...) -> tuple[Floats, Floats]:
        """``α = forward(dual, basis)`` and ``A_α target``; the target defaults to the basis."""
        target = basis if target is ... else target
        if basis is None or target is None:
            alpha = self.forward(dual, basis)
            return alpha, self.adjoint(alpha, target)
        alpha, scores = self._weigh(dual, basis, target)
        return alpha, self._image(alpha.reshape(self.norms.shape), scores)

    def adjoint_pairs(self, alpha: Floats, basis: Basis, pairs: Pairs) -> tuple[Floats, Floats]:
        """``A_α basis``, and the entry ``Σ α_i m_is m_it`` of every pair (s, t) of samples."""
        paired, inner = self._paired(pairs)
        entries = paired.adjoint_pairs(alpha, np.zeros((paired.n_samples, 0)), inner)[1]
        return self.adjoint(alpha, basis), entries

    def fused_pairs(
        self, dual: Floats, basis: Basis, pairs: Pairs, values: Floats, target: Target = ...
    ) -> tuple[Floats, Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i + Σ values_st m_is m_it``, then as `adjoint_pairs`."""
        target = basis if target is ... else target
        assert basis is not None
        assert target is not None
        paired, inner = self._paired(pairs)
        nothing = np.zeros((paired.n_samples, 1))
        alpha, scores = self._weigh(dual, basis, target)
        alpha += paired.fused_pairs(nothing, nothing, inner, values)[0]
        entries = paired.adjoint_pairs(alpha, nothing[:, :0], inner)[1]
        return alpha, self._image(alpha.reshape(self.norms.shape), scores), entries

    def reduced(self, members: Bools | None = None) -> Reduced:
        """Replace samples, or those that are marked, by dense data of as many as features."""
        self.check_factor()
        self.count_pass()
        chosen = np.ones(self.n_samples, dtype=bool) if members is None else members
        factor = self._factor(chosen)
        norms = np.where(self.norms > 0, self.norms, np.inf)[:, None]

        def scores(basis: Floats) -> Floats:
            frame = np.zeros((self.n_samples, basis.shape[1]))
            frame[chosen] = basis
            found = self._standard(self._scores(frame, count=True))
            return np.hstack([*found]).T

        def combine(inner: Floats) -> Floats:
            self.count_pass()
            coefficients = inner.T.reshape(inner.shape[1], len(norms), -1).transpose(1, 0, 2)
            image = self._combined(coefficients / norms)
            return image if members is None else image[chosen]

        return Reduced(Dense.of_factor(factor, self), *maps(factor, scores, combine))

    def _factor(self, chosen: Bools) -> Floats:
        """A matrix with the inner products of the features over the samples that are chosen.

        It is a root of these products where all digits that matter survive their squares, and
        else the triangular factor of the samples.
        """
        parts, given = self.source.parts, (self.blocks.middle, self.norms)
        products: Floats = np.zeros((self.n_features, self.n_features))
        for more in self.source.run(_products, ((*given, chosen[part]) for part in parts)):
            products += more
        values, axes = np.linalg.eigh(products)
        first = int((self.norms == 0).sum())
        if values[first] > SAFE * values[-1]:
            values[:first] = 0.0  # of constant features; as many rows as a triangular factor has
            root: Floats = np.sqrt(values[:, None]) * axes.T
            return root
        self.count_pass()
        factors = self.source.run(_triangular, ((*given, chosen[part]) for part in parts))
        return triangular_factor([np.vstack([*factors])])

    def _weigh(self, dual: Floats, basis: Floats, target: Floats) -> tuple[Floats, Floats]:
        """The weights, and the scores with the target."""
        distinct = {id(matrix): matrix for matrix in (dual, basis, target)}
        scores = self._standard(self._scores(np.hstack([*distinct.values()]), count=True))
        ends = np.cumsum([matrix.shape[1] for matrix in distinct.values()])
        parts = dict(zip(distinct, np.split(scores, ends[:-1], axis=1), strict=True))
        alpha = np.einsum("pci,pci->pi", parts[id(dual)], parts[id(basis)]).ravel()
        return alpha, parts[id(target)]

    def _standard(self, scores: Floats) -> Floats:
        """Scores of the standardised features."""
        return scores / np.where(self.norms > 0, self.norms, np.inf)[:, None]

    def _scores(self, frame: Floats, *, count: bool) -> Floats:
        """``Σ_s f(x_si) b_sc``, parts × columns of the frame × features."""
        if count:
            self.count_pass()
        middle, parts = self.blocks.middle, len(self.norms)
        given = ((middle, parts, np.ascontiguousarray(frame[part])) for part in self.source.parts)
        total: Floats = np.zeros((parts, frame.shape[1], self.n_columns))
        for more in self.source.run(_score, given):
            total += more
        return total

    def _image(self, weights: Floats, scores: Floats) -> Floats:
        """``Σ_i α_i m_i (m_iᵀ target)``, from the scores with the target."""
        self.count_pass()
        scale = weights / np.where(self.norms > 0, self.norms, np.inf)
        return self._combined(scores * scale[:, None])

    def _combined(self, coefficients: Floats) -> Floats:
        """``Σ_i f(x_si) c_i`` of every sample; coefficients are parts × columns × features."""
        given = self.blocks.middle, np.ascontiguousarray(coefficients)
        blocks = self.source.run(_combine, (given for _ in self.source.parts))
        image = np.empty((self.n_samples, coefficients.shape[1]), order="F")
        for part, block in zip(self.source.parts, blocks, strict=True):
            image[part] = block
        return image

    def _paired(self, pairs: Pairs) -> tuple[Dense, Pairs]:
        """The samples that are in pairs, in memory, and the pairs of these."""
        firsts = np.repeat(np.arange(self.n_samples), np.diff(pairs.starts))
        both = np.column_stack((firsts, pairs.seconds))[pairs.places]
        chosen, numbers = np.unique(both, return_inverse=True)
        _runtime.check_budget(
            f"X: {len(chosen)} samples in pairs",
            self.source.dtype.itemsize * len(chosen) * self.n_columns,
            "give fewer pairs",
        )
        every = slice(None)
        samples = [self.source.read(slice(s, s + 1), every) for s in chosen.tolist()]
        norms = np.array(self.norms)
        paired = Dense(
            columns=Columns(np.concatenate(samples).T, self.blocks.middle, norms),
            mean=self.mean,
            norm=self.norm,
            names=None,
            loses_rank=False,
            mean_free=False,
            floor=self.floor,
            counter=Counter(),
        )
        return paired, Pairs.sort(numbers.reshape(-1, 2), len(chosen))

    def _columns(self) -> list[slice]:
        """The columns of the identity, some at a time."""
        q = self.n_samples
        return [slice(i, min(i + COLUMNS, q)) for i in range(0, q, COLUMNS)]


def _unit(size: int, part: slice) -> Floats:
    """Some columns of the identity."""
    out = np.zeros((size, part.stop - part.start))
    out[np.arange(part.start, part.stop), np.arange(out.shape[1])] = 1.0
    return out


def _score(block: NDArray[Any], middle: Floats, parts: int, frame: Floats) -> Floats:
    out = np.zeros((row_passes.STRIPS, parts, frame.shape[1], len(middle)))
    row_passes.score(np.ascontiguousarray(block), middle, parts, frame, out)
    total: Floats = out.sum(axis=0)
    return total


def _pieces(block: NDArray[Any], middle: Floats, norms: Floats, chosen: Bools) -> Iterator[Floats]:
    """Yield the standardised samples of a block that are chosen, some at a time."""
    scale, step = 1 / np.where(norms > 0, norms, np.inf), max(SAMPLES, norms.size)
    for start in range(0, len(block), step):
        some = slice(start, start + step)
        if not chosen[some].any():
            continue
        taken = block[some] if chosen[some].all() else block[some][chosen[some]]
        shifted = taken - middle
        parts = [shifted] if len(norms) == 1 else [np.maximum(shifted, 0), np.maximum(-shifted, 0)]
        yield np.hstack([part * one for part, one in zip(parts, scale, strict=True)])


def _products(block: NDArray[Any], middle: Floats, norms: Floats, chosen: Bools) -> Floats:
    """Inner products of the standardised features over the chosen samples of a block.

    Not by BLAS, whose threads compete with those of the passes, and with each other where blocks
    are multiplied side by side: on a busy machine that took twenty times as long.
    """
    total: Floats = np.zeros((norms.size, norms.size))
    for rows in _pieces(block, middle, norms, chosen):
        rows.flags.writeable = False
        shift, scale = np.zeros(len(rows)), np.ones((1, len(rows)))
        with serial():
            total += whole.sweep(Columns(rows, shift, scale), None, np.ones(len(rows)))[1]
    return total


def _triangular(block: NDArray[Any], middle: Floats, norms: Floats, chosen: Bools) -> Floats:
    """R of a QR factorisation of the same samples."""
    nothing = np.zeros((0, norms.size))
    return triangular_factor([nothing, *_pieces(block, middle, norms, chosen)])


def _combine(block: NDArray[Any], middle: Floats, coefficients: Floats) -> Floats:
    image = np.empty((len(block), coefficients.shape[1]))
    row_passes.combine(np.ascontiguousarray(block), middle, coefficients, image)
    return image
