"""Slices of a batch of tables, each played by a thread.

Compiled loops release the interpreter lock, and each table has its own random streams, so threads
play at the same time and the results do not depend on their number.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

from .game import check_range

MAX_THREADS = 1024
MIN_ROWS = 256  # of a slice: with fewer, handing it to another thread costs more than it saves

T = TypeVar("T")


def check_num_threads(num_threads: int) -> None:
    """Raise ValueError unless this is a possible number of threads."""
    check_range("num_threads", num_threads, 1, MAX_THREADS)


def slices_of(num_rows: int, num_threads: int) -> list[slice]:
    """Cut rows into successive slices of equal size, at most one for each thread."""
    count = max(1, min(num_threads, num_rows // MIN_ROWS))
    ends = [num_rows * index // count for index in range(count + 1)]
    return [slice(*ends[index : index + 2]) for index in range(count)]


def run_parts(play: Callable[[int], T], num_parts: int) -> list[T]:
    """Return play(0), play(1), ...; this thread runs the first, and others run the rest.

    `play` must spend its time in compiled loops and may not call this function. If it raises, the
    error of the first part that failed is raised when all parts have ended.
    """
    if num_parts == 1:
        return [play(0)]
    pool = _pool(os.getpid(), num_parts - 1)
    futures = [pool.submit(play, part) for part in range(1, num_parts)]
    try:
        first = play(0)
    finally:
        wait(futures)
    return [first, *_results(futures)]


def _results(futures: Sequence[Future[T]]) -> list[T]:
    return [future.result() for future in futures]


@cache
def _pool(process: int, num_threads: int) -> ThreadPoolExecutor:
    """Return the threads of a process; a forked one has none of its parent's."""
    return ThreadPoolExecutor(num_threads, f"parlour-{process}")
