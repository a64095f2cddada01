"""Accelerations of BCa intervals: how skew a similarity is when samples are left out.

Let u be the similarity without one of the samples. The acceleration of its interval is
``Σ (mean - u)³ / (6 (Σ (mean - u)²)^(3/2))`` (Efron and Tibshirani 1993, Eq. 14.15). A similarity
is a sum of products, less `weight` times the product of two sums, times one factor for either
feature. Without a sample each of the sums lacks one term, so none has to be taken again.

Departure. Where u varies by no more than rounding, the acceleration is 0.
"""

from numba import prange

from specsel._runtime import jit

# Rounding error of a similarity whose factors are 1. It is in proportion to the factors.
ROUNDING = 1e-14


@jit
def _left_out(total, x, y, rest_x, rest_y, weight, scale):
    """Return a similarity without the sample at which the two features are x and y.

    `total` is the sum of products, `rest_x` and `rest_y` the sums without that sample.
    """
    return (total - x * y - weight * rest_x * rest_y) * scale


@jit
def _skewness(count, total, square, cube, size):
    """Return the acceleration from the sums of u, u² and u³, u being less any constant.

    `size` is the sum of the squared factors of all u: the scale of their rounding errors.
    """
    mean = total / count
    variance = square - count * mean**2
    third = 3 * mean * square - cube - 2 * count * mean**3
    return third / (6 * variance**1.5) if variance > ROUNDING**2 * size else 0.0


@jit(parallel=True)
def dense(values, factors, sums, products, weight, first, second, out):
    """Find the accelerations of pairs from all values, features x samples.

    `factors` has the factor of every feature without every sample. The u without the first sample
    is subtracted from all others, which are often nearly the same: so less is lost to rounding.
    """
    count = values.shape[1]
    for p in prange(len(first)):
        i, j = first[p], second[p]
        product, constant = products[i, j], 0.0
        total = square = cube = size = 0.0
        for s in range(count):
            x, y, scale = values[i, s], values[j, s], factors[i, s] * factors[j, s]
            u = _left_out(product, x, y, sums[i] - x, sums[j] - y, weight, scale)
            constant = u if s == 0 else constant
            u -= constant
            total += u
            square += u * u
            cube += u * u * u
            size += scale * scale
        out[p] = _skewness(count, total, square, cube, size)


@jit(parallel=True)
def sparse(
    starts, indices, data, factors, zero_factors, sums, products, weight, count, first, second, out
):
    """Find the same from stored values: `data` at the samples `indices`, by feature from `starts`.

    `factors` has the factor of the feature without the sample of each value, `zero_factors` the
    one without a sample at which the feature is zero. All samples at which both features are zero
    have the same u, which counts as often as there are such samples.
    """
    for p in prange(len(first)):
        i, j = first[p], second[p]
        a, b, a_end, b_end = starts[i], starts[j], starts[i + 1], starts[j + 1]
        product, left, constant = products[i, j], count, 0.0
        total = square = cube = size = 0.0
        while a < a_end or b < b_end:
            x = y = 0.0
            scale_x, scale_y = zero_factors[i], zero_factors[j]
            at_x = indices[a] if a < a_end else count
            at_y = indices[b] if b < b_end else count
            if at_x <= at_y:
                x, scale_x = data[a], factors[a]
                a += 1
            if at_y <= at_x:
                y, scale_y = data[b], factors[b]
                b += 1
            scale = scale_x * scale_y
            u = _left_out(product, x, y, sums[i] - x, sums[j] - y, weight, scale)
            constant = u if left == count else constant
            u -= constant
            total += u
            square += u * u
            cube += u * u * u
            size += scale * scale
            left -= 1
        scale = zero_factors[i] * zero_factors[j]
        u = _left_out(product, 0.0, 0.0, sums[i], sums[j], weight, scale) - constant
        total += left * u
        square += left * u * u
        cube += left * u * u * u
        size += left * scale * scale
        out[p] = _skewness(count, total, square, cube, size)
