"""Memory in compiled code: ask for a table's before it is needed, and use a little on the stack.

Thousands of tables do not fit the processor's cache. A loop over them that asks for each some
tables ahead does not wait for it. The same holds for memory that it will write to, all the more
where another core holds it.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core import config as numba_config
from numba.core.errors import TypingError
from numba.extending import intrinsic
from numba.np import arrayobj

from .jit import rule

FAR = 1 << 24  # bytes: an array of as many does not stay in most processors' caches
_LINE = 64  # bytes that a processor loads at once
_BYTES = ir.IntType(8).as_pointer()
_READ, _WRITE, _DATA = 0, 1, 1  # of LLVM's prefetch
_SECOND_LEVEL, _FIRST_LEVEL = 2, 3  # what is read into the first level may stall a loop


@intrinsic
def _prefetch_compiled(typing_context: Any, records: Any, row: Any) -> Any:
    """Compile to one request for each line of the record; requests never fail."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = arrayobj.make_array(signature.args[0])(context, builder, arguments[0])
        start = builder.bitcast(builder.gep(array.data, [arguments[1]]), _BYTES)
        for offset in range(0, signature.args[0].dtype.size, _LINE):
            line = builder.gep(start, [ir.Constant(ir.IntType(64), offset)])
            _request(builder, line, _READ, _SECOND_LEVEL)
        return context.get_dummy_value()

    return types.void(records, types.int64), generate


@intrinsic
def _claim_compiled(typing_context: Any, array: Any, row: Any, column: Any) -> Any:
    """Compile to one request, for the line with array[row, column], or array[row]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        whole = arrayobj.make_array(kind)(context, builder, arguments[0])
        index = arguments[1 : 1 + kind.ndim]
        number = cgutils.get_item_pointer(context, builder, kind, whole, index)
        _request(builder, builder.bitcast(number, _BYTES), _WRITE, _FIRST_LEVEL)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


def _request(builder: Any, line: Any, purpose: int, level: int) -> None:
    flag = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [_BYTES, flag, flag, flag])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [_BYTES], kind)
    builder.call(prefetch, [line, flag(purpose), flag(level), flag(_DATA)])


def _prefetch_in_python(*where: Any) -> None:
    """Do nothing: only speed depends on it."""


_IS_COMPILED = not numba_config.DISABLE_JIT

# (records, row): start to load one into the second-level cache; `row` may be beyond the end.
prefetch: Any = _prefetch_compiled if _IS_COMPILED else _prefetch_in_python

# (array, row, column): start to load the line with array[row, column], or with array[row] where
# there are no columns, to write to it; `row` may be beyond the end.
claim: Any = _claim_compiled if _IS_COMPILED else _prefetch_in_python


@rule
def claim_row(array, row):
    """Start to load all of array[row], which is C-contiguous, to write to it; as `claim`."""
    for column in range(0, array.shape[1], _LINE // array.itemsize):
        claim(array, row, column)


@intrinsic(prefer_literal=True)
def _scratch_compiled(typing_context: Any, size: Any) -> Any:
    """Compile to an array on the stack."""
    if not isinstance(size, types.IntegerLiteral):
        raise TypingError("the size of a scratch array must be a constant")
    length, kind = size.literal_value, types.Array(types.int64, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, item_size = ir.IntType(64), np.int64().itemsize
        memory = cgutils.alloca_once(builder, ir.ArrayType(number, length))
        array = context.make_array(kind)(context, builder)
        arrayobj.populate_array(
            array,
            data=builder.bitcast(memory, number.as_pointer()),
            shape=(number(length),),
            strides=(number(item_size),),
            itemsize=number(item_size),
            meminfo=None,
        )
        return array._getvalue()

    return kind(size), generate


def _scratch_in_python(size: int) -> np.ndarray:
    return np.empty(size, np.int64)


# (size): int64 [size] for use until the function returns, with any values. The size is a constant.
scratch: Any = _scratch_compiled if _IS_COMPILED else _scratch_in_python
