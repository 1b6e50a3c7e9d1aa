"""Measure a player against each opponent in all other seats, with 95 % intervals.

Every deal is played from every seat. `--duplicate` counts deals won, lost and drawn instead;
`--budget` plays few single games; `--exact` measures with the solver of a solved game.
"""

import argparse
from typing import Any

from ...baselines import Policy
from ...baselines.arena import DuplicateResult, play_budget, play_duplicate, play_match
from ...baselines.players.measures import measures_of
from ...baselines.statistics.estimates import Estimate
from ...baselines.statistics.result_data import as_data
from ...envs.core.game import Game
from ..options import (
    BadArgument,
    add_game,
    add_seed,
    check_deals,
    chosen_game,
    chosen_players,
    first_seed,
    player_names,
)
from ..output import add_json, print_matches, print_table, print_text, progress_counter, write_json
from ..plans import add_budget, add_plan, check_budget, chosen_plan, entered
from ..validators import number_of_deals

ALL_DEALS = "all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The player, the opponents, how many deals, and what to measure."""
    add_game(parser)
    parser.add_argument("player", metavar="PLAYER", help="the player to measure")
    parser.add_argument(
        "--against", metavar="PLAYER,...", default="random", help="opponents (default random)"
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--deals",
        type=_deals,
        default=1000,
        metavar="N",
        help="number of deals, each played from every seat (default 1000), or `all` with --exact",
    )
    add_budget(length)
    how = parser.add_mutually_exclusive_group()
    how.add_argument(
        "--duplicate",
        action="store_true",
        help="for two seats: the player with the higher return from seat 0 wins the deal",
    )
    how.add_argument(
        "--exact",
        action="store_true",
        help="for solved games: measure the distance from perfect play by exact values",
    )
    add_seed(parser)
    add_plan(parser)
    add_json(parser)


def _deals(text: str) -> int | str:
    return ALL_DEALS if text == ALL_DEALS else number_of_deals(text)


def run(arguments: argparse.Namespace) -> None:
    """Measure against each opponent and print a line for each."""
    game = chosen_game(arguments)
    if len(player_names(arguments.player)) != 1:
        raise BadArgument(f"evaluate measures one player; got {arguments.player}")
    if arguments.deals == ALL_DEALS and not arguments.exact:
        raise BadArgument("--deals all is for --exact; a match needs a number of deals")
    if arguments.deals != ALL_DEALS:
        check_deals(arguments)
    check_budget(arguments)
    if not arguments.exact:
        _by_matches(arguments, game)
    elif arguments.contest is not None:
        raise BadArgument("--exact asks players about every position; it knows no contest time")
    else:
        opponents = chosen_players(arguments.against, game)
        _exactly(arguments, game, chosen_players(arguments.player, game)[0], opponents)


def _by_matches(arguments: argparse.Namespace, game: Game) -> None:
    if arguments.duplicate and game.num_seats != 2:
        raise BadArgument(f"--duplicate is for two seats; {game.name} has {game.num_seats}")
    play: Any = play_duplicate if arguments.duplicate else play_match
    number, total = arguments.deals, arguments.deals * game.num_seats
    if arguments.budget is not None:
        play, number, total = play_budget, arguments.budget, arguments.budget
    names = player_names(arguments.against)
    player, *others = entered(arguments, game, (arguments.player, *names))
    results = []
    with chosen_plan(arguments) as plan:
        for name, other in zip(names, others, strict=True):
            with progress_counter(name, total) as on_progress:
                seed = first_seed(arguments)
                results.append(play(game, player, other, number, seed, on_progress, plan=plan))
    if arguments.json != "-":
        print_text(f"{results[0].first} at {game!r}")
        (_print_duplicates if arguments.duplicate else print_matches)(results)
    write_json([as_data(result) for result in results], arguments.json)


def _print_duplicates(results: list[DuplicateResult]) -> None:
    headings = ("player", "against", "deals", "won, %", "lost, %", "drawn, %")
    print_table(headings, [_duplicate_row(result) for result in results])


def _duplicate_row(result: DuplicateResult) -> list[str]:
    estimates = (result.wins, result.losses, result.draws)
    percent = [f"{Estimate(*(100 * value for value in estimate)):.1f}" for estimate in estimates]
    return [result.first, result.second, f"{result.num_deals:,}", *percent]


def _exactly(
    arguments: argparse.Namespace, game: Game, player: Policy, opponents: list[Policy]
) -> None:
    measures = measures_of(game)
    if not measures:
        raise BadArgument(f"{game.name} is not solved: there is nothing exact to measure by")
    num_deals = None if arguments.deals == ALL_DEALS else arguments.deals
    results: list[dict[str, Any]] = []
    for name, measure in measures.items():
        for opponent in opponents if measure.has_opponent else opponents[:1]:
            against = opponent.name if measure.has_opponent else "the best response"
            value, refusal = None, ""
            try:
                estimate = measure.compute(game, player, opponent, num_deals, first_seed(arguments))
                value = list(estimate)
            except ValueError as error:  # not this player, or not this game
                refusal = str(error)
            results.append(
                {"measure": name, "against": against, "value": value, "refusal": refusal}
            )
    if all(result["value"] is None for result in results):
        raise BadArgument(results[0]["refusal"])
    if arguments.json != "-":
        print_text(f"{player.name} at {game!r}, {arguments.deals} deals")
        rows = [[r["measure"], r["against"], _value_text(r)] for r in results]
        print_table(("measure", "against", "value"), rows)
    head = {"game": game.name, "player": player.name, "deals": arguments.deals}
    write_json([{**head, **result} for result in results], arguments.json)


def _value_text(result: dict[str, Any]) -> str:
    value = result["value"]
    return f"none: {result['refusal']}" if value is None else f"{Estimate(*value):.3f}"
