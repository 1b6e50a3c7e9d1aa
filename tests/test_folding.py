"""Short code for LLVM computes what the long code would."""

import ctypes
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from llvmlite import ir
from numba.np.arrayobj import reshape_unchecked
from parlour.envs.core.folding import FoldingBuilder

from parlour.envs.core.compile import array_rule
from tests.test_jit import ROOT, probe

I1, I8, I32, I64 = (ir.IntType(width) for width in (1, 8, 32, 64))
POINTER = I64.as_pointer()
NESTED = ir.LiteralStructType([I64, ir.LiteralStructType([I64, I64]), ir.ArrayType(I64, 2)])
PATHS = ((0,), (1, 0), (1, 1), (2, 0), (2, 1))  # of the numbers in NESTED
NEW_NAMES: dict[str, Callable[[Any, Any], Any]] = {  # of the memory behind a pointer
    "cast": lambda b, slot: b.bitcast(b.bitcast(slot, I8.as_pointer()), POINTER),
    "computed part": lambda b, slot: b.gep(slot, [b.function.args[0]]),
    "other type": lambda b, slot: b.gep(slot, [I64(0)], source_etype=I64),
    "select": lambda b, slot: b.select(is_negative(b), b.alloca(I64), slot),
    "memory": lambda b, slot: from_memory(b, slot),
    "phi": lambda b, slot: from_phi(b, slot),
}
CHANGES: dict[str, Callable[[Any, Any], Any]] = {  # of what a pointer points to, from 1 to 5
    "store": lambda b, pointer: b.store(I64(5), pointer),
    "call": lambda b, pointer: b.call(five(b), [pointer]),
    "atomic store": lambda b, pointer: b.store_atomic(I64(5), pointer, "monotonic", 8),
    "addition": lambda b, pointer: b.atomic_rmw("add", pointer, I64(4), "monotonic"),
    "exchange": lambda b, pointer: b.cmpxchg(pointer, I64(1), I64(5), "monotonic"),
}


def new_builder() -> Any:
    """The builder of a function from a number to a number."""
    function = ir.Function(ir.Module(), ir.FunctionType(I64, [I64]), "written")
    return FoldingBuilder(function.append_basic_block("entry"))


def finished(builder: Any, result: Any) -> str:
    """The text of the function, which returns `result`."""
    builder.ret(result)
    builder.sweep()
    return str(builder.function)


