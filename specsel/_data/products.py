"""Products of all features with a basis, kept from one pass to the next."""

from typing import Any

import numpy as np

from specsel._validate import Floats, NDArray


class Products:
    """The products of all features with one basis, so that the next pass need not multiply again.

    The basis is copied and compared by value. An array that was changed in place after its pass
    is thus a new basis, and stale products cannot be taken for its own.
    """

    def __init__(self) -> None:
        self._basis: Floats | None = None
        self._values: NDArray[Any] | None = None

    def with_basis(self, matrix: Floats | None) -> NDArray[Any] | None:
        """The products with a matrix (vectors × parts × columns), or None if they are not kept."""
        basis = self._basis
        if matrix is None or basis is None or matrix.shape != basis.shape:
            return None
        # Nearly every other basis differs in its first entry already.
        same = matrix.item(0) == basis.item(0) and bool((matrix == basis).all())
        return self._values if same else None

    def room(self, n_vectors: int, like: NDArray[Any]) -> NDArray[Any]:
        """Array for new products, of the type of `like`; forget the old ones until `keep`.

        To save memory it is the old array where that fits, for a pass reads the old products of
        a feature before it writes the new ones. If the pass fails halfway, nothing is kept.
        """
        values, self._basis, self._values = self._values, None, None
        if values is not None and len(values) == n_vectors:
            return values
        return np.empty((n_vectors, *like.shape[1:]), like.dtype)

    def keep(self, basis: Floats, values: NDArray[Any]) -> None:
        """Keep the products with a basis."""
        self._basis, self._values = basis.copy(), values
