"""Symmetric matrices of one thread: the leading eigenvector, and counts of eigenvalues.

For simulations that run a trial a thread, where a library's own threads would be in the way. A
matrix is packed, the rows of its lower triangle one after another: a product reads it once.
"""

import numpy as np

from specsel.linalg import jit

# Lanczos vectors kept before a restart from the best one; restarts.
STEPS = 100
RESTARTS = 50

# The step of the first look at the eigenvector, and steps between two.
FIRST_LOOK = 8
LOOK_EVERY = 3

# The error of a vector below which nothing is left to be gained.
ERROR_FLOOR = 1e-11

# The second eigenvalue is at least what Lanczos has found of it, so that the gap below the first
# is at most what is seen. The error of the vector is estimated from a gap this many times as
# narrow, which is cautious but no proof.
SAFETY = 4.0

# Halvings of an interval that give an eigenvalue to rounding, and to a few digits.
HALVINGS = 60
FEW_HALVINGS = 12

# What is left of a vector, relative, where rounding is all that is left.
BREAKDOWN = 1e-13

TINY = 1e-300


@jit
def product(matrix, vector, out):
    """Packed matrix times vector."""
    out[:] = 0.0
    start = 0
    for i in range(len(vector)):
        row = matrix[start : start + i]
        inner, own = 0.0, vector[i]
        for j in range(i):
            inner += row[j] * vector[j]
            out[j] += row[j] * own
        out[i] += inner + matrix[start + i] * own
        start += i + 1


@jit
def leading(matrix, vector, signs_only):
    """Eigenvector of the largest eigenvalue, from a start that it replaces; the eigenvalue.

    Lanczos with full orthogonalisation. For the signs alone it ends once the error, as estimated,
    cannot change them.

    Returns
    -------
    value, error : float
        Of the vector, an estimate of the error in norm, and so of that in every entry.
    """
    steps = min(STEPS, len(vector))
    basis = np.empty((steps + 1, len(vector)))
    diagonal, beside, weights = np.empty(steps), np.empty(steps), np.empty(steps)
    value, error = 0.0, np.inf
    for _ in range(RESTARTS):
        basis[0] = vector / _norm(vector)
        for step in range(steps):
            more = _step(matrix, basis, step, diagonal, beside)
            last = step == steps - 1 or not more
            if not last and (step < FIRST_LOOK or (step - FIRST_LOOK) % LOOK_EVERY):
                continue
            value, second = _top_two(diagonal[: step + 1], beside[:step])
            _top_vector(diagonal[: step + 1], beside[:step], value, weights)
            vector[:] = 0.0
            for i in range(step + 1):
                for j in range(len(vector)):
                    vector[j] += weights[i] * basis[i, j]
            left = beside[step] * abs(weights[step]) if more else 0.0
            error = SAFETY * left / max(value - second, TINY)
            if error <= ERROR_FLOOR or (signs_only and _certain(vector, error)):
                return value, error
            if last:
                break
    return value, error


@jit
def tridiagonal(matrix, vector, diagonal, beside):
    """Orthogonally similar tridiagonal matrix, by Lanczos to the end from a generic start."""
    n = len(vector)
    basis = np.empty((n + 1, n))
    basis[0] = vector / _norm(vector)
    for step in range(n):
        if not _step(matrix, basis, step, diagonal, beside) and step < n - 1:
            beside[step] = 0.0
            basis[step + 1] = np.roll(vector, step + 1)
            _orthogonalise(basis, step)
            basis[step + 1] /= _norm(basis[step + 1])


@jit
def _step(matrix, basis, step, diagonal, beside):
    """Next Lanczos vector and entries of the tridiagonal matrix; whether there is a next."""
    following = basis[step + 1]
    product(matrix, basis[step], following)
    size = _norm(following)
    diagonal[step] = _dot(following, basis[step])
    _orthogonalise(basis, step)
    beside[step] = _norm(following)
    more = beside[step] > BREAKDOWN * size
    if more:
        following /= beside[step]
    return more


@jit
def _orthogonalise(basis, step):
    """Take off the next vector what lies in the span of those before, twice."""
    following = basis[step + 1]
    for _ in range(2):
        for i in range(step, -1, -1):
            overlap = _dot(following, basis[i])
            for j in range(len(following)):
                following[j] -= overlap * basis[i, j]


@jit
def count_above(diagonal, beside, bound):
    """Eigenvalues of a tridiagonal matrix above a bound, by Sylvester's law of inertia."""
    count, pivot = 0, 1.0
    for i in range(len(diagonal)):
        square = beside[i - 1] ** 2 if i > 0 else 0.0
        pivot = bound - diagonal[i] - square / pivot
        if abs(pivot) < TINY:
            pivot = TINY
        count += pivot < 0.0
    return count


@jit
def _top_two(diagonal, beside):
    """Two largest eigenvalues of a tridiagonal matrix, the second to a few digits."""
    low, high = np.inf, -np.inf
    for i in range(len(diagonal)):
        radius = (beside[i - 1] if i > 0 else 0.0) + (beside[i] if i < len(beside) else 0.0)
        low, high = min(low, diagonal[i] - radius), max(high, diagonal[i] + radius)
    first = _bisect(diagonal, beside, low, high, 0, HALVINGS)
    if len(diagonal) == 1:
        return first, -np.inf
    return first, _bisect(diagonal, beside, low, first, 1, FEW_HALVINGS)


@jit
def _bisect(diagonal, beside, low, high, allowed, halvings):
    """Least upper bound with at most so many eigenvalues above it."""
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        if count_above(diagonal, beside, middle) > allowed:
            low = middle
        else:
            high = middle
    return high


@jit
def _top_vector(diagonal, beside, value, out):
    """Unit eigenvector of the largest eigenvalue, by inverse iteration.

    A shift just above the eigenvalue leaves a definite matrix, which needs no pivoting.
    """
    m = len(diagonal)
    shift = value + 1e-14 * (abs(value) + TINY)
    pivots = np.empty(m)
    out[:m] = 1.0
    for _ in range(3):
        for i in range(m):
            square = beside[i - 1] ** 2 / pivots[i - 1] if i > 0 else 0.0
            pivots[i] = max(shift - diagonal[i] - square, TINY)
            if i > 0:
                out[i] += beside[i - 1] / pivots[i - 1] * out[i - 1]
        out[m - 1] /= pivots[m - 1]
        for i in range(m - 2, -1, -1):
            out[i] = (out[i] + beside[i] * out[i + 1]) / pivots[i]
        out[:m] /= _norm(out[:m])


@jit
def positive(vector, error):
    """Whether all entries have one sign, beyond the error."""
    low, high = np.min(vector), np.max(vector)
    return low > error or high < -error


@jit
def _certain(vector, error):
    """Whether an error of this size cannot change whether all entries have one sign."""
    mixed = np.min(vector) < -error and np.max(vector) > error
    return mixed or positive(vector, error)


@jit
def _dot(left, right):
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


@jit
def _norm(vector):
    return np.sqrt(_dot(vector, vector))
