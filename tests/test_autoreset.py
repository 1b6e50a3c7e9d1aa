"""The vector environment's autoreset modes, compared with Gymnasium's own vector environment."""

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from parlour.envs.core.environments.vector import TablesEnv
from tests.view_tools import choose, last_legal

pytestmark = pytest.mark.plain

ID = "parlour:TrickTaking-v0"
NUM_ENVS = 3
SHORT: dict[str, Any] = {"num_values": 3}  # games of six plies
NEXT_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED
every_mode = pytest.mark.parametrize("mode", AutoresetMode)


def native(**settings: Any) -> TablesEnv:
    envs = gymnasium.make_vec(ID, NUM_ENVS, **SHORT, **settings)
    assert isinstance(envs, TablesEnv)
    return envs


def gymnasiums(mode: AutoresetMode, **settings: Any) -> SyncVectorEnv:
    kwargs = {"autoreset_mode": mode}
    envs = gymnasium.make_vec(ID, NUM_ENVS, "sync", kwargs, **SHORT, **settings)
    assert isinstance(envs, SyncVectorEnv)
    return envs


def actions_for(masks: np.ndarray, rng: np.random.Generator, num_wrong: int) -> np.ndarray:
    """Legal actions, but for some rows any at all; one where no action is legal."""
    actions = np.array([choose(mask, rng) if mask.any() else 0 for mask in masks])
    wrong = rng.integers(len(masks), size=num_wrong)
    actions[wrong] = rng.integers(masks.shape[1], size=num_wrong)
    return actions


@every_mode
@pytest.mark.parametrize(
    "settings",
    [
        {"opponents": "first_legal", "layout": "dict"},
        {"opponents": "first_legal", "seat": "random", "max_episode_steps": 2},
        {"opponents": last_legal, "seat": "random"},
    ],
)
def test_every_mode_is_that_of_gymnasium(mode: AutoresetMode, settings: Any) -> None:
    ours, theirs = native(autoreset_mode=mode, **settings), gymnasiums(mode, **settings)
    assert ours.observation_space == theirs.observation_space
    assert ours.single_observation_space == theirs.single_observation_space
    view = ours.reset(seed=3), theirs.reset(seed=3)
    rng = np.random.default_rng(0)
    ended = np.zeros(NUM_ENVS, np.bool_)
    num_ended = 0
    for ply in range(60):
        np.testing.assert_equal(view[0][0], view[1][0])
        if "layout" in settings:
            np.testing.assert_array_equal(view[0][0]["action_mask"], view[0][1]["action_mask"])
        for key in ("action_mask", "seat"):
            is_told = view[1][1][f"_{key}"]  # Gymnasium's tells only of the tables it reset
            np.testing.assert_array_equal(view[0][1][key][is_told], view[1][1][key][is_told])
        if mode is DISABLED and ended.any():
            seed = ply if ply % 2 else None
            view = tuple(  # type: ignore[assignment]
                envs.reset(seed=seed, options={"reset_mask": ended.copy()})
                for envs in (ours, theirs)
            )
            ended = np.zeros(NUM_ENVS, np.bool_)
            continue
        actions = actions_for(view[0][1]["action_mask"], rng, num_wrong=int(ply % 7 == 0))
        mine, its = ours.step(actions), theirs.step(actions)
        for k in (1, 2, 3):
            np.testing.assert_array_equal(mine[k], its[k])
        ended = mine[2] | mine[3]
        num_ended += ended.sum()
        compare_infos(mine[4], its[4], ended, mode)
        view = (mine[0], mine[4]), (its[0], its[4])
    assert num_ended > 10


def test_a_table_without_a_seed_in_the_list_goes_on_as_gymnasiums() -> None:
    ours, theirs = native(autoreset_mode=DISABLED), gymnasiums(DISABLED)
    seeds: list[Any] = [3, [5, None, 7], [None, None, np.int64(2)], [None, None, None]]
    for seed in seeds:
        for some in ({}, {"reset_mask": np.array([True, True, False])}):
            mine, its = (envs.reset(seed=seed, options=dict(some))[0] for envs in (ours, theirs))
            np.testing.assert_array_equal(mine, its)


def test_a_table_without_a_seed_in_the_first_list_gets_a_fresh_one() -> None:
    first, again = (native().reset(seed=[4, None, None])[0] for _ in range(2))
    np.testing.assert_array_equal(first[0], native().reset(seed=4)[0][0])
    assert len({row.tobytes() for row in (*first[1:], *again[1:])}) > 1


def compare_infos(
    ours: dict[str, Any], theirs: dict[str, Any], ended: np.ndarray, mode: AutoresetMode
) -> None:
    """Of the games that have just ended."""
    is_same_step = mode is AutoresetMode.SAME_STEP
    assert ("final_obs" in ours) == ("final_obs" in theirs) == (is_same_step and ended.any())
    if is_same_step:
        for row in np.flatnonzero(ended):
            np.testing.assert_equal(ours["final_obs"][row], theirs["final_obs"][row])
        ours, theirs = ours.get("final_info", {}), theirs.get("final_info", {})
    assert "returns" in theirs or not ended.any()
    for key in ("action_mask", "seat", "returns", "illegal_action") if ended.any() else ():
        np.testing.assert_array_equal(ours[key][ended], theirs[key][ended])


