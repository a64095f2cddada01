"""Other samples of the same features beside the data, and the passes with pairs of them."""

from types import EllipsisType
from typing import Any

import numpy as np

from specsel._data.dense import Dense
from specsel._data.pairs import Pairs
from specsel._data.passes import Columns
from specsel._data.protocol import Data
from specsel._data.standardised import Counter, Standardised
from specsel._validate import Floats


def alike(data: Data, array: Any) -> Data:
    """Other samples of the same columns, shifted and scaled as these; counted on their own.

    They may be dense beside sparse data, and the reverse.
    """
    assert isinstance(data, Standardised)
    told = {
        name: getattr(data, name)
        for name in ("mean", "norm", "names", "loses_rank", "mean_free", "floor", "exponents")
    }
    middle, norms = data.middle, data.norms
    if not isinstance(array, np.ndarray):
        from specsel._data.sparse import Columns as SparseColumns
        from specsel._data.sparse import Sparse
        from specsel._data.sparse_measures import near_zero
        from specsel._data.stored import Stored

        stored = Stored.of(array)
        if data.exponents is not None:
            stored = stored.scaled(data.exponents)
        sparse = SparseColumns(*near_zero(stored, middle, norms), norms)
        return Sparse(columns=sparse, counter=Counter(), lengths=data.lengths, **told)
    rows = array if data.exponents is None else np.ldexp(array, -data.exponents)
    dtype = data.features.dtype if isinstance(data, Dense) else rows.dtype
    features = np.ascontiguousarray(rows, dtype).view().T
    columns = Columns(features, middle, norms)
    return Dense(columns=columns, counter=Counter(), lengths=data.lengths, **told)


class Beside:
    """Data, and beside them other samples of the same features, from which the pairs are.

    The features' inner products are those of the data; only the terms of the pairs come from the
    other samples, which are standardised as the data are. It has the two passes with pairs that
    data have, so an algorithm need not know where the paired samples lie.

    Parameters
    ----------
    data : Data
    others : array or sparse matrix of shape (n_others, n_columns)
        The other samples, as they lie.
    """

    def __init__(self, data: Data, others: Any) -> None:
        self.data, self.others = data, alike(data, others)
        self.nothing = np.zeros((self.others.n_samples, 1))

    def adjoint_pairs(self, alpha: Floats, basis: Floats, pairs: Pairs) -> tuple[Floats, Floats]:
        """``A_α basis`` of the data, and the entries of ``A_α`` for pairs of the others."""
        entries = self.others.adjoint_pairs(alpha, self.nothing[:, :0], pairs)[1]
        return self.data.adjoint(alpha, basis), entries

    def fused_pairs(
        self,
        dual: Floats,
        basis: Floats,
        pairs: Pairs,
        values: Floats,
        target: Floats | EllipsisType = ...,
    ) -> tuple[Floats, Floats, Floats]:
        """``α_i = m_iᵀ dual basisᵀ m_i + Σ values_st m_is m_it``, then `adjoint_pairs`."""
        alpha = self.others.fused_pairs(self.nothing, self.nothing, pairs, values)[0]
        alpha += self.data.forward(dual, basis)
        return alpha, *self.adjoint_pairs(alpha, basis if target is ... else target, pairs)
