"""Inner loops over the numbers of a sparse row or column, eight columns of a matrix at once.

Written for LLVM by hand: a compiler that sees plain loops gathers single numbers instead of the
eight that stand side by side.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from specsel._input.annotations import Floats

# Numbers that are read at once.
LANES = 8

# Sums that `gather` has under way at once: one alone would wait for itself at every number.
UNDER_WAY = 2


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


def _lanes(builder: Any, base: Any, row: Any) -> Any:
    """The address of a row of LANES numbers."""
    vector = ir.VectorType(ir.DoubleType(), LANES)
    rows = builder.bitcast(base, vector.as_pointer())
    return builder.gep(rows, [row])


def _entry(context: Any, builder: Any, kind: Any, base: Any, place: Any) -> Any:
    """A number of an array, as an index or in float64."""
    value = builder.load(builder.gep(base, [place]))
    target = types.intp if isinstance(kind.dtype, types.Integer) else types.float64
    return context.cast(builder, value, kind.dtype, target)


def _spread(builder: Any, value: Any) -> Any:
    """A number in all lanes."""
    vector = ir.VectorType(ir.DoubleType(), LANES)
    one = builder.insert_element(ir.Constant(vector, ir.Undefined), value, ir.IntType(32)(0))
    mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    return builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), mask)


@intrinsic
def gather(typing_context, values, places, first, last, table, row, out, at):
    """``out[at : at + LANES] = Σ_p values[p] table[row + places[p]]``, p from first to last.

    `table` is an array of rows of LANES numbers, and `row` the number of its first row.
    """

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        x, s, rows, result = (
            _pointer(context, builder, kinds[i], arguments[i]) for i in (0, 1, 4, 6)
        )
        vector = ir.VectorType(ir.DoubleType(), LANES)
        nothing = ir.Constant(vector, [0.0] * LANES)
        totals = [cgutils.alloca_once_value(builder, nothing) for _ in range(UNDER_WAY)]

        def add(p, total):
            place = builder.add(_entry(context, builder, kinds[1], s, p), arguments[5])
            lanes = builder.load(_lanes(builder, rows, place), align=8)
            factor = _spread(builder, _entry(context, builder, kinds[0], x, p))
            more = builder.fmul(factor, lanes, flags=["contract"])
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
        where = builder.bitcast(builder.gep(result, [arguments[7]]), vector.as_pointer())
        whole = builder.load(totals[0])
        for total in totals[1:]:
            whole = builder.fadd(whole, builder.load(total))
        builder.store(whole, where, align=8)
        return context.get_dummy_value()

    integer = types.intp
    return types.void(values, places, integer, integer, table, integer, out, integer), generate


@intrinsic
def scatter(typing_context, values, places, first, last, factors, at, table, row):
    """``table[row + places[p]] += values[p] factors[at : at + LANES]``, p from first to last."""

    def generate(context, builder, signature, arguments):
        kinds = signature.args
        x, s, given, rows = (
            _pointer(context, builder, kinds[i], arguments[i]) for i in (0, 1, 4, 6)
        )
        vector = ir.VectorType(ir.DoubleType(), LANES)
        where = builder.bitcast(builder.gep(given, [arguments[5]]), vector.as_pointer())
        factors = builder.load(where, align=8)
        size = builder.sub(arguments[3], arguments[2])
        with cgutils.for_range(builder, size) as loop:
            p = builder.add(loop.index, arguments[2])
            place = builder.add(_entry(context, builder, kinds[1], s, p), arguments[7])
            address = _lanes(builder, rows, place)
            factor = _spread(builder, _entry(context, builder, kinds[0], x, p))
            more = builder.fmul(factor, factors, flags=["contract"])
            total = builder.fadd(builder.load(address, align=8), more, flags=["contract"])
            builder.store(total, address, align=8)
        return context.get_dummy_value()

    integer = types.intp
    return types.void(values, places, integer, integer, factors, integer, table, integer), generate
