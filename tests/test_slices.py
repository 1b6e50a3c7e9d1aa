"""The number of threads changes no array, and what cannot be one is refused."""

import copy
import os
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.play import slices

NUM_ENVS = 101  # slices of unequal size


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MIN_PLIES", 1)


def made(num_threads: int, **settings: Any) -> TablesEnv:
    """Notty draws in mid-game."""
    envs = gymnasium.make_vec("parlour:Notty-v0", NUM_ENVS, num_threads=num_threads, **settings)
    assert isinstance(envs, TablesEnv)
    return envs


def played(envs: TablesEnv, num_steps: int) -> list[np.ndarray]:
    """Return all arrays of some steps, with illegal actions and from a copy half-way."""
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


@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize(
    "settings",
    [
        {"self_play": True, "observation": "integer", "skip_forced": True},
        {"opponents": "random", "seat": "random", "illegal_action": "random"},
    ],
    ids=["self-play", "opponents"],
)
def test_the_number_of_threads_changes_no_array(settings: dict[str, Any]) -> None:
    one, three = (played(made(count, **settings), 60) for count in (1, 3))
    assert len(one) == len(three)
    for array, other in zip(one, three, strict=True):
        assert array.dtype == other.dtype
        np.testing.assert_array_equal(array, other)


@pytest.mark.usefixtures("small_slices")
def test_the_number_of_threads_changes_no_random_play() -> None:
    one, three = (made(count, self_play=True) for count in (1, 3))
    for envs in (one, three):
        envs.reset(seed=5)
    assert one.play_random(1000, observe=True) == three.play_random(1000, observe=True) > 0
    assert one._tables.states.tobytes() == three._tables.states.tobytes()
    np.testing.assert_array_equal(one._episodes.report.numbers, three._episodes.report.numbers)
    views = one._tables.observe(one._tables.all_rows, one._tables.progress["seat"])
    np.testing.assert_array_equal(one._episodes.report.numbers, one.game.layout.scaled(views))


def names_of_threads(first: int, end: int) -> tuple[int, int, str]:
    return first, end, threading.current_thread().name


def test_few_rows_are_played_by_the_caller_and_many_by_threads() -> None:
    least, caller = slices.MIN_PLIES, threading.current_thread().name
    assert slices.play_slices(names_of_threads, 2 * least - 1, 3) == [(0, 2 * least - 1, caller)]
    assert slices.play_slices(names_of_threads, 2, 1, 10 * least) == [(0, 2, caller)]
    for num_rows, plies, num_slices in ((2 * least, 1, 2), (9 * least, 1, 3), (2, least, 2)):
        names = slices.play_slices(names_of_threads, num_rows, 3, plies)
        assert len(names) == num_slices
        assert [first for first, _, _ in names] == [0, *(end for _, end, _ in names[:-1])]
        assert names[-1][1] == num_rows
        assert caller not in {name for _, _, name in names}


@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize("wrong", range(3))
def test_an_error_of_any_slice_is_raised_and_the_threads_go_on(wrong: int) -> None:
    def play(first: int, end: int) -> int:
        return 1 // (first - wrong)

    with pytest.raises(ZeroDivisionError):
        slices.play_slices(play, 3, 3)
    assert len(slices.play_slices(names_of_threads, 3, 3)) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.usefixtures("small_slices")
def test_a_forked_process_has_threads_of_its_own() -> None:
    assert len(slices.play_slices(names_of_threads, 2, 2)) == 2
    child = os.fork()
    if child == 0:
        threading.Timer(60, os._exit, (1,)).start()  # rather than wait for threads for ever
        names = slices.play_slices(names_of_threads, 2, 2)
        os._exit(0 if all(str(os.getpid()) in name for _, _, name in names) else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True])
def test_a_number_of_threads_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"num_threads must be an integer in 1 \.\. 1024; got"):
        made(wrong, self_play=True)
