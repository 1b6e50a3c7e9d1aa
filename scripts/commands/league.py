"""Play the league: scripts, shipped networks and searches, in every game at every number of seats.

Writes a page for each game, with ratings, times and cross tables, and an index. With `--store`, a
stopped run resumes, and more deals are added to those already played.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from ...baselines import list_policies, make_policy
from ...baselines.arena import Plan
from ...baselines.arena.play.entrants import enter
from ...baselines.arena.play.league import ladder, members_of, play_league, seconds_a_decision
from ...baselines.arena.results.league_pages import (
    index,
    league_record,
    page,
    recorded,
    with_ladders,
)
from ...baselines.players.best import NAME as BEST
from ...envs.core.catalogue import games_by_seats
from ...envs.core.game import Game
from ...envs.core.pages import folder_of
from ...envs.core.whole_files import write_whole
from ..options import BadArgument, known_games, writing
from ..output import new_folder, progress_counter
from ..plans import add_plan, chosen_plan
from ..validators import number_of_deals

DEALS, SEARCH_DEALS = 300, 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The games, how many deals, and where the pages go."""
    parser.add_argument("games", metavar="GAME", nargs="*", help="games to play (default: all)")
    parser.add_argument(
        "--deals",
        type=number_of_deals,
        default=DEALS,
        help=f"number of deals in each meeting of compiled players (default {DEALS})",
    )
    parser.add_argument(
        "--search-deals",
        type=number_of_deals,
        default=SEARCH_DEALS,
        help=f"number of deals in each meeting with a search (default {SEARCH_DEALS})",
    )
    parser.add_argument("--out", metavar="FOLDER", required=True, help="folder for the pages")
    parser.add_argument(
        "--readmes", action="store_true", help="also replace the ladders in the games' READMEs"
    )
    parser.set_defaults(seed=None)
    add_plan(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play, and write the pages after each number of seats."""
    names = known_games(*arguments.games)
    folder = new_folder(arguments.out)
    with chosen_plan(arguments) as plan:
        for game in (game for name in names for game in games_by_seats(name)):
            _write(folder, game.name, _played(arguments, game, plan))
            if arguments.readmes:
                _update_readme(game.name, recorded(folder)[game.name])


def _write(folder: Path, name: str, league: dict[str, Any]) -> None:
    """Put a league in the place of the one with as many seats, and write the pages again."""
    others = [each for each in recorded(folder).get(name, []) if each["seats"] != league["seats"]]
    leagues = sorted([*others, league], key=lambda each: each["seats"])
    text = json.dumps(leagues, indent=1, ensure_ascii=False) + "\n"
    with writing(f"to {folder}"):
        write_whole(folder / f"{name}.json", text)
        write_whole(folder / f"{name}.md", page(name, leagues))
        write_whole(folder / "index.md", index(recorded(folder)))


def _update_readme(name: str, leagues: list[dict[str, Any]]) -> None:
    file = folder_of(name) / "README.md"
    try:
        write_whole(file, with_ladders(file.read_text(encoding="utf-8"), leagues))
    except (OSError, ValueError) as error:
        raise BadArgument(f"cannot write the ladders of {file}: {error}") from error


def _played(arguments: argparse.Namespace, game: Game, plan: Plan) -> dict[str, Any]:
    """Play the league of one number of seats, time its members, and return its record."""
    specs = members_of(game)
    with progress_counter(f"{game.name}, {game.num_seats} seats") as on_progress:
        table = play_league(game, specs, arguments.deals, arguments.search_deals, plan, on_progress)
    policies = {entrant.name: make_policy(entrant.spec, game) for entrant in enter(specs, game)}
    seconds = {name: seconds_a_decision(game, policy) for name, policy in policies.items()}
    members = {spec.partition(":")[0] for spec in specs}
    idle = [name for name in list_policies(game) if name not in {BEST, *members}]
    deals = arguments.deals, arguments.search_deals
    leader = table.rows[0]
    print(f"{game.name}, {game.num_seats} seats: {table.num_games:,} games; {leader.player} leads")
    return league_record(game, table, ladder(table, seconds), deals, idle)
