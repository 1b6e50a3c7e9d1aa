"""A training run: learn, measure at regular intervals, and write the results to a folder.

The folder holds `checkpoint.pt` with its model card, `curve.csv` (a row for each measurement and
player) with its plot `curve.png`, and for a learner that can be resumed `state.pt`.
"""

import dataclasses
import importlib
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from ..baselines.arena import MatchResult
from ..baselines.networks.checkpoints import Checkpoint, code_revision, save_checkpoint
from ..baselines.networks.kinds import KINDS, policy_of
from ..baselines.policies.file_names import CHECKPOINT_FILE as CHECKPOINT_FILE
from ..baselines.statistics.result_data import as_data
from ..baselines.statistics.result_words import words_of
from ..envs.core.game import Game
from ..envs.core.whole_files import write_whole, written_whole
from .evaluate import evaluate

CURVE_FILE = "curve.csv"
PLOT_FILE = "curve.png"
STATE_FILE = "state.pt"  # what an interrupted run continues from
SECONDS_BETWEEN_STATES = 600.0  # at most, if measurements are farther apart


def algorithms() -> list[str]:
    """Return the names of the learners, which are those of their files in this folder."""
    return sorted(KINDS)


def load_algorithm(name: str) -> ModuleType:
    """Import the module of a learner. Raises ValueError for an unknown one."""
    if name not in algorithms():
        raise ValueError(f"unknown algorithm {name!r}; there is {', '.join(algorithms())}")
    return importlib.import_module(f".{name}", __package__)


def is_resumable(name: str) -> bool:
    """Return whether a run of this learner that was stopped can go on."""
    return hasattr(load_algorithm(name), "Learner")


@dataclasses.dataclass
class Session:
    """What to train, and how often and how precisely to measure it."""

    algorithm: str
    game: Game
    config: Any  # the algorithm's own Config
    folder: Path
    against: tuple[str, ...]  # players to measure it against
    num_measurements: int = 20  # points of the learning curve
    num_deals: int = 500  # duplicate deals for each point
    final_deals: int = 5_000  # duplicate deals of the last measurement, kept in the checkpoint
    command: str = ""  # the command that started it, for the model card
    resume: bool = False  # continue the interrupted run in the folder


class NothingLearned(ValueError):
    """A run that ended without a single gradient step."""


def run_session(
    session: Session,
    on_progress: Callable[[Any], None] = lambda progress: None,
    on_measured: Callable[[Any, list[MatchResult]], None] = lambda progress, results: None,
    on_games: Callable[[str, int], None] = lambda player, num_games: None,
) -> Checkpoint:
    """Train to the end; return the checkpoint that was written.

    `on_progress` is called with the progress after every step, and `on_measured` at every point of
    the learning curve. While that is measured, `on_games` is called with the player that it is
    measured against and the number of games played, first 0. The checkpoint is written at every
    point. The state is written there and every ten minutes, so that a run which is stopped can be
    resumed, if the algorithm has a `Learner`.
    Raises NothingLearned where the run ends without a gradient step, and ValueError for a run that
    cannot be resumed.
    """
    session.folder.mkdir(parents=True, exist_ok=True)
    learner = _learner(session)
    curve = read_curve(session.folder) if session.resume else []
    done = learner.progress.done if session.resume else 0.0
    if done >= 1.0:
        raise ValueError(
            f"the run in {session.folder} is complete; give it more minutes or total_steps to go on"
        )
    next_point = _next_point(session, done)
    saved_at = time.monotonic()
    for progress, network in learner.run():
        on_progress(progress)
        is_point = progress.done >= next_point
        if is_point:
            next_point = _next_point(session, progress.done)
            results = _measured(session, progress, network, on_games)
            on_measured(progress, results)
            curve += [{**_measures(progress), **_point(result)} for result in results]
            write_curve(curve, session.folder)
            checkpoint = _checkpoint(session, network, progress, results)
            save_checkpoint(checkpoint, session.folder / CHECKPOINT_FILE)
        if is_point or time.monotonic() - saved_at >= SECONDS_BETWEEN_STATES:
            learner.save(session.folder / STATE_FILE)
            saved_at = time.monotonic()
    draw_curve(curve, session.folder / PLOT_FILE)
    return checkpoint


