"""Print the progress of compilation to stderr, once it takes more than a second."""

import sys
import time
from collections import Counter

SILENT_FOR = 1.0  # seconds
NEXT_LINE_AFTER = 1.5  # times the time so far, plus a second: few lines in a long wait
_CORE = __name__.rpartition(".")[0]

Modules = frozenset[str]  # the modules that a function is compiled from

_functions: Counter[Modules] = Counter()  # number that may have to be compiled
_compiled: Counter[Modules] = Counter()  # number compiled so far


class _Clock:
    spent = 0.0
    next_line = SILENT_FOR
    last = 0.0
    modules: Modules = frozenset()


def announce(modules: Modules) -> None:
    """Count a function that may have to be compiled."""
    _functions[modules] += 1


def started(modules: Modules) -> None:
    """Note that Python has called a function of these modules, whose code is now looked up."""
    _Clock.last = time.perf_counter()
    _Clock.modules = modules


def finished(modules: Modules) -> None:
    """Count a compiled function: the one that Python called, or one that it calls."""
    now = time.perf_counter()
    _Clock.spent += now - _Clock.last
    _Clock.last = now
    _compiled[modules] += 1
    if _Clock.spent >= _Clock.next_line:
        _Clock.next_line = NEXT_LINE_AFTER * _Clock.spent + 1.0
        print(_line(_Clock.modules), file=sys.stderr, flush=True)


def _line(modules: Modules) -> str:
    folders = _folders(modules)
    counted = [one for one in _functions if _folders(one) <= folders | {_CORE}]
    done = sum(_compiled[one] for one in counted)
    total = max(done, sum(_functions[one] for one in counted))
    title = ", ".join(sorted(one.rpartition(".")[2] for one in folders - {_CORE}))
    return (
        f"parlour: compiling {title or 'what games share'}, {done} of at most {total} functions "
        f"after {_Clock.spent:.0f} s"
    )


def _folders(modules: Modules) -> Modules:
    return frozenset(one.rpartition(".")[0] or one for one in modules)
