"""Parameter-free weights, roughly: all directions of the affinity but the leading ones are alike.

The weights are a fixed point, ``α_i ∝ m_iᵀ A_α m_i``. Let U be k leading eigenvectors of ``A_α``
and λ their eigenvalues. The trace of ``A_α`` is known, ``Σ α_i |m_i|²``, and so is the mean τ of
all other eigenvalues. With τ in the place of each of them

    m_iᵀ A_α m_i  ≈  Σ_c (λ_c - τ) (m_iᵀ u_c)² + τ |m_i|².

A step takes these for the next weights and multiplies U by the affinity: it forms no matrix of
samples × samples. The first U is that of equal weights, see `linalg.leading_pairs`, which forms
one where the samples are few. What clusters is in U. Where nothing does, the order of weights that
are nearly alike means little.

The error ``m_iᵀ R m_i``, R being the affinity less its approximation, is estimated in the end with
random vectors z: its mean over z is ``m_iᵀ R z zᵀ m_i``.
"""

from typing import NamedTuple

import numpy as np

from specsel import _data, linalg
from specsel._validate import Floats

# The most steps, and the random vectors for the error.
MOST_STEPS = 100
PROBES = 64


class Rough(NamedTuple):
    """Weights that are approximate, and what the affinity looked like."""

    alpha: Floats
    basis: Floats  # U
    image: Floats  # A_α U
    history: list[float]
    converged: bool
    error: float  # largest error of a weight over the largest weight, by estimate


def lead_roughly(data: _data.Data, k: int, *, tol: float) -> Rough:
    """Find the leading weights with k directions, until a step changes hardly anything.

    The objective then changed by at most the share `tol`, and the weights, whose error counts
    squared in it, by at most the root of `tol`. What rounding leaves of a pass is the least `tol`.
    """
    tol = max(tol, data.floor)
    squares = data.squares
    alpha = np.sqrt(squares) / np.linalg.norm(np.sqrt(squares))
    basis = _data.affinity_subspace(data, alpha, k)
    history: list[float] = []
    while True:
        image = data.adjoint(alpha, basis)
        values, rotation = linalg.largest_modulus(basis.T @ image, k)
        basis, image = basis @ rotation, image @ rotation
        rest, size = _rest(data, alpha, values)
        history.append(float(values @ values + size * rest**2))
        found = data.forward(basis * (values - rest), basis) + rest * squares
        found /= np.linalg.norm(found)
        moved = float(np.linalg.norm(found - alpha))
        rose = history[-1] - history[-2] if len(history) > 1 else np.inf
        converged = moved**2 <= tol and abs(rose) <= tol * history[-1]
        if converged or len(history) == MOST_STEPS:
            error = _error(data, alpha, basis, values)
            return Rough(alpha, basis, image, history, converged, error)
        alpha, basis = found, linalg.orthonormal(image)


def _rest(data: _data.Data, alpha: Floats, values: Floats) -> tuple[float, int]:
    """The mean of the other eigenvalues, and how many there are."""
    size = data.rank_bound - len(values)
    left = float(np.einsum("i,i", alpha, data.squares)) - values.sum()
    return (max(left / size, 0.0) if size > 0 else 0.0), size


def _error(data: _data.Data, alpha: Floats, basis: Floats, values: Floats) -> float:
    """The largest error, as random vectors show it; chance makes it look larger, not smaller."""
    rest = _rest(data, alpha, values)[0]
    probes = np.random.default_rng(0).standard_normal((data.n_samples, PROBES))
    known = basis * (values - rest) @ (basis.T @ probes) + rest * probes
    unknown = data.adjoint(alpha, probes) - known
    errors = data.forward(unknown / PROBES, probes)
    found = data.forward(basis * (values - rest), basis) + rest * data.squares
    return float(np.abs(errors).max() / found.max())
