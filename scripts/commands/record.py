"""Play games and write every ply to a file: data for imitation, offline learning and study.

Each row holds the observation of the acting seat, its legal actions, its action and its return. The
seed of the deal and the actions reproduce each game. With --values each legal action has its value.
"""

import argparse
import time
from pathlib import Path

from ...baselines.recordings import EXTRA, FORMATS, Recorded, record_games, valuer_of
from ..options import (
    add_deals,
    add_game,
    add_seed,
    check_deals,
    chosen_game,
    first_seed,
    for_each_seat,
    player_names,
    user_input,
    writing,
)
from ..output import progress_counter
from ..validators import place_to_write


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The players, the number of deals, and the file."""
    add_game(parser)
    parser.add_argument(
        "--players",
        metavar="PLAYER,...",
        default="random",
        help="one player for all seats, or one for each (default random)",
    )
    add_deals(parser, "number of deals, each played once")
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=place_to_write,
        required=True,
        help="file to write, replaced if it exists; for minari a new folder",
    )
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS),
        default="parquet",
        help="parquet, a row for each ply (default); minari, an episode for each seat; or jsonl, a "
        f"chat for each seat; the first two need the extra {EXTRA}",
    )
    parser.add_argument(
        "--values",
        metavar="PLAYER",
        nargs="?",
        const="",
        help="also write the value of every legal action, by this player; by default exact values "
        "where the game is solved with these settings, else those of the search mcts",
    )
    add_seed(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play, write, and print what was written."""
    game = chosen_game(arguments)
    check_deals(arguments)
    players = for_each_seat(player_names(arguments.players), game.num_seats, "seats")
    seeds = range(first_seed(arguments), first_seed(arguments) + arguments.deals)
    start = time.perf_counter()
    valuer, path = arguments.values, Path(arguments.out)
    with progress_counter(game.name, arguments.deals) as on_progress, user_input(), writing(path):
        valued_by = None if valuer is None else valuer_of(game, valuer or None)
        recorded = Recorded(game, players, valued_by)
        num_plies = record_games(recorded, seeds, path, arguments.format, on_progress)
    seconds = time.perf_counter() - start
    values = f", values by {valued_by}" if valued_by else ""
    print(
        f"{arguments.deals:,} deals, {num_plies:,} plies in {seconds:.1f} s "
        f"({num_plies / seconds:,.0f} a second){values}: {path}"
    )
