"""Small networks over flat observations. Each takes the integer vector of `game.layout.integers`.

What the network is shown is encoded inside it, so that a checkpoint needs no recipe beside it.
"""

import itertools
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import torch
from torch import nn

from ...envs.core.game import Game
from .compiled import Layer, Network, weights_record
from .inputs import InputRows, input_rows

WIDEST_UNARY = 24  # a number with a wider range is shown scaled, not in unary
BLOCKED = -1e9  # value of an illegal action: below any real one, still finite


def flat_columns(game: Game, names: Sequence[str]) -> list[int]:
    """Where the flat observation holds these fields. Raises ValueError for an unknown name."""
    columns: dict[str, range] = {}
    first = 0
    for field in game.observation_fields:
        columns[field.name] = range(first, first + field.num_inputs)
        first += field.num_inputs
    for name in names:
        if name not in columns:
            raise ValueError(
                f"{game.name} has no observation {name!r}; it has {', '.join(columns)}"
            )
    return [column for name in names for column in columns[name]]


class UnaryEncoder(nn.Module):
    """Integers of known range, shown in unary: the number 3 of 0 .. 4 becomes 1, 1, 1, 0.

    A network sees at once whether a count reaches a threshold, which is what card games ask about.
    Wide ranges are scaled to about -1 .. 1 instead; constants are left out. `fields` names those
    that are shown; without names all are.
    """

    unary_columns: torch.Tensor
    thresholds: torch.Tensor
    wide_columns: torch.Tensor  # of the continuous inputs; checkpoints have this name
    scale: torch.Tensor

    def __init__(self, game: Game, fields: Sequence[str] = ()) -> None:
        super().__init__()
        shown = flat_columns(game, fields or [field.name for field in game.observation_fields])
        low, high = game.layout.low.astype(int), game.layout.high.astype(int)
        unary = [
            (column, threshold)
            for column in shown
            if high[column] - low[column] <= WIDEST_UNARY
            for threshold in range(low[column], high[column])
        ]
        continuous = [c for c in shown if high[c] - low[c] > WIDEST_UNARY]
        self.register_buffer("unary_columns", torch.tensor([c for c, _ in unary], dtype=torch.long))
        self.register_buffer("thresholds", torch.tensor([t for _, t in unary], dtype=torch.long))
        self.register_buffer("wide_columns", torch.tensor(continuous, dtype=torch.long))
        self.register_buffer("scale", torch.from_numpy(game.layout.scale[continuous]))
        self.num_outputs = len(unary) + len(continuous)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Integer observations [B, num_inputs] as float32 [B, num_outputs]."""
        unary = (observations[:, self.unary_columns] > self.thresholds).float()
        continuous = observations[:, self.wide_columns].float() * self.scale
        return torch.cat([unary, continuous], dim=1)


class ActionValues(nn.Module):
    """A multi-layer perceptron: observations [B, num_inputs] -> one value an action [B, A]."""

    def __init__(self, game: Game, hidden: Sequence[int] = (256, 256)) -> None:
        super().__init__()
        self.encoder = UnaryEncoder(game)
        self.body = linear_layers([self.encoder.num_outputs, *hidden, game.num_actions])

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Values of all actions, legal or not; see `mask_values`."""
        return self.body(self.encoder(observations))

    def record(self, game: Game) -> np.ndarray:
        """The weights as one record [1] for the functions of `network_functions`; no value head."""
        *hidden, actions = [layer_of(layer) for layer in self.body if isinstance(layer, nn.Linear)]
        no_value = Layer(np.zeros((len(actions.weights), 1), np.float32), np.zeros(1, np.float32))
        network = Network(hidden, actions, no_value, self.encoder.scale.numpy())
        return weights_record(encoder_rows(game, self.encoder), network)


def encoder_rows(game: Game, encoder: UnaryEncoder) -> InputRows:
    """How a compiled first layer reads what a UnaryEncoder shows of an observation of `game`."""
    unary, continuous = encoder.unary_columns.tolist(), encoder.wide_columns.tolist()
    return _cached_rows(game, tuple(unary), tuple(continuous))


@lru_cache(maxsize=32)  # a learner makes a record of its weights before every step
def _cached_rows(game: Game, unary: tuple[int, ...], continuous: tuple[int, ...]) -> InputRows:
    return input_rows(game, np.array(unary, np.int64), np.array(continuous, np.int64))


def layer_of(layer: nn.Linear) -> Layer:
    """A copy of its numbers."""
    with torch.no_grad():
        return Layer(layer.weight.T.contiguous().numpy().copy(), layer.bias.numpy().copy())


def linear_layers(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers of these sizes, inputs first, with ReLU between them."""
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def mask_values(values: torch.Tensor, action_masks: torch.Tensor) -> torch.Tensor:
    """The values [B, A] with BLOCKED in place of those of illegal actions."""
    return values.masked_fill(action_masks == 0, BLOCKED)
