"""Threads that share the rows of a batch of tables.

Compiled loops release the interpreter lock, and each table has its own random streams, so threads
play at the same time and the results do not depend on who plays which table.
"""

import os
import time
from collections.abc import Callable, Sequence
from functools import cache
from itertools import count
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np
from numba.core import config as numba_config

from . import handover
from .game import check_range
from .jit import bind

MAX_THREADS = 1024
GAME_PLIES = 32  # of a game, at least in most: what a match plays in each row
MIN_PLIES = 512  # of a thread: with fewer, handing them over costs more than it saves
BLOCK = 32  # tables that a compiled loop plays at before it writes what their seats know
POLLS = 4000  # about 4 ms, in which most users choose the next actions
NAP = 1e-3  # seconds between looks at a part that takes longer

Part = tuple[Any, ...]  # the arguments of a compiled loop


def check_num_threads(num_threads: int) -> None:
    """Raise ValueError unless this is a possible number of threads."""
    check_range("num_threads", num_threads, 1, MAX_THREADS)


def useful_threads(num_rows: int, num_threads: int, num_plies: int = 1) -> int:
    """Return how many threads to play these rows with: fewer than allowed where there is little.

    `num_plies` is how many plies one call plays in each row.
    """
    return max(1, min(num_threads, num_rows, num_rows * num_plies // MIN_PLIES))


def play_rows(
    play: Callable[..., None],
    num_rows: int,
    arguments: Part,
    scratches: Sequence[Part],
    least: int = BLOCK,
    meanwhile: Callable[[], object] | None = None,
) -> None:
    """Call play(first, end, *arguments, *scratch) for successive rows, until all are played.

    `play` is a compiled loop. One thread plays with each of `scratches`, this one with the first.
    They begin with equal slices of the rows, a part at a time, of at least `least` rows; a thread
    without rows takes from the others, so that a slow core gets fewer rows. Once the others have
    begun, if there are others, this thread calls `meanwhile` before it plays. If one of the calls
    raises, the error of the first thread that failed is raised when all have ended.
    """
    if len(scratches) == 1 or numba_config.DISABLE_JIT:
        play(0, num_rows, *arguments, *scratches[0])
        return
    serve = _serving(play)
    num_threads = len(scratches)
    taken = np.zeros(num_threads * handover.LINE, np.int64)
    least = min(least, -(-num_rows // num_threads))
    own, *others = [
        (thread, taken, num_rows, least, *arguments, *scratch)
        for thread, scratch in enumerate(scratches)
    ]
    jobs = [Job(part) for part in others]
    crew = _crew(os.getpid(), len(others), serve)
    for worker, job in zip(crew, jobs, strict=True):
        worker.start(job)
    error: BaseException | None = None
    try:
        if meanwhile is not None:
            meanwhile()
        serve(*_NO_BOARD, 0, 0, _NO_REPORT, *own)
    except BaseException as own_error:
        error = own_error
    for worker, job in zip(crew, jobs, strict=True):
        worker.finish(job)
    for found in (error, *(job.error for job in jobs)):
        if found is not None:
            raise found


@cache
def _serving(play: Callable[..., Any]) -> Callable[..., Any]:
    return bind(handover.serve, play=bind(handover.share, play=play))


class Job:
    """A part, and what is known of how it went."""

    def __init__(self, part: Part) -> None:
        self.part = part
        self.ticket = next(_tickets)
        self.report = np.zeros(handover.REPORT_SIZE, np.int64)
        self.error: BaseException | None = None

    def arguments(self) -> Part:
        """Return the last arguments of `serve` and `post`."""
        return (self.ticket, self.report, *self.part)


class Worker:
    """A thread that plays parts. Between them it waits at its board at first, then at its inbox."""

    def __init__(self, name: str, serve: Callable[..., Any], polls: int) -> None:
        self._serve = serve
        self._board, self._memory = _new_board()
        self._polls = polls
        self._inbox: Any = SimpleQueue()
        self._jobs: dict[int, Job] = {}  # by ticket: not finished, so that their arrays are kept
        Thread(target=self._run, name=name, daemon=True).start()

    def start(self, job: Job) -> None:
        """Let the thread play a part."""
        self._jobs[job.ticket] = job
        if not handover.post(self._board, self._memory, *job.arguments()):
            self._inbox.put(job)
            self._board[handover.WANTED] = 1  # after the job, so that it is seen or found

    def finish(self, job: Job) -> None:
        """Return when the part has ended."""
        while not handover.is_done(job.report, POLLS) and job.error is None:
            time.sleep(NAP)
        del self._jobs[job.ticket]

    def _run(self) -> None:
        while True:
            job = self._inbox.get()
            self._board[handover.WANTED] = 0
            self._board[handover.TICKET] = job.ticket  # for an error before `serve` notes it
            polls = self._polls if self._inbox.empty() else 0
            try:
                self._serve(self._board, self._memory, polls, *job.arguments())
            except BaseException as error:  # of this part, or of one posted later
                self._jobs[int(self._board[handover.TICKET])].error = error
            del job  # or it would keep the arrays of this part until the next one


@cache
def _crew(process: int, num_threads: int, serve: Callable[..., Any]) -> list[Worker]:
    """Start the threads of a process for one loop; a forked process has none of its parent's.

    Loops take turns, as a step and what it writes at the end do. A thread for each does not wait
    for Python between them.
    """
    polls = POLLS if num_threads < _num_cores() else 0
    names = [f"parlour-{process}-{index}" for index in range(num_threads)]
    return [Worker(name, serve, polls) for name in names]


def _num_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _new_board() -> tuple[np.ndarray, np.ndarray]:
    """Return a board and the memory for the arguments of a part posted on it."""
    board = np.zeros(handover.BOARD_SIZE, np.int64)
    return board, np.zeros(handover.MEMORY_SIZE, np.uint8)


_tickets = count(1)
_NO_BOARD = _new_board()  # of a thread that is never handed anything
_NO_REPORT = np.zeros(handover.REPORT_SIZE, np.int64)  # that nobody waits for
