"""Views of a record's memory, and small arrays on the stack, for compiled functions.

A compiled loop cannot call `view` on a record, and allocating an array costs as much as a small
layer of a network. With `NUMBA_DISABLE_JIT=1` the same names are plain NumPy.
"""

from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core import config as numba_config
from numba.extending import intrinsic


def _array_at(context: Any, builder: Any, kind: types.Array, pointer: Any, length: int) -> Any:
    """An array over memory that nobody has to free."""
    from numba.np.arrayobj import populate_array  # slow to import, and only for compiling

    array = context.make_array(kind)(context, builder)
    item_size = context.get_constant(
        types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype))
    )
    populate_array(
        array,
        data=builder.bitcast(pointer, array.data.type),
        shape=[context.get_constant(types.intp, length)],
        strides=[item_size],
        itemsize=item_size,
        meminfo=None,
    )
    return array._getvalue()


def _first_type(record: types.Record) -> Any:
    first = next(iter(record.fields.values())).type
    return getattr(first, "dtype", first)


def _view(record: types.Record, dtype: Any) -> Any:
    kind = types.Array(dtype, 1, "C", aligned=False)
    length = record.size * 8 // dtype.bitwidth

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _array_at(context, builder, kind, arguments[0], length)

    return kind(record), generate


def _stack_array(like: Any, dtype: Any) -> Any:
    kind = types.Array(dtype, 1, "C")
    length = like.shape[0]

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = cgutils.alloca_once(builder, context.get_data_type(dtype), size=length)
        return _array_at(context, builder, kind, pointer, length)

    return kind(like), generate


def _record_on_stack(like: types.Array) -> Any:
    record = like.dtype

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return cgutils.alloca_once(builder, context.get_data_type(record))

    return record(like), generate


if numba_config.DISABLE_JIT:

    def _as_array(record: Any, dtype: Any) -> np.ndarray:
        data = np.asarray(record).reshape(1).view(np.uint8)
        return data[: data.size // dtype.itemsize * dtype.itemsize].view(dtype)

    def numbers(record: Any) -> np.ndarray:
        """A record as an array of its first field's type: no copy."""
        return _as_array(record, record.dtype[0].base)

    def octets(record: Any) -> np.ndarray:
        """A record as bytes: no copy."""
        return _as_array(record, np.dtype(np.uint8))

    def machine_words(record: Any) -> np.ndarray:
        """A record as 64-bit words, without the bytes that are left over: no copy."""
        return _as_array(record, np.dtype(np.int64))

    def float_scratch(like: np.ndarray) -> np.ndarray:
        """Room for float32s, as many as a field of a record is long, until the function returns."""
        return np.empty(len(like), np.float32)

    def int_scratch(like: np.ndarray) -> np.ndarray:
        """The same for int32."""
        return np.empty(len(like), np.int32)

    def word_scratch(like: np.ndarray) -> np.ndarray:
        """The same for int64."""
        return np.empty(len(like), np.int64)

    def record_scratch(like: np.ndarray) -> Any:
        """Room for a record of the same type as those of an array, until the function returns."""
        return np.zeros(1, like.dtype)[0]

else:

    @intrinsic
    def numbers(typing: Any, record: Any) -> Any:
        """A record as an array of its first field's type: no copy."""
        return _view(record, _first_type(record))

    @intrinsic
    def octets(typing: Any, record: Any) -> Any:
        """A record as bytes: no copy."""
        return _view(record, types.uint8)

    @intrinsic
    def machine_words(typing: Any, record: Any) -> Any:
        """A record as 64-bit words, without the bytes that are left over: no copy."""
        return _view(record, types.int64)

    @intrinsic
    def float_scratch(typing: Any, like: Any) -> Any:
        """Room for float32s, as many as a field of a record is long, until the function returns."""
        return _stack_array(like, types.float32)

    @intrinsic
    def int_scratch(typing: Any, like: Any) -> Any:
        """The same for int32."""
        return _stack_array(like, types.int32)

    @intrinsic
    def word_scratch(typing: Any, like: Any) -> Any:
        """The same for int64."""
        return _stack_array(like, types.int64)

    @intrinsic
    def record_scratch(typing: Any, like: Any) -> Any:
        """Room for a record of the same type as those of an array, until the function returns."""
        return _record_on_stack(like)
