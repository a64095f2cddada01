"""What a support is worth by each criterion, and what is left of it after a change of H.

The eigenvalues λ of a support are those of a small matrix H, see `tableau`. A change of the
support subtracts ``lowered loweredᵀ`` from H and adds ``raised raisedᵀ``. Both vectors are given
in the axes of H, where H is diagonal. Trace and log-det then follow at once. The largest
eigenvalue takes a bisection. Only a change that raises it above the best value so far is worth
that, and the signs of a 2 x 2 matrix tell which changes do.
"""

import numpy as np

from specsel import linalg
from specsel._runtime import jit
from specsel._validate import WORTHS, Floats

# The criteria as kernels know them: places in `WORTHS`.
LEADING, TRACE, LOGDET = (WORTHS.index(name) for name in ("leading", "trace", "logdet"))

# Halvings of an interval that holds an eigenvalue, down to rounding.
BISECTIONS = 60

# Replaces a distance of zero between a target and an eigenvalue.
APART = 1e-150


def value_of(inner: Floats, criterion: int) -> float:
    """Return what H is worth."""
    return float(worth(linalg.eigen(inner)[0], criterion))


@jit
def worth(values, criterion):
    """Return what the eigenvalues of H are worth."""
    if criterion == LEADING:
        return values[-1]
    total = 0.0
    for value in values:
        total += value if criterion == TRACE else np.log1p(max(value, 0.0))
    return total


@jit
def improved(best, target, values, lowered, raised, criterion):
    """Return what ``diag(values) - lowered loweredᵀ + raised raisedᵀ`` is worth.

    If that does not exceed the target, return minus infinity. `best` is at most the target.
    """
    if criterion == LEADING:
        if not exceeds(target, values, lowered, raised):
            return -np.inf
        return largest(best, values, lowered, raised)
    if criterion == TRACE:
        value = worth(values, TRACE)
        for i in range(len(values)):
            value += raised[i] * raised[i] - lowered[i] * lowered[i]
    else:
        value = worth(values, LOGDET) + _gain(values, lowered, raised)
    return value if value > target else -np.inf


@jit
def _gain(values, lowered, raised):
    """Return by how much a change raises ``log det(I + H)``, by the determinant lemma."""
    less, more, both = 1.0, 1.0, 0.0
    for i in range(len(values)):
        share = 1.0 / (1.0 + max(values[i], 0.0))
        less -= share * lowered[i] * lowered[i]
        more += share * raised[i] * raised[i]
        both += share * lowered[i] * raised[i]
    determinant = less * more + both * both
    return np.log(determinant) if determinant > 0 else -np.inf


@jit
def exceeds(target, values, lowered, raised):
    """Tell if ``diag(values) - lowered loweredᵀ + raised raisedᵀ`` has an eigenvalue above target.

    Border ``target - diag(values)`` by both vectors. The signs of its diagonal, and those of the
    2 x 2 Schur complement of the border, count the eigenvalues above the target (inertia adds up).
    The eigenvalue nearest to the target is kept out of the sums: its term would drown the others,
    while in the determinant its square cancels.
    """
    near, above = 0, 0
    for i in range(len(values)):
        if abs(target - values[i]) < abs(target - values[near]):
            near = i
    a, b, c = 1.0, 0.0, -1.0
    for i in range(len(values)):
        distance = target - values[i] or APART
        above += distance < 0
        if i != near:
            a += lowered[i] * lowered[i] / distance
            b += lowered[i] * raised[i] / distance
            c += raised[i] * raised[i] / distance
    low, high, distance = lowered[near], raised[near], target - values[near] or APART
    determinant = (a * c - b * b) * distance + a * high * high + c * low * low - 2 * b * low * high
    trace = (a + c) * distance + low * low + high * high
    if distance < 0:
        determinant, trace = -determinant, -trace
    if determinant < 0:
        return above >= 1
    return above + 2 * (trace > 0) >= 2


@jit
def largest(low, values, lowered, raised):
    """Return the largest eigenvalue of the same matrix; it must lie above `low`."""
    high = values[-1]
    for i in range(len(values)):
        high += raised[i] * raised[i]
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if exceeds(middle, values, lowered, raised):
            low = middle
        else:
            high = middle
    return low
