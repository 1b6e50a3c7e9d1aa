"""Rate the players in a store: print one table for each game, over all its tournaments."""

import argparse
from pathlib import Path

from ...baselines.arena import Standings, Store, rate_store
from ...baselines.arena.ratings.standings import SCORINGS
from ...baselines.arena.results.identity import SEPARATOR, identity_of
from ...baselines.statistics.result_data import as_data
from ...envs.core.catalogue import game_within
from ...envs.core.words import visible
from ..options import BadArgument
from ..output import add_json, export_standings, new_folder, print_standings, write_json
from ..plans import stored_results


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The store, and where the tables go."""
    parser.add_argument(
        "store", metavar="STORE", help="file written by `parlour tournament --store`"
    )
    parser.add_argument(
        "--scoring",
        choices=SCORINGS,
        default="games",
        help="count games, or duplicate deals, as in a tournament (default games)",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", help="write JSON, CSV, a summary and plots to FOLDER"
    )
    parser.add_argument(
        "--files",
        action="store_true",
        help="also print what each player's results depend on, and what has changed since",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Print a table for each game, version and set of settings in the store."""
    with stored_results(arguments.store) as store:
        tables = rate_store(store, arguments.scoring)
        if arguments.files and arguments.json != "-":
            _print_files(store)
    if not tables:
        raise BadArgument(f"{arguments.store} has no results to rate")
    if arguments.json != "-":
        for table in tables:
            print_standings(table)
            print()
    if arguments.out is not None:
        _export(tables, new_folder(arguments.out))
    write_json([as_data(table) for table in tables], arguments.json)


def _print_files(store: Store) -> None:
    """Print the identity of each player of each game, a line for each part."""
    for setting in store.settings():
        game = game_within(setting.game, setting.config)
        entrants = {e for match in store.matches(setting) for e in match.entrants}
        for entrant in sorted(entrants, key=lambda entrant: entrant.name):
            now = identity_of(entrant.spec, game).split(SEPARATOR)
            print(visible(f"{entrant.name} at {game!r}, made of {entrant.spec}, depends on"))
            for part in entrant.identity.split(SEPARATOR):
                print(visible(f"  {part}{'' if part in now else ' (differs now)'}"))
    print()


def _export(tables: list[Standings], folder: Path) -> None:
    """A folder for each table: the game's name, numbered where a game has several."""
    names = [table.game for table in tables]
    for index, table in enumerate(tables):
        nth = names[: index + 1].count(table.game)
        name = table.game if names.count(table.game) == 1 else f"{table.game}-{nth}"
        export_standings(table, folder / name)
