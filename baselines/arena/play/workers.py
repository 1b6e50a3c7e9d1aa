"""Play batches in several processes: here by joblib's loky, or as tasks of a Ray cluster.

The results do not depend on the number of processes or on their order.
"""

import contextlib
import logging
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

from joblib.externals.loky import ProcessPoolExecutor

from ....envs.core.game import check_range
from ....envs.core.play.legal import PlayerError
from ....envs.core.play.slices import check_num_threads
from ....envs.core.words import how_to_install
from .batches import DealBatch, Outcomes, play_batch
from .parent import end_with_parent

Submit = Callable[[DealBatch], Future]  # start to play a batch

_TRIES = 3  # attempts to get another result where workers are killed


WORKERS_A_CORE = 4  # at most; more only take each other's time
MAX_CLUSTER_WORKERS = 10_000


class Workers(NamedTuple):
    """The processes that play the batches."""

    num_workers: int = 1  # 1: this process only
    cluster: bool = False  # use a Ray cluster instead of this machine
    num_threads: int = 1  # of each process, for the games of compiled players


def play_all(
    batches: Sequence[DealBatch], workers: Workers
) -> Iterator[tuple[DealBatch, Outcomes]]:
    """Yield each batch with its outcomes, as soon as they are known, in any order.

    Workers take batches one by one. Raises PlayerError where workers end `_TRIES` times without a
    result in between.
    """
    check_workers(workers)
    if workers.num_workers == 1 and not workers.cluster:
        yield from ((batch, play_batch(batch, workers.num_threads)) for batch in batches)
    else:  # with one batch, too: a player that ends its process does not end this one
        num_workers = min(workers.num_workers, len(batches) or 1)
        yield from _in_processes(batches, workers._replace(num_workers=num_workers))


def check_workers(workers: Workers) -> None:
    """Raise ValueError for more processes or threads than are of use, or fewer than one."""
    most = MAX_CLUSTER_WORKERS if workers.cluster else WORKERS_A_CORE * (os.cpu_count() or 1)
    check_range("workers", workers.num_workers, 1, most)
    check_num_threads(workers.num_threads)


def _in_processes(
    batches: Sequence[DealBatch], workers: Workers
) -> Iterator[tuple[DealBatch, Outcomes]]:
    """Replace workers that are killed, and play their batches again."""
    waiting = list(batches[::-1])
    failures = 0  # since the last result
    while failures < _TRIES:
        playing: dict[Future, DealBatch] = {}
        try:
            with (_cluster if workers.cluster else _pool)(workers) as submit:
                while True:
                    while waiting and len(playing) < workers.num_workers:
                        batch = waiting.pop()
                        playing[submit(batch)] = batch
                    if not playing:
                        return
                    for future in wait(playing, return_when=FIRST_COMPLETED).done:
                        outcomes = future.result()
                        failures = 0
                        yield playing.pop(future), outcomes
        except BrokenProcessPool:
            failures += 1
            waiting += playing.values()
    names = dict.fromkeys(e.name for batch in waiting for e in batch.match.entrants)
    raise PlayerError(
        f"a worker process ended {_TRIES} times in a row, in games of {', '.join(names)}: "
        "a player ended it, or the memory did not suffice"
    )


@contextlib.contextmanager
def _pool(workers: Workers) -> Iterator[Submit]:
    """Start processes of this machine; they end with the context."""
    level = logging.getLogger("parlour").level  # such as that of `--quiet`
    pool = ProcessPoolExecutor(workers.num_workers, initializer=_become_worker, initargs=(level,))
    try:
        yield lambda batch: pool.submit(play_batch, batch, workers.num_threads)
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def _become_worker(level: int) -> None:
    """Leave Ctrl-C to the arena's process, log at its level, and end with it."""
    logging.getLogger("parlour").setLevel(level)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


@contextlib.contextmanager
def _cluster(workers: Workers) -> Iterator[Submit]:
    """Play each batch as a task of Ray; tasks end with the context."""
    ray = start_cluster()
    task = ray.remote(max_retries=0)(play_batch)
    playing: set[Any] = set()

    def submit(batch: DealBatch) -> Future:
        played = task.remote(batch, workers.num_threads)
        playing.add(played)
        future = played.future()
        future.add_done_callback(lambda _: playing.discard(played))
        return future

    try:
        yield submit
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError as error:
        raise BrokenProcessPool from error
    finally:
        for left in list(playing):
            ray.cancel(left, force=True)


def start_cluster(address: str | None = None) -> Any:
    """Join the Ray cluster at an address, or the one that `ray` finds; return this module.

    Raises ValueError where Ray is not installed, and where no cluster answers at the address.
    """
    try:
        import ray
    except ImportError as error:
        raise ValueError(f"a cluster needs Ray: {how_to_install('cluster')}") from error
    if not ray.is_initialized():
        try:
            ray.init(address, log_to_driver=False)
        except (ConnectionError, ValueError) as error:
            raise ValueError(f"no Ray cluster answers at {address!r}") from error
    return ray
