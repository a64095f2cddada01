"""Q-α with pairs of samples known to be apart, or together (Shashua and Wolf, ECCV 2004, Sec. 5).

With ``G`` as in `qalpha` and a pair of samples ``x, y`` that belong to different clusters,
``(Σ α_i x_i y_i)² = (A_α)_xy²`` should be small. Over all such pairs that is ``αᵀ B α``; maximise
``αᵀ (G - λ B) α``. Pairs that belong together enter with the opposite sign.

B is never formed: row i of Φ has an entry ``m_ix m_iy`` for every pair beside
``vec(m_i (Qᵀ m_i)ᵀ)``, with its sign in J, and the pass that reads the data computes both.

Departures. B is divided by the number of pairs and multiplied by q², so that λ means the same for
any number of pairs and of samples. Squares cannot tell unlike from opposite: with centred features
pairs that are truly apart would make the features that tell them apart lose. Features are made
non-negative first, as in `supervised`. That α comes out positive is not proven here;
`negative_share` reports how far it does.
"""

import numpy as np

from specsel import _data, _input, _loop, linalg, qalpha
from specsel.results import Weights

__all__ = ["solve"]


def solve(
    X,
    k,
    *,
    apart=None,
    together=None,
    tradeoff=1.0,
    representation="parts",
    criterion="energy",
    init="continuation",
    n_init=15,
    tol=1e-6,
    max_iter=200,
    random_state=None,
    callback=None,
) -> Weights:
    """Weigh features by how well they cluster the samples, heeding pairs of samples.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Dense numbers in any memory order, or a data frame.
    k : int or "auto"
        Number of leading directions that should carry the structure, as in `qalpha.solve`.
    apart, together : array of shape (n_pairs, 2), or two arrays (n_pairs, n_features), optional
        Row numbers of two samples that belong to different clusters, or to the same; or the
        samples themselves, first and second ones of the pairs, which need not be in X.
    tradeoff : float
        λ, what the pairs count against the clusters: the larger, the more. At 0 they do not count,
        at 1 about as much as the clusters, and far above that hardly anything else does.
    representation : {"parts", "shift", "ranks", "as-is", "centered"}
        How features become non-negative: what they have above and below their median, as two
        features; less their minimum; the ranks of the samples (copies X); not at all; or centred
        after all.
    criterion : {"energy", "gap"}
        Maximise the energy of k directions, or that energy less the energy of all others; the
        latter in O(n q²) a pass, and with pairs by row number alone.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Start, as in `qalpha.solve`.
    n_init, tol, max_iter, random_state, callback
        As in `qalpha.solve`.

    Returns
    -------
    Weights
        With `negative_share`, the share of negative weights.

    References
    ----------
    Shashua, A. and Wolf, L. (2004). Kernel feature selection with side data using a spectral
    approach. ECCV 2004, LNCS 3023, 39-53.

    Examples
    --------
    Two groupings of the samples; each pair is apart in the second, which features 3-5 show.

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
    array, names = _input.as_matrix(X)
    _loop.check_options(array.shape, k, init, n_init, tol, max_iter, random_state, callback)
    _input.check_choice("criterion", criterion, _input.choices.CRITERIA)
    _input.check_not_negative("tradeoff", tradeoff)
    _input.check_choice("representation", representation, _input.choices.REPRESENTATIONS)
    apart, together, others = _read_pairs(array, names, apart, together)
    if len(apart) + len(together) == 0:
        raise ValueError("apart, together: hold no pair of samples; at least one is needed")
    both = {*map(frozenset, apart.tolist())} & {*map(frozenset, together.tolist())}
    if both:
        raise ValueError(f"together: holds {tuple(sorted(min(both, key=sorted)))}, as apart does")
    if others is not None and (criterion == "gap" or representation == "ranks"):
        raise ValueError(
            f"criterion = {criterion!r}, representation = {representation!r}: "
            "need pairs of row numbers, not of samples"
        )
    data = _data.represent(array, names, representation=representation)
    if k == "auto":
        k = qalpha.count_centered(data)
    data.warn_if_negative(representation)
    if criterion == "gap":
        problem = PairwiseGap(data, apart, together, tradeoff)
    else:
        problem = Pairwise(data, apart, together, tradeoff, others)
    state, record = _loop.solve(
        problem,
        k,
        init=init,
        n_init=n_init,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        callback=callback,
    )
    return _loop.pack(data, state, record)


def _read_pairs(array, names, *given):
    """Pairs of rows: of X and None or, where samples are given, of an array that holds them."""
    arguments = dict(zip(("apart", "together"), given, strict=True))
    if not any(map(are_samples, given)):
        return *(_input.as_pairs(name, arguments[name], len(array)) for name in arguments), None
    parts, rows, count = [], [], 0
    for name, pairs in arguments.items():
        if are_samples(pairs):
            first, second = _input.as_samples(name, pairs, array.shape[1], names)
        else:
            first, second = (array[i] for i in _input.as_pairs(name, pairs, len(array)).T)
        numbers = count + np.arange(2 * len(first)).reshape(2, -1).T
        parts, rows, count = [*parts, first, second], [*rows, numbers], count + numbers.size
    return *rows, np.concatenate(parts)


def are_samples(pairs):
    """Whether pairs are two matrices, of their first and of their second samples."""
    if isinstance(pairs, np.ndarray):
        return pairs.ndim == 3 and len(pairs) == 2
    return isinstance(pairs, tuple | list) and [np.ndim(part) for part in pairs] == [2, 2]


def _signs(apart, together, tradeoff, n_samples):
    """What the square of the entry of every pair counts in the objective."""
    sizes = [len(pairs) for pairs in (apart, together)]
    shares = tradeoff * n_samples**2 / np.maximum(sizes, 1)
    return np.repeat([-shares[0], shares[1]], sizes)


class Pairwise(qalpha.Energy):
    """The products of ``αᵀ (G - λ B) α``; duals are q x k, then a number for every pair."""

    def __init__(self, data, apart, together, tradeoff, others=None):
        super().__init__(data)
        self.paired = data if others is None else _data.Beside(data, others)
        n_rows = data.n_samples if others is None else len(others)
        self.pairs = _data.Pairs.sort(np.vstack((apart, together)), n_rows)
        self.weights = _signs(apart, together, tradeoff, data.n_samples)

    def product(self, dual, basis):
        matrix, values = self._split(dual, basis)
        _, image, entries = self.paired.fused_pairs(matrix, basis, self.pairs, values)
        return np.concatenate((image.ravel(), entries))

    def signs(self, image, basis):
        return np.concatenate((image[: basis.size], self.weights * image[basis.size :]))

    def enter(self, basis):
        equal = np.ones(self.data.n_features)
        image, entries = self.paired.adjoint_pairs(equal, basis, self.pairs)
        return np.concatenate((image.ravel(), self.weights * entries))

    def advance(self, pair, basis, width):
        matrix, values = self._split(pair.dual, basis)
        before, basis = basis, linalg.narrow(self._split(pair.image, basis)[0], basis, width)
        alpha, image, entries = self.paired.fused_pairs(matrix, before, self.pairs, values, basis)
        signed = self.weights * entries
        objective = np.vdot(image, image) + np.vdot(signed, entries)
        start = np.concatenate((image.ravel(), signed))
        return _loop.State(alpha, basis, image, start, objective)

    def _split(self, vector, basis):
        return vector[: basis.size].reshape(basis.shape), vector[basis.size :]


class PairwiseGap(qalpha.Gap):
    """The products of ``αᵀ (2 G - H - λ B) α``: the pairs are entries of the whole affinity."""

    def __init__(self, data, apart, together, tradeoff):
        super().__init__(data)
        self.weights = np.zeros((data.n_samples, data.n_samples))
        pairs = np.vstack((apart, together))
        halves = _signs(apart, together, tradeoff, data.n_samples) / 2
        np.add.at(self.weights, (pairs[:, 0], pairs[:, 1]), halves)
        self.weights += self.weights.T

    def form(self, affinity, basis):
        return super().form(affinity, basis) + self.weights * affinity
