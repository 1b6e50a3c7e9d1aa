"""Play the first game in each view, which compiles everything that a start needs.

`parlour bench --cold` times them and `parlour warm` plays them ahead of time; by itself,
`python -m parlour.scripts.bench.first_games VIEW GAME` plays one and prints the seconds it took.
GAME may be PACKAGE:GAME.
"""

import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any

NUM_TABLES = 64


def play_aec(name: str) -> None:
    """Play a game in PettingZoo's view."""
    from ...envs.registry import make_aec

    env = make_aec(name)
    env.reset(seed=0)
    choose = random.Random(0).choice
    observation, _, terminated, truncated, _ = env.last()
    while not (terminated or truncated):
        env.step(choose(_legal(observation["action_mask"])))
        observation, _, terminated, truncated, _ = env.last()


def play_solo(name: str) -> None:
    """Play a game in Gymnasium's view with its default opponents."""
    import gymnasium

    from ...envs import GAMES

    env = gymnasium.make(f"parlour:{GAMES[name]}")
    _, info = env.reset(seed=0)
    choose = random.Random(0).choice
    terminated = truncated = False
    while not (terminated or truncated):
        _, _, terminated, truncated, info = env.step(choose(_legal(info["action_mask"])))
    env.reset()


def play_vector(name: str) -> None:
    """Play at many tables until one game has ended and the next has begun."""
    import gymnasium
    import numpy as np

    from ...envs import GAMES

    envs = gymnasium.make_vec(f"parlour:{GAMES[name]}", num_envs=NUM_TABLES)
    _, info = envs.reset(seed=0)
    choose = random.Random(0).choice
    has_ended = False
    while not has_ended:
        actions = np.array([choose(_legal(mask)) for mask in info["action_mask"]])
        _, _, terminated, truncated, info = envs.step(actions)
        has_ended = bool((terminated | truncated).any())


def _legal(mask: Any) -> list[int]:
    legal: list[int] = mask.nonzero()[0].tolist()
    return legal


VIEWS: dict[str, Callable[[str], None]] = {
    "aec": play_aec,
    "solo": play_solo,
    "vector": play_vector,
}


def main(view: str, name: str) -> None:
    """Play, and print (seconds of processor time since Python began, the time of day).

    A game of another package is named `PACKAGE:GAME`.
    """
    from ...envs.core.catalogue import import_game

    VIEWS[view](import_game(name).name)
    print(sum(os.times()[:4]), time.time())  # the first includes children and threads


if __name__ == "__main__":
    main(*sys.argv[1:])
