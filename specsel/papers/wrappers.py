"""Selection around a support vector machine, which the papers compare with.

- `eliminated`: recursive feature elimination (Guyon et al., Machine Learning 2002). A machine is
  trained, the features whose loss would change its margin least go, and so on.
- `bounded`: the radius-margin bound (Weston et al., NIPS 2001). Features are multiplied by scales,
  and gradient descent on the bound R² ‖w‖² finds the scales; the features of small scale go.

Both halve the number of features until it is the one that is asked for. The machine's errors count
as squares, so that ``K + ridge I`` is its kernel matrix, and it separates any samples.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from specsel._validate import Floats, Integers

RIDGE = 0.1  # share of the mean diagonal of K
STEPS = 10  # of gradient descent, before features go
STEP = 0.2  # length of a step, as a share of the scales
ROUNDS = 300  # of the search for the smallest ball


class Linear:
    """The kernel ``x·z``: its values, and what the derivative by a scale multiplies."""

    def of(self, products: Floats, n: int) -> Floats:
        """Values for n features, from the inner products."""
        return products

    def slope(self, products: Floats, n: int) -> Floats:
        """Derivative of the values by the inner products."""
        return np.ones_like(products)


class Quadratic:
    """The kernel ``(x·z / n + 1)²`` for n features."""

    def of(self, products: Floats, n: int) -> Floats:
        """Values for n features, from the inner products."""
        return (products / n + 1) ** 2

    def slope(self, products: Floats, n: int) -> Floats:
        """Derivative of the values by the inner products."""
        return 2 * (products / n + 1) / n


Kernel = Linear | Quadratic


class Bound(NamedTuple):
    """R² ‖w‖², and its derivative by the scale of every feature."""

    value: float
    gradient: Floats


def eliminated(X: Floats, y: Integers, n: int, kernel: Kernel) -> Integers:
    """Features that recursive elimination leaves, in the order of the columns."""

    def losses(kept: Integers) -> Floats:
        Z = X[:, kept]
        products = Z @ Z.T
        duals = _duals(kernel.of(products, len(kept)), y)
        slope = kernel.slope(products, len(kept)) * np.outer(duals, duals)
        return (Z * (slope @ Z)).sum(axis=0)

    return _halved(X.shape[1], n, losses)


def bounded(X: Floats, y: Integers, n: int, kernel: Kernel) -> Integers:
    """Features of the largest scales under the radius-margin bound, in the order of columns."""
    scales = np.ones(X.shape[1])

    def importance(kept: Integers) -> Floats:
        for _ in range(STEPS):
            gradient = bound(X[:, kept] * scales[kept], y, kernel).gradient
            size = np.abs(gradient).max()
            if size == 0:
                break
            scales[kept] *= 1 - STEP * gradient / size
        scales[kept] /= np.sqrt(np.mean(scales[kept] ** 2))
        return scales[kept]

    return _halved(X.shape[1], n, importance)


def bound(Z: Floats, y: Integers, kernel: Kernel) -> Bound:
    """The bound for scaled features, and its derivative by the logarithm of every scale."""
    n = Z.shape[1]
    products = Z @ Z.T
    values, slope = kernel.of(products, n), kernel.slope(products, n)
    duals = _duals(values, y)
    signed = np.outer(duals, duals)
    squared_weight = float(2 * np.abs(duals).sum() - (signed * _ridged(values)).sum())
    shares = _center(values)
    squared_radius = float(shares @ np.diag(values) - shares @ values @ shares)

    def derivative(weights: Floats) -> Floats:
        return 2 * (Z * ((weights * slope) @ Z)).sum(axis=0)

    ridge = RIDGE / len(values) * np.trace(signed) * np.eye(len(values))  # it grows with K
    margin = -derivative(signed + ridge)
    radius = derivative(np.diag(shares) - np.outer(shares, shares))
    gradient = squared_weight * radius + squared_radius * margin
    return Bound(squared_radius * squared_weight, gradient)


def _halved(n_features: int, n: int, importance: Callable[[Integers], Floats]) -> Integers:
    """Drop the less important half of the features, again and again, until n are left."""
    kept = np.arange(n_features)
    while len(kept) > n:
        order = np.argsort(-importance(kept), kind="stable")
        kept = np.sort(kept[order[: max(n, len(kept) // 2)]])
    return kept


def _ridged(values: Floats) -> Floats:
    return values + RIDGE * np.trace(values) / len(values) * np.eye(len(values))


def _duals(values: Floats, y: Integers) -> Floats:
    """Signed dual variables of the machine."""
    from sklearn.svm import SVC

    model = SVC(kernel="precomputed", C=1e6, tol=1e-8).fit(_ridged(values), y)
    duals = np.zeros(len(y))
    duals[model.support_] = model.dual_coef_[0]
    return duals


def _center(values: Floats) -> Floats:
    """Shares of the samples whose mean is the center of the smallest ball (Frank and Wolfe)."""
    shares = np.full(len(values), 1 / len(values))
    diagonal = np.diag(values)
    for i in range(ROUNDS):
        farthest = np.argmax(diagonal - 2 * values @ shares)
        shares *= 1 - 2 / (i + 3)
        shares[farthest] += 2 / (i + 3)
    return shares
