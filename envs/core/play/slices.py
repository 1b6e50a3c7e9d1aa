"""Threads that play slices of the rows of a batch of tables.

Compiled loops release the interpreter lock, and each table has its own random streams, so threads
play at the same time and the results do not depend on who plays which table.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from ..game import check_range

MAX_THREADS = 1024
MIN_PLIES = 2048  # of a thread: with fewer, waking it up costs more than it saves

T = TypeVar("T")


def check_num_threads(num_threads: int) -> None:
    """Raise ValueError unless this is a possible number of threads."""
    check_range("num_threads", num_threads, 1, MAX_THREADS)


def play_slices(
    play: Callable[[int, int], T], num_rows: int, num_threads: int, plies_per_row: int = 1
) -> list[T]:
    """Call play(first, end) for slices of the rows, in up to `num_threads` threads.

    Return the results in the order of the rows. There are fewer slices where there is little to
    play: `plies_per_row` is how many plies one call plays in each row.
    """
    most = num_rows * plies_per_row // MIN_PLIES
    num_slices = max(1, min(num_threads, num_rows, most))
    if num_slices == 1:
        return [play(0, num_rows)]
    bounds = [num_rows * index // num_slices for index in range(num_slices + 1)]
    return list(_pool(os.getpid(), num_slices).map(play, bounds[:-1], bounds[1:]))


@cache
def _pool(process: int, num_threads: int) -> ThreadPoolExecutor:
    """Return the threads of a process; a forked process has none of its parent's."""
    return ThreadPoolExecutor(num_threads, f"parlour-{process}")
