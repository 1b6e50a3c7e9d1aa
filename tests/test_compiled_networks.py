"""Compiled networks: equal to torch on random positions of every game, forwards and backwards."""

import dataclasses
from typing import TypeVar

import numpy as np
import pytest
import torch

from parlour.baselines import load_network, make_policy
from parlour.baselines.networks.compiled import draw_action, network_functions, num_layers
from parlour.baselines.networks.inputs import octets
from parlour.baselines.networks.kinds import action_values, policy_of
from parlour.baselines.networks.modules import ActionValues
from parlour.baselines.networks.policy_value import PolicyValue, legal_lists
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import action_masks
from parlour.envs.core.rng import streams

from .searching import after_plies
from .test_contract import plies

pytestmark = pytest.mark.plain

TOLERANCE = 1e-5


def positions(game: Game, num_tables: int, num_plies: int) -> tuple[np.ndarray, np.ndarray]:
    """Observations [B] and masks in words [B, W] of random play."""
    tables, *_ = after_plies(game, 0, num_tables)
    shown = list(plies(game, tables, np.random.default_rng(0), num_plies))
    return np.concatenate([one[2] for one in shown]), np.concatenate([one[3] for one in shown])


Network = TypeVar("Network", bound=torch.nn.Module)


def uneven(module: Network) -> Network:
    """The module with heads and biases that are not near 0."""
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    return module


def layers_for(name: str) -> tuple[int, ...]:
    """Widths that fill blocks of 64 and of 8 units and leave some over, or one layer."""
    return (75, 64) if name == "president" else (19,)


@pytest.mark.parametrize("name", [*GAMES, pytest.param("trick_taking", marks=pytest.mark.compiled)])
def test_the_compiled_forward_pass_equals_torch(name: str) -> None:
    game = find_game(name)
    module = uneven(PolicyValue(game, layers_for(name)))
    assert isinstance(module, PolicyValue)
    observations, words = positions(game, 3, 6)
    with torch.inference_mode():
        logits, values = module(torch.from_numpy(game.layout.integers(observations)))
    record = module.record(game)
    evaluate = network_functions(num_layers(record)).evaluate
    masks = action_masks(words, game.num_actions) == 1
    got = np.zeros(game.num_actions, np.float32)
    for row, data in enumerate(octets(observations)):
        value = evaluate(record[0], data, words[row], got)
        legal = masks[row]
        np.testing.assert_allclose(got[legal], logits[row, legal], atol=TOLERANCE, rtol=0)
        assert value == pytest.approx(float(values[row]), abs=TOLERANCE)


def test_the_gradient_by_rows_and_lists_equals_the_dense_one() -> None:
    """Of a loss that weighs every legal logit and the value differently."""
    game = load_game("trick_taking")
    observations, words = positions(game, 8, 16)
    module = uneven(PolicyValue(game, (19, 9)))
    assert isinstance(module, PolicyValue)
    masks = action_masks(words, game.num_actions)
    weight = torch.linspace(-1, 1, masks.size).reshape(masks.shape) * torch.from_numpy(masks)
    logits, values = module(torch.from_numpy(game.layout.integers(observations)))
    ((logits * weight).sum() + (values**2).sum()).backward()
    dense = [
        parameter.grad.clone() for parameter in module.parameters() if parameter.grad is not None
    ]
    module.zero_grad()
    rows = rows_found(module, game, observations)
    lists = legal_lists(words, masks.argmax(axis=1))
    units, values = module.forward_rows(
        module.rows(game), rows, np.zeros((len(rows), 0), np.float32)
    )
    listed = module.legal_logits(units, lists.legal)
    is_legal = torch.from_numpy(lists.legal >= 0)
    places = torch.from_numpy(lists.legal.astype(np.int64)).clamp(min=0)
    ((listed * weight.gather(1, places))[is_legal].sum() + (values**2).sum()).backward()
    sparse = [parameter.grad for parameter in module.parameters() if parameter.grad is not None]
    assert len(sparse) == len(dense)
    for one, other in zip(sparse, dense, strict=True):
        torch.testing.assert_close(one, other, atol=1e-3, rtol=1e-4)


def rows_found(module: PolicyValue, game: Game, observations: np.ndarray) -> np.ndarray:
    """The rows that the inputs name, by plain Python."""
    rows = module.rows(game)
    out = np.zeros((len(observations), len(rows.first_rows)), np.int32)
    for place, observation in enumerate(observations):
        data = observation.tobytes()
        dtype = game.observation_dtype[0].base
        numbers = np.frombuffer(data, dtype, len(data) // dtype.itemsize)
        out[place] = rows.first_rows
        arrays = (rows.groups, rows.row_steps, rows.columns, rows.lows)
        for group, stride, column, low in zip(*arrays, strict=True):
            out[place, group] += stride * (numbers[column] - low)
        first = out.shape[1] - 2 * len(rows.offsets)
        for k, offset in enumerate(rows.offsets):
            out[place, first + 2 * k] += data[offset] & 15
            out[place, first + 2 * k + 1] += data[offset] >> 4
    return out


def test_the_shipped_networks_play_the_moves_of_their_torch_modules() -> None:
    game = load_game("president", num_players=2)
    observations, words = positions(game, 3, 6)
    masks = action_masks(words, game.num_actions)
    network = load_network("dqn", game)
    expected = action_values(game, network, observations, masks).argmax(axis=1)
    policy = make_policy("dqn", game)
    assert policy.row_function is not None
    assert (policy(observations, masks, streams([0] * len(masks))) == expected).all()


def test_a_draw_follows_the_chances() -> None:
    """At evenly spaced points; an illegal action is never drawn, by rounding at the end neither."""
    masks = np.array([0b1011, 1], np.int64)
    chances = np.array([0.125, 0.25, 9.0, 0.5, *[9.0] * 60, 0.125], np.float32)
    drawn = [draw_action(masks, chances, point) for point in (np.arange(800) + 0.5) / 800]
    assert np.bincount(drawn, minlength=65)[[0, 1, 3, 64]].tolist() == [100, 200, 400, 100]
    assert draw_action(masks, chances, 1.0) == 64


def test_two_networks_of_one_shape_are_two_players() -> None:
    """They share their compiled code, so weights must not be mixed up."""
    game = load_game("trick_taking")
    observations, words = positions(game, 20, 10)
    masks = action_masks(words, game.num_actions)
    rngs = streams([0] * len(masks))
    first, second = (
        policy_of("dqn", game, network) for network in (ActionValues(game, (19,)) for _ in range(2))
    )
    moves = first(observations, masks, rngs), second(observations, masks, rngs)
    assert (moves[0] != moves[1]).any()
    assert first.row_function is second.row_function
    assert dataclasses.replace(first)(observations, masks, rngs).tolist() == moves[0].tolist()
