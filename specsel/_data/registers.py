"""Products of small matrices that stay in cache, with several rows of each in registers.

Written for LLVM by hand. From plain loops a compiler makes code that holds fewer rows, asks before
every row whether two of them overlap, and goes through the end of a row number by number. Here a
row is made of whole lines of cache: `row_length` says how long it is, and there are zeros beyond
the last number that counts.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic

from specsel._runtime import jit

# Whether functions stay Python's own (NUMBA_DISABLE_JIT).
PLAIN = bool(getattr(config, "DISABLE_JIT", 0))

# What numba compiles for: what its settings say, or else this processor.
FEATURES = getattr(config, "CPU_FEATURES", None)
FEATURES = get_host_cpu_features() if FEATURES is None else FEATURES

# Bytes of a line of cache.
LINE = 64

# With AVX-512 there are 32 registers of 64 bytes, elsewhere mostly 16 of 32.
IS_WIDE = "+avx512f" in FEATURES
REGISTER = 64 if IS_WIDE else 32

# Rows of the matrix on the right that are in registers at a time.
RIGHT = 4


def row_length(size: int, itemsize: int) -> int:
    """How many numbers of so many bytes make a row of at least `size`."""
    numbers = LINE // itemsize
    return -(-size // numbers) * numbers


@jit
def room(n_rows, length, example):
    """Zeros of the type of `example`. Rows begin on lines of cache, if `row_length` made them."""
    numbers = LINE // example.itemsize
    memory = np.zeros(n_rows * length + numbers, example.dtype)
    first = -(memory.ctypes.data // example.itemsize) % numbers
    return memory[first : first + n_rows * length].reshape((n_rows, length))


def _contiguous(typing_context, row):
    """A row of numbers that lie together, so that the compiler knows it."""

    def generate(context, builder, signature, arguments):
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

    return row.copy(layout="C")(row), generate


contiguous: Any = (lambda row: row) if PLAIN else intrinsic(_contiguous)


@jit
def add_inner(left, right, out):
    """Add the inner product of each row of `left` with each of `right`.

    `left` has an even number of rows, and `right` a multiple of `RIGHT`.
    """
    first = 0
    while first < len(left):
        block = _block(len(left) - first)
        if block == 6:
            _six_inner(left, right, out, first)
        elif block == 4:
            _four_inner(left, right, out, first)
        else:
            _two_inner(left, right, out, first)
        first += block


@jit
def add_combined(coefficients, rows, out):
    """Add combinations of rows, ``out[c] += Σ_r coefficients[c, r] rows[r]``.

    `out` has an even number of rows, and `rows` a multiple of `RIGHT`.
    """
    first = 0
    while first < len(out):
        block = _block(len(out) - first)
        if block == 6:
            _six_combined(coefficients, rows, out, first)
        elif block == 4:
            _four_combined(coefficients, rows, out, first)
        else:
            _two_combined(coefficients, rows, out, first)
        first += block


@jit
def _block(rest):
    """How many of the rows that are left fill the registers best."""
    if not IS_WIDE or rest < 4:
        return 2
    return 6 if rest == 6 or rest > 8 else 4


class _Matrix:
    """An array in memory, as LLVM reads and writes it: a register, or a few numbers, at a time."""

    def __init__(self, context: Any, builder: Any, kind: Any, value: Any) -> None:
        array = context.make_array(kind)(context, builder, value)
        self.builder, self.data = builder, array.data
        self.height, self.length = cgutils.unpack_tuple(builder, array.shape)
        self.itemsize = kind.dtype.bitwidth // 8
        self.lanes = REGISTER // self.itemsize
        self.number = context.get_data_type(kind.dtype)

    def read(self, row: Any, column: Any, lanes: int) -> Any:
        """So many numbers of a row."""
        pointer = self._pointer(row, column, ir.VectorType(self.number, lanes))
        return self.builder.load(pointer, align=self.itemsize)

    def write(self, value: Any, row: Any, column: Any) -> None:
        """Write numbers in a row."""
        self.builder.store(value, self._pointer(row, column, value.type), align=self.itemsize)

    def spread(self, row: Any, column: Any) -> Any:
        """One number in all lanes of a register."""
        number = self.read(row, column, 1)
        return _shuffled(self.builder, number, number, [0] * self.lanes)

    def _pointer(self, row: Any, column: Any, kind: Any) -> Any:
        place = self.builder.add(self.builder.mul(row, self.length), column)
        return self.builder.bitcast(self.builder.gep(self.data, [place]), kind.as_pointer())


def _inner(rows: int) -> Callable[..., Any]:
    """Inner products of so many rows of `left`, from `first` on, with all rows of `right`."""

    def write(builder: Any, left: _Matrix, right: _Matrix, out: _Matrix, first: Any) -> None:
        size, lanes = left.length.type, left.lanes
        nothing = ir.Constant(ir.VectorType(left.number, lanes), [0.0] * lanes)
        totals = [
            [cgutils.alloca_once(builder, nothing.type) for _ in range(RIGHT)] for _ in range(rows)
        ]
        block = [builder.add(first, size(i)) for i in range(rows)]
        with cgutils.for_range_slice(builder, size(0), right.height, size(RIGHT)) as (r, _):
            for some in totals:
                for total in some:
                    builder.store(nothing, total)
            four = [builder.add(r, size(j)) for j in range(RIGHT)]
            with cgutils.for_range_slice(builder, size(0), left.length, size(lanes)) as (s, _):
                ours = [right.read(row, s, lanes) for row in four]
                for row, some in zip(block, totals, strict=True):
                    theirs = left.read(row, s, lanes)
                    for x, total in zip(ours, some, strict=True):
                        now = builder.load(total)
                        builder.store(_multiply_add(builder, theirs, x, now), total)
            for row, some in zip(block, totals, strict=True):
                more = _four_sums(builder, [builder.load(total) for total in some])
                out.write(builder.fadd(out.read(row, r, RIGHT), more), row, r)

    def plain(left, right, out, first):
        out[first : first + rows, : len(right)] += left[first : first + rows] @ right.T

    return _compiled(write, plain)


def _combined(rows: int) -> Callable[..., Any]:
    """Combinations of all rows on the right, for so many rows of `out` from `first` on."""

    def write(builder: Any, left: _Matrix, right: _Matrix, out: _Matrix, first: Any) -> None:
        size, lanes = left.length.type, left.lanes
        block = [builder.add(first, size(i)) for i in range(rows)]
        with cgutils.for_range_slice(builder, size(0), right.height, size(RIGHT)) as (r, _):
            four = [builder.add(r, size(j)) for j in range(RIGHT)]
            factors = [[left.spread(row, place) for place in four] for row in block]
            with cgutils.for_range_slice(builder, size(0), right.length, size(lanes)) as (s, _):
                ours = [right.read(row, s, lanes) for row in four]
                for row, some in zip(block, factors, strict=True):
                    total = out.read(row, s, lanes)
                    for factor, x in zip(some, ours, strict=True):
                        total = _multiply_add(builder, factor, x, total)
                    out.write(total, row, s)

    def plain(left, right, out, first):
        out[first : first + rows] += left[first : first + rows, : len(right)] @ right

    return _compiled(write, plain)


def _compiled(write: Callable[..., None], plain: Callable[..., None]) -> Callable[..., Any]:
    """A function that compiled code may call, ``(left, right, out, first)``; plain without."""
    if PLAIN:
        return plain

    def typed(typing_context, left, right, out, first):
        if any(matrix.layout != "C" for matrix in (left, right, out)):
            return None

        def generate(context, builder, signature, arguments):
            kinds = zip(signature.args, arguments[:3], strict=False)
            matrices = [_Matrix(context, builder, kind, value) for kind, value in kinds]
            write(builder, *matrices, arguments[3])
            return context.get_dummy_value()

        return types.void(left, right, out, types.intp), generate

    return intrinsic(typed)


def _multiply_add(builder: Any, left: Any, right: Any, total: Any) -> Any:
    product = builder.fmul(left, right, flags=["contract"])
    return builder.fadd(total, product, flags=["contract"])


def _four_sums(builder: Any, four: list[Any]) -> Any:
    """The sums of four registers, as one vector."""
    a, b, c, d = four
    pairs = _added(builder, a, b, 1), _added(builder, c, d, 1)
    total = _added(builder, *pairs, 2)
    while total.type.count > len(four):
        half = total.type.count // 2
        low = _shuffled(builder, total, total, list(range(half)))
        high = _shuffled(builder, total, total, list(range(half, 2 * half)))
        total = builder.fadd(low, high)
    return total


def _added(builder: Any, left: Any, right: Any, step: int) -> Any:
    """Add every other `step` lanes to those before; sums of left and right stand in turn."""
    lanes = left.type.count
    places = [
        first + offset + i
        for first in range(0, lanes, 2 * step)
        for offset in (0, lanes)
        for i in range(step)
    ]
    before = _shuffled(builder, left, right, places)
    return builder.fadd(before, _shuffled(builder, left, right, [p + step for p in places]))


def _shuffled(builder: Any, left: Any, right: Any, places: list[int]) -> Any:
    """The numbers of two vectors at some places, as a vector."""
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(places)), places)
    return builder.shuffle_vector(left, right, mask)


_six_inner, _four_inner, _two_inner = _inner(6), _inner(4), _inner(2)
_six_combined, _four_combined, _two_combined = _combined(6), _combined(4), _combined(2)
