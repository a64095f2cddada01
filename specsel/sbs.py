"""Stability-based sparse PCA and LSI (Mavroeidis and Vazirgiannis, ECML 2007).

A holds the similarities of the features, ``E_ij`` the larger distance from ``A_ij`` to the ends of
its bootstrap interval. The span of the k leading eigenvectors of A is stable where
``λ_k(A) - λ_{k+1}(A) > 4 ‖E‖`` (Lemma 1): then no symmetric perturbation within E turns it by more
than Stewart's theorem allows. While no stable span retains the share of ``trace(A)`` that is asked
for, the feature with the largest row norm of E is removed (Algorithm 1).

A and E of fewer features are principal submatrices, whose eigenvalues interlace with those before.
So the spectrum of A when it was last decomposed bounds all gaps after j more removals,
``λ_i - λ_{i+j+1}``, and where none of these exceeds ``4 ‖E‖`` the decomposition is skipped
(Proposition 1).

Departures. Proposition 1 bounds ``‖E‖`` after the removals by ``λ_{1+j}(E)`` before; here it is
bounded from below by the power method on E as it is then, which skips all that the proposition
does, and more. A bound from below can only rule a gap out; where it does not, ``‖E‖`` itself
decides. Spans that cannot retain more than the best one found are skipped as well, for
eigenvalues do not grow. Neither changes what is found. In Stewart's theorem the exponent that the
paper prints as +½ is -½. With E = 0 every gap is stable, though Lemma 1 asks for ``‖E‖ > 0``.
"""

import warnings

import numpy as np

from specsel import _input
from specsel._bootstrap.intervals import intervals
from specsel.results import Intervals, StableSubspace, Step

__all__ = ["intervals", "search", "solve"]

# Steps of the power method between two removals, unless the norm of E is known to a share before,
# and the multiple of the norm by which all eigenvalues are shifted.
POWER_STEPS = 50
POWER_TOL = 1e-6
POWER_SHIFT = 1 / 3

# What is least in the vector of the power method, beside what is largest: parts of E that were not
# the largest once may be so after more removals.
POWER_FLOOR = 1e-4

# Gaps below this share of the largest eigenvalue are rounding, whatever E is. Of row norms, and of
# shares of the trace, that differ by less than this share the first counts.
GAP_FLOOR = 1e-12
TIE = 1e-12


def solve(
    X,
    *,
    matrix="cosine",
    retain=0.5,
    confidence=0.9,
    n_boot=1000,
    random_state=None,
    callback=None,
) -> StableSubspace:
    """Remove features until a principal subspace of the rest is stable and retains enough.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, a data frame, or a sparse matrix, which stays sparse.
    matrix : {"cosine", "covariance", "correlation"}
        Similarity of features: latent semantic indexing, or principal components. Cosines are of
        data as they are, for counts of words; of measurements far above 0 the first component is
        their mean and nothing more, for which the others are.
    retain : float
        The share of the trace of the whole matrix that the eigenvalues of the subspace must sum
        up to; above 0 and at most 1.
    confidence : float
        Of the intervals that say how far every similarity is known, between 0 and 1.
    n_boot : int or "auto"
        Resamples, from 100 to a million; see `intervals`.
    random_state : int, Generator or None
        Seed of the resamples.
    callback : callable, optional
        ``callback(removed, gap, error)``: number of features removed, largest gap of the spectrum
        or a bound on it, and what it must exceed, ``4 ‖E‖``. What it returns, if true, ends the
        search.

    Returns
    -------
    StableSubspace
        The one that retains most, with ``converged`` False and a warning, if none retains as much
        as asked for.

    References
    ----------
    Mavroeidis, D. and Vazirgiannis, M. (2007). Stability based sparse LSI/PCA: incorporating
    feature selection in LSI and PCA. ECML.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import sbs
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 1)) + 0.3 * rng.standard_normal((500, 6))
    >>> X[:, 4:] = rng.standard_t(2, (500, 2))
    >>> found = sbs.solve(X, matrix="correlation", retain=0.6, random_state=0)
    >>> found.support.tolist(), found.k, found.converged
    ([0, 1, 2, 3, 4, 5], 1, True)
    """
    _check(retain, callback)
    known = intervals(
        X, matrix=matrix, confidence=confidence, n_boot=n_boot, random_state=random_state
    )
    found, stopped = _search(known, retain, callback)
    if not (found.converged or stopped):
        text = (
            f"no stable subspace retains as much; the best one found retains {found.share:.4g}"
            if found.k
            else "there is no stable subspace; the features that the search was left with say "
            "nothing: take more samples"
        )
        warnings.warn(f"retain = {retain}: {text}", stacklevel=_input.caller())
    return found


def search(found: Intervals, *, retain=0.5, callback=None) -> StableSubspace:
    """Remove features until a principal subspace of the rest is stable, with intervals as found.

    Parameters
    ----------
    found : Intervals
    retain, callback
        As in `solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import sbs
    >>> known = sbs.intervals(np.random.default_rng(0).random((200, 8)), random_state=0)
    >>> [sbs.search(known, retain=share).converged for share in (0.7, 0.8)]
    [True, False]
    """
    if not isinstance(found, Intervals):
        kind = type(found).__name__
        raise ValueError(f"found: is of type {kind}; what sbs.intervals gives is needed")
    _check(retain, callback)
    return _search(found, retain, callback)[0]


def _search(found, retain, callback):
    """The subspace, and whether the callback has ended the search."""
    n_features, stopped = len(found.A) - len(found.constant), False

    def report(step):
        nonlocal stopped
        if callback is not None:
            stopped = bool(callback(n_features - step.size, step.gap, step.error))
        return stopped

    return eliminate(found, retain, report), stopped


