"""Q-α, its variants and the one-step weightings, literally as the papers define them.

All matrices are formed in full. M holds the features as rows, n features x q samples; α are the
weights of the features, Q is an orthonormal basis of k directions of the samples. This file
imports nothing of the package.
"""

import numpy as np
from scipy.optimize import minimize

# Values that differ by less than this share are tied.
TIE = 1e-9


def standardise(X, center=True, power=0.0):
    """Return M: features as rows, centred and of unit norm. Constant features are rows of 0.

    With a power, every feature keeps this power of its norm, of which the largest is 1.
    """
    M = np.array(X, dtype=float).T
    if center:
        M = M - M.mean(axis=1, keepdims=True)
    norms = np.linalg.norm(M, axis=1, keepdims=True)
    constant = norms <= 1e-12 * (1 + np.abs(np.array(X, dtype=float).T).max(axis=1, keepdims=True))
    norms = np.where(constant, 0.0, norms)
    return np.where(
        constant, 0.0, M / np.where(constant, 1.0, norms) * (norms / norms.max()) ** power
    )


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
    """Return the leading eigenvector, signed to a positive sum, and its eigenvalue."""
    values, vectors = np.linalg.eigh(G)
    alpha = vectors[:, -1]
    return alpha * (1.0 if alpha.sum() >= 0 else -1.0), values[-1]


def by_modulus(A, k):
    """Return the k eigenvalues of largest modulus and their eigenvectors."""
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
    """Run `count` cycles of Def. 2; return α, Q and the objective after every cycle."""
    history = []
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q, criterion)
        Q, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        history.append(objective(M, alpha, Q, criterion))
    return alpha, Q, history


def basic_iterations(M, Q, count, criterion="energy"):
    """Run `count` cycles of the basic method, with eigenvectors of the affinity as Q."""
    history = []
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q, criterion)
        _, Q = by_modulus(affinity(M, alpha), Q.shape[1])
        history.append(objective(M, alpha, Q, criterion))
    return alpha, Q, history


def ritz_iterations(M, Q, count):
    """Run `count` cycles of Def. 4; return α, Q and the Ritz values.

    Step 4 is done with the factor ``m_iᵀ m_j``, which it lacks in print.
    """
    for _ in range(count):
        alpha, _ = weights_given_basis(M, Q)
        Q_bar, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        alpha, _ = weights_given_basis(M, Q_bar)
        S = Q_bar.T @ affinity(M, alpha) @ Q_bar
        values, U = by_modulus((S + S.T) / 2, S.shape[0])
        Q = Q_bar @ U
    return alpha, Q, values


def pivoted(columns, n):
    """Return the first n columns that column-pivoted QR chooses, by explicit projections."""
    chosen = []
    for _ in range(n):
        basis = np.linalg.qr(columns[:, chosen])[0] if chosen else np.zeros((len(columns), 0))
        residual = columns - basis @ (basis.T @ columns)
        square = (residual**2).sum(axis=0)
        square[chosen] = -1
        chosen.append(int(np.argmax(square)))
    return chosen


def average_ranks(X):
    """Rank every column from 1 to q; tied samples share the mean of their ranks."""
    X = np.array(X, dtype=float)
    below = (X[None, :, :] < X[:, None, :]).sum(axis=1)
    equal = (X[None, :, :] == X[:, None, :]).sum(axis=1)
    return below + (equal + 1) / 2


def represent(X, representation, power=0.0):
    """Return M in a representation. "parts" has 2n rows: all upper parts, then all lower ones."""
    X = np.array(X, dtype=float)
    if representation == "centered":
        return standardise(X, power=power)
    if representation == "as-is":
        return standardise(X, center=False, power=power)
    if representation == "shift":
        return standardise(X - X.min(axis=0), center=False, power=power)
    if representation == "ranks":
        varies = X.max(axis=0) > X.min(axis=0)
        return standardise(average_ranks(X) * varies, center=False, power=power)
    if representation == "parts":
        above = X - np.median(X, axis=0)
        parts = np.hstack([np.maximum(above, 0), np.maximum(-above, 0)])
        return standardise(parts, center=False, power=power)
    raise ValueError(representation)


def represent_others(X, others, representation):
    """Return M of other samples, shifted and scaled as X is. Constant features are 0."""
    X, others = np.array(X, dtype=float), np.array(others, dtype=float)
    middle = {"centered": X.mean(axis=0), "shift": X.min(axis=0), "parts": np.median(X, axis=0)}
    above, below = X - middle[representation], others - middle[representation]
    if representation == "parts":
        above, below = (np.hstack([np.maximum(x, 0), np.maximum(-x, 0)]) for x in (above, below))
    norms = np.linalg.norm(above, axis=0)
    return (below / np.where(norms > 0, norms, np.inf)).T


