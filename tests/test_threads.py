"""The number of threads changes no array, and what cannot be one is refused."""

import copy
import os
from typing import Any

import gymnasium
import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core import threads
from parlour.envs.core.views.vector import TablesEnv

NUM_ENVS = 11  # parts of unequal size
IN_EVERY_RUN = ("notty", "president")  # one draws in mid-game, one does not
every_game = pytest.mark.parametrize(
    "name",
    [
        name if name in IN_EVERY_RUN else pytest.param(name, marks=pytest.mark.long)
        for name in GAMES
    ],
)


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MIN_PLIES", 1)


def made(name: str, num_threads: int, **settings: Any) -> TablesEnv:
    envs = gymnasium.make_vec(
        f"parlour:{GAMES[name]}", num_envs=NUM_ENVS, num_threads=num_threads, **settings
    )
    assert isinstance(envs, TablesEnv) and len(envs._parts) == num_threads
    return envs


def played(envs: TablesEnv, num_steps: int) -> list[np.ndarray]:
    """All arrays of some steps, with illegal actions and from a copy of the environment."""
    rng = np.random.default_rng(0)
    observations, info = envs.reset(seed=3)
    arrays = [observations, *in_info(info)]
    for step in range(num_steps):
        keys = rng.random(info["action_mask"].shape) * info["action_mask"]
        actions = keys.argmax(axis=1)
        actions[step % NUM_ENVS] = step % envs.game.num_actions
        *results, info = envs.step(actions)
        arrays += [*results, *in_info(info)]
        if step == num_steps // 2:
            envs = copy.deepcopy(envs)
    return arrays


def in_info(info: dict[str, Any]) -> list[np.ndarray]:
    arrays = [info[key] for key in ("action_mask", "seat", "returns")]
    if "final_obs" in info:
        arrays += [row for row in info["final_obs"] if row is not None]
        arrays += [info["final_info"]["returns"], info["_final_obs"]]
    return arrays


@every_game
@pytest.mark.parametrize(
    "settings",
    [
        {"self_play": True},
        {"self_play": True, "observation": "integer", "skip_forced": True},
        {"opponents": "random", "seat": "random", "illegal_action": "random"},
    ],
    ids=["self-play", "integer", "opponents"],
)
def test_the_number_of_threads_changes_no_array(name: str, settings: dict[str, Any]) -> None:
    one, three = (played(made(name, count, **settings), 120) for count in (1, 3))
    assert len(one) == len(three)
    for array, other in zip(one, three, strict=True):
        assert array.dtype == other.dtype
        np.testing.assert_array_equal(array, other)


@every_game
@pytest.mark.parametrize("observe", [True, False])
def test_the_number_of_threads_changes_no_random_play(name: str, observe: bool) -> None:
    one, three = (made(name, count, self_play=True) for count in (1, 3))
    for envs in (one, three):
        envs.reset(seed=5)
    assert one.play_random(2000, observe) == three.play_random(2000, observe) > 0
    assert one._tables.states.tobytes() == three._tables.states.tobytes()
    if observe:
        np.testing.assert_array_equal(one._numbers, three._numbers)
        seen = one._tables.observe(one._tables.all_rows, one._seats)
        np.testing.assert_array_equal(one._numbers, one.game.layout.scaled(seen))


def test_a_table_is_in_one_part_and_parts_are_not_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MIN_PLIES", 4)
    assert [len(threads.slices_of(rows, 3)) for rows in (1, 7, 8, 11, 12, 99)] == [1, 1, 2, 2, 3, 3]
    assert len(threads.slices_of(2, 3, num_plies=8)) == 2
    covered = [row for part in threads.slices_of(13, 3) for row in range(13)[part]]
    assert covered == list(range(13))


def test_an_error_of_any_part_is_raised_when_all_have_ended() -> None:
    ended = []

    def play(part: int) -> int:
        if part == 1:
            raise ValueError("part 1")
        ended.append(part)
        return part

    with pytest.raises(ValueError, match="part 1"):
        threads.run_parts(play, 3)
    assert sorted(ended) == [0, 2]
    assert threads.run_parts(lambda part: part, 3) == [0, 1, 2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    threads.run_parts(lambda part: part, 2)
    child = os.fork()
    if child == 0:
        os._exit(0 if threads.run_parts(lambda part: part, 2) == [0, 1] else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True])
def test_a_number_of_threads_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"num_threads must be an integer in 1 \.\. 1024; got"):
        gymnasium.make_vec("parlour:President-v0", num_envs=2, self_play=True, num_threads=wrong)
