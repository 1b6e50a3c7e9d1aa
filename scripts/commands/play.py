"""Play a game in the browser, or as text with --text.

The page lets you choose the game, its settings and who takes each seat: you, another person by a
link, or any player. Games are kept on disk, so that they go on after a restart.
"""

import argparse

from ...baselines.policies.settings import parse_settings
from ...envs import GAMES, find_game
from ..console.play import play_at_console
from ..options import (
    PLAYER_HELP,
    BadArgument,
    check_seat,
    for_each_seat,
    known_games,
    player_names,
    user_input,
)
from ..table.catalogue import chosen_settings, middling_player
from ..table.serving import add_server, serve
from ..table.table import HERE, GameTable, Occupant, new_setup, player_seat
from ..validators import seed, whole

_TEXT_ONLY = ("set", "players", "seat", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, and where to serve."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help=f"name of a game: {', '.join(GAMES)}"
    )
    parser.add_argument(
        "--text", action="store_true", help="play at the console instead of in the browser"
    )
    parser.add_argument(
        "--set",
        metavar="SETTING=VALUE,...",
        help="with --text: settings of the game; `parlour games` lists them",
    )
    parser.add_argument(
        "--players",
        metavar="PLAYER,...",
        help="with --text: players of the other seats, or one for all (default: one of middling "
        "strength)",
    )
    parser.add_argument(
        "--seat", type=whole, metavar="N", help="with --text: your seat (default 0)"
    )
    parser.add_argument(
        "--seed", type=seed, help="with --text: number of the deal (default: a new one each time)"
    )
    parser.epilog = PLAYER_HELP
    add_server(parser)


def run(arguments: argparse.Namespace) -> None:
    """Serve until stopped with Ctrl-C, or play one game at the console."""
    known_games(arguments.game)
    if arguments.text:
        _play_at_the_console(arguments)
        return
    for name in _TEXT_ONLY:
        if getattr(arguments, name) is not None:
            raise BadArgument(f"--{name} goes with --text only")
    serve(arguments, lambda store: "" if arguments.game is None else f"&game={arguments.game}")


def _play_at_the_console(arguments: argparse.Namespace) -> None:
    """Seat the person and the players, and play. Raises BadArgument."""
    if arguments.game is None:
        raise BadArgument("name a game: parlour play GAME --text")
    with user_input():
        settings = chosen_settings(arguments.game, parse_settings(arguments.set or ""))
        game = find_game(arguments.game, **settings)
        seat = arguments.seat or 0
        check_seat(seat, game)
        players = player_names(arguments.players or middling_player(game))
        names = for_each_seat(players, game.num_seats - 1, "other seats")
        seats = [player_seat(name) for name in names]
        seats.insert(seat, Occupant(HERE, "you"))
        table = GameTable(new_setup(game, settings, seats, arguments.seed))
    play_at_console(table, seat)
