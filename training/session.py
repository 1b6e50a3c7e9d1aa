"""A training run: learn, measure at regular intervals, and write the results to a folder.

The folder holds `checkpoint.pt` with its model card, `curve.csv` (a row for each measurement and
player) with its plot `curve.png`, and `state.pt`, from which a run that was stopped goes on. Here
is also what every learner has: progress, clocks, a state, and settings that are checked.
"""

import dataclasses
import importlib
import io
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from ..baselines.arena import MatchResult, play_match
from ..baselines.networks.checkpoints import Checkpoint, code_revision, save_checkpoint
from ..baselines.networks.kinds import KINDS, policy_of
from ..baselines.policies.file_names import CHECKPOINT_FILE as CHECKPOINT_FILE
from ..baselines.statistics.result_data import as_data
from ..baselines.statistics.result_words import words_of
from ..envs.core.game import Game, check_range
from ..envs.core.play.slices import MAX_THREADS
from ..envs.core.whole_files import write_whole, written_whole

CURVE_FILE = "curve.csv"
PLOT_FILE = "curve.png"
STATE_FILE = "state.pt"
SECONDS_BETWEEN_STATES = 600.0  # at most, if measurements are farther apart
VALUE_COEFFICIENT = 0.5  # weight of the value's squared error
MAX_COUNT = 10**12
MAX_UNITS, MAX_TABLES = 2**14, 2**20  # of a layer, and of games side by side; memory ends before


class Spent(NamedTuple):
    """Time, or what the clocks show."""

    seconds: float  # of the wall clock
    cpu_seconds: float  # of all threads of the process


def clocks() -> Spent:
    """Return what the clocks show now."""
    return Spent(time.monotonic(), time.process_time())


def since(start: Spent) -> Spent:
    """Return the time since the clocks showed `start`."""
    now = clocks()
    return Spent(now.seconds - start.seconds, now.cpu_seconds - start.cpu_seconds)


class Progress(NamedTuple):
    """How far a run has come; NaN is what is not known yet, or not measured by this learner.

    `loss`, `entropy` and `forced` are those of the last gradient step, or means over its batch.
    """

    done: float = 0.0  # rises to 1
    seconds: float = 0.0  # spent learning: what happens between two steps is not counted
    decisions: int = 0  # of learning seats, and of a teacher
    updates: int = 0  # gradient steps
    loss: float = math.nan
    entropy: float = math.nan  # of the policies, in nats
    forced: float = math.nan  # fraction of the learning seats' plies without a choice
    cpu_seconds: float = 0.0  # of all threads of the process and of all actors, in the same time


class Losses(NamedTuple):
    """Means over the decisions of a gradient step, or of several; of tensors or numbers."""

    policy: Any
    value: Any
    entropy: Any

    @property
    def total(self) -> Any:
        """The loss of policy and value together."""
        return self.policy + VALUE_COEFFICIENT * self.value


