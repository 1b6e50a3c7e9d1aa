"""A training run: learns, measures itself as it goes, and leaves a folder with all it found.

The folder holds `checkpoint.pt` with its model card, `curve.csv` (one line a measurement) and,
where matplotlib is installed, `curve.png`.
"""

import ast
import csv
import dataclasses
import importlib
import math
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ..baselines.arena import MatchResult
from ..baselines.arena.export import as_data
from ..baselines.networks.checkpoints import Checkpoint, code_revision, save_checkpoint
from ..baselines.networks.kinds import policy_of
from ..envs.core.game import Game
from . import __path__ as _folder
from .evaluate import evaluate

CHECKPOINT_FILE = "checkpoint.pt"
CURVE_FILE = "curve.csv"
PLOT_FILE = "curve.png"
_PARTS = {"Config", "train"}  # what a learner offers


def algorithms() -> list[str]:
    """The learners: files of this folder that define `Config` and `train`."""
    return sorted(path.stem for path in Path(_folder[0]).glob("*.py") if _is_learner(path))


def load_algorithm(name: str) -> ModuleType:
    """The file of a learner. Raises ValueError for an unknown one."""
    if name not in algorithms():
        raise ValueError(f"unknown algorithm {name!r}; there is {', '.join(algorithms())}")
    return importlib.import_module(f".{name}", __package__)


def _is_learner(path: Path) -> bool:
    # Read, not imported: the recipes beside the learners need packages that may not be there.
    statements = ast.parse(path.read_text(encoding="utf-8")).body
    offered = {part.name for part in statements if isinstance(part, ast.ClassDef | ast.FunctionDef)}
    return offered >= _PARTS


@dataclasses.dataclass
class Session:
    """What to train, and how closely to watch it."""

    algorithm: str
    game: Game
    config: Any  # the algorithm's own Config
    folder: Path
    against: tuple[str, ...]  # players that it is measured against
    num_measurements: int = 20  # points of the learning curve
    num_deals: int = 500  # duplicate deals a point
    final_deals: int = 5_000  # duplicate deals of the last measurement, kept in the checkpoint
    command: str = ""  # what started it, for the model card


def run(
    session: Session,
    on_progress: Callable[[Any], None] = lambda progress: None,
    on_measured: Callable[[Any, list[MatchResult]], None] = lambda progress, results: None,
) -> Checkpoint:
    """Train to the end; returns the checkpoint that was written.

    `on_progress` is told where the run stands after every step, `on_measured` every point of the
    learning curve. The checkpoint is written at every point: a run that is stopped leaves its last.
    """
    algorithm = load_algorithm(session.algorithm)
    session.folder.mkdir(parents=True, exist_ok=True)
    curve: list[dict[str, Any]] = []
    next_point = 1 / session.num_measurements
    for progress, network in algorithm.train(session.game, session.config):
        on_progress(progress)
        if progress.done < next_point:
            continue
        next_point = math.floor(progress.done * session.num_measurements + 1) / (
            session.num_measurements
        )
        policy = policy_of(session.algorithm, session.game, network)
        num_deals = session.final_deals if progress.done >= 1 else session.num_deals
        results = evaluate(session.game, policy, session.against, num_deals)
        on_measured(progress, results)
        curve += [{**progress._asdict(), **_point(result)} for result in results]
        write_curve(curve, session.folder)
        checkpoint = _checkpoint(session, network, progress, results)
        save_checkpoint(checkpoint, session.folder / CHECKPOINT_FILE)
    draw_curve(curve, session.folder / PLOT_FILE)
    return checkpoint


def _point(result: MatchResult) -> dict[str, Any]:
    first = result.first_places
    return {
        "against": result.second,
        "games": result.num_games,
        "first_places": first.mean,
        "low": first.low,
        "high": first.high,
        "mean_return": result.mean_return.mean,
        "fair_share": result.fair_share,
    }


def _checkpoint(
    session: Session, network: Any, progress: Any, results: list[MatchResult]
) -> Checkpoint:
    return Checkpoint(
        game=session.game.name,
        game_version=session.game.version,
        game_config=session.game.config_dict(),
        algorithm=session.algorithm,
        config=dataclasses.asdict(session.config),
        hidden=tuple(session.config.hidden),
        weights={key: tensor.clone() for key, tensor in network.state_dict().items()},
        command=session.command,
        revision=code_revision(),
        training=progress._asdict(),
        strength=[as_data(result) for result in results],
    )


def write_curve(curve: list[dict[str, Any]], folder: Path) -> None:
    """The learning curve as CSV: one line for each measurement against each player."""
    with (folder / CURVE_FILE).open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(curve[0]))
        writer.writeheader()
        writer.writerows(curve)


def draw_curve(curve: list[dict[str, Any]], path: Path) -> bool:
    """The learning curve as a picture, with intervals; False where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    for player in dict.fromkeys(point["against"] for point in curve):
        points = [point for point in curve if point["against"] == player]
        minutes = [point["seconds"] / 60 for point in points]
        mean, low, high = (
            [100 * point[part] for point in points] for part in ("first_places", "low", "high")
        )
        label = f"against {player}: {mean[-1]:.1f} %"
        (line,) = axes.plot(minutes, mean, marker="o", markersize=4, linewidth=2, label=label)
        axes.fill_between(minutes, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        axes.vlines(minutes, low, high, color=line.get_color(), alpha=0.4)  # one point has no band
    axes.axhline(100 * curve[0]["fair_share"], color="grey", linestyle=":", label="fair share")
    axes.set(xlabel="minutes of training", ylabel="first places, %", ylim=(0, 100))
    axes.set_xlim(0, 1.03 * curve[-1]["seconds"] / 60)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False)  # never over a line
    figure.savefig(path, dpi=150)
    return True
