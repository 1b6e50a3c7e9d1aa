"""Play a match between two players, or between as many players as the game has seats.

With two players, the first takes one seat and the second all others; every deal is played from
every seat. `--sprt` ends the match as soon as the stronger player is known. With one player for
each seat, all play at one table, in a balanced sample of seatings.
"""

import argparse

from ...baselines.arena import Sprt, play_match, play_tournament
from ...baselines.arena.play.entrants import Entrant
from ...baselines.arena.results.export import as_data
from ...envs.core.game import Game
from ..options import (
    BadArgument,
    add_game,
    add_seed,
    check_deals,
    chosen_game,
    first_seed,
    player_names,
    user_input,
)
from ..output import (
    add_json,
    counted,
    print_standings,
    print_text,
    write_json,
)
from ..plans import add_plan, chosen_plan, entered
from ..validators import number_of_deals

_INDENT = 4  # of what does not fit into a line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The players, how many deals, and the sequential test."""
    add_game(parser)
    parser.add_argument(
        "players",
        metavar="PLAYER,...",
        help="two players, or one for each seat",
    )
    parser.add_argument(
        "--deals",
        type=number_of_deals,
        default=1000,
        help="number of deals (default 1000); with --sprt, the maximum number",
    )
    parser.add_argument(
        "--sprt",
        type=_sprt,
        metavar="ELO0,ELO1[,ALPHA,BETA]",
        help="stop as soon as Wald's sequential test accepts one of these two Elo differences; "
        "ALPHA and BETA are the chances of a wrong decision (default 0.05)",
    )
    add_seed(parser)
    add_plan(parser)
    add_json(parser)


def _sprt(text: str) -> Sprt:
    try:
        numbers = [float(part) for part in text.split(",")]
        if len(numbers) not in (2, 4):
            raise ValueError(f"a test is ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, not {text}")
        return Sprt(*numbers)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def run(arguments: argparse.Namespace) -> None:
    """Play and print the result."""
    game = chosen_game(arguments)
    names = player_names(arguments.players)
    check_deals(arguments)
    entrants = entered(arguments, game, names)  # before any work
    if len(names) == 2:
        _two(arguments, game, *entrants)
    elif arguments.sprt is not None:
        raise BadArgument("--sprt is for two players")
    elif len(names) == game.num_seats:
        _table(arguments, game, entrants)
    else:
        allowed = " or ".join(dict.fromkeys(("2", str(game.num_seats))))
        raise BadArgument(f"{game.name} is played by {allowed} players; got {len(names)}")


def _two(arguments: argparse.Namespace, game: Game, first: Entrant, second: Entrant) -> None:
    what, total = f"{first.name} v {second.name}", arguments.deals * game.num_seats
    with counted(what, total) as on_progress, chosen_plan(arguments) as plan:
        result = play_match(
            game,
            first,
            second,
            arguments.deals,
            first_seed(arguments),
            on_progress,
            arguments.sprt,
            plan,
        )
    if arguments.json != "-":
        for line in str(result).splitlines():
            print_text(line, _INDENT)
    write_json(as_data(result), arguments.json)


def _table(arguments: argparse.Namespace, game: Game, entrants: tuple[Entrant, ...]) -> None:
    total = arguments.deals * game.num_seats
    with counted(game.name, total) as on_progress, chosen_plan(arguments) as plan, user_input():
        table = play_tournament(
            game,
            entrants,
            arguments.deals,
            first_seed(arguments),
            on_progress,
            form="free_for_all",
            plan=plan,
        )
    if arguments.json != "-":
        print_standings(table)
    write_json(as_data(table), arguments.json)
