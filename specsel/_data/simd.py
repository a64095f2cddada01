"""Inner loops written for LLVM by hand: products of small matrices, and of stored numbers.

From plain loops a compiler makes code that is 1.3 to 6 times slower: it holds fewer rows in
registers, checks before every row whether two of them overlap, and goes through the end of a row
number by number, or gathers single numbers from eight rows.

First, for dense data, products of small matrices that stay in cache. A row fills lines of cache,
see `row_length`, with zeros in the end. Then, for sparse data, eight numbers as one value, and
sums of rows of eight by stored numbers.
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.codegen import get_host_cpu_features
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic, models, register_model

from specsel._runtime import jit
from specsel._validate import Floats

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
    """Return how many numbers of so many bytes make a row of at least `size`."""
    numbers = LINE // itemsize
    return -(-size // numbers) * numbers


@jit(helper=True)
def buffer(n_rows, length, example):
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


def _fetch(typing_context, address):
    """Ask the processor to fetch a cache line that will be needed soon."""

    def generate(context, builder, signature, arguments):
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        hint = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        constants = [ir.Constant(word, value) for value in (0, 2, 1)]
        builder.call(hint, [builder.inttoptr(arguments[0], pointer), *constants])
        return context.get_dummy_value()

    return types.void(types.intp), generate


# Without compiling (NUMBA_DISABLE_JIT) there is nothing to put the request into.
prefetch: Any = (lambda address: None) if PLAIN else intrinsic(_fetch)


@jit(helper=True)
def add_inner(left, right, out, begin):
    """Add the inner product of each row of `left` with each of `right` from `begin` on.

    `left` has an even number of rows, and `right` a multiple of `RIGHT`, as `begin` is.
    """
    first = 0
    while first < len(left):
        block = _block(len(left) - first)
        if block == 6:
            _six_inner(left, right, out, first, begin)
        elif block == 4:
            _four_inner(left, right, out, first, begin)
        else:
            _two_inner(left, right, out, first, begin)
        first += block


@jit(helper=True)
def add_combined(coefficients, rows, out, begin):
    """Add combinations of rows, ``out[c] += Σ_r coefficients[c, r] rows[r]``, r from `begin` on.

    `out` has an even number of rows, and `rows` a multiple of `RIGHT`, as `begin` is.
    """
    first = 0
    while first < len(out):
        block = _block(len(out) - first)
        if block == 6:
            _six_combined(coefficients, rows, out, first, begin)
        elif block == 4:
            _four_combined(coefficients, rows, out, first, begin)
        else:
            _two_combined(coefficients, rows, out, first, begin)
        first += block


@jit(helper=True)
def _block(rest):
    """Return how many of the rows that are left fill the registers best."""
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
        offset = self.builder.add(self.builder.mul(row, self.length), column)
        return self.builder.bitcast(self.builder.gep(self.data, [offset]), kind.as_pointer())


def _inner(rows: int) -> Callable[..., Any]:
    """Inner products of so many rows of `left`, from `first` on, with those of `right`."""

    def write(
        builder: Any, left: _Matrix, right: _Matrix, out: _Matrix, first: Any, begin: Any
    ) -> None:
        size, lanes = left.length.type, left.lanes
        nothing = ir.Constant(ir.VectorType(left.number, lanes), [0.0] * lanes)
        totals = [
            [cgutils.alloca_once(builder, nothing.type) for _ in range(RIGHT)] for _ in range(rows)
        ]
        block = [builder.add(first, size(i)) for i in range(rows)]
        with cgutils.for_range_slice(builder, begin, right.height, size(RIGHT)) as (r, _):
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
                if out.number != left.number:  # float32 products join float64 sums
                    more = builder.fpext(more, ir.VectorType(out.number, RIGHT))
                out.write(builder.fadd(out.read(row, r, RIGHT), more), row, r)

    def plain(left, right, out, first, begin):
        products = left[first : first + rows] @ right[begin:].T
        out[first : first + rows, begin : len(right)] += products

    return _compiled(write, plain)


def _combined(rows: int) -> Callable[..., Any]:
    """Combinations of rows on the right, for so many rows of `out` from `first` on."""

    def write(
        builder: Any, left: _Matrix, right: _Matrix, out: _Matrix, first: Any, begin: Any
    ) -> None:
        size, lanes = left.length.type, left.lanes
        block = [builder.add(first, size(i)) for i in range(rows)]
        with cgutils.for_range_slice(builder, begin, right.height, size(RIGHT)) as (r, _):
            four = [builder.add(r, size(j)) for j in range(RIGHT)]
            factors = [[left.spread(row, column) for column in four] for row in block]
            with cgutils.for_range_slice(builder, size(0), right.length, size(lanes)) as (s, _):
                ours = [right.read(row, s, lanes) for row in four]
                for row, some in zip(block, factors, strict=True):
                    total = out.read(row, s, lanes)
                    for factor, x in zip(some, ours, strict=True):
                        total = _multiply_add(builder, factor, x, total)
                    out.write(total, row, s)

    def plain(left, right, out, first, begin):
        coefficients = left[first : first + rows, begin : len(right)]
        out[first : first + rows] += coefficients @ right[begin:]

    return _compiled(write, plain)


def _compiled(write: Callable[..., None], plain: Callable[..., None]) -> Callable[..., Any]:
    """A function that compiled code may call, as `plain` is without."""
    if PLAIN:
        return plain

    def typed(typing_context, left, right, out, first, begin):
        if any(matrix.layout != "C" for matrix in (left, right, out)):
            return None

        def generate(context, builder, signature, arguments):
            kinds = zip(signature.args, arguments[:3], strict=False)
            matrices = [_Matrix(context, builder, kind, value) for kind, value in kinds]
            write(builder, *matrices, *arguments[3:])
            return context.get_dummy_value()

        return types.void(left, right, out, types.intp, types.intp), generate

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


# Numbers that are read at once.
LANES = 8

# Sums that `gather` has under way at once: one alone would wait for itself at every number.
UNDER_WAY = 2

VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class Lanes(types.Type):
    """LANES numbers in float64."""


register_model(Lanes)(lambda manager, kind: models.PrimitiveModel(manager, kind, VECTOR))
LANES_TYPE = Lanes("lanes")

# Callers pass no typing context, which type checkers miss.
inline: Any = intrinsic


def rows_of_lanes(*shape: int) -> Floats:
    """Zeros of a shape with LANES in the end, so placed in memory that no row straddles two lines.

    Reading and writing rows that do takes up to half as long again.
    """
    size = int(np.prod(shape)) * LANES
    buffer = np.zeros(size + LANES)
    first = -buffer.ctypes.data // buffer.itemsize % LANES
    return buffer[first : first + size].reshape(*shape, LANES)


def _pointer(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Where the numbers of an array begin."""
    return context.make_array(kind)(context, builder, value).data


