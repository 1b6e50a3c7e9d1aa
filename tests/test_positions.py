"""Positions can be read, written as plain data, copied, and started from, in all three views."""

import copy
import json
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from parlour.baselines.environments import make_solo, make_vector
from parlour.envs import Playthrough, find_game, position_data, position_of
from parlour.envs.core.positions import position_from
from parlour.envs.registry import GAMES, make_aec
from tests.view_tools import short

pytestmark = pytest.mark.plain

PLIES = 7


def played(name: str, **settings: Any) -> Any:
    """Return an AEC environment in the middle of a game."""
    env = make_aec(name, **settings)
    env.reset(seed=4)
    for _ in range(PLIES):
        before = copy.deepcopy(env)
        env.step(int(env.last()[0]["action_mask"].argmax()))
        if any(env.terminations.values()):
            return before
    return env


def seen(env: Any) -> tuple[bytes, bytes, str]:
    observation = env.last()[0]
    return (
        observation["observation"].tobytes(),
        observation["action_mask"].tobytes(),
        env.agent_selection,
    )


@pytest.mark.parametrize("name", GAMES)
def test_a_game_goes_on_from_its_position_as_plain_data(name: str) -> None:
    env, again = played(name), make_aec(name)
    text = json.dumps(position_data(env.game, position_of(env)))
    again.reset(seed=9, options={"position": json.loads(text)})
    assert position_of(again).tobytes() == position_of(env).tobytes()
    assert seen(again) == seen(env)


@pytest.mark.parametrize("name", GAMES)
def test_every_position_of_a_game_is_one_it_can_start_from(name: str) -> None:
    game = find_game(name, **short(name, {}))
    envs = make_vector(name, num_envs=4, self_play=True, **short(name, {}))
    envs.reset(seed=1)
    for _ in range(5):
        envs.play_random(11)
        for position in position_of(envs):
            assert position_from(game, position).tobytes() == position.tobytes()


@pytest.mark.parametrize("name", GAMES)
def test_a_critic_sees_what_all_seats_see(name: str) -> None:
    env = played(name)
    expected = np.concatenate([env.observe(agent)["observation"] for agent in env.agents])
    assert np.array_equal(env.state(), expected) and expected in env.state_space
    options = {"position": position_of(env)}
    solo: Any = gym.make(
        f"parlour:{GAMES[name]}", opponents="random", seat=env.agents.index(env.agent_selection)
    )
    envs = make_vector(name, num_envs=2, self_play=True)
    others: tuple[Any, ...] = (solo, envs)
    for other in others:
        with pytest.raises(ValueError, match=r"call reset\(\) before state\(\)"):
            other.unwrapped.state()
        other.reset(seed=0, options=options)
    assert np.array_equal(envs.state(), np.stack([expected, expected]))
    assert np.array_equal(solo.unwrapped.state(), expected)


def test_each_view_starts_from_a_position() -> None:
    env = played("splendor")
    position = position_of(env)
    seat = int(env.agent_selection.removeprefix("player_"))
    mask = env.last()[0]["action_mask"]
    solo = gym.make("parlour:Splendor-v0", opponents="random", seat=seat)
    _, info = solo.reset(seed=2, options={"position": position})
    assert (info["action_mask"] == mask).all()
    assert position_of(solo).tobytes() == position.tobytes()
    envs = make_vector("splendor", num_envs=3, self_play=True)
    envs.reset(seed=3)
    before = position_of(envs)
    chosen = np.array([False, True, False])
    _, info = envs.reset(options={"position": position, "reset_mask": chosen})
    assert (info["action_mask"][1] == mask).all()
    assert position_of(envs, 1).tobytes() == position.tobytes()
    assert all(position_of(envs)[row].tobytes() == before[row].tobytes() for row in (0, 2))


def test_a_position_is_a_copy() -> None:
    env = played("president")
    position = position_of(env)
    before = position.tobytes()
    env.step(int(env.last()[0]["action_mask"].argmax()))
    assert position.tobytes() == before != position_of(env).tobytes()


def test_a_bad_position_is_refused_and_the_game_goes_on() -> None:
    env = played("president")
    game, position = env.game, position_of(env)
    plain = position_data(game, position)
    name = "seat_to_act"
    rule = next(iter(game.house_rules))
    other = {**plain, rule: 1 - np.array(plain[rule])}
    for data, message in (
        ({"position": plain, "deal": {}}, "a deal or a position, not both"),
        ({"position": position_of(played("notty"))}, "a position of president is a record"),
        ({"position": {name: plain[name]}}, "a position of president is a record"),
        ({"position": {**plain, name: 10**6}}, name),
        ({"position": other}, "is a house rule"),
        ({"place": plain}, "it has 'deal' and 'position'"),
    ):
        with pytest.raises(ValueError, match=message):
            env.reset(options=data)
        assert position_of(env).tobytes() == position.tobytes()


def test_a_position_before_the_first_game_or_of_no_table_is_refused() -> None:
    with pytest.raises(ValueError, match=r"call reset\(\) before position_of"):
        position_of(make_solo("president"))
    envs = make_vector("president", num_envs=2)
    envs.reset(seed=0)
    with pytest.raises(IndexError):
        position_of(envs, 2)


def test_a_playthrough_refuses_a_position_of_another_game() -> None:
    with pytest.raises(ValueError, match="a position of president is a record"):
        Playthrough(find_game("president"), deal=position_of(played("notty")))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_the_last_masks_of_a_copied_vector_environment_stay_empty(copied: Any) -> None:
    envs = make_vector("president", num_envs=8, self_play=True)
    envs.reset(seed=0)
    twin = copied(envs)
    for _ in range(2):
        info: dict[str, Any] = {}
        while "final_info" not in info:
            *_, info = twin.step(twin.action_masks().argmax(1))
        assert not info["final_info"]["action_mask"].any()
        info["final_info"]["action_mask"][:] = 1  # is not what a later game shows


def test_a_game_that_is_over_is_no_start() -> None:
    env = played("president")
    while not all(env.terminations.values()):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    with pytest.raises(ValueError, match="ends before you have a choice"):
        make_aec("president").reset(options={"position": position_of(env)})
