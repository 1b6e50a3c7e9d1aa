"""Small networks over flat observations. Each takes the integer vector of `game.layout.integers`.

What the network is shown is encoded inside it, so that a checkpoint needs no recipe beside it.
"""

import itertools
from collections.abc import Sequence

import torch
from torch import nn

from ..envs.core.game import Game

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


class Encoder(nn.Module):
    """Integers of known range, shown in unary: the number 3 of 0 .. 4 becomes 1, 1, 1, 0.

    A network sees at once whether a count reaches a threshold, which is what card games ask about.
    Wide ranges are scaled to about -1 .. 1 instead; constants are left out. `fields` names those
    that are shown; without names all are.
    """

    unary_columns: torch.Tensor
    thresholds: torch.Tensor
    wide_columns: torch.Tensor
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
        wide = [c for c in shown if high[c] - low[c] > WIDEST_UNARY]
        self.register_buffer("unary_columns", torch.tensor([c for c, _ in unary], dtype=torch.long))
        self.register_buffer("thresholds", torch.tensor([t for _, t in unary], dtype=torch.long))
        self.register_buffer("wide_columns", torch.tensor(wide, dtype=torch.long))
        self.register_buffer("scale", torch.from_numpy(game.layout.scale[wide]))
        self.num_outputs = len(unary) + len(wide)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Integer observations [B, num_inputs] as float32 [B, num_outputs]."""
        unary = (observations[:, self.unary_columns] > self.thresholds).float()
        wide = observations[:, self.wide_columns].float() * self.scale
        return torch.cat([unary, wide], dim=1)


class ActionValues(nn.Module):
    """A multi-layer perceptron: observations [B, num_inputs] -> one value an action [B, A]."""

    def __init__(
        self, game: Game, hidden: Sequence[int] = (256, 256), fields: Sequence[str] = ()
    ) -> None:
        super().__init__()
        self.encoder = Encoder(game, fields)
        sizes = [self.encoder.num_outputs, *hidden]
        layers: list[nn.Module] = []
        for inputs, outputs in itertools.pairwise(sizes):
            layers += [nn.Linear(inputs, outputs), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Linear(sizes[-1], game.num_actions))

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Values of all actions, legal or not; see `mask_values`."""
        return self.body(self.encoder(observations))


def mask_values(values: torch.Tensor, action_masks: torch.Tensor) -> torch.Tensor:
    """The same values with every illegal action put out of reach of a maximum."""
    return values.masked_fill(action_masks == 0, BLOCKED)
