"""Features whose affinity is aligned with a target: relevant, and no copies of each other.

With ``m_i`` the centred features and ``A_S = Σ_{i∈S} m_i m_iᵀ`` the affinity of the samples in the
features S, greedy selection maximises the alignment of this affinity with a target T::

    ⟨A_S, T⟩ / |A_S| = Σ_{i∈S} t_i / √(Σ_{i,j∈S} H_ij),  t_i = m_iᵀ T m_i,  H_ij = (m_iᵀ m_j)²

with ``⟨A, T⟩ = trace(A T)`` and the Frobenius norm; the factor 1/|T| is the same for all S.
The sum over the t_i rewards features that are relevant to T. The root punishes redundancy, for
H_ij is large where two features say the same. H is the matrix of the second algorithm of Wolf and
Bileschi, see `weighting`, where it is a reward.

The measure is that of Cristianini, Shawe-Taylor, Elisseeff and Kandola (NIPS 14, 2002), who align
a kernel with classes. What is selected here are features, one after another.

The target says what the features shall stand for, of q samples in classes or with neighbours:

- Classes: ``T = E Eᵀ - τ I``; column c of E is ``1/√q_c`` in the q_c samples of class c, else 0.
  ``m_iᵀ E Eᵀ m_i`` is the scatter of feature i between the classes; with C classes, noise has on
  average the share ``τ = (C - 1)/(q - 1)`` of its ``|m_i|²`` there.
- Neighbours: ``T = D^(-½) W D^(-½) - τ I``. W is 1 where one sample is among the nearest
  neighbours of the other, else 0, and D holds its degrees. τ is the median of
  ``m_iᵀ D^(-½) W D^(-½) m_i / |m_i|²``. Where most features are noise, that is the level of noise.
  Where most are relevant, it gives those that are less relevant than usual a negative t_i, so that
  they are not taken merely for being different from the others.
- Weights of another method: ``T = Q Qᵀ``, Q being their basis. A matrix of the user is T itself.

Not all scores are updated in a step. The score that S would have with feature i is

    (a + t_i) / √(b + 2 h_i + H_ii),    h_i = Σ_{j∈S} H_ij,

where a is the sum of the t_i over S, and b that of the H_ij. As h_i never falls, an old h_i bounds
the score from above as long as ``a + t_i`` is not negative. Only the features whose bound reaches
the best score known are updated. When their columns no longer fit in memory, one pass over the
data updates all features. The outcome is that of plain greedy selection. Where ``a + t_i`` is
negative, the score is ``a + t_i``, not divided by the root, which would reward copies.

What wins where. On 15 real data sets, with features selected without labels and judged by labels
(mean, in percent, of the accuracy and mutual information of k-means and of the accuracy of the
nearest neighbour), `alignment` scores 64.6 and beats random features on 12 sets; the largest
weights of `qalpha` 59.5 (8 sets), variance 58.1 (5), random features 58.7, all features 65.2.
Where few relevant features are planted in noise, of the features selected 95 to 100 % are
relevant with `qalpha` and 23 to 50 % with `alignment`. With labels, a linear SVM on 11 sets
classifies better with its features than with those of the F test, of recursive elimination and of
`supervised` (by 2.4, 1.4 and 11.1 points). ``specsel reproduce selection`` and ``specsel
reproduce classification`` compute this again; ``asv_bench/benchmarks/peers.py`` compares with
other packages.

Distances depend on the units of the columns. If these differ, standardise X first; a warning says
so where a tenth of the columns or fewer carry 99 % of the variance. If they have one unit, pass X
in it, and say by `scale` whether the selected columns will be standardised afterwards.
"""

import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from specsel import _containers, _data, _validate, linalg
from specsel._runtime import jit
from specsel._validate import ArrayLike, Bools, Floats, Integers, Names, Scale
from specsel.results import Aligned, Weights

__all__ = ["graph", "solve"]

TARGETS = ("neighbours", "classes")

# Without n so many features are looked at.
LOOKED_AT = 1000

# With classes only the most relevant features compete: this share of all, but at least so many
# times n, and at least so many.
COMPETING_SHARE = 0.05
COMPETING_TIMES = 5
LEAST_COMPETING = 100

# Numbers in a block of features, which should stay in cache, and the fewest features in one: fewer
# would read most of X again for every block where samples lie one after another.
BLOCK_NUMBERS = 2**15
LEAST_FEATURES = 32

