"""The number of threads changes no array, and what cannot be one is refused."""

import copy
import os
import time
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

import gymnasium
import numpy as np
import pytest
from numba.core.errors import TypingError
from parlour.envs.core.handover import LINE, LONGEST, exchange, load, take

from parlour.envs import GAMES
from parlour.envs.core import threads
from parlour.envs.core.compile import rule
from parlour.envs.core.environments.vector import TablesEnv

NUM_ENVS = 101  # slices of unequal size, in two parts each
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
    assert isinstance(envs, TablesEnv) and len(envs._scratches) == num_threads
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


def test_few_rows_are_played_by_few_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MIN_PLIES", 4)
    assert [threads.useful_threads(rows, 3) for rows in (1, 7, 8, 11, 12, 99)] == [1, 1, 2, 2, 3, 3]
    assert threads.useful_threads(2, 3, num_plies=8) == 2


def test_parts_of_a_slice_become_shorter_but_not_too_short() -> None:
    def parts(size: int, least: int) -> list[int]:
        taken = np.zeros(2 * LINE, np.int64)
        found: list[int] = []
        while True:
            first, end = take(taken, LINE, size, least)
            assert first == sum(found) and taken[0] == 0
            if first == end:
                return found
            found.append(end - first)

    assert parts(4096, 32) == [512] * 5 + [512, 320, 224, 160, 96, 64, 32, 32, 32, 32, 32]
    assert parts(70, 32) == [32, 32, 6]
    assert parts(9, 1) == [1] * 9
    assert parts(0, 1) == []


@rule
def doubled(first, end, numbers, out, count):
    """Write twice each number; count the rows."""
    for row in range(first, end):
        if numbers[row] < 0:
            raise ValueError("negative")
        out[row] = 2 * numbers[row]
        count[0] += 1


@rule
def halved(first, end, numbers, out, count):
    for row in range(first, end):
        out[row] = numbers[row] // 2
        count[0] += 1


def run(
    play: Any, numbers: np.ndarray, num_threads: int = 3, dtype: type = np.int64
) -> tuple[list[int], int]:
    """What the rows are, and how often one was played."""
    out: np.ndarray = np.zeros(len(numbers), dtype)
    counts = np.zeros((num_threads, 1), np.int64)
    threads.play_rows(play, len(numbers), (numbers, out), [(count,) for count in counts])
    return out.tolist(), int(counts.sum())


@pytest.mark.parametrize("num_threads", [1, 2, 3])
def test_each_row_is_played_once(num_threads: int) -> None:
    for num_rows in (1, 2, 3, 7, 50, 1000):
        for first in range(20):  # the later ones are handed over in compiled code
            numbers = np.arange(first, first + num_rows)
            assert run(doubled, numbers, num_threads) == ((2 * numbers).tolist(), num_rows)
            assert run(halved, numbers, num_threads) == ((numbers // 2).tolist(), num_rows)


@rule
def waited(first, end, left, is_slow, count):
    """Play rows; a slow thread waits in its first part until no other rows are left."""
    for _ in range(is_slow[0] * 10**9):
        if load(left, 0) <= end - first:
            break
    count[0] += end - first
    rest = load(left, 0)
    while not exchange(left, 0, rest, rest - (end - first)):
        rest = load(left, 0)


@pytest.mark.parametrize("slow", [0, 1])
def test_whoever_has_no_more_rows_takes_those_of_a_slow_thread(slow: int) -> None:
    left, counts = np.array([64]), np.zeros((2, 1), np.int64)
    is_slow = np.eye(2, dtype=np.int64)[slow]
    own = [(is_slow[thread : thread + 1], counts[thread]) for thread in range(2)]
    threads.play_rows(waited, 64, (left,), own, least=1)
    assert counts[slow] <= 32 // LONGEST  # none, where it comes when all rows are taken
    assert counts.sum() == 64


def test_a_thread_is_handed_other_types_of_arguments() -> None:
    for number in range(20):
        numbers = np.array([number, 2 * number])
        for dtype in (np.int64, np.int32):
            assert run(halved, numbers, 2, dtype)[0] == [number // 2, number]


@pytest.mark.parametrize("is_waiting", [True, False])
@pytest.mark.parametrize("wrong", range(6))
def test_an_error_of_any_thread_is_raised_when_all_have_ended(wrong: int, is_waiting: bool) -> None:
    numbers = np.arange(1, 7)
    for _ in range(3 if is_waiting else 0):
        run(doubled, numbers)
    out, counts = np.zeros(6, np.int64), np.zeros((3, 1), np.int64)
    numbers[wrong] = -1
    with pytest.raises(ValueError, match="negative"):
        threads.play_rows(doubled, 6, (numbers, out), [(count,) for count in counts], least=1)
    expected = 2 * np.arange(1, 7)
    expected[wrong] = 0
    assert out.tolist() == expected.tolist()
    assert run(doubled, np.arange(6))[1] == 6


def test_what_is_done_meanwhile_is_done_once_and_its_errors_are_raised() -> None:
    numbers, out, done = np.arange(2), np.zeros(2, np.int64), []
    own = [(count,) for count in np.zeros((2, 1), np.int64)]
    threads.play_rows(halved, 2, (numbers, out), own, meanwhile=lambda: done.append(1))
    assert done == [1] and out.tolist() == [0, 0]
    with pytest.raises(ZeroDivisionError):
        threads.play_rows(halved, 2, (numbers, out), own, meanwhile=lambda: 1 // 0)
    assert run(halved, np.arange(6), 2)[1] == 6


@rule
def mistaken(first, end, numbers, out, count):
    """Cannot be compiled."""
    return numbers.no_such_thing


def test_a_loop_that_cannot_be_compiled_is_an_error_and_no_wait() -> None:
    errors = []

    def work() -> None:
        with pytest.raises(TypingError, match="no_such_thing") as error:
            run(mistaken, np.arange(4), 2)
        errors.append(error)

    caller = Thread(target=work, daemon=True)  # which a caller that waits for ever does not hold up
    caller.start()
    caller.join(60)
    assert len(errors) == 1


def test_callers_in_several_threads_do_not_mix_their_rows() -> None:
    def work(first: int) -> None:
        for number in range(first, first + 300):
            play = doubled if number % 3 else halved
            numbers = np.array([number, number + 1])
            expected = 2 * numbers if number % 3 else numbers // 2
            assert run(play, numbers, 2) == (expected.tolist(), 2)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, (0, 10_000, 20_000)))


def test_arrays_are_not_kept() -> None:
    numbers, outs = np.arange(2), [np.zeros(2, np.int64)]
    counts = np.zeros((2, 1), np.int64)
    threads.play_rows(halved, 2, (numbers, outs[0]), [(count,) for count in counts])
    played = weakref.ref(outs.pop())
    wait_until(lambda: played() is None)


def wait_until(is_so: Callable[[], bool]) -> None:
    """Fail unless it is so within a minute."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_process_has_threads_of_its_own() -> None:
    numbers = np.array([1, 2])
    run(doubled, numbers)
    child = os.fork()
    if child == 0:
        os._exit(0 if run(doubled, numbers) == ([2, 4], 2) else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", True])
def test_a_number_of_threads_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"num_threads must be an integer in 1 \.\. 1024; got"):
        gymnasium.make_vec("parlour:President-v0", num_envs=2, self_play=True, num_threads=wrong)
