"""Compile games ahead of time, so that they start at once.

All views of a game share one compiled step; each script is compiled by itself. Code that is
compiled already is not compiled again.
"""

import argparse
import time

import gymnasium

from ...envs import GAMES
from ...envs.core.code_cache import cache_folder
from ...envs.registry import make_aec
from ..bench.plays import aec_replay, solo_replay, vector_replay
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
        vector_replay(gymnasium.make_vec(f"parlour:{GAMES[name]}", num_envs=NUM_TABLES))
        print(f"{name} is compiled ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"compiled code is kept in {cache_folder()}")
