"""The number of threads changes no array, and what cannot be one is refused."""

import copy
import os
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium
import numpy as np
import pytest

from parlour.envs import GAMES
from parlour.envs.core import threads
from parlour.envs.core.jit import rule
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


@rule
def doubled(number, out):
    """Return twice the number and one more, and write the first to `out`."""
    if number < 0:
        raise ValueError("negative")
    out[0] = 2 * number
    return 2 * number, 2 * number + 1


@rule
def halved(number, out):
    out[0] = number // 2


def run(play: Any, *numbers: int) -> tuple[list[tuple[int, ...]], list[int]]:
    """What the parts return, and what they have written."""
    outs = [np.zeros(1, np.int64) for _ in numbers]
    results = threads.run_parts(play, list(zip(numbers, outs, strict=True)))
    return results, [int(out[0]) for out in outs]


def test_each_part_has_its_own_results() -> None:
    for first in range(50):  # the later ones are handed over in compiled code
        numbers = range(first, first + 3)
        expected = [2 * number for number in numbers]
        assert run(doubled, *numbers) == ([(n, n + 1) for n in expected], expected)
    assert run(doubled, 4) == ([(8, 9)], [8])
    assert run(halved, 4) == ([()], [2]) and run(halved, 4, 7) == ([(), ()], [2, 3])


def test_a_thread_is_handed_other_types_of_arguments() -> None:
    wide, narrow = np.zeros((2, 1), np.int64), np.zeros((2, 1), np.int32)
    for number in range(20):
        for outs in (wide, narrow):
            threads.run_parts(halved, [(number, outs[0]), (2 * number, outs[1])])
            assert outs[:, 0].tolist() == [number // 2, number]


@pytest.mark.parametrize("is_waiting", [True, False])
def test_an_error_of_any_part_is_raised_when_all_have_ended(is_waiting: bool) -> None:
    for _ in range(3 if is_waiting else 0):
        run(doubled, 1, 2, 3)
    outs = [np.zeros(1, np.int64) for _ in range(3)]
    with pytest.raises(ValueError, match="negative"):
        threads.run_parts(doubled, [(1, outs[0]), (-1, outs[1]), (3, outs[2])])
    assert [int(out[0]) for out in outs] == [2, 0, 6]
    with pytest.raises(ValueError, match="negative"):
        threads.run_parts(doubled, [(-1, outs[0]), (2, outs[1])])
    assert run(doubled, 1, 2)[1] == [2, 4]


def test_callers_in_several_threads_do_not_mix_their_parts() -> None:
    def work(first: int) -> None:
        for number in range(first, first + 300):
            play = doubled if number % 3 else halved
            expected = [2 * n if number % 3 else n // 2 for n in (number, number + 1)]
            assert run(play, number, number + 1)[1] == expected

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, (0, 10_000, 20_000)))


def test_arrays_of_a_part_are_not_kept() -> None:
    outs = [np.zeros(1, np.int64) for _ in range(2)]
    threads.run_parts(halved, [(2, outs[0]), (4, outs[1])])
    waited = weakref.ref(outs.pop())
    wait_until(lambda: waited() is None)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Fail unless it is so within a minute."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    run(doubled, 1, 2)
    child = os.fork()
    if child == 0:
        os._exit(0 if run(doubled, 1, 2)[1] == [2, 4] else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True])
def test_a_number_of_threads_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"num_threads must be an integer in 1 \.\. 1024; got"):
        gymnasium.make_vec("parlour:President-v0", num_envs=2, self_play=True, num_threads=wrong)
