"""Let Numba find the types of an operator once for each set of operands.

Without this it tries up to eighteen templates for every `a[i]` and `a + b`, and formats an error
for each that does not fit: in type inference, and again where it makes LLVM's code.
"""

import operator
from collections.abc import Callable
from functools import wraps
from typing import Any

from numba.core.targetconfig import ConfigStack
from numba.core.types.functions import BaseFunction

_OPERATORS = operator.add.__module__
_KNOWN = "_parlour_signatures"


def remember_operators() -> None:
    """Let Numba remember the signatures of the operators that it makes code for by itself."""
    function: Any = BaseFunction
    function.get_call_type = _remembering(function.get_call_type)


def _remembering(find: Callable[..., Any]) -> Callable[..., Any]:
    """Return Numba's method `find`, with its answers kept in the type of the operator.

    A new template for an operator gives it a new type, which has no answers yet. Not kept are
    failures, and what an `overload` answers, because the code compiled for it depends on options.
    """

    @wraps(find)
    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or getattr(self.typing_key, "__module__", None) != _OPERATORS:
            return find(self, context, args, kws)
        known = vars(self).setdefault(_KNOWN, {})
        key = context, _counts_references(), tuple(args)
        signature = known.get(key)
        if signature is None:
            signature = find(self, context, args, kws)
            if self.get_impl_key(signature) is self.typing_key:
                known[key] = signature
        return signature

    return get_call_type


def _counts_references() -> bool:
    """Return whether arrays may be made: templates that need it fail elsewhere."""
    flags = ConfigStack.top_or_none()
    return flags is not None and bool(flags.nrt)
