"""The network of actor-critic learners: logits of the legal actions and a value, from one body.

`PolicyValue` is a torch module over dense inputs like any other. Its gradient has a faster way in:
the rows that an observation adds up (`InputRows`) and lists of legal actions, so that neither the
inputs that are 0 nor the actions that are illegal cost anything.
"""

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from ...envs.core.bits import WORD_BITS, lowest_bit, num_allowed
from ...envs.core.compile import rule, vector_rule
from ...envs.core.game import Game
from .compiled import Network, weights_record
from .derived import shown_fields, with_inputs
from .inputs import InputRows, fill_table, gather_gradient
from .modules import UnaryEncoder, encoder_rows, layer_of
from .vectors import add_rows

NO_LOGIT = -1e9  # in lists of legal actions that are shorter than the longest


class PolicyValue(nn.Module):
    """A multi-layer perceptron: observations [B, num_inputs] -> logits [B, A] and values [B].

    With `derived_inputs` the observations are those of `with_inputs(game)`. With `num_others` the
    network also values that many other seats, which only a search needs.
    """

    def __init__(
        self,
        game: Game,
        hidden: Sequence[int],
        derived_inputs: bool = False,
        num_others: int = 0,
    ) -> None:
        super().__init__()
        self.derived_inputs = derived_inputs
        game = self.seen(game)
        self.encoder = UnaryEncoder(game, shown_fields(game) if derived_inputs else ())
        sizes = [self.encoder.num_outputs, *hidden]
        self.hidden = nn.ModuleList(
            nn.Linear(inputs, units) for inputs, units in itertools.pairwise(sizes)
        )
        self.actions = nn.Linear(sizes[-1], game.num_actions)
        self.value = nn.Linear(sizes[-1], 1)
        for head in (self.actions, self.value):  # at first all actions are about as likely
            nn.init.uniform_(head.weight, -1e-2, 1e-2)
            nn.init.zeros_(head.bias)
        self.others = nn.Linear(sizes[-1], num_others) if num_others else None

    def forward(self, observations: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits [B, A] of all actions, legal or not, and values [B]."""
        units = self.encoder(observations)
        for layer in self.layers:
            units = torch.relu(layer(units))
        return self.actions(units), self.value(units)[:, 0]

    @property
    def layers(self) -> list[nn.Linear]:
        """The hidden layers, the first one first."""
        return [layer for layer in self.hidden if isinstance(layer, nn.Linear)]

    def forward_rows(
        self, rows: InputRows, row_numbers: np.ndarray, continuous: np.ndarray
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The last hidden layer [B, H] and values [B].

        `row_numbers` are int32 [B, K], the `continuous` inputs [B, V].
        """
        first, *deeper = self.layers
        num_unary = first.in_features - continuous.shape[1]
        units = _RowSum.apply(first.weight[:, :num_unary], first.bias, rows, row_numbers)
        if continuous.shape[1]:
            units = units + torch.from_numpy(continuous) @ first.weight[:, num_unary:].T
        units = torch.relu(units)
        for layer in deeper:
            units = torch.relu(layer(units))
        return units, self.value(units)[:, 0]

    def values_of_others(self, units: torch.Tensor) -> torch.Tensor:
        """Values [B, num_others] of the seats clockwise from the observer."""
        return units.new_zeros(len(units), 0) if self.others is None else self.others(units)

    def legal_logits(self, units: torch.Tensor, legal: np.ndarray) -> torch.Tensor:
        """Logits [B, M] of lists of legal actions int32 [B, M]; NO_LOGIT where a list has ended."""
        return _LegalLogits.apply(units, self.actions.weight, self.actions.bias, legal)

    def seen(self, game: Game) -> Game:
        """The game with the observations that this network is shown."""
        return with_inputs(game) if self.derived_inputs else game

    def rows(self, game: Game) -> InputRows:
        """How the compiled first layer of this network reads an observation of `seen(game)`."""
        return encoder_rows(self.seen(game), self.encoder)

    def record(self, game: Game) -> np.ndarray:
        """The weights as one record [1] for the functions of `network_functions`."""
        scale = self.encoder.scale.numpy()
        layers = [layer_of(layer) for layer in self.layers]
        heads = layer_of(self.actions), layer_of(self.value)
        others = None if self.others is None else layer_of(self.others)
        return weights_record(self.rows(game), Network(layers, *heads, scale, others))


class _RowSum(torch.autograd.Function):
    """The first layer before its non-linearity: bias and the sum of the rows chosen, [B, H]."""

    @staticmethod
    def forward(
        ctx: Any, weight: torch.Tensor, bias: torch.Tensor, rows: InputRows, row_numbers: np.ndarray
    ) -> torch.Tensor:
        """`weight` is [H, inputs], as in nn.Linear; `row_numbers` int32 [B, K]."""
        ctx.rows, ctx.row_numbers, ctx.num_inputs = rows, row_numbers, weight.shape[1]
        inputs = weight.detach().T.contiguous().numpy()
        table = np.empty((len(rows.parents), len(bias)), np.float32)
        fill_table(rows.parents, rows.sources, inputs, table)
        out = np.empty((len(row_numbers), len(bias)), np.float32)
        sum_rows(table, bias.detach().numpy(), row_numbers, out)
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Return the gradients of weight and bias; the other arguments have none."""
        gradient = gradients[0].contiguous()
        table = np.zeros((len(ctx.rows.parents), gradient.shape[1]), np.float32)
        spread_sums(table, ctx.row_numbers, gradient.numpy())
        inputs = np.zeros((ctx.num_inputs, gradient.shape[1]), np.float32)
        gather_gradient(ctx.rows.parents, ctx.rows.sources, table, inputs)
        return torch.from_numpy(inputs).T, gradient.sum(dim=0), None, None


class _LegalLogits(torch.autograd.Function):
    """Logits of lists of legal actions, [B, M]."""

    @staticmethod
    def forward(
        ctx: Any, units: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, legal: np.ndarray
    ) -> torch.Tensor:
        """`units` [B, H], `weight` [A, H], `legal` int32 [B, M]."""
        ctx.save_for_backward(units, weight)
        ctx.legal = legal
        out = np.empty(legal.shape, np.float32)
        list_logits(
            units.detach().numpy(), weight.detach().numpy(), bias.detach().numpy(), legal, out
        )
        return torch.from_numpy(out)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Return the gradients of units, weight and bias; the list of actions has none."""
        units, weight = (tensor.detach().numpy() for tensor in ctx.saved_tensors)
        out = np.zeros_like(units), np.zeros_like(weight), np.zeros(len(weight), np.float32)
        spread_logits(gradients[0].contiguous().numpy(), units, weight, ctx.legal, *out)
        return *(torch.from_numpy(array) for array in out), None


def num_other_values(game: Game) -> int:
    """Return how many seats' values do not follow from that of one."""
    return game.num_seats - 1 if game.num_seats > 2 else 0


class LegalLists(NamedTuple):
    """Lists of the legal actions of positions [B]; shorter lists are padded with -1."""

    legal: np.ndarray  # int32 [B, M]
    places: np.ndarray  # int64 [B]: where in the list the action taken is


def legal_lists(masks: np.ndarray, actions: np.ndarray) -> LegalLists:
    """The lists of masks int64 [B, words]."""
    most = _most_legal(masks)
    lists = LegalLists(np.empty((len(masks), most), np.int32), np.zeros(len(masks), np.int64))
    _list_legal(masks, actions, *lists)
    return lists


@rule
def _most_legal(masks):
    most = 1
    for row in range(masks.shape[0]):
        most = max(most, num_allowed(masks[row]))
    return most


@rule
def _list_legal(masks, actions, legal, places):
    for row in range(masks.shape[0]):
        size = 0
        for index in range(masks.shape[1]):
            word = masks[row, index]
            while word != 0:
                action = index * WORD_BITS + lowest_bit(word)
                if action == actions[row]:
                    places[row] = size
                legal[row, size] = action
                size += 1
                word &= word - 1
        legal[row, size:] = -1


@rule
def sum_rows(table, bias, row_numbers, out):
    """Write to out[b] the bias plus the rows of the table that row_numbers[b] [K] names."""
    for row in range(row_numbers.shape[0]):
        for unit in range(bias.shape[0]):
            out[row, unit] = bias[unit]
        add_rows(table, row_numbers[row], row_numbers.shape[1], out[row])


@vector_rule
def spread_sums(table, row_numbers, gradient):
    """Add gradient[b] to every row of the table that row_numbers[b] names."""
    for row in range(row_numbers.shape[0]):
        for k in range(row_numbers.shape[1]):
            place = row_numbers[row, k]
            for unit in range(table.shape[1]):
                table[place, unit] += gradient[row, unit]


@vector_rule
def list_logits(units, weight, bias, legal, out):
    """Logits of the actions in `legal` [B, M]."""
    for row in range(legal.shape[0]):
        for place in range(legal.shape[1]):
            action = legal[row, place]
            if action < 0:
                out[row, place] = NO_LOGIT
            else:
                total = bias[action]
                for unit in range(units.shape[1]):
                    total += weight[action, unit] * units[row, unit]
                out[row, place] = total


@vector_rule
def spread_logits(gradient, units, weight, legal, units_out, weight_out, bias_out):
    """Add the gradients of the logits to those of units, weights and biases."""
    for row in range(legal.shape[0]):
        for place in range(legal.shape[1]):
            action = legal[row, place]
            if action < 0:
                break
            slope = gradient[row, place]
            bias_out[action] += slope
            for unit in range(units.shape[1]):
                units_out[row, unit] += slope * weight[action, unit]
            for unit in range(units.shape[1]):
                weight_out[action, unit] += slope * units[row, unit]
