"""Compile games ahead of time, so that they start at once.

This plays the first games in each view. Code that is compiled already is not compiled again.
"""

import argparse
import time

from ...envs import GAMES
from ...envs.core.code_cache import cache_folder
from ..bench.first_games import VIEWS
from ..options import check_known


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game to compile (default: all games)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Compile, and print one line for each game."""
    if arguments.game is not None:
        check_known([arguments.game])
    for name in [arguments.game] if arguments.game else GAMES:
        start = time.perf_counter()
        for play in VIEWS.values():
            play(name)
        print(f"{name} is compiled ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"compiled code is kept in {cache_folder()}")
