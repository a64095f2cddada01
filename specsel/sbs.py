"""Stability-based sparse PCA and LSI (Mavroeidis and Vazirgiannis, ECML 2007).

Latent semantic indexing (LSI) and principal component analysis (PCA) project on the leading
eigenvectors of a matrix A of similarities between features. The sample determines such a subspace
only if it would not turn much with another sample. Let ``E_ij`` be how far ``A_ij`` may be off:
the larger distance from it to the ends of its bootstrap interval. Let ``λ_k`` be the k-th largest
eigenvalue and ``‖·‖`` the spectral norm. The span of the k leading eigenvectors is stable if
``λ_k(A) - λ_{k+1}(A) > 4 ‖E‖`` (Lemma 1): then Stewart's theorem bounds how far any symmetric
change of A within E turns it.

The search removes the feature with the largest row norm of E (Algorithm 1), again and again, until
some stable span retains the share of ``trace(A)`` that is asked for.

Fewer features make A and E principal submatrices of what they were, so the new eigenvalues
interlace with the old ones. After j more removals no gap exceeds the largest ``λ_i - λ_{i+j+1}``
of the last spectrum of A that was computed. While that is at most ``4 ‖E‖``, nothing can be stable
and A need not be decomposed (Proposition 1).

Departures. The results are those of Algorithm 1; fewer decompositions lead to them.
- Proposition 1 bounds ``‖E‖`` after j removals by ``λ_{1+j}(E)`` before them. Here the power
  method bounds it from below on E as it is, which skips every decomposition that the proposition
  skips, and more. A bound from below can only show that a gap is too small. Where it does not show
  that, ``‖E‖`` is computed and decides.
- Spans that cannot retain more than the best one found so far are skipped as well: removals do not
  increase the sum of the k largest eigenvalues.
- In Stewart's theorem the paper prints the exponent +½, which is -½.
- With E = 0 every gap counts as stable, though Lemma 1 asks for ``‖E‖ > 0``.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from specsel import _validate
from specsel._intervals import intervals
from specsel._validate import ArrayLike, Floats, Integers, IntervalMethod, Seed, Similarity, Sparse
from specsel.results import Intervals, StableSubspace, Step

__all__ = ["intervals", "search", "solve"]

# Called with how many features are removed, the gap and what it must exceed; true ends the search.
SearchCallback = Callable[[int, float, float], object] | None

# Steps of the power method between two removals, fewer if the norm of E is known to a relative
# error of POWER_TOL before; and the multiple of the norm by which all eigenvalues are shifted.
POWER_STEPS = 50
POWER_TOL = 1e-6
POWER_SHIFT = 1 / 3

# The smallest entry of the vector of the power method, beside a largest one of 1. Entries that
# vanished could not grow again when a removal makes another part of E the largest.
POWER_FLOOR = 1e-4

# Gaps below this share of the largest eigenvalue are rounding, whatever E is.
GAP_FLOOR = 1e-12

# Row norms, and shares of the trace, are tied if they differ by less than this share. Of tied
# ones the first counts.
TIE = 1e-12


def solve(
    X: ArrayLike | Sparse,
    *,
    matrix: Similarity = "cosine",
    retain: float = 0.5,
    at_least: int = 1,
    confidence: float = 0.9,
    n_boot: int | Literal["auto"] = 1000,
    method: IntervalMethod = "bca",
    random_state: Seed = None,
    callback: SearchCallback = None,
) -> StableSubspace:
    """Remove features until a principal subspace of the rest is stable and retains enough.

    Principal components are stable if another sample of the same size would show nearly the same
    ones. Features whose similarities the sample leaves most uncertain are removed first. In this
    module k counts components, not features: it is the dimension of the subspace, which follows
    from the data.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers, a data frame, or a sparse matrix, which stays sparse.
    matrix : {"cosine", "covariance", "correlation", "inner"}
        The similarity of features. Cosines compare the data as they are and give latent semantic
        indexing; they suit counts of words. Inner products do so too, and keep the scale of the
        features. Covariances and correlations give principal
        components; they suit measurements. (Cosines of measurements far above 0 show their mean
        and little else.)
    retain : float
        The share that the subspace must retain: the sum of its k eigenvalues over the trace of the
        matrix of all features. From 0 to 1.
    at_least : int
        The least number k of components that the subspace must have. With ``retain=0`` it is the
        only condition, as is common for latent semantic indexing.
    confidence : float
        Confidence of the bootstrap intervals for the similarities, between 0 and 1.
    n_boot : int or "auto"
        Number of resamples, from 100 to a million; see `intervals`.
    method : {"bca", "percentile"}
        Bias-corrected and accelerated intervals, or plain quantiles of the resampled values.
    random_state : int, Generator or None
        Seed of the resamples.
    callback : callable, optional
        ``callback(removed, gap, error)`` is called for every number of features that is tried:
        how many were removed, the largest gap of the spectrum or a bound on it, and what that must
        exceed, ``4 ‖E‖``. If it returns something true, the search ends.

    Returns
    -------
    StableSubspace
        The first stable subspace that retains enough. If there is none, the stable subspace that
        retains most, with ``converged`` False and a warning. Either has `at_least` components.

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
    >>> found.support.tolist(), found.k, found.converged  # six features, one component
    ([0, 1, 2, 3, 4, 5], 1, True)
    """
    _check(retain, at_least, callback)
    known = intervals(
        X,
        matrix=matrix,
        confidence=confidence,
        n_boot=n_boot,
        method=method,
        random_state=random_state,
    )
    stopped = False

    def watch(*state: Any) -> bool:
        nonlocal stopped
        stopped = callback is not None and bool(callback(*state))
        return stopped

    found = search(known, retain=retain, at_least=at_least, callback=watch)
    if not (found.converged or stopped):
        of_size = f" of {at_least} components or more" if at_least > 1 else ""
        text = (
            f"no stable subspace{of_size} retains as much; the best one found retains "
            f"{found.share:.4g}"
            if found.k
            else f"there is no stable subspace{of_size}; the features that are left mean nothing, "
            "take more samples"
        )
        warnings.warn(f"retain = {retain}: {text}", stacklevel=_validate.caller())
    return found


def search(
    found: Intervals,
    *,
    retain: float = 0.5,
    at_least: int = 1,
    callback: SearchCallback = None,
) -> StableSubspace:
    """Search for a stable subspace as `solve` does, with intervals that are already known.

    The intervals take most of the time. With `search` they serve several values of `retain`.

    Parameters
    ----------
    found : Intervals
        What `sbs.intervals` returned.
    retain, at_least, callback
        As in `solve`.

    Returns
    -------
    StableSubspace
        As from `solve`, but without a warning.

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
        raise ValueError(f"found: is of type {kind}; pass what sbs.intervals returns")
    _check(retain, at_least, callback)
    n_features = len(found.A) - len(found.constant)

    def report(step: Step) -> object:
        return callback and callback(n_features - step.size, step.gap, step.error)

    return eliminate(found, retain, at_least, report)


