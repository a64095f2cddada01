"""Literal dense transcriptions of the papers' definitions: the truth that fast code meets.

Nothing here is from the package. Matrices are formed as they are written, features x samples.
"""

import itertools

import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.stats

# Values equal to this, relative, are tied.
TIE = 1e-9


def standardise(X, center=True):
    """M: features as rows, centred and of unit norm; constant features are rows of zeros."""
    M = np.array(X, dtype=float).T
    if center:
        M = M - M.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(M, axis=1, keepdims=True)
    constant = norms <= 1e-12 * (1 + np.abs(np.array(X, dtype=float).T).max(axis=1, keepdims=True))
    return np.where(constant, 0.0, M / np.where(constant, 1.0, norms))


def affinity(M, alpha):
    """``A_α = Σ α_i m_i m_iᵀ``."""
    return M.T @ np.diag(alpha) @ M


def gram(M, Q):
    """``G_ij = (m_iᵀ m_j) m_iᵀ Q Qᵀ m_j``."""
    return (M @ M.T) * (M @ Q @ Q.T @ M.T)


def squared(M):
    """``H_ij = (m_iᵀ m_j)²``."""
    return (M @ M.T) ** 2


def leading(G):
    """Leading eigenvector, of positive sum, and its eigenvalue."""
    values, vectors = np.linalg.eigh(G)
    alpha = vectors[:, -1]
    return alpha * (1.0 if alpha.sum() >= 0 else -1.0), values[-1]


def by_modulus(A, k):
    """The k eigenvalues of largest modulus and their eigenvectors."""
    values, vectors = np.linalg.eigh(A)
    order = np.argsort(-np.abs(values), kind="stable")[:k]
    return values[order], vectors[:, order]


def weights_given_basis(M, Q, criterion="energy"):
    G = gram(M, Q)
    return leading(G if criterion == "energy" else 2 * G - squared(M))


def objective(M, alpha, Q, criterion="energy"):
    A = affinity(M, alpha)
    energy = np.trace(Q.T @ A @ A @ Q)
    return energy if criterion == "energy" else 2 * energy - np.trace(A @ A)


def power_iterations(M, Q, count, criterion="energy"):
    """Def. 2, `count` cycles: α, Q and the objective after each."""
    history = []
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q, criterion)
        Q, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        history.append(objective(M, alpha, Q, criterion))
    return alpha, Q, history


def basic_iterations(M, Q, count, criterion="energy"):
    """The basic method: Q from the eigenvectors of the affinity."""
    history = []
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q, criterion)
        _, Q = by_modulus(affinity(M, alpha), Q.shape[1])
        history.append(objective(M, alpha, Q, criterion))
    return alpha, Q, history


def ritz_iterations(M, Q, count):
    """Def. 4, with the factor ``m_iᵀ m_j`` that step 4 lacks: α, Q and the Ritz values."""
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q)
        Q_bar, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        alpha, _ = weights_given_basis(M, Q_bar)
        S = Q_bar.T @ affinity(M, alpha) @ Q_bar
        values, U = by_modulus((S + S.T) / 2, S.shape[0])
        Q = Q_bar @ U
    return alpha, Q, values


def pivoted(columns, n):
    """Greedy column-pivoted QR by explicit projections: the first n columns chosen."""
    chosen = []
    for _ in range(n):
        basis = np.linalg.qr(columns[:, chosen])[0] if chosen else np.zeros((len(columns), 0))
        residual = columns - basis @ (basis.T @ columns)
        square = (residual**2).sum(axis=0)
        square[chosen] = -1
        chosen.append(int(np.argmax(square)))
    return chosen


# Representations of the features -------------------------------------------------------------


def average_ranks(X):
    """Ranks 1 to q of each column, ties sharing the mean of the ranks they occupy."""
    X = np.array(X, dtype=float)
    below = (X[None, :, :] < X[:, None, :]).sum(axis=1)
    equal = (X[None, :, :] == X[:, None, :]).sum(axis=1)
    return below + (equal + 1) / 2


