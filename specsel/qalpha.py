"""Q-α: weights that make the samples cluster (Wolf and Shashua, JMLR 6, 2005, Defs. 1, 2 and 4).

Let ``m_i`` be the i-th feature, a vector over the samples, centred and of unit norm. Weights
``α_i`` give the weighted affinity of the samples, ``A_α = Σ α_i m_i m_iᵀ``. Let Q be an
orthonormal basis of k directions, samples x k. Q-α maximises the energy that these directions
hold, ``trace(Qᵀ A_α A_α Q) = αᵀ G α``, over Q and over α of unit norm, where
``G_ij = (m_iᵀ m_j) m_iᵀ Q Qᵀ m_j``.

The default, ascent, climbs on α and Q at once (see `_loop.ascent`). The paper alternates: given Q,
the best α is the leading eigenvector of G; given α, a new Q follows in one of three ways:

- basic: Q spans the k leading eigenvectors of ``A_α``, by modulus;
- power (Def. 2): ``Q <- qr(A_α Q)``, one step of orthogonal iteration;
- ritz (Def. 4): as power. In the end α is computed once more from the last Q, and the Ritz vectors
  of ``A_α`` inside Q replace it.

The gap criterion (end of Sec. 2.1) subtracts the energy of all other directions: it maximises
``αᵀ (2 G - H) α`` with ``H_ij = (m_iᵀ m_j)²``. It has an ascent of its own, see `_qalpha.gap`.

Departures from the paper:

- G is never formed. With ``vec(m_i (Qᵀ m_i)ᵀ)`` as row i of a matrix Φ, ``G = Φ Φᵀ``. The
  eigenvector comes from a Krylov method on the small matrix ``ΦᵀΦ``, one pass over the data per
  step. The cost grows linearly with the number of features; in the paper it grows with its square.
- Step 4 of Def. 4 prints ``G`` without the factor ``m_iᵀ m_j``. It is meant as in Def. 2.
- G depends only on the span of Q, so the α of step 5 is the one with which the next iteration
  begins. Ritz and power therefore differ in the last iteration only.
- The start is not random, because random starts end on trivial maxima (see `_loop`).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specsel import _containers, _data, _loop, _validate, linalg
from specsel._qalpha import gap
from specsel._qalpha.diagnostics import gram, relevance
from specsel._qalpha.flat import lead_roughly as lead_roughly
from specsel._qalpha.noise import stands_out
from specsel._qalpha.whole import Form as Form
from specsel._qalpha.whole import WholeAffinity
from specsel._qalpha.whole import check_budget as check_budget
from specsel._qalpha.whole import lead as lead
from specsel._validate import (
    ArrayLike,
    BasisStep,
    Criterion,
    Directions,
    Floats,
    Init,
    LoopCallback,
    Names,
    Seed,
)
from specsel.results import Weights

__all__ = ["gram", "relevance", "solve"]

# Before clusters are counted, so many directions are compared with noise, this exact.
DIRECTIONS, ROUGHLY = 3, 1e-3

# How exact parameter-free weights need to be to order the seeds.
SEED_TOL = 1e-9


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    method: BasisStep = "ascent",
    criterion: Criterion = "energy",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    center: bool = True,
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: Seed = None,
    callback: LoopCallback = None,
) -> Weights:
    """Weigh features by how well they make the samples cluster.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        An array, sparse matrix, data frame or AnnData, or what is read in blocks: a memory map or
        an array of h5py, zarr or Dask. float32 and float64 are never copied.
    k : int or "auto"
        Number of leading directions that should carry the structure; take about the number of
        clusters. At most min(n_samples, n_features). "auto" counts the clusters that stand out,
        2 to 10 of them: it runs a few iterations with ten directions and looks for the largest
        ratio of an eigenvalue to the next. It counts too few clusters where noise hides some,
        where their distances differ much, or where some show in few features; now and then it
        counts too many where fewer than ten features are relevant. Where the columns have no more
        in common than shuffled ones, it warns and k is 1.
    method : {"ascent", "power", "ritz", "basic"}
        "ascent" climbs on weights and basis at once and reads X least often. The others go step by
        step as the paper does. The basis follows from the weights: by a step of orthogonal
        iteration ("power"); the same, with weights and basis refined in the end ("ritz"); or as
        the eigenvectors of the affinity, exact up to 2,000 samples ("basic").
    criterion : {"energy", "gap"}
        Maximise the energy of the k directions, or that energy less the energy of all others.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Where to start. "continuation": from a wide basis that is narrowed to k. "equal": from the
        k leading directions of equal weights. Both are deterministic. "seeded": from each of the
        `n_init` features with the largest parameter-free weight (see `weighting.solve`), and the
        features like it; slower, and often a little better. "random": from `n_init` random bases.
        An array is an orthonormal basis to start from.
    n_init : int
        Number of starts for "seeded" and "random". The best end is returned.
    center : bool
        Subtract the mean of every feature.
    tol : float
        Stop when the objective rose by no more than this share of it over the last five iterations
        of the ascent (three with criterion="gap"), or in the last iteration of the other methods,
        which are much farther from the limit then. With 0, every iteration is as exact as rounding
        allows, and the loop ends when nothing changes any more or at `max_iter`.
    max_iter : int
        Largest number of iterations. A warning says if the tolerance needs more.
    random_state : int, Generator or None
        Seed of the random starts. Nothing else is random.
    callback : callable, optional
        Called as ``callback(iteration, objective)``. Return a true value to stop the loop.

    Returns
    -------
    Weights
        See `specsel.results.Weights`.

    References
    ----------
    Wolf, L. and Shashua, A. (2005). Feature selection for unsupervised and supervised inference:
    the emergence of sparsity in a weight-based approach. JMLR 6, 1855-1887.

    Examples
    --------
    >>> from specsel import datasets, qalpha
    >>> data = datasets.growing_classes(3, random_state=1)
    >>> weights = qalpha.solve(data.X, k=3)
    >>> sorted(weights.select().tolist())
    [0, 1, 2, 3, 4]
    >>> weights.converged
    True
    """
    array, names = _containers.as_data(X)
    data, options = prepare(
        array,
        names,
        k,
        method=method,
        criterion=criterion,
        init=init,
        n_init=n_init,
        center=center,
        tol=tol,
        max_iter=max_iter,
        random_state=random_state,
        callback=callback,
    )
    return weigh(data, options, method=method, criterion=criterion)


def prepare(
    array: NDArray[Any],
    names: Names,
    k: Directions,
    *,
    method: BasisStep,
    criterion: Criterion,
    init: Init | ArrayLike,
    n_init: int,
    center: bool,
    tol: float,
    max_iter: int,
    random_state: Seed,
    callback: LoopCallback,
) -> tuple[_data.Data, _loop.Options]:
    """Check the arguments of `solve` and read the data: what `weigh` needs."""
    options = _loop.Options.for_basis(
        array.shape, k, init, n_init, tol, max_iter, random_state, callback
    )
    check_form(method, criterion)
    data = read(array, names, center, method=method, criterion=criterion)
    starts_wide = isinstance(init, str) and init == "continuation"
    climbs = (method, criterion) == ("ascent", "energy")
    later = center and starts_wide and climbs  # the start of an ascent counts on its own
    return data, options.counted(
        lambda: count_or_none(data if center else data.centered(), later=later)
    )


def read(
    array: Any,
    names: Names,
    center: bool,
    *,
    method: BasisStep = "ascent",
    criterion: Criterion,
) -> _data.Data:
    """Represent X, centred or as it is; refuse what `weigh` would have no room for."""
    _validate.check_flag("center", center)
    if criterion == "gap":
        check_budget(_data.count_reduced(array), climbs=method == "ascent")
    return _data.represent(array, names, representation="centered" if center else "as-is")


def weigh(
    data: _data.Data,
    options: _loop.Options,
    *,
    method: BasisStep = "ascent",
    criterion: Criterion = "energy",
) -> Weights:
    """Run Q-α on data that have been read. Tall data are reduced first."""
    small, lift = data, None
    if data.is_tall():
        small, restrict, lift = data.reduced()
        options = options.restricted(restrict)
    problem = PROBLEMS[criterion](small, basic=method == "basic")
    if method != "ascent":
        finish = problem.refine if method == "ritz" else None
        run = _loop.solve(problem, options, finish=finish)
    elif criterion == "energy":
        run = _loop.ascend(problem, _loop.Samples(small), options)
    else:
        run = _widen_gap(problem, options)
    return _loop.pack(data, run.iterate, run.record, lift)


def count_or_none(centered: _data.Data, *, later: bool = False) -> Directions:
    """Count the clusters for k = "auto", or let it be done later.

    Where none stand out from noise there is a warning, and k is 1.
    """
    if not centered.norm.any():
        return 1
    small = centered.reduced()[0] if centered.is_tall() else centered
    few = min(DIRECTIONS, small.rank_bound)
    options = _loop.Options(few, "continuation", 1, ROUGHLY, 200, None, None)
    if not stands_out(centered, small, lambda other: weigh(other, options).objective):
        return 1
    return "auto" if later else _loop.count_clusters(Energy(small))


def _widen_gap(problem: "Energy", options: _loop.Options) -> _loop.Run:
    """Maximise the gap criterion; see `_qalpha.gap`."""
    options = options.counted(lambda: _loop.count_clusters(problem))

    def run(place: Floats, widths: list[int]) -> _loop.Run:
        alpha, affinity, basis, history, converged, stopped = gap.climb(
            problem.data,
            place,
            widths,
            tol=options.tol,
            max_iter=options.max_iter,
            tell=options.tell,
        )
        iterate = _loop.Iterate(alpha, basis, affinity @ basis, history[-1])
        return _loop.Run(iterate, history, converged, stopped, None)

    return _loop.from_each_start(problem, options, run)


def check_form(method: str, criterion: str) -> None:
    """Refuse an unknown method or criterion."""
    _validate.check_choice("method", method, _validate.BASIS_STEPS)
    _validate.check_choice("criterion", criterion, _validate.CRITERIA)


def count_centered(data: _data.Data) -> int:
    """Count the clusters for k = "auto" in centred data, however `data` represents features."""
    centered = data.centered()
    if not centered.norm.any():
        return 1
    if centered.is_tall():
        centered = centered.reduced()[0]
    return _loop.count_clusters(Energy(centered))


class Energy:
    """The problem ``αᵀ G α``. With q samples, duals are q x k.

    Row i of Φ is ``vec(m_i (Qᵀ m_i)ᵀ)`` and J is the identity. A place is the basis Q.
    """

    def __init__(self, data: _data.Data, *, basic: bool = False) -> None:
        self.data = data
        self.basic = basic

    def product(self, dual: Floats, place: Floats) -> Floats:
        return self.data.fused(dual, place)[1]

    def signs(self, image: Floats, place: Floats) -> Floats:
        return image

    def enter(self, place: Floats) -> Floats:
        return self.data.adjoint(np.ones(self.data.n_features), place)

    def advance(self, pair: linalg.Leading, place: Floats, width: int) -> _loop.Step[Floats]:
        if self.basic:
            alpha = self.data.forward(pair.dual, place)
            basis = _data.affinity_subspace(self.data, alpha, width, start=place)
            image = self.data.adjoint(alpha, basis)
        else:
            basis = linalg.narrow(pair.image, place, width)
            alpha, image = self.data.fused(pair.dual, place, basis)
        iterate = _loop.Iterate(alpha, basis, image, float(np.vdot(image, image)))
        return _loop.Step(iterate, basis, image)

    def refine(self, pair: linalg.Leading, place: Floats) -> _loop.Iterate:
        """Return the weights that `pair` stands for at the basis as it is: step 5 of ritz."""
        alpha, image = self.data.forward(pair.dual, place), pair.image
        return _loop.Iterate(alpha, place, image, float(np.vdot(image, image)))

    def subspace(self, alpha: Floats, width: int) -> Floats:
        return _data.affinity_subspace(self.data, alpha, width)

    def lead(self, width: int) -> tuple[Floats, Floats]:
        equal = np.ones(self.data.n_features)
        values, basis = linalg.leading_pairs(
            lambda basis: self.data.adjoint(equal, basis), self.data.n_samples, width
        )
        return basis, basis * values

    def random(self, generator: np.random.Generator, width: int) -> Floats:
        return linalg.orthonormal(generator.standard_normal((self.data.n_samples, width)))

    def given(self, init: ArrayLike, k: int) -> Floats:
        basis = np.array(init, dtype=float)
        image = self.data.adjoint(np.ones(self.data.n_features), basis)
        if np.linalg.norm(image) <= self.data.floor * self.data.norm.astype(bool).sum():
            raise ValueError("init: the basis is orthogonal to every feature; it can lead nowhere")
        return basis

    def seeds(self) -> Iterator[Floats]:
        """Yield the likeness of all features to one, for one after another.

        The feature with the largest parameter-free weight comes first.
        """
        free = lead(self.data, tol=SEED_TOL).alpha
        for seed in np.argsort(-np.abs(free), kind="stable"):
            column = self.data.feature(seed)[:, None]
            yield self.data.forward(column, column)


class Gap(Energy):
    """The problem ``αᵀ (2 G - H) α``: the form ``J A = A QQᵀ + QQᵀ A - A`` of `WholeAffinity`."""

    def __init__(self, data: _data.Data, *, basic: bool = False) -> None:
        super().__init__(data, basic=basic)
        self.whole = WholeAffinity(data)

    def form(self, affinity: Floats, basis: Floats) -> Floats:
        """``J affinity`` at a basis."""
        return gap.signed(affinity, basis)

    def product(self, dual: Floats, place: Floats) -> Floats:
        return self.whole.product(dual)

    def signs(self, image: Floats, place: Floats) -> Floats:
        return self.whole.signs(image, lambda affinity: self.form(affinity, place))

    def enter(self, place: Floats) -> Floats:
        return self.whole.enter(lambda affinity: self.form(affinity, place))

    def advance(self, pair: linalg.Leading, place: Floats, width: int) -> _loop.Step[Floats]:
        alpha, affinity = self.whole.weights(pair)
        if self.basic:
            basis = linalg.largest_modulus(affinity, width)[1]
        else:
            basis = linalg.narrow(affinity @ place, place, width)
        return self._step(alpha, affinity, basis)

    def refine(self, pair: linalg.Leading, place: Floats) -> _loop.Iterate:
        return self._step(*self.whole.weights(pair), place).iterate

    def _step(self, alpha: Floats, affinity: Floats, basis: Floats) -> _loop.Step[Floats]:
        signed = self.form(affinity, basis)
        iterate = _loop.Iterate(alpha, basis, affinity @ basis, float(np.vdot(affinity, signed)))
        start = alpha if self.whole.weights_are_smaller else signed
        return _loop.Step(iterate, basis, start)


PROBLEMS: dict[Criterion, type[Energy]] = {"energy": Energy, "gap": Gap}
