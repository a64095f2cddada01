"""Weights that maximise a quadratic form of the whole affinity ``A_α``, samples × samples.

The form is ``<A_α, J A_α>``; J is a symmetric linear map of matrices, the identity for the energy
of all directions. Row i of Φ being ``vec(m_i m_iᵀ)``, the weights are the leading eigenvector of
``Φ J Φᵀ``, which one pass multiplies: it finds ``α' = Φ J A_α`` and, at once, the affinity of α'.
So the affinity of every weights that a Krylov method comes by is known, and that of all their
combinations.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel import _data, _runtime, linalg
from specsel._validate import Floats

# A symmetric linear map J of the whole affinity: A -> J A.
Form = Callable[[Floats], Floats]

# The most passes, the most weights that are kept, and how much memory they may take with their
# affinities: this share of X, or this many bytes if that is more.
MOST_PASSES = 300
MOST_KEPT = 60
KEPT_SHARE = 0.08
KEPT_BYTES = 2**24

# The fewest weights that are kept, whatever their memory; and how many arrays of samples x samples
# are held beside those of the weights.
LEAST_KEPT = 6
COPIES = 4

# An affinity that came by differences is computed again where it is off by so many roundings.
MOST_ROUNDINGS = 1e3

# The loosest tolerance where values may be negative. The next value may then long be taken for one
# far below it, so that less seems to be left to gain than is.
SIGNED_TOL = 1e-6

# Duals are divided by what exceeds this power of two.
MODERATE = 60


class Found(NamedTuple):
    """The leading weights, their affinity, and how they were found."""

    alpha: Floats
    affinity: Floats
    history: list[float]  # the value of the form after every pass
    converged: bool


class Known:
    """Orthonormal weights, each with its affinity."""

    def __init__(self, data: _data.Data, alpha: Floats) -> None:
        self.data = data
        check_budget(data.n_samples)
        q, n = data.n_samples, data.n_features
        most = max(KEPT_SHARE * n * q, KEPT_BYTES / 8) / (n + q**2)
        self.most = int(np.clip(most, LEAST_KEPT, MOST_KEPT))
        self.alphas = [alpha / _norm(alpha)]
        self.affinities = [data.adjoint(self.alphas[0], None)]
        self.roundings = [1.0]  # how far each affinity may be off

    def add(self, alpha: Floats, affinity: Floats, most_roundings: float) -> float:
        """Add what is new in weights; return how much that is, or 0 if it may be rounding.

        Affinities that so many roundings may have put off are computed again.
        """
        size = whole = roundings = _norm(alpha)
        for _ in range(2):
            before = size
            for i, known in enumerate(self.alphas):
                share = np.einsum("i,i", known, alpha)
                alpha = alpha - share * known
                affinity = affinity - share * self.affinities[i]
                roundings += abs(share) * self.roundings[i]
            size = _norm(alpha)
        # What is rounding alone does not stay orthogonal.
        if size <= self.data.floor * whole or size < 0.5 * before:
            return 0.0
        alpha, affinity, roundings = alpha / size, affinity / size, roundings / size
        if roundings > most_roundings:
            affinity, roundings = self.data.adjoint(alpha, None), 1.0
        self.alphas.append(alpha)
        self.affinities.append(affinity)
        self.roundings.append(roundings)
        return size

    def combined(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """The weights with given coefficients, and their affinity."""
        return _combined(coefficients, self.alphas), _combined(coefficients, self.affinities)

    def keep(self, best: Floats) -> None:
        """Keep a few combinations, whose coefficients are orthonormal rows."""
        self.alphas = [_combined(row, self.alphas) for row in best]
        self.affinities = [_combined(row, self.affinities) for row in best]
        self.roundings = (np.abs(best) @ self.roundings).tolist()


class Krylov(Known):
    """Weights each of which is the next that ``Φ J Φᵀ`` makes of the last.

    `values` is ``Φ J Φᵀ`` as these weights see it.
    """

    def __init__(self, data: _data.Data, form: Form, alpha: Floats) -> None:
        super().__init__(data, alpha)
        self.form = form
        self.values = np.array([[self._value(self.affinities[0])]])

    def extend(self) -> float:
        """Read the data once and add the next weights; return how much of them was new.

        Where that may be rounding, nothing is added.
        """
        if len(self.alphas) > self.most:
            self._shrink()
        size = self.add(*image(self.data, self.form(self.affinities[-1])), MOST_ROUNDINGS)
        if size:
            coupled = np.zeros(len(self.values))
            coupled[-1] = size
            corner = self._value(self.affinities[-1])
            self.values = np.block([[self.values, coupled[:, None]], [coupled, corner]])
        return size

    def lead(self, tol: float, *, signed: bool) -> tuple[Floats, list[float], bool]:
        """Extend until the leading value is known; return coefficients and all its values."""
        history: list[float] = []
        converged = False
        tol = min(tol, SIGNED_TOL) if signed else tol
        while True:
            values, vectors = linalg.eigen(self.values)
            value, scale = float(values[-1]), float(np.abs(values).max())
            history.append(value)
            if converged or len(history) == MOST_PASSES:
                return vectors[:, -1], history, converged
            # What is still to be gained is the squared residual over the distance to the next.
            distance = value - values[-2] if len(values) > 1 else 0.5 * scale
            new = self.extend()
            residual = abs(vectors[-1, -1]) * new
            # Where values may be negative, weights near the least must not pass for the leading.
            enough = value >= 0 or not signed
            small = residual <= self.data.floor * scale
            small = small or residual**2 <= tol * distance * abs(value)
            converged = new == 0 or (enough and small)

    def _value(self, affinity: Floats) -> float:
        return float(np.einsum("st,st", affinity, self.form(affinity)))

    def _shrink(self) -> None:
        """Keep the better half of the combinations, and the last weights."""
        vectors = linalg.eigen(self.values[:-1, :-1])[1]
        best = np.zeros((self.most // 2 + 1, len(self.values)))
        best[:-1, :-1] = vectors[:, -(self.most // 2) :].T
        best[-1, -1] = 1.0
        self.values = best @ self.values @ best.T
        self.keep(best)


def lead(data: _data.Data, form: Form | None = None, *, tol: float) -> Found:
    """Find the leading weights of a form, by default of the energy of all directions.

    It ends when more passes can raise the value by no more than the share `tol` of it.
    """
    # Constant features are left out: they add 0 to the value, which may be more than any.
    varies = (data.norms.ravel() > 0).astype(float)
    found = _lead(data, form, varies, tol)
    if found.history[-1] == 0.0:
        # Equal weights may have no part in any that count. These have, but by chance.
        found = _lead(data, form, varies * linalg.generic(varies.shape), tol)
    return found


def _lead(data: _data.Data, form: Form | None, start: Floats, tol: float) -> Found:
    space = Krylov(data, np.asarray if form is None else form, start)
    coefficients, history, converged = space.lead(tol, signed=form is not None)
    return Found(*space.combined(coefficients), history, converged)


class WholeAffinity:
    """Weights that maximise a quadratic form of all of ``A_α``, an array of q x q for q samples.

    Row i of Φ is ``vec(m_i m_iᵀ)``, so that a dual is q x q and ``Φᵀ α`` is ``A_α``. The form is
    ``<A_α, J A_α>``, and J is given as a function. Where there are fewer weights than entries of
    the affinity, the vectors of the Krylov method are weights instead, with two passes per step.
    """

    def __init__(self, data: _data.Data) -> None:
        check_budget(data.n_samples, climbs=False)
        self.data = data
        self.weights_are_smaller = data.n_features <= data.n_samples**2

    def product(self, vector: Floats) -> Floats:
        """``ΦᵀΦ vector``; the vector itself where vectors are weights."""
        return vector if self.weights_are_smaller else self.data.fused(vector, None)[1]

    def signs(self, image: Floats, form: Form) -> Floats:
        """``J image``; ``Φ J Φᵀ image`` where vectors are weights."""
        if not self.weights_are_smaller:
            return form(image)
        dual = form(self.data.adjoint(image, None))
        # A form may be so large that float32 cannot hold it; a power of two changes no digit.
        scale = 2.0 ** max(np.frexp(np.abs(dual).max())[1] - MODERATE, 0)
        return self.data.forward(dual / scale, None) * scale

    def enter(self, form: Form) -> Floats:
        """Return the vector of equal weights, with which the Krylov method begins."""
        # Constant features are left out: they add 0 to the objective, which may be more than any.
        equal = (self.data.norms.ravel() > 0).astype(float)
        return equal if self.weights_are_smaller else form(self.data.adjoint(equal, None))

    def weights(self, pair: linalg.Leading) -> tuple[Floats, Floats]:
        """Return the weights of a leading pair, and the affinity with those weights."""
        if self.weights_are_smaller:
            return pair.dual, self.data.adjoint(pair.dual, None)
        return self.data.forward(pair.dual, None), pair.image


def image(data: _data.Data, dual: Floats) -> tuple[Floats, Floats]:
    """Weights ``Φ dual`` and their affinity."""
    # A form may be so large that float32 cannot hold it; a power of two changes no digit.
    size = float(np.abs(dual).max())
    scale = 2.0 ** max(np.frexp(size)[1] - MODERATE, 0)
    alpha, affinity = data.fused(dual / scale, None)
    return alpha * scale, affinity * scale


def check_budget(n_samples: int, *, climbs: bool = True, way: str = "") -> None:
    """Refuse so many samples that their affinities would not fit; who climbs keeps several.

    `way` is what else the user may do.
    """
    _runtime.check_budget(
        f"X: affinities of {n_samples} x {n_samples} samples",
        (COPIES + LEAST_KEPT * climbs) * 8 * n_samples**2,
        f"take {way}fewer samples, or the energy criterion of qalpha, which needs no affinities",
    )


def _norm(vector: Floats) -> float:
    return float(np.sqrt(np.einsum("i,i", vector, vector)))


def _combined(coefficients: Floats, arrays: list[Floats]) -> Floats:
    """Not by BLAS, whose threads would compete with those of the passes."""
    total = coefficients[0] * arrays[0]
    for coefficient, array in zip(coefficients[1:], arrays[1:], strict=True):
        total += coefficient * array
    return total
