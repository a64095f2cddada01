"""Features whose affinity is aligned with a target: relevant, and no copies of each other.

With ``m_i`` the centred features and ``A_S = Σ_{i∈S} m_i m_iᵀ`` the affinity of the samples in the
features S, greedy selection maximises the alignment of this affinity with a target T::

    ⟨A_S, T⟩ / |A_S| = Σ_{i∈S} t_i / √(Σ_{i,j∈S} H_ij),  t_i = m_iᵀ T m_i,  H_ij = (m_iᵀ m_j)²

The sum over the t_i rewards features that are relevant to T. The root punishes redundancy, for
H_ij is large where two features say the same. H is the matrix of the second algorithm of Wolf and
Bileschi, see `weighting`, where it is a reward.

The measure is that of Cristianini, Shawe-Taylor, Elisseeff and Kandola (NIPS 14, 2002), who align
a kernel with classes. What is selected here are features, one after another.

The target says what the features shall stand for: the neighbourhoods of the samples, their
classes, the directions that other weights found, or a matrix of the user. With classes and with
neighbours the level of irrelevant features is subtracted from every t_i, as if T had lost a
multiple of the identity. With classes this is the mean for noise. With neighbours it is the median
of all features: where most features are noise that is the level of noise, and where most are
relevant, features that are less so than usual should not be taken merely because they differ from
the others. Weights and matrices of the user are taken as they are.

Selection is lazy. The score that S would have with feature i is

    (a + t_i) / √(b + 2 h_i + H_ii),    h_i = Σ_{j∈S} H_ij,

where a and b are the sums over S. As h_i never falls, an old h_i bounds the score from above as
long as ``a + t_i`` is not negative. Only the features whose bound reaches the best score known are
brought up to date. When these become many, one pass over the data brings all up to date. The
outcome is that of plain greedy selection. Where the sum is negative, the largest t_i wins:
dividing by a larger root would make copies look better.

`_data.pivoted` also takes one feature at a time and lowers the worth of the others, but the two do
not share their loop. Its residuals are differences, which lose digits, so that it computes every
candidate anew and orthogonalises every direction; here sums only grow, which is what makes the
bounds valid.

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

# With classes this share of the features competes, at least so many times those wanted, and at
# least so many.
COMPETING_SHARE = 0.05
COMPETING_TIMES = 5
LEAST_COMPETING = 100

# The least norm of a feature, as a share of the largest, whose square is a number.
LEAST_SHARE = 1e-150

# Numbers in a block of features, which should stay in cache, and the fewest features in one: fewer
# would read most of X again for every block where samples lie one after another.
BLOCK_NUMBERS = 2**15
LEAST_FEATURES = 32

# Samples whose neighbours a tree finds in seconds: about ten of one core where components fall
# off, and thirty where the samples are as far apart in all of twenty.
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

# Features brought up to date at a time, or this share of those that there is room for.
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
    scale : {"unit", "native"}
        Features of unit norm, for use after standardising; or in their own units, for use as
        they are.
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
    native, square = _in_own_units(data)
    if kind == "neighbours":
        _warn_of_units(square, names)
        matrix = _nearest_neighbours(native, neighbours, components)
    if scale == "unit":
        native, square = data, np.where(data.norm > 0, 1.0, 0.0)
    relevance = _relevance(native, kind, matrix, square)
    allowed = np.ones(n_features, dtype=bool)
    allowed[left_out] = False
    if kind == "classes":
        allowed &= _competing(np.where(allowed, relevance, -np.inf), first, n)
    search = Search(native, relevance, square, allowed)
    ranking, scores = search.run(min(int(allowed.sum()), n or max(LOOKED_AT, len(first))), first)
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
    """Graph of nearest neighbours that `solve` takes as its target: ``D^(-½) W D^(-½)``, sparse.

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
    native, square = _in_own_units(_data.represent(array, names))
    _warn_of_units(square, names)
    return _nearest_neighbours(native, neighbours, components)


def _in_own_units(data: _data.Data) -> tuple[_data.Data, Floats]:
    """The data, all features scaled alike, and the square of the norm of every feature then."""
    shares = data.norm / data.norm.max()
    return data.rescaled(np.maximum(shares, LEAST_SHARE)), shares**2


