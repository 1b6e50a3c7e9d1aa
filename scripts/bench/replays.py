"""Plies to time: each function returns a call that plays some plies and returns their number.

Actions recorded in random legal play are replayed, so that the time is that of the environment.
"""

import random
import time
from collections.abc import Callable
from typing import Any

import numpy as np

VECTOR_PLIES = 32  # at every table, between two looks at the clock
REPLAYED_PLIES = 256  # at every table, of a replay, so that few are the first of a game
RECORDED_GAMES = 20

Play = Callable[[], int]  # plays some plies and returns their number
PartTimed = Callable[[], tuple[int, float]]  # also returns the seconds of processor time that count


def fused(envs: Any, batch: int, observe: bool) -> Play:
    """Play randomly inside the compiled code."""

    def play() -> int:
        envs.play_random(VECTOR_PLIES, observe=observe)
        return VECTOR_PLIES * batch

    return play


def vector_replay(envs: Any, batch: int) -> Play:
    """Replay recorded random actions with `step()`."""
    rng = np.random.default_rng(0)
    envs.reset(seed=1)
    recorded = []
    for _ in range(REPLAYED_PLIES):
        recorded.append(random_legal(envs.action_masks(), rng))
        envs.step(recorded[-1])

    def play() -> int:
        envs.reset(seed=1)
        for actions in recorded:
            envs.step(actions)
        return REPLAYED_PLIES * batch

    return play


def random_legal(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a legal action [N] in each row of masks [N, A]."""
    return (masks * rng.random(masks.shape, np.float32)).argmax(axis=1)


def aec_replay(env: Any, looks: bool = True) -> Play:
    """Replay games in a PettingZoo environment: `last()`, then `step()`, for every ply."""
    rng = random.Random(0)
    games = []
    for seed in range(RECORDED_GAMES):
        env.reset(seed=seed)
        actions: list[int | None] = []
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            actions.append(None if terminated or truncated else rng.choice(legal))
            env.step(actions[-1])
        games.append(actions)
    num_plies = sum(action is not None for actions in games for action in actions)

    def play() -> int:
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            for action in actions:
                if looks:
                    env.last()
                env.step(action)
        return num_plies

    return play


def solo_replay(env: Any) -> Play:
    """Replay games in a Gymnasium environment; only the plies of its own seat are counted."""
    games = _recorded_solo(env)

    def play() -> int:
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            for action in actions:
                env.step(action)
        return sum(map(len, games))

    return play


def solo_step_replay(env: Any) -> PartTimed:
    """Replay the same games; the time of `reset` does not count."""
    games = _recorded_solo(env)

    def play() -> tuple[int, float]:
        spent = 0.0
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            start = time.process_time()
            for action in actions:
                env.step(action)
            spent += time.process_time() - start
        return sum(map(len, games)), spent

    return play


def _recorded_solo(env: Any) -> list[list[int]]:
    """Return the random actions of some games, which begin with the seeds 0, 1, ..."""
    rng = random.Random(0)
    games = []
    for seed in range(RECORDED_GAMES):
        _, info = env.reset(seed=seed)
        actions: list[int] = []
        terminated = False
        while not terminated:
            actions.append(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
            _, _, terminated, _, info = env.step(actions[-1])
        games.append(actions)
    return games
