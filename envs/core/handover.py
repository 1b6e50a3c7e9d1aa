"""Hand parts of the work to threads that wait in compiled code.

To wake a thread takes longer than many a part: 50 to 120 microseconds, or several milliseconds
where the system wakes it on the core of the thread that waits for it. So a thread that has played a
part watches its board for a while, without Python's interpreter lock, and a part posted there
starts within a microsecond.
"""

import hashlib
import platform
import sys
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from .jit import rule

STATE, WANTED = 0, 1  # of a board: what its thread does, and 1 where it is wanted elsewhere
TYPES, TICKET = 8, 9  # what it can be handed, and what it has
BOARD_SIZE = 16  # int64: whole lines of a processor's cache
AWAY, READY, TAKEN, POSTED = range(4)  # states: only READY takes a part
IS_DONE = 0  # of the report on a part
REPORT_SIZE = 8
LINE = 8  # int64 of a line of a processor's cache
MEMORY_SIZE = 1 << 16  # bytes for the arguments of a part

LONGEST, SHARE_OF_REST = 8, 3  # a part is at most an eighth of a slice, and a third of its rest

LAST_POLLS = 10  # until whoever wants the thread has given the interpreter lock back
_LOOKS = 32  # in a poll, before the core is offered to others

_PAUSE = "llvm.x86.sse2.pause"
_HAS_PAUSE = platform.machine() in ("x86_64", "AMD64")
_HAS_YIELD = sys.platform != "win32"


@rule
def watch(board, polls):
    """Wait until a part is posted; return False where none is after so many polls, or if wanted."""
    store(board, STATE, READY)
    while not becomes(board, STATE, POSTED):
        if polls <= 0 and exchange(board, STATE, READY, AWAY):
            return False
        polls = min(polls - 1, LAST_POLLS) if load(board, WANTED) == 1 else polls - 1
    store(board, STATE, AWAY)
    return True


@rule
def post(board, memory, ticket, report, *part):
    """Hand `part` to the thread of this board; return False where it cannot take it now.

    It takes arguments of the types that it had last, for the same function. All arrays must be
    kept until `report` says that the part is done.
    """
    if not exchange(board, STATE, READY, TAKEN):
        return False
    job = (report, part)
    is_same = board[TYPES] == digest(job)
    if is_same:
        board[TICKET] = ticket
        pack(memory, job)
    store(board, STATE, POSTED if is_same else READY)
    return is_same


@rule
def is_done(report, polls):
    """Wait until a part is done; return False where it is not after so many polls."""
    while not becomes(report, IS_DONE, 1):
        if polls <= 0:
            return False
        polls -= 1
    return True


@rule
def becomes(words, index, value):
    """Look a few times whether words[index] is `value`; else offer the core to other threads."""
    for _ in range(_LOOKS):
        if load(words, index) == value:
            return True
        pause()
    give_way()
    return False


def serve(board, memory, polls, ticket, report, *part):
    """Call `play` with the arguments `part`, and with those posted until none comes for a while.

    A template: it is bound to `play`.
    """
    job = (report, part)
    board[TICKET] = ticket
    board[TYPES] = digest(job)
    while True:
        play(*job[1])
        store(job[0], IS_DONE, 1)
        if polls == 0 or not watch(board, polls):
            return
        job = unpack(memory, job)


def share(own, taken, num_rows, least, *arguments):
    """Call `play` for rows that nobody has taken: of slice `own`, then of the others.

    `taken` [slices * LINE] counts the rows taken of each slice. A template: it is bound to
    `play`(first, end, *arguments).
    """
    num_slices = taken.shape[0] // LINE
    for ahead in range(num_slices):
        index = (own + ahead) % num_slices
        start = num_rows * index // num_slices
        size = num_rows * (index + 1) // num_slices - start
        first, end = take(taken, index * LINE, size, least)
        while first < end:
            rows = start + first, start + end
            play(*(rows + arguments))  # Numba would make `play(*rows, *arguments)` a new list
            first, end = take(taken, index * LINE, size, least)


