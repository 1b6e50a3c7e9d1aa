"""Train a player of any game, measure it, and keep it as a checkpoint with its learning curve.

The learners are the files of `training/` that have a `Config` and a `train`; every setting of the
Config is an option.
"""

import argparse
import contextlib
import dataclasses
import importlib
import inspect
import itertools
import pkgutil
import re
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import training
from ..baselines import Policy
from ..baselines.arena import MatchResult, play_match
from ..envs.core.game import Game
from .options import (
    BadArgument,
    Parser,
    add_game,
    chosen_game,
    chosen_players,
    player_names,
    positive,
    user_input,
)
from .output import match_data, print_matches, progress_bar, write_json

if TYPE_CHECKING:
    from ..training.evaluate import Point

CURVE_DEALS = 250  # of a point of the curve; always the same deals, so that points compare
MEASURED_SEED = 1_000_000_000  # deals of the measurement at the end: none that the curve has

LEARNER = re.compile(r"^class Config\b.*^def train\(", re.MULTILINE | re.DOTALL)
FIELD_COMMENT = re.compile(r"^    (\w+):[^#\n]*#\s*(.+)$", re.MULTILINE)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """A parser for each learner."""
    learners = parser.add_subparsers(metavar="ALGORITHM", required=True, parser_class=Parser)
    for name in learner_names():
        module = importlib.import_module(f"{training.__name__}.{name}")
        learner = learners.add_parser(
            name, description=module.__doc__, help=(module.__doc__ or "").splitlines()[0]
        )
        learner.set_defaults(learner=module)
        add_game(learner)
        _add_run_options(learner)
        _add_settings(learner, module.Config)


def learner_names() -> list[str]:
    """The modules of `training` that can be trained with."""
    folders = [Path(folder) for folder in training.__path__]
    names = [module.name for module in pkgutil.iter_modules(training.__path__)]
    return [
        name
        for name in names
        if any(LEARNER.search((folder / f"{name}.py").read_text()) for folder in folders)
    ]


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--out", metavar="FOLDER", help="what is made goes here (default runs/ALGORITHM-GAME)"
    )
    parser.add_argument(
        "--against", metavar="A,B,...", default="random", help="whom to measure it against"
    )
    parser.add_argument(
        "--deals", type=positive, default=2000, help="of the measurement at the end (default 2000)"
    )
    parser.add_argument(
        "--points", type=positive, default=10, help="of the learning curve (default 10)"
    )
    parser.add_argument("--tensorboard", action="store_true", help="also log for TensorBoard")


def _add_settings(parser: argparse.ArgumentParser, config: type) -> None:
    group = parser.add_argument_group("settings of the learner")
    comments = dict(FIELD_COMMENT.findall(inspect.getsource(config)))
    hints = typing.get_type_hints(config)
    for field in dataclasses.fields(config):
        flag = f"--{field.name.replace('_', '-')}"
        default = field.default
        shown = ",".join(map(str, default)) if isinstance(default, tuple) else default
        about = f"{comments.get(field.name, '')} (default {shown})".strip().replace("%", "%%")
        if hints[field.name] is bool:
            group.add_argument(
                flag, action=argparse.BooleanOptionalAction, default=default, help=about
            )
        else:
            kind = _value_type(hints[field.name])
            group.add_argument(flag, type=kind, default=default, metavar="X", help=about)


def _value_type(hint: Any) -> Callable[[str], Any]:
    """How to read a value of this type; a tuple is written with commas."""
    if typing.get_origin(hint) is not tuple:
        return hint
    item = typing.get_args(hint)[0]
    if item is str:
        return player_names

    def values(text: str) -> tuple[Any, ...]:
        return tuple(item(part) for part in text.split(",") if part)

    values.__name__ = f"{item.__name__},..."  # what argparse calls it in its refusal
    return values


