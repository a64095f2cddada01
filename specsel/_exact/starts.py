"""Good supports of sparse PCA to start a search from: truncated power iteration.

Yuan and Zhang (2013), "Truncated power method for sparse eigenvalue problems", JMLR 14: multiply
a sparse vector by A, keep its k largest entries, and repeat. It is begun here from the rows of the
most promising features, all at once, and over these features alone. One more start grows from the
best support of one feature less.
"""

import numpy as np

from specsel import linalg
from specsel._validate import Bools, Floats, Integers

# So many features are tried, and so many of them are begun from.
POOL = 1000
STARTS = 150

# Multiplications by A.
STEPS = 10

# So many of the vectors that come out have their supports solved for.
SOLVED = 5


class Starts:
    """Starts for supports of any size.

    Parameters
    ----------
    factor : ndarray of shape (n_features, r)
        ``A = factor factorᵀ``, perhaps with a multiple of the identity added.
    candidates : ndarray of int
        The features that supports may hold.
    scores : ndarray
        How promising each of them is.
    always : ndarray of int
        The features that every support holds.
    """

    def __init__(
        self, factor: Floats, candidates: Integers, scores: Floats, always: Integers
    ) -> None:
        self._factor, self._candidates, self._always = factor, candidates, always
        promising = candidates[np.argsort(-scores, kind="stable")[:POOL]]
        begun = promising[:STARTS]
        self._pool = np.union1d(promising, always)
        self._rows = factor[begun] @ factor[self._pool].T

    def value(self, support: Integers) -> float:
        """Return the largest eigenvalue over a support."""
        part = self._factor[support]
        return float(linalg.eigen(part @ part.T)[0][-1])

    def grown(self, support: Integers) -> Integers:
        """Add the feature that, with the component of a support, explains most."""
        part = self._factor[support]
        values, vectors = linalg.eigen(part @ part.T)
        factor = self._factor[self._candidates]
        half = (values[-1] - np.einsum("ij,ij->i", factor, factor)) / 2
        raised = np.hypot(half, factor @ (vectors[:, -1] @ part)) - half
        raised[np.isin(self._candidates, support)] = -np.inf
        return np.union1d(support, self._candidates[np.argmax(raised)])

    def powers(self, k: int) -> list[Integers]:
        """Return the supports of k features that truncated power iteration ends on."""
        factor, vectors = self._factor[self._pool], self._rows
        held = np.isin(self._pool, self._always)
        for _ in range(STEPS):
            places = _largest(vectors, k, held)
            entries = np.take_along_axis(vectors, places, 1)
            entries = entries / np.maximum(np.linalg.norm(entries, axis=1), 1e-150)[:, None]
            images = np.matmul(entries[:, None, :], factor[places])[:, 0]
            vectors = images @ factor.T
        order = np.argsort(-np.linalg.norm(images, axis=1), kind="stable")[:SOLVED]
        return [self._pool[np.sort(places[i])] for i in order]

    def best(self, k: int, supports: list[Integers]) -> Integers:
        """Return the best of some supports of k features and of those of `powers`."""
        if len(self._pool) >= k > len(self._always):
            supports = [*supports, *self.powers(k)]
        return max(supports, key=self.value)


def _largest(vectors: Floats, k: int, held: Bools) -> Integers:
    """Return the places of the k largest entries of every row, by modulus; `held` count first."""
    sizes = np.where(held, np.inf, np.abs(vectors))
    return np.argpartition(-sizes, k - 1, axis=1)[:, :k]