def _check(retain: float, at_least: int, callback: object) -> None:
    if not (_validate.is_finite(retain) and 0 <= retain <= 1):
        raise ValueError(f"retain = {_validate.brief(retain)}: must be from 0 to 1")
    _validate.check_integer("at_least", at_least, 1)
    _validate.check_callback(callback)


def eliminate(
    known: Intervals, retain: float, at_least: int, report: Callable[[Step], object]
) -> StableSubspace:
    """Search as `search` does, but report every `Step`; true ends the search."""
    features = np.setdiff1d(np.arange(len(known.A)), known.constant)
    block = np.ix_(features, features)
    trace: list[Step] = []
    chosen, k, share = None, 0, 0.0
    for step in _steps(known.A[block], known.E[block], features, at_least):
        trace.append(step)
        stable = {i: part for i, part in (step.stable or {}).items() if i >= at_least}
        enough = [i for i in stable if stable[i] >= retain]
        best = enough[0] if enough else max(stable, key=stable.__getitem__, default=0)
        if enough or stable.get(best, 0.0) > (1 + TIE) * share:
            chosen, k, share = step, best, stable[best]
        if report(step) or enough:
            break
    return _subspace(known, retain, features, trace, chosen, k)


def _steps(A: Floats, E: Floats, features: Integers, at_least: int) -> Iterator[Step]:
    """Yield a `Step` for every size, down to two features, or one more than components.

    End early once no subspace can retain more than the best one so far. Removing a feature
    overwrites its rows and columns by those of the last feature.
    """
    A, E, members, vector = A.copy(), E.copy(), features.copy(), np.ones(len(A))
    total, best, removed = A.trace(), 0.0, None
    spectrum: Floats | None = None
    for size in range(len(A), at_least, -1):
        if size < len(A):
            removed = _remove_worst(size + 1, A, E, members, vector)
        similarities, errors = A[:size, :size], E[:size, :size]
        if similarities.trace() <= best * total:
            return
        norm, stable = _norm_from_below(errors, vector[:size]), None
        gap = np.inf if spectrum is None else _largest_gap(spectrum, size, best * total)
        if gap > 4 * norm:
            spectrum = _spectrum(similarities)
            gap = _largest_gap(spectrum, size, -np.inf)
            if gap > 4 * norm:
                norm = float(_spectrum(errors)[0])
            stable = _stable(spectrum, 4 * norm, total)
            best = max(best, *(share for k, share in stable.items() if k >= at_least), 0.0)
        yield Step(size, removed, float(gap), float(4 * norm), stable)


