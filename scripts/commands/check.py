"""Check a game for faults: one of Parlour, or another library's for what seats can learn.

GAME is a game of Parlour, pyspiel:NAME, rlcard:NAME, or the path of a PettingZoo module such as
pettingzoo.classic.leduc_holdem_v4. Games of other libraries are audited: positions are compared
that only hidden events tell apart, and a seat must not see a difference. The status is 1 where a
fault was found.
"""

import argparse

from ...envs.core.checks.check_game import CheckError, check_game
from ...envs.core.checks.subjects import SECONDS, audited, names_other_library
from ..options import add_game, add_seed, chosen_game, first_seed, user_input
from ..validators import positive, seconds

FAULTY = 1  # exit status


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
        default=SECONDS,
        help=f"about how long an audit takes at most (default {SECONDS:g})",
    )
    add_seed(parser)


def run(arguments: argparse.Namespace) -> None:
    """Check, and print what was found and what could not be told."""
    if names_other_library(arguments.game):
        with user_input():
            subject = arguments.game, arguments.games or 1000, first_seed(arguments)
            found = audited(*subject, arguments.seconds)
        print(found)
        if found.findings:
            raise SystemExit(FAULTY)
        return
    game, num_games = chosen_game(arguments), arguments.games or 10
    try:
        print(check_game(game, num_games=num_games, seed=first_seed(arguments)))
    except CheckError as error:
        print(f"fault: {error}")
        raise SystemExit(FAULTY) from error
