"""What prunes the nodes of the exact search, and what bounds the nodes left open.

For the pair (A, B) of Moghaddam, Weiss and Avidan (2006), a support S is worth the largest λ with
``A_S x = λ B_S x``, and t is the worth of the best one known. A node is a set of supports: it
keeps some features and chooses k of its free ones. A support is worth more than t exactly if its
part of ``M = t B - A`` has a negative eigenvalue; call it then *negative*. No support of a node
needs to be examined if

inertia      M has no negative eigenvalue over all features of the node (Eq. 8); and where it has
             one, if the signs in the inverse leave no support: the tree `exclude`, which
             updates the inverse; `is_empty` is the same test from scratch, for `ceiling`;
dominance    the Schur complement of what is kept is diagonally dominant in every support
             (`undominated`): the tree `include`;
perspective  a convex bound by the diagonal of B stays below t (`bound`): the tree `best_first`;
relaxation   the perspective bound of a Schur complement stays below t (`is_empty_relaxed`): prunes
             nothing, but bounds what is left open when a search ends early (`ceiling`).

Inertia. A node of `exclude` holds supports within a set T of features; it carries ``P = M_T⁻¹``.
If M_T has exactly one negative eigenvalue, signs in P show more. The negative eigenvalues of M_T
are those of M over the features left after the set D is dropped, plus those of ``P_DD``. So what
is left is negative exactly if ``P_DD`` is positive definite. Hence a feature with ``P_jj < 0``
must stay, and two features with ``P_ii P_jj < P_ij²`` cannot both go. If m features have to go, a
feature that fewer than m - 1 others can go with must stay too; if fewer than m can go at all, the
node is empty.

Dominance. A node of `include` includes the features F and takes at most k' of its free ones. It
carries the Schur complement N of ``M_F``; a support S is worth at most t exactly if the part of N
that belongs to the rest of S is positive semi-definite. Let x > 0 be any vector. If for every i
the entry ``N_ii x_i`` is at least the sum of the k' - 1 largest ``|N_ij| x_j``, j ≠ i, then all
those parts are diagonally dominant once scaled by x, hence positive semi-definite, and the node
can be pruned. A good x is found by iterating the map of this inequality.

Perspective. Let U have r rows and a column for each feature, ``A = Uᵀ U``, and let
``B = B₀ + Diag(e)`` with B₀ positive semi-definite and e > 0. For any r x n matrix W, the trace of
``B_S⁻¹ A_S`` over a support S of k features is at most

    ``tr W B₀ Wᵀ + Σ of the k largest a_i,    a_i = ‖(U - W B₀)_i‖² / e_i.``

With r = 1 this bounds the largest eigenvalue, too. Both W (`weights`) and e (`split`) are free,
and the bound is convex in W. So W is improved by coordinate descent (`relax`), and e by damped
steps towards the diagonal that lowers the bound most (`raised`), in turns. The log-det criterion,
``Σ log(1 + λ)``, is concave in ``H = U_S B_S⁻¹ U_Sᵀ``: for any T

    ``log det(I + H) <= tr(T H Tᵀ) + tr(T Tᵀ) - log det(T Tᵀ) - r,``

which is the trace of another problem, with ``T U`` in the place of U (`linearised`). Every W, e
and T gives a valid bound, so rounding in them does not matter. What does matter is that B₀ is
positive semi-definite, which a Cholesky factorisation of slightly less proves (`certified`), and
the rounding of the bound itself, which is bounded and added (`evaluate`).

Relaxation. Let N be the Schur complement of the kept features in M, and ``N = Q - u uᵀ`` with Q
positive definite. A support S is negative exactly if ``u_Sᵀ Q_S⁻¹ u_S`` exceeds 1, which the
perspective bound of u and Q may rule out.

The kernels do without BLAS, which would start threads in every node.
"""

from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh

from specsel._runtime import jit
from specsel._validate import Floats, Integers