class BaseLearner:
    """A network that learns, its optimizer, and how far the run has come.

    An algorithm's own class has the network and the optimizer, and yields from `run` until its
    progress is done. Where one has other parts to continue from, it names them in `parts`.
    """

    parts: tuple[str, ...] = ("network", "optimizer")  # attributes that torch can save
    network: Any
    optimizer: torch.optim.Optimizer
    progress: Any = Progress()

    def __init__(self, config: Any, num_threads: int = 1) -> None:
        torch.manual_seed(config.seed)
        torch.set_num_threads(num_threads)
        self.config = config

    def run(self) -> Iterator[tuple[Any, nn.Module]]:
        """Learn to the end of the run, yielding the progress and the network after every step.

        The network is the learner's own: evaluate it before the next step, or copy it.
        """
        raise NotImplementedError

    def fraction_done(self, progress: Any) -> float:
        """Return how much of a run is over, by decisions or by time, whichever is more."""
        config = self.config
        by_time = progress.seconds / (60 * config.minutes)
        return min(max(progress.decisions / config.total_steps, by_time), 1.0)

    def advance(self, num_decisions: int, num_updates: int, spent: Spent, **latest: Any) -> None:
        """Add to the progress what took the time `spent`; `latest` has its other fields."""
        before = self.progress
        progress = before._replace(
            seconds=before.seconds + spent.seconds,
            cpu_seconds=before.cpu_seconds + spent.cpu_seconds,
            decisions=before.decisions + num_decisions,
            updates=before.updates + num_updates,
            **latest,
        )
        self.progress = progress._replace(done=self.fraction_done(progress))

    def decayed(self, first: float, last: float) -> float:
        """Return the value between `first`, at the start of a run, and `last`, at its end."""
        return first + self.progress.done * (last - first)

    def descend(self, loss: torch.Tensor, learning_rate: float, max_norm: float) -> None:
        """Take a gradient step; a gradient longer than `max_norm` is shortened to that."""
        self.optimizer.param_groups[0]["lr"] = learning_rate
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), max_norm)
        self.optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        """Return what a later run needs to continue this one; it deals new games."""
        state = {part: getattr(self, part).state_dict() for part in self.parts}
        return {**state, "progress": tuple(self.progress)}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Continue from what `state_dict` returned, up to the limits of the present settings."""
        for part in self.parts:
            getattr(self, part).load_state_dict(saved[part])
        progress = type(self.progress)(*saved["progress"])
        self.progress = progress._replace(done=self.fraction_done(progress))

    def save(self, path: Path) -> None:
        """Write the state to a file, whole or not at all."""
        content = io.BytesIO()
        torch.save(self.state_dict(), content)
        write_whole(path, content.getvalue())

    def load(self, path: Path) -> None:
        """Continue from a file. Raises ValueError for one that does not fit."""
        if not path.is_file():
            raise ValueError(f"there is no run to resume in {path.parent}: no {path.name}")
        try:
            saved = torch.load(path, weights_only=True)
        except Exception as error:  # there are many kinds, and torch's advice would mislead
            raise ValueError(f"{path} is not the state of a run, or is damaged") from error
        try:
            self.load_state_dict(saved)
        except (RuntimeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} does not fit this game and these settings; "
                "the model card beside it names those of the run"
            ) from error


def check_learner_settings(
    config: Any,
    above_zero: Iterable[str] = (),
    fractions: Iterable[str] = (),
    from_zero: Iterable[str] = (),
) -> None:
    """Check a learner's settings: `hidden`, all integers, and the numbers that are named by kind.

    Integers are at least 1, `seed` and those `from_zero` at least 0; `fractions` are numbers in
    0 .. 1. Raises ValueError.
    """
    for field in dataclasses.fields(config):
        if field.type is int:
            least = 0 if field.name in ("seed", *from_zero) else 1
            most = {"num_tables": MAX_TABLES, "num_threads": MAX_THREADS}.get(field.name, MAX_COUNT)
            check_range(field.name, getattr(config, field.name), least, most)
    if not config.hidden:
        raise ValueError("hidden must name at least one layer of units")
    for units in config.hidden:
        check_range("hidden", units, 1, MAX_UNITS)
    for name in above_zero:
        if not getattr(config, name) > 0:
            raise ValueError(f"{name} must be above 0; got {getattr(config, name)}")
    for name in fractions:
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"{name} must be in 0 .. 1; got {getattr(config, name)}")


def shares_of_tables(
    self_play: float, opponents: Sequence[Any], weights: Sequence[float]
) -> np.ndarray:
    """Return the shares of tables with self-play and with each opponent. Raises ValueError.

    Without weights each opponent has the weight 1.
    """
    weights = list(weights) or [1.0] * len(opponents)
    if len(weights) != len(opponents):
        raise ValueError(
            "opponent_weights has a weight for each of the opponents; got "
            f"{len(weights)} for {len(opponents)}"
        )
    array = np.array([self_play, *weights], dtype=float)
    if not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise ValueError(
            f"weights of self-play and opponents are 0 or more, not all 0; got {array.tolist()}"
        )
    return array / array.sum()


def algorithms() -> list[str]:
    """Return the names of the learners, which are those of their files in this folder."""
    return sorted(KINDS)


def load_algorithm(name: str) -> ModuleType:
    """Import the module of a learner. Raises ValueError for an unknown one."""
    if name not in algorithms():
        raise ValueError(f"unknown algorithm {name!r}; there is {', '.join(algorithms())}")
    return importlib.import_module(f".{name}", __package__)


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
    resumed. Raises NothingLearned where the run ends without a gradient step, and ValueError for a
    run that cannot be resumed.
    """
    folder = session.folder
    folder.mkdir(parents=True, exist_ok=True)
    learner = load_algorithm(session.algorithm).Learner(session.game, session.config)
    curve: list[dict[str, Any]] = []
    if session.resume:
        learner.load(folder / STATE_FILE)
        curve = read_curve(folder)
    if learner.progress.done >= 1.0:
        raise ValueError(
            f"the run in {folder} is complete; give it more minutes, total_steps or num_batches "
            "to go on"
        )
    next_point = _next_point(session, learner.progress.done)
    saved_at = time.monotonic()
    for progress, network in learner.run():
        on_progress(progress)
        is_point = progress.done >= next_point
        if is_point:
            next_point = _next_point(session, progress.done)
            results = _measured(session, progress, network, on_games)
            on_measured(progress, results)
            curve += [{**_measures(progress), **_point(result)} for result in results]
            write_curve(curve, folder)
            checkpoint = _checkpoint(session, network, progress, results)
            save_checkpoint(checkpoint, folder / CHECKPOINT_FILE)
        if is_point or time.monotonic() - saved_at >= SECONDS_BETWEEN_STATES:
            learner.save(folder / STATE_FILE)
            saved_at = time.monotonic()
    draw_curve(curve, folder / PLOT_FILE)
    return checkpoint


def _next_point(session: Session, done: float) -> float:
    return math.floor(done * session.num_measurements + 1) / session.num_measurements


def _measured(
    session: Session, progress: Any, network: Any, on_games: Callable[[str, int], None]
) -> list[MatchResult]:
    """Play a match against each player on the same deals. Raises NothingLearned."""
    if progress.done >= 1.0 and progress.updates == 0:
        raise NothingLearned(
            "the run ended before its first gradient step; let it take longer, or gather less "
            "before learning starts"
        )
    policy = policy_of(session.algorithm, session.game, network)
    num_deals = session.final_deals if progress.done >= 1 else session.num_deals
    on_games(session.against[0], 0)
    return [
        play_match(session.game, policy, other, num_deals, on_progress=partial(on_games, other))
        for other in session.against
    ]


def _measures(progress: Any) -> dict[str, Any]:
    """Return what is known of the progress, by name."""
    return {name: value for name, value in progress._asdict().items() if not math.isnan(value)}


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
    config = session.config
    actors = {"actors": config.num_actors} if getattr(config, "cluster", "") else {}
    return Checkpoint(
        game=session.game.name,
        game_version=session.game.version,
        game_config=session.game.config_dict(),
        algorithm=session.algorithm,
        config=dataclasses.asdict(config),
        hidden=tuple(config.hidden),
        weights={key: tensor.clone() for key, tensor in network.state_dict().items()},
        command=session.command,
        revision=code_revision(),
        training=_measures(progress) | actors,
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
    with written_whole(path) as file:
        figure.savefig(file, dpi=150)
