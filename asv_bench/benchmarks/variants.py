"""The variants of Q-α: time, memory and passes, against Q-α and against their literal forms."""

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from specsel import (
    _data,
    laplacian,
    pairwise,
    qalpha,
    side_info,
    supervised,
    topography,
    weighting,
)

from .common import FULL, best_of_interleaved, expression, in_new_process

N_SAMPLES = 72
K = 2


def classes(X):
    """Two classes that the data show: the sides of the first principal component."""
    first = np.linalg.svd(standardise(X), full_matrices=False)[2][0]
    return (first > np.median(first)).astype(int)


def some_pairs(n_samples=N_SAMPLES, count=1000):
    rng = np.random.default_rng(3)
    first = rng.integers(0, n_samples, count)
    return np.column_stack((first, (first + rng.integers(1, n_samples, count)) % n_samples))


def side(n_features):
    return expression(n_features, n_samples=30, seed=5)


SOLVERS = {
    "laplacian": lambda X, other, **options: laplacian.solve(X, K, **options),
    "supervised": lambda X, other, **options: supervised.solve(X, other, **options),
    "side_info": lambda X, other, **options: side_info.solve(X, other, K, **options),
    "pairwise": lambda X, other, **options: pairwise.solve(X, K, apart=other, **options),
    "fisher": lambda X, other, **options: weighting.solve(X, other),
    "topography": lambda X, other, **options: topography.solve(X, K, **options),
}


def other_data(variant, X):
    """What a variant needs beside X."""
    if variant in ("supervised", "fisher"):
        return classes(X)
    return {"side_info": side(X.shape[1]), "pairwise": some_pairs()}.get(variant)


class Solve:
    """A full solve with the defaults on 72 samples."""

    params = ([1000, 7129], list(SOLVERS))
    param_names = ("n_features", "variant")

    def setup(self, n_features, variant):
        self.X = expression(n_features)
        self.other = other_data(variant, self.X)
        self.result = SOLVERS[variant](self.X, self.other)

    def time_solve(self, n_features, variant):
        SOLVERS[variant](self.X, self.other)

    def peakmem_solve(self, n_features, variant):
        SOLVERS[variant](self.X, self.other)

    def track_passes(self, n_features, variant):
        return self.result.n_passes

    track_passes.unit = "reads of X"


class Tall:
    """Classes of many more samples than features."""

    def setup(self):
        rng = np.random.default_rng(0)
        self.X, self.y = rng.standard_normal((20_000, 60)), np.arange(20_000) % 3
        self.X[:, :6] += self.y[:, None]
        supervised.solve(self.X, self.y)

    def time_supervised(self):
        supervised.solve(self.X, self.y)

    def peakmem_supervised(self):
        supervised.solve(self.X, self.y)


def leader(n):
    """Leading eigenvector, of positive sum, found from the last one."""
    start = [np.ones(n)]

    def lead(G):
        vector = eigsh(G, k=1, which="LA", v0=start[0])[1][:, 0]
        start[0] = vector * np.sign(vector.sum())
        return start[0]

    return lead


def standardise(X, center=True):
    M = (X - X.mean(axis=0) if center else X).T
    norm = np.linalg.norm(M, axis=1, keepdims=True)
    return M / np.where(norm > 0, norm, 1)


def parts(X):
    deviation = X - np.median(X, axis=0)
    return standardise(np.hstack((np.maximum(deviation, 0), np.maximum(-deviation, 0))), False)


# The definitions with dense n x n matrices, as one would write them down. Each returns a function
# that gives the next bases and the objective at the weights that follow from the last ones.


def literal_laplacian(X):
    M = parts(X)
    lead = leader(len(M))
    V, sums = M @ M.T, M.sum(axis=1)
    # trace(QᵀL_iL_jQ), L_i = m_i m_iᵀ - s_i diag(m_i) + d_i I, term by term.
    degrees = sums[:, None] * M
    shift = [degrees.max(axis=1)]

    def step(Q):
        scores, squares = M @ Q, (Q**2).sum(axis=1)
        crossed = ((M[:, :, None] * scores[:, None, :]) * Q).sum(axis=2)
        d = np.broadcast_to(shift[0], len(M))
        outer, diagonal = (scores**2).sum(axis=1), degrees @ squares
        mixed = crossed @ degrees.T
        G = V * (scores @ scores.T) - mixed - mixed.T + (degrees * squares) @ degrees.T
        for term in (outer, -diagonal):
            G += np.outer(term, d) + np.outer(d, term)
        G += np.outer(d, d) * Q.shape[1]
        alpha = lead(G)
        A = (M.T * alpha) @ M
        shift[0] = A.sum(axis=1).max() / alpha.sum()
        L = A - np.diag(A.sum(axis=1)) + shift[0] * alpha.sum() * np.eye(len(A))
        Q = np.linalg.qr(L @ Q)[0]
        return Q, ((L @ Q) ** 2).sum()

    return step


