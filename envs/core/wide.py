"""Write several numbers at once, where Numba would test each time whether memory overlaps.

Each function has a twin in Python, which does the same one number at a time.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core import config as numba_config
from numba.extending import intrinsic
from numba.np import arrayobj

LANES = 16  # numbers that `write_products` writes


@intrinsic
def _write_bits_at_once(typing_context: Any, out: Any, place: Any, word: Any) -> Any:
    """Compile to a vector conversion, for which many processors have one instruction."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        count, kind = signature.args[2].bitwidth, signature.args[0].dtype
        flags = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), count))
        ones, zeros = (_repeated(context, kind, number, count) for number in (1, 0))
        written = builder.select(flags, ones, zeros)
        builder.store(written, _lanes(context, builder, signature, arguments, 0, count), align=1)
        return context.get_dummy_value()

    return types.void(out, place, word), generate


def _repeated(context: Any, kind: Any, number: int, count: int) -> Any:
    value = float(number) if isinstance(kind, types.Float) else number
    return ir.Constant(ir.VectorType(context.get_data_type(kind), count), [value] * count)


def _lanes(
    context: Any, builder: Any, signature: Any, arguments: Any, index: int, count: int
) -> Any:
    """Return a pointer to `count` numbers of an array: arguments[index] and the place after it."""
    kind = signature.args[index]
    array = arrayobj.make_array(kind)(context, builder, arguments[index])
    first = cgutils.get_item_pointer(context, builder, kind, array, [arguments[index + 1]])
    vector = ir.VectorType(context.get_data_type(kind.dtype), count)
    return builder.bitcast(first, vector.as_pointer())


@intrinsic
def _write_products_at_once(
    typing_context: Any, out: Any, place: Any, source: Any, start: Any, factors: Any, first: Any
) -> Any:
    """Compile to one multiplication of vectors."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target, numbers, scales = (
            _lanes(context, builder, signature, arguments, index, LANES) for index in (0, 2, 4)
        )
        kind, factor = signature.args[2].dtype, builder.load(scales, align=1)
        value = builder.load(numbers, align=1)
        if isinstance(signature.args[4].dtype, types.Float):
            convert = builder.sitofp if kind.signed else builder.uitofp
            product = builder.fmul(convert(value, factor.type), factor)
        else:
            product = builder.mul(value, factor)
        builder.store(product, target, align=1)
        return context.get_dummy_value()

    return types.void(out, place, source, start, factors, first), generate


def _write_bits_in_python(out: np.ndarray, place: int, word: Any) -> None:
    bits = np.unpackbits(np.frombuffer(word.tobytes(), np.uint8), bitorder="little")
    out[int(place) : int(place) + len(bits)] = bits


def _write_products_in_python(
    out: np.ndarray, place: int, source: np.ndarray, start: int, factors: np.ndarray, first: int
) -> None:
    numbers = source[int(start) : int(start) + LANES]
    out[int(place) : int(place) + LANES] = numbers * factors[int(first) : int(first) + LANES]


_IS_COMPILED = not numba_config.DISABLE_JIT

# (out, place, word): write each bit of a word as a number, the lowest to out[place].
write_bits: Any = _write_bits_at_once if _IS_COMPILED else _write_bits_in_python

# (out, place, source, start, factors, first): write the next LANES products of source[start] and
# factors[first] to out[place] and on. Factors are floats, or integers like the others.
write_products: Any = _write_products_at_once if _IS_COMPILED else _write_products_in_python