def _competing(relevance: Floats, always: Integers, n: int | None) -> Bools:
    """Features that differ most between the classes, and those to be taken anyway."""
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


def _relevance(data: _data.Data, kind: str, matrix: Any, square: Floats) -> Floats:
    """Compute ``t_i = m_iᵀ (T - τ) m_i`` of every feature; τ is what irrelevant features have.

    For classes τ is the mean for noise. For neighbours it is that of the median feature: noise
    where most features are noise, and else what most features share with the graph, which tells
    none of them from the others. Targets of the user are taken as they are: τ is 0. `square`
    holds the ``|m_i|²``.
    """
    if kind == "classes":
        counts = np.bincount(matrix)
        indicators = np.zeros((len(matrix), len(counts)))
        indicators[np.arange(len(matrix)), matrix] = 1 / np.sqrt(counts[matrix])
        by_chance = (len(counts) - 1) / (len(matrix) - 1)
        return data.forward(indicators, indicators) - by_chance * square
    if kind == "weights":
        relevance = data.forward(matrix, matrix)
    elif isinstance(matrix, np.ndarray):
        relevance = data.forward(matrix, None)
    else:
        relevance = _in_blocks(data, matrix)
    if kind != "neighbours":
        return relevance
    varying = square > 0
    return relevance - np.median(relevance[varying] / square[varying]) * square


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


def _warn_of_units(variances: Floats, names: Names) -> None:
    """Warn where a few columns make the graph alone, for their units may be the reason."""
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
    coordinates = _leading_components(data, min(components, data.rank_bound))
    samples, others = _find_neighbours(coordinates, neighbours, data.floor)
    size = (len(coordinates), len(coordinates))
    links = sparse.csr_array((np.ones(len(samples)), (samples, others)), size)
    links = links.maximum(links.T).tocoo()
    degrees = np.bincount(links.row, minlength=len(coordinates))
    weights = 1 / np.sqrt(degrees[links.row] * degrees[links.col])
    return sparse.csr_array((weights, (links.row, links.col)), size)


def _leading_components(data: _data.Data, count: int) -> Floats:
    """Compute the coordinates of the samples in the leading principal components."""
    equal = np.ones(data.n_features)
    if data.n_samples <= linalg.DENSE_LIMIT:
        values, axes = linalg.last_eigenpairs(data.adjoint(equal, None), count=count)
    else:
        values, axes = linalg.top_eigenpairs(partial(data.adjoint, equal), data.n_samples, count)
    scaled: Floats = axes * np.sqrt(np.maximum(values, 0.0))
    return scaled


