"""Opponents that change between games: `set_opponents`, and pools from which each game draws."""

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from parlour.baselines.environments import make_solo, make_vector
from parlour.envs import GAMES
from tests.view_tools import first_legal, short

pytestmark = pytest.mark.plain

two_games = pytest.mark.parametrize("name", ["president", "trick_taking"])
COMPILED = [("trick_taking", {"num_values": 3}), ("president", {"num_players": 4})]
POOL = {"random": 1, "first_legal": 3}


def noting(heard: list[str], who: str) -> Callable[..., np.ndarray]:
    """An opponent that plays the first legal action and notes that it was asked."""

    def choose(observations: Any, masks: np.ndarray, rngs: Any) -> np.ndarray:
        heard.append(who)
        return masks.argmax(axis=1)

    return choose


def names_at(env: Any, row: int = 0) -> list[str]:
    """Who sits at a table: "you" and the names of the others."""
    episodes = env.unwrapped._episodes
    seats = (episodes.seating.policy_at(row, seat) for seat in range(episodes.game.num_seats))
    return ["you" if policy is None else policy.name for policy in seats]


def play_games(env: Any, seed: int, num_games: int) -> list[list[str]]:
    """Play the first legal actions in the single-seat environment; return who sat at each game."""
    _, info = env.reset(seed=seed)
    seated = [names_at(env)]
    while len(seated) < num_games:
        *_, is_over, _, info = env.step(first_legal(info))
        if is_over:
            _, info = env.reset()
            seated.append(names_at(env))
    return seated


# set_opponents


@two_games
def test_new_opponents_of_the_single_seat_environment_play_from_the_next_reset_on(
    name: str,
) -> None:
    heard: list[str] = []
    before, after = (noting(heard, who) for who in ("before", "after"))
    env = gymnasium.make(f"parlour:{GAMES[name]}", opponents=before, seat=1, **short(name, {}))
    _, info = env.reset(seed=0)
    env.unwrapped.set_opponents(after)  # type: ignore[attr-defined]
    is_over = False
    while not is_over:
        *_, is_over, _, info = env.step(first_legal(info))
    assert set(heard) == {"before"}
    heard.clear()
    play_games(env, 1, 3)
    assert set(heard) == {"after"}


@two_games
@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_those_of_the_vector_environment_play_from_the_next_reset_of_all_tables_on(
    name: str, mode: str
) -> None:
    heard: list[str] = []
    before, after = (noting(heard, who) for who in ("before", "after"))
    settings = {"opponents": before, "seat": 1, "autoreset_mode": mode, **short(name, {})}
    envs: Any = gymnasium.make_vec(f"parlour:{GAMES[name]}", 3, **settings)
    _, info = envs.reset(seed=0)
    envs.unwrapped.set_opponents(after)
    num_ended = 0
    while num_ended < 4:
        _, _, ended, _, info = envs.step(first_legal(info))
        num_ended += int(ended.sum())
        if mode == "Disabled" and ended.any() and not ended.all():
            _, info = envs.reset(options={"reset_mask": ended})
        elif mode == "Disabled" and ended.any():
            break
    assert set(heard) == {"before"}
    heard.clear()
    _, info = envs.reset()
    for _ in range(5):
        *_, info = envs.step(first_legal(info))
        if mode == "Disabled":
            _, info = envs.reset()
    assert set(heard) == {"after"}


@pytest.mark.parametrize("make", [make_solo, make_vector])
def test_they_may_be_set_before_the_first_reset_and_in_any_form(make: Any) -> None:
    env = make("president", num_players=4)
    env.set_opponents(["lowest", "first_legal", {"random": 1}])
    env.reset(seed=0)
    assert names_at(env) == ["you", "lowest", "first_legal", "random"]


def test_wrappers_and_tables_of_gymnasium_reach_it() -> None:
    settings: dict[str, Any] = {"num_values": 3, "opponents": "first_legal"}
    env = gymnasium.make("parlour:TrickTaking-v0", **settings)
    env.get_wrapper_attr("set_opponents")("random")
    env.reset(seed=0)
    assert names_at(env) == ["you", "random"]
    many = gymnasium.make_vec("parlour:TrickTaking-v0", 2, vectorization_mode="sync", **settings)
    native = gymnasium.make_vec("parlour:TrickTaking-v0", 2, **settings)
    for envs in (many, native):
        assert envs.call("set_opponents", "random") == (None, None)  # type: ignore[attr-defined]
        envs.reset(seed=0)
    assert [names_at(env)[1] for env in many.envs] == ["random"] * 2  # type: ignore[attr-defined]
    assert names_at(native, 1)[1] == "random"