# A node of a tree: the features it keeps, its free ones, and how many of these its supports hold.
Node = tuple[Integers, Integers, int]

# A diagonal entry is a pivot if it is at least this share of the largest entry in its column;
# otherwise two rows make the pivot (Bunch and Kaufman 1977).
PIVOT = 0.64

# Replaces a pivot that is zero.
TINY = np.finfo(np.float64).tiny

# If updates have left less than this share of a diagonal entry of the inverse, what is left may be
# rounding. Such an entry is no pivot and rules out nothing, or nearly singular matrices would give
# false proofs.
CANCELLED = 1e-3

# Two features cannot both go only if their determinant is negative by more than rounding.
SPARED = 1 + 1e-6

# Iterations of x where a bound is computed from scratch.
ROOT_STEPS = 30

# In one step an entry of x falls to no less than the root of this share, and never below the
# smallest.
LEAST_FALL, SMALLEST = 1e-3, 1e-100

# The sums may come to this share of the diagonal; the rest is for rounding.
MARGIN = 1 - 1e-10

EPS = float(np.finfo(np.float64).eps)

# The coordinate descent ends when four sweeps lower the bound by less than this share.
STALLED = 2e-5

# The weight of the barrier that keeps B₀ positive definite; and what is added to the gradient, as
# a share of its mean, so that no part of e is pushed to zero.
BARRIER, FLOOR = 0.3, 1e-3

# A step takes no entry of e below this share of itself.
LEAST_SHARE = 1e-3

# Gradients are averaged; a new one counts for at least this share.
FRESH = 0.15

# If B₀ is not positive definite e shrinks by this factor, at most so many times.
SHRINK, SHRINKS = 0.9, 40

# ``test(matrix, n_free, choose)`` is true only if no support of a node is negative. The matrix is
# that of the node, with its free features first.
Test = Callable[[Floats, int, int], bool]

# Steps of bisection.
BISECTIONS = 8

# Sweeps over the coordinates of x.
SWEEPS = 100

# The share of λ_min(Q) that is split off; what is left must stay positive definite.
SPLIT = 0.99

# What rounding may add to the relaxation: at least, and for every unit of the condition number.
ROUNDING, ROUNDING_GROWTH = 1e-9, 1e-13


def is_empty(matrix: Floats, n_free: int, choose: int, plain: bool) -> bool:
    """Return whether no support of a node can be negative; its free features come first.

    With `plain`, only the number of negative eigenvalues counts (Eq. 8).
    """
    inverse = matrix.copy()
    negative = invert(inverse)
    if negative != 1 or plain or n_free == choose:
        return bool(negative == 0)
    inverse, least = inverse[:n_free, :n_free], n_free - choose
    diagonal = np.diag(inverse)
    pairs = inverse**2 < SPARED * np.outer(diagonal, diagonal)
    goes, before = diagonal > 0, -1
    while before != goes.sum() >= least:
        before = goes.sum()
        goes &= pairs[:, goes].sum(axis=1) >= least
    return bool(goes.sum() < least)


@jit
def invert(matrix):
    """Invert a symmetric matrix in place and return the number of its negative eigenvalues.

    Sweeps pivots of one or two rows, which keeps the matrix symmetric.
    """
    size = len(matrix)
    done, rows, columns = np.empty(size, np.bool_), np.empty((2, size)), np.empty((2, size))
    for i in range(size):
        done[i] = False
    negative, left = 0, size
    while left > 0:
        first, second = _pivot(matrix, done)
        paired = second >= 0
        a = matrix[first, first]
        b = matrix[first, second] if paired else 0.0
        c = matrix[second, second] if paired else 1.0
        determinant = a * c - b * b
        if determinant == 0:
            a = determinant = TINY
        negative += determinant < 0 or a < 0
        left -= 1 + paired
        done[first] = True
        if paired:
            done[second] = True
        for i in range(size):
            outside = i != first and i != second
            rows[0, i] = matrix[first, i] if outside else 0.0
            rows[1, i] = matrix[second, i] if outside and paired else 0.0
            columns[0, i] = (c * rows[0, i] - b * rows[1, i]) / determinant
            columns[1, i] = (a * rows[1, i] - b * rows[0, i]) / determinant
        for i in range(size):
            for j in range(size):
                matrix[i, j] -= columns[0, i] * rows[0, j] + columns[1, i] * rows[1, j]
        for i in range(size):
            matrix[first, i] = matrix[i, first] = columns[0, i]
            if paired:
                matrix[second, i] = matrix[i, second] = columns[1, i]
        matrix[first, first] = -c / determinant
        if paired:
            matrix[second, second] = -a / determinant
            matrix[first, second] = matrix[second, first] = b / determinant
    for i in range(size):
        for j in range(size):
            matrix[i, j] = -matrix[i, j]
    return negative


