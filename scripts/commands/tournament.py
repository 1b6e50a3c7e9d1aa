"""Play a tournament, and print ratings with intervals, points and a cross table.

With `--store`, a stopped run resumes.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

from ...baselines.arena import Plan, Standings, play_tournament
from ...baselines.arena.play.entrants import scripted_players
from ...baselines.arena.play.playing import num_games
from ...baselines.arena.play.tournament import FORMS, matches_of
from ...baselines.arena.ratings.standings import SCORINGS, check_scoring
from ...baselines.arena.ratings.until import check_until
from ...baselines.arena.results.store import Setting, Store
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
from ..output import (
    add_json,
    export_standings,
    new_folder,
    print_standings,
    progress_counter,
    write_json,
)
from ..plans import add_plan, add_until, chosen_plan, entered
from ..table.serving import results_shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The players, who meets whom, how it is scored, and where results go."""
    add_game(parser)
    parser.add_argument(
        "--players", metavar="PLAYER,...", help="the players (default: all scripts)"
    )
    parser.add_argument(
        "--form",
        choices=FORMS,
        default="round_robin",
        help="round_robin: each player meets every other (default); gauntlet: the first player "
        "meets every other; free_for_all: every group of different players meets, in a balanced "
        "sample of seatings",
    )
    add_deals(parser, "number of deals in each meeting; with --until, the maximum number")
    add_until(parser)
    parser.add_argument(
        "--scoring",
        choices=SCORINGS,
        default="games",
        help="count games (default), or duplicate deals of two seats, each won by the player with "
        "the higher return from seat 0",
    )
    parser.add_argument(
        "--browser",
        action="store_true",
        help="show the ratings in the browser as they move; needs --store",
    )
    add_seed(parser)
    add_plan(parser)
    parser.add_argument(
        "--out", metavar="FOLDER", help="write JSON, CSV, a summary and plots to FOLDER"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play and print the table."""
    check_deals(arguments)
    if not arguments.browser:
        _run(arguments)
        return
    if arguments.store is None:
        raise BadArgument("--browser shows a store as it grows: add --store FILE")
    with user_input():
        Store(arguments.store).close()  # make it where it is missing
    with results_shown(Path(arguments.store)):
        _run(arguments)


def _run(arguments: argparse.Namespace) -> None:
    folder = None if arguments.out is None else new_folder(arguments.out)
    with chosen_plan(arguments) as plan:
        game = chosen_game(arguments)
        names = arguments.players and player_names(arguments.players)
        table = _play(arguments, game, names or scripted_players(game), plan)
        if folder is not None:
            export_standings(table, folder)
    write_json(as_data(table), arguments.json)


def _play(arguments: argparse.Namespace, game: Game, names: Sequence[str], plan: Plan) -> Standings:
    players = entered(arguments, game, names)
    with user_input():
        check_scoring(arguments.scoring, Setting.of(game, plan.control))
        matches = matches_of(game, players, arguments.form, plan.control is None)
        if plan.until is not None:
            check_until(plan.until, [len(match.entrants) for match in matches])
    total = num_games(game, matches, arguments.deals)
    started = time.perf_counter()
    with progress_counter(game.name, total) as on_progress:
        table = play_tournament(
            game,
            players,
            arguments.deals,
            first_seed(arguments),
            on_progress,
            arguments.form,
            arguments.scoring,
            plan,
        )
    if arguments.json != "-":
        print_standings(table)
        took = time.perf_counter() - started
        print(f"{table.num_games:,} games; this run took {took:.0f} s")
    return table