def literal_supervised(X):
    M, y = parts(X), classes(X)
    lead = leader(len(M))
    rows = [np.flatnonzero(y == c) for c in range(2)]
    grams = [M[:, r] @ M[:, r].T for r in rows]

    def step(bases):
        G = np.zeros((len(M), len(M)))
        for (g, h), Q in bases.items():
            scores = M[:, rows[h]] @ Q
            G += (1 if g == h else -0.5) * grams[g] * (scores @ scores.T)
        alpha = lead(G)
        following, objective = {}, 0.0
        for (g, h), Q in bases.items():
            A = (M[:, rows[g]].T * alpha) @ M[:, rows[h]]
            following[g, h] = np.linalg.qr(A.T @ np.linalg.qr(A @ Q)[0])[0]
            energy = ((A @ following[g, h]) ** 2).sum()
            objective += (1 if g == h else -0.5) * energy
        return following, objective

    return step


def literal_side_info(X):
    M = standardise(X)
    lead = leader(len(M))
    V = M @ M.T
    penalty = side(X.shape[1]).var(axis=0) / X.var(axis=0) + 0.1
    root = np.sqrt(penalty)

    def step(Q):
        scores = M @ Q
        G = V * (scores @ scores.T) / np.outer(root, root)
        alpha = lead(G) / root
        image = (M.T * alpha) @ (M @ Q)
        Q = np.linalg.qr(image)[0]
        image = (M.T * alpha) @ (M @ Q)
        return Q, (image**2).sum() / (penalty @ alpha**2)

    return step


def literal_pairwise(X):
    M, pairs = parts(X), some_pairs(len(X))
    lead = leader(len(M))
    V = M @ M.T
    P = M[:, pairs[:, 0]] * M[:, pairs[:, 1]]
    B = P @ P.T * (len(X) ** 2 / len(pairs))

    def step(Q):
        scores = M @ Q
        alpha = lead(V * (scores @ scores.T) - B)
        image = (M.T * alpha) @ scores
        Q = np.linalg.qr(image)[0]
        image = (M.T * alpha) @ (M @ Q)
        return Q, (image**2).sum() - alpha @ (B @ alpha)

    return step


LITERAL = {
    "laplacian": literal_laplacian,
    "supervised": literal_supervised,
    "side_info": literal_side_info,
    "pairwise": literal_pairwise,
}


def literal_solve(step, bases, tol=1e-10):
    """Best objective until it settles."""
    best, previous = -np.inf, 0.0
    while True:
        bases, objective = step(bases)
        best = max(best, objective)
        if abs(objective - previous) <= tol * abs(objective):
            return best
        previous = objective


def literal_fisher(X):
    M, y = standardise(X), classes(X)
    basis = np.linalg.svd(M, full_matrices=False)[0][:, : len(X) - 1]
    between, within = np.zeros((2, len(M), len(M)))
    for c in range(2):
        members = M[:, y == c]
        mean = members.mean(axis=1)
        between += members.shape[1] * np.outer(mean, mean)
        within += members @ members.T - members.shape[1] * np.outer(mean, mean)
    form = (basis @ basis.T) * (between - within)
    return eigh(form, subset_by_index=[len(form) - 1] * 2, eigvals_only=True)[0]


def starting_bases(variant, X):
    """The same start for both: a basis, or those of equal weights for every block."""
    if variant != "supervised":
        M = standardise(X) if variant == "side_info" else parts(X)
        return np.ascontiguousarray(np.linalg.svd(M, full_matrices=False)[2][:K].T)
    M, y = parts(X), classes(X)
    rows = [np.flatnonzero(y == c) for c in range(2)]
    return {
        (g, h): np.linalg.svd(M[:, rows[g]].T @ M[:, rows[h]])[2][: 2 if g == h else 1].T
        for g in range(2)
        for h in range(2)
    }


