"""Play a match between two players.

The first takes one seat and the second all others; every deal is played from every seat. `--until`
ends the match as soon as the stronger player is known. For a different player in every seat see
`parlour tournament --form free_for_all`.
"""

import argparse

from ...baselines.arena import play_match
from ...baselines.arena.results.export import as_data
from ..options import (
    BadArgument,
    add_deals,
    add_game,
    add_seed,
    check_deals,
    chosen_game,
    first_seed,
    player_names,
)
from ..output import add_json, print_text, progress_counter, write_json
from ..plans import add_plan, add_until, chosen_plan, entered

_INDENT = 4  # of what does not fit into a line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The players, and how many deals."""
    add_game(parser)
    parser.add_argument("players", metavar="PLAYER,...", help="the two players")
    add_deals(parser, "number of deals; with --until, the maximum number")
    add_until(parser)
    add_seed(parser)
    add_plan(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play and print the result."""
    game = chosen_game(arguments)
    names = player_names(arguments.players)
    check_deals(arguments)
    if len(names) != 2:
        raise BadArgument(
            f"a match has two players; got {len(names)}. `parlour tournament --form free_for_all` "
            "seats a different player in every seat"
        )
    first, second = entered(arguments, game, names)  # before any work
    title, total = f"{first.name} v {second.name}", arguments.deals * game.num_seats
    with progress_counter(title, total) as on_progress, chosen_plan(arguments) as plan:
        result = play_match(
            game,
            first,
            second,
            arguments.deals,
            first_seed(arguments),
            on_progress,
            plan,
        )
    if arguments.json != "-":
        for line in str(result).splitlines():
            print_text(line, _INDENT)
    write_json(as_data(result), arguments.json)
