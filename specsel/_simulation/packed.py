"""Leading eigenvectors of symmetric matrices, and counts of their eigenvalues, in one thread.

The trials of a simulation run in parallel, where the threads of a linear algebra library would be
in the way. A matrix is packed: it is stored as the rows of its lower triangle, one after another,
so that a product reads every entry once. A tridiagonal matrix is two vectors, `diagonal` and
`off_diagonal`.
"""

import numpy as np

from specsel._runtime import jit

# Lanczos vectors before a restart from the best vector in their span; and restarts.
STEPS = 100
RESTARTS = 50

# The first step after which the eigenvector is computed, and the number of steps until the next.
FIRST_LOOK = 8
LOOK_EVERY = 3

# More steps cannot improve a vector whose error is below this.
ERROR_FLOOR = 1e-11

# The error of the vector is estimated from the gap between the first two eigenvalues. What Lanczos
# finds of the second is at most that eigenvalue, so the true gap may be narrower than the one
# found. The estimate assumes that it is this many times as narrow: cautious, but no proof.
SAFETY = 4.0

# Halvings of an interval that give an eigenvalue to full precision, and to a few digits.
HALVINGS = 60
FEW_HALVINGS = 12

# Where only this share of a vector is left by orthogonalisation, the rest is rounding.
BREAKDOWN = 1e-13

# Keeps divisors away from 0.
TINY = 1e-300


@jit
def product(matrix, vector, out):
    """Multiply a packed matrix by a vector."""
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
    """Find the largest eigenvalue and its unit eigenvector, which replaces the start in `vector`.

    Lanczos with full orthogonalisation. If only the signs of the eigenvector matter, it ends as
    soon as the estimated error cannot change whether they are all alike.

    Returns
    -------
    value, error : float
        The eigenvalue, and an estimate of the norm of the error of the vector, which bounds the
        error of every entry.
    """
    steps = min(STEPS, len(vector))
    basis = np.empty((steps + 1, len(vector)))
    diagonal, off_diagonal, weights = np.empty(steps), np.empty(steps), np.empty(steps)
    value, error = 0.0, np.inf
    for _ in range(RESTARTS):
        basis[0] = vector / _norm(vector)
        for step in range(steps):
            more = _step(matrix, basis, step, diagonal, off_diagonal)
            last = step == steps - 1 or not more
            if not last and (step < FIRST_LOOK or (step - FIRST_LOOK) % LOOK_EVERY):
                continue
            value, second = _top_two(diagonal[: step + 1], off_diagonal[:step])
            _top_vector(diagonal[: step + 1], off_diagonal[:step], value, weights)
            vector[:] = 0.0
            for i in range(step + 1):
                for j in range(len(vector)):
                    vector[j] += weights[i] * basis[i, j]
            left = off_diagonal[step] * abs(weights[step]) if more else 0.0
            error = SAFETY * left / max(value - second, TINY)
            if error <= ERROR_FLOOR or (signs_only and _certain(vector, error)):
                return value, error
            if last:
                break
    return value, error


@jit
def tridiagonal(matrix, vector, diagonal, off_diagonal):
    """Find a tridiagonal matrix with the same eigenvalues, by all n Lanczos steps.

    The start, `vector`, should be random. Where Lanczos breaks down, as it does with a repeated
    eigenvalue, it goes on from the start with its entries rotated.
    """
    n = len(vector)
    basis = np.empty((n + 1, n))
    basis[0] = vector / _norm(vector)
    for step in range(n):
        if not _step(matrix, basis, step, diagonal, off_diagonal) and step < n - 1:
            off_diagonal[step] = 0.0
            basis[step + 1] = np.roll(vector, step + 1)
            _orthogonalise(basis, step)
            basis[step + 1] /= _norm(basis[step + 1])


@jit
def _step(matrix, basis, step, diagonal, off_diagonal):
    """Add the next Lanczos vector and the next entries; return whether a next vector exists."""
    following = basis[step + 1]
    product(matrix, basis[step], following)
    size = _norm(following)
    diagonal[step] = _dot(following, basis[step])
    _orthogonalise(basis, step)
    off_diagonal[step] = _norm(following)
    more = off_diagonal[step] > BREAKDOWN * size
    if more:
        following /= off_diagonal[step]
    return more


@jit
def _orthogonalise(basis, step):
    """Make the next vector orthogonal to those before; twice, for once leaves rounding."""
    following = basis[step + 1]
    for _ in range(2):
        for i in range(step, -1, -1):
            overlap = _dot(following, basis[i])
            for j in range(len(following)):
                following[j] -= overlap * basis[i, j]


@jit
def count_above(diagonal, off_diagonal, bound):
    """Count the eigenvalues of a tridiagonal matrix above a bound (Sylvester's law of inertia)."""
    count, pivot = 0, 1.0
    for i in range(len(diagonal)):
        square = off_diagonal[i - 1] ** 2 if i > 0 else 0.0
        pivot = bound - diagonal[i] - square / pivot
        if abs(pivot) < TINY:
            pivot = TINY
        count += pivot < 0.0
    return count


@jit
def _top_two(diagonal, off_diagonal):
    """Return the two largest eigenvalues of a tridiagonal matrix, the second to a few digits."""
    low, high = np.inf, -np.inf
    for i in range(len(diagonal)):
        radius = (off_diagonal[i - 1] if i > 0 else 0.0) + (
            off_diagonal[i] if i < len(off_diagonal) else 0.0
        )
        low, high = min(low, diagonal[i] - radius), max(high, diagonal[i] + radius)
    first = _bisect(diagonal, off_diagonal, low, high, 0, HALVINGS)
    if len(diagonal) == 1:
        return first, -np.inf
    return first, _bisect(diagonal, off_diagonal, low, first, 1, FEW_HALVINGS)


@jit
def _bisect(diagonal, off_diagonal, low, high, allowed, halvings):
    """Return the smallest number that has at most `allowed` eigenvalues above it."""
    for _ in range(halvings):
        middle = 0.5 * (low + high)
        if count_above(diagonal, off_diagonal, middle) > allowed:
            low = middle
        else:
            high = middle
    return high


@jit
def _top_vector(diagonal, off_diagonal, value, out):
    """Find the unit eigenvector of the largest eigenvalue by inverse iteration.

    A shift just above the eigenvalue makes the matrix definite, so that no pivoting is needed.
    """
    m = len(diagonal)
    shift = value + 1e-14 * (abs(value) + TINY)
    pivots = np.empty(m)
    out[:m] = 1.0
    for _ in range(3):
        for i in range(m):
            square = off_diagonal[i - 1] ** 2 / pivots[i - 1] if i > 0 else 0.0
            pivots[i] = max(shift - diagonal[i] - square, TINY)
            if i > 0:
                out[i] += off_diagonal[i - 1] / pivots[i - 1] * out[i - 1]
        out[m - 1] /= pivots[m - 1]
        for i in range(m - 2, -1, -1):
            out[i] = (out[i] + off_diagonal[i] * out[i + 1]) / pivots[i]
        out[:m] /= _norm(out[:m])


@jit
def positive(vector, error):
    """Return whether all entries have one sign, and none is within the error of 0."""
    low, high = np.min(vector), np.max(vector)
    return low > error or high < -error


@jit
def _certain(vector, error):
    """Return whether this error leaves no doubt that the signs are alike, or that they differ."""
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