def run(builder: Any, argument: int) -> int:
    """What the finished function returns."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(str(builder.module))
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    engine = llvm.create_mcjit_compiler(module, machine)
    address = engine.get_function_address("written")
    return int(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(argument))


def five(builder: Any) -> Any:
    """A function that writes a 5 where its argument points."""
    function = ir.Function(builder.module, ir.FunctionType(ir.VoidType(), [POINTER]), "five")
    inside = ir.IRBuilder(function.append_basic_block())
    inside.store(I64(5), function.args[0])
    inside.ret_void()
    return function


def is_negative(builder: Any) -> Any:
    return builder.icmp_signed("<", builder.function.args[0], I64(0))


def next_block(builder: Any) -> Any:
    """Go on in a new block; return the old one."""
    before = builder.block
    builder.branch(builder.append_basic_block())
    builder.position_at_end(builder.function.blocks[-1])
    return before


def from_memory(builder: Any, slot: Any) -> Any:
    holder = builder.alloca(POINTER)
    builder.store(slot, holder)
    next_block(builder)
    return builder.load(holder)


def from_phi(builder: Any, slot: Any) -> Any:
    before = next_block(builder)
    pointer = builder.phi(POINTER)
    pointer.add_incoming(slot, before)
    return pointer


@pytest.mark.parametrize("way", NEW_NAMES)
def test_what_is_stored_is_there_under_a_new_name(way: str) -> None:
    builder = new_builder()
    slot = builder.alloca(I64)
    pointer = NEW_NAMES[way](builder, slot)
    builder.store(I64(7), slot)
    assert "store i64 7" in finished(builder, builder.load(pointer))
    assert run(builder, 0) == 7


@pytest.mark.parametrize("way", CHANGES)
def test_an_address_given_away_may_come_back_in_a_loop(way: str) -> None:
    """In the second of two rounds, the pointer is the one that the first has stored."""
    builder = new_builder()
    slot, other, holder = (builder.alloca(kind) for kind in (I64, I64, POINTER))
    builder.store(other, holder)
    before = next_block(builder)
    num_rounds = builder.phi(I64)
    builder.store(I64(1), slot)
    CHANGES[way](builder, builder.load(holder))
    result = builder.load(slot)
    builder.store(slot, holder)
    num_rounds.add_incoming(I64(0), before)
    num_rounds.add_incoming(I64(1), builder.block)
    end = builder.append_basic_block()
    builder.cbranch(builder.icmp_signed("<", num_rounds, I64(1)), builder.block, end)
    builder.position_at_end(end)
    finished(builder, result)
    assert run(builder, 0) == 5


def test_what_a_block_knows_ends_with_it() -> None:
    builder = new_builder()
    slot = builder.alloca(I64)
    builder.store(I64(1), slot)
    with builder.if_then(is_negative(builder)):
        builder.store(I64(2), slot)
    finished(builder, builder.load(slot))
    assert [run(builder, argument) for argument in (-1, 0)] == [2, 1]


def test_a_part_that_is_stored_leaves_the_others() -> None:
    builder = new_builder()
    slot, whole, total = builder.alloca(NESTED), NESTED(None), I64(0)
    for factor, path in enumerate(PATHS):
        number = builder.mul(builder.function.args[0], I64(factor + 1))
        whole = builder.insert_value(whole, number, path)
    builder.store(whole, slot)
    for path, value in (((1, 0), 7), ((2, 1), 9)):
        builder.store(I64(value), builder.gep(slot, [I32(0), *map(I32, path)]))
    for path in PATHS:
        part = builder.load(builder.gep(slot, [I32(0), *map(I32, path)]))
        part = builder.mul(part, builder.extract_value(builder.load(slot), path))
        total = builder.add(builder.mul(total, I64(100)), part)
    builder.store(builder.extract_value(whole, 1), builder.gep(slot, [I32(0), I32(1)]))
    last = builder.load(builder.gep(slot, [I32(0), I32(1), I32(0)]))
    assert "load" not in finished(builder, builder.add(builder.mul(total, I64(100)), last))
    assert run(builder, 1) == 1_49_09_16_81_02


def test_what_nothing_uses_is_swept_and_what_has_an_effect_stays() -> None:
    builder = new_builder()
    unused, given_away = builder.alloca(I64), builder.alloca(I64)
    (argument,) = builder.function.args
    builder.store(builder.mul(argument, argument), unused)
    builder.store(argument, given_away)
    builder.call(five(builder), [given_away])
    with builder.if_then(I1(0), likely=False):
        builder.ret(I64(3))
    text = finished(builder, argument)
    words = ("alloca", "store", "mul", "call", "ret ", ".if:")
    assert [text.count(word) for word in words] == [1, 1, 0, 1, 1, 0]


@pytest.mark.parametrize("chosen", [0, 1])
def test_a_phi_keeps_what_the_remaining_ways_bring(chosen: int) -> None:
    """One of two ways is never taken, though the block that it starts from stays."""
    builder = new_builder()
    before, outside = builder.block, builder.sub(builder.function.args[0], I64(1))
    with builder.if_then(I1(chosen)):
        inside, value = builder.block, builder.mul(builder.function.args[0], I64(2))
    joined = builder.phi(I64)
    joined.add_incoming(outside, before)
    joined.add_incoming(value, inside)
    finished(builder, joined)
    assert run(builder, 7) == (14 if chosen else 6)


COMPARED = {"<": "lt", "<=": "le", "==": "eq", "!=": "ne", ">=": "ge", ">": "gt"}
NUMBERS = some.integers(-(2**63), 2**63 - 1) | some.integers(-2, 2)


@settings(max_examples=200, deadline=None)
@given(some.sampled_from((1, 8, 32, 64)), NUMBERS, NUMBERS)
def test_constants_wrap_as_numpys_integers_do(width: int, left: int, right: int) -> None:
    """A single bit is the highest of a byte whose other bits are zero."""
    shift, size = (7, 1) if width == 1 else (0, width // 8)
    kind, builder = ir.IntType(width), new_builder()
    numbers = [np.array([one % 2**width << shift], f"u{size}") for one in (left, right)]
    signed = [one.view(f"i{size}") >> shift for one in numbers]
    constants = kind(left % 2**width), kind(int(signed[1][0]))
    for name in ("add", "sub", "mul", "or_", "xor"):
        expected = int(getattr(operator, name)(*signed)[0])
        assert getattr(builder, name)(*constants).constant % 2**width == expected % 2**width
    for sign, name in COMPARED.items():
        compare = getattr(operator, name)
        assert builder.icmp_signed(sign, *constants).constant % 2 == compare(*signed)[0]
        assert builder.icmp_unsigned(sign, *constants).constant % 2 == compare(*numbers)[0]
    assert builder.sext(constants[0], ir.IntType(128)).constant == signed[0][0]
    assert not builder.block.instructions


def test_a_number_that_is_a_size_elsewhere_may_be_negative() -> None:
    def size(array):
        number = array[0]
        others = len(reshape_unchecked(array, (number,), (8,)))
        return -100 if number < 0 else others

    assert [array_rule(size)(np.array([first, 7])) for first in (2, -1)] == [2, -100]


# Rules in a package of their own, so that their code is kept on disk. Two are called `twin`: Numba
# counts functions, and gives the second in one process the name of the first in another.
RULES = """
import numpy as np
from parlour.envs.core.compile import rule
NUMBERS = np.arange(3)
def twin(x): return x + 1
first_twin = rule(twin)
def twin(x):
    if x > 2: raise ValueError
    return x + 2
