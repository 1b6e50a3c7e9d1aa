"""Play a list of trials, or print a template of a player.

A game has trials where its folder of players has a file `trials.py`.
"""

import argparse
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from ...baselines.policies.game_parts import part_of
from ...envs import GAMES, find_game
from ..options import BadArgument, known_games, user_input
from ..output import progress_counter
from ..validators import positive, seed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game and what to do, each with its options."""
    parser.add_argument(
        "game", metavar="GAME", help=f"name of a game with trials: {', '.join(games_with_trials())}"
    )
    kinds = parser.add_subparsers(dest="kind", required=True)
    batch = kinds.add_parser("batch", help="play many games of each pair in a list")
    batch.add_argument(
        "trials",
        metavar="TRIALS.json",
        nargs="?",
        type=Path,
        help="file with the list of trials (default: the list that ships)",
    )
    batch.add_argument(
        "--num-trials",
        type=positive,
        help="number of games of each trial, in place of the number in the list",
    )
    batch.add_argument(
        "--out",
        metavar="FOLDER",
        type=Path,
        default=Path("runs"),
        help="folder for the results (default runs)",
    )
    batch.add_argument(
        "--num-fields", type=positive, default=5, help="number of fields on a card (default 5)"
    )
    batch.add_argument(
        "--trick-limit",
        type=positive,
        default=5000,
        help="end a game after this many tricks (default 5000)",
    )
    batch.add_argument(
        "--seed",
        type=seed,
        default=0,
        help="seed of all games: the same seed gives the same games (default 0)",
    )
    kinds.add_parser("template", help="print a template for a player of your own")


def games_with_trials() -> list[str]:
    """The games whose folder has trials."""
    return [name for name in GAMES if part_of(find_game(name), "trials") is not None]


def run(arguments: argparse.Namespace) -> None:
    """Run the chosen action. Raises BadArgument."""
    known_games(arguments.game)
    module = part_of(find_game(arguments.game), "trials")
    if module is None:
        names = ", ".join(games_with_trials())
        raise BadArgument(f"{arguments.game} has no trials; these games have: {names}")
    if arguments.kind == "template":
        print(module.TEMPLATE.read_text(), end="")
        return
    settings = module.TrialSettings(arguments.num_fields, arguments.trick_limit, arguments.seed)
    with user_input():
        trials = _chosen_trials(module, arguments)
        module.game_of(trials[0], settings)
    try:
        _run_batch(module, trials, settings, arguments.out)
    except OSError as error:
        raise BadArgument(str(error)) from error


def _chosen_trials(module: ModuleType, arguments: argparse.Namespace) -> list[Any]:
    file = arguments.trials or module.SHIPPED
    try:
        data = json.loads(file.read_text())
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {file}: {error}") from error
    trials = module.read_trials(data)
    if arguments.num_trials is None:
        return trials
    return [trial._replace(num_trials=arguments.num_trials) for trial in trials]


def _run_batch(module: ModuleType, trials: list[Any], settings: Any, folder: Path) -> None:
    """Play all trials; write the results to the files after each of them."""
    files = module.reserve_files(folder)
    results: list[Any] = []
    for trial in trials:
        with progress_counter(
            f"{trial.player_1} v {trial.player_2}", trial.num_trials
        ) as on_progress:
            results.append(module.play_trial(trial, settings, on_progress))
        module.write_results(files, settings, results, len(trials))
    print(module.trials_summary(settings, results), end="")
    print(f"written: {files[0]} and {files[1]}")
