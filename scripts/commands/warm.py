"""Compile games ahead of time, so that they start at once.

This plays the first game in each view, which compiles everything that a start needs. Code that is
compiled already is not compiled again.
"""

import argparse
import time

import gymnasium
import numpy as np

from ...envs import GAMES
from ...envs.core.code_cache import cache_folder
from ...envs.registry import make_aec
from ..bench.plays import aec_replay, random_legal, solo_replay
from ..options import known_games

NUM_TABLES = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game to compile (default: all games)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Compile, and print one line for each game."""
    for name in known_games(arguments.game):
        start = time.perf_counter()
        aec_replay(make_aec(name), num_games=1)
        env = gymnasium.make(f"parlour:{GAMES[name]}")
        solo_replay(env, num_games=1)
        env.reset()  # and begin another game
        _play_vector(name)
        print(f"{name} is compiled ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"compiled code is kept in {cache_folder()}")


def _play_vector(name: str) -> None:
    """Play at many tables until one game has ended and the next has begun."""
    envs = gymnasium.make_vec(f"parlour:{GAMES[name]}", num_envs=NUM_TABLES)
    _, info = envs.reset(seed=0)
    rng = np.random.default_rng(0)
    has_ended = False
    while not has_ended:
        actions = random_legal(info["action_mask"], rng)
        _, _, terminated, truncated, info = envs.step(actions)
        has_ended = bool((terminated | truncated).any())