def represent(X, representation):
    """M under a representation; "parts" has 2n rows, all positive parts before the negative."""
    X = np.array(X, dtype=float)
    if representation == "centered":
        return standardise(X)
    if representation == "as-is":
        return standardise(X, center=False)
    if representation == "shift":
        return standardise(X - X.min(axis=0), center=False)
    if representation == "ranks":
        varies = X.max(axis=0) > X.min(axis=0)
        return standardise(average_ranks(X) * varies, center=False)
    if representation == "parts":
        above = X - np.median(X, axis=0)
        parts = np.hstack([np.maximum(above, 0), np.maximum(-above, 0)])
        return standardise(parts, center=False)
    raise ValueError(representation)


def represent_others(X, others, representation):
    """Other samples with the middle and the norms of X; constant features are 0."""
    X, others = np.array(X, dtype=float), np.array(others, dtype=float)
    middle = {"centered": X.mean(axis=0), "shift": X.min(axis=0), "parts": np.median(X, axis=0)}
    above, below = X - middle[representation], others - middle[representation]
    if representation == "parts":
        above, below = (np.hstack([np.maximum(x, 0), np.maximum(-x, 0)]) for x in (above, below))
    norms = np.linalg.norm(above, axis=0)
    return (below / np.where(norms > 0, norms, np.inf)).T


def join(alpha):
    """``√(α₊² + α₋²)`` of the weights of parts, negatives clipped to 0, of unit norm."""
    positive, negative = np.maximum(alpha, 0).reshape(2, -1)
    joined = np.sqrt(positive**2 + negative**2)
    return joined / np.linalg.norm(joined)


# Laplacian, Def. 5 ---------------------------------------------------------------------------


def laplacian_matrices(M, d):
    """``L_i = m_i m_iᵀ − diag(m_i m_iᵀ 1) + d_i I``, d per feature or one scalar."""
    d = np.broadcast_to(d, len(M))
    return [
        np.outer(m, m) - np.diag(np.outer(m, m).sum(axis=1)) + d_i * np.eye(len(m))
        for m, d_i in zip(M, d, strict=True)
    ]


def laplacian_gram(M, Q, d):
    """``F_ij = trace(Qᵀ L_iᵀ L_j Q)``."""
    products = [L @ Q for L in laplacian_matrices(M, d)]
    return np.array([[np.trace(a.T @ b) for b in products] for a in products])


def largest_entry(A, shift):
    """The largest degree ``max(A 1)``, or by the printed definition ``max diag(A)``."""
    return {"degree": A.sum(axis=1), "definition": np.diag(A)}[shift].max()


def laplacian_shift(M, alpha, shift):
    """Def. 5, step 3: one d for all features."""
    return largest_entry(affinity(M, alpha), shift) / alpha.sum()


def laplacian_first_shift(M, shift):
    """The d_i that the first cycle has, one per feature."""
    return np.array([largest_entry(np.outer(m, m), shift) for m in M])


def laplacian_iterations(M, Q, count, shift):
    """Def. 5, `count` cycles: α, Q and ``trace(QᵀLᵀLQ)`` after each."""
    d, history = laplacian_first_shift(M, shift), []
    for _ in range(count):
        alpha, _ = leading(laplacian_gram(M, Q, d))
        d = laplacian_shift(M, alpha, shift)
        L = sum(a * L_i for a, L_i in zip(alpha, laplacian_matrices(M, d), strict=True))
        Q, _ = np.linalg.qr(L @ Q)
        history.append(np.trace(Q.T @ L.T @ L @ Q))
    return alpha, Q, history


# Supervised, Def. 6 --------------------------------------------------------------------------


def class_rows(y):
    """The samples of every class, in the order of the sorted labels."""
    return [np.flatnonzero(np.asarray(y) == label) for label in np.unique(y)]


