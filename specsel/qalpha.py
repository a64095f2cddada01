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

import numpy as np

from specsel import _data, _input, _loop, linalg
from specsel._input.annotations import ArrayLike, Directions, Floats, LoopCallback, Seed
from specsel._input.choices import BasisStep, Criterion, Init
from specsel._qalpha import gap
from specsel._qalpha.diagnostics import gram, relevance
from specsel._qalpha.whole import Form as Form
from specsel._qalpha.whole import lead as lead
from specsel.results import Weights

__all__ = ["gram", "relevance", "solve"]

# Duals are divided by what exceeds this power of two.
MODERATE = 60

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
        Dense numbers in any memory order, or a data frame. float32 and float64 are never copied.
    k : int or "auto"
        Number of leading directions that should carry the structure; take about the number of
        clusters. At most min(n_samples, n_features). "auto" counts the clusters that stand out,
        2 to 10 of them: it runs a few iterations with ten directions and looks for the largest
        ratio of an eigenvalue to the next. It counts too few clusters where noise hides some,
        where their distances differ much, or where some show in few features; now and then it
        counts too many where fewer than ten features are relevant.
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
    array, names = _input.as_matrix(X)
    options = _loop.Options.for_basis(
        array.shape, k, init, n_init, tol, max_iter, random_state, callback
    )
    check_form(method, criterion)
    _input.check_flag("center", center)
    data = _data.represent(array, names, representation="centered" if center else "as-is")
    if not center:
        options = options.counted(lambda: count_centered(data))
    return weigh(data, options, method=method, criterion=criterion)


def weigh(
    data: _data.Data,
    options: _loop.Options,
    *,
    method: BasisStep = "ascent",
    criterion: Criterion = "energy",
) -> Weights:
    """Run Q-α on data that have been read. Tall data are reduced first."""
    small, lift = data, None
    if data.n_samples > data.n_features:
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
    _input.check_choice("method", method, _input.choices.BASIS_STEPS)
    _input.check_choice("criterion", criterion, _input.choices.CRITERIA)


def count_centered(data: _data.Data) -> int:
    """Count the clusters for k = "auto" in centred data, however `data` represents features."""
    centered = data.centered()
    if not centered.norm.any():
        return 1
    if centered.n_samples > centered.n_features:
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


class WholeAffinity:
    """Weights that maximise a quadratic form of all of ``A_α``, an array of q x q for q samples.

    Row i of Φ is ``vec(m_i m_iᵀ)``, so that a dual is q x q and ``Φᵀ α`` is ``A_α``. The form is
    ``<A_α, J A_α>``, and J is given as a function. Where there are fewer weights than entries of
    the affinity, the vectors of the Krylov method are weights instead, with two passes per step.
    """

    def __init__(self, data: _data.Data) -> None:
        self.data = data
        self.weights_are_smaller = data.n_features <= data.n_samples**2

    def product(self, vector: Floats) -> Floats:
        """``ΦᵀΦ vector``; the vector itself where vectors are weights."""
        return vector if self.weights_are_smaller else self.data.fused(vector, None)[1]

    def signs(self, image: Floats, form: Form) -> Floats:
        """``J image``; ``Φ J Φᵀ image`` where vectors are weights."""
        if not self.weights_are_smaller:
            return form(image)
        dual = form(self.data.adjoint(image, None))
        # A form may be so large that float32 cannot hold it; a power of two changes no digit.
        scale = 2.0 ** max(np.frexp(np.abs(dual).max())[1] - MODERATE, 0)
        return self.data.forward(dual / scale, None) * scale

    def enter(self, form: Form) -> Floats:
        """Return the vector of equal weights, with which the Krylov method begins."""
        # Constant features are left out: they add 0 to the objective, which may be more than any.
        equal = (self.data.norms.ravel() > 0).astype(float)
        return equal if self.weights_are_smaller else form(self.data.adjoint(equal, None))

    def weights(self, pair: linalg.Leading) -> tuple[Floats, Floats]:
        """Return the weights of a leading pair, and the affinity with those weights."""
        if self.weights_are_smaller:
            return pair.dual, self.data.adjoint(pair.dual, None)
        return self.data.forward(pair.dual, None), pair.image


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
