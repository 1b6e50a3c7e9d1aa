"""What the environments tell beside the observation, and what they ask of actions."""

import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.environments import make_vector
from parlour.envs import GAMES, load_game, registry
from parlour.envs.core.environments.common import IllegalEnds
from tests.view_tools import an_illegal_action, short

pytestmark = pytest.mark.plain

every_game = pytest.mark.parametrize("name", GAMES)
ID = "parlour:TrickTaking-v0"
KEYS = {"action_mask", "seat", "returns", "illegal_action"}


def solo(name: str, **settings: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(f"parlour:{GAMES[name]}", **short(name, settings))


def form(info: dict[str, Any]) -> dict[str, Any]:
    """The keys, with types, shapes and types of numbers, which recorders want to be constant."""
    return {
        key: (type(value), np.asarray(value).shape, np.asarray(value).dtype)
        for key, value in info.items()
    }


@every_game
def test_the_info_has_the_same_form_at_every_step(name: str) -> None:
    env = solo(name)
    forms = []
    for seed, is_wrong in ((0, False), (1, True)):
        _, info = env.reset(seed=seed)
        forms.append(form(info))
        is_illegal = is_wrong and not info["action_mask"].all()
        is_over = False
        while not is_over:
            assert not info["returns"].any() and not info["illegal_action"]
            mask = info["action_mask"]
            action = an_illegal_action(mask) if is_illegal else mask.argmax()
            _, reward, is_over, _, info = env.step(action)
            forms.append(form(info))
        assert info["illegal_action"] is is_illegal
        assert info["returns"][info["seat"]] == reward
    assert set(forms[0]) == KEYS
    assert all(other == forms[0] for other in forms)


@every_game
@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_the_info_of_the_vector_environment_has_the_same_form(name: str, mode: str) -> None:
    settings: dict[str, Any] = {"autoreset_mode": mode}
    envs = gymnasium.make_vec(f"parlour:{GAMES[name]}", 3, **short(name, settings))
    _, info = envs.reset(seed=0)
    first, num_finals = form(info), 0
    assert set(first) == KEYS | {"length"}
    for step in range(60):
        actions = info["action_mask"].argmax(axis=1)
        if step == 5 and not info["action_mask"][0].all():
            actions[0] = an_illegal_action(info["action_mask"][0])
        _, _, _, _, info = envs.step(actions)
        if "final_info" in info:
            num_finals += 1
            final = {key: info["final_info"][key] for key in first}
            assert form(final) == first
        assert form({key: info[key] for key in first}) == first
        added = {"final_obs", "_final_obs", "final_info", "_final_info"}
        assert set(info) - set(first) in (set(), added)
    assert (num_finals > 0) == (mode == "SameStep")


# Actions


@pytest.mark.parametrize("name", ["notty", "trick_taking"])
@pytest.mark.parametrize("setting", ["lose", "raise", "random"])
def test_a_number_outside_the_action_space_is_refused_in_every_view(
    name: str, setting: str
) -> None:
    env = solo(name, illegal_action=setting)
    envs = gymnasium.make_vec(
        f"parlour:{GAMES[name]}", 2, **short(name, {"illegal_action": setting})
    )
    raw = registry.make_raw_aec(name, **short(name, {}))
    _, info = env.reset(seed=0)
    envs.reset(seed=0)
    raw.reset(seed=0)
    num_actions = raw.game.num_actions
    for outside in (num_actions, num_actions + 1000, -1):
        with pytest.raises(ValueError, match=f"in 0 .. {num_actions - 1}; got {outside}$"):
            env.step(outside)
        with pytest.raises(ValueError, match=f"table 1: an action .* got {outside}$"):
            envs.step(np.array([0, outside]))
        with pytest.raises(ValueError, match="no action of this game"):
            raw.step(outside)
    env.step(info["action_mask"].argmax())  # nothing has changed


def play_unmasked(env: Any, num_games: int) -> list[str]:
    """End games by illegal actions; return the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(num_games):
            _, info = env.reset(seed=0)
            env.step(an_illegal_action(info["action_mask"]))
    return [str(one.message) for one in caught]


def test_a_learner_that_ignores_the_mask_is_warned_once() -> None:
    env = gymnasium.make(ID)
    assert play_unmasked(env, IllegalEnds.MANY - 1) == []
    (message,) = play_unmasked(env, 3 * IllegalEnds.MANY)
    assert "MaskablePPO" in message and "action_masks" in message


def test_a_game_that_ends_otherwise_begins_the_count_anew() -> None:
    env = gymnasium.make(ID, num_values=3)
    assert play_unmasked(env, IllegalEnds.MANY - 1) == []
    _, info = env.reset(seed=0)
    is_over = False
    while not is_over:
        _, _, is_over, _, info = env.step(info["action_mask"].argmax())
    assert play_unmasked(env, IllegalEnds.MANY - 1) == []


def test_the_vector_environment_warns_too() -> None:
    envs = gymnasium.make_vec(ID, 40)
    _, info = envs.reset(seed=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(6):
            wrong = np.array([an_illegal_action(mask) for mask in info["action_mask"]])
            _, _, _, _, info = envs.step(wrong)
    assert len(caught) == 1 and "MaskablePPO" in str(caught[0].message)


# Beyond the interfaces


def test_the_text_that_a_seat_may_see_is_at_hand_in_pettingzoo() -> None:
    env = registry.make_aec("president", num_players=4)
    with pytest.raises(ValueError, match=r"call reset\(\) before describe\(\)"):
        env.describe("player_0")
    env.reset(seed=0)
    for seat, agent in enumerate(env.agents):
        assert env.describe(agent) == env.game.describe(env._tables.states[0], seat)
    assert len({env.describe(agent) for agent in env.agents}) == 4


def test_a_search_acts_with_what_every_environment_offers() -> None:
    game = load_game("trick_taking")
    policy = make_policy("playout", game, num_playouts=4)
    env: Any = gymnasium.make(ID).unwrapped
    observation, info = env.reset(seed=0)
    with pytest.raises(ValueError, match=r"act\(.*position=env.unwrapped.determinize\(\)"):
        policy.act(observation, info["action_mask"])
    position = env.determinize()
    assert info["action_mask"][policy.act(observation, info["action_mask"], position=position)]
    np.testing.assert_array_equal(env.determinize()["hands"][0], position["hands"][0])
    envs: Any = gymnasium.make_vec(ID, 3)
    observations, info = envs.reset(seed=0)
    positions = envs.determinize()
    for row in range(3):
        mask = info["action_mask"][row]
        assert mask[policy.act(observations[row], mask, position=positions[row])]


def test_the_repr_of_a_policy_is_one_short_line() -> None:
    policy = make_policy("ppo", load_game("president"))
    assert repr(policy) == "<Policy ppo of president>"


def test_values_of_each_table_are_called_and_read_as_in_gymnasiums_vector_environment() -> None:
    kwargs: dict[str, Any] = {"render_mode": "ansi", "opponents": "first_legal"}
    ours: Any = gymnasium.make_vec(ID, 3, **kwargs)
    theirs: Any = gymnasium.make_vec(ID, 3, "sync", **kwargs)
    ours.reset(seed=0), theirs.reset(seed=0)
    for name in ("action_masks", "render"):
        np.testing.assert_equal(ours.call(name), theirs.call(name))
    for name in ("render_mode", "illegal_action", "observation_space", "action_space"):
        assert ours.get_attr(name) == theirs.get_attr(name)
    assert len(ours.call("determinize")) == 3
    ours.set_attr("illegal_action", "raise")
    ours.set_attr("render_seat", ["all"] * 3)
    assert ours.get_attr("illegal_action") == ("raise",) * 3
    assert ours.render()[0] == ours.game.describe(ours._tables.states[0], None)
    for wrong in ("win", ["raise", "lose", "lose"], ["raise"]):
        with pytest.raises(ValueError, match="illegal_action"):
            ours.set_attr("illegal_action", wrong)
    for name in ("reset", "elo"):
        with pytest.raises(AttributeError, match=f"no .*'{name}'.*action_masks"):
            ours.call(name)
    with pytest.raises(AttributeError, match=r"'game'.*illegal_action, render_seat"):
        ours.set_attr("game", None)


@pytest.mark.parametrize("observe", [False, True])
def test_random_plies_count_as_steps_of_a_game(observe: bool) -> None:
    envs = make_vector("president", num_envs=3, num_players=2, self_play=True)
    _, info = envs.reset(seed=3)
    envs.play_random(7, observe=observe)  # no game is over yet
    masks, num_steps = envs.action_masks(), 7
    while True:
        _, _, ended, _, info = envs.step(masks.argmax(axis=1))
        num_steps += 1
        if ended.any():
            break
        masks = info["action_mask"]
    assert (info["length"] == np.where(ended, num_steps, 0)).all()
