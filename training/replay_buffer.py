"""The replay buffer: the latest transitions, stored as records."""

import numpy as np

from ..envs.core.game import Game
from .rollout import Transitions


class ReplayBuffer:
    """A ring of `capacity` transitions."""

    def __init__(self, game: Game, capacity: int) -> None:
        self._ring = Transitions.empty(game, capacity)
        self._capacity = capacity
        self._added = 0

    def __len__(self) -> int:
        return min(self._added, self._capacity)

    def add(self, transitions: Transitions) -> None:
        """Copy transitions in, over the oldest. Raises ValueError for more than `capacity`."""
        if transitions.size > self._capacity:
            raise ValueError(f"{transitions.size} transitions do not fit into {self._capacity}")
        start = self._added % self._capacity
        places = np.arange(start, start + transitions.size) % self._capacity
        for column, new in zip(self._ring, transitions, strict=True):
            column[places] = new
        self._added += transitions.size

    def sample(self, size: int, random: np.random.Generator) -> Transitions:
        """Draw `size` transitions uniformly, with replacement."""
        places = random.integers(len(self), size=size)
        return Transitions(*(column[places] for column in self._ring))
