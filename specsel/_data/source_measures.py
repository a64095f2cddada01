"""What columns are shifted and scaled by, where X is read block by block."""

from __future__ import annotations

from typing import Any

import numpy as np

from specsel import _runtime
from specsel._data import representations, row_passes
from specsel._data.passes import block_span
from specsel._data.representations import CONSTANT
from specsel._data.sources import Source
from specsel._runtime import is_serial
from specsel._validate import Floats, NDArray


def measure_source(source: Source, center: bool) -> tuple[Floats, Floats]:
    """Mean of every column and norm of what remains; without `center` the means are 0."""
    return (_by_feature if source.by_feature else _by_sample)(source, center)


def without_negative(source: Source, fraction: float, parts: int) -> tuple[Floats, Floats]:
    """The median (fraction 0.5) or the minimum (0) of every column, and the norms about it."""
    if source.by_feature:
        middle = _middles(source, fraction)
        return middle, _part_norms(source, middle, parts)
    _, low, high = totals(source)
    middle = _medians(source) if fraction else low
    return middle, _norms_between(source, middle, parts, low, high)


def _by_feature(source: Source, center: bool) -> tuple[Floats, Floats]:
    """The same, from blocks of features, in one pass."""
    found = source.run(_moments, ((center,) for _ in source.parts))
    mean, norm = np.concatenate([*found], axis=1)
    return mean, norm


def _moments(block: NDArray[Any], center: bool) -> Floats:
    out = np.zeros((2, block.shape[1]))
    representations.standardise(block.T, center, out[0], out[1], block_span(block.shape[1]))
    return out


def _middles(source: Source, fraction: float) -> Floats:
    """Median (fraction 0.5) or minimum (0) of every column, from blocks of features."""
    found = source.run(_middles_of, ((fraction,) for _ in source.parts))
    return np.concatenate([*found])


def _middles_of(block: NDArray[Any], fraction: float) -> Floats:
    out = np.zeros(block.shape[1])
    if is_serial():
        representations.middles_alone(block.T, fraction, out)
    else:
        representations.middles(block.T, fraction, out, block_span(len(out)))
    return out


def _part_norms(source: Source, middle: Floats, parts: int) -> Floats:
    """Parts × columns: the norms about the middles, from blocks of features."""
    found = source.run(_part_norms_of, ((middle[part], parts) for part in source.parts))
    return np.concatenate([*found], axis=1)


def _part_norms_of(block: NDArray[Any], middle: Floats, parts: int) -> Floats:
    out = np.zeros((parts, block.shape[1]))
    if is_serial():
        representations.part_norms_alone(block.T, middle, parts, out)
    else:
        representations.part_norms(block.T, middle, parts, out, block_span(len(middle)))
    return out


def totals(source: Source) -> tuple[Floats, Floats, Floats]:
    """Sum, minimum and maximum of every column, from blocks of samples."""
    total: Floats = np.zeros(source.shape[1])
    low, high = np.full_like(total, np.inf), np.full_like(total, -np.inf)
    for found in source.run(_totals, (() for _ in source.parts)):
        total += found[0]
        np.minimum(low, found[1], out=low)
        np.maximum(high, found[2], out=high)
    return total, low, high


def _totals(block: NDArray[Any]) -> Floats:
    out = np.zeros((3, block.shape[1]))
    out[1], out[2] = np.inf, -np.inf
    row_passes.sums(np.ascontiguousarray(block), out[1], out[2], out[0])
    return out


def _by_sample(source: Source, center: bool) -> tuple[Floats, Floats]:
    """The same, from blocks of samples, in two passes."""
    total, low, high = totals(source)
    if not np.isfinite(total).all():
        return total, np.zeros_like(total)  # the caller refuses it
    mean = total / source.shape[0] if center else np.zeros_like(total)
    norm = _norms_between(source, mean, 1, low, high)[0]
    if center:
        norm[high - low <= CONSTANT * np.maximum(np.abs(low), np.abs(high))] = 0.0
    return mean, norm


def _norms_between(
    source: Source, middle: Floats, parts: int, low: Floats, high: Floats
) -> Floats:
    """Parts × columns: the norms about the middles; they neither overflow nor underflow."""
    largest = np.maximum(np.stack([high - middle, middle - low]), 0.0)
    largest = largest if parts == 2 else largest.max(axis=0, keepdims=True)
    safe = np.where(largest > 0, largest, np.inf)
    squares = sum(source.run(_squares, ((middle, safe) for _ in source.parts)))
    norms: Floats = largest * np.sqrt(squares)
    return norms


def _squares(block: NDArray[Any], middle: Floats, largest: Floats) -> Floats:
    out = np.zeros_like(largest)
    row_passes.squares(np.ascontiguousarray(block), middle, largest, len(largest), out)
    return out


def _medians(source: Source) -> Floats:
    """Median of every column: as many columns at a time as the budget has room for."""
    q, n = source.shape
    width = int(np.clip(_runtime.budget() // (4 * source.dtype.itemsize * q), 1, n))
    out = np.empty(n)
    for start in range(0, n, width):
        columns = slice(start, min(start + width, n))
        held = np.empty((columns.stop - start, q), source.dtype)
        found = source.run(_columns, ((columns,) for _ in source.parts))
        for part, block in zip(source.parts, found, strict=True):
            held[:, part] = block
        for i, column in enumerate(held):
            column.partition([(q - 1) // 2, q // 2])
            low, high = float(column[(q - 1) // 2]), float(column[q // 2])
            out[start + i] = low + 0.5 * (high - low)
    return out


def _columns(block: NDArray[Any], columns: slice) -> NDArray[Any]:
    return block[:, columns].T