@pytest.mark.parametrize("skip_forced", [False, True])
def test_in_self_play_the_modes_play_the_same_games(skip_forced: bool) -> None:
    """NEXT_STEP spends a step on each new game; DISABLED spends a reset."""
    played = [
        games(native(self_play=True, autoreset_mode=mode, skip_forced=skip_forced), 40)
        for mode in AutoresetMode
    ]
    for row in range(NUM_ENVS):
        rows = [tables[row] for tables in played]
        shortest = min(map(len, rows))
        assert shortest > 15
        assert rows[0][:shortest] == rows[1][:shortest] == rows[2][:shortest]


def games(envs: TablesEnv, num_steps: int) -> list[list[Any]]:
    """What is seen at each table and what is earned there, without the steps that only deal."""
    observations, info = envs.reset(seed=1)
    steps: list[list[Any]] = [[] for _ in range(NUM_ENVS)]
    ended = np.zeros(NUM_ENVS, np.bool_)
    num_steps_of_game = np.zeros(NUM_ENVS, np.int64)
    for _ in range(num_steps):
        if envs.autoreset_mode is DISABLED and ended.any():
            observations, info = envs.reset(options={"reset_mask": ended})
        before = (observations, info["seat"], info["action_mask"])
        observations, rewards, ended, _, info = envs.step(info["action_mask"].argmax(axis=1))
        num_steps_of_game += before[2].any(axis=1)
        np.testing.assert_array_equal(info["length"], np.where(ended, num_steps_of_game, 0))
        num_steps_of_game[ended] = 0
        for row in range(NUM_ENVS):
            if before[2][row].any():
                here = [array[row].tobytes() for array in before]
                steps[row].append((here, rewards[row], info["returns"][row].tolist()))
    return steps


def test_a_table_that_is_over_shows_its_last_position_and_no_legal_action() -> None:
    envs = native(autoreset_mode="NextStep", self_play=True, render_mode="ansi")
    _, info = envs.reset(seed=0)
    ended = np.zeros(NUM_ENVS, np.bool_)
    while not ended.any():
        _, _, ended, _, info = envs.step(info["action_mask"].argmax(axis=1))
    assert not info["action_mask"][ended].any()
    over = ended.argmax()
    shown = envs.render()
    assert shown is not None
    assert shown[over] == envs.game.describe(envs._tables.states[over], None)
    assert envs.game.is_terminal(envs._tables.states[over])


def test_disabled_wants_a_reset_and_says_so() -> None:
    envs = native(autoreset_mode=DISABLED, self_play=True)
    with pytest.raises(ValueError, match=r"the first reset\(\) .* start games at all tables"):
        envs.reset(options={"reset_mask": np.array([True, False, False])})
    _, info = envs.reset(seed=0)
    ended = np.zeros(NUM_ENVS, np.bool_)
    while not ended.any():
        _, _, ended, _, info = envs.step(info["action_mask"].argmax(axis=1))
    with pytest.raises(ValueError, match=f"the game at table {ended.argmax()} is over: reset"):
        envs.step(info["action_mask"].argmax(axis=1))
    for wrong in (np.zeros(NUM_ENVS, np.bool_), np.ones(2, np.bool_), np.ones(NUM_ENVS)):
        with pytest.raises(ValueError, match="reset_mask must be 3 booleans with at least one Tr"):
            envs.reset(options={"reset_mask": wrong})


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="one of 'NextStep', 'SameStep', 'Disabled'; got 'None'"):
        native(autoreset_mode="None")


@every_mode
@pytest.mark.parametrize("layout", ["flat", "dict"])
@pytest.mark.parametrize("self_play", [False, True])
def test_games_are_truncated_in_every_layout(
    mode: AutoresetMode, layout: str, self_play: bool
) -> None:
    envs = native(autoreset_mode=mode, layout=layout, self_play=self_play, max_episode_steps=2)
    _, info = envs.reset(seed=0)
    kept = []
    for step in range(1, 13):
        actions = np.array([mask.argmax() for mask in info["action_mask"]])
        observations, rewards, ended, truncated, info = envs.step(actions)
        assert observations in envs.observation_space
        kept.append((observations, copy.deepcopy(observations)))
        is_last = step % 3 == 2 if mode is NEXT_STEP else step % 2 == 0  # it deals in every third
        assert (truncated.all() if is_last else not truncated.any()) and not ended.any()
        assert not rewards.any() and set(info) >= {"action_mask", "seat", "returns"}
        assert (info["length"] == np.where(truncated, 2, 0)).all()
        if is_last and mode is AutoresetMode.SAME_STEP:
            final, last = info["final_info"], info["final_obs"]
            assert final["action_mask"].any(axis=1).all() and not final["returns"].any()
            assert all(one in envs.single_observation_space for one in last)
        if is_last and mode is DISABLED:
            _, info = envs.reset(options={"reset_mask": truncated})
    for observation, as_it_was in kept:
        np.testing.assert_equal(observation, as_it_was)


@pytest.mark.parametrize("limit", [0, -2, 2.5, True])
def test_a_wrong_limit_is_refused(limit: Any) -> None:
    with pytest.raises(ValueError, match=r"max_episode_steps must be an integer in 1 \.\. "):
        native(max_episode_steps=limit)