def _lanes_at(builder: Any, base: Any, place: Any, step: int = 1) -> Any:
    """The address of LANES numbers, so many steps after the first one."""
    base = builder.bitcast(base, VECTOR.as_pointer()) if step == LANES else base
    return builder.bitcast(builder.gep(base, [place]), VECTOR.as_pointer())


def _entry(context: Any, builder: Any, kind: Any, base: Any, index: Any) -> Any:
    """A number of an array, as an index or in float64."""
    value = builder.load(builder.gep(base, [index]))
    target = types.intp if isinstance(kind.dtype, types.Integer) else types.float64
    return context.cast(builder, value, kind.dtype, target)


def _spread(builder: Any, value: Any) -> Any:
    """A number in all lanes."""
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.IntType(32)(0))
    return _shuffled(builder, one, one, [0] * LANES)


def _are_contiguous(*arrays: Any) -> bool:
    """Whether the numbers of each array lie together; addresses are found by counting them."""
    return all(array.layout == "C" for array in arrays)


@inline
def load(typing_context, array, at):
    """Return ``array[at : at + LANES]``."""
    if not _are_contiguous(array):
        return None

    def generate(context, builder, signature, arguments):
        base = _pointer(context, builder, signature.args[0], arguments[0])
        return builder.load(_lanes_at(builder, base, arguments[1]), align=8)

    return LANES_TYPE(array, types.intp), generate


