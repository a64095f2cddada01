"""Q-α: weights that make the samples cluster (Wolf and Shashua, JMLR 6, 2005, Defs. 1, 2 and 4).

Let ``m_i`` be the i-th feature, a vector over the samples, centred and of unit norm, or with a
power of its own norm where `scale` says so. Weights
``α_i`` give the weighted affinity of the samples, ``A_α = Σ α_i m_i m_iᵀ``. Let Q be an
orthonormal basis of k directions, samples x k. Q-α maximises the energy that these directions
hold,

    trace(Qᵀ A_α A_α Q) = αᵀ G α,    G_ij = (m_iᵀ m_j) m_iᵀ Q Qᵀ m_j,

over Q and over α of unit norm. The default, ascent, changes α and Q at once: a quasi-Newton method
for the maximum of ``Σ_i (m_iᵀ W m_i)²`` over matrices W of rank k, which is the same, see
`_ascent`. The paper alternates: given Q, the best α is the leading eigenvector of G; given α, a
new Q follows in one of three ways:

- basic: Q spans the k leading eigenvectors of ``A_α``, by modulus;
- power (Def. 2): ``Q <- qr(A_α Q)``, one step of orthogonal iteration;
- ritz (Def. 4): as power. In the end α is computed once more from the last Q, and the Ritz vectors
  of ``A_α`` inside Q replace it.

The gap criterion (end of Sec. 2.1) subtracts the energy of all other directions. It maximises

    2 |A_α Q|² - |A_α|² = αᵀ (2 G - H) α,    H_ij = (m_iᵀ m_j)²,

and has an ascent of its own, `ascend_gap`: the affinities of some weights are known, and so are
those of all their combinations. The best combination and the best basis for it are found in turn,
without reading the data: given Q, the coefficients are the leading eigenvector of a small matrix;
given the coefficients, Q spans the leading eigenvectors of the affinity. One pass then adds the
direction of steepest ascent to what is known.

Departures from the paper:

- G is never formed. With ``vec(m_i (Qᵀ m_i)ᵀ)`` as row i of a matrix Φ, ``G = Φ Φᵀ``. The
  eigenvector comes from a Krylov method on the small matrix ``ΦᵀΦ``, one pass over the data per
  step. The cost grows linearly with the number of features; in the paper it grows with its square.
- Step 4 of Def. 4 prints ``G`` without the factor ``m_iᵀ m_j``. It is meant as in Def. 2.
- G depends only on the span of Q, so the α of step 5 is the one with which the next iteration
  begins. Ritz and power therefore differ in the last iteration only.
- The start is not random, because random starts end on trivial maxima (see `_iterate`).
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from specsel import _containers, _data, _iterate, _runtime, _validate, linalg
from specsel._iterate import Iterate, Step
from specsel._validate import ArrayLike, Directions, Floats, Init, LoopCallback, Names, Scale
from specsel.results import Weights

__all__ = ["gram", "relevance", "solve"]

# How exact parameter-free weights need to be to order the seeds.
SEED_TOL = 1e-9

# The ascent of the gap criterion: how exact the weights need to be at the first basis; passes at
# every width of the basis; and passes over which the objective must rise by less than the
# tolerance.
START_TOL = 1e-3
NARROWING_PASSES = 2
WINDOW = 3

# The most times that coefficients and basis are found in turn between two passes; and their last
# change, as a share of the tolerance.
TURNS = 30
TURNS_SHARE = 0.1

# The most passes of a Krylov method over affinities, the most weights that are kept, and how
# much memory they may take with their affinities: this share of X, or so many bytes if that is
# more. The fewest that are kept, whatever their memory; and how many other arrays of samples x
# samples there are.
MOST_PASSES = 300
MOST_KEPT = 60
KEPT_SHARE = 0.08
KEPT_BYTES = 2**24
LEAST_KEPT = 6
COPIES = 4

# An affinity that came by differences is computed again where it is off by so many roundings. In
# an ascent, those of nearly known weights need no more digits than their small coefficients.
MOST_ROUNDINGS = 1e3
MOST_ROUNDINGS_GAP = 1e6

# The loosest tolerance where values may be negative. The next value may then long be taken for one
# far below it, so that less seems to be left to gain than is.
SIGNED_TOL = 1e-6

# Duals are divided by what exceeds this power of two.
MODERATE = 60

# Before clusters are counted, so many directions are compared with noise, this exact.
DIRECTIONS, ROUGHLY = 3, 1e-3

# Standard deviations beyond the edge; independent Gaussian features get there once in a thousand.
BEYOND = 3.3

# Shuffles that must all do worse: p = .05. Two objectives count as equal if they differ by less.
SHUFFLES = 19
SHUFFLES_TOL = 1e-3

# Larger data are not shuffled, for that would take a dense copy of them: clusters are counted.
MOST_NUMBERS = 2**24

# Where eigenvalues are found by passes: until the relevance rises by no more than this share in a
# round, or for so many rounds; so many more than wanted are followed, which speeds it up.
RELEVANCE_TOL = 1e-10
MOST_ROUNDS = 100
MORE = 8

# A symmetric linear map J of affinities, samples x samples: A -> J A.
Form = Callable[[Floats], Floats]


def solve(
    X: ArrayLike,
    k: Directions,
    *,
    method: _validate.BasisStep = "ascent",
    criterion: _validate.Criterion = "energy",
    init: Init | ArrayLike = "continuation",
    n_init: int = 15,
    center: bool = True,
    scale: Scale = "unit",
    tol: float = 1e-6,
    max_iter: int = 200,
    random_state: _validate.Seed = None,
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
        "ascent" changes weights and basis at once and reads X least often. The others go step by
        step as the paper does. The basis follows from the weights: by a step of orthogonal
        iteration ("power"); the same, with weights and basis refined in the end ("ritz"); or as
        the eigenvectors of the affinity, exact up to 2,000 samples ("basic").
    criterion : {"energy", "gap"}
        Maximise the energy of the k directions, or that energy less the energy of all others.
    init : {"continuation", "equal", "seeded", "random"} or array of shape (n_samples, k)
        Where to start. "continuation": from a wide basis that is narrowed to k. "equal": from the
        k leading directions of weights that differ by some 3 %, always in the same way, so that
        exchangeable features are told apart. Both are deterministic; in small data with many equal
        eigenvalues, such as designs, some seeded and random starts are tried as well. "seeded":
        from each of the `n_init` features with the largest parameter-free weight (see
        `weighting.solve`), and the features like it; slower, and often a little better. "random":
        from `n_init` random bases.
        An array is an orthonormal basis to start from.
    n_init : int
        Number of starts for "seeded" and "random"; the run with the largest objective is returned.
    center : bool
        Subtract the mean of every feature.
    scale : {"unit", "sqrt", "native"}
        Which power of its norm a feature keeps. "unit": none, so that a column counts as much as
        any other, noise too; for columns in different units. "native": all of it, so that columns
        that vary more count more; for columns in one unit, such as expressions, spectra and
        pixels. "sqrt": the root, between both. On three sets of gene expression (two of
        leukemias, one of medulloblastomas; logarithms) k-means on the 50 best genes finds 51, 68
        and 59 % of the kinds with "unit", 94, 79 and 65 % with "sqrt", 94, 76 and 65 % with
        "native"; on the 50 genes of largest variance 97, 76 and 68 %.
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
    options = _iterate.Options.for_basis(
        array.shape, k, init, n_init, tol, max_iter, random_state, callback
    )
    data = read(array, names, center, method=method, criterion=criterion, scale=scale)
    ascends = method == "ascent" and criterion == "energy"
    # An ascent from continuation counts clusters itself.
    later = center and ascends and options.starts_by_name and init == "continuation"
    options = options.counted(
        lambda: count_or_none(data if center else data.centered(), later=later)
    )
    return weigh(data, options, method=method, criterion=criterion)


def read(
    array: Any,
    names: Names,
    center: bool,
    *,
    method: _validate.BasisStep = "ascent",
    criterion: _validate.Criterion,
    scale: Scale,
) -> _data.Data:
    """Represent X, centred or as passed; refuse what `weigh` would have no memory for."""
    _validate.check_choice("scale", scale, Scale)
    _validate.check_choice("method", method, _validate.BasisStep)
    _validate.check_choice("criterion", criterion, _validate.Criterion)
    _validate.check_flag("center", center)
    if criterion == "gap":
        check_budget(_data.count_reduced(array), ascends=method == "ascent")
    representation: _validate.Representation = "centered" if center else "as-is"
    return _data.represent(array, names, representation=representation).scaled(scale)


def weigh(
    data: _data.Data,
    options: _iterate.Options,
    *,
    method: _validate.BasisStep = "ascent",
    criterion: _validate.Criterion = "energy",
) -> Weights:
    """Run Q-α on data that have been read. Tall data are reduced first."""
    small, lift = data, None
    if data.is_tall():
        small, restrict, lift = data.reduced()
        options = options.restricted(restrict)
    kind = Energy if criterion == "energy" else Gap
    problem = kind(small, basic=method == "basic")
    if method != "ascent":
        finish = problem.refine if method == "ritz" else None
        run = _iterate.alternate(problem, options, finish=finish)
    elif isinstance(problem, Gap):
        run = ascend_gap(problem, options)
    else:
        run = _iterate.ascend(problem, options)
    return _iterate.pack(data, run, lift)


class Energy:
    """The problem ``αᵀ G α``, with the methods that `_iterate` calls.

    A point of the loop is the basis Q. With ``vec(m_i (Qᵀ m_i)ᵀ)`` as row i of Φ, ``G = Φ Φᵀ``.
    For a *dual* B, of the size of Q, ``Φ B`` has the entries ``m_iᵀ B Qᵀ m_i`` (`forward`), and
    ``Φᵀ α = A_α Q`` (`adjoint`); both in one pass are `fused`. J is the identity here.
    """

    def __init__(self, data: _data.Data, *, basic: bool = False) -> None:
        self.data = data
        self.basic = basic

    def product(self, dual: Floats, point: Floats) -> Floats:
        return self.data.fused(dual, point)[1]

    def apply_form(self, image: Floats, point: Floats) -> Floats:
        return image

    def first_dual(self, point: Floats) -> Floats:
        return self.data.adjoint(linalg.uneven(self.data.varies), point)

    def advance(self, pair: linalg.LeadingPair, point: Floats, width: int) -> Step[Floats]:
        if self.basic:
            alpha = self.data.forward(pair.dual, point)
            basis = _data.affinity_subspace(self.data, alpha, width, start=point)
            image = self.data.adjoint(alpha, basis)
        else:
            basis = linalg.narrow(pair.image, point, width)
            alpha, image = self.data.fused(pair.dual, point, basis)
        return Iterate(alpha, basis, image, float(np.vdot(image, image))), basis, image

    def refine(self, pair: linalg.LeadingPair, point: Floats) -> Iterate:
        """Return the weights of a leading pair at the basis as it is: step 5 of ritz."""
        alpha, image = self.data.forward(pair.dual, point), pair.image
        return Iterate(alpha, point, image, float(np.vdot(image, image)))

    def subspace(self, alpha: Floats, width: int) -> Floats:
        return _data.affinity_subspace(self.data, alpha, width)

    def random(self, generator: np.random.Generator, width: int) -> Floats:
        return linalg.orthonormal(generator.standard_normal((self.data.n_samples, width)))

    def from_array(self, init: ArrayLike, k: int) -> Floats:
        basis = np.array(init, dtype=float)
        image = self.data.adjoint(np.ones(self.data.n_features), basis)
        if np.linalg.norm(image) <= self.data.floor * self.data.norm.astype(bool).sum():
            raise ValueError("init: the basis is orthogonal to every feature; it can lead nowhere")
        return basis

    def seeds(self) -> Iterator[Floats]:
        """Yield ``(m_iᵀ m_j)²`` over j, for i by falling parameter-free weight."""
        free = leading_weights(self.data, tol=SEED_TOL)[0]
        for seed in np.argsort(-np.abs(free), kind="stable"):
            column = self.data.feature(seed)[:, None]
            yield self.data.forward(column, column)


class Gap(Energy):
    """The problem ``αᵀ (2 G - H) α``, a quadratic form ``<A_α, J A_α>`` of the affinity.

    Row i of Φ is ``vec(m_i m_iᵀ)``, so that a dual is q x q for q samples and ``Φᵀ α`` is ``A_α``;
    ``J A = A QQᵀ + QQᵀ A - A``. Where there are fewer weights than entries of the affinity, the
    vectors of the Krylov method are weights instead, with two passes per step.
    """

    def __init__(self, data: _data.Data, *, basic: bool = False) -> None:
        super().__init__(data, basic=basic)
        check_budget(data.n_samples, ascends=False)
        self.weights_are_smaller = data.n_features <= data.n_samples**2
        # Constant features are left out: they add 0 to the objective, which may be more than any.
        self.first_weights = linalg.uneven(data.varies)

    def form(self, affinity: Floats, basis: Floats) -> Floats:
        """Compute ``J affinity``; half the gradient of the criterion is ``Φ J A_α``."""
        inside = affinity @ basis @ basis.T
        return inside + inside.T - affinity

    def product(self, dual: Floats, point: Floats) -> Floats:
        return dual if self.weights_are_smaller else self.data.fused(dual, None)[1]

    def apply_form(self, image: Floats, point: Floats) -> Floats:
        if not self.weights_are_smaller:
            return self.form(image, point)
        dual, scale = _moderate(self.form(self.data.adjoint(image, None), point))
        return self.data.forward(dual, None) * scale

    def first_dual(self, point: Floats) -> Floats:
        if self.weights_are_smaller:
            return self.first_weights
        return self.form(self.data.adjoint(self.first_weights, None), point)

    def advance(self, pair: linalg.LeadingPair, point: Floats, width: int) -> Step[Floats]:
        alpha, affinity = self._weights(pair)
        if self.basic:
            basis = linalg.largest_modulus(affinity, width)[1]
        else:
            basis = linalg.narrow(affinity @ point, point, width)
        iterate, signed = self._iterate(alpha, affinity, basis)
        return iterate, basis, alpha if self.weights_are_smaller else signed

    def refine(self, pair: linalg.LeadingPair, point: Floats) -> Iterate:
        return self._iterate(*self._weights(pair), point)[0]

    def _weights(self, pair: linalg.LeadingPair) -> tuple[Floats, Floats]:
        """Return the weights of a leading pair, and the affinity with those weights."""
        if self.weights_are_smaller:
            return pair.dual, self.data.adjoint(pair.dual, None)
        return self.data.forward(pair.dual, None), pair.image

    def _iterate(self, alpha: Floats, affinity: Floats, basis: Floats) -> tuple[Iterate, Floats]:
        signed = self.form(affinity, basis)
        objective = float(np.vdot(affinity, signed))
        return Iterate(alpha, basis, affinity @ basis, objective), signed


def ascend_gap(problem: Gap, options: _iterate.Options) -> _iterate.Run:
    """Maximise the gap criterion with few passes over the data, from every start."""
    options = options.counted(lambda: _iterate.count_clusters(problem))
    return _iterate.best_of_starts(
        problem, options, lambda basis, widths: _ascend_gap(problem, basis, widths, options)
    )


def _ascend_gap(
    problem: Gap, basis: Floats, widths: list[int], options: _iterate.Options
) -> _iterate.Run:
    """Ascend from a basis, narrowed to some widths, until the criterion rises no more."""
    tol = options.tol
    known = Krylov(problem.data, partial(problem.form, basis=basis), problem.first_weights)
    coefficients = known.extend_until(START_TOL, signed=True)[0]
    for width in widths[1:]:
        for _ in range(NARROWING_PASSES):
            coefficients, basis, _ = _best_known(known, coefficients, width, tol)
            coefficients = _add_steepest(problem, known, coefficients, basis)[0]
    history: list[float] = []
    converged = stopped = False
    while True:
        coefficients, basis, value = _best_known(known, coefficients, widths[-1], tol)
        history.append(value)
        stopped = options.report(len(history), value)
        if len(history) > WINDOW:
            rise = value - history[-1 - WINDOW]
            converged = converged or rise <= tol * abs(value)
        if converged or stopped or len(history) == options.max_iter:
            break
        coefficients, new = _add_steepest(problem, known, coefficients, basis)
        converged = new == 0
    alpha, affinity = known.combined(coefficients)
    iterate = Iterate(alpha, basis, affinity @ basis, history[-1])
    return _iterate.Run(iterate, history, converged, stopped)


def _best_known(
    known: "Krylov", coefficients: Floats, width: int, tol: float
) -> tuple[Floats, Floats, float]:
    """Find coefficients and basis in turn until the criterion settles; return its value too."""
    affinities = np.array(known.affinities)
    energies = _products(affinities)
    before = -np.inf
    for _ in range(TURNS):
        basis = linalg.largest_modulus(np.tensordot(coefficients, affinities, 1), width)[1]
        values, vectors = linalg.eigen(2 * _products(affinities @ basis) - energies)
        coefficients, value = vectors[:, -1], float(values[-1])
        if value - before <= TURNS_SHARE * tol * abs(value):
            break
        before = value
    return coefficients, basis, value


def _products(matrices: Floats) -> Floats:
    """Return the inner products of matrices with each other."""
    flat = matrices.reshape(len(matrices), -1)
    products: Floats = flat @ flat.T
    return products


def _add_steepest(
    problem: Gap, known: "Krylov", coefficients: Floats, basis: Floats
) -> tuple[Floats, float]:
    """Add the direction of steepest ascent; return the coefficients after that and how steep."""
    if len(known.alphas) > known.most:
        affinities = np.array(known.affinities)
        gap = 2 * _products(affinities @ basis) - _products(affinities)
        coefficients = known.shrink(gap) @ coefficients
    affinity = known.combined(coefficients)[1]
    new = known.add(*image(known.data, problem.form(affinity, basis)), MOST_ROUNDINGS_GAP)
    return np.append(coefficients, np.zeros(len(known.alphas) - len(coefficients))), new


class Krylov:
    """A Krylov space of ``Φ J Φᵀ``: orthonormal weights, each with its affinity.

    `values` is the matrix of ``Φ J Φᵀ`` in this basis. An ascent adds weights of its own by `add`.
    """

    def __init__(self, data: _data.Data, form: Form, alpha: Floats) -> None:
        self.data, self.form = data, form
        check_budget(data.n_samples)
        q, n = data.n_samples, data.n_features
        most = max(KEPT_SHARE * n * q, KEPT_BYTES / 8) / (n + q**2)
        self.most = int(np.clip(most, LEAST_KEPT, MOST_KEPT))
        self.alphas = [alpha / _norm(alpha)]
        self.affinities = [data.adjoint(self.alphas[0], None)]
        self.roundings = [1.0]  # how far each affinity may be off
        self.values = np.array([[self._value(self.affinities[0])]])

    def add(self, alpha: Floats, affinity: Floats, most_roundings: float) -> float:
        """Add what is new in weights; return how much that is, or 0 if it may be rounding.

        Affinities that so many roundings may have put off are computed again.
        """
        size = total = roundings = _norm(alpha)
        for _ in range(2):
            before = size
            for i, known in enumerate(self.alphas):
                share = np.einsum("i,i", known, alpha)
                alpha = alpha - share * known
                affinity = affinity - share * self.affinities[i]
                roundings += abs(share) * self.roundings[i]
            size = _norm(alpha)
        # What is rounding alone does not stay orthogonal.
        if size <= self.data.floor * total or size < 0.5 * before:
            return 0.0
        alpha, affinity, roundings = alpha / size, affinity / size, roundings / size
        if roundings > most_roundings:
            affinity, roundings = self.data.adjoint(alpha, None), 1.0
        self.alphas.append(alpha)
        self.affinities.append(affinity)
        self.roundings.append(roundings)
        return size

    def combined(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Return the weights with these coefficients, and their affinity."""
        return _combined(coefficients, self.alphas), _combined(coefficients, self.affinities)

    def shrink(self, form: Floats) -> Floats:
        """Keep the better half of the combinations, by the matrix of a quadratic form.

        It is that of the first weights; others are kept. Return the coefficients, in rows.
        """
        half, rest = self.most // 2, len(self.alphas) - len(form)
        best = np.zeros((half + rest, len(self.alphas)))
        best[:half, : len(form)] = linalg.eigen(form)[1][:, -half:].T
        best[half:, len(form) :] = np.eye(rest)
        self.alphas = [_combined(row, self.alphas) for row in best]
        self.affinities = [_combined(row, self.affinities) for row in best]
        self.roundings = (np.abs(best) @ self.roundings).tolist()
        return best

    def extend(self) -> float:
        """Read the data once and add the next weights; return how much of them was new.

        Where that may be rounding, nothing is added.
        """
        if len(self.alphas) > self.most:
            best = self.shrink(self.values[:-1, :-1])  # and the last weights, which lead on
            self.values = best @ self.values @ best.T
        size = self.add(*image(self.data, self.form(self.affinities[-1])), MOST_ROUNDINGS)
        if size:
            coupled = np.zeros(len(self.values))
            coupled[-1] = size
            corner = self._value(self.affinities[-1])
            self.values = np.block([[self.values, coupled[:, None]], [coupled, corner]])
        return size

    def extend_until(self, tol: float, *, signed: bool) -> tuple[Floats, list[float], bool]:
        """Extend until the leading value is known; return coefficients and all its values."""
        history: list[float] = []
        converged = False
        tol = min(tol, SIGNED_TOL) if signed else tol
        while True:
            values, vectors = linalg.eigen(self.values)
            value, scale = float(values[-1]), float(np.abs(values).max())
            history.append(value)
            if converged or len(history) == MOST_PASSES:
                return vectors[:, -1], history, converged
            # What is still to be gained is the squared residual over the distance to the next.
            distance = value - values[-2] if len(values) > 1 else 0.5 * scale
            new = self.extend()
            residual = abs(vectors[-1, -1]) * new
            # Where values may be negative, weights near the least must not pass for the leading.
            enough = value >= 0 or not signed
            small = residual <= self.data.floor * scale
            small = small or residual**2 <= tol * distance * abs(value)
            converged = new == 0 or (enough and small)

    def _value(self, affinity: Floats) -> float:
        return float(np.einsum("st,st", affinity, self.form(affinity)))


