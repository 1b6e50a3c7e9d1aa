"""A perceptron over sets of actions: the network of the learner `mlp`."""

import itertools
from collections.abc import Sequence

import torch
from torch import nn

from ...envs.core.game import Game


class Perceptron(nn.Module):
    """Sets of actions -> hidden layers of tanh units with dropout -> one output an action.

    A set is a packed field of the observation with one bit for each action. A field with several
    times as many bits stands for the union of its parts; `a-b` is what is in a and not in b.
    """

    def __init__(
        self, game: Game, inputs: Sequence[str], hidden: Sequence[int], dropout: float
    ) -> None:
        super().__init__()
        self.inputs = [tuple(name.split("-")) for name in inputs]
        self.columns_of = {name: union_columns(game, name) for name in sum(self.inputs, ())}
        sizes = [len(inputs) * game.num_actions, *hidden]
        layers: list[nn.Module] = []
        for size, next_size in itertools.pairwise(sizes):
            layers += [nn.Linear(size, next_size), nn.Tanh(), nn.Dropout(dropout)]
        self.body = nn.Sequential(*layers, nn.Linear(sizes[-1], game.num_actions))
        for layer in self.body:
            if isinstance(layer, nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Map integer observations [B, num_inputs] to logits [B, A]."""
        return self.body(self.sets(observations))

    def sets(self, observations: torch.Tensor) -> torch.Tensor:
        """The 0/1 vectors over the actions that it is shown, side by side: float32."""
        return torch.cat([self._set(observations, *names) for names in self.inputs], dim=1).float()

    def _set(self, observations: torch.Tensor, name: str, *without: str) -> torch.Tensor:
        members = observations[:, self.columns_of[name]].amax(dim=1)
        for other in without:
            members = members * (1 - observations[:, self.columns_of[other]].amax(dim=1))
        return members


def union_columns(game: Game, name: str) -> torch.Tensor:
    """Where a flat observation holds a set of actions: columns [K, A], to be united over K.

    Raises ValueError for a field that is no such set.
    """
    first = 0
    for field in game.observation_fields:
        size = field.num_inputs
        if field.name == name and field.num_bits and size and size % game.num_actions == 0:
            return torch.arange(first, first + size).reshape(-1, game.num_actions)
        first += size
    raise ValueError(f"{game.name} has no set of actions {name!r} in what a seat observes")
