"""Write short code for LLVM.

Numba keeps every array that a function touches in memory of its own, field by field, and reads it
from there: 46 instructions for `state.hands[seat]`, where 7 are left when LLVM has read, parsed and
removed the others. Here they are never written: a value stored in such memory is used where it is
loaded again, arithmetic with constants is done at once, and what nothing uses is dropped.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from llvmlite import ir
from llvmlite.ir import instructions as kinds
from numba.core import analysis
from numba.core import ir as numba_ir
from numba.core.lowering import Lower
from numba.core.unsafe import eh
from numba.np import arrayobj

Path = tuple[int, ...]  # the positions of a part of a structure: outermost first

_POINTERS = (kinds.AllocaInstr, kinds.GEPInstr)
_MEMORY = (kinds.AllocaInstr, kinds.GEPInstr, kinds.LoadInstr, kinds.StoreInstr)
_PURE = (
    kinds.AllocaInstr,
    kinds.CastInstr,
    kinds.ExtractValue,
    kinds.FCMPInstr,
    kinds.GEPInstr,
    kinds.ICMPInstr,
    kinds.InsertValue,
    kinds.LoadInstr,
    kinds.SelectInstr,
)
_ARITHMETIC = (
    "add",
    "sub",
    "mul",
    "and",
    "or",
    "xor",
    "shl",
    "lshr",
    "ashr",
    "fadd",
    "fsub",
    "fmul",
)
_COMPARED = {
    "==": int.__eq__,
    "!=": int.__ne__,
    "<": int.__lt__,
    "<=": int.__le__,
    ">": int.__gt__,
    ">=": int.__ge__,
}


_SURE = ".sure"  # ends the names of functions that always return OK
_OK = ir.Constant(ir.IntType(32), 0)
_NO_TRY = ir.Constant(ir.IntType(64).as_pointer(), None)  # where Numba counts open `try` blocks
_TRY_STATE = "_CPUCallConv__eh_try_state"  # Numba's name for it


class FoldingLower(Lower):
    """Numba's way from typed code to LLVM's, with a FoldingBuilder.

    Where references to arrays are not counted, a variable that is set in one place is a value
    rather than memory, and to delete it is nothing.
    """

    def setup_function(self, fndesc: Any) -> None:
        """Begin a function; debuggers find all variables in memory, as Numba leaves them.

        Generators are left to Numba: nothing sweeps them.
        """
        super().setup_function(fndesc)
        if self.flags.debuginfo or self.generator_info is not None:
            return
        self.builder = FoldingBuilder(self.entry_block)
        self.call_helper = self.call_conv.init_call_helper(self.builder)
        if not _has_try(self.func_ir.blocks):
            setattr(self.builder, _TRY_STATE, _NO_TRY)

    def lower_normal_function(self, fndesc: Any) -> None:
        """Write a function, drop what it does not use, and note whether it can fail."""
        super().lower_normal_function(fndesc)
        if isinstance(self.builder, FoldingBuilder):
            self.builder.sweep()
            if self.builder.never_fails():
                fndesc.mangled_name = self.function.name = f"{fndesc.mangled_name}{_SURE}"

    def _find_singly_assigned_variable(self) -> None:
        if self.flags.nrt or self.generator_info is not None:
            super()._find_singly_assigned_variable()
        else:
            self._singly_assigned_vars = _set_once(self.func_ir.blocks)
            self._blk_local_varmap: dict[str, Any] = {}

    def delvar(self, name: str) -> None:
        """Delete a variable."""
        if self.flags.nrt or self.flags.debuginfo:
            super().delvar(name)


def _has_try(blocks: dict[int, Any]) -> bool:
    """Return whether a `try` begins in these blocks, or in a function that was put into them."""
    return any(
        isinstance(one.value, numba_ir.Global) and one.value.value is eh.mark_try_block
        for block in blocks.values()
        for one in block.find_insts(numba_ir.Assign)
    )


def _set_once(blocks: dict[int, Any]) -> set[str]:
    """Return the variables that are set in one place, which comes before all their uses."""
    places = defaultdict(list)
    for offset, block in blocks.items():
        for one in block.find_insts(numba_ir.Assign):
            places[one.target.name].append(offset)
    single = {name: found[0] for name, found in places.items() if len(found) == 1}
    dominators = analysis.compute_cfg_from_blocks(blocks).dominators()
    for offset, names in analysis.compute_use_defs(blocks).usemap.items():
        for name in names & single.keys():
            if single[name] > offset or single[name] not in dominators[offset]:
                del single[name]
    return single.keys() - analysis.must_use_alloca(blocks)


class Jump(kinds.Branch):
    """A branch that was conditional: its weights no longer matter."""

    def set_weights(self, weights: Any) -> None:
        """Leave out how likely each block is."""


class Slot:
    """Memory of a function's own, whose address nothing else has while `is_private`."""

    def __init__(self) -> None:
        self.is_private = True
        self.stores: list[Any] = []


