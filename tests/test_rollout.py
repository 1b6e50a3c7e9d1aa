"""Policy rollouts: what they may know, their budget, their outcome, and what they gain."""

from pathlib import Path

import numpy as np
import pytest
import torch

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.networks.derived import arranged
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.players.making import resolved
from parlour.baselines.players.objective import weigh_first_place
from parlour.baselines.players.policy import Policy
from parlour.baselines.president.rollouts import outcome
from parlour.baselines.search.rollout import is_in_the_race, policy_rollout
from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game

from .searching import NUM_TABLES, after_plies, saved
from .test_compiled_networks import uneven
from .test_render import positions

GAME = load_game("president", num_players=4)
SMALL = "policy_rollout:num_playouts=40"


def chosen(policy: Policy, seed: int = 1) -> np.ndarray:
    """The actions at positions in mid-game."""
    tables, _, observations, masks = after_plies(GAME, 20)
    return policy(observations, masks, streams(range(NUM_TABLES), seed), tables.states)


@pytest.mark.release
def test_choices_change_some_of_the_networks() -> None:
    _, _, observations, masks = after_plies(GAME, 20)
    own = make_policy("ppo", GAME)(observations, masks, streams(range(NUM_TABLES)))
    assert (chosen(make_policy(SMALL, GAME)) != own).any()


def test_without_playouts_or_with_one_action_considered_the_network_has_its_way() -> None:
    _, _, observations, masks = after_plies(GAME, 20)
    own = make_policy("ppo", GAME)(observations, masks, streams(range(NUM_TABLES)))
    for setting in ("num_playouts=1", "num_considered=1"):
        assert (chosen(make_policy(f"policy_rollout:{setting}", GAME)) == own).all()


def test_an_action_leaves_the_race_when_it_is_clearly_behind() -> None:
    ahead = np.ones(64)
    even = np.tile([1.0, -1.0], 32)
    behind = np.full(64, -1.0)
    samples = np.stack([even, ahead, behind, even + 1.0], axis=1)
    assert is_in_the_race(samples, 1.0).tolist() == [False, True, False, True]
    assert is_in_the_race(samples, 12.0).tolist() == [True, True, False, True]
    assert is_in_the_race(samples, np.inf).all()
    assert is_in_the_race(samples[:, :3], 0.0).tolist() == [False, True, False]


def test_equal_actions_all_stay_and_few_samples_prove_little() -> None:
    assert is_in_the_race(np.ones((8, 3)), 1.0).all()
    one_win_in_eight = np.array([[1.0, 1.0]] * 7 + [[1.0, -1.0]])
    assert is_in_the_race(one_win_in_eight, 1.0).all()
    assert not is_in_the_race(np.array([[1.0, -1.0]] * 8), 1.0).all()


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("num_players", [2, 4, 5])
def test_an_outcome_known_early_is_that_of_the_whole_game(num_players: int, weight: float) -> None:
    game = load_game("president", num_players=num_players)
    worth, num_early = np.zeros(num_players), 0
    for seed in range(20):
        known: dict[int, float] = {}
        for states in positions(game, seed):
            for seat in range(num_players):
                value = outcome(states[0], seat, weight, worth, ())
                if not np.isnan(value):
                    num_early += seat not in known and not game.is_terminal(states[0])
                    assert known.setdefault(seat, value) == value
        game.returns(states[0], worth)
        weigh_first_place(worth, weight)
        assert known == pytest.approx(dict(enumerate(worth)))
    assert num_early >= 20 * (num_players - 2)


@pytest.mark.release
def test_it_improves_on_its_network_where_the_outcome_is_known_at_the_end_alone(
    tmp_path: Path,
) -> None:
    path = saved(GAME, tmp_path)
    policy = policy_rollout(GAME, str(path), num_playouts=60, num_considered=20)
    result = play_match(GAME, policy, str(path), 25, seed=7)
    assert result.first_places.low > 0.35  # an equal would be first in a quarter