@jit(inline=True)
def _pivot(matrix, done):
    """Return the row of the largest diagonal entry left, and a second row or -1.

    The second row is needed if that entry is small beside the others in its column.
    """
    first, second = -1, -1
    largest, aside, beyond = -1.0, 0.0, 0.0
    for i in range(len(matrix)):
        if not done[i] and abs(matrix[i, i]) > largest:
            first, largest = i, abs(matrix[i, i])
    for i in range(len(matrix)):
        if not done[i] and i != first and abs(matrix[first, i]) > aside:
            second, aside = i, abs(matrix[first, i])
    if second < 0 or largest >= PIVOT * aside:
        return first, -1
    for i in range(len(matrix)):
        if not done[i] and i != second and abs(matrix[second, i]) > beyond:
            beyond = abs(matrix[second, i])
    return first, -1 if largest * beyond >= PIVOT * aside**2 else second


@jit(inline=True)
def undominated(matrix, size, others, scale, out, steps):
    """Iterate x; return -1 as soon as the inequality holds for every row, else the worst row."""
    worst = 0
    for step in range(steps):
        worst = ratios(matrix, size, others, scale, out)
        if out[worst] <= MARGIN:
            return -1
        if step + 1 < steps:
            most = out[worst]
            for i in range(size):
                scale[i] = max(scale[i] * np.sqrt(max(out[i] / most, LEAST_FALL)), SMALLEST)
    return worst


@jit
def ratios(matrix, size, others, scale, out):
    """Divide the sum of the `others` largest ``|N_ij| x_j`` by ``N_ii x_i``, for every row i.

    `scale` is x. Return the row where the ratio is largest.
    """
    largest = np.empty(max(others, 1))
    worst = 0
    for i in range(size):
        count, total = 0, 0.0
        for j in range(size):
            if j == i or others == 0:
                continue
            entry = abs(matrix[i, j]) * scale[j]
            if count < others:
                position, count = count, count + 1
                while position > 0 and largest[position - 1] > entry:
                    largest[position] = largest[position - 1]
                    position -= 1
                largest[position] = entry
                total += entry
            elif entry > largest[0]:
                total += entry - largest[0]
                position = 0
                while position + 1 < others and largest[position + 1] < entry:
                    largest[position] = largest[position + 1]
                    position += 1
                largest[position] = entry
        out[i] = total / (matrix[i, i] * scale[i])
        if out[i] > out[worst]:
            worst = i
    return worst


@jit
def eliminate(matrix, size, pivot, target):
    """Write the Schur complement of one diagonal entry to `target`; return its largest entry."""
    row, largest = 0, 0.0
    for i in range(size):
        if i == pivot:
            continue
        factor = matrix[i, pivot] / matrix[pivot, pivot]
        column = 0
        for j in range(size):
            if j != pivot:
                entry = matrix[i, j] - factor * matrix[pivot, j]
                target[row, column] = entry
                largest = max(largest, abs(entry))
                column += 1
        row += 1
    return largest


