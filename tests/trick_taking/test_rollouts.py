"""Policy rollouts of trick-taking: which network they play out, their settings, what they gain."""

import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.networks.learned import shipped_checkpoints
from parlour.baselines.search import rollout
from parlour.baselines.trick_taking.rollouts import merge_runs
from parlour.envs import load_game
from parlour.envs.core.rng import streams
from parlour.envs.core.tables import action_masks

from .test_max_n import late_tables

GAME = load_game("trick_taking", num_seats=3)


def test_by_default_the_network_that_ships_looks_two_choices_ahead() -> None:
    """A rollout with every default written out chooses the same cards; another horizon does not."""
    path = str(shipped_checkpoints(GAME)["ppo"])
    tables = late_tables(GAME, 40, 4)
    seats, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, GAME.num_actions)
    positions = tables.determinize(tables.all_rows, seats, streams(range(40)))
    chosen = [
        policy(observations, masks, streams(range(40), 9), positions).tolist()
        for policy in (
            make_policy("policy_rollout", GAME),
            rollout.policy_rollout(GAME, path, 150, None, 6, 1.0, 0.5, 2, merge=merge_runs),
            make_policy("policy_rollout:horizon=1", GAME),
        )
    ]
    assert chosen[0] == chosen[1] != chosen[2]


def test_it_beats_the_best_script() -> None:
    """A script like the others would be first in 33.3 %."""
    result = play_match(GAME, "policy_rollout:num_playouts=60", "smart", 120, seed=77)
    assert result.first_places.low > 0.41


def test_it_is_listed_where_a_network_ships() -> None:
    small = load_game("trick_taking", num_seats=3, num_values=5)
    assert "policy_rollout" in list_policies(GAME)
    assert "policy_rollout" not in list_policies(small)
    with pytest.raises(ValueError, match=r"no network ships .* name a checkpoint"):
        make_policy("policy_rollout", small)
