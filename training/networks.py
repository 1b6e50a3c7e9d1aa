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


class Encoder(nn.Module):
    """Integers of known range, shown in unary: the number 3 of 0 .. 4 becomes 1, 1, 1, 0.

    A network sees at once whether a count reaches a threshold, which is what card games ask about.
    Wide ranges are scaled to about -1 .. 1 instead; constants are left out.
    """

    unary_columns: torch.Tensor
    thresholds: torch.Tensor
    wide_columns: torch.Tensor
    scale: torch.Tensor

    def __init__(self, game: Game) -> None:
        super().__init__()
        low, high = game.layout.low.astype(int), game.layout.high.astype(int)
        unary = [
            (column, threshold)
            for column in range(len(low))
            if high[column] - low[column] <= WIDEST_UNARY
            for threshold in range(low[column], high[column])
        ]
        wide = [c for c in range(len(low)) if high[c] - low[c] > WIDEST_UNARY]
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

    def __init__(self, game: Game, hidden: Sequence[int] = (256, 256)) -> None:
        super().__init__()
        self.encoder = Encoder(game)
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