def run(arguments: argparse.Namespace) -> None:
    """Train for as long as the settings say; leave the checkpoint, its card and the curve."""
    game = chosen_game(arguments)
    opponents = chosen_players(arguments.against, game)
    fields = dataclasses.fields(arguments.learner.Config)
    config = arguments.learner.Config(**{f.name: getattr(arguments, f.name) for f in fields})
    algorithm = arguments.learner.__name__.rpartition(".")[2]
    folder = _new_folder(arguments.out or f"runs/{algorithm}-{game.name}")
    with user_input():  # a learner judges its settings before its first step
        steps = arguments.learner.train(game, config)
        steps = itertools.chain([next(steps)], steps)
    training_run = Run(algorithm, config, game, opponents, folder, arguments.command_line)
    with progress_bar() as bar, _log(arguments.tensorboard, folder) as log:
        task = bar.add_task("training", total=1.0)
        for progress, network in steps:
            bar.update(task, completed=progress.done)
            if int(progress.done * arguments.points) > training_run.marks_passed:
                training_run.marks_passed = int(progress.done * arguments.points)
                log(progress, training_run.add_point(progress, network))
        bar.update(task, description="measuring")
        results = training_run.finish(progress, network, arguments.deals)
    print_matches(results)
    print(f"{folder} has player.pt, its card player.md, curve.png and results.json")


@dataclasses.dataclass
class Run:
    """One training run: whom it is measured against, and what it leaves in its folder."""

    algorithm: str
    config: Any  # of the learner
    game: Game
    opponents: list[Policy]
    folder: Path
    command: str
    points: list["Point"] = dataclasses.field(default_factory=list)
    marks_passed: int = 0

    def add_point(self, progress: Any, network: Any) -> list[MatchResult]:
        """Measure on the curve's deals; what was learned so far is kept, whatever happens next."""
        from ..training.evaluate import Point

        results = self._measure_and_keep(progress, network, CURVE_DEALS, seed=0)
        self.points.append(Point(progress.seconds, progress.decisions, results))
        return results

    def finish(self, progress: Any, network: Any, num_deals: int) -> list[MatchResult]:
        """Measure on deals that nothing was chosen by, and write the curve."""
        from ..training.evaluate import draw_curve

        results = self._measure_and_keep(progress, network, num_deals, MEASURED_SEED)
        title = f"{self.algorithm} learns {self.game.name}"
        draw_curve(self.points, title, self.folder / "curve.png")
        curve = [
            {**point._asdict(), "results": [match_data(result) for result in point.results]}
            for point in self.points
        ]
        measured = [match_data(result) for result in results]
        write_json({"measured": measured, "curve": curve}, str(self.folder / "results.json"))
        return results

    def _measure_and_keep(
        self, progress: Any, network: Any, num_deals: int, seed: int
    ) -> list[MatchResult]:
        from ..baselines.learned import network_policy
        from ..training.checkpoint import Checkpoint, code_revision, save_checkpoint

        player = network_policy(self.algorithm, self.game, network)
        results = [play_match(self.game, player, o, num_deals, seed) for o in self.opponents]
        checkpoint = Checkpoint(
            game=self.game.name,
            game_version=self.game.version,
            game_config=self.game.config_dict(),
            algorithm=self.algorithm,
            config=dataclasses.asdict(self.config),
            hidden=self.config.hidden,
            weights=network.state_dict(),
            command=self.command,
            revision=code_revision(),
            training=progress._asdict(),
            strength=[match_data(result) for result in results],
        )
        save_checkpoint(checkpoint, self.folder / "player.pt")
        return results


def _new_folder(name: str) -> Path:
    folder = Path(name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadArgument(f"cannot make the folder {name}: {error.strerror}") from error
    return folder


@contextlib.contextmanager
def _log(is_wanted: bool, folder: Path) -> Iterator[Callable[[Any, list[MatchResult]], None]]:
    """Where the points of the curve go for TensorBoard; nowhere unless it is wanted."""
    if not is_wanted:
        yield lambda progress, results: None
        return
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise BadArgument("--tensorboard needs: pip install 'parlour[track]'") from error
    with SummaryWriter(folder) as writer:

        def log(progress: Any, results: list[MatchResult]) -> None:
            writer.add_scalar("loss", progress.loss, progress.decisions)
            for result in results:
                name = f"first places against {result.second}"
                writer.add_scalar(name, result.first_places.mean, progress.decisions)

        yield log