def leading_weights(
    data: _data.Data, form: Form | None = None, *, tol: float
) -> tuple[Floats, Floats, list[float], bool]:
    """Find the leading weights of a form, by default of the energy of all directions.

    It ends when more passes can raise the value by no more than the share `tol` of it. Return the
    weights, their affinity, the value of the form after every pass, and whether it converged.
    """
    # Constant features are left out: they add 0 to the value, which may be more than any.
    start = linalg.uneven(data.varies)
    known = Krylov(data, np.asarray if form is None else form, start)
    coefficients, history, converged = known.extend_until(tol, signed=form is not None)
    return *known.combined(coefficients), history, converged


def image(data: _data.Data, dual: Floats) -> tuple[Floats, Floats]:
    """Compute weights ``Φ dual`` and their affinity."""
    dual, scale = _moderate(dual)
    alpha, affinity = data.fused(dual, None)
    return alpha * scale, affinity * scale


def _moderate(dual: Floats) -> tuple[Floats, float]:
    """Divide a dual by a power of two, which changes no digit, where float32 could not hold it."""
    scale = 2.0 ** max(np.frexp(np.abs(dual).max())[1] - MODERATE, 0)
    return dual / scale, scale


def check_budget(n_samples: int, *, ascends: bool = True, way: str = "") -> None:
    """Refuse so many samples that their affinities would not fit; an ascent keeps several.

    `way` is what else the user may do.
    """
    _runtime.check_budget(
        f"X: affinities of {n_samples} x {n_samples} samples",
        (COPIES + LEAST_KEPT * ascends) * 8 * n_samples**2,
        f"take {way}fewer samples, or the energy criterion of qalpha, which needs no affinities",
    )