def join(alpha):
    """Join the weights of parts: ``√(α₊² + α₋²)`` of unit norm, negative weights as 0."""
    positive, negative = np.maximum(alpha, 0).reshape(2, -1)
    joined = np.sqrt(positive**2 + negative**2)
    return joined / np.linalg.norm(joined)


def laplacian_matrices(M, d):
    """``L_i = m_i m_iᵀ − diag(m_i m_iᵀ 1) + d_i I``; d holds one shift per feature, or is one."""
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
    """Return the largest degree, ``max(A 1)``, or what is printed, ``max diag(A)``."""
    return {"degree": A.sum(axis=1), "definition": np.diag(A)}[shift].max()


def laplacian_shift(M, alpha, shift):
    """Compute the shift of Def. 5, step 3: one d for all features."""
    return largest_entry(affinity(M, alpha), shift) / alpha.sum()


def laplacian_first_shift(M, shift):
    """Compute the shifts of the first cycle: one ``d_i`` per feature."""
    return np.array([largest_entry(np.outer(m, m), shift) for m in M])


def laplacian_iterations(M, Q, count, shift):
    """Run `count` cycles of Def. 5; return α, Q and ``trace(QᵀLᵀLQ)`` after every cycle."""
    d, history = laplacian_first_shift(M, shift), []
    for _ in range(count):
        alpha, _ = leading(laplacian_gram(M, Q, d))
        d = laplacian_shift(M, alpha, shift)
        L = sum(a * L_i for a, L_i in zip(alpha, laplacian_matrices(M, d), strict=True))
        Q, _ = np.linalg.qr(L @ Q)
        history.append(np.trace(Q.T @ L.T @ L @ Q))
    return alpha, Q, history


def class_rows(y):
    """Return the samples of every class, in the order of the sorted labels."""
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
    """Return the right singular vectors of the k largest singular values."""
    return np.linalg.svd(A, full_matrices=False)[2][:k].T


def supervised_bases(M, alpha, rows, widths):
    """Return ``Q^gh`` of every block: right singular vectors of ``A^gh``, as many as it has.

    `widths` is the table of ``k^gh``, the most that are wanted.
    """
    return {
        (g, h): right_vectors(cross_affinity(M, alpha, rows_g, rows_h), widths[g][h])
        for g, rows_g in enumerate(rows)
        for h, rows_h in enumerate(rows)
    }


def supervised_objective(M, alpha, bases, rows, gamma):
    """Compute Eq. 5: the energy within the classes less γ times that between them."""
    total = 0.0
    for (g, h), Q in bases.items():
        A = cross_affinity(M, alpha, rows[g], rows[h])
        total += (1 if g == h else -gamma) * np.trace(Q.T @ A.T @ A @ Q)
    return total


def supervised_iterations(M, bases, rows, count, gamma, method):
    """Run `count` cycles of Def. 6; return α, the bases and the objective after every cycle.

    The bases follow by SVD ("basic") or by one step of orthogonal iteration ("power").
    """
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


def projector(M):
    """Return ``M E D⁻¹ Eᵀ Mᵀ``, the n x n projector onto the column space of M."""
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
    """Form ``H − λG`` of Algo. 3 from the definitions of the two scatters."""
    return projector(M) * (between_scatter(M, rows) - tradeoff * within_scatter(M, rows))


def quadratic_programme(M, linear, square):
    """Return the unit α ≥ 0 that maximises ``Σ f(σ_i)`` for ``f(x) = linear x + square x²``.

    This is ``linear uᵀα + square αᵀHα`` with ``u_i = m_iᵀ m_i``, found by quadratic programming.
    """
    u, H = (M**2).sum(axis=1), squared(M)
    scale = linear * np.linalg.norm(u) + square * np.linalg.norm(H)
    found = minimize(
        lambda alpha: -(linear * u @ alpha + square * alpha @ H @ alpha) / scale,
        np.full(len(M), len(M) ** -0.5),
        jac=lambda alpha: -(linear * u + 2 * square * H @ alpha) / scale,
        method="SLSQP",
        bounds=[(0, 1)] * len(M),
        constraints={
            "type": "eq",
            "fun": lambda alpha: alpha @ alpha - 1,
            "jac": lambda alpha: 2 * alpha,
        },
        options={"ftol": 1e-15, "maxiter": 1000},
    )
    return found.x