def cross_affinity(M, alpha, rows_g, rows_h):
    """``A^gh = Σ α_i m_i^g m_i^hᵀ``."""
    return M[:, rows_g].T @ np.diag(alpha) @ M[:, rows_h]


def supervised_gram(M, bases, rows, gamma):
    """``Σ_l G^ll − γ Σ_{g≠h} G^gh``, ``G^gh_ij = (m_i^gᵀ m_j^g) m_i^hᵀ Q^gh Q^ghᵀ m_j^h``."""
    total = np.zeros((len(M), len(M)))
    for g, rows_g in enumerate(rows):
        for h, rows_h in enumerate(rows):
            M_g, M_h, Q = M[:, rows_g], M[:, rows_h], bases[g, h]
            G = (M_g @ M_g.T) * (M_h @ Q @ Q.T @ M_h.T)
            total += G if g == h else -gamma * G
    return total


def right_vectors(A, k):
    """The right singular vectors of the k largest singular values."""
    return np.linalg.svd(A, full_matrices=False)[2][:k].T


def supervised_bases(M, alpha, rows, k_within, k_between):
    """``Q^gh``: right singular vectors of ``A^gh``, at most ``min(q_g, q_h)`` of them."""
    return {
        (g, h): right_vectors(
            cross_affinity(M, alpha, rows_g, rows_h), k_within if g == h else k_between
        )
        for g, rows_g in enumerate(rows)
        for h, rows_h in enumerate(rows)
    }


def supervised_objective(M, alpha, bases, rows, gamma):
    """Eq. 5: energy inside the classes less γ times that between them."""
    total = 0.0
    for (g, h), Q in bases.items():
        A = cross_affinity(M, alpha, rows[g], rows[h])
        total += (1 if g == h else -gamma) * np.trace(Q.T @ A.T @ A @ Q)
    return total


def supervised_iterations(M, bases, rows, count, gamma, method):
    """Def. 6, `count` cycles, Q^gh "basic" by SVD or "power": α, bases and the objective."""
    history = []
    for _ in range(count):
        alpha, _ = leading(supervised_gram(M, bases, rows, gamma))
        renewed = {}
        for (g, h), Q in bases.items():
            A = cross_affinity(M, alpha, rows[g], rows[h])
            if method == "basic":
                renewed[g, h] = right_vectors(A, Q.shape[1])
            else:
                P, _ = np.linalg.qr(A @ Q)
                renewed[g, h], _ = np.linalg.qr(A.T @ P)
        bases = renewed
        history.append(supervised_objective(M, alpha, bases, rows, gamma))
    return alpha, bases, history


# Supervised weighting for FDA, Algo. 3 -------------------------------------------------------


def projector(M):
    """``M E D⁻¹ Eᵀ Mᵀ``, the n x n projector onto the column space of M."""
    U, values, _ = np.linalg.svd(M, full_matrices=False)
    U = U[:, values > 1e-10 * values.max()]
    return U @ U.T


def between_scatter(M, rows):
    """``Σ q_c δ_c δ_cᵀ``, ``δ_c = μ_c − μ``."""
    mean = M.mean(axis=1)
    deltas = [M[:, c].mean(axis=1) - mean for c in rows]
    return sum(len(c) * np.outer(delta, delta) for c, delta in zip(rows, deltas, strict=True))


def within_scatter(M, rows):
    """``Σ (M_c M_cᵀ − q_c μ_c μ_cᵀ)``."""
    means = [M[:, c].mean(axis=1) for c in rows]
    return sum(
        M[:, c] @ M[:, c].T - len(c) * np.outer(mean, mean)
        for c, mean in zip(rows, means, strict=True)
    )


def fisher_form(M, rows, tradeoff):
    """``H − λG`` of Algo. 3, by the definitions of the two scatters."""
    return projector(M) * (between_scatter(M, rows) - tradeoff * within_scatter(M, rows))