def _norm(vector: Floats) -> float:
    return float(np.sqrt(np.einsum("i,i", vector, vector)))


def _combined(coefficients: Floats, arrays: list[Floats]) -> Floats:
    """Combine arrays, not by BLAS, whose threads would compete with those of the passes."""
    total = coefficients[0] * arrays[0]
    for coefficient, array in zip(coefficients[1:], arrays[1:], strict=True):
        total += coefficient * array
    return total


def count_or_none(centered: _data.Data, *, later: bool = False) -> Directions:
    """Count the clusters for k = "auto", or let it be done later.

    Where none stand out from noise there is a warning, and k is 1.
    """
    if not centered.norm.any():
        return 1
    small = centered.reduced()[0] if centered.is_tall() else centered
    few = min(DIRECTIONS, small.rank_bound)
    options = _iterate.Options(few, tol=ROUGHLY)
    if not stands_out(centered, small, lambda other: weigh(other, options).objective):
        return 1
    return "auto" if later else _iterate.count_clusters(Energy(small))


def count_centered(data: _data.Data) -> int:
    """Count the clusters for k = "auto" in centred data, however `data` represents features."""
    centered = data.centered()
    small = centered.reduced()[0] if centered.is_tall() else centered
    return _iterate.count_clusters(Energy(small)) if centered.norm.any() else 1


