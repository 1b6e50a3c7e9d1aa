"""Batches on several processes: local ones by joblib, or those of a Ray cluster.

Which process plays what, and in which order it is done, shows in nothing that comes out.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import joblib

from .batches import Batch, Outcomes, play_batch

_CLUSTER_ROUND = 8  # batches for each worker before results are looked at


class Workers(NamedTuple):
    """What plays the batches."""

    num_workers: int = 1  # 1: this process alone
    cluster: bool = False  # the processes of a Ray cluster instead of this machine's


def play_all(batches: Sequence[Batch], workers: Workers) -> Iterator[tuple[Batch, Outcomes]]:
    """Each batch with what it came to, as soon as it is known, in any order."""
    if workers.num_workers < 1:
        raise ValueError(f"there must be at least one worker; got {workers.num_workers}")
    if workers.cluster:
        yield from _on_cluster(batches, workers.num_workers)
    elif workers.num_workers == 1:
        yield from ((batch, play_batch(batch)) for batch in batches)
    else:
        calls = (joblib.delayed(_numbered)(k, batch) for k, batch in enumerate(batches))
        run = joblib.Parallel(workers.num_workers, return_as="generator_unordered")
        for index, outcomes in run(calls):
            yield batches[index], outcomes


def _numbered(index: int, batch: Batch) -> tuple[int, Outcomes]:
    return index, play_batch(batch)


def _on_cluster(batches: Sequence[Batch], num_workers: int) -> Iterator[tuple[Batch, Outcomes]]:
    """By joblib's Ray backend, which gives results a round at a time."""
    start_cluster()
    with joblib.parallel_config(backend="ray"), joblib.Parallel(num_workers) as run:
        for part in _rounds(batches, _CLUSTER_ROUND * num_workers):
            outcomes: Any = run(joblib.delayed(play_batch)(batch) for batch in part)
            yield from zip(part, outcomes, strict=True)


def _rounds(batches: Iterable[Batch], size: int) -> Iterator[tuple[Batch, ...]]:
    waiting = iter(batches)
    while part := tuple(itertools.islice(waiting, size)):
        yield part


def start_cluster() -> None:
    """Join the Ray cluster that `ray` finds. Raises ValueError where Ray is not installed."""
    try:
        import ray
        from ray.util.joblib import register_ray
    except ImportError as error:
        raise ValueError("a cluster needs Ray: pip install 'parlour[cluster]'") from error
    if not ray.is_initialized():
        ray.init(log_to_driver=False)
    register_ray()
