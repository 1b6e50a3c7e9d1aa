"""The tree search guided by a network: what it finds, what it may know, its budget, its errors."""

from pathlib import Path

import numpy as np
import pytest
import torch

from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.networks.learned import shipped_checkpoints
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.search.guided import (
    GuidedSearch,
    GuidedSettings,
)
from parlour.envs import find_game, load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams

from .probe_duel import DOOR, GATE, GO, STAY, probe_duel
from .searching import NUM_TABLES, after_plies, saved

pytestmark = pytest.mark.plain

TRICKS = load_game("trick_taking", num_values=5)  # solved exactly; only the order dealt is hidden
DUEL = probe_duel()


def settings(num_simulations: int) -> GuidedSettings:
    return GuidedSettings(num_simulations, 16, 4, 1.25, 0.0)


def record(game: Game) -> np.ndarray:
    torch.manual_seed(0)
    return PolicyValue(game, (16, 16)).record(game)


@pytest.mark.compiled
def test_it_stays_where_it_would_be_hit_and_goes_where_it_can_win() -> None:
    """With values of the wrong sign or seat it goes at the gate, or stays at the door."""
    tables = Tables(DUEL, streams([0, 1]))
    for row, place in enumerate((GATE, DOOR)):
        tables.deal_from(row, {"place": place})
    search = GuidedSearch(DUEL, record(DUEL), settings(64))
    result = search.search(tables.states, streams([0, 1]))
    assert result.actions.tolist() == [STAY, GO]
    np.testing.assert_allclose(result.action_values[0, STAY], 0.8)
    assert result.action_values[0, GO] < -0.8
    assert result.action_values[1, GO] > 0.9
    assert result.policies.argmax(axis=1).tolist() == [STAY, GO]
    assert result.values[0] == pytest.approx(0.8, abs=0.05)


@pytest.mark.release
def test_an_untrained_network_with_many_simulations_plays_almost_perfectly() -> None:
    tables, _, observations, masks = after_plies(TRICKS, 2)
    search = GuidedSearch(TRICKS, record(TRICKS), settings(2000))
    actions = search.search(tables.states, streams(range(NUM_TABLES))).actions
    values = make_policy("perfect", TRICKS).values
    assert values is not None
    exact = np.where(masks == 1, values(observations, masks), -np.inf)
    is_best = exact[np.arange(NUM_TABLES), actions] == exact.max(axis=1)
    assert is_best.mean() >= 0.9


def test_it_plays_matches_with_the_network_of_a_file(tmp_path: Path) -> None:
    path = saved(DUEL, tmp_path)
    result = play_match(DUEL, f"mcts:network={path},num_simulations=16", "random", num_deals=30)
    assert result.mean_return.low > 0


def test_it_searches_for_as_long_as_it_is_given_and_values_the_actions(tmp_path: Path) -> None:
    tables, _, observations, masks = after_plies(TRICKS, 2)
    policy = make_policy(f"mcts:network={saved(TRICKS, tmp_path)},milliseconds=5", TRICKS)
    one = slice(0, 1)
    situation = observations[one], masks[one], streams([0]), tables.states[one]
    assert masks[0, policy(*situation)[0]] == 1
    assert policy.values is not None
    assert (np.isfinite(policy.values(*situation)[0]) == (masks[0] == 1)).all()


def test_a_checkpoint_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    path = saved(TRICKS, tmp_path)
    with pytest.raises(ValueError, match="this checkpoint plays trick_taking, not splendor"):
        make_policy(f"mcts:network={path}", find_game("splendor"))
    with pytest.raises(ValueError, match="num_values=5"):
        make_policy(f"mcts:network={path}", load_game("trick_taking"))
    president = load_game("president")
    dqn = shipped_checkpoints(president)["dqn"]
    with pytest.raises(ValueError, match="made by dqn and cannot guide a search"):
        make_policy(f"mcts:network={dqn}", president)
    with pytest.raises(TypeError, match=r"mcts:network=FILE\.pt searches with another"):
        make_policy(f"guided:network={dqn}", find_game("splendor"))