def fisher_traces(M, alpha, rows, tradeoff):
    """``trace(D^{-1/2} Eᵀ (R − λS) E D^{-1/2})``, R and S of the appendix from kernels."""
    A = affinity(M, alpha)
    q = len(A)
    R, S = np.zeros((q, q)), np.zeros((q, q))
    for c in rows:
        ones = np.ones(len(c))
        delta = A[:, c] @ ones / len(c) - A @ np.ones(q) / q
        R += len(c) * np.outer(delta, delta)
        S += A[:, c] @ (np.eye(len(c)) - np.outer(ones, ones) / len(c)) @ A[:, c].T
    values, E = np.linalg.eigh(M.T @ M)
    kept = values > 1e-12 * values.max()
    half = E[:, kept] @ np.diag(values[kept] ** -0.5)
    return np.trace(half.T @ (R - tradeoff * S) @ half)


# Side information, Def. 3 --------------------------------------------------------------------


def side_diagonal(X, sides):
    """``D_i = Σ var(side_i) / var(X_i)`` over a list of sides, 0 where X is constant."""
    varies = standardise(X).any(axis=1)
    main = np.where(varies, np.var(np.array(X, dtype=float), axis=0), 1.0)
    return varies * sum(np.var(np.array(side, dtype=float), axis=0) / main for side in sides)


def side_weights(G, D, tradeoff):
    """The α of largest μ in ``G α = μ (D + λI) α``, of unit norm and positive sum."""
    root = np.sqrt(D + tradeoff)
    beta, _ = leading(G / np.outer(root, root))
    alpha = beta / root
    return alpha / np.linalg.norm(alpha) * (1.0 if alpha.sum() >= 0 else -1.0)


def side_iterations(M, Q, count, D, tradeoff, criterion="energy"):
    """Def. 3, `count` cycles: α, Q and ``αᵀGα / αᵀ(D + λI)α`` after each."""
    history = []
    for _ in range(count):
        G = gram(M, Q) if criterion == "energy" else 2 * gram(M, Q) - squared(M)
        alpha = side_weights(G, D, tradeoff)
        Q, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        history.append(objective(M, alpha, Q, criterion) / (alpha**2 @ (D + tradeoff)))
    return alpha, Q, history


# Topographical map, Sec. 4 -------------------------------------------------------------------


def position(G):
    """Angle in (−π/2, π/2] of every feature's pair in the two leading eigenvectors of G."""
    first, _ = leading(G)
    second = np.linalg.eigh(G)[1][:, -2]
    second = second * (1.0 if second[np.argmax(np.abs(second))] > 0 else -1.0)
    flip = (first < 0) | ((first == 0) & (second < 0))
    return np.arctan2(np.where(flip, -second, second), np.abs(first))


# Pairwise side information, Sec. 5 -----------------------------------------------------------


def pair_matrix(M, pairs, others=None):
    """``B = (q²/#pairs) PᵀP``, ``P_{pair,r} = M_rs M_rt``; zeros for no pairs.

    The pairs are of the samples of M, or of others, scaled as those are.
    """
    pairs = np.array(pairs, dtype=int).reshape(-1, 2)
    paired = M if others is None else others
    P = np.array([paired[:, s] * paired[:, t] for s, t in pairs]).reshape(-1, len(M))
    return M.shape[1] ** 2 / max(len(pairs), 1) * P.T @ P


def pairwise_iterations(M, Q, count, apart, together, tradeoff, others=None):
    """Sec. 5, `count` cycles: α, Q and Eq. 3 after each, pairs together of opposite sign."""
    B = pair_matrix(M, apart, others) - pair_matrix(M, together, others)
    history = []
    for _ in range(count):
        alpha, _ = leading(gram(M, Q) - tradeoff * B)
        Q, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        history.append(objective(M, alpha, Q) - tradeoff * alpha @ B @ alpha)
    return alpha, Q, history


# Sparse LDA and sparse PCA -------------------------------------------------------------------


def class_scatter(X, y):
    """``A = Σ q_c δ_c δ_cᵀ / q`` and B, pooled, of features of mean 0 and variance 1."""
    q, rows = len(y), class_rows(y)
    M = np.sqrt(q) * standardise(X)
    return between_scatter(M, rows) / q, within_scatter(M, rows) / q