class Part:
    """A part of a value that is taken out of it only if somebody asks for it."""

    def __init__(self, whole: Any, path: Path) -> None:
        self.whole = whole
        self.path = path


class FoldingBuilder(ir.IRBuilder):
    """An IRBuilder that knows what the memory of its function holds, block by block.

    What a block has stored or loaded is known until its end, or until it calls a function or stores
    to memory that may be anywhere: between two of its instructions nothing else runs.
    """

    def __init__(self, block: Any) -> None:
        super().__init__(block)
        self._places: dict[Any, tuple[Slot, Path]] = {}  # by the instructions that point there
        self._held: dict[Any, dict[Slot, dict[Path, Any]]] = {}  # by block: what is known
        self._made: dict[tuple[Any, ...], Any] = {}  # by block: instructions that can serve again
        self._keeps_all = False

    # Memory

    def alloca(self, typ: Any, size: Any = None, name: str = "") -> Any:
        """Allocate memory; a single element of it is a slot."""
        made = super().alloca(typ, size, name)
        if not made.operands and not self._keeps_all:
            self._places[made] = Slot(), ()
        return made

    def gep(
        self,
        ptr: Any,
        indices: Any,
        inbounds: bool = False,
        name: str = "",
        source_etype: Any = None,
    ) -> Any:
        """Point to a part of a slot, or to anywhere."""
        place = self._place(ptr)
        path = _constant_path(indices)
        if place is None or path is None or path[0] != 0 or source_etype is not None:
            self._let_go(ptr)
            return super().gep(ptr, indices, inbounds, name, source_etype)
        key = (self.block, "gep", ptr, path)
        if key not in self._made or not self._is_at_end():
            self._made[key] = super().gep(ptr, indices, inbounds, name)
            self._places[self._made[key]] = place[0], place[1] + path[1:]
        return self._made[key]

    def store(self, value: Any, ptr: Any, align: Any = None) -> Any:
        """Store a value, and know it from now on if it is in a slot."""
        self._let_go(value)
        made = super().store(value, ptr, align)
        place = self._place(ptr)
        if place is None or not self._is_at_end():
            self._held.pop(self.block, None)
        else:
            _replace(self._holds(place[0]), place[1], value)
        if place is not None:
            place[0].stores.append(made)
        return made

    def load(self, ptr: Any, name: str = "", align: Any = None, typ: Any = None) -> Any:
        """Return what a pointer points to, without an instruction where that is known."""
        if ptr is _NO_TRY:
            return ir.Constant(ptr.type.pointee, 0)
        place = self._place(ptr)
        if place is None or typ is not None or not self._is_at_end():
            return super().load(ptr, name, align, typ)
        slot, path = place
        held = self._holds(slot)
        value = self._known(held, path, ptr.type.pointee)
        if value is None:
            value = super().load(ptr, name, align)
            _replace(held, path, value)
        return value

    def _known(self, held: dict[Path, Any], path: Path, kind: Any) -> Any:
        """Return what is known to be at `path`, or None."""
        for length in range(len(path), -1, -1):
            if path[:length] in held:
                found = held[path[:length]]
                if isinstance(found, Part):
                    found = held[path[:length]] = self.extract_value(found.whole, found.path)
                return self.extract_value(found, path[length:])
        if not any(one[: len(path)] == path for one in held):
            return None
        whole = ir.Constant(kind, ir.Undefined)
        for index, part_kind in enumerate(kind.elements):
            part = self._known(held, (*path, index), part_kind)
            if part is None:
                return None
            whole = self.insert_value(whole, part, index)
        return whole

    def _holds(self, slot: Slot) -> dict[Path, Any]:
        return self._held.setdefault(self.block, {}).setdefault(slot, {})

    def _place(self, pointer: Any) -> tuple[Slot, Path] | None:
        place = self._places.get(pointer) if type(pointer) in _POINTERS else None
        return place if place is not None and place[0].is_private else None

    def _let_go(self, value: Any) -> None:
        """Note that from here on anybody may have this address."""
        place = self._place(value)
        if place is not None:
            place[0].is_private = False

    def _is_at_end(self) -> bool:
        return self._anchor == len(self._block.instructions)

    def _insert(self, instr: Any) -> None:
        super()._insert(instr)
        if type(instr) in _MEMORY:
            return
        for operand in instr.operands:
            self._let_go(operand)
        if not _is_pure(instr):
            self._held.pop(self.block, None)

    def phi(self, typ: Any, name: str = "", flags: Any = ()) -> Any:
        """Join values of several blocks, which are named later: a pointer may be any."""
        if isinstance(typ, ir.PointerType):
            self._keeps_all = True
            for slot, _ in self._places.values():
                slot.is_private = False
        return super().phi(typ, name, flags)

    def call(self, fn: Any, args: Any, *others: Any, **options: Any) -> Any:
        """Call a function, and return its result: of one that never fails that is known."""
        made = super().call(fn, args, *others, **options)
        return _OK if getattr(fn, "name", "").endswith(_SURE) else made

    def cbranch(self, cond: Any, truebr: Any, falsebr: Any) -> Any:
        """Go on at one of two blocks."""
        chosen = _number(cond)
        if chosen is None:
            return super().cbranch(cond, truebr, falsebr)
        return self._set_terminator(Jump(self.block, "br", [truebr if chosen else falsebr]))

    # Structures

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> Any:
        """Return a part of a structure: the value put there, if that is known."""
        value, path = agg, tuple(idx) if isinstance(idx, tuple | list) else (idx,)
        while path:
            if isinstance(value, kinds.InsertValue):
                at = tuple(value.indices)
                shared = min(len(at), len(path))
                if at[:shared] != path[:shared]:
                    value = value.operands[0]
                elif len(at) <= len(path):
                    value, path = value.operands[1], path[len(at) :]
                else:
                    break
            elif isinstance(value, ir.Constant) and _part_of_constant(value, path[0]) is not None:
                value, path = _part_of_constant(value, path[0]), path[1:]
            else:
                break
        if not path:
            return value
        if isinstance(value, ir.Constant) or not self._is_at_end():
            return super().extract_value(value, path, name)
        key = (self.block, "extract", value, path)
        if key not in self._made:
            self._made[key] = super().extract_value(value, path, name)
        return self._made[key]

    # Arithmetic with constants

    def add(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        """Add integers."""
        left, right = _number(lhs), _number(rhs)
        if left is not None and right is not None:
            return _constant(lhs.type, left + right)
        if right == 0 or left == 0:
            return lhs if right == 0 else rhs
        return super().add(lhs, rhs, name, flags)

    def sub(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        """Subtract integers."""
        left, right = _number(lhs), _number(rhs)
        if left is not None and right is not None:
            return _constant(lhs.type, left - right)
        return lhs if right == 0 else super().sub(lhs, rhs, name, flags)

    def mul(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        """Multiply integers."""
        left, right = _number(lhs), _number(rhs)
        if left is not None and right is not None:
            return _constant(lhs.type, left * right)
        if right == 1 or left == 1:
            return lhs if right == 1 else rhs
        return super().mul(lhs, rhs, name, flags)

    def or_(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        """Join bits."""
        left, right = _number(lhs), _number(rhs)
        if left is not None and right is not None:
            return _constant(lhs.type, left | right)
        return super().or_(lhs, rhs, name, flags)

    def xor(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        """Compare bits; `not_` is an `xor` too."""
        left, right = _number(lhs), _number(rhs)
        if left is not None and right is not None:
            return _constant(lhs.type, left ^ right)
        return super().xor(lhs, rhs, name, flags)

    def icmp_signed(self, cmpop: str, lhs: Any, rhs: Any, name: str = "") -> Any:
        """Compare integers."""
        left, right = _number(lhs), _number(rhs)
        if left is not None and right is not None and cmpop in _COMPARED:
            return _truth(_COMPARED[cmpop](left, right))
        return super().icmp_signed(cmpop, lhs, rhs, name)

    def icmp_unsigned(self, cmpop: str, lhs: Any, rhs: Any, name: str = "") -> Any:
        """Compare integers or pointers."""
        left, right = _number(lhs), _number(rhs)
        if left is not None and right is not None and cmpop in _COMPARED:
            mask = (1 << lhs.type.width) - 1
            return _truth(_COMPARED[cmpop](left & mask, right & mask))
        return super().icmp_unsigned(cmpop, lhs, rhs, name)

    def select(self, cond: Any, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> Any:
        """Choose a value."""
        chosen = _number(cond)
        if chosen is not None:
            return lhs if chosen else rhs
        return super().select(cond, lhs, rhs, name, flags)

    def sext(self, value: Any, typ: Any, name: str = "") -> Any:
        """Widen a signed integer."""
        number = _number(value)
        return super().sext(value, typ, name) if number is None else _constant(typ, number)

    # What nothing uses

    def sweep(self) -> None:
        """Drop blocks that nothing leads to, unused results, and slots that nothing reads."""
        blocks = self._reached()
        self.function.blocks[:] = [one for one in self.function.blocks if one in blocks]
        for block in blocks:
            for one in block.instructions:
                if isinstance(one, kinds.PhiInstr):
                    one.incomings = [
                        (value, origin)
                        for value, origin in one.incomings
                        if origin in blocks and block in _next_blocks(origin.terminator)
                    ]
        waiting = [one for block in blocks for one in block.instructions if self._has_effect(one)]
        used = set(waiting)
        while waiting:
            for one in self._needed(waiting.pop()):
                if isinstance(one, kinds.Instruction) and one not in used:
                    used.add(one)
                    waiting.append(one)
        for block in blocks:
            block.instructions[:] = [one for one in block.instructions if one in used]

    def _reached(self) -> set[Any]:
        """Return the blocks that the first leads to."""
        waiting = [self.function.entry_basic_block]
        reached = set(waiting)
        while waiting:
            for one in _next_blocks(waiting.pop().terminator):
                if one not in reached:
                    reached.add(one)
                    waiting.append(one)
        return reached

    def never_fails(self) -> bool:
        """Return whether the function returns OK in all of its blocks."""
        ends = [block.terminator for block in self.function.blocks]
        return all(_number(one.operands[0]) == 0 for one in ends if isinstance(one, kinds.Ret))

    def _has_effect(self, instr: Any) -> bool:
        if isinstance(instr, kinds.StoreInstr):
            return self._place(instr.operands[1]) is None
        return not _is_pure(instr)

    def _needed(self, instr: Any) -> Iterable[Any]:
        """Yield what an instruction needs: its operands, and what is stored where it loads."""
        if isinstance(instr, kinds.PhiInstr):
            yield from (value for value, _ in instr.incomings)
        for operand in instr.operands:
            yield operand
            place = self._place(operand)
            if place is not None and isinstance(instr, kinds.LoadInstr):
                yield from place[0].stores


def _is_pure(instr: Any) -> bool:
    """Return whether an instruction only computes a value."""
    is_arithmetic = type(instr) is kinds.Instruction and instr.opname in _ARITHMETIC
    return is_arithmetic or isinstance(instr, _PURE)


def _replace(held: dict[Path, Any], path: Path, value: Any) -> None:
    """Note that `value` now is at `path`; of a larger part known there the rest stays known."""
    for one in [one for one in held if one[: len(path)] == path]:
        del held[one]
    for length in range(len(path)):
        if path[:length] in held:
            _split(held, path[:length])
    held[path] = value


def _split(held: dict[Path, Any], outer: Path) -> None:
    """Know the value at `outer` as its parts."""
    found = held.pop(outer)
    whole, at = (found.whole, found.path) if isinstance(found, Part) else (found, ())
    kind = whole.type
    for index in at:
        kind = kind.elements[index]
    for index in range(len(kind.elements)):
        held[(*outer, index)] = Part(whole, (*at, index))


def _constant_path(indices: Any) -> Path | None:
    numbers = [_number(one) for one in indices]
    return None if None in numbers else tuple(numbers)  # type: ignore[arg-type]


def _number(value: Any) -> int | None:
    """Return a constant whole number, or None."""
    if not isinstance(value, ir.Constant) or not isinstance(value.type, ir.IntType):
        return None
    if not isinstance(value.constant, int):
        return None
    return _wrapped(int(value.constant), value.type.width)


def _wrapped(number: int, width: int) -> int:
    """Return a whole number as one of `width` bits, which counts as signed."""
    half = 1 << width - 1
    return (number + half) % (2 * half) - half


def _constant(kind: Any, number: int) -> Any:
    return ir.Constant(kind, _wrapped(number, kind.width))


def _truth(is_so: bool) -> Any:
    return ir.Constant(ir.IntType(1), int(is_so))


def _next_blocks(end: Any) -> list[Any]:
    """Return the blocks that the end of a block leads to."""
    if isinstance(end, kinds.SwitchInstr):
        return [end.default, *(block for _, block in end.cases)]
    others = getattr(end, "destinations", [])  # of an indirect branch
    return [one for one in (*end.operands, *others) if isinstance(one, ir.Block)]


def _part_of_constant(whole: Any, index: int) -> Any:
    kind = whole.type.elements[index]
    if whole.constant is None or whole.constant is ir.Undefined:
        return ir.Constant(kind, whole.constant)
    part = whole.constant[index] if isinstance(whole.constant, list | tuple) else None
    return part if isinstance(part, ir.Constant) else None


def mark_sizes_elsewhere() -> None:
    """Let Numba mark the sizes of arrays as positive only in code without a FoldingBuilder.

    A size from a FoldingBuilder may be what the function loaded elsewhere, and was negative there.
    """
    mark = arrayobj.set_range_metadata

    def set_range_metadata(builder: Any, load: Any, *bounds: int) -> None:
        if not isinstance(builder, FoldingBuilder):
            mark(builder, load, *bounds)

    arrayobj.set_range_metadata = set_range_metadata
