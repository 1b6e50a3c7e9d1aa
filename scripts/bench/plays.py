"""Calls that play some plies and return their number with the seconds that count.

The replays repeat recorded actions, so that only the environment is timed; `fused` also chooses.
Nothing of Parlour is imported here: programs that time other libraries use it too.
"""

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

FUSED_PLIES = 32  # at every table, in one compiled call
REPLAYED_PLIES = 256  # at every table, of a replay, so that few are the first of a game
RECORDED_GAMES = 20

Timed = Callable[[], tuple[int, float]]  # plays; returns the plies and the seconds that count
Now = Callable[[], float]  # a clock, in seconds


def timed(play: Callable[[], int], now: Now = time.process_time) -> Timed:
    """Time all of a call that returns the number of its plies."""

    def call() -> tuple[int, float]:
        start = now()
        num_plies = play()
        return num_plies, now() - start

    return call


def best_rate(play: Timed, repeats: int, seconds: float) -> float:
    """Return plies per second: the best repeat of `seconds`, after one call to warm up."""
    play()
    rates = []
    for _ in range(repeats):
        plies, spent = 0, 0.0
        while spent < seconds:
            number, took = play()
            plies, spent = plies + number, spent + took
        rates.append(plies / spent)
    return max(rates)


def fused(envs: Any, observe: bool, now: Now = time.process_time) -> Timed:
    """Play randomly inside the compiled code."""

    def play() -> int:
        envs.play_random(FUSED_PLIES, observe=observe)
        return FUSED_PLIES * envs.num_envs

    return timed(play, now)


def vector_replay(
    envs: Any, choose: Callable[[], np.ndarray] | None = None, plies_a_step: float = 1.0
) -> Timed:
    """Replay with `step()` what `choose()` chose [N] ply by ply, or random actions."""
    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    recorded = []
    for _ in range(REPLAYED_PLIES):
        recorded.append(random_legal(envs.action_masks(), rng) if choose is None else choose())
        envs.step(recorded[-1])

    def play() -> int:
        envs.reset(seed=1)
        for actions in recorded:
            envs.step(actions)
        return round(REPLAYED_PLIES * envs.num_envs * plies_a_step)

    return timed(play)


def random_step(envs: Any) -> Timed:
    """Take one random step by the clock; the choice of the actions is not timed."""
    rng = np.random.default_rng(0)

    def play() -> tuple[int, float]:
        actions = random_legal(envs.action_masks(), rng)
        start = time.perf_counter()
        envs.step(actions)
        return len(actions), time.perf_counter() - start

    return play


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a legal action [N] in each row of masks [N, A]."""
    return (masks * rng.random(masks.shape, np.float32)).argmax(axis=1)


def aec_replay(env: Any, num_games: int = RECORDED_GAMES) -> Timed:
    """Replay games in a PettingZoo environment: `last()`, then `step()`, for every ply."""
    rng = random.Random(0)
    games = []
    for seed in range(num_games):
        env.reset(seed=seed)
        actions: list[int | None] = []
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            is_over = terminated or truncated
            actions.append(None if is_over else legal_choice(observation["action_mask"], rng))
            env.step(actions[-1])
        games.append(actions)
    num_plies = sum(action is not None for actions in games for action in actions)

    def play() -> int:
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            for action in actions:
                env.last()
                env.step(action)
        return num_plies

    return timed(play)


def solo_replay(env: Any, num_games: int = RECORDED_GAMES) -> Timed:
    """Replay games in a Gymnasium environment; only the plies of its own seat are counted."""
    rng = random.Random(0)
    games = []
    for seed in range(num_games):
        _, info = env.reset(seed=seed)
        actions: list[int] = []
        terminated = False
        while not terminated:
            actions.append(legal_choice(info["action_mask"], rng))
            _, _, terminated, _, info = env.step(actions[-1])
        games.append(actions)

    num_plies = sum(map(len, games))

    def play() -> int:
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            for action in actions:
                env.step(action)
        return num_plies

    return timed(play)


def legal_choice(mask: np.ndarray, rng: random.Random) -> int:
    """Draw a legal action of one mask [A]."""
    return rng.choice(np.flatnonzero(mask).tolist())