class _Steps:
    """A learner that is no more than a generator: it cannot be resumed."""

    def __init__(self, steps: Iterator[Any]) -> None:
        self.steps = steps

    def run(self) -> Iterator[Any]:
        return self.steps

    def save(self, path: Path) -> None:
        """There is nothing to continue from."""


def _learner(session: Session) -> Any:
    """Return the learner; in a run that is resumed, with its latest state."""
    algorithm = load_algorithm(session.algorithm)
    if is_resumable(session.algorithm):
        learner = algorithm.Learner(session.game, session.config)
        if session.resume:
            learner.load(session.folder / STATE_FILE)
        return learner
    if session.resume:
        others = ", ".join(filter(is_resumable, algorithms()))
        raise ValueError(f"a run of {session.algorithm} cannot be resumed; those of {others} can")
    return _Steps(algorithm.train(session.game, session.config))


def _next_point(session: Session, done: float) -> float:
    return math.floor(done * session.num_measurements + 1) / session.num_measurements


def _measured(
    session: Session, progress: Any, network: Any, on_games: Callable[[str, int], None]
) -> list[MatchResult]:
    """Play the matches of a point of the curve. Raises NothingLearned."""
    if progress.done >= 1.0 and getattr(progress, "updates", 1) == 0:
        raise NothingLearned(
            "the run ended before its first gradient step; let it take longer, or gather less "
            "before learning starts"
        )
    policy = policy_of(session.algorithm, session.game, network)
    num_deals = session.final_deals if progress.done >= 1 else session.num_deals
    on_games(session.against[0], 0)
    return evaluate(session.game, policy, session.against, num_deals, on_progress=on_games)


def _measures(progress: Any) -> dict[str, Any]:
    """Return what is known of the progress, by name."""
    return {name: value for name, value in progress._asdict().items() if not math.isnan(value)}


def _actors(config: Any) -> dict[str, int]:
    """Return how many actors of a cluster play, where there are any."""
    return {"actors": config.num_actors} if getattr(config, "cluster", "") else {}


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
        training=_measures(progress) | _actors(session.config),
        strength=[as_data(result) for result in results],
    )


def read_curve(folder: Path) -> list[dict[str, Any]]:
    """Return the learning curve so far: a row for each measurement against each player."""
    import pandas as pd  # takes long

    path = folder / CURVE_FILE
    return pd.read_csv(path).to_dict("records") if path.is_file() else []


def write_curve(curve: list[dict[str, Any]], folder: Path) -> None:
    """Write the learning curve as CSV: one row for each measurement against each player."""
    import pandas as pd

    write_whole(folder / CURVE_FILE, pd.DataFrame(curve).to_csv(index=False))


def draw_curve(curve: list[dict[str, Any]], path: Path) -> None:
    """Draw the learning curve with intervals."""
    from matplotlib.figure import Figure  # slow to import

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    for player in dict.fromkeys(point["against"] for point in curve):
        points = [point for point in curve if point["against"] == player]
        minutes = [point["cpu_seconds"] / 60 for point in points]
        mean, low, high = (
            [100 * point[part] for point in points] for part in ("first_places", "low", "high")
        )
        label = f"against {player}: {mean[-1]:.1f} %"
        (line,) = axes.plot(minutes, mean, marker="o", markersize=4, linewidth=2, label=label)
        axes.fill_between(minutes, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
        axes.vlines(minutes, low, high, color=line.get_color(), alpha=0.4)  # one point has no band
    fair_share = curve[0]["fair_share"]
    words = words_of(round(1 / fair_share))
    axes.axhline(100 * fair_share, color="grey", linestyle=":", label="an equal player")
    label = f"{words.score}, %"
    axes.set(xlabel="CPU minutes of training", ylabel=label, ylim=(0, 100))
    axes.set_title(words.counting, loc="left", fontsize="medium")  # longer than the axis is high
    axes.set_xlim(0, 1.03 * curve[-1]["cpu_seconds"] / 60)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside right upper", frameon=False)  # never over a line
    with written_whole(path) as partial:
        figure.savefig(partial, dpi=150)