def eliminate(found, retain, report) -> StableSubspace:
    """As `search`, but report every `Step`."""
    features = np.setdiff1d(np.arange(len(found.A)), found.constant)
    block = np.ix_(features, features)
    trace, chosen, k = [], None, 0
    for step in _steps(found.A[block], found.E[block], features):
        trace.append(step)
        shares = step.stable or {}
        enough = [i for i, share in shares.items() if share >= retain]
        before = (1 + TIE) * chosen.stable[k] if k else 0.0
        if enough or max(shares.values(), default=0.0) > before:
            chosen, k = step, enough[0] if enough else max(shares, key=shares.get)
        if report(step) or enough:
            break
    return _pack(found, retain, features, trace, chosen, k)


def _check(retain, callback):
    if not (_input.is_finite(retain) and 0 < retain <= 1):
        raise ValueError(f"retain = {_input.brief(retain)}: must be above 0 and at most 1")
    _input.check_callback(callback)


def _steps(A, E, features):
    """Yield a `Step` a size, down to two features, while a subspace may retain more than before.

    What belongs to a feature that is removed is overwritten by what belongs to the last one.
    """
    A, E, members, vector = A.copy(), E.copy(), features.copy(), np.ones(len(A))
    total, best, spectrum, removed = A.trace(), 0.0, None, None
    for size in range(len(A), 1, -1):
        if size < len(A):
            removed = _remove_worst(size + 1, A, E, members, vector)
        inner, noise = A[:size, :size], E[:size, :size]
        if inner.trace() <= best * total:
            return
        norm, stable = _norm_from_below(noise, vector[:size]), None
        gap = np.inf if spectrum is None else _largest_gap(spectrum, size, best * total)
        if gap > 4 * norm:
            spectrum = np.linalg.eigvalsh(inner)[::-1]
            gap = _largest_gap(spectrum, size, -np.inf)
            if gap > 4 * norm:
                norm = np.linalg.eigvalsh(noise)[-1]
            stable = _stable(spectrum, 4 * norm, total)
            best = max(best, *stable.values(), 0.0)
        yield Step(size, removed, float(gap), float(4 * norm), stable)


def _remove_worst(size, A, E, members, vector):
    """Take out the feature with the largest row norm of E, of tied ones the first; return it."""
    norms = np.einsum("ij,ij->i", E[:size, :size], E[:size, :size])
    tied = np.flatnonzero(norms >= (1 - TIE) * norms.max())
    worst = tied[members[tied].argmin()]
    removed = int(members[worst])
    for array in (members, vector, A, A.T, E, E.T):
        array[worst] = array[size - 1]
    return removed


def _norm_from_below(noise, vector):
    """Bound on the norm of a symmetric matrix without negative entries, by the power method.

    It is on the matrix plus a multiple of the identity, lest eigenvalues of two signs be as large.
    The norm is at least what the vector is stretched by and, as long as no entry of it is 0, at
    most what an entry is, which says when to stop. The start is `vector`, what was found for the
    matrix with one more feature; it is renewed.
    """
    norm = shift = 0.0
    for _ in range(POWER_STEPS):
        image = noise @ vector + shift * vector
        largest = image.max()
        if largest == 0:
            return 0.0
        above = (image / vector).max() - shift
        image /= largest
        norm = max(norm, largest * np.linalg.norm(image) / np.linalg.norm(vector) - shift)
        np.maximum(image, POWER_FLOOR, out=vector)
        if above <= (1 + POWER_TOL) * norm:
            break
        shift = POWER_SHIFT * norm
    return norm


def _largest_gap(spectrum, size, least):
    """Bound on the gaps at some smaller size whose eigenvalues before them sum to over `least`.

    Proposition 1: the k-th gap is at most that to the eigenvalue as much further as features are
    removed, and the first k eigenvalues do not sum to more than before.
    """
    further = len(spectrum) - size + 1
    gaps = spectrum[:-further] - spectrum[further:]
    return gaps[np.cumsum(spectrum)[:-further] > least].max(initial=0.0)


def _stable(spectrum, error, total):
    """Every k whose gap exceeds the error, with the share that k eigenvalues have of the total."""
    gaps = spectrum[:-1] - spectrum[1:]
    shares = np.cumsum(spectrum) / total
    ks = np.flatnonzero(gaps > max(error, GAP_FLOOR * spectrum[0])) + 1
    return {k: float(shares[k - 1]) for k in ks.tolist()}


def _pack(found, retain, features, trace, chosen, k):
    """The result for some size and dimension, or, if nothing was stable, for the last size."""
    size = chosen.size if chosen else trace[-1].size if trace else len(features)
    removed = [step.removed for step in trace[1:] if step.size >= size]
    support = np.setdiff1d(features, removed)
    values, vectors = np.linalg.eigh(found.A[np.ix_(support, support)])
    values, vectors = values[::-1].copy(), vectors[:, ::-1][:, :k]
    vectors = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)
    share = chosen.stable[k] if k else 0.0
    return StableSubspace(
        support=support,
        removed=np.array(removed, dtype=np.intp),
        k=k,
        share=share,
        stable=dict(chosen.stable) if k else {},
        converged=k > 0 and share >= retain,
        retain=float(retain),
        eigenvalues=values,
        vectors=vectors,
        bound=_stewart(values[k - 1] - values[k], chosen.error / 4) if k else np.inf,
        trace=tuple(trace),
        intervals=found,
    )


def _stewart(gap, norm):
    """``2 ‖E₂₁‖ / δ`` with ``‖E‖`` for the norms of all blocks of E (Theorem 1)."""
    return float(2 * norm / (gap - 2 * norm))
