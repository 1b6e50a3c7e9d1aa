"""Train a player of any game, measure it, and save it as a checkpoint with its learning curve.

The learners are the files of `training/`; every setting of a learner's Config is an option.
"""

import argparse
import contextlib
import dataclasses
import logging
import math
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...baselines.arena import MatchResult
from ...baselines.networks.checkpoints import Checkpoint, load_checkpoint
from ...envs.core.words import how_to_install
from ...training import session
from ..options import (
    BadArgument,
    add_game,
    chosen_game,
    chosen_players,
    player_names,
    user_input,
    writing,
)
from ..output import new_folder, print_matches, progress_bar
from ..validators import number_of_deals, positive

_logger = logging.getLogger("parlour.training")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add a parser for each learner."""
    learners = parser.add_subparsers(metavar="ALGORITHM", required=True)
    for name in session.algorithms():
        module = session.load_algorithm(name)
        learner = learners.add_parser(
            name, description=module.__doc__, help=(module.__doc__ or "").splitlines()[0]
        )
        learner.set_defaults(algorithm=name, config=module.Config)
        add_game(learner)
        _add_run_options(learner)
        _add_settings(learner, module.Config)


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="FOLDER", help="folder for the results (default runs/ALGORITHM-GAME)"
    )
    parser.add_argument(
        "--evaluate-against",
        dest="against",
        metavar="PLAYER,...",
        default="random",
        help="players that the trained player is measured against (default random)",
    )
    parser.add_argument(
        "--points",
        type=positive,
        default=20,
        help="number of measurements during the run, which make the learning curve (default 20)",
    )
    parser.add_argument(
        "--point-deals",
        type=number_of_deals,
        default=500,
        help="number of deals in each of these measurements (default 500)",
    )
    parser.add_argument(
        "--deals",
        type=number_of_deals,
        default=5000,
        help="number of deals in the measurement at the end (default 5000)",
    )
    parser.add_argument(
        "--tensorboard", action="store_true", help="also write the learning curve for TensorBoard"
    )
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--resume", action="store_true", help="continue the interrupted run in the folder"
    )
    kept.add_argument(
        "--overwrite", action="store_true", help="replace the run that the folder holds"
    )


def _add_settings(parser: argparse.ArgumentParser, config: type) -> None:
    group = parser.add_argument_group("settings of the learner")
    hints = typing.get_type_hints(config)
    for field in dataclasses.fields(config):
        flag = f"--{field.name.replace('_', '-')}"
        default = field.default
        shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
        in_words = ": none" if shown == "" else f" {shown}"
        meaning = field.metadata.get("meaning", "")
        about = f"{meaning} (default{in_words})".strip().replace("%", "%%")
        if hints[field.name] is bool:
            group.add_argument(
                flag, action=argparse.BooleanOptionalAction, default=default, help=about
            )
        else:
            kind = _value_type(hints[field.name])
            alone = field.metadata.get("alone")  # what the option means without a value
            count = {} if alone is None else {"nargs": "?", "const": alone}
            group.add_argument(flag, type=kind, default=default, metavar="X", help=about, **count)


def _value_type(hint: Any) -> Callable[[str], Any]:
    """Return the function that reads a value of this type; commas separate those of a tuple."""
    if typing.get_origin(hint) is not tuple:
        return hint
    item = typing.get_args(hint)[0]
    if item is str:
        return player_names

    def values(text: str) -> tuple[Any, ...]:
        return tuple(item(part) for part in text.split(",") if part)

    values.__name__ = f"{item.__name__},..."  # argparse names it in its error message
    return values


def run(arguments: argparse.Namespace) -> None:
    """Train as long as the settings say; write the checkpoint, its model card and the curve."""
    plan = _plan(arguments)
    last = _train_with_view(plan, arguments.tensorboard)
    print_matches(last)
    print(
        f"saved in {plan.folder}: {', '.join(sorted(path.name for path in plan.folder.iterdir()))}"
    )
    for result in last:
        print(_in_words(result, plan.game.num_seats))


def _plan(arguments: argparse.Namespace) -> session.Session:
    """What to train and how to measure it. Raises BadArgument."""
    game = chosen_game(arguments)
    chosen_players(arguments.against, game)  # to fail now rather than minutes later
    fields = dataclasses.fields(arguments.config)
    with user_input():
        config = arguments.config(**{f.name: getattr(arguments, f.name) for f in fields})
    folder = new_folder(arguments.out or f"runs/{arguments.algorithm}-{game.name}")
    checkpoint = folder / session.CHECKPOINT_FILE
    if checkpoint.exists() and not (arguments.resume or arguments.overwrite):
        raise BadArgument(
            f"{checkpoint} exists; add --resume to continue that run, --overwrite to replace it, "
            "or choose another folder with --out"
        )
    if arguments.resume and checkpoint.exists():
        _tell_changes(load_checkpoint(checkpoint), config)
    return session.Session(
        algorithm=arguments.algorithm,
        game=game,
        config=config,
        folder=folder,
        against=player_names(arguments.against),
        num_measurements=arguments.points,
        num_deals=arguments.point_deals,
        final_deals=arguments.deals,
        command=arguments.command_line,
        resume=arguments.resume,
    )


def _tell_changes(before: Checkpoint, config: Any) -> None:
    """Say which settings the run had so far: those of a command without them are the defaults."""
    changed = [
        f"{name} {before.config[name]}, now {value}"
        for name, value in dataclasses.asdict(config).items()
        if name in before.config and before.config[name] != value
    ]
    if changed:
        _logger.warning(f"the run so far had other settings: {'; '.join(changed)}")
        _logger.warning(f"its command: {before.command}")


def _train_with_view(plan: session.Session, has_tensorboard: bool) -> list[MatchResult]:
    """Train with a live view; return the last measurement. Raises BadArgument."""
    last: list[MatchResult] = []
    with progress_bar() as bar, _board(has_tensorboard, plan.folder) as board:
        task = bar.add_task("compiling, once, about 20 s", total=None)

        def on_measured(progress: Any, results: list[MatchResult]) -> None:
            last[:] = results
            if board is not None:
                board.add_scalar("loss", progress.loss, progress.decisions)
                for each in results:
                    name = f"first places against {each.second}"
                    board.add_scalar(name, each.first_places.mean, progress.decisions)
            shares = [f"{r.first_places.scaled(100):.1f} % against {r.second}" for r in results]
            _logger.info(
                f"{progress.done:5.0%}  {progress.cpu_seconds / 60:5.1f} CPU min  "
                f"{results[0].words.score} {', '.join(shares)}"
            )

        def on_progress(progress: Any) -> None:
            standing = _standing(progress)
            bar.update(task, completed=progress.done, total=1.0, description=standing)

        def on_games(player: str, num_games: int) -> None:
            bar.update(task, description=f"measuring against {player}: {num_games:,} games")

        try:
            with writing(f"to {plan.folder}"):
                session.run_session(plan, on_progress, on_measured, on_games)
        except ValueError as error:
            is_defect = bar.tasks[task].completed > 0  # or else the learner refused its settings
            if is_defect and not isinstance(error, session.NothingLearned):
                raise
            raise BadArgument(str(error)) from error
    return last


def _standing(progress: Any) -> str:
    """What a run is doing, in a few words: speed, loss and, where there is one, entropy."""
    speed = progress.decisions / max(progress.seconds, 1e-9)
    words = [f"{speed:,.0f} decisions/s", f"loss {progress.loss:.3f}"]
    if not math.isnan(getattr(progress, "entropy", math.nan)):
        words.append(f"entropy {progress.entropy:.2f}")
    return ", ".join(words)


def _in_words(result: MatchResult, num_seats: int) -> str:
    """The result in a line: `first places 42 % against three ... (of an equal player 25; ...)`."""
    number = {2: "", 3: "two ", 4: "three ", 5: "four "}.get(num_seats, f"{num_seats - 1} ")
    first, fair = 100 * result.first_places.mean, 100 * result.fair_share
    return (
        f"{result.words.score} {first:.0f} % against {number}`{result.second}` "
        f"(of an equal player {fair:.0f}; {result.words.counting})"
    )


def _board(is_enabled: bool, folder: Path) -> Any:
    """Return a context that gives TensorBoard's writer, or None without it. Raises BadArgument."""
    if not is_enabled:
        return contextlib.nullcontext()
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise BadArgument(f"--tensorboard needs: {how_to_install('track')}") from error
    return SummaryWriter(folder)