def fisher_coordinates(M):
    """``E D^{-1/2}``, ``M^T M = E D E^T``, of the eigenvalues that are not 0."""
    values, E = np.linalg.eigh(M.T @ M)
    kept = values > 1e-12 * values.max()
    return E[:, kept] @ np.diag(values[kept] ** -0.5)


def fisher_matrix(M, alpha, rows, tradeoff):
    """``D^{-1/2} Eᵀ (R − λS) E D^{-1/2}``, with R and S as kernels give them (appendix)."""
    A = affinity(M, alpha)
    q = len(A)
    R, S = np.zeros((q, q)), np.zeros((q, q))
    for c in rows:
        ones = np.ones(len(c))
        delta = A[:, c] @ ones / len(c) - A @ np.ones(q) / q
        R += len(c) * np.outer(delta, delta)
        S += A[:, c] @ (np.eye(len(c)) - np.outer(ones, ones) / len(c)) @ A[:, c].T
    half = fisher_coordinates(M)
    return half.T @ (R - tradeoff * S) @ half


def fisher_directions(M, alpha, rows, tradeoff, k):
    """Return φ of the k leading discriminants as columns, and what they reach together."""
    values, vectors = np.linalg.eigh(fisher_matrix(M, alpha, rows, tradeoff))
    return vectors[:, ::-1][:, :k], values[::-1][:k].sum()


def fisher_gram(M, phi, rows, tradeoff):
    """The matrix of which α leads at given φ: that of Algo. 3, of the discriminants φ alone."""
    U = M @ fisher_coordinates(M) @ phi
    return (U @ U.T) * (between_scatter(M, rows) - tradeoff * within_scatter(M, rows))


def side_diagonal(X, sides, center=True):
    """``D_i = Σ var(side_i) / var(X_i)``, summed over the sides; 0 where X is constant.

    Without `center` the mean square of X takes the place of its variance.
    """
    varies = standardise(X, center).any(axis=1)
    X = np.array(X, dtype=float)
    main = np.where(varies, np.var(X, axis=0) if center else np.mean(X**2, axis=0), 1.0)
    return varies * sum(np.var(np.array(side, dtype=float), axis=0) / main for side in sides)


def side_weights(G, D, tradeoff):
    """Return the α of the largest μ in ``G α = μ (D + λI) α``, of unit norm and positive sum."""
    root = np.sqrt(D + tradeoff)
    beta, _ = leading(G / np.outer(root, root))
    alpha = beta / root
    return alpha / np.linalg.norm(alpha) * (1.0 if alpha.sum() >= 0 else -1.0)


def side_iterations(M, Q, count, D, tradeoff, criterion="energy"):
    """Run `count` cycles of Def. 3; return α, Q and the ratio of Def. 3 after every cycle."""
    history = []
    for _ in range(count):
        G = gram(M, Q) if criterion == "energy" else 2 * gram(M, Q) - squared(M)
        alpha = side_weights(G, D, tradeoff)
        Q, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        history.append(objective(M, alpha, Q, criterion) / (alpha**2 @ (D + tradeoff)))
    return alpha, Q, history


def position(G):
    """Return the position of every feature, an angle in (−π/2, π/2].

    It is the direction of its two coordinates in the two leading eigenvectors of G.
    """
    first, _ = leading(G)
    second = np.linalg.eigh(G)[1][:, -2]
    second = second * (1.0 if second[np.argmax(np.abs(second))] > 0 else -1.0)
    flip = (first < 0) | ((first == 0) & (second < 0))
    return np.arctan2(np.where(flip, -second, second), np.abs(first))


def pair_matrix(M, pairs, others=None):
    """``B = (q²/#pairs) PᵀP`` with ``P_{pair,r} = M_rs M_rt``; zeros if there are no pairs.

    s and t are samples of M, or of `others`, which are scaled as those of M.
    """
    pairs = np.array(pairs, dtype=int).reshape(-1, 2)
    paired = M if others is None else others
    P = np.array([paired[:, s] * paired[:, t] for s, t in pairs]).reshape(-1, len(M))
    return M.shape[1] ** 2 / max(len(pairs), 1) * P.T @ P


def pairwise_iterations(M, Q, count, apart, together, tradeoff, others=None):
    """Run `count` cycles of Sec. 5; return α, Q and Eq. 3 after every cycle.

    Pairs that belong together enter with the opposite sign.
    """
    B = pair_matrix(M, apart, others) - pair_matrix(M, together, others)
    history = []
    for _ in range(count):
        alpha, _ = leading(gram(M, Q) - tradeoff * B)
        Q, _ = np.linalg.qr(affinity(M, alpha) @ Q)
        history.append(objective(M, alpha, Q) - tradeoff * alpha @ B @ alpha)
    return alpha, Q, history
