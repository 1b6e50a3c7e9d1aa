"""Slices of a batch of tables, each played by a thread.

Compiled loops release the interpreter lock, and each table has its own random streams, so threads
play at the same time and the results do not depend on their number.
"""

import os
from collections.abc import Callable
from functools import cache
from operator import itemgetter
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from .game import check_range

MAX_THREADS = 1024
GAME_PLIES = 32  # of a game, at least in most: what a match plays in each row
MIN_PLIES = 2048  # of a slice: with fewer, handing it to another thread costs more than it saves

T = TypeVar("T")


def check_num_threads(num_threads: int) -> None:
    """Raise ValueError unless this is a possible number of threads."""
    check_range("num_threads", num_threads, 1, MAX_THREADS)


def slices_of(num_rows: int, num_threads: int, num_plies: int = 1) -> list[slice]:
    """Cut rows into successive slices of equal size, at most one for each thread.

    `num_plies` is how many plies one call plays in each row.
    """
    count = max(1, min(num_threads, num_rows, num_rows * num_plies // MIN_PLIES))
    ends = [num_rows * index // count for index in range(count + 1)]
    return [slice(*ends[index : index + 2]) for index in range(count)]


def run_parts(play: Callable[[int], T], num_parts: int) -> list[T]:
    """Return play(0), play(1), ...; this thread runs the first, and others run the rest.

    `play` must spend its time in compiled loops and may not call this function. If it raises, the
    error of the first part that failed is raised when all parts have ended.
    """
    if num_parts == 1:
        return [play(0)]
    outbox: Any = SimpleQueue()
    for part, inbox in enumerate(_inboxes(os.getpid(), num_parts - 1), start=1):
        inbox.put((play, part, outbox))
    outcomes = [_outcome(play, 0), *(outbox.get() for _ in range(num_parts - 1))]
    errors = [(part, error) for part, _, error in outcomes if error is not None]
    if errors:
        raise min(errors, key=itemgetter(0))[1]
    return [result for _, result, _ in sorted(outcomes, key=itemgetter(0))]


def _outcome(play: Callable[[int], Any], part: int) -> tuple[int, Any, BaseException | None]:
    """Return the part, and what playing it returns or raises."""
    try:
        return part, play(part), None
    except BaseException as error:
        return part, None, error


@cache
def _inboxes(process: int, num_threads: int) -> list[Any]:
    """Start the threads of a process; a forked one has none of its parent's.

    Queues hand over a part in 30 microseconds; an executor takes 90.
    """
    inboxes: list[Any] = [SimpleQueue() for _ in range(num_threads)]
    for inbox in inboxes:
        Thread(target=_serve, args=(inbox,), name=f"parlour-{process}", daemon=True).start()
    return inboxes


def _serve(inbox: Any) -> None:
    while True:
        play, part, outbox = inbox.get()
        outbox.put(_outcome(play, part))
        del play, outbox  # or they would keep the arrays of this call until the next one