def pencil_value(A, B, support):
    """``λ_max(A_S, B_S)``."""
    S = np.ix_(support, support)
    return scipy.linalg.eigh(A[S], B[S], eigvals_only=True)[-1]


def ranked(A, B, supports, top=1):
    """The `top` best (support, value), of tied ones the first listed first."""
    values = np.array([pencil_value(A, B, support) for support in supports])
    best = []
    for _ in range(min(top, len(supports))):
        first = int(np.argmax(values >= values.max() - TIE * abs(values.max())))
        best.append((supports[first], values[first]))
        values[first] = -np.inf
    return best


def greedy_forward(A, B, size, always=(), never=()):
    """Sec. 2.3: supports of max(1, |always|) to `size` features, each by the best addition."""
    support = sorted(always)
    supports = [support] if support else []
    while len(support) < size:
        free = [j for j in range(len(A)) if j not in support and j not in never]
        grown = [sorted([*support, j]) for j in free]
        [(support, _)] = ranked(A, B, grown)
        supports.append(support)
    return supports


def greedy_backward(A, B, size=1, always=(), never=()):
    """Sec. 2.3: supports of n - |never| down to `size` features, each by the best deletion."""
    support = [j for j in range(len(A)) if j not in never]
    supports = [support]
    while len(support) > max(size, len(always)):
        shrunk = [[i for i in support if i != j] for j in support if j not in always]
        [(support, _)] = ranked(A, B, shrunk)
        supports.append(support)
    return supports


def best_swap(A, B, support, always=(), never=()):
    """The best support that differs in one feature, ties to the lexicographically smallest."""
    inside = [j for j in support if j not in always]
    outside = [j for j in range(len(A)) if j not in support and j not in never]
    swapped = sorted(
        sorted([*(j for j in support if j != out), new]) for out in inside for new in outside
    )
    return ranked(A, B, swapped)[0] if swapped else (None, -np.inf)


def best_subsets(A, B, k, top=1, always=(), never=()):
    """The `top` best (support, value) by enumeration, ties to the lexicographically smallest."""
    free = [j for j in range(len(A)) if j not in always and j not in never]
    chosen = itertools.combinations(free, k - len(always))
    supports = sorted(sorted([*always, *rest]) for rest in chosen)
    return ranked(A, B, supports, top)


def renormalised(x, A, B):
    """Prop. 2: the non-zeros of x replaced by v_max(A_S, B_S), ``vᵀB_S v = 1``, of any sign."""
    support = np.flatnonzero(x)
    S = np.ix_(support, support)
    renewed = np.zeros(len(x))
    renewed[support] = scipy.linalg.eigh(A[S], B[S])[1][:, -1]
    return renewed


def by_size(entries):
    """Indices by decreasing modulus, those equal to nine digits in their order."""
    return np.argsort(-np.abs(entries).round(9), kind="stable").tolist()


def thresholded(A, B, k):
    """The k largest entries, by modulus, of the leading eigenvector of ``B^-½ A B^-½``."""
    values, vectors = np.linalg.eigh(B)
    root = vectors @ np.diag(values**-0.5) @ vectors.T
    v, _ = leading(root @ A @ root)
    return sorted(by_size(v)[:k])


def correlation_order(X, y):
    """Features by their absolute correlation with the label of two classes, best first."""
    label = standardise(np.array(y)[:, None] == np.unique(y)[1])
    return by_size(standardise(X) @ label[0])


# Stable subspaces ----------------------------------------------------------------------------


def similarity(x, y, matrix):
    """Cosine, covariance or correlation of two features; 0 where one has nothing to compare."""
    if matrix == "covariance":
        return np.cov(x, y)[0, 1]
    if matrix == "correlation":
        x, y = x - x.mean() * (np.ptp(x) > 0), y - y.mean() * (np.ptp(y) > 0)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            return 0.0
    norm = np.sqrt((x @ x) * (y @ y))
    return x @ y / norm if norm > 0 else 0.0