def test_tables_of_stable_baselines3_get_them_with_their_next_games() -> None:
    vec_env = pytest.importorskip("stable_baselines3.common.vec_env")
    made = [lambda: gymnasium.make("parlour:TrickTaking-v0", num_values=3)] * 2
    envs = vec_env.DummyVecEnv(made)
    envs.reset()
    envs.env_method("set_opponents", "first_legal")
    views: dict[bool, set[str]] = {False: set(), True: set()}  # by whether the first game is over
    is_next = np.zeros(2, np.bool_)
    for _ in range(20):
        for env, is_new in zip(envs.envs, is_next.tolist(), strict=True):
            views[is_new].add(names_at(env)[1])
        masks = np.array([env.unwrapped.action_masks() for env in envs.envs])
        is_next |= envs.step(masks.argmax(axis=1))[2]
    assert views == {False: {"random"}, True: {"first_legal"}}


@pytest.mark.parametrize("make", [make_solo, make_vector])
def test_impossible_opponents_are_refused_and_change_nothing(make: Any) -> None:
    env = make("president", num_players=4, opponents="first_legal")
    impossible: list[tuple[Any, str]] = [
        ("nobody", "has no player 'nobody'"),
        (["random"], "a list of 3"),
        ({}, "weights, numbers of at least 0 and one above 0"),
        ({"random": 0, "lowest": 0}, r"got the weights \[0, 0\]"),
        ({"random": -1, "lowest": 2}, r"got the weights \[-1, 2\]"),
        ({"random": float("inf")}, "weights"),
        ({"random": "1"}, "weights"),
    ]
    for opponents, message in impossible:
        with pytest.raises(ValueError, match=message):
            env.set_opponents(opponents)
        with pytest.raises(ValueError, match=message):
            make("president", num_players=4, opponents=opponents)
    env.reset(seed=0)
    assert names_at(env) == ["you", *["first_legal"] * 3]


# Pools


@pytest.mark.parametrize(("name", "config"), COMPILED)
@pytest.mark.parametrize("seat", [1, "random"])
@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_table_draws_the_opponents_of_the_single_environment_with_its_seed(
    name: str, config: dict[str, Any], seat: Any, is_compiled: bool
) -> None:
    pool: dict[Any, int] = POOL if is_compiled else {"random": 1, noting([], "noting"): 1}
    settings = {"opponents": pool, "seat": seat, **config}
    env, envs = make_solo(name, **settings), make_vector(name, num_envs=3, **settings)
    _, info = env.reset(seed=2)
    _, infos = envs.reset(seed=1)
    for _ in range(60 if is_compiled else 20):
        np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][1])
        assert names_at(env) == names_at(envs, 1)
        assert names_at(env)[info["seat"]] == "you"
        actions = first_legal(infos)
        *_, is_over, _, info = env.step(actions[1])
        *_, infos = envs.step(actions)
        if is_over:
            _, info = env.reset()


def test_each_game_draws_for_each_seat_by_weight_and_never_who_has_none() -> None:
    third_pool = {"planner": 0, "lowest": 1, **POOL, "set_keeper": 0}
    env = make_solo("president", num_players=4, opponents=[POOL, "random", third_pool])
    seated = play_games(env, 0, 60)
    first = Counter(names[1] for names in seated)
    assert first["first_legal"] == pytest.approx(45, abs=16)  # 4.8 standard deviations
    assert first["random"] + first["first_legal"] == 60
    assert {names[2] for names in seated} == {"random"}
    third = Counter(names[3] for names in seated if names[1] == "random")  # independent of it
    share = third["first_legal"] / third.total()
    assert share == pytest.approx(0.6, abs=0.45)
    assert set(third) == {"lowest", "random", "first_legal"}


def test_the_seed_repeats_what_is_drawn() -> None:
    envs = [make_solo("trick_taking", num_values=3, opponents=POOL) for _ in range(2)]
    drawn = [play_games(env, 5, 40) for env in envs]
    assert drawn[0] == drawn[1] != play_games(envs[0], 6, 40)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_keep_who_sits_there_and_who_comes_next(clone: Any) -> None:
    env = make_solo("trick_taking", num_values=3, opponents=POOL, seat="random")
    for seed in range(8):
        env.reset(seed=seed)
        assert names_at(clone(env)) == names_at(env)
    env.set_opponents({"first_legal": 1, "high_low": 1})
    again = clone(env)
    assert play_games(again, 3, 20) == play_games(env, 3, 20)
    assert {name for names in play_games(again, 3, 20) for name in names} >= {"high_low", "you"}