def stands_out(
    data: _data.Data, small: _data.Data, objective: Callable[[_data.Data], float]
) -> bool:
    """Return whether centred features have more in common than independent ones; warn if not.

    `small` is the data, reduced where they are tall; `objective` is what is compared with that of
    shuffles.
    """
    large = data.n_samples * data.n_features > MOST_NUMBERS
    beyond_edge = data.scale == "unit" and _beyond_edge(data, small)
    if large or data.n_features == 1 or beyond_edge:
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what is compared need not converge
        if _beyond_shuffles(_data.Dense.of(data), objective):
            return True
    warnings.warn(
        'k = "auto": found no clusters, the columns have no more in common than shuffled ones; '
        "weights are those for k = 1",
        stacklevel=_validate.caller(),
    )
    return False


def _beyond_shuffles(data: _data.Dense, objective: Callable[[_data.Data], float]) -> bool:
    """Return whether all shuffles do worse."""
    found = objective(data)
    seeds = np.random.default_rng(0).integers(2**63, size=SHUFFLES).tolist()
    least = found - SHUFFLES_TOL * abs(found)
    return all(
        objective(data.reordered(_data.shuffled(data.numbers, seed))) < least for seed in seeds
    )


def _beyond_edge(data: _data.Data, small: _data.Data) -> bool:
    """Return whether the leading eigenvalue at equal weights is too large for noise."""
    equal = np.ones(data.n_features)
    values, _ = linalg.top_eigenpairs(partial(small.adjoint, equal), small.n_samples, 1)
    varying = int((data.norms > 0).sum())
    p, n = np.sqrt(data.n_samples - 1), np.sqrt(max(varying - 1, 1))
    edge, deviation = (n + p) ** 2, (n + p) * (1 / n + 1 / p) ** (1 / 3)
    return bool(values[0] * p**2 > edge + BEYOND * deviation)


