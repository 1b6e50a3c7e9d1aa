"""Plies to be timed: each function returns a call that plays some and says how many it played.

Actions are recorded in random legal play first and given again, so that the environment is timed
and not the choice.
"""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

VECTOR_PLIES = 32  # at every table, between two looks at the clock
RECORDED_GAMES = 20

Play = Callable[[], int]  # plays some plies and says how many


def fused(envs: Any, batch: int, observe: bool) -> Play:
    """Random legal play inside the compiled code."""

    def play() -> int:
        envs.play_random(VECTOR_PLIES, observe=observe)
        return VECTOR_PLIES * batch

    return play


def vector_replay(envs: Any, batch: int) -> Play:
    """`step()` with recorded random actions."""
    rng = np.random.default_rng(0)
    _, info = envs.reset(seed=1)
    recorded = []
    for _ in range(VECTOR_PLIES):
        keys = rng.random(info["action_mask"].shape, np.float32) * info["action_mask"]
        recorded.append(keys.argmax(axis=1))
        *_, info = envs.step(recorded[-1])

    def play() -> int:
        envs.reset(seed=1)
        for actions in recorded:
            envs.step(actions)
        return VECTOR_PLIES * batch

    return play


def aec_replay(env: Any, looks: bool = True) -> Play:
    """A PettingZoo environment: `step()` for every ply, after a look at `last()`."""
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
    """A Gymnasium environment: your own plies are counted, the others' are on top."""
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

    def play() -> int:
        for seed, actions in enumerate(games):
            env.reset(seed=seed)
            for action in actions:
                env.step(action)
        return sum(map(len, games))

    return play
