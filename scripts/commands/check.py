"""Check a game of Parlour for faults, or one of another library for leaks of hidden information.

GAME is a game of Parlour, pyspiel:NAME, rlcard:NAME, or a PettingZoo module with a dot in its path:
pettingzoo.classic.leduc_holdem_v4, or one in a folder here. Games of other libraries are audited:
a seat must not see a difference between positions that differ in hidden events alone. The exit
status is 1 where a fault was found, 3 where an audit could compare nothing.
"""

import argparse

from ...envs.core.checks.check_game import CheckError, check_game
from ...envs.core.words import visible
from ..options import (
    BadArgument,
    add_game,
    add_seed,
    chosen_game,
    first_seed,
    search_this_folder,
    user_input,
)
from ..validators import positive, seconds

FAULTY = 1  # exit status
NOTHING_COMPARED = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, how many games of it, and for how long."""
    add_game(parser)
    parser.add_argument(
        "--games",
        type=positive,
        default=None,
        help="number of games to play (default 10; in an audit up to 1000)",
    )
    parser.add_argument(
        "--seconds",
        type=seconds,
        default=20.0,
        help="approximate maximum duration of an audit (default 20)",
    )
    add_seed(parser)


def run(arguments: argparse.Namespace) -> None:
    """Check, and print what was found and what could not be told."""
    if "." in arguments.game or arguments.game.startswith(("pyspiel:", "rlcard:")):
        _audit(arguments)
        return
    game, num_games = chosen_game(arguments), arguments.games or 10
    try:
        print(visible(str(check_game(game, num_games=num_games, seed=first_seed(arguments)))))
    except CheckError as error:
        print(visible(f"fault: {error}"))
        raise SystemExit(FAULTY) from error


def _audit(arguments: argparse.Namespace) -> None:
    """Audit a game of another library."""
    try:
        from parlour_audit import audited
    except ImportError as error:
        raise BadArgument(
            "a game of another library is audited by parlour_audit: in a checkout of Parlour, "
            "pip install ./integrations/other_libraries"
        ) from error
    search_this_folder()
    with user_input():
        num_games = arguments.games or 1000
        result = audited(arguments.game, num_games, first_seed(arguments), arguments.seconds)
    print(visible(str(result)))
    if result.findings:
        raise SystemExit(FAULTY)
    if not result.is_compared:
        raise SystemExit(NOTHING_COMPARED)