@pytest.mark.parametrize("horizon", [0, 1, 2])
def test_a_horizon_ends_a_playout_with_the_networks_value(horizon: int, tmp_path: Path) -> None:
    """With two seats nothing that matters is hidden, so every playout of a card is the same."""
    game = load_game("trick_taking", num_values=5)
    network = uneven(PolicyValue(game, (8,), derived_inputs=True))
    path = saved(game, tmp_path, network, hidden=(8,), derived_inputs=True)
    plays = make_policy(str(path), game)
    search = policy_rollout(
        game, str(path), 60, num_considered=9, first_place_weight=0.0, horizon=horizon
    )
    tables, _, observations, masks = after_plies(game, 3)
    rngs = streams(range(NUM_TABLES))
    assert search.values is not None
    found = search.values(observations, masks, rngs, tables.states)
    for row in range(NUM_TABLES):
        seat = int(tables.states[row].seat_to_act)
        for action in np.flatnonzero(masks[row]):
            state = tables.states[row : row + 1].copy()
            game.apply_action(state[0], int(action))
            expected = plain_worth(game, network, plays, state, seat, horizon)
            assert found[row, action] == pytest.approx(expected, abs=1e-5)


def plain_worth(
    game: Game, network: PolicyValue, plays: Policy, state: np.ndarray, own: int, horizon: int
) -> float:
    """What a playout brings a seat, step by step."""
    while not game.is_terminal(state[0]):
        seat, legal = int(game.seat_to_act(state[0])), game.legal_action_list(state[0])
        mask = np.zeros(game.num_actions, np.int8)
        mask[legal] = 1
        observation = game.new_observations()
        if len(legal) > 1 and seat == own:
            horizon -= 1
            if horizon == 0:
                wide = network.seen(game)
                shown = wide.new_observations()
                wide.observe(arranged(game, state).positions[0], seat, shown[0])
                return float(network(torch.from_numpy(wide.layout.integers(shown)))[1].detach())
        game.observe(state[0], seat, observation[0])
        game.apply_action(state[0], plays.act(observation[0], mask))
    returns = np.zeros(game.num_seats)
    game.returns(state[0], returns)
    return float(returns[own])


def test_a_move_that_goes_out_first_is_worth_most_and_is_chosen() -> None:
    tables, _, observations, masks = after_plies(GAME, 20)
    state = tables.states[:1]
    seat = int(state["seat_to_act"][0])
    state["hands"][0][seat] = 0b11 << 20  # both cards of one rank
    state["table_action"], state["golds_seat"] = 0, -1
    state["num_out"], state["placings"] = 0, 0
    words = np.zeros(GAME.num_mask_words, np.int64)
    GAME.observe(state[0], seat, observations[0])
    GAME.legal_actions(state[0], words)
    masks[0] = [int(words[0]) >> action & 1 for action in range(GAME.num_actions)]
    one, both = np.flatnonzero(masks[0])
    policy = make_policy("policy_rollout", GAME)
    assert policy.values is not None
    inputs = observations[:1], masks[:1], streams([5]), state
    values = policy.values(*inputs)[0]
    assert values[both] == 1.0
    assert values[one] < 1.0
    assert np.isnan(np.delete(values, [one, both])).all()
    assert policy(*inputs) == both


def test_a_time_for_a_move_is_kept_in_mind() -> None:
    _, _, _, masks = after_plies(GAME, 20)
    actions = chosen(make_policy("policy_rollout:milliseconds=1", GAME))
    assert (masks[np.arange(NUM_TABLES), actions] == 1).all()


def test_it_is_listed_where_a_network_ships_and_best_where_nothing_is_solved() -> None:
    assert resolved("best", GAME) == "policy_rollout"
    two = load_game("president", num_players=2)
    assert "policy_rollout" in list_policies(two) and resolved("best", two) == "perfect"
    out = load_game("president", num_players=4, passing="out")
    assert "policy_rollout" not in list_policies(out)
    with pytest.raises(ValueError, match=r"no network ships.*network=FILE\.pt"):
        make_policy("policy_rollout", out)


def test_a_network_of_another_kind_is_refused() -> None:
    tricks = load_game("trick_taking")
    folder = Path(__file__).parents[1] / "baselines" / "trick_taking" / "checkpoints"
    with pytest.raises(ValueError, match="lookahead cannot be rolled out"):
        policy_rollout(tricks, str(folder / "lookahead.pt"))
