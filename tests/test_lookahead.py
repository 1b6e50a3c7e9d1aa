"""Q-learning one ply ahead: where it begins, what its network sees, and a short run that pays."""

import dataclasses
from collections import deque

import numpy as np
import pytest
import torch

from parlour.baselines.arena import play_match
from parlour.baselines.networks.kinds import new_network, policy_of
from parlour.baselines.networks.modules import RankedValues
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.training import lookahead

GAME = load_game("trick_taking")
CONFIG = lookahead.Config(
    total_steps=128 * 800,
    num_tables=128,
    hidden=(64,),
    inputs=("tricks_won", "led_colour", "hand", "unseen", "table"),
    learning_rate=3e-3,
    tau=0.2,
)
RANKED = lookahead.Config(hidden=(8,), inputs=("tricks_won",), sets=("hand", "unseen", "table"))
NUM_PLIES = 20


def positions(first: int = 0, game: Game = GAME) -> lookahead.Positions:
    random = np.random.default_rng(0)
    tables = Tables(game, streams(range(200)))
    lookahead.deal_aged(tables, tables.all_rows, first, NUM_PLIES, random)
    return lookahead.look(tables, tables.all_rows)


def test_tables_start_at_all_ages_from_the_first_asked_for() -> None:
    tricks_left = np.bincount(positions().states["tricks_left"], minlength=11)
    assert (tricks_left[1:] > 0).all()
    assert positions(first=NUM_PLIES - 5).states["tricks_left"].max() == 3
    assert lookahead.shortest_game(GAME, 3, np.random.default_rng(0)) == NUM_PLIES


def test_learning_begins_at_the_end_of_games_and_reaches_their_start() -> None:
    config = lookahead.Config(curriculum_fraction=0.5)
    plies = [lookahead.first_ply(config, NUM_PLIES, done) for done in (0.0, 0.25, 0.49, 0.5, 1.0)]
    assert plies == [19, 10, 0, 0, 0]
    assert lookahead.first_ply(lookahead.Config(), NUM_PLIES, 0.0) == 0


def test_positions_of_the_same_order_look_the_same() -> None:
    """Colours exchanged, or played cards elsewhere: every card keeps the value of its place."""
    network = new_network("lookahead", GAME, dataclasses.asdict(RANKED))
    values = []
    for hands, leads in (
        ([5, 7, 12], [6, 9, 18]),
        ([0, 2, 18], [1, 3, 19]),
        ([12, 15, 3], [14, 16, 9]),
    ):
        observation = GAME.new_observations(1)
        observation["led_colour"] = -1
        for name, cards in (("hand", hands), ("unseen", leads)):
            for card in cards:
                observation[name][0, card // 10] |= 1 << card % 10
        with torch.inference_mode():
            values.append(network(torch.from_numpy(GAME.layout.integers(observation)))[0, hands])
    torch.testing.assert_close(values[0], values[1])
    torch.testing.assert_close(values[0], values[2])


def test_every_card_keeps_its_own_value_where_nothing_is_played() -> None:
    """With the whole deck left and colours in order, ranks are the cards themselves."""
    network = new_network("lookahead", GAME, dataclasses.asdict(RANKED))
    assert isinstance(network, RankedValues)
    observation = GAME.new_observations(1)
    observation["hand"], observation["unseen"] = [[0b0000011111, 0b0000011111]], [[992, 992]]
    integers = torch.from_numpy(GAME.layout.integers(observation))
    sets = integers[:, network.columns].transpose(1, 2).flatten(start_dim=1).float()
    with torch.inference_mode():
        baseline = network.baseline(network.encoder(integers))
        torch.testing.assert_close(network(integers), network.body(sets) + baseline)


@pytest.mark.release
def test_a_short_run_beats_random() -> None:
    """Measured: mean return +0.18 after 800 steps; the floor is +0.08."""
    network = deque(lookahead.train(GAME, CONFIG), maxlen=1)[0][1]
    result = play_match(GAME, policy_of("lookahead", GAME, network), "random", 500)
    assert result.mean_return.low > 0.08


def test_games_of_more_seats_and_unknown_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="two seats"):
        next(lookahead.train(load_game("trick_taking", num_players=3), CONFIG))
    with pytest.raises(ValueError, match="'dealt' does not hold one bit an action"):
        new_network("lookahead", GAME, dataclasses.asdict(lookahead.Config(sets=("dealt",))))
    with pytest.raises(ValueError, match="no observation 'luck'"):
        new_network("lookahead", GAME, dataclasses.asdict(lookahead.Config(inputs=("luck",))))
