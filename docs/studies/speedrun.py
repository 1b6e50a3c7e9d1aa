"""Train from nothing until a player has reached a fixed strength, and record how long that takes.

    python -m docs.studies.speedrun president --change "half the minibatch"    seeds 0, 1 and 2
    python -m docs.studies.speedrun splendor --hidden 64,64 --seeds 5

The one dial is --hidden, the size of the network. Now and then learning waits, and the network
plays the goal's opponent until an interval that holds at any time excludes the goal. Learning ends
where the whole interval lies above it. The looks share the probability of an error: all of them
together end a run too early in at most one of twenty. Only learning counts as time, neither
compiling nor these games.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.baselines.arena.play.batches import Match
from parlour.baselines.arena.play.entrants import EntrantSpec, enter
from parlour.baselines.arena.play.match import deal_seeds, first_place_shares
from parlour.baselines.arena.play.playing import Plan, play_matches
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.networks.kinds import policy_of
from parlour.baselines.statistics.anytime import anytime_mean
from parlour.baselines.statistics.estimates import LEVEL, Estimate
from parlour.envs import GameName, load_game
from parlour.envs.core.game import Game
from parlour.scripts.bench.measure import machine
from parlour.scripts.validators import positive
from parlour.training.session import load_algorithm

from .recorded import STUDIES

RECORD = STUDIES / "speedrun.json"
SEEDS = 3
FIRST_LOOK, NEXT_LOOK = 2.0, 1.15  # processor seconds; times those of the last look
LOOK_DEALS = (100, 100, 200, 400, 800, 1600, 3200, 6400)  # of a look, one after the other
FIRST_SEED = 2_000_000_000  # of the deals
SEEDS_A_LOOK = 10_000
CODE = (":/baselines", ":/envs", ":/training", ":/docs/studies/speedrun.py")
HEADINGS = (
    "game", "goal", "network", "CPU minutes", "by the clock", "decisions", "seeds", "what changed",
    "commit", "machine",
)  # fmt: skip


class Goal(NamedTuple):
    """What a run has to reach, and how it learns."""

    seats: int
    opponent: str  # in all other seats
    share: float  # of first places, shared ones counted in part, to be exceeded
    algorithm: str
    settings: dict[str, Any]

    def game(self, name: GameName) -> Game:
        """Return the game."""
        return load_game(name, **({} if name == "top_trumps" else {"num_players": self.seats}))


ONE_THREAD = {"num_threads": 1}
GOALS: dict[GameName, Goal] = {
    "top_trumps": Goal(
        2, "goliath", 1 / 2, "ppo",
        {"num_tables": 512, "batch_decisions": 96, "entropy_coefficient": 0.01,
         "final_entropy_coefficient": 0.001, "hidden": (64, 64), "total_steps": 16_000_000},
    ),
    "notty": Goal(2, "x_defensive", 1 / 2, "ppo", {"total_steps": 6_000_000}),
    "splendor": Goal(
        2, "planner", 1 / 2, "expert_iteration",
        {"teacher": "planner", "teacher_steps": 400_000, "value_scale": 0.25, "epochs": 3,
         "total_steps": 1_500_000, "minibatch_size": 512, "learning_rate": 2e-3},
    ),
    "trick_taking": Goal(
        3, "smart", 1 / 3, "ppo", {"total_steps": 12_000_000, "minibatch_size": 1024}
    ),
    "president": Goal(
        4, "planner", 1 / 4, "ppo",
        {"total_steps": 6_000_000, "first_place_weight": 0.6, "learning_rate": 2e-3,
         "self_play": 0.5, "opponents": ("planner",), "opponent_weights": (0.5,),
         "minibatch_size": 1024},
    ),
}  # fmt: skip


def train(name: GameName, seed: int, hidden: tuple[int, ...] | None = None) -> dict[str, Any]:
    """Train until the goal is reached, or to the end; return what it took."""
    goal = GOALS[name]
    game = goal.game(name)
    algorithm = load_algorithm(goal.algorithm)
    config = algorithm.Config(**{**ONE_THREAD, **goal.settings}, seed=seed)
    if hidden is not None:
        config = replace(config, hidden=hidden)
    next_look, looks = FIRST_LOOK, 0
    for progress, network in algorithm.Learner(game, config).run():
        if progress.cpu_seconds < next_look and progress.done < 1.0:
            continue
        next_look, looks = NEXT_LOOK * progress.cpu_seconds, looks + 1
        policy = policy_of(goal.algorithm, game, network)
        alpha = (1 - LEVEL) / (looks * (looks + 1))  # of all looks together 1 - LEVEL
        estimate = look(matches_of(game, policy, goal.opponent, looks), game, goal.share, alpha)
        print(
            f"{progress.cpu_seconds:7.1f} s {progress.decisions:12,} {estimate:.3f}",
            file=sys.stderr,
        )
        if estimate.low > goal.share:
            break
    return {
        "seed": seed,
        "hidden": list(config.hidden),
        "is_reached": bool(estimate.low > goal.share),
        "share": list(estimate),
        "cpu_minutes": progress.cpu_seconds / 60,
        "seconds": progress.seconds,
        "decisions": progress.decisions,
        "looks": looks,
    }


def look(play: Callable[[int], np.ndarray], game: Game, share: float, alpha: float) -> Estimate:
    """Play deals until an interval that holds at any time excludes a share; return it.

    `play(n)` gives the first places [n] in the next n deals, each from every seat. The interval
    may still contain the share after the last of LOOK_DEALS.
    """
    sums = np.empty(0)
    for num_deals in LOOK_DEALS:
        sums = np.append(sums, play(num_deals))
        estimate = anytime_mean(sums, game.num_seats, alpha=alpha)
        if not estimate.low <= share <= estimate.high:
            break
    return estimate


def matches_of(
    game: Game, policy: EntrantSpec, opponent: str, number: int
) -> Callable[[int], np.ndarray]:
    """Return what plays the deals of a look, of which no other look has any."""
    match = Match(enter((policy, opponent), game), "field")
    first = FIRST_SEED + number * SEEDS_A_LOOK

    def play(num_deals: int) -> np.ndarray:
        nonlocal first
        seeds = deal_seeds(first, num_deals)
        first = seeds.stop
        (played,) = play_matches(game, [match], seeds, Plan(), lambda _: None)
        return first_place_shares(played)

    return play


def note(
    record: Path, name: GameName, change: str, commit: str, runs: list[dict[str, Any]]
) -> None:
    """Put runs into the record, in the place of fewer with the same code."""
    entries = json.loads(record.read_text()) if record.is_file() else []
    entry = {"game": name, "change": change, "commit": commit, "machine": machine(), "runs": runs}
    same = [e for e in entries if (e["game"], e["change"], e["commit"]) == (name, change, commit)]
    entries = [each for each in entries if each not in same] + [entry]
    record.write_text(json.dumps(entries, indent=1) + "\n")


def clean_commit() -> str:
    """Return the commit of the code. Raises SystemExit where its files are changed."""
    status, head = (
        subprocess.run(["git", *words], capture_output=True, text=True, check=True, cwd=STUDIES)
        for words in (["status", "--porcelain", "--", *CODE], ["rev-parse", "--short=12", "HEAD"])
    )
    if status.stdout:
        raise SystemExit(f"commit these first, so that the record names them:\n{status.stdout}")
    return head.stdout.strip()


def table() -> str:
    """Return the records as a table, by game, the fastest that reached its goal first."""
    entries = sorted(json.loads(RECORD.read_text()), key=_place)
    return "\n".join(markdown_table(HEADINGS, [_cells(entry) for entry in entries]))


def _place(entry: dict[str, Any]) -> tuple[int, bool, float]:
    runs = entry["runs"]
    minutes = sum(run["cpu_minutes"] for run in runs) / len(runs)
    return list(GOALS).index(entry["game"]), not all(run["is_reached"] for run in runs), minutes


def _cells(entry: dict[str, Any]) -> list[str]:
    runs, goal = entry["runs"], GOALS[entry["game"]]
    reached = [run for run in runs if run["is_reached"]]
    decisions = [f"{run['decisions']:,}" for run in runs]
    minutes = [f"{run['cpu_minutes']:.2f}" for run in runs]
    return [
        f"`{entry['game']}`, {goal.seats} seats",
        f"above {100 * goal.share:.0f} % first against `{goal.opponent}`",
        "-".join(map(str, runs[0]["hidden"])),
        " ".join(minutes),
        " ".join(f"{run['seconds'] / 60:.2f}" for run in runs),
        " ".join(decisions),
        f"{len(reached)} of {len(runs)} reached it",
        entry["change"],
        entry["commit"],
        "{processor}, {cores} cores".format(**entry["machine"]),
    ]


def _units(text: str) -> tuple[int, ...]:
    return tuple(map(positive, text.split(",")))


def main() -> None:
    """Train with each seed, and note what is known after each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", choices=GOALS)
    parser.add_argument(
        "--hidden", type=_units, metavar="N,...", help="units of the hidden layers, such as 64,64"
    )
    parser.add_argument("--change", default="", help="what is new, for the table")
    parser.add_argument("--seeds", type=positive, default=SEEDS, help=f"default {SEEDS}")
    arguments = parser.parse_args()
    commit, runs = clean_commit(), []
    for seed in range(arguments.seeds):
        runs.append(train(arguments.game, seed, arguments.hidden))
        note(RECORD, arguments.game, arguments.change, commit, runs)


if __name__ == "__main__":
    main()
