"""Sums of rows of an array, kept in vector registers: what the layers of a network are made of.

Numba's loops write every partial sum back to memory and test for overlap before each pass, which
costs three times as much. These loops are written in LLVM's vectors instead, 64 units at a time.
With `NUMBA_DISABLE_JIT=1` the same names are plain NumPy.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core import config as numba_config
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from ...envs.core.compile import rule

BLOCKS = (64, 8, 1)  # units summed at once: the largest block that the rest still fills
_FLOAT = ir.FloatType()
_FUSED = ("contract", "reassoc", "nsz")


def _data(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return make_array(kind)(context, builder, value).data


def _width(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The length of a row of an array."""
    return cgutils.unpack_tuple(builder, make_array(kind)(context, builder, value).shape)[1]


def _vector_at(builder: Any, data: Any, index: Any, size: int) -> Any:
    pointer = builder.gep(builder.bitcast(data, _FLOAT.as_pointer()), [index])
    return builder.bitcast(pointer, ir.VectorType(_FLOAT, size).as_pointer())


def _splat(builder: Any, number: Any, size: int) -> Any:
    vector = ir.VectorType(_FLOAT, size)
    zero = ir.Constant(ir.IntType(32), 0)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), number, zero)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), size), [0] * size)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)


class _Rows:
    """The arguments of a loop over rows, as LLVM sees them."""

    def __init__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> None:
        table, rows, count, factors, units, start = arguments
        kinds = signature.args
        self.builder = builder
        self.table = _data(context, builder, kinds[0], table)
        self.width = _width(context, builder, kinds[0], table)
        self.rows = _data(context, builder, kinds[1], rows)
        self.count = count
        self.has_factors = not isinstance(kinds[3], types.NoneType)
        self.factors = _data(context, builder, kinds[3], factors) if self.has_factors else None
        self.units = _data(context, builder, kinds[4], units)
        self.start = start

    def row(self, k: Any) -> Any:
        row = self.builder.load(self.builder.gep(self.rows, [k]))
        return self.builder.sext(row, ir.IntType(64)) if row.type.width < 64 else row

    def place(self, row: Any) -> Any:
        return self.builder.add(self.builder.mul(row, self.width), self.start)

    def factor(self, row: Any, size: int) -> Any:
        return _splat(self.builder, self.builder.load(self.builder.gep(self.factors, [row])), size)


def _check(table: Any, rows: Any, count: Any, factors: Any, units: Any, start: Any) -> Any:
    return types.void(table, rows, types.intp, factors, units, types.intp)


def _summing(size: int) -> Callable[..., Any]:
    def typed(typing: Any, table: Any, rows: Any, count: Any, factors: Any, units: Any, start: Any):  # type: ignore[no-untyped-def]
        return _check(table, rows, count, factors, units, start), generate

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        the = _Rows(context, builder, signature, arguments)
        units = _vector_at(builder, the.units, the.start, size)
        total = cgutils.alloca_once(builder, ir.VectorType(_FLOAT, size))
        builder.store(builder.load(units, align=4), total)
        with cgutils.for_range(builder, the.count) as loop:
            row = the.row(loop.index)
            read = builder.load(_vector_at(builder, the.table, the.place(row), size), align=4)
            if the.has_factors:
                read = builder.fmul(read, the.factor(row, size), flags=_FUSED)
            builder.store(builder.fadd(builder.load(total), read, flags=_FUSED), total)
        builder.store(builder.load(total), units, align=4)
        return context.get_dummy_value()

    return intrinsic(typed)


def _spreading(size: int) -> Callable[..., Any]:
    def typed(typing: Any, table: Any, rows: Any, count: Any, factors: Any, units: Any, start: Any):  # type: ignore[no-untyped-def]
        return _check(table, rows, count, factors, units, start), generate

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        the = _Rows(context, builder, signature, arguments)
        added = builder.load(_vector_at(builder, the.units, the.start, size), align=4)
        with cgutils.for_range(builder, the.count) as loop:
            row = the.row(loop.index)
            place = _vector_at(builder, the.table, the.place(row), size)
            step = added
            if the.has_factors:
                step = builder.fmul(step, the.factor(row, size), flags=_FUSED)
            total = builder.fadd(builder.load(place, align=4), step, flags=_FUSED)
            builder.store(total, place, align=4)
        return context.get_dummy_value()

    return intrinsic(typed)


def _plain_sum(size: int) -> Callable[..., None]:
    def add(table, rows, count, factors, units, start):
        for row in rows[:count]:
            factor = np.float32(1.0) if factors is None else factors[row]
            units[start : start + size] += table[row, start : start + size] * factor

    return add


def _plain_spread(size: int) -> Callable[..., None]:
    def add(table, rows, count, factors, units, start):
        for row in rows[:count]:
            factor = np.float32(1.0) if factors is None else factors[row]
            table[row, start : start + size] += units[start : start + size] * factor

    return add


_sums, _spreads = (
    (_plain_sum, _plain_spread) if numba_config.DISABLE_JIT else (_summing, _spreading)
)
_sum_64, _sum_8, _sum_1 = map(_sums, BLOCKS)
_spread_64, _spread_8, _spread_1 = map(_spreads, BLOCKS)


@rule
def add_rows(table, rows, count, factors, units):
    """Add the rows of a table [R, H] that the first `count` of `rows` name to units [H].

    With `factors` [R] each is multiplied by its factor first; None multiplies by nothing.
    """
    unit = 0
    while unit + 64 <= table.shape[1]:
        _sum_64(table, rows, count, factors, units, unit)
        unit += 64
    while unit + 8 <= table.shape[1]:
        _sum_8(table, rows, count, factors, units, unit)
        unit += 8
    while unit < table.shape[1]:
        _sum_1(table, rows, count, factors, units, unit)
        unit += 1


@rule
def spread_rows(table, rows, count, factors, units):
    """The inverse: add units [H], times each row's factor, to those rows of a table [R, H]."""
    unit = 0
    while unit + 64 <= table.shape[1]:
        _spread_64(table, rows, count, factors, units, unit)
        unit += 64
    while unit + 8 <= table.shape[1]:
        _spread_8(table, rows, count, factors, units, unit)
        unit += 8
    while unit < table.shape[1]:
        _spread_1(table, rows, count, factors, units, unit)
        unit += 1