def gram(X: ArrayLike, basis: ArrayLike, *, center: bool = True) -> Floats:
    """Compute the matrix G of the features at a basis, for small problems and as a diagnostic.

    The weights are the leading eigenvector of G. `solve` finds them without forming G, whose size
    is n_features x n_features.

    Parameters
    ----------
    X
        As in `solve`.
    basis : array of shape (n_samples, k)
        Orthonormal directions of the samples, such as the `basis` of a result.
    center
        As in `solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from specsel import datasets, qalpha
    >>> X = datasets.growing_classes(3, random_state=1).X
    >>> weights = qalpha.solve(X, k=3, tol=1e-10)
    >>> G = qalpha.gram(X, weights.basis)
    >>> bool(np.allclose(weights.alpha @ G @ weights.alpha, weights.objective))
    True
    """
    data = _data.read(X, center=center)
    directions = np.ascontiguousarray(basis, dtype=np.float64)
    if directions.ndim != 2 or directions.shape[0] != data.n_samples:
        raise ValueError(
            f"basis: has shape {directions.shape}; ({data.n_samples}, k) is needed, a row a sample"
        )
    _runtime.check_budget(
        f"X: the matrix G of {data.n_features} features",
        8 * data.n_features * (2 * data.n_features + data.n_samples),
        "take fewer features",
    )
    samples = data.rows(0, data.n_samples)
    scores = samples.T @ directions
    G: Floats = samples.T @ samples
    G *= scores @ scores.T
    return G