# Samples whose neighbours a tree finds in about ten seconds of one core where the components fall
# off, and in thirty where the samples are as far apart in each of twenty components.
GRAPH_SAMPLES = 30_000

# Columns in different units are suspected where a tenth of them carry so much of the variance.
FEW_SHARE = 0.1
NEARLY_ALL = 0.99

# Distances are equal that differ by no more than this share of the largest coordinate, and samples
# are copies whose coordinates differ by a hundredth of that.
TIE = 1e-9
COPY = 0.01

# Up to so many samples one thread finds the neighbours sooner than several start.
ONE_THREAD = 1000

# Features updated at a time, or this share of those whose columns fit in memory.
BATCH = 64
BATCH_SHARE = 1 / 8

# Columns in memory hold at most so many numbers, or this share of those of X if that is more.
KEPT_NUMBERS = 2**18
KEPT_SHARE = 1 / 16


def solve(
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    n: int | None = None,
    target: Any = None,
    neighbours: int = 5,
    components: int = 20,
    scale: Scale = "unit",
    always: Iterable[int | str] = (),
    never: Iterable[int | str] = (),
) -> Aligned:
    """Select features that stand for the data, or for classes, without saying the same twice.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask. Standardise it first if its columns are in
        different units: the graph of the neighbours is that of X as passed.
    y : array of shape (n_samples,), optional
        Class labels. With them the target is "classes".
    n : int, optional
        How many features. Choices are nested: with more, those of fewer come first, as long as
        the same features compete. By default as many as have the highest score, of at most 1,000.
    target : {"neighbours", "classes"}, Weights, array, sparse matrix or operator, optional
        What the affinity of the features is aligned with. "neighbours", the default without y:
        the graph of the nearest neighbours, see `graph`. "classes", the default with y: the
        classes; only the 5 % of the features compete that differ most between the classes, at
        least five times n and at least 100. `Weights`: the directions that a solver found in the
        same samples. Otherwise a symmetric matrix of samples x samples, or anything with
        ``target @ M``.
    neighbours, components : int
        Of the graph: neighbours of every sample, at most half of the others, and principal
        components in which distances are taken.
    scale : {"unit", "sqrt", "native"}
        Features of unit norm, for use after standardising; in their own units, for use as they
        are; or between, of the root of their norm.
    always, never : list of int or str
        Features taken first, and features not taken, by number or by column name.

    Returns
    -------
    Aligned

    Examples
    --------
    Ten copies of a feature that tells two groups apart, another such feature, and noise:

    >>> import numpy as np
    >>> from specsel import alignment
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 40))
    >>> X[:30, 0] += 8
    >>> X[15:45, 20] += 8
    >>> X[:, 1:11] = X[:, :1]
    >>> sorted(alignment.solve(X, n=2).ranking.tolist())
    [0, 20]
    """
    array, names = _containers.as_data(X)
    n_samples, n_features = array.shape
    _validate.check_choice("scale", scale, Scale)
    first, left_out = _validate.check_sets(always, never, n_features, names)
    count = n_features - len(left_out)
    if n is not None:
        n = _validate.check_integer("n", n, max(len(first), 1), count, "the features allowed")
    kind, matrix = _check_target(target, y, n_samples)
    if kind == "neighbours":
        _check_graph(n_samples, neighbours, components)
    data = _data.represent(array, names)
    if kind == "neighbours":
        native = data.scaled("native")
        _warn_of_units(data.norm, names)
        matrix = _nearest_neighbours(native, neighbours, components)
    features = data.scaled(scale)
    squares = features.squares
    relevance = _relevance(features, kind, matrix, squares)
    allowed = np.ones(n_features, dtype=bool)
    allowed[left_out] = False
    if kind == "classes":
        allowed &= _competing(np.where(allowed, relevance, -np.inf), first, n)
    search = Search(features, relevance, squares)
    most = min(int(allowed.sum()), n or max(LOOKED_AT, len(first)))
    ranking, scores = search.run(most, first, allowed)
    size = n or max(int(np.argmax(scores)) + 1, len(first))
    return Aligned(
        ranking=ranking,
        scores=scores,
        support=np.sort(ranking[:size]),
        target=kind,
        relevance=relevance,
        n_passes=data.passes - (-search.columns_read // n_features),
        names=names,
    )


def graph(X: ArrayLike, neighbours: int = 5, components: int = 20) -> Any:
    """Graph of nearest neighbours, ``D^(-½) W D^(-½)``, sparse: the default target less its τ I.

    `solve` takes it as a target as it is, without subtracting τ I.

    ``W_st`` is 1 where s is among the nearest neighbours of t, or t among those of s; D holds the
    degrees. Of samples that are equally near, those count that come next by number. Distances are
    taken in leading principal components, which leave out what most features have of noise.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    neighbours : int
        Neighbours of every sample; at most half of the others are taken.
    components : int
        Principal components, of X as passed.

    Returns
    -------
    scipy.sparse.csr_array of shape (n_samples, n_samples)

    Examples
    --------
    >>> from specsel import alignment
    >>> alignment.graph([[0.0], [1.0], [4.0], [7.0], [8.0]], neighbours=1).nnz
    6
    """
    array, names = _containers.as_data(X)
    _check_graph(array.shape[0], neighbours, components)
    native = _data.represent(array, names).scaled("native")
    _warn_of_units(native.norm, names)
    return _nearest_neighbours(native, neighbours, components)


def _competing(relevance: Floats, always: Integers, n: int | None) -> Bools:
    """Mark the features that differ most between the classes, and those of `always`."""
    count = max(int(COMPETING_SHARE * len(relevance)), COMPETING_TIMES * (n or 0), LEAST_COMPETING)
    competing = np.zeros(len(relevance), dtype=bool)
    competing[np.argsort(-relevance, kind="stable")[:count]] = True
    competing[always] = True
    return competing


def _check_target(target: Any, y: Any, n_samples: int) -> tuple[str, Any]:
    """Check the target; return its kind and what is known of it before X is read.

    That is nothing for "neighbours", the class of every sample for "classes", a basis for
    "weights", and a matrix of samples x samples, or what multiplies like one, for "given".
    """
    if target is None:
        target = "neighbours" if y is None else "classes"
    if not isinstance(target, str):
        kind, matrix = _as_matrix(target, n_samples)
    else:
        _validate.check_choice("target", target, TARGETS)
        kind, matrix = target, None
    if kind == "classes":
        return kind, _containers.as_classes(y, n_samples)
    if y is not None:
        raise ValueError("y: is for target = 'classes'; leave out y or the other target")
    return kind, matrix


def _as_matrix(target: Any, n_samples: int) -> tuple[str, Any]:
    if isinstance(target, Weights):
        if len(target.basis) != n_samples:
            raise ValueError(
                f"target: are weights from {len(target.basis)} samples; X has {n_samples}"
            )
        return "weights", target.basis
    if hasattr(target, "tocsr"):
        from scipy import sparse  # here, for it would make the package slow to import

        matrix = sparse.csr_array(target, dtype=float)
        finite = np.isfinite(matrix.data).all()
    elif hasattr(target, "__array__") or isinstance(target, list | tuple):
        matrix = _containers.as_matrix(target, name="target")[0]
        finite = np.isfinite(matrix).all()
    elif hasattr(target, "__matmul__"):
        matrix, finite = target, True
    else:
        raise ValueError(
            f"target = {_validate.brief(target)}: must be one of {', '.join(TARGETS)}, Weights, "
            "or a matrix of samples x samples"
        )
    shape = tuple(getattr(matrix, "shape", (n_samples, n_samples)))
    if shape != (n_samples, n_samples):
        raise ValueError(
            f"target: has shape {shape}; samples x samples are needed, X has {n_samples}"
        )
    if not finite:
        raise ValueError("target: holds values that are NaN or infinite; finite ones are needed")
    return "given", matrix


def _relevance(data: _data.Data, kind: str, matrix: Any, squares: Floats) -> Floats:
    """Compute ``t_i = m_iᵀ T m_i`` of every feature; `squares` holds the ``|m_i|²``.

    ``data.forward(B, C)`` is one pass over the data and returns ``m_iᵀ B Cᵀ m_i`` of every i; None
    in place of C is the identity.
    """
    if kind == "classes":
        counts = np.bincount(matrix)
        E = np.zeros((len(matrix), len(counts)))
        E[np.arange(len(matrix)), matrix] = 1 / np.sqrt(counts[matrix])
        by_chance = (len(counts) - 1) / (len(matrix) - 1)
        return data.forward(E, E) - by_chance * squares
    if kind == "weights":
        return data.forward(matrix, matrix)
    if isinstance(matrix, np.ndarray):
        return data.forward(matrix, None)
    relevance = _in_blocks(data, matrix)
    if kind == "neighbours":
        varies = squares > 0
        relevance -= np.median(relevance[varies] / squares[varies]) * squares
    return relevance


def _in_blocks(data: _data.Data, matrix: Any) -> Floats:
    """Compute ``m_iᵀ T m_i`` for anything with ``T @ M``, some features at a time."""
    relevance = np.zeros(data.n_features)
    step = max(LEAST_FEATURES, BLOCK_NUMBERS // data.n_samples)
    for start in range(0, data.n_features, step):
        block = data.block(slice(start, start + step))
        image = np.asarray(matrix @ block)
        if image.shape != block.shape or image.dtype.kind not in "biuf":
            raise ValueError(
                f"target: target @ M has shape {image.shape} and dtype {image.dtype}; real "
                f"numbers of shape {block.shape} are needed"
            )
        relevance[start : start + step] = np.einsum("si,si->i", block, image)
    data.count_pass()
    if not np.isfinite(relevance).all():
        raise ValueError("target: target @ M holds values that are NaN or infinite")
    return relevance


def _check_graph(n_samples: int, neighbours: int, components: int) -> None:
    """Refuse numbers that make no graph, and graphs that take minutes."""
    _validate.check_integer("components", components, 1)
    if n_samples < 3:
        raise ValueError(f"X: has {n_samples} samples; at least 3 are needed for neighbours")
    _validate.check_integer("neighbours", neighbours, 1)
    if n_samples > GRAPH_SAMPLES:
        raise ValueError(
            f"target = 'neighbours': may take minutes for {n_samples} samples; for more than "
            f"{GRAPH_SAMPLES} give a graph, a sparse matrix of samples x samples"
        )


def _warn_of_units(norms: Floats, names: Names) -> None:
    """Warn where a few columns make the graph alone, for their units may be the reason."""
    variances = (norms / norms.max()) ** 2
    varying = int((variances > 0).sum())
    order = np.argsort(-variances, kind="stable")
    total = np.cumsum(variances[order])
    count = int(np.searchsorted(total, NEARLY_ALL * total[-1])) + 1
    if varying < 3 or count > max(1, int(FEW_SHARE * varying)):
        return
    verb = "makes" if count == 1 else "make"
    which = _validate.first_few(_validate.name_features(order[:count], names))
    warnings.warn(
        f"{count} of {varying} columns {verb} the graph of neighbours alone, with "
        f"{NEARLY_ALL:.0%} of the variance: {which}; "
        "standardise X if units differ",
        stacklevel=_validate.caller(),
    )


def _nearest_neighbours(data: _data.Data, neighbours: int, components: int) -> Any:
    """Return ``D^(-½) W D^(-½)`` of the graph of neighbours in leading components of the data.

    No sample is isolated, for each has neighbours of its own: as many as asked for, but at most
    half of the other samples.
    """
    from scipy import sparse  # here, for it would make the package slow to import

    neighbours = min(neighbours, (data.n_samples - 1) // 2)
    # The leading eigenvectors of M Mᵀ, M having the features as columns, times the roots of their
    # eigenvalues: the principal components. `adjoint` multiplies by Σ α_i m_i m_iᵀ.
    affinity = partial(data.adjoint, np.ones(data.n_features))
    count = min(components, data.rank_bound)
    values, axes = linalg.top_eigenpairs(affinity, data.n_samples, count, positive=True)
    coordinates = axes * np.sqrt(np.maximum(values, 0.0))
    samples, others = _find_neighbours(coordinates, neighbours, data.floor)
    size = (len(coordinates), len(coordinates))
    links = sparse.csr_array((np.ones(len(samples)), (samples, others)), size)
    links = links.maximum(links.T).tocoo()
    degrees = np.bincount(links.row, minlength=len(coordinates))
    weights = 1 / np.sqrt(degrees[links.row] * degrees[links.col])
    return sparse.csr_array((weights, (links.row, links.col)), size)


def _find_neighbours(coordinates: Floats, count: int, floor: float) -> tuple[Integers, Integers]:
    """Return samples and their neighbours, `count` of each; `floor` is the rounding of a pass.

    In data that are counts, samples coincide and distances are equal. Rounding, which differs with
    the container and the memory order of X, would decide between these. Of samples that are
    equally near those count that come next by number, the first after the last; so no sample is a
    neighbour of many others merely because it comes first.
    """
    # The sample itself comes first; the one beyond the last neighbour shows ties.
    workers = -1 if len(coordinates) > ONE_THREAD else 1
    distances, found = _tree(coordinates).query(coordinates, count + 2, workers=workers)
    tie = max(TIE, floor) * float(np.abs(coordinates).max())
    reach = distances[:, count]
    is_tied = distances[:, -1] - reach <= tie
    samples = np.repeat(np.arange(len(coordinates)), count + 1)
    others = found[:, :-1].ravel()
    clear = (samples != others) & ~np.repeat(is_tied, count + 1)
    pairs = [(samples[clear], others[clear])]
    if is_tied.any():
        pairs.extend(_among_equals(coordinates, count, np.where(is_tied, reach, -1.0), tie))
    first, second = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return first, second


def _among_equals(
    coordinates: Floats, count: int, reach: Floats, tie: float
) -> Iterator[tuple[Integers, Integers]]:
    """Yield samples with their neighbours where some at the distance of the last are left out.

    `reach` is that distance, and negative for samples without ties, which are skipped.
    """
    copies = _copies(coordinates, COPY * tie)
    centres = coordinates[[same[0] for same in copies]]
    tree = _tree(centres)
    for centre, same in zip(centres, copies, strict=True):
        tied = same[reach[same] >= 0]
        if len(tied) == 0:
            continue
        distance = reach[tied[0]]
        around = tree.query_ball_point(centre, distance + tie, return_sorted=True)
        is_near = np.linalg.norm(centres[around] - centre, axis=1) < distance - tie
        near = _members(copies, around, is_near)
        equal = np.sort(_members(copies, around, ~is_near))
        for sample in tied.tolist():
            taken = near[near != sample]
            missing = count - len(taken)
            after = np.searchsorted(equal, sample, side="right") + np.arange(missing + 1)
            next_ones = equal[after % len(equal)]
            taken = np.concatenate((taken, next_ones[next_ones != sample][:missing]))
            yield np.full(len(taken), sample), taken


def _tree(coordinates: Floats) -> Any:
    from scipy.spatial import cKDTree  # here, for it would make the package slow to import

    return cKDTree(coordinates)


def _members(copies: list[Integers], groups: list[int], wanted: Any) -> Integers:
    """Return the samples of the groups that are wanted."""
    parts = [copies[group] for group, is_wanted in zip(groups, wanted, strict=True) if is_wanted]
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.intp)


def _copies(coordinates: Floats, apart: float) -> list[Integers]:
    """Return groups of samples with equal coordinates, each in ascending order.

    Along no coordinate is there a gap of more than `apart` within a group.
    """
    groups = np.zeros(len(coordinates), dtype=np.intp)
    for column in coordinates.T:
        order = np.lexsort((column, groups))
        is_new = (np.diff(column[order]) > apart) | (np.diff(groups[order]) > 0)
        groups[order] = np.concatenate(([0], np.cumsum(is_new)))
    order = np.argsort(groups, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(groups[order])) + 1)


class Search:
    """Greedy selection, one feature at a time, with bounds in place of scores where these suffice.

    A feature is *exact* while its h_i includes all of S. The columns of features that were updated
    are stored, so that they stay exact in every later step. When they no longer fit, one pass
    updates all features, and the columns are dropped.

    Parameters
    ----------
    data : Data
        The features m_i.
    relevance, squares : ndarray of shape (n_features,)
        The t_i, and the ``|m_i|²``.

    Attributes
    ----------
    columns_read : int
        Features read one by one, not in the passes that `data` counts.
    """

    def __init__(self, data: _data.Data, relevance: Floats, squares: Floats) -> None:
        self.data, self.relevance = data, relevance
        self.is_constant = squares**2 == 0  # or so small that this is lost
        self.diagonal = np.where(self.is_constant, 1.0, squares**2)  # H_ii; not 0, as it divides
        self.a = self.b = 0.0
        self.h, self.bounds = np.zeros((2, data.n_features))
        self.is_exact = np.ones(data.n_features, dtype=bool)
        most = max(KEPT_NUMBERS // data.n_samples, int(KEPT_SHARE * data.n_features), 2 * BATCH)
        self.batch = max(BATCH, int(BATCH_SHARE * most))
        self.columns, self.recent = np.empty((2, min(most, data.n_features), data.n_samples))
        self.stored = np.empty(0, dtype=np.intp)  # the features whose columns these are
        self.n_recent = 0  # features taken since the last update of all; `recent` holds them
        self.columns_read = 0

    def run(self, count: int, always: Integers, allowed: Bools) -> tuple[Integers, Floats]:
        """Return features, those of `always` first, and the score after each.

        Constant features come after all others of their group.
        """
        is_first = np.isin(np.arange(len(allowed)), always)
        ranking: list[int] = []
        scores: list[float] = []
        for group in (allowed & is_first, allowed & ~is_first):
            mask = np.where(group & ~self.is_constant, 0.0, -np.inf)
            while len(ranking) < count and mask.max() == 0:
                i = self._best(mask)
                self._take(i)
                mask[i] = -np.inf
                ranking.append(i)
                scores.append(self.a / np.sqrt(self.b))
            rest = np.flatnonzero(group & self.is_constant)[: count - len(ranking)]
            ranking.extend(rest.tolist())
            scores.extend([self.a / np.sqrt(self.b) if self.b else 0.0] * len(rest))
        return np.array(ranking, dtype=np.intp), np.array(scores)

    def _best(self, mask: Floats) -> int:
        """Return the feature with the best score, of equal ones the first; `mask` as in `_bound`.

        Features whose bound reaches the best exact score are updated, those with the largest
        bounds first, until the largest bounds are exact.
        """
        bounds = self.bounds
        while True:
            top, exact = _bound(
                self.relevance, self.diagonal, self.h, self.a, self.b, mask, self.is_exact, bounds
            )
            slack = self.data.floor * abs(top)
            tied = np.flatnonzero(bounds >= top - slack)
            if self.is_exact[tied].all():
                return int(tied[0])
            stale = np.flatnonzero((bounds >= exact - slack) & ~self.is_exact)
            if len(stale) > self.batch:
                stale = stale[np.argpartition(-bounds[stale], self.batch)[: self.batch]]
            self._update(stale)

    def _update(self, stale: Integers) -> None:
        """Make features exact: these, or all if there is no memory left for their columns."""
        start, stop = len(self.stored), len(self.stored) + len(stale)
        if stop > len(self.columns):
            self._update_all()
            return
        self.columns[start:stop] = self.data.block(stale).T
        self.columns_read += len(stale)
        # Their h_i date from the last update of all features, before the recent ones were taken.
        self.h[stale] += _squares(self.columns[start:stop], self.recent[: self.n_recent])
        self.stored = np.append(self.stored, stale)
        self.is_exact[stale] = True

    def _update_all(self) -> None:
        """Make all features exact by one pass, ``m_iᵀ V Vᵀ m_i``, V being the recent columns."""
        V = self.recent[: self.n_recent].T
        self.h[~self.is_exact] += self.data.forward(V, V)[~self.is_exact]
        self.is_exact[:] = True
        self.stored, self.n_recent = self.stored[:0], 0

    def _take(self, i: int) -> None:
        """Add a feature to S; features with stored columns stay exact."""
        if self.n_recent == len(self.recent):
            self._update_all()
        self.recent[self.n_recent] = self.data.feature(i)
        column = self.recent[self.n_recent : self.n_recent + 1]
        self.n_recent += 1
        self.a += self.relevance[i]
        self.b += 2 * self.h[i] + self.diagonal[i]
        self.h[self.stored] += _squares(self.columns[: len(self.stored)], column)
        self.is_exact[:] = False
        self.is_exact[self.stored] = True


@jit
def _bound(relevance, diagonal, h, a, b, mask, is_exact, out):
    """Fill in the scores or, for features that are not exact, upper bounds.

    `mask` is 0 for candidates, and minus infinity for all others, whose score it becomes. Return
    the largest number, and the largest of exact features.
    """
    top, exact = -np.inf, np.finfo(np.float64).min
    for i in range(len(out)):
        value = relevance[i] + a
        below = diagonal[i] + b + 2 * h[i]
        # A feature so small beside others that its square is 0 keeps a relevance of about 0.
        if value > 0 and below > 0:
            value /= np.sqrt(below)
        value += mask[i]
        out[i] = value
        top = max(top, value)
        if is_exact[i]:
            exact = max(exact, value)
    return top, exact


@jit
def _squares(columns, others):
    """Compute ``Σ_c (m_iᵀ v_c)²`` for every column m_i over the other columns v_c."""
    out = np.zeros(len(columns))
    for i in range(len(columns)):
        for c in range(len(others)):
            product = 0.0
            for s in range(columns.shape[1]):
                product += columns[i, s] * others[c, s]
            out[i] += product * product
    return out
