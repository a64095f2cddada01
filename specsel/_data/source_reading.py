"""An array that is read block by block is measured and wrapped."""

from dataclasses import replace
from typing import Any

from specsel._data.held import blockwise
from specsel._data.measured import Measured
from specsel._data.parted import Blocks, ByFeature
from specsel._data.protocol import Data
from specsel._data.samples import BySample
from specsel._data.source_measures import without_negative
from specsel._validate import Names, Representation


def wrap(array: Any, names: Names, representation: Representation) -> Data:
    """Measure and wrap a streamed array, or a tall one in memory."""
    source = blockwise(array)
    measured = Measured.of(array, source.dtype, names, representation)
    if measured.exponents is not None:
        source = replace(source, exponents=measured.exponents)
    if measured.is_shifted:
        middle, norms = without_negative(source, measured.fraction, measured.parts)
        norms = measured.without_nothing(norms, source.dtype.itemsize)
    else:
        middle, norm = measured.moderate
        norms = norm[None, :]
    blocks = Blocks(source, middle, norms)
    by_feature = source.by_feature
    told = measured.told(source.dtype, n_passes=1 if by_feature else 2)
    return (ByFeature if by_feature else BySample)(blocks=blocks, **told)