@rule
def take(taken, place, size, least):
    """Take a part of a slice; return its first row and its end, which are equal where none is left.

    A slow thread holds up the others for a part at most, and short parts at the end let all of
    them end together. A part has at least `least` rows; each costs some tenths of a microsecond.
    """
    while True:
        first = load(taken, place)
        length = min(size // LONGEST, (size - first) // SHARE_OF_REST) // least * least
        end = min(first + max(length, least), size)
        if first == end or exchange(taken, place, first, end):
            return first, end


# What Numba has no words for. Words of memory that two threads share are read and written at once,
# and in the order of the program.


def _word(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return a pointer to the element arguments[1] of the array arguments[0]."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    index = context.cast(builder, arguments[1], signature.args[1], types.int64)
    return builder.gep(array.data, [index])


@intrinsic
def load(typing_context: Any, array: Any, index: Any) -> Any:
    """Return array[index]; what was written before its value was stored is there."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_word(context, builder, signature, arguments), "acquire", 8)

    return types.int64(array, index), generate


@intrinsic
def store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Set array[index], after all that was written before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = context.cast(builder, arguments[2], signature.args[2], types.int64)
        place = _word(context, builder, signature, arguments)
        builder.store_atomic(word, place, "release", 8)
        return context.get_dummy_value()

    return types.void(array, index, value), generate


@intrinsic
def exchange(typing_context: Any, array: Any, index: Any, old: Any, new: Any) -> Any:
    """Set array[index] to `new` where it is `old`; return whether it was."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _word(context, builder, signature, arguments)
        words = [
            context.cast(builder, one, kind, types.int64)
            for one, kind in zip(arguments[2:], signature.args[2:], strict=True)
        ]
        result = builder.cmpxchg(place, *words, "acq_rel", "acquire")
        return builder.extract_value(result, 1)

    return types.boolean(array, index, old, new), generate


@intrinsic
def pause(typing_context: Any) -> Any:
    """Leave the processor to the other thread of a core for a moment."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _HAS_PAUSE:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, _PAUSE), [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def give_way(typing_context: Any) -> Any:
    """Let another thread that waits for this core have it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if _HAS_YIELD:
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def digest(typing_context: Any, value: Any) -> Any:
    """Return a number for the type of a value."""
    number = int.from_bytes(hashlib.sha256(str(value).encode()).digest()[:7])

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.get_constant(types.int64, number)

    return types.int64(value), generate


@intrinsic
def pack(typing_context: Any, memory: Any, value: Any) -> Any:
    """Write a value to memory, uint8 [MEMORY_SIZE], for `unpack`; arrays by their address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _as_pointer(context, builder, signature, arguments)
        builder.store(_without_owners(context, builder, value, arguments[1]), place, align=1)
        return context.get_dummy_value()

    return types.void(memory, value), generate


@intrinsic
def unpack(typing_context: Any, memory: Any, example: Any) -> Any:
    """Return the value that `pack` wrote, which has the type of `example`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_as_pointer(context, builder, signature, arguments), align=1)

    return example(memory, example), generate


def _as_pointer(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return a pointer to the memory arguments[0] as one to a value like arguments[1]."""
    memory = context.make_array(signature.args[0])(context, builder, arguments[0])
    kind = context.get_value_type(signature.args[1])
    if context.get_abi_sizeof(kind) > MEMORY_SIZE:
        raise NotImplementedError(f"a part has more than {MEMORY_SIZE} bytes of arguments")
    return builder.bitcast(memory.data, kind.as_pointer())


def _without_owners(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Return the value with arrays that own no memory, so that nobody counts references to it."""
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        return array._getvalue()
    if isinstance(kind, types.BaseTuple):  # type: ignore[attr-defined]
        for index, part in enumerate(kind.types):
            whole = builder.extract_value(value, index)
            value = builder.insert_value(
                value, _without_owners(context, builder, part, whole), index
            )
    return value