def _remove_worst(size: int, A: Floats, E: Floats, members: Integers, vector: Floats) -> int:
    """Remove the feature with the largest row norm of E, of tied ones the first; return it."""
    norms = np.einsum("ij,ij->i", E[:size, :size], E[:size, :size])
    tied = np.flatnonzero(norms >= (1 - TIE) * norms.max())
    worst = tied[members[tied].argmin()]
    removed = int(members[worst])
    for array in (members, vector, A, A.T, E, E.T):
        array[worst] = array[size - 1]
    return removed


def _norm_from_below(errors: Floats, vector: Floats) -> float:
    """Bound the norm of a symmetric matrix without negative entries from below, in place.

    The power method, from `vector` on, which it overwrites: what it found for one feature more is
    a good start. All eigenvalues are shifted up, for otherwise two of opposite signs could be
    equally large and it would not converge. The norm is at least the factor by which the vector
    is stretched and at most the largest factor by which one of its entries grows, as long as none
    is 0. When the two are close enough it stops.
    """
    norm, shift = 0.0, 0.0
    for _ in range(POWER_STEPS):
        image = errors @ vector + shift * vector
        largest = image.max()
        if largest == 0:
            return 0.0
        above = (image / vector).max() - shift
        image /= largest
        stretched = largest * np.linalg.norm(image) / np.linalg.norm(vector)
        norm = max(norm, float(stretched - shift))
        np.maximum(image, POWER_FLOOR, out=vector)
        if above <= (1 + POWER_TOL) * norm:
            break
        shift = POWER_SHIFT * norm
    return norm


def _spectrum(symmetric: Floats) -> Floats:
    """Return the eigenvalues, largest first."""
    return np.asarray(np.linalg.eigvalsh(symmetric)[::-1], dtype=np.float64)


def _largest_gap(spectrum: Floats, size: int, least: float) -> float:
    """Bound the gaps of a submatrix of this size by the spectrum of a larger one (Proposition 1).

    Only gaps count before which the eigenvalues sum to more than `least`; the first k of a
    submatrix sum to no more than those of the larger one.
    """
    reach = len(spectrum) - size + 1
    gaps = spectrum[:-reach] - spectrum[reach:]
    return float(gaps[np.cumsum(spectrum)[:-reach] > least].max(initial=0.0))


def _stable(spectrum: Floats, error: float, total: float) -> dict[int, float]:
    """Return every k whose gap exceeds the error, and the share of the total that it retains."""
    gaps = spectrum[:-1] - spectrum[1:]
    shares = np.cumsum(spectrum) / total
    ks = np.flatnonzero(gaps > max(error, GAP_FLOOR * spectrum[0])) + 1
    return {k: float(shares[k - 1]) for k in ks.tolist()}


def _subspace(
    known: Intervals,
    retain: float,
    features: Integers,
    trace: list[Step],
    chosen: Step | None,
    k: int,
) -> StableSubspace:
    """Return the result for k dimensions at the chosen step; at the last one if none is stable."""
    size = chosen.size if chosen else trace[-1].size if trace else len(features)
    removed = np.array([step.removed for step in trace[1:] if step.size >= size], dtype=np.intp)
    support = np.setdiff1d(features, removed)
    values, vectors = np.linalg.eigh(known.A[np.ix_(support, support)])
    values, vectors = values[::-1].copy(), vectors[:, ::-1][:, :k]
    vectors = vectors * np.where(vectors.sum(axis=0) < 0, -1.0, 1.0)
    stable, bound = {}, np.inf
    if chosen:  # Theorem 1: 2 ‖E₂₁‖ / δ, δ being the gap less ‖E₁₁‖ and ‖E₂₂‖; ‖E‖ for all norms
        stable, norm = dict(chosen.stable or {}), chosen.error / 4
        bound = float(2 * norm / (values[k - 1] - values[k] - 2 * norm))
    share = stable[k] if k else 0.0
    return StableSubspace(
        support=support,
        removed=removed,
        k=k,
        share=share,
        stable=stable,
        converged=k > 0 and share >= retain,
        retain=float(retain),
        eigenvalues=values,
        vectors=vectors,
        bound=bound,
        trace=tuple(trace),
        intervals=known,
    )
