"""Q-α with pairs of samples known to be apart, or together (Shashua and Wolf, ECCV 2004, Sec. 5).

With G and the weighted affinity ``A_α`` as in `qalpha`, take a pair of samples s and t that belong
to different clusters. Their affinity should be small, and with it the square of its entry
``(A_α)_st = Σ α_i m_is m_it``. Summed over all such pairs this square is a quadratic form
``αᵀ B α``. The weights maximise ``αᵀ (G - λ B) α``. Pairs that belong together enter B with the
opposite sign.

B is never formed. Row i of Φ is ``vec(m_i (Qᵀ m_i)ᵀ)``, as in `qalpha`, and after it one number
``m_is m_it`` for every pair. J multiplies the numbers of pairs by what their squares count in the
objective. The pass that reads the data computes both.

Departures from the paper:

- Where no pairs are apart and no values negative, weights and basis are found by an ascent (see
  `_ascent`), and not in turn.
- B is divided by the number of pairs and multiplied by q², the square of the number of samples, so
  that λ means the same for any number of pairs and of samples.
- A square does not distinguish unlike from opposite. If features were centred, true pairs apart
  would cost the features that separate them their weight. Features are made non-negative first, as
  in `supervised`.
- Weights need not come out positive; `Weights.negative_share` says how far they do not.
"""

from typing import Any

import numpy as np

from specsel import _containers, _data, _iterate, _validate, linalg, qalpha
from specsel._ascent import Objective
from specsel._iterate import Iterate, Step
from specsel._validate import ArrayLike, Directions, Floats, Init, Integers, LoopCallback, Names
from specsel.results import Weights

__all__ = ["solve"]

# Representations without negative values, whatever the data.
POSITIVE = ("parts", "shift", "ranks")


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    apart: ArrayLike | None = None,
    together: ArrayLike | None = None,
    tradeoff: float = 1.0,
    representation: _validate.Representation = "parts",
    scale: _validate.Scale = "unit",
    method: _validate.PairBasisStep = "ascent",
    criterion: _validate.Criterion = "energy",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: _validate.Seed = None,
    callback: LoopCallback = None,
) -> Weights:
    """Weigh features by how well they cluster the samples and how well they respect known pairs.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask.
    k : int or "auto"
        Number of leading directions that should carry the structure, about the number of
        clusters; as in `qalpha.solve`.
    apart, together : array of shape (n_pairs, 2), or two arrays (n_pairs, n_features), optional
        Pairs of samples that belong to different clusters, and pairs that belong to the same one.
        An array holds row numbers of X, a row a pair. Two arrays hold the samples themselves, the
        first of every pair and the second; these need not be in X. At least one pair is needed.
    tradeoff : float
        λ, how much the pairs count against the clusters. At 0 they do not count; at 1 they count
        about as much as the clusters; far above 1, hardly anything but the pairs counts.
    representation : {"parts", "shift", "ranks", "as-is", "centered"}
        How features are made non-negative. "parts": every feature becomes two, what it has above
        its median and what it has below. "shift": its minimum is subtracted. "ranks": the samples
        are ranked, in a copy of X. "as-is": not at all. "centered": its mean is subtracted, and
        negative values remain.
    scale : {"unit", "sqrt", "native"}
        As in `qalpha.solve`.
    method : {"ascent", "power"}
        How weights and basis are found, as in `qalpha.solve`. With pairs apart, with
        criterion="gap", and where values may be negative ("as-is", "centered"), "ascent" is
        "power".
    criterion : {"energy", "gap"}
        Maximise the energy of the k directions, or that energy less the energy of all others.
        "gap" costs O(n q²) a pass for n features and q samples, and takes row numbers only.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Where to start, as in `qalpha.solve`.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        Some may be negative: see `negative_share`.

    Examples
    --------
    The samples are grouped in two ways: features 0-2 show the first grouping, features 3-5 the
    second. The samples of every pair are in different groups of the second:

    >>> import numpy as np
    >>> from specsel import pairwise
    >>> X = np.random.default_rng(0).standard_normal((60, 20))
    >>> X[:30, :3] += 6
    >>> X[1::2, 3:6] += 4
    >>> apart = np.column_stack((np.arange(0, 60, 2), np.arange(1, 60, 2)))
    >>> sorted(pairwise.solve(X, 1, apart=apart, tradeoff=0).select(3).tolist())
    [0, 1, 2]
    >>> sorted(pairwise.solve(X, 1, apart=apart, tradeoff=1).select(3).tolist())
    [3, 4, 5]
    """
    array, names = _containers.as_data(X)
    options = _iterate.Options.for_basis(
        array.shape, k, init, n_init, tol, max_iter, random_state, callback
    )
    _validate.check_choice("method", method, _validate.PairBasisStep)
    _validate.check_choice("criterion", criterion, _validate.Criterion)
    _validate.check_number("tradeoff", tradeoff, 0)
    _validate.check_choice("representation", representation, _validate.Representation)
    _validate.check_choice("scale", scale, _validate.Scale)
    pairs_apart, pairs_together, others = _read_pairs(array, names, apart, together)
    _check_pairs(pairs_apart, pairs_together)
    if others is not None and (criterion == "gap" or representation == "ranks"):
        raise ValueError(
            f"criterion = {criterion!r}, representation = {representation!r}: "
            "need pairs of row numbers, not of samples"
        )
    if criterion == "gap":
        qalpha.check_budget(array.shape[0], ascends=False)
    data = _data.represent(array, names, representation=representation).scaled(scale)
    if others is not None:
        data = _data.with_others(data, others)
    options = options.counted(lambda: qalpha.count_centered(data))
    data.warn_if_negative(representation)
    if criterion == "gap":
        run = _iterate.alternate(PairwiseGap(data, pairs_apart, pairs_together, tradeoff), options)
    else:
        problem = Pairwise(data, pairs_apart, pairs_together, tradeoff)
        ascends = representation in POSITIVE and len(pairs_apart) == 0
        if method == "ascent" and ascends:
            run = _iterate.ascend(problem, options, problem.objective())
        else:
            run = _iterate.alternate(problem, options)
    return _iterate.pack(data, run)