@inline
def store(typing_context, array, at, row):
    """``array[at : at + LANES] = row``."""
    if not _are_contiguous(array):
        return None

    def generate(context, builder, signature, arguments):
        base = _pointer(context, builder, signature.args[0], arguments[0])
        builder.store(arguments[2], _lanes_at(builder, base, arguments[1]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, row), generate


@inline
def plus(typing_context, one, other):
    """Return ``one + other``, lane by lane."""

    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments, flags=["contract"])

    return LANES_TYPE(LANES_TYPE, LANES_TYPE), generate


@inline
def times(typing_context, number, row):
    """Return ``number * row``."""

    def generate(context, builder, signature, arguments):
        return builder.fmul(_spread(builder, arguments[0]), arguments[1], flags=["contract"])

    return LANES_TYPE(types.float64, LANES_TYPE), generate


@inline
def gather(typing_context, values, indices, first, last, table, row):
    """Return ``Σ_p values[p] table[row + indices[p]]``, p from first to last.

    `table` is an array of rows of LANES numbers, and `row` the number of its first row.
    """
    if not _are_contiguous(values, indices, table):
        return None

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        x, s, rows = (_pointer(context, builder, kinds[i], arguments[i]) for i in (0, 1, 4))
        nothing = ir.Constant(VECTOR, [0.0] * LANES)
        totals = [cgutils.alloca_once_value(builder, nothing) for _ in range(UNDER_WAY)]

        def add(p, total):
            index = builder.add(_entry(context, builder, kinds[1], s, p), arguments[5])
            numbers = builder.load(_lanes_at(builder, rows, index, LANES), align=8)
            factor = _spread(builder, _entry(context, builder, kinds[0], x, p))
            so_far = builder.load(total)
            builder.store(_multiply_add(builder, factor, numbers, so_far), total)

        size = builder.sub(arguments[3], arguments[2])
        together = size.type(UNDER_WAY)
        rounds = builder.sdiv(size, together)
        with cgutils.for_range(builder, rounds) as loop:
            p = builder.add(builder.mul(loop.index, together), arguments[2])
            for i, total in enumerate(totals):
                add(builder.add(p, size.type(i)), total)
        first_left = builder.add(builder.mul(rounds, together), arguments[2])
        with cgutils.for_range(builder, builder.srem(size, together)) as loop:
            add(builder.add(loop.index, first_left), totals[0])
        sums = map(builder.load, totals)
        return reduce(builder.fadd, sums)

    integer = types.intp
    return LANES_TYPE(values, indices, integer, integer, table, integer), generate


@inline
def scatter(typing_context, values, indices, first, last, factors, table, row):
    """``table[row + indices[p]] += values[p] factors``, p from first to last."""
    if not _are_contiguous(values, indices, table):
        return None

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        x, s, rows = (_pointer(context, builder, kinds[i], arguments[i]) for i in (0, 1, 5))
        with cgutils.for_range(builder, builder.sub(arguments[3], arguments[2])) as loop:
            p = builder.add(loop.index, arguments[2])
            index = builder.add(_entry(context, builder, kinds[1], s, p), arguments[6])
            address = _lanes_at(builder, rows, index, LANES)
            factor = _spread(builder, _entry(context, builder, kinds[0], x, p))
            so_far = builder.load(address, align=8)
            more = _multiply_add(builder, factor, arguments[4], so_far)
            builder.store(more, address, align=8)
        return context.get_dummy_value()

    integer = types.intp
    return types.void(values, indices, integer, integer, LANES_TYPE, table, integer), generate
