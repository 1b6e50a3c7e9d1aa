"""Play a game in the browser, or as text with --text.

The page lets you choose the game, its settings and who takes each seat: you, another person by a
link, or any player. Games are kept on disk, so that they go on after a restart.
"""

import argparse

from ..envs import GAMES, find_game
from .options import BadArgument, check_known, player_names, seed, user_input, whole
from .serving import add_server, serve

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
        metavar="KEY=VALUE,...",
        help="with --text: settings of the game; `parlour games` lists them",
    )
    parser.add_argument(
        "--players",
        metavar="A,B,...",
        help="with --text: players of the other seats, or one for all (default: one of middling "
        "strength)",
    )
    parser.add_argument(
        "--seat", type=whole, metavar="N", help="with --text: your seat (default 0)"
    )
    parser.add_argument(
        "--seed", type=seed, help="with --text: number of the deal (default: a new one each time)"
    )
    add_server(parser)


def run(arguments: argparse.Namespace) -> None:
    """Serve until stopped with Ctrl-C, or play one game at the console."""
    if arguments.game is not None:
        check_known([arguments.game])
    if arguments.text:
        _play_at_the_console(arguments)
        return
    for name in _TEXT_ONLY:
        if getattr(arguments, name) is not None:
            raise BadArgument(f"--{name} goes with --text only")
    fragment = "" if arguments.game is None else f"&game={arguments.game}"
    serve(arguments, lambda store: fragment)


def _play_at_the_console(arguments: argparse.Namespace) -> None:
    """Seat the person and the players, and play. Raises BadArgument."""
    from ..baselines.players import parse_settings
    from ..envs.core.rng import fresh_seed
    from .console import play
    from .table.catalogue import chosen_settings, middling_player
    from .table.table import HERE, MAX_NAME, PLAYER, GameTable, Occupant, Setup

    if arguments.game is None:
        raise BadArgument("name a game: parlour play GAME --text")
    with user_input():
        settings = chosen_settings(arguments.game, parse_settings(arguments.set or ""))
        game = find_game(arguments.game, **settings)
        seat = arguments.seat or 0
        if not 0 <= seat < game.num_seats:
            raise BadArgument(f"seat must be in 0 .. {game.num_seats - 1}, not {seat}")
        names = player_names(arguments.players or middling_player(game))
        if len(names) == 1:
            names *= game.num_seats - 1
        if len(names) != game.num_seats - 1:
            raise BadArgument(
                "name one player for all other seats, or one for each of them "
                f"({game.num_seats - 1}); got {len(names)}"
            )
        seats = [Occupant(PLAYER, name[:MAX_NAME], name) for name in names]
        seats.insert(seat, Occupant(HERE, "you"))
        dealt = fresh_seed() if arguments.seed is None else arguments.seed
        table = GameTable(Setup(arguments.game, settings, tuple(seats), dealt))
    play(table, seat)
