"""Trials of Top Trumps: batches of games from a list.

    parlour trials top_trumps batch [TRIALS.json]
    parlour trials top_trumps template > my_agent.py

A list has a row [player_1, player_2, num_cards, num_trials, p1_fraction, p2_fraction, p1_m, p2_m]
for each trial; the last four may be null or left out. Player 1 has seat 0 and starts. Without a
file the command plays the list that ships. It writes results as JSON and as text.
"""

import datetime
import itertools
import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ...envs.core.game import Game, check_range
from ...envs.core.whole_files import write_whole
from ...envs.registry import load_game
from ..arena.play.batches import BATCH_DEALS, play_deals
from ..players.making import make_policy
from ..policies.policy import Policy
from ..statistics.estimates import Estimate, wilson

GAME: Final = "top_trumps"
SHIPPED = Path(__file__).with_name("trials.json")
TEMPLATE = Path(__file__).with_name("agent_template.py")
MAX_TRIALS = 10**9
ROW = "[player_1, player_2, num_cards, num_trials, p1_fraction, p2_fraction, p1_m, p2_m]"
_NEEDED = 4  # the first four of the eight are required


class TrialSpec(NamedTuple):
    """A number of games of two players; None as a fraction or m is the player's default."""

    player_1: str
    player_2: str
    num_cards: int
    num_trials: int
    p1_fraction: float | None = None
    p2_fraction: float | None = None
    p1_m: float | None = None
    p2_m: float | None = None

    def players(self, game: Game) -> tuple[Policy, Policy]:
        """Make both players. Raises ValueError or TypeError for an unknown player or setting."""
        return (
            _player(self.player_1, game, fraction=self.p1_fraction, m=self.p1_m),
            _player(self.player_2, game, fraction=self.p2_fraction, m=self.p2_m),
        )


class TrialSettings(NamedTuple):
    """The settings of all trials of a batch."""

    num_fields: int = 5
    trick_limit: int = 5000
    seed: int = 0  # seed of the first game of each trial; later games have the next seeds


class Result(NamedTuple):
    """The result of a trial, counted for player 1."""

    trial: TrialSpec
    wins: int
    losses: int
    draws: int
    seconds: float

    @property
    def score(self) -> Estimate:
        """Return the proportion of wins, with draws as half wins."""
        return wilson((self.wins + self.draws / 2) / self.trial.num_trials, self.trial.num_trials)

    def as_data(self) -> dict[str, Any]:
        """Return the result as JSON stores it."""
        counts = {key: value for key, value in self._asdict().items() if key != "trial"}
        return {**self.trial._asdict(), **counts, "share": list(self.score)}


def _player(name: str, game: Game, **settings: float | None) -> Policy:
    chosen = {key: value for key, value in settings.items() if value is not None}
    return make_policy(name, game, **chosen)


def read_trials(data: Any) -> list[TrialSpec]:
    """Read the rows of a list. Raises ValueError naming the row that is wrong."""
    if not isinstance(data, list) or not data:
        raise ValueError(f"trials are a list of rows {ROW}")
    return [_read_row(row, number) for number, row in enumerate(data, start=1)]


def _read_row(row: Any, number: int) -> TrialSpec:
    is_row = isinstance(row, list) and _NEEDED <= len(row) <= len(TrialSpec._fields)
    if not is_row or not all(isinstance(name, str) for name in row[:2]):
        raise ValueError(f"row {number} must be {ROW}; got {row!r}")
    trial = TrialSpec(*row)
    try:
        check_range("num_trials", trial.num_trials, 1, MAX_TRIALS)
        trial.players(game_of(trial, TrialSettings()))
    except (TypeError, ValueError) as error:
        raise ValueError(f"row {number}: {error}") from error
    return trial


def game_of(trial: TrialSpec, settings: TrialSettings) -> Game:
    """The game that a trial plays. Raises ValueError for an impossible size."""
    return load_game(
        GAME,
        num_cards=trial.num_cards,
        num_fields=settings.num_fields,
        trick_limit=settings.trick_limit,
    )


def play_trial(
    trial: TrialSpec, settings: TrialSettings, on_progress: Callable[[int], None] | None = None
) -> Result:
    """Play all games of a trial; calls `on_progress` with the number of games done."""
    game = game_of(trial, settings)
    players = trial.players(game)
    start = time.perf_counter()
    outcomes = np.zeros(3, np.int64)  # losses, draws, wins
    for first in range(0, trial.num_trials, BATCH_DEALS):
        last = min(first + BATCH_DEALS, trial.num_trials)
        returns = _play(game, players, settings.seed + np.arange(first, last))
        outcomes += np.bincount(returns.astype(np.int64) + 1, minlength=3)
        if on_progress is not None:
            on_progress(last)
    losses, draws, wins = outcomes.tolist()
    return Result(trial, wins, losses, draws, time.perf_counter() - start)


def _play(game: Game, players: tuple[Policy, Policy], seeds: np.ndarray) -> np.ndarray:
    """The return of player 1, in seat 0, for each seed."""
    seated = np.broadcast_to(np.arange(2), (len(seeds), 1, 2))
    return play_deals(game, players, seeds, seated)[:, 0, 0]


# Results as files


def reserve_files(folder: Path) -> tuple[Path, Path]:
    """Create two empty files, NAME.json and NAME.txt, that no other run uses."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    for number in itertools.count(1):
        files = tuple(folder / f"{GAME}-{stamp}-{number}.{kind}" for kind in ("json", "txt"))
        with suppress(FileExistsError):
            for file in files:
                file.touch(exist_ok=False)
            return files[0], files[1]
    raise AssertionError


def write_results(
    files: tuple[Path, Path], settings: TrialSettings, results: Sequence[Result], num_trials: int
) -> None:
    """Write all results so far, as data and as text."""
    head = {"game": GAME, **settings._asdict(), "is_complete": len(results) == num_trials}
    data = {**head, "trials": [result.as_data() for result in results]}
    write_whole(files[0], json.dumps(data, indent=2) + "\n")
    write_whole(files[1], trials_summary(settings, results))


def trials_summary(settings: TrialSettings, results: Sequence[Result]) -> str:
    """Return a line for each trial, with the score and its 95 % interval."""
    shared = ", ".join(f"{key} {value}" for key, value in settings._asdict().items())
    names = [[_named(result.trial, player) for player in (1, 2)] for result in results]
    width = max((len(name) for pair in names for name in pair), default=0)
    lines = [f"Trials of {GAME}: {shared}; counted for player 1, which starts"]
    for (first, second), result in zip(names, results, strict=True):
        score = Estimate(*(100 * value for value in result.score))
        lines.append(
            f"{first:<{width}} v {second:<{width}}  {result.trial.num_cards} cards, "
            f"{result.trial.num_trials} games: {result.wins} wins, {result.losses} losses, "
            f"{result.draws} draws, score {score:.1f} % (a draw counts half), "
            f"{result.seconds:.1f} s"
        )
    return "\n".join(lines) + "\n"


def _named(trial: TrialSpec, player: int) -> str:
    """A player with the settings it was given."""
    row = trial._asdict()
    settings = [(key, row[f"p{player}_{key}"]) for key in ("fraction", "m")]
    shown = ", ".join(f"{key} {value}" for key, value in settings if value is not None)
    return f"{row[f'player_{player}']} ({shown})" if shown else row[f"player_{player}"]