def _find_neighbours(coordinates: Floats, count: int, floor: float) -> tuple[Integers, Integers]:
    """Return samples and their neighbours, `count` of each; `floor` is the rounding of a pass.

    Counts have samples that are alike, and distances that are equal. Rounding, which differs with
    the container and the memory order of X, would decide between these. Of samples that are
    equally near those count that come next by number, the first after the last; so no sample is a
    neighbour of many others merely because it comes first.
    """
    # The sample itself comes first, and the last one is to be left out.
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
    """Yield samples with their neighbours where some at the distance `reach` must be left out.

    Where it is negative, none must.
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
    """Greedy selection, one feature at a time, with bounds for the features that lag behind.

    The columns of features that are brought up to date are kept in memory, and from then on take
    part in every step. When there is no more room for columns, one pass brings all features up to
    date.

    Parameters
    ----------
    data : Dense
        The features m_i.
    relevance : ndarray of shape (n_features,)
        The t_i.
    square : ndarray of shape (n_features,)
        The ``|m_i|²``, 0 for constant features. They are taken after all others.
    allowed : ndarray of bool
        Features that may be taken.

    Attributes
    ----------
    columns_read : int
        Features read one by one, beside the passes that `data` counts.
    """

    def __init__(
        self, data: _data.Data, relevance: Floats, square: Floats, allowed: Bools
    ) -> None:
        self.data, self.relevance, self.allowed = data, relevance, allowed
        self.constant = square**2 == 0  # or next to constant beside others
        self.own = np.where(self.constant, 1.0, square**2)  # 1 spares a division by zero
        self.a = self.b = 0.0
        self.h, self.bounds = np.zeros((2, data.n_features))
        self.current = np.ones(data.n_features, dtype=bool)  # whose h is complete
        room = max(KEPT_NUMBERS // data.n_samples, int(KEPT_SHARE * data.n_features), 2 * BATCH)
        self.batch = max(BATCH, int(BATCH_SHARE * room))
        self.columns, self.since = np.empty((2, min(room, data.n_features), data.n_samples))
        self.n_since = 0  # columns taken since the last pass, which are in `since`
        self.kept = np.empty(0, dtype=np.intp)  # whose columns these are
        self.columns_read = 0

    def run(self, count: int, always: Integers) -> tuple[Integers, Floats]:
        """Take some features, those of `always` before others: which, and the score after each."""
        wanted = np.zeros_like(self.allowed)
        wanted[always] = True
        ranking: list[int] = []
        scores: list[float] = []
        for group in (self.allowed & wanted, self.allowed & ~wanted):
            open_ = np.where(group & ~self.constant, 0.0, -np.inf)
            while len(ranking) < count and open_.max() == 0:
                i = self._best(open_)
                self._take(i)
                open_[i] = -np.inf
                ranking.append(i)
                scores.append(self.a / np.sqrt(self.b))
            rest = np.flatnonzero(group & self.constant)[: count - len(ranking)]
            ranking.extend(rest.tolist())
            scores.extend([self.a / np.sqrt(self.b) if self.b else 0.0] * len(rest))
        return np.array(ranking, dtype=np.intp), np.array(scores)

    def _best(self, open_: Floats) -> int:
        """The feature with the best score of those open; of equal ones the first."""
        own, bounds = self.own, self.bounds
        while True:
            top, known = _bound(
                self.relevance, own, self.h, self.a, self.b, open_, self.current, bounds
            )
            slack = self.data.floor * abs(top)
            tied = np.flatnonzero(bounds >= top - slack)
            if self.current[tied].all():
                return int(tied[0])
            behind = np.flatnonzero(bounds >= known - slack)
            behind = behind[~self.current[behind]]
            if len(behind) > self.batch:
                behind = behind[np.argpartition(-bounds[behind], self.batch)[: self.batch]]
            self._update(behind)

    def _update(self, behind: Integers) -> None:
        """Bring features up to date: these, or if there is no room for their columns all."""
        start, stop = len(self.kept), len(self.kept) + len(behind)
        if stop > len(self.columns):
            self._update_all()
            return
        self.columns[start:stop] = self.data.block(behind).T
        self.columns_read += len(behind)
        self.h[behind] += _squares(self.columns[start:stop], self.since[: self.n_since])
        self.kept = np.append(self.kept, behind)
        self.current[behind] = True

    def _update_all(self) -> None:
        """Bring all features up to date by one pass."""
        since = self.since[: self.n_since].T
        self.h[~self.current] += self.data.forward(since, since)[~self.current]
        self.current[:] = True
        self.kept, self.n_since = self.kept[:0], 0

    def _take(self, i: int) -> None:
        """Add a feature to S."""
        if self.n_since == len(self.since):
            self._update_all()
        self.since[self.n_since] = self.data.feature(i)
        column = self.since[self.n_since : self.n_since + 1]
        self.n_since += 1
        self.a += self.relevance[i]
        self.b += 2 * self.h[i] + self.own[i]
        self.h[self.kept] += _squares(self.columns[: len(self.kept)], column)
        self.current[:] = False
        self.current[self.kept] = True


@jit
def _bound(relevance, own, h, a, b, open_, current, out):
    """Fill in the scores, or for features that lag behind numbers no smaller.

    Return the largest, and the largest of the features that do not lag behind. Closed features
    have a score of minus infinity.
    """
    top, known = -np.inf, np.finfo(np.float64).min
    for i in range(len(out)):
        value = relevance[i] + a
        below = own[i] + b + 2 * h[i]
        # A feature so small beside others that its square is 0 keeps a relevance of about 0.
        if value > 0 and below > 0:
            value /= np.sqrt(below)
        value += open_[i]
        out[i] = value
        top = max(top, value)
        if current[i]:
            known = max(known, value)
    return top, known


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
