"""What an algorithm must bring to the loop, and what the two exchange.

An algorithm is a `Problem`. It maximises ``αᵀ Φ J Φᵀ α`` over the unit weights α, one for every
feature. Row i of Φ is what the algorithm makes of feature i at a basis of the samples; J is
symmetric and may have negative eigenvalues; it is the identity where nothing is punished. Φ has
one row for every feature and is never formed: the loop works with *duals* instead, which have
the size of one row of Φ and give weights by ``α = Φ dual``.

A *place* is where the loop stands: a basis, together with what all products at it share. Most
algorithms share nothing, and their place is the basis itself, an array. Others have a record of
their own. The loop only hands places on; it never looks into one.
"""

from collections.abc import Iterator
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from specsel import _data, linalg
from specsel._validate import ArrayLike, Floats

Place = TypeVar("Place")


class Iterate(NamedTuple):
    """The weights that one iteration found, and the basis that follows from them."""

    alpha: Floats
    basis: Floats
    image: Floats  # A_α basis, where A_α is the weighted affinity of the samples
    objective: float


class Step(NamedTuple, Generic[Place]):
    """What one iteration found, and where the next one begins."""

    iterate: Iterate
    place: Place
    start: Floats  # J Φᵀ α at the new place


class Problem(Protocol[Place]):
    """An algorithm, as the loop sees it: starts, products at a place, and the next place."""

    @property
    def data(self) -> _data.Weighable:
        """The features."""

    def subspace(self, alpha: Floats, width: int) -> Place:
        """Place of the `width` leading directions at given weights."""

    def random(self, generator: np.random.Generator, width: int) -> Place:
        """Place of a random basis."""

    def given(self, init: ArrayLike, k: int) -> Place:
        """Place of the array that the user gave as a start."""

    def seeds(self) -> Iterator[Floats]:
        """Yield weights to start from, the most promising first."""

    def enter(self, place: Place) -> Floats:
        """``J Φᵀ α`` of equal weights, with which the first iteration begins."""

    def product(self, dual: Floats, place: Place) -> Floats:
        """``ΦᵀΦ dual``."""

    def signs(self, image: Floats, place: Place) -> Floats:
        """``J image``, for what `product` returned."""

    def advance(self, pair: linalg.Leading, place: Place, width: int) -> Step[Place]:
        """Find the weights that `pair` stands for, and go on to a place of `width` directions.

        `pair` is the leading eigenpair of ``Φ J Φᵀ`` at `place`.
        """


class Climbable(Problem[Floats], Protocol):
    """An algorithm whose weights an ascent can find; a place is a basis."""

    def lead(self, width: int) -> tuple[Floats, Floats | None]:
        """The leading directions at equal weights, and their image where it is known."""