def complement(matrix: Floats, n_free: int) -> Floats | None:
    """Return the Schur complement of the last rows, or None unless they are positive definite."""
    part, panel = matrix[:n_free, :n_free], matrix[n_free:, :n_free]
    try:
        lower = np.linalg.cholesky(matrix[n_free:, n_free:])
    except np.linalg.LinAlgError:
        return None
    half = np.linalg.solve(lower, panel)
    complement: Floats = part - half.T @ half
    return complement


def is_dominated(matrix: Floats, n_free: int, choose: int) -> bool:
    """Return whether dominance shows that no support of a node is negative."""
    part = complement(matrix, n_free)
    if part is None or np.diag(part).min() <= 0:
        return False
    scale, out = np.ones(n_free), np.empty(n_free)
    return bool(undominated(part, n_free, choose - 1, scale, out, ROOT_STEPS) < 0)


@jit
def bound(matrix, targets, concave, split, weights, choose, goal, rounds, sweeps, step, stop):
    """Bound the values of all supports of so many features; stop when the goal is reached.

    `matrix` is B, `targets` is U. With `concave` the value is log-det, otherwise the trace. There
    are so many rounds of sweeps over W and a step over e; they end when four of them close less
    than the share `stop` of what is missing. Return the least bound, the e, the W and the a that
    gave it, how much of each feature the relaxation chooses, from 0 to 1, and the rounds taken.
    """
    rank, size = targets.shape
    current, gradient, scores = np.empty(size), np.zeros(size), np.zeros(size)
    factor, turn, constant, before = np.eye(rank), np.eye(rank), 0.0, np.inf
    best = np.inf, split, weights, scores, gradient, 0
    for number in range(rounds + 1):
        if not certified(matrix, split, current):
            break
        turned, loads = targets, weights.copy()
        if concave:
            constant = linearised(targets, weights, factor, turn)
            turned, loads = triangular(turn, targets), triangular(turn, weights)
        relax(matrix, turned, current, loads, choose, goal - constant, sweeps)
        scores = np.empty(size)
        value = evaluate(matrix, turned, current, loads, choose, scores) + constant
        weights = triangular(factor, loads) if concave else loads
        lengths = _lengths(current, loads)
        level = threshold_of(lengths, choose, np.inf)
        shares = np.empty(size)
        for i in range(size):
            shares[i] = min(lengths[i] / level, 1.0)
        if value < best[0]:
            best = value, current.copy(), weights, scores, shares, number
        if best[0] <= goal or number == rounds:
            break
        if number % 4 == 0:
            if before - best[0] < stop * (best[0] - goal):
                break
            before = best[0]
        fresh, total = max(2.0 / (number + 2), FRESH), 0.0
        for i in range(size):
            new = 0.0
            if 0 < shares[i] < 1:  # by how much the bound falls for every unit of e_i
                new = lengths[i] ** 2 / current[i] * (1.0 / shares[i] - 1.0)
            gradient[i] += (new - gradient[i]) * fresh
            total += gradient[i]
        if total <= 0:
            break
        split = raised(matrix, current, gradient, step)
    return best


@jit(inline=True)
def certified(matrix, split, out):
    """Write to `out` the split, or as much of it as leaves B₀ positive semi-definite for certain.

    Tell if that could be done. If floating-point Cholesky gets through a matrix, some matrix
    nearer than about n roundings of its trace is positive definite (Rump 2006).
    """
    size, trace, share = len(matrix), 0.0, 1.0
    for i in range(size):
        trace += matrix[i, i]
    margin = 2 * (size + 4) * EPS * trace
    for _ in range(SHRINKS):
        part = matrix.copy()
        for i in range(size):
            out[i] = share * split[i]
            part[i, i] -= out[i] + margin
        if lower_factor(part):
            return True
        share *= SHRINK
    return False


