"""Bootstrap intervals and the search for stable subspaces, written out as the papers define them.

Nothing here is from the package.
"""

import numpy as np
import scipy.stats

from oracles.weighing import TIE


def similarity(x, y, matrix):
    """Similarity of two features; cosine and correlation are 0 if one is zero or constant."""
    if matrix == "inner":
        return x @ y
    if matrix == "covariance":
        return np.cov(x, y)[0, 1]
    if matrix == "correlation":
        x, y = x - x.mean() * (np.ptp(x) > 0), y - y.mean() * (np.ptp(y) > 0)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            return 0.0
    norm = np.sqrt((x @ x) * (y @ y))
    return x @ y / norm if norm > 0 else 0.0


def resampled(x, y, matrix, n_boot, seed):
    """The similarity in resamples drawn as scipy.stats.bootstrap draws them."""
    rows = np.random.default_rng(seed).integers(0, len(x), (n_boot, len(x)))
    return np.array([similarity(x[row], y[row], matrix) for row in rows])


def bca_shares(x, y, matrix, confidence, values):
    """Shares of the resampled values below the two ends, Efron and Tibshirani (14.10)."""
    estimate, n_boot = similarity(x, y, matrix), len(values)
    unit = np.sqrt(similarity(x, x, matrix) * similarity(y, y, matrix))
    tie = 1e-12 * unit
    below = np.sum(values < estimate - tie) + np.sum(np.abs(values - estimate) <= tie) / 2
    bias = scipy.stats.norm.ppf(min(max(below, 0.5), n_boot - 0.5) / n_boot)
    keep = ~np.eye(len(x), dtype=bool)
    jackknife = np.array([similarity(x[rest], y[rest], matrix) for rest in keep])
    u = jackknife.mean() - jackknife
    spread = (u**2).sum()
    varies = spread > len(x) * (1e-14 * unit) ** 2
    acceleration = (u**3).sum() / (6 * spread**1.5) if varies else 0.0
    shares = []
    for sign in (1, -1):
        moved = bias + sign * scipy.stats.norm.ppf((1 - confidence) / 2)
        left = 1 - acceleration * moved
        moved = moved / left if left > 0 else np.sign(moved) * np.inf
        shares.append(scipy.stats.norm.cdf(bias + moved))
    return shares


def bca_interval(x, y, matrix, confidence, n_boot, seed):
    """Both ends of the interval, Efron and Tibshirani (14.9)."""
    values = resampled(x, y, matrix, n_boot, seed)
    return np.quantile(values, bca_shares(x, y, matrix, confidence, values))


def first_number(confidence, pdb, tau, bca=True):
    """Step 1 of Andrews and Buchinsky (2002); percentiles lack the terms of the bias."""
    normal, alpha = scipy.stats.norm, (1 - confidence) / 2
    z, ratio = normal.ppf(alpha), normal.pdf(normal.ppf(alpha)) / normal.pdf(0)
    variance = alpha * (1 - alpha) + (ratio**2 - 2 * alpha * ratio if bca else 0.0)
    return 10000 * variance * normal.ppf(1 - tau / 2) ** 2 / (z * normal.pdf(z) * pdb) ** 2


def number_needed(estimate, values, shares, confidence, pdb, tau, bca=True):
    """Step 3 of Andrews and Buchinsky for the longer side, from the values resampled in step 2."""
    normal, n_boot = scipy.stats.norm, len(values)
    z = normal.ppf((1 - confidence) / 2)
    allowed = first_number(confidence, pdb, tau, bca) * (z * normal.pdf(z)) ** 2
    values, sides = np.sort(values), []
    for share in np.clip(shares, 0.01, 0.99):
        a = min(share, 1 - share)
        c = 1.5 * normal.ppf(1 - a / 2) ** 2 * normal.pdf(normal.ppf(1 - a)) ** 2
        m = int(np.ceil((c / (2 * normal.ppf(1 - a) ** 2 + 1)) ** (1 / 3) * n_boot ** (2 / 3)))
        middle = round(share * (n_boot - 1))
        low, high = max(middle - m, 0), min(middle + m, n_boot - 1)
        slope = n_boot / (high - low) * (values[high] - values[low])
        length = abs(values[middle] - estimate)
        sides.append((length, allowed * (slope / length) ** 2))
    return max(sides)[1]


def stable_dimensions(A, E):
    """Lemma 1: every i with ``λ_i(A) − λ_{i+1}(A) > 4 λ_1(E)``."""
    values, norm = np.linalg.eigvalsh(A)[::-1], np.linalg.eigvalsh(E)[-1]
    return [i for i in range(1, len(A)) if values[i - 1] - values[i] > 4 * norm]


def proposition_1(A, E, k):
    """Whether Proposition 1 shows that no principal submatrix with k features less is stable."""
    a, e, n = np.linalg.eigvalsh(A)[::-1], np.linalg.eigvalsh(E)[::-1], len(A)
    return all(a[i - 1] - a[i + k] <= 4 * e[k] for i in range(1, n - k))


def stable_subspace(A, E, retain, skip=False, at_least=1):
    """Algorithm 1. With `skip` it decomposes only the sizes that Proposition 1 does not exclude.

    Return the features kept, the features removed, k, the share, whether the share is enough, and
    the sizes that were decomposed.
    """
    total, kept, removed, best, decomposed = np.trace(A), [*range(len(A))], [], None, []
    reference = None
    while len(kept) > 1:
        block = np.ix_(kept, kept)
        known = reference is not None and proposition_1(*reference, len(reference[0]) - len(kept))
        if not (skip and known):
            reference = A[block], E[block]
            decomposed.append(len(kept))
            values = np.linalg.eigvalsh(A[block])[::-1]
            stable = [k for k in stable_dimensions(*reference) if k >= at_least]
            shares = {k: values[:k].sum() / total for k in stable}
            enough = [k for k in shares if shares[k] >= retain]
            if enough:
                k = enough[0]
                return kept, removed, k, shares[k], True, decomposed
            for k, share in shares.items():
                if best is None or share > best[3] * (1 + TIE):
                    best = [*kept], [*removed], k, share, False
        norms = np.linalg.norm(E[block], axis=1)
        worst = int(np.argmax(norms >= norms.max() * (1 - TIE)))
        removed = [*removed, kept[worst]]
        kept = kept[:worst] + kept[worst + 1 :]
    return (*(best or (kept, removed, 0, 0.0, False)), decomposed)
