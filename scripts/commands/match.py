"""Play a match between two players.

The first takes one seat and the second all others; every deal is played from every seat. `--until`
ends the match as soon as the stronger player is known; `--budget` plays few single games. For a
different player in every seat see `parlour tournament --form free_for_all`.
"""

import argparse

from ...baselines.arena import play_budget, play_match
from ...baselines.arena.play.adjusted import StandIns
from ...baselines.statistics.result_data import as_data
from ...envs.core.game import Game
from ..options import (
    BadArgument,
    add_deals,
    add_game,
    add_seed,
    check_deals,
    chosen_game,
    first_seed,
    player_names,
    user_input,
)
from ..output import add_json, print_text, progress_counter, write_json
from ..plans import add_budget, add_plan, add_until, check_budget, chosen_plan, entered

_INDENT = 4  # of what does not fit into a line


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The players, and how many deals."""
    add_game(parser)
    parser.add_argument("players", metavar="PLAYER,...", help="the two players")
    length = parser.add_mutually_exclusive_group()
    add_deals(length, "number of deals; with --until, the maximum number")
    add_budget(length)
    add_until(parser)
    parser.add_argument(
        "--adjust",
        metavar="PLAYER,PLAYER",
        help="reduce the variance of the mean return by a control variate: the results of two "
        "compiled players that play about like the two of the match",
    )
    add_seed(parser)
    add_plan(parser)
    add_json(parser)


def _stand_ins(game: Game, text: str) -> tuple[str, str]:
    names = player_names(text)
    if len(names) != 2:
        raise BadArgument(f"--adjust takes two players; got {text}")
    with user_input():  # before any work
        StandIns(game, (names[0], names[1]))
    return names[0], names[1]


def run(arguments: argparse.Namespace) -> None:
    """Play and print the result."""
    game = chosen_game(arguments)
    names = player_names(arguments.players)
    check_deals(arguments)
    check_budget(arguments)
    if len(names) != 2:
        raise BadArgument(
            f"a match has two players; got {len(names)}. `parlour tournament --form free_for_all` "
            "seats a different player in every seat"
        )
    first, second = entered(arguments, game, names)  # before any work
    stand_ins = None if arguments.adjust is None else _stand_ins(game, arguments.adjust)
    if stand_ins and arguments.until is not None:
        raise BadArgument("take --until or --adjust: a match that may end early is not adjusted")
    title, budget = f"{first.name} v {second.name}", arguments.budget
    total = budget or arguments.deals * game.num_seats
    with progress_counter(title, total) as on_progress, chosen_plan(arguments) as plan:
        how = first_seed(arguments), on_progress, plan
        if budget is None:
            result = play_match(game, first, second, arguments.deals, *how, stand_ins)
        else:
            result = play_budget(game, first, second, budget, *how)
    if arguments.json != "-":
        for line in str(result).splitlines():
            print_text(line, _INDENT)
    write_json(as_data(result), arguments.json)
