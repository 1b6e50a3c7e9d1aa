"""Call compiled players by their address, so that no loop is compiled for those who play in it.

A player is compiled as a C function of pointers to its weights, observation, mask and stream. The
intrinsic below is the only place that needs LLVM; `tests/test_calls.py` says what it relies on.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

import numba
from llvmlite import ir
from numba.extending import intrinsic

_uncompiled: dict[int, Callable[..., Any]] = {}  # players in plain Python, by their numbers
_numbers = count(1)


@intrinsic
def _call_at(typing, function, weights, observation, mask, rng):
    """Call the C function at an address, of pointers to what a player is given."""
    signature = numba.int64(function, weights, observation, mask, rng)

    def generate(context, builder, types, arguments):
        address, weights, observation, mask, rng = arguments
        words = context.make_array(types.args[3])(context, builder, mask).data
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(64)
        kind = ir.FunctionType(word, [pointer] * 4).as_pointer()
        pointers = [builder.bitcast(one, pointer) for one in (observation, words, rng)]
        passed = [builder.inttoptr(weights, pointer), *pointers]
        return builder.call(builder.inttoptr(address, kind), passed)

    return signature, generate


def number_of_uncompiled(player: Callable[..., Any]) -> int:
    """Return a number that stands for a player in place of its address, in plain Python."""
    number = next(_numbers)
    _uncompiled[number] = player
    return number


def _call_uncompiled(function: int, weights: int, observation: Any, mask: Any, rng: Any) -> int:
    return int(_uncompiled[int(function)](observation, mask, rng))


# Take the address of a function and of its weights, an observation record, a mask in words [W] and
# a stream; return the action.
call_player = _call_uncompiled if numba.config.DISABLE_JIT else _call_at
