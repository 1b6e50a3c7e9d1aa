"""Compile games ahead of time, so that they start at once.

All views of a game share one compiled step; each script is compiled by itself. Code that is
compiled already is not compiled again.
"""

import argparse
import time

import gymnasium

from ...baselines.one_game import play
from ...baselines.policies.roster import BLIND, own_players
from ...envs import GAMES, find_game
from ...envs.core.code_cache import cache_folder
from ..options import known_games


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game to compile (default: all games)"
    )


def run(arguments: argparse.Namespace) -> None:
    """Compile, and print one line for each game."""
    for name in known_games(arguments.game):
        start = time.perf_counter()
        game = find_game(name)
        players = {**BLIND, **own_players(game)}
        scripts = [script for script, player in players.items() if player.row_function is not None]
        ends = [(end.returns, end.state) for end in (play(game, script) for script in scripts)]
        for _, state in ends:
            game.legal_action_list(state)  # as pictures and texts do
        gymnasium.make(f"parlour:{GAMES[name]}").reset(seed=0)
        print(f"{name} is compiled ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"compiled code is kept in {cache_folder()}")
