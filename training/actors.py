"""Actors on a Ray cluster: processes anywhere that play batches for one learner.

Each has one batch under way. When it is done, the actor gets the newest weights and begins the
next, while the learner takes the batch. So an actor's weights are one update behind, or more where
others were faster, and actors wait where the learner is slower than they are together.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..baselines.arena.play.workers import start_cluster
from .session import clocks, since

FAILURES = 3  # actors lost since the last batch, after which a run ends
PlayBatch = Callable[[np.ndarray], Any]  # with a network's record [1]


class Actor:
    """What runs in a process of the cluster."""

    def __init__(self, make: Callable[[int], PlayBatch], seed: int) -> None:
        self._play_batch = make(seed)

    def play(self, weights: np.ndarray) -> tuple[Any, float]:
        """Return a batch, and the processor seconds that it took."""
        start = clocks()
        lesson = self._play_batch(weights)
        return lesson, since(start).cpu_seconds

    def wait(self) -> None:
        """Return once the actor has begun."""


class Actors:
    """The actors of a learner; they end with it, and those that end before are replaced.

    `make` runs in an actor, with a seed of its own, and returns what plays. Raises ValueError where
    there is no cluster.
    """

    def __init__(
        self,
        address: str | None,
        num_actors: int,
        make: Callable[[int], PlayBatch],
        random: np.random.Generator,
    ) -> None:
        self._ray = start_cluster(address)
        self._class = self._ray.remote(num_cpus=1)(Actor)
        self._make = make
        self._random = random
        self._actors = [self._new()]
        self._ray.get(self._actors[0].wait.remote())  # it compiles for others on its machine
        self._actors += [self._new() for _ in range(num_actors - 1)]
        self._ray.get([actor.wait.remote() for actor in self._actors])

    def _new(self) -> Any:
        return self._class.remote(self._make, int(self._random.integers(2**62)))

    def played(self, newest: Callable[[], np.ndarray]) -> Iterator[tuple[Any, float]]:
        """Yield batches as they come, with their processor seconds, for ever.

        `newest` returns the weights. Raises RuntimeError where FAILURES actors end in a row.
        """
        ray, failures = self._ray, 0
        playing = {actor.play.remote(newest()): actor for actor in self._actors}
        while True:
            (done, *_), _ = ray.wait(list(playing))
            actor, played = playing.pop(done), None
            try:
                played = ray.get(done)
                failures = 0
            except ray.exceptions.RayTaskError as error:
                raise error.cause from error
            except ray.exceptions.RayActorError as error:
                failures += 1
                if failures == FAILURES:
                    raise RuntimeError(f"{FAILURES} actors ended without a batch") from error
                self._actors.remove(actor)
                actor = self._new()
                self._actors.append(actor)
            playing[actor.play.remote(newest())] = actor
            if played is not None:
                yield played

    def end(self) -> None:
        """End all actors."""
        for actor in self._actors:
            self._ray.kill(actor)