@jit(inline=True)
def raised(matrix, split, gradient, step):
    """Move e towards the largest ``Σ gradient_i e_i + barrier · log det(B - Diag(e))``.

    One sweep over the entries, each of which has a closed form; of that, take a part, which keeps
    B₀ positive definite as both ends do.
    """
    size = len(split)
    inverse = matrix.copy()
    for i in range(size):
        inverse[i, i] -= split[i]
    if not invert_definite(inverse):
        return split
    mean, extent = 0.0, 0.0
    for i in range(size):
        mean += gradient[i] / size
        extent += split[i] / size
    barrier = BARRIER * mean * extent
    moved, column = np.empty(size), np.empty(size)
    for i in range(size):
        pivot = inverse[i, i]
        change = 1.0 / pivot - barrier / (gradient[i] + FLOOR * mean)
        change = max(change, (LEAST_SHARE - 1.0) * split[i])
        moved[i] = split[i] + step * change
        gather(inverse, i, column)
        subtract(inverse, column, -change / (1.0 - change * pivot))
    return moved


@jit
def relax(matrix, targets, split, weights, choose, goal, sweeps):
    """Improve W in place by coordinate descent, a feature at a time.

    The sum over the k largest a_i makes a penalty on the length of a column: quadratic where
    ``√e_i ‖w_i‖`` is above a threshold, so that i counts as chosen, and linear below.
    """
    rank, size = targets.shape
    rest, best = targets.copy(), weights.copy()  # U - W B₀
    for c in range(rank):
        for i in range(size):
            weight = weights[c, i]
            if weight != 0:
                for j in range(size):
                    rest[c, j] -= weight * matrix[i, j]
                rest[c, i] += weight * split[i]
    lowest, before, level = np.inf, np.inf, np.inf
    scores, pull = np.empty(size), np.empty(rank)
    for sweep in range(sweeps):
        value = 0.0
        for i in range(size):
            scores[i] = 0.0
            for c in range(rank):
                value += weights[c, i] * (targets[c, i] - rest[c, i])
                scores[i] += rest[c, i] * rest[c, i] / split[i]
        total, least = largest(scores, choose)
        value += total
        if value < lowest:
            lowest = value
            for c in range(rank):
                for i in range(size):
                    best[c, i] = weights[c, i]
        if lowest <= goal:
            break
        if sweep > 4 and sweep % 4 == 0:
            if before - lowest < STALLED * abs(lowest):
                break
            before = lowest
        level = threshold_of(_lengths(split, weights), choose, min(level, np.sqrt(least)))
        for i in range(size):
            own = matrix[i, i] - split[i]
            square = 0.0
            for c in range(rank):
                pull[c] = rest[c, i] + own * weights[c, i]
                square += pull[c] * pull[c]
            length, limit = np.sqrt(square), level * np.sqrt(split[i])
            ratio = 0.0
            if length > limit:
                ratio = (length - limit) / own if own > 0 else np.inf
                if split[i] * ratio > limit:
                    ratio = length / (own + split[i])
                ratio /= length
            for c in range(rank):
                change = ratio * pull[c] - weights[c, i]
                if change != 0:
                    weights[c, i] += change
                    for j in range(size):
                        rest[c, j] -= change * matrix[i, j]
                    rest[c, i] += change * split[i]
    for c in range(rank):
        for i in range(size):
            weights[c, i] = best[c, i]


