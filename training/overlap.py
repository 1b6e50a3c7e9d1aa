"""Play and learn at the same time: threads play the next batch while torch learns from the last.

So learning is always exactly one batch behind, on any number of cores, and a run with the same seed
learns the same.
"""

import itertools
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

import numpy as np

from .progress import Spent, clocks, since

Filled = TypeVar("Filled")
Learned = TypeVar("Learned")


def play_while_learning(
    play: Callable[[Filled], list[Future[None]]],
    learn: Callable[[Filled], Learned],
    batches: tuple[Filled, Filled],
    goes_on: Callable[[], bool],
) -> Iterator[tuple[Learned, Spent]]:
    """Yield what `learn` returned for each batch, and the time that it took.

    `play` starts to fill a batch and returns what to wait for. The two batches take turns: one is
    filled while the other is learned from.
    """
    played, playing = batches
    start = clocks()
    wait(play(played))
    while goes_on():
        futures = play(playing)
        learned = learn(played)
        wait(futures)
        played, playing = playing, played
        yield learned, since(start)
        start = clocks()


def fill_slices(
    play: Callable[[slice], None], num_tables: int, num_slices: int, pool: ThreadPoolExecutor
) -> list[Future[None]]:
    """Let threads of the pool play equal slices of the tables; return what to wait for."""
    edges = np.linspace(0, num_tables, num_slices + 1).astype(int).tolist()
    return [pool.submit(play, slice(*edge)) for edge in itertools.pairwise(edges)]


def wait(futures: list[Future[None]]) -> None:
    """Wait until all are done; raise the error of any."""
    for future in futures:
        future.result()
