"""Eight numbers that stand side by side, as one value in compiled code, and inner loops over them.

Written for LLVM by hand: a compiler that sees plain loops over eight numbers often takes them one
by one, or gathers single numbers from eight rows.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from specsel._validate import Floats

# Numbers that are read at once.
LANES = 8

# Sums that `gather` has under way at once: one alone would wait for itself at every number.
UNDER_WAY = 2

VECTOR = ir.VectorType(ir.DoubleType(), LANES)


class Lanes(types.Type):
    """LANES numbers in float64."""

    def __init__(self) -> None:
        super().__init__(name="lanes")


@register_model(Lanes)
class _Model(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


LANES_TYPE = Lanes()

# Callers give no typing context, which type checkers miss.
inline: Any = intrinsic


def rows_of_lanes(*shape: int) -> Floats:
    """Zeros of a shape with LANES in the end, so placed in memory that no row straddles two lines.

    Reading and writing rows that do takes up to half as long again.
    """
    size = int(np.prod(shape)) * LANES
    room = np.zeros(size + LANES)
    first = -room.ctypes.data // room.itemsize % LANES
    return room[first : first + size].reshape(*shape, LANES)


def _pointer(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Where the numbers of an array begin."""
    return context.make_array(kind)(context, builder, value).data


def _row(builder: Any, base: Any, row: Any) -> Any:
    """The address of a row of LANES numbers."""
    return builder.gep(builder.bitcast(base, VECTOR.as_pointer()), [row])


def _place(builder: Any, base: Any, at: Any) -> Any:
    """The address of the LANES numbers from one of them on."""
    return builder.bitcast(builder.gep(base, [at]), VECTOR.as_pointer())


def _entry(context: Any, builder: Any, kind: Any, base: Any, place: Any) -> Any:
    """A number of an array, as an index or in float64."""
    value = builder.load(builder.gep(base, [place]))
    target = types.intp if isinstance(kind.dtype, types.Integer) else types.float64
    return context.cast(builder, value, kind.dtype, target)


def _spread(builder: Any, value: Any) -> Any:
    """A number in all lanes."""
    one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), value, ir.IntType(32)(0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(VECTOR, ir.Undefined), mask)


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
        return builder.load(_place(builder, base, arguments[1]), align=8)

    return LANES_TYPE(array, types.intp), generate


@inline
def store(typing_context, array, at, row):
    """``array[at : at + LANES] = row``."""
    if not _are_contiguous(array):
        return None

    def generate(context, builder, signature, arguments):
        base = _pointer(context, builder, signature.args[0], arguments[0])
        builder.store(arguments[2], _place(builder, base, arguments[1]), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, row), generate


@inline
def plus(typing_context, one, other):
    """Return ``one + other``, lane by lane."""

    def generate(context, builder, signature, arguments):
        return builder.fadd(*arguments, flags=["contract"])

    return LANES_TYPE(LANES_TYPE, LANES_TYPE), generate


@inline
def times(typing_context, one, other):
    """Return ``one * other``, lane by lane; `one` may be a single number."""
    single = one != LANES_TYPE

    def generate(context, builder, signature, arguments):
        one, other = arguments
        return builder.fmul(_spread(builder, one) if single else one, other, flags=["contract"])

    return LANES_TYPE(types.float64 if single else LANES_TYPE, LANES_TYPE), generate


@inline
def total(typing_context, row):
    """Return the sum of all lanes."""

    def generate(context, builder, signature, arguments):
        kind = ir.FunctionType(ir.DoubleType(), [ir.DoubleType(), VECTOR])
        name = f"llvm.vector.reduce.fadd.v{LANES}f64"
        function = cgutils.get_or_insert_function(builder.module, kind, name)
        zero = ir.Constant(ir.DoubleType(), 0.0)
        return builder.call(function, [zero, arguments[0]], fastmath=["reassoc"])

    return types.float64(LANES_TYPE), generate


@inline
def gather(typing_context, values, places, first, last, table, row):
    """Return ``Σ_p values[p] table[row + places[p]]``, p from first to last.

    `table` is an array of rows of LANES numbers, and `row` the number of its first row.
    """
    if not _are_contiguous(values, places, table):
        return None

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        x, s, rows = (_pointer(context, builder, kinds[i], arguments[i]) for i in (0, 1, 4))
        nothing = ir.Constant(VECTOR, [0.0] * LANES)
        totals = [cgutils.alloca_once_value(builder, nothing) for _ in range(UNDER_WAY)]

        def add(p, total):
            place = builder.add(_entry(context, builder, kinds[1], s, p), arguments[5])
            numbers = builder.load(_row(builder, rows, place), align=8)
            factor = _spread(builder, _entry(context, builder, kinds[0], x, p))
            more = builder.fmul(factor, numbers, flags=["contract"])
            builder.store(builder.fadd(builder.load(total), more, flags=["contract"]), total)

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
        whole = builder.load(totals[0])
        for total in totals[1:]:
            whole = builder.fadd(whole, builder.load(total))
        return whole

    integer = types.intp
    return LANES_TYPE(values, places, integer, integer, table, integer), generate


@inline
def scatter(typing_context, values, places, first, last, factors, table, row):
    """``table[row + places[p]] += values[p] factors``, p from first to last."""
    if not _are_contiguous(values, places, table):
        return None

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        x, s, rows = (_pointer(context, builder, kinds[i], arguments[i]) for i in (0, 1, 5))
        with cgutils.for_range(builder, builder.sub(arguments[3], arguments[2])) as loop:
            p = builder.add(loop.index, arguments[2])
            place = builder.add(_entry(context, builder, kinds[1], s, p), arguments[6])
            address = _row(builder, rows, place)
            factor = _spread(builder, _entry(context, builder, kinds[0], x, p))
            more = builder.fmul(factor, arguments[4], flags=["contract"])
            sum_so_far = builder.load(address, align=8)
            builder.store(builder.fadd(sum_so_far, more, flags=["contract"]), address, align=8)
        return context.get_dummy_value()

    integer = types.intp
    return types.void(values, places, integer, integer, LANES_TYPE, table, integer), generate