@jit
def largest(values, count):
    """Return the sum of so many of the largest values, and the least of them."""
    work, low, high = values.copy(), 0, len(values) - 1
    while low < high:  # until the largest come first: quickselect
        pivot, left, right = work[(low + high) // 2], low, high
        while left <= right:
            while work[left] > pivot:
                left += 1
            while work[right] < pivot:
                right -= 1
            if left <= right:
                work[left], work[right] = work[right], work[left]
                left += 1
                right -= 1
        if right < count - 1 < left:
            break
        if count - 1 <= right:
            high = right
        else:
            low = left
    total, least = 0.0, np.inf
    for i in range(count):
        total += work[i]
        least = min(least, work[i])
    return total, least


@jit(inline=True)
def evaluate(matrix, targets, split, weights, choose, scores):
    """Compute the bound afresh, and the a_i; add what rounding may have taken from either."""
    rank, size = targets.shape
    value, error = 0.0, 0.0
    image, moduli = np.empty(size), np.empty(size)
    for i in range(size):
        scores[i] = 0.0
    for c in range(rank):
        for i in range(size):
            image[i], moduli[i] = 0.0, abs(targets[c, i])
        for i in range(size):
            weight = weights[c, i]
            if weight != 0:
                for j in range(size):
                    term = weight * matrix[i, j]
                    image[j] += term
                    moduli[j] += abs(term)
                image[i] -= weight * split[i]
        for i in range(size):
            slack = (size + 4) * EPS * moduli[i]
            value += weights[c, i] * image[i]
            error += abs(weights[c, i]) * (slack + size * EPS * abs(image[i]))
            rest = abs(targets[c, i] - image[i]) + slack
            scores[i] += rest * rest / split[i]
    return (value + largest(scores, choose)[0] + error) * (1 + size * EPS)


@jit
def _lengths(split, weights):
    """Compute ``√e_i ‖w_i‖``."""
    rank, size = weights.shape
    lengths = np.empty(size)
    for i in range(size):
        square = 0.0
        for c in range(rank):
            square += weights[c, i] * weights[c, i]
        lengths[i] = np.sqrt(square * split[i])
    return lengths


@jit(inline=True)
def linearised(targets, weights, factor, turn):
    """Set the tangent of log-det where W is; return the constant of the inequality.

    W gives ``H = U Wᵀ`` at its optimum. `turn` becomes ``T = C⁻¹`` and `factor` becomes C, with
    ``I + H = C Cᵀ``.
    """
    rank, size = targets.shape
    for i in range(rank):
        for j in range(i + 1):
            total = 0.0
            for c in range(size):
                total += targets[i, c] * weights[j, c] + targets[j, c] * weights[i, c]
            factor[i, j] = total / 2 + (i == j)
    if not lower_factor(factor):
        for i in range(rank):
            for j in range(rank):
                factor[i, j] = i == j
    lower_inverse(factor, turn)
    constant = -float(rank)
    for i in range(rank):
        constant -= 2 * np.log(turn[i, i])
        for j in range(i + 1):
            constant += turn[i, j] * turn[i, j]
    return constant


@jit
def threshold_of(lengths, choose, before):
    """Return the ν that ``Σ min(1, lengths_i / ν) = choose`` asks for.

    The terms are the shares by which features are chosen. At the optimum they add up to `choose`;
    the level of the k-th largest score would not move on once as many features were chosen. If no
    more than `choose` lengths are above 0 there is no such ν, and half of `before` lets more in.
    """
    rest, positive = 0.0, 0
    for i in range(len(lengths)):
        rest += lengths[i]
        positive += lengths[i] > 0
    if positive <= choose:
        return before / 2
    level, above = rest / choose, -1
    while True:  # the steps of Newton's method, from above; they end
        count, rest = 0, 0.0
        for i in range(len(lengths)):
            if lengths[i] > level:
                count += 1
            else:
                rest += lengths[i]
        if count in (above, choose):
            return level
        level, above = rest / (choose - count), count


def ceiling(
    a: Floats,
    b: Floats,
    n: int,
    nodes: list[Node],
    low: float,
    high: float,
    tests: list[Test],
) -> float:
    """Bound the values of all supports of some nodes from above, by no less than `low`.

    All supports hold the features from `n` on, and no value exceeds `high`. A node is empty if one
    of the tests is true.
    """
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        matrix, left = middle * b - a, []
        for kept, free, choose in nodes:
            members = np.concatenate((free, kept, np.arange(n, len(matrix))))
            part = matrix[np.ix_(members, members)]
            if not any(test(part, len(free), choose) for test in tests):
                left.append((kept, free, choose))
        if left:
            low, nodes = middle, left
        else:
            high = middle
    return high


def is_empty_relaxed(matrix: Floats, n_free: int, choose: int) -> bool:
    """Return whether the perspective bound of ``N = Q - u uᵀ`` shows that no support is negative.

    The inverse of the matrix, over the free features, is the inverse of N.
    """
    inverse = matrix.copy()
    invert(inverse)
    values, vectors = eigh(inverse[:n_free, :n_free])
    if n_free < 2 or choose in (0, n_free) or values[0] >= 0 or values[1] <= 0:
        return False
    least = 1.0 / values[-1]
    spectrum = np.concatenate(([least], 1.0 / values[1:]))
    Q = (vectors * spectrum) @ vectors.T
    u = np.sqrt(least - 1.0 / values[0]) * vectors[:, :1].T
    share = SPLIT * least
    goal = 1.0 - max(ROUNDING, ROUNDING_GROWTH * spectrum.max() / least)
    split = np.full(n_free, share)
    return bool(bound(Q, u, False, split, u / share, choose, goal, 0, SWEEPS, 0.0, 0.0)[0] <= goal)


@jit(inline=True)
def invert_definite(matrix):
    """Invert a positive definite matrix in place; return whether all pivots were positive.

    It is swept row by row, its lower part alone, which turns it into minus its inverse.
    """
    size = len(matrix)
    row = np.empty(size)
    for p in range(size):
        pivot = matrix[p, p]
        if not pivot > 0:
            return False
        gather(matrix, p, row)
        row[p] = 0.0
        subtract(matrix, row, 1.0 / pivot)
        for i in range(size):
            if i < p:
                matrix[p, i] = row[i] / pivot
            else:
                matrix[i, p] = row[i] / pivot
        matrix[p, p] = -1.0 / pivot
    for i in range(size):
        for j in range(i + 1):
            matrix[i, j] = -matrix[i, j]
            matrix[j, i] = matrix[i, j]
    return True


@jit
def gather(lower, index, out):
    """Collect one row of a symmetric matrix, of which only the lower part counts."""
    for i in range(len(lower)):
        out[i] = lower[index, i] if i <= index else lower[i, index]


@jit
def subtract(lower, vector, factor):
    """Subtract ``factor vector vectorᵀ`` from the lower part of a matrix."""
    for i in range(len(lower)):
        share = factor * vector[i]
        target = lower[i, : i + 1]
        for j in range(i + 1):
            target[j] -= share * vector[j]


@jit
def lower_factor(matrix):
    """Replace a matrix by its lower Cholesky factor; return whether there is one."""
    size = len(matrix)
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for c in range(j):
                total -= matrix[i, c] * matrix[j, c]
            if i > j:
                matrix[i, j] = total / matrix[j, j]
            elif not total > 0:
                return False
            else:
                matrix[i, i] = np.sqrt(total)
        for j in range(i + 1, size):
            matrix[i, j] = 0.0
    return True


@jit(inline=True)
def lower_inverse(factor, inverse):
    """Write the inverse of a lower triangular matrix, whose upper part is 0 as it stays."""
    size = len(factor)
    for j in range(size):
        inverse[j, j] = 1.0 / factor[j, j]
        for i in range(j + 1, size):
            total = 0.0
            for c in range(j, i):
                total -= factor[i, c] * inverse[c, j]
            inverse[i, j] = total / factor[i, i]


@jit
def triangular(lower, rows):
    """Multiply a lower triangular matrix by one with a column for each feature."""
    rank, size = rows.shape
    product = np.zeros((rank, size))
    for i in range(rank):
        for j in range(i + 1):
            for c in range(size):
                product[i, c] += lower[i, j] * rows[j, c]
    return product


@jit
def submatrix(matrix, chosen):
    """Take the rows and columns of some features."""
    part = np.empty((len(chosen), len(chosen)))
    for i in range(len(chosen)):
        for j in range(len(chosen)):
            part[i, j] = matrix[chosen[i], chosen[j]]
    return part
