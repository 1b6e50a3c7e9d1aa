"""Play batches in several processes: here by joblib's loky, or as tasks of a Ray cluster.

The results do not depend on the number of processes or on their order.
"""

import itertools
import signal
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

from joblib.externals.loky import ProcessPoolExecutor

from ...envs.core.play.seating import PlayerError
from ...envs.core.play.slices import check_num_threads
from .batches import Batch, Outcomes, play_batch
from .contest.confine import end_with_parent

_TRIES = 3  # attempts at a batch whose worker is killed


class Workers(NamedTuple):
    """The processes that play the batches."""

    num_workers: int = 1  # 1: this process only
    cluster: bool = False  # use a Ray cluster instead of this machine
    num_threads: int = 1  # of each process, for the games of compiled players


def play_all(batches: Iterable[Batch], workers: Workers) -> Iterator[tuple[Batch, Outcomes]]:
    """Yield each batch with its outcomes, as soon as they are known, in any order.

    Workers take batches one by one. Raises PlayerError where workers end several times in a row
    at the same batches.
    """
    if workers.num_workers < 1:
        raise ValueError(f"there must be at least one worker; got {workers.num_workers}")
    check_num_threads(workers.num_threads)
    if workers.cluster:
        yield from _on_cluster(iter(batches), workers)
    elif workers.num_workers == 1:
        yield from ((batch, play_batch(batch, workers.num_threads)) for batch in batches)
    else:
        yield from _on_processes(iter(batches), workers)


def _on_processes(batches: Iterator[Batch], workers: Workers) -> Iterator[tuple[Batch, Outcomes]]:
    """Replace workers that are killed, and play their batches again."""
    num_workers = workers.num_workers
    waiting: list[Batch] = []
    failures = 0  # since the last result
    while failures < _TRIES:
        pool = ProcessPoolExecutor(num_workers, initializer=_become_worker)
        playing: dict[Any, Batch] = {}
        try:
            while True:
                while len(playing) < num_workers:
                    batch = waiting.pop() if waiting else next(batches, None)
                    if batch is None:
                        break
                    playing[pool.submit(play_batch, batch, workers.num_threads)] = batch
                if not playing:
                    return
                for future in wait(playing, return_when=FIRST_COMPLETED).done:
                    outcomes = future.result()
                    failures = 0
                    yield playing.pop(future), outcomes
        except BrokenProcessPool:
            failures += 1
            waiting += playing.values()
        finally:
            pool.shutdown(wait=True, kill_workers=True)
    raise _ended(waiting)


def _ended(batches: Iterable[Batch]) -> PlayerError:
    names = dict.fromkeys(e.name for batch in batches for e in batch.contest.entrants)
    return PlayerError(
        f"a worker process ended {_TRIES} times in a row, in games of {', '.join(names)}: "
        "a player ended it, or the memory did not suffice"
    )


def _become_worker() -> None:
    """Leave Ctrl-C to the arena's process, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()


def _on_cluster(batches: Iterator[Batch], workers: Workers) -> Iterator[tuple[Batch, Outcomes]]:
    """Play each batch as a task of Ray, which starts it again where its process is lost."""
    ray = start_cluster()
    task = ray.remote(max_retries=_TRIES - 1)(play_batch)
    playing: dict[Any, Batch] = {}
    try:
        while True:
            for batch in itertools.islice(batches, workers.num_workers - len(playing)):
                playing[task.remote(batch, workers.num_threads)] = batch
            if not playing:
                return
            (done, *_), _ = ray.wait(list(playing))
            outcomes = ray.get(done)
            yield playing.pop(done), outcomes
    except ray.exceptions.RayTaskError as error:
        raise error.cause from error
    except ray.exceptions.RayError as error:
        raise _ended([playing[done]]) from error
    finally:
        for left in playing:
            ray.cancel(left, force=True)


def start_cluster() -> Any:
    """Join the Ray cluster that `ray` finds, and return this module.

    Raises ValueError where Ray is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise ValueError("a cluster needs Ray: pip install 'parlour[cluster]'") from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    return ray
