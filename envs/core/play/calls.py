"""Call compiled players by their address, so that no loop is compiled for those who play in it.

A player is compiled as a C function of pointers to its weights, observation, mask and stream. The
intrinsic below is the only place that needs LLVM; `tests/test_calls.py` says what it relies on.
"""

from functools import cache
from itertools import count
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from ..compile import address_of, array_rule, bind, is_lean, unbound
from ..game import Function
from ..rng import STREAM

NO_WEIGHTS = np.zeros(0, np.int8)  # in place of the weights of a script
RAISED = -9  # in place of an action: a player has raised an error

row_function = ask = OBSERVATION = WEIGHTS = NUM_WORDS = unbound
_uncompiled: dict[int, Any] = {}  # players in plain Python, by the number that stands for them
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
        given = [builder.inttoptr(weights, pointer), *pointers]
        return builder.call(builder.inttoptr(address, kind), given)

    return signature, generate


def _call_uncompiled(function: int, weights: int, observation: Any, mask: Any, rng: Any) -> int:
    return int(_uncompiled[int(function)](observation, mask, rng))


# Take the address of a function and of its weights, an observation record, a mask in words [W] and
# a stream; return the action.
call_player = _call_uncompiled if numba.config.DISABLE_JIT else _call_at


@cache  # and kept, because the code of a function lives no longer than it
def _entry(row_function: Function, *dtypes: Any, num_words: int) -> tuple[Any, int]:
    """Return a function of pointers that asks a player, and its address."""
    template = _ask_script if len(dtypes) == 1 else _ask_network
    bindings = dict(zip(("OBSERVATION", "WEIGHTS"), dtypes, strict=False))
    entry = bind(template, row_function=row_function, NUM_WORDS=num_words, **bindings)
    if not is_lean(row_function):
        entry = bind(_ask_guarded, ask=entry)
    return entry, address_of(entry, [STREAM, *dtypes])


def callable_player(
    row_function: Function, weights: np.ndarray | None, observation_dtype: Any, num_words: int
) -> tuple[int, int]:
    """Return the addresses of a compiled player and of its weights, for `call_player`."""
    if numba.config.DISABLE_JIT:
        number = next(_numbers)
        first = () if weights is None else (weights[0],)
        _uncompiled[number] = lambda *given: row_function(*first, *given)
        return number, 0
    if weights is None:
        return _entry(row_function, observation_dtype, num_words=num_words)[1], 0
    dtypes = observation_dtype, weights.dtype
    return _entry(row_function, *dtypes, num_words=num_words)[1], weights.ctypes.data


@array_rule
def _ask_script(weights, observation, mask, rng):
    action = row_function(
        numba.carray(observation, (1,), OBSERVATION)[0],
        numba.carray(mask, (NUM_WORDS,), np.int64),
        numba.carray(rng, (1,), STREAM)[0],
    )
    return np.int64(action)


@array_rule
def _ask_network(weights, observation, mask, rng):
    action = row_function(
        numba.carray(weights, (1,), WEIGHTS)[0],
        numba.carray(observation, (1,), OBSERVATION)[0],
        numba.carray(mask, (NUM_WORDS,), np.int64),
        numba.carray(rng, (1,), STREAM)[0],
    )
    return np.int64(action)


@array_rule
def _ask_guarded(weights, observation, mask, rng):
    """Ask a player that may raise errors, which do not cross a C function."""
    try:
        return ask(weights, observation, mask, rng)
    except Exception:
        return np.int64(RAISED)
