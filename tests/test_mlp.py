"""The perceptron of won and lost matches: what it is taught, its mask, and a short run."""

import dataclasses
from collections import deque

import numpy as np
import pytest
import torch

from parlour.baselines import make_policy
from parlour.baselines.arena import play_duplicate
from parlour.baselines.networks.kinds import new_network, policy_of
from parlour.envs import load_game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.training import mlp
from tests.one_table import OneTable

GAME = load_game("trick_taking")
CONFIG = mlp.Config(
    num_batches=3, num_matches=400, num_epochs=8, batch_size=128, opponent="first_play", seed=1
)
# Seat 0 holds colour 0 but for its 0, and 1.0; it leads 0.9, seat 1 must follow with 0.0.
DEAL = {"hands": [[*range(1, 10), 10], [0, *range(11, 20)]], "leader": 0}


def tables_after(*actions: int) -> Tables:
    return OneTable(GAME, DEAL).play(*actions)


def taught(tables: Tables, action: int, outcome: float) -> np.ndarray:
    """The targets that one choice in a match of this outcome teaches: [0 or 1, A]."""
    _, observations, _ = tables.show(tables.all_rows)
    choices = mlp.PlayedChoices(observations, np.array([action]), np.array([outcome]))
    network = new_network("mlp", GAME, dataclasses.asdict(CONFIG))
    return mlp.examples(GAME, network, choices, CONFIG.held)[1].numpy()


def learned() -> mlp.Perceptron:
    return deque(mlp.Learner(GAME, CONFIG).run(), maxlen=1)[0][1]


def balance(network: mlp.Perceptron) -> float:
    """Share of deals won less share lost against the player it learned from."""
    result = play_duplicate(GAME, policy_of("mlp", GAME, network), "first_play", 1000, seed=7)
    return result.wins.mean - result.losses.mean


def test_it_sees_the_cards_of_earlier_tricks_its_hand_and_the_card_on_the_table() -> None:
    tables = tables_after(9, 0, 8)  # a trick, and the lead of the next
    _, observations, _ = tables.show(tables.all_rows)
    network = new_network("mlp", GAME, dataclasses.asdict(CONFIG))
    shown = network.sets(torch.from_numpy(GAME.layout.integers(observations)))
    earlier, hand, table = shown.reshape(3, 20).numpy().astype(bool)
    assert np.flatnonzero(earlier).tolist() == [0, 9]
    assert np.flatnonzero(hand).tolist() == list(range(11, 20))
    assert np.flatnonzero(table).tolist() == [8]


def test_after_a_won_match_the_card_played_is_the_target() -> None:
    (target,) = taught(tables_after(), 9, +1.0)
    assert np.flatnonzero(target).tolist() == [9] and target[9] == 1


def test_after_a_lost_match_the_other_cards_of_the_hand_are_the_targets() -> None:
    (target,) = taught(tables_after(), 9, -1.0)
    assert np.flatnonzero(target).tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10]
    assert set(target.tolist()) == {0.0, 1.0}


def test_a_drawn_match_and_a_lost_last_card_teach_nothing() -> None:
    assert len(taught(tables_after(), 9, 0.0)) == 0
    tricks = [card for lead in range(9, 1, -1) for card in (lead, 20 - lead if lead < 9 else 0)]
    last = tables_after(*tricks, 1, 19)  # one card left in either hand
    assert len(taught(last, 10, -1.0)) == 0
    assert len(taught(last, 10, +1.0)) == 1


def test_matches_are_won_by_the_rule_of_the_arena() -> None:
    players = make_policy("high_low", GAME), make_policy("random", GAME)
    seeds = np.arange(200)
    choices = mlp.collect_choices(GAME, *players, seeds)
    assert len(choices.actions) == 200 * 2 * GAME.config.num_values
    result = play_duplicate(GAME, *players, len(seeds))
    assert choices.outcomes.mean() == result.wins.mean - result.losses.mean


def test_it_obeys_the_mask_whatever_its_outputs() -> None:
    network = new_network("mlp", GAME, dataclasses.asdict(CONFIG))
    with torch.no_grad():
        last = list(network.parameters())[-1]
        last[:] = torch.arange(20.0)  # would like to play 1.9
    _, observations, words = tables_after(9).show(np.arange(1))
    masks = action_masks(words, GAME.num_actions)
    assert policy_of("mlp", GAME, network)(observations, masks, streams([0])).tolist() == [0]


def test_a_short_run_beats_the_untrained_network() -> None:
    """Measured: -0.01 untrained, +0.24 after it; the floor is +0.1."""
    torch.manual_seed(CONFIG.seed)
    untrained = balance(new_network("mlp", GAME, dataclasses.asdict(CONFIG)))
    assert balance(learned()) > max(0.1, untrained + 0.1)


def test_unknown_sets_and_games_of_more_seats_are_refused() -> None:
    with pytest.raises(ValueError, match="no set of actions 'leader'"):
        new_network("mlp", GAME, dataclasses.asdict(mlp.Config(inputs=("leader",))))
    with pytest.raises(ValueError, match="two seats"):
        mlp.Learner(load_game("trick_taking", num_players=3), CONFIG)