def _read_pairs(
    array: Any, names: Names, apart: Any, together: Any
) -> tuple[Integers, Integers, Any]:
    """Return `apart` and `together` as pairs of rows, and the array of their samples.

    Where both are row numbers of X, the array is None.
    """
    arguments = {"apart": apart, "together": together}
    if not are_samples(apart, "apart") and not are_samples(together, "together"):
        first, second = (
            _containers.as_pairs(name, arguments[name], array.shape[0]) for name in arguments
        )
        return first, second, None
    parts: list[Any] = []
    rows: list[Integers] = []
    count = 0
    for name, pairs in arguments.items():
        if are_samples(pairs, name):
            first, second = _containers.as_samples(name, pairs, array.shape[1], names)
        else:
            numbers = _containers.as_pairs(name, pairs, array.shape[0])
            first, second = (_containers.take_samples(array, column) for column in numbers.T)
        numbers = count + np.arange(2 * first.shape[0]).reshape(2, -1).T
        parts, rows, count = [*parts, first, second], [*rows, numbers], count + numbers.size
    return rows[0], rows[1], _containers.stack_samples(parts)


def _check_pairs(apart: Integers, together: Integers) -> None:
    """Refuse to go on without any pair, and a pair that is both apart and together."""
    if len(apart) + len(together) == 0:
        raise ValueError("apart, together: hold no pair of samples; at least one is needed")
    both = {*map(frozenset, apart.tolist())} & {*map(frozenset, together.tolist())}
    if both:
        raise ValueError(f"together: holds {tuple(sorted(min(both, key=sorted)))}, as apart does")


def are_samples(pairs: object, name: str) -> bool:
    """Return whether pairs are two matrices, of their first and their second samples."""
    if isinstance(pairs, np.ndarray):
        return pairs.ndim == 3 and len(pairs) == 2
    if not isinstance(pairs, tuple | list):
        return False
    return [_containers.dimensions(part, name) for part in pairs] == [2, 2]


def _shares(apart: Integers, together: Integers, tradeoff: float, n_samples: int) -> Floats:
    """Return what the squared affinity of every pair counts in the objective."""
    sizes = [len(pairs) for pairs in (apart, together)]
    shares = tradeoff * n_samples**2 / np.maximum(sizes, 1)
    return np.repeat([-shares[0], shares[1]], sizes)


class Pairwise(qalpha.Energy):
    """The problem ``αᵀ (G - λ B) α``. A dual is a flat array: q x k, then a number for every pair.

    `shares` is what J multiplies the numbers of the pairs by.
    """

    def __init__(
        self, data: _data.Data, apart: Integers, together: Integers, tradeoff: float
    ) -> None:
        super().__init__(data)
        n_rows = (data.others or data).n_samples
        self.pairs = _data.Pairs.sort(np.vstack((apart, together)), n_rows)
        self.shares = _shares(apart, together, tradeoff, data.n_samples)

    def product(self, dual: Floats, point: Floats) -> Floats:
        matrix, values = _split(dual, point)
        pairs = self.pairs.with_values(values)
        _, image, entries = self.data.sweep(matrix, point, None, point, pairs)
        return np.concatenate((image.ravel(), entries))

    def apply_form(self, image: Floats, point: Floats) -> Floats:
        return np.concatenate((image[: point.size], self.shares * image[point.size :]))

    def first_dual(self, point: Floats) -> Floats:
        alpha = linalg.uneven(self.data.varies)
        _, image, entries = self.data.sweep(None, None, alpha, point, self.pairs)
        return np.concatenate((image.ravel(), self.shares * entries))

    def advance(self, pair: linalg.LeadingPair, point: Floats, width: int) -> Step[Floats]:
        matrix, values = _split(pair.dual, point)
        basis = linalg.narrow(_split(pair.image, point)[0], point, width)
        pairs = self.pairs.with_values(values)
        alpha, image, entries = self.data.sweep(matrix, point, None, basis, pairs)
        signed = self.shares * entries
        objective = float(np.vdot(image, image) + np.vdot(signed, entries))
        start = np.concatenate((image.ravel(), signed))
        return Iterate(alpha, basis, image, objective), basis, start

    def objective(self) -> Objective:
        """Return f of the ascent, which takes pairs together alone."""
        return Objective(self.data, self.pairs, self.shares)


def _split(vector: Floats, basis: Floats) -> tuple[Floats, Floats]:
    """Split a flat dual into its matrix, of the shape of the basis, and its numbers of pairs."""
    return vector[: basis.size].reshape(basis.shape), vector[basis.size :]


class PairwiseGap(qalpha.Gap):
    """The problem ``αᵀ (2 G - H - λ B) α``: pairs are entries of the affinity.

    `pair_shares`, samples x samples, is what J multiplies these entries by.
    """

    def __init__(
        self, data: _data.Data, apart: Integers, together: Integers, tradeoff: float
    ) -> None:
        super().__init__(data)
        self.pair_shares = np.zeros((data.n_samples, data.n_samples))
        pairs = np.vstack((apart, together))
        halves = _shares(apart, together, tradeoff, data.n_samples) / 2
        np.add.at(self.pair_shares, (pairs[:, 0], pairs[:, 1]), halves)
        self.pair_shares += self.pair_shares.T

    def form(self, affinity: Floats, basis: Floats) -> Floats:
        return super().form(affinity, basis) + self.pair_shares * affinity
