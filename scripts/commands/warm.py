"""Compile games ahead of time, so that they start at once.

This plays the first game in each view, which compiles everything that a start needs. Code that is
compiled already is not compiled again.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable

from ...envs import GAMES
from ..options import known_games

NUM_TABLES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game to compile (default: all games)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Compile, and print one line for each game."""
    from ...envs.core.code_cache import cache_folder  # the time to start is measured without

    for name in known_games(arguments.game):
        start = time.perf_counter()
        for play in VIEWS.values():
            play(name)
        print(f"{name} is compiled ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"compiled code is kept in {cache_folder()}")


def play_aec(name: str) -> None:
    """Play a game in PettingZoo's view."""
    from ...envs.registry import make_aec
    from ..bench.plays import aec_replay

    aec_replay(make_aec(name), num_games=1)


def play_solo(name: str) -> None:
    """Play a game in Gymnasium's view with its default opponents, and begin another."""
    import gymnasium

    from ..bench.plays import solo_replay

    env = gymnasium.make(f"parlour:{GAMES[name]}")
    solo_replay(env, num_games=1)
    env.reset()


def play_vector(name: str) -> None:
    """Play at many tables until one game has ended and the next has begun."""
    import gymnasium
    import numpy as np

    from ..bench.plays import random_legal

    envs = gymnasium.make_vec(f"parlour:{GAMES[name]}", num_envs=NUM_TABLES)
    _, info = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    has_ended = False
    while not has_ended:
        actions = random_legal(info["action_mask"], rng)
        _, _, terminated, truncated, info = envs.step(actions)
        has_ended = bool((terminated | truncated).any())


VIEWS: dict[str, Callable[[str], None]] = {
    "aec": play_aec,
    "solo": play_solo,
    "vector": play_vector,
}


def first_game(view: str, name: str) -> None:
    """Play, and print (seconds of processor time since Python began, the time of day).

    A game of another package is named `PACKAGE:GAME`.
    """
    from ...envs.core.catalogue import import_game

    VIEWS[view](import_game(name).name)
    print(sum(os.times()[:4]), time.time())  # the first includes children and threads


if __name__ == "__main__":  # in a process of its own, which `parlour bench` times
    first_game(*sys.argv[1:])