def resampled(x, y, matrix, n_boot, seed):
    """The similarity in resamples drawn as scipy.stats.bootstrap draws them."""
    rows = np.random.default_rng(seed).integers(0, len(x), (n_boot, len(x)))
    return np.array([similarity(x[row], y[row], matrix) for row in rows])


def bca_shares(x, y, matrix, confidence, values):
    """Shares of the resampled values below the two ends, Efron and Tibshirani (14.10)."""
    estimate, n_boot = similarity(x, y, matrix), len(values)
    unit = np.sqrt(similarity(x, x, matrix) * similarity(y, y, matrix))
    tie = 1e-12 * unit
    below = np.sum(values < estimate - tie) + np.sum(np.abs(values - estimate) <= tie) / 2
    bias = scipy.stats.norm.ppf(min(max(below, 0.5), n_boot - 0.5) / n_boot)
    keep = ~np.eye(len(x), dtype=bool)
    jackknife = np.array([similarity(x[rest], y[rest], matrix) for rest in keep])
    u = jackknife.mean() - jackknife
    spread = (u**2).sum()
    varies = spread > len(x) * (1e-14 * unit) ** 2
    acceleration = (u**3).sum() / (6 * spread**1.5) if varies else 0.0
    shares = []
    for sign in (1, -1):
        moved = bias + sign * scipy.stats.norm.ppf((1 - confidence) / 2)
        left = 1 - acceleration * moved
        moved = moved / left if left > 0 else np.sign(moved) * np.inf
        shares.append(scipy.stats.norm.cdf(bias + moved))
    return shares


def bca_interval(x, y, matrix, confidence, n_boot, seed):
    values = resampled(x, y, matrix, n_boot, seed)
    return np.quantile(values, bca_shares(x, y, matrix, confidence, values))


def first_number(confidence, pdb, tau, bca=True):
    """Andrews and Buchinsky (2002), step 1; without the terms of the bias for percentiles."""
    normal, alpha = scipy.stats.norm, (1 - confidence) / 2
    z, ratio = normal.ppf(alpha), normal.pdf(normal.ppf(alpha)) / normal.pdf(0)
    variance = alpha * (1 - alpha) + (ratio**2 - 2 * alpha * ratio if bca else 0.0)
    return 10000 * variance * normal.ppf(1 - tau / 2) ** 2 / (z * normal.pdf(z) * pdb) ** 2


def number_needed(estimate, values, shares, confidence, pdb, tau, bca=True):
    """Step 3 for the longer side, from the values that step 2 resampled."""
    normal, n_boot = scipy.stats.norm, len(values)
    z = normal.ppf((1 - confidence) / 2)
    allowed = first_number(confidence, pdb, tau, bca) * (z * normal.pdf(z)) ** 2
    values, sides = np.sort(values), []
    for share in np.clip(shares, 0.01, 0.99):
        a = min(share, 1 - share)
        c = 1.5 * normal.ppf(1 - a / 2) ** 2 * normal.pdf(normal.ppf(1 - a)) ** 2
        m = int(np.ceil((c / (2 * normal.ppf(1 - a) ** 2 + 1)) ** (1 / 3) * n_boot ** (2 / 3)))
        middle = round(share * (n_boot - 1))
        low, high = max(middle - m, 0), min(middle + m, n_boot - 1)
        slope = n_boot / (high - low) * (values[high] - values[low])
        length = abs(values[middle] - estimate)
        sides.append((length, allowed * (slope / length) ** 2))
    return max(sides)[1]


def stable_dimensions(A, E):
    """Lemma 1: every i with ``λ_i(A) − λ_{i+1}(A) > 4 λ_1(E)``."""
    values, norm = np.linalg.eigvalsh(A)[::-1], np.linalg.eigvalsh(E)[-1]
    return [i for i in range(1, len(A)) if values[i - 1] - values[i] > 4 * norm]