def relevance(X: ArrayLike, subset: Iterable[int | str], k: int, *, center: bool = True) -> float:
    """Score any subset of the features, whatever method it comes from: ``rel(S)`` of Sec. 2.

    It is ``λ₁² + … + λ_k²``, λ being the largest eigenvalues of ``Σ m_i m_iᵀ`` over the subset. It
    grows with every feature: compare selections of the same size.

    Only the columns of the subset are read. Dense ones are copied, sparse ones stay sparse.

    Parameters
    ----------
    X
        As in `solve`.
    subset : list of int or str
        Features, by number or by column name.
    k, center
        As in `solve`; k is a number.

    Examples
    --------
    >>> from specsel import datasets, qalpha
    >>> X = datasets.growing_classes(3, random_state=1).X  # the first five features are relevant
    >>> qalpha.relevance(X, range(5), k=3) > qalpha.relevance(X, range(5, 10), k=3)
    True
    """
    array, names = _containers.as_data(X)
    chosen = _validate.as_features("subset", subset, array.shape[1], names)
    if len(chosen) == 0:
        raise ValueError("subset: holds no feature; at least one is needed")
    _validate.check_integer("k", k, 1, array.shape[0], "the number of samples")
    _validate.check_flag("center", center)
    if not _containers.is_dask(array):  # whose columns stay where they are
        q, count = int(array.shape[0]), len(chosen)
        stored, read = array.dtype, _containers.float_type(array.dtype)
        itemsize = read.itemsize + (stored.itemsize if stored != read else 0)
        size = float(itemsize * q * count)
        if hasattr(array, "tocsr"):  # a number has an index, too
            size = min(2.0 * array.dtype.itemsize * array.nnz, 2 * size)
        what = f"subset: {count} features of {q} samples"
        _runtime.check_budget(what, size, "take fewer features or fewer samples")
    columns = _containers.take_features(array, chosen)
    data = _data.represent(columns, representation="centered" if center else "as-is")
    return _energy(data, k)


def _energy(data: _data.Data, k: int) -> float:
    """Sum the squares of the k largest eigenvalues of the affinity with equal weights."""
    if data.is_tall() and data.n_features <= linalg.DENSE_LIMIT:
        _check_memory(data.n_features, data.n_features)
        data = data.reduced()[0]
    size, equal = data.n_samples, np.ones(data.n_features)
    width = min(k + MORE, size)
    _check_memory(size, min(size, 2 * linalg.SUBSPACE_PASSES * width))
    before, basis = -np.inf, None
    for _ in range(MOST_ROUNDS):
        values, basis = linalg.top_eigenpairs(partial(data.adjoint, equal), size, width, basis)
        energy = float(values[:k] @ values[:k])
        if size <= linalg.DENSE_LIMIT or energy - before <= RELEVANCE_TOL * energy:
            break
        before = energy
    return energy


def _check_memory(size: int, width: int) -> None:
    """Refuse matrices that do not fit; the eigenvalues need three at once."""
    _runtime.check_budget(
        f"X: matrices of {size} x {width}", 3 * 8 * size * width, "take fewer features or samples"
    )
