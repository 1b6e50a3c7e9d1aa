"""What Numba remembers of an operator is what it would find again."""

import itertools
import operator
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import errors
from numba.core.compiler import Flags
from numba.core.registry import cpu_target
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.extending import overload

from parlour.envs.core import jit, operators

types: Any = numba.types

RECORDS = np.zeros(2, [("hand", "i1", 13), ("score", "f4")])
OPERANDS: tuple[Any, ...] = (
    *(types.int8, types.int64, types.uint64, types.float64, types.boolean, types.none),
    *(types.literal(-1), types.literal(True), types.slice2_type, types.unicode_type),
    *(types.UniTuple(types.int64, 2), types.float32),
    *map(numba.typeof, (RECORDS[0], RECORDS["hand"], np.zeros((2, 3)))),
)
BINARY = "add truediv floordiv and_ lshift eq lt getitem iadd"
find: Any = BaseFunction.get_call_type
find_again: Any = find.__wrapped__


class Operator:
    """Stands for the type of an operator; answers how often it was asked."""

    def __init__(self, key: Any) -> None:
        self.typing_key = self.key_of_code = key
        self.num_asked = 0

    def find(self, context: Any, args: Any, kws: Any) -> int:
        self.num_asked += 1
        return self.num_asked

    def get_impl_key(self, signature: int) -> Any:
        return self.key_of_code

    def ask(self, *args: Any, context: Any = None, **kws: Any) -> int:
        answer: int = operators._remembering(Operator.find)(self, context, args, kws)
        return answer


def typed(function: Any) -> Any:
    context = cpu_target.typing_context
    context.refresh()
    cpu_target.target_context.refresh()
    return context.resolve_value_type(function)


def answer_of(find: Any, function: Any, args: tuple[Any, ...]) -> Any:
    try:
        return find(function, cpu_target.typing_context, args, {})
    except (errors.NumbaError, AttributeError) as error:  # Numba adds nothing to rows in place
        return type(error)


@pytest.mark.parametrize("name", BINARY.split())
def test_a_remembered_signature_is_the_one_that_would_be_found_again(name: str) -> None:
    function = typed(getattr(operator, name))
    num_found = 0
    for args in itertools.product(OPERANDS, repeat=2):
        first, second = (answer_of(find, function, args) for _ in range(2))
        assert first == second == answer_of(find_again, function, args)
        if isinstance(first, numba.core.typing.Signature):
            assert [first.args, first.return_type] == [second.args, second.return_type]
            num_found += 1
    assert num_found > 10


def test_an_operator_is_asked_once_for_the_same_operands() -> None:
    plus = Operator(operator.add)
    assert [plus.ask("int64"), plus.ask("int64"), plus.ask("int8"), plus.ask("int64")] == [
        1,
        1,
        2,
        1,
    ]
    assert plus.ask("int64", context="another") == 3


def test_functions_without_reference_counting_have_answers_of_their_own() -> None:
    plus, counting = Operator(operator.add), Flags()
    counting.nrt = True
    assert plus.ask("array") == 1
    with ConfigStack().enter(counting):
        assert [plus.ask("array"), plus.ask("array")] == [2, 2]
    assert plus.ask("array") == 1


@pytest.mark.parametrize("choice", [min, max])
def test_min_and_max_of_numbers_are_those_of_numba(choice: Any) -> None:
    function, numbers = typed(choice), [one for one in OPERANDS if isinstance(one, types.Number)]
    for args in itertools.product([*numbers, types.literal(-1)], repeat=2):
        ours = answer_of(find, function, args)
        assert ours.return_type == answer_of(find_again, function, args).return_type
    ours = numba.njit(lambda a, b, c: choice(a, b, c))
    for values in itertools.product([2, -3, 1.5, float("nan"), np.int8(7)], repeat=3):
        np.testing.assert_equal(float(ours(*values)), float(choice(*values)))


def test_nothing_else_is_remembered() -> None:
    longest, of_overload = Operator(sum), Operator(operator.add)
    of_overload.key_of_code = "compiled code"
    for function in (longest, of_overload):
        assert [function.ask("int64"), function.ask("int64")] == [1, 2]
    plus = Operator(operator.add)
    assert [plus.ask("int64", key="len"), plus.ask("int64", key="len")] == [1, 2]


def test_an_overload_that_is_added_later_is_found() -> None:
    def divided(a: Any, b: Any) -> Any:
        return a / b

    def divided_later(a: Any, b: Any) -> Any:
        return a / b

    assert jit.array_rule(divided)(9, 2) == 4.5
    with pytest.raises(errors.TypingError):
        numba.njit(divided)("ace", 2)

    @overload(operator.truediv)
    def divide(a, b):  # Numba compares the two signatures
        return (lambda a, b: len(a) * b) if a == types.unicode_type else None

    assert numba.njit(divided_later)("ace", 2) == 6