def proposition_1(A, E, k):
    """Whether no principal submatrix of k features less can be stable."""
    a, e, n = np.linalg.eigvalsh(A)[::-1], np.linalg.eigvalsh(E)[::-1], len(A)
    return all(a[i - 1] - a[i + k] <= 4 * e[k] for i in range(1, n - k))


def stable_subspace(A, E, retain, skip=False):
    """Algorithm 1: features kept, features removed, k, share, whether it retains enough, and sizes
    decomposed; with `skip`, as printed, else with all sizes decomposed.
    """
    total, kept, removed, best, decomposed = np.trace(A), [*range(len(A))], [], None, []
    reference = None
    while len(kept) > 1:
        block = np.ix_(kept, kept)
        known = reference is not None and proposition_1(*reference, len(reference[0]) - len(kept))
        if not (skip and known):
            reference = A[block], E[block]
            decomposed.append(len(kept))
            values = np.linalg.eigvalsh(A[block])[::-1]
            shares = {k: values[:k].sum() / total for k in stable_dimensions(*reference)}
            enough = [k for k in shares if shares[k] >= retain]
            if enough:
                k = enough[0]
                return kept, removed, k, shares[k], True, decomposed
            for k, share in shares.items():
                if best is None or share > best[3] * (1 + TIE):
                    best = [*kept], [*removed], k, share, False
        norms = np.linalg.norm(E[block], axis=1)
        worst = int(np.argmax(norms >= norms.max() * (1 - TIE)))
        removed = [*removed, kept[worst]]
        kept = kept[:worst] + kept[worst + 1 :]
    return (*(best or (kept, removed, 0, 0.0, False)), decomposed)


# Positivity and sparsity, Sec. 4 -------------------------------------------------------------


def splitmix(key, place):
    """The word at a place of a splitmix64 stream, in whole numbers of any size."""
    z = (key + place * 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def unpacked(entries, n):
    """A symmetric matrix from the rows of its lower triangle."""
    G = np.zeros((n, n))
    G[np.tril_indices(n)] = entries
    return G + np.tril(G, -1).T


def has_positive_leading(G):
    """Whether the leading eigenvector, of either sign, is positive."""
    v, _ = leading(G)
    return bool((v > 0).all())


def semicircle_share(low, high):
    """The share between two points under the semicircle of radius 1."""
    area, _ = scipy.integrate.quad(lambda x: 2 / np.pi * np.sqrt(1 - x * x), low, high)
    return area


def irrelevant_bound(M, alpha, Q, relevant):
    """Lemma 13: ``√(Σγ²/λ)``, γ the eigenvalues of ``M₂ M₂ᵀ``, ``λ = αᵀGα``."""
    M2 = np.delete(M, relevant, axis=0)
    gamma = np.linalg.eigvalsh(M2 @ M2.T)
    return np.sqrt((gamma**2).sum() / (alpha @ gram(M, Q) @ alpha))


def wishart_moment(n, q, k):
    """Mean of ``tr((M Mᵀ/q)^k)/n`` for Gaussians: pairs of equal entries, in all ways (Wick)."""
    total = 0
    for pairs in pairings(list(range(2 * k))):
        # The factors are M[r0, c0] M[r1, c0] M[r1, c1] ... M[r0, c(k-1)]; pairs have both equal.
        rows, columns = list(range(k)), list(range(k))
        for one, other in pairs:
            merge(rows, (one + 1) // 2 % k, (other + 1) // 2 % k)
            merge(columns, one // 2, other // 2)
        total += n ** len(set(rows)) * q ** len(set(columns))
    return total / (n * q**k)


def merge(labels, one, other):
    labels[:] = [labels[one] if label == labels[other] else label for label in labels]


def pairings(items):
    """All ways to part items into pairs."""
    if not items:
        yield []
        return
    for i in range(1, len(items)):
        for rest in pairings(items[1:i] + items[i + 1 :]):
            yield [(items[0], items[i]), *rest]