def alone(x): return x
def early(x): return first_twin(x)
def again(x): return first_twin(x) * 10
def late(x): return twin(x)
def sure(x): return 3 * x + 1
def unsure(x):
    if x > 5: raise KeyError
    return x - 1
def in_turn(x): return sure(x) * 100 + unsure(x) * 10 + sure(unsure(x - 1))
def above(x): return in_turn(x) + 1
def caught(x):
    def tried(y):
        try: return unsure(y)
        except Exception: return -y
    return tried(x)
def remainders(x):
    for number in range(x): yield np.remainder(number * number, 3)
def flow(x):
    total = step = 0
    for one in remainders(x): total = total * 2 + one
    while True:
        step += 1
        if step == 3: continue
        if step > x: break
        for inner in range(step):
            if inner == 4: break
            last = inner * step
        else: total += 100
        if step == 6: return -total
        elif x > 4: kind = (last, x, 3)[step % 3]
        else: kind = -x
        total = total * 3 + kind
    return total
def change(state, x):
    nested = (x, (x + 1, 2 * x))
    for _ in range(x): nested = (nested[1][1], (nested[0], nested[1][0]))
    row = state.hands[1]
    row[x % 3] += 5
    state.hands[0, 1] = row[1] + nested[0]
    state.turn += nested[1][0]
    return state.hands[1].sum() + 100 * int(state.hands[0, 1]) + 10_000 * int(state.turn)
def element(x): return NUMBERS[x]
def doubled(x): return 2 * element(x)
def outermost(x): return doubled(x) + 1
for name in [name for name, one in globals().items() if type(one) is type(twin) and name != "rule"]:
    globals()[name] = rule(globals()[name])
def record(x):
    states = np.ones(1, [("hands", "i1", (2, 3)), ("turn", "i4")]).view(np.recarray)
    return change(states[0], x) + change(states[0], x + 1)
"""
PLAY = """
import numpy as np
from games import rules
for name in {names}:
    for x in range(8):
        try:
            print(int(getattr(rules, name)(np.int64(x))))
        except (ValueError, KeyError, IndexError) as error:
            print(type(error).__name__)
found = [one.stats.cache_hits for one in vars(rules).values() if hasattr(one, "stats")]
print(sum(sum(hits.values()) for hits in found))
"""
ALL = "again late in_turn above caught flow record"
Play = Callable[..., list[str]]


@pytest.fixture
def play(tmp_path: Path) -> Play:
    """What calls of rules print in a process of their own; and how many it found on disk."""
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "__init__.py").write_text("")
    (tmp_path / "games" / "rules.py").write_text(RULES)

    def play(names: str, **settings: str) -> list[str]:
        script = PLAY.format(names=names.split())
        return probe(tmp_path, ROOT, script=script, cache=tmp_path / "cache", **settings)

    return play


def test_rules_do_what_they_do_in_python_compiled_and_loaded(play: Play) -> None:
    """The second process compiles callers of what the first has compiled; the third loads all."""
    play("alone early above")
    *plain, _ = play(ALL, NUMBA_DISABLE_JIT="1")
    assert play(ALL) == [*plain, "1"]
    assert play(ALL) == [*plain, "7"]
    assert {"ValueError", "KeyError"} <= set(plain)


def test_an_index_error_arrives_through_two_callers(play: Play) -> None:
    """What they call was compiled by another process; then they are loaded, too."""
    play("doubled", NUMBA_BOUNDSCHECK="1")
    expected = ["1", "3", "5", *["IndexError"] * 5]
    assert play("outermost", NUMBA_BOUNDSCHECK="1") == [*expected, "0"]
    assert play("outermost", NUMBA_BOUNDSCHECK="1") == [*expected, "1"]
