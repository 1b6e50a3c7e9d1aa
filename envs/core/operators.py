"""Let Numba find the types of an operator once for each set of operands.

Without this it tries up to eighteen templates for every `a[i]` and `a + b`, and formats an error
for each that does not fit: in type inference, and again where it makes LLVM's code. For `min` and
`max` it compiles a function for each set of types, where two instructions do.
"""

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

from numba.core import types
from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction
from numba.core.typing import signature
from numba.extending import lower_builtin

_OPERATORS = operator.add.__module__
_KNOWN = "_parlour_signatures"
_CHOICES = {min: operator.lt, max: operator.gt}  # how the next number compares to become the choice


def remember_operators() -> None:
    """Let Numba remember the signatures of the operators that it makes code for by itself."""
    function: Any = BaseFunction
    function.get_call_type = _remembering(function.get_call_type)
    for choice in _CHOICES:
        _lower(choice)


def _remembering(find: Callable[..., Any]) -> Callable[..., Any]:
    """Return Numba's method `find`, with its answers kept in the type of the operator.

    A new template for an operator gives it a new type, which has no answers yet. Not kept are
    failures, and what an `overload` answers, because the code compiled for it depends on options.
    """

    @wraps(find)
    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if self.typing_key in _CHOICES and _are_numbers(args) and not kws:
            return _choice_of_numbers(self, context, args)
        if kws or getattr(self.typing_key, "__module__", None) != _OPERATORS:
            return find(self, context, args, kws)
        known = vars(self).setdefault(_KNOWN, {})
        key = context, _counts_references(), tuple(args)
        found = known.get(key)
        if found is None:
            found = find(self, context, args, kws)
            if self.get_impl_key(found) is self.typing_key:
                known[key] = found
        return found

    return get_call_type


def _counts_references() -> bool:
    """Return whether arrays may be made: templates that need it fail elsewhere."""
    flags = ConfigStack.top_or_none()
    return flags is not None and bool(flags.nrt)


def _are_numbers(args: Any) -> bool:
    return len(args) > 1 and all(isinstance(one, types.Number) for one in _plain(args))


def _plain(args: Any) -> tuple[Any, ...]:
    return tuple(map(types.unliteral, args))  # type: ignore[attr-defined]


def _choice_of_numbers(function: Any, context: Any, args: Any) -> Any:
    """Return the signature of `min` or `max` of numbers."""
    found = signature(context.unify_types(*_plain(args)), *_plain(args))
    function._impl_keys[found.args] = _code_of(function.typing_key)
    return found


def _code_of(choice: Any) -> str:
    """Return what Numba finds the code of `min` or `max` of numbers by."""
    return f"{__name__}.{choice.__name__}"


def _lower(choice: Any) -> None:
    """Let Numba write the code for `min` or `max` where it is called."""

    @lower_builtin(_code_of(choice), types.VarArg(types.Number))  # type: ignore[attr-defined]
    def lower(context: Any, builder: Any, found: Any, arguments: Any) -> Any:
        from numba.cpython.builtins import do_minmax  # here, because it takes long to import

        return do_minmax(context, builder, found.args, arguments, _CHOICES[choice])