class AgainstLiteral:
    """Times faster than the literal dense method from the same start; the bar is 100."""

    params = (["laplacian", "supervised", "side_info", "pairwise", "fisher"],)
    param_names = ("variant",)
    unit = "times faster"
    timeout = 3600

    def setup(self, variant):
        self.X = expression(7129 if FULL else 300)
        self.other = other_data(variant, self.X)
        self.bases = starting_bases(variant, self.X)

    def ours(self, variant):
        start = self.bases if isinstance(self.bases, np.ndarray) else "equal"
        return SOLVERS[variant](self.X, self.other, init=start, tol=1e-10, max_iter=5000)

    def theirs(self, variant):
        if variant == "fisher":
            return literal_fisher(self.X)
        return literal_solve(LITERAL[variant](self.X), self.bases)

    def track_speedup(self, variant):
        """Over the median of ours: one literal run lasts long enough to average the noise."""
        self.ours(variant)
        ours = [best_of_interleaved([lambda: self.ours(variant)], 1)[0] for _ in range(6)]
        (theirs,) = best_of_interleaved([lambda: self.theirs(variant)], 1)
        return theirs / float(np.median(ours))

    def track_relative_difference_of_objectives(self, variant):
        return abs(self.ours(variant).objective / self.theirs(variant) - 1)


LARGE = """
import resource, time, warnings
import numpy as np
from specsel import laplacian, pairwise, qalpha, side_info, supervised, weighting
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
y = np.arange(100) % 2
first = rng.integers(0, 100, 1000)
pairs = np.column_stack((first, (first + rng.integers(1, 100, 1000)) % 100))
options = {{"max_iter": 2, "tol": 1e-3}}
def solve(X, D):
    return {call}
solve(np.asfortranarray(rng.standard_normal((100, 2000))), rng.random(2000))
X = rng.standard_normal(({n}, 100)).T
D = rng.random({n})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
result = solve(X, D)
seconds = time.perf_counter() - start
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print({what})
"""

CALLS = {
    "laplacian": "laplacian.solve(X, 2, **options)",
    "supervised": "supervised.solve(X, y, **options)",
    "side_info": "side_info.solve(X, D, 2, **options)",
    "pairwise": "pairwise.solve(X, 2, apart=pairs, **options)",
    "fisher": "weighting.solve(X, y)",
}


class ExtraMemory:
    """Peak memory beyond X as a share of X, with the defaults; the bar is 0.15."""

    params = (list(CALLS),)
    param_names = ("variant",)
    unit = "share of X"
    timeout = 3600

    def track_extra_memory(self, variant):
        return in_new_process(
            LARGE.format(
                n=10**6 if FULL else 2 * 10**5,
                call=CALLS[variant],
                what="(after - before) * 1024 / X.nbytes",
            )
        )


class PassTime:
    """Time of a product over that of Q-α at the same k, 100 samples; the bar is 2.5."""

    params = (
        ["laplacian", "supervised", "side_info", "pairwise"],
        ["parts", "as-is"],
        [2, 6],
    )
    param_names = ("variant", "representation", "k")
    unit = "times qalpha"
    timeout = 3600

    def setup(self, variant, representation, k):
        rng = np.random.default_rng(0)
        X = rng.random((10**6 if FULL else 10**5, 100)).T
        plain = qalpha.Energy(_data.read(X))
        data = _data.represent(X, representation=representation)
        if variant == "laplacian":
            problem = laplacian.Laplacian(data, "degree")
        elif variant == "supervised":  # two classes have four blocks
            y, width = np.arange(100) % 2, max(1, k // 4)
            problem = supervised.Supervised(data, y, width, width, 0.5, basic=False)
        elif variant == "pairwise":
            problem = pairwise.Pairwise(data, some_pairs(100), np.empty((0, 2), int), 1.0)
        else:
            problem = qalpha.Energy(plain.data.rescaled(rng.random(len(X.T))))
        self.calls = [self.product(p, k) for p in (problem, plain)]

    def product(self, problem, k):
        """A product at a random basis."""
        width = max(1, k // 4) if isinstance(problem, supervised.Supervised) else k
        basis = problem.random(np.random.default_rng(1), width)
        start = problem.enter(basis)
        return lambda: problem.product(start, basis)

    def track_over_qalpha(self, variant, representation, k):
        ours, plain = best_of_interleaved(self.calls, 8)
        return ours / plain


class Rounds:
    """Time of two rounds and positions over that of two single solves; the bar is 1.2."""

    unit = "times single solves"

    def setup(self):
        self.X = expression(7129)

    def track_rounds_over_solves(self):
        calls = [lambda: topography.solve(self.X, K), lambda: qalpha.solve(self.X, K)]
        rounds, single = best_of_interleaved(calls, 8)
        return rounds / (2 * single)
