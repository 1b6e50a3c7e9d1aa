"""Measure a player: duplicate deals against a field of each opponent, with 95 % intervals."""

import argparse
from functools import partial

from rich.progress import Progress, TaskID

from ..baselines.arena import play_match
from ..envs.core.rng import SEED_LIMIT
from ..training.evaluate import as_data
from .options import BadArgument, add_game, add_seed, chosen_game, chosen_players, positive
from .output import add_json, print_matches, progress_bar, write_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The player, the opponents, how many deals."""
    add_game(parser)
    parser.add_argument(
        "player", metavar="PLAYER", help="a name, a checkpoint, or FILE.py:FUNCTION"
    )
    parser.add_argument("--against", metavar="A,B,...", default="random", help="default: random")
    parser.add_argument(
        "--deals", type=positive, default=1000, help="each is played from every seat (default 1000)"
    )
    add_seed(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Play one match against each opponent and print a line for each."""
    game = chosen_game(arguments)
    players = chosen_players(arguments.player, game)
    if len(players) != 1:
        raise BadArgument(f"evaluate measures one player; got {arguments.player}")
    opponents = chosen_players(arguments.against, game)
    if arguments.seed + arguments.deals > SEED_LIMIT:
        raise BadArgument(f"no {arguments.deals} deals follow seed {arguments.seed}")
    results = []
    with progress_bar() as progress:
        for opponent in opponents:
            bar = progress.add_task(opponent.name, total=arguments.deals * game.num_seats)
            results.append(
                play_match(
                    game,
                    players[0],
                    opponent,
                    arguments.deals,
                    arguments.seed,
                    on_progress=partial(_advance, progress, bar),
                )
            )
    if arguments.json != "-":
        print(f"{players[0].name} at {game!r}")
        print_matches(results)
    write_json([as_data(result) for result in results], arguments.json)


def _advance(progress: Progress, bar: TaskID, games: int) -> None:
    progress.update(bar, completed=games)
