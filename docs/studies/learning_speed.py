"""How fast the learner is: decisions a second, playing and gradient together.

python -m docs.studies.learning_speed    all games, and President with other networks

It needs a quiet machine. The settings are those of `make demo`, whose player is measured after 30
million decisions. It writes docs/studies/learning_speed.json and its page. Decisions are those of a
learning seat with at least two legal actions, each in one gradient step at least. Compilation does
not count.
"""

import argparse
import dataclasses
import itertools
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from parlour.baselines.networks.kinds import policy_of
from parlour.envs import GAMES, find_game
from parlour.envs.core.game import Game
from parlour.scripts.bench.measure import machine
from parlour.scripts.bench.plays import best_rate, vector_replay
from parlour.training.acting import Batch
from parlour.training.evaluate import evaluate
from parlour.training.ppo import Config, Learner
from parlour.training.progress import Losses

from .recorded import STUDIES

RECORD = STUDIES / "learning_speed.json"
HIDDEN = (128, 128)
DEMO = Config(hidden=HIDDEN, first_place_weight=0.6, learning_rate=2e-3)
OTHER_NETWORKS = ((64, 64), (256, 128), (256, 256), (512, 512))  # for SIZED
SIZED = "president"
WINDOWS = 3  # the best counts
SECONDS = 4.0  # of each
DECISIONS = 30_000_000  # after which the player of SIZED is measured
AGAINST = ("lowest", "planner")
NUM_DEALS, FIRST_DEAL = 5000, 890_000_000
NUM_TABLES = 4096  # of the vector environment that is stepped beside it
PARTS = ("playing", "losses", "gradients", "the rest")


class TimedLearner(Learner):
    """A learner that adds up the processor time of its parts; with one thread they take turns."""

    def __init__(self, game: Game, config: Config) -> None:
        super().__init__(game, config)
        self.spent = dict.fromkeys(("playing", "losses", "steps"), 0.0)

    def _timed(self, part: str, call: Callable[..., Any], *arguments: Any) -> Any:
        start = time.process_time()
        found = call(*arguments)
        self.spent[part] += time.process_time() - start
        return found

    def _act(self, *arguments: Any) -> Any:
        return self._timed("playing", super()._act, *arguments)

    def _step(self, *arguments: Any) -> Any:
        return self._timed("steps", super()._step, *arguments)

    def _losses(self, decisions: Batch, advantages: np.ndarray, chosen: np.ndarray) -> Losses:
        losses: Losses = self._timed("losses", super()._losses, decisions, advantages, chosen)
        return losses


def learning_rates(game: Game, config: Config) -> dict[str, Any]:
    """Return decisions per second by the clock and of processor time, and the forced plies."""
    steps = Learner(game, config).run()
    start = next(steps)[0]
    rates = []
    for _ in range(WINDOWS):
        for end, _network in steps:
            if end.seconds - start.seconds >= SECONDS:
                break
        decisions = end.decisions - start.decisions
        rates.append(
            (
                decisions / (end.seconds - start.seconds),
                decisions / (end.cpu_seconds - start.cpu_seconds),
            )
        )
        start = end
    by_clock, by_cpu = (max(column) for column in zip(*rates, strict=True))
    return {"by_clock": by_clock, "by_cpu": by_cpu, "forced": end.forced}


def profile(game: Game) -> dict[str, float]:
    """Return the share of each of PARTS in the processor time of a learner with one thread."""
    learner = TimedLearner(game, dataclasses.replace(DEMO, num_threads=1))
    steps = learner.run()
    first, _ = next(steps)
    before = dict(learner.spent)
    for last, _network in steps:
        if last.seconds - first.seconds >= SECONDS:
            break
    total = last.cpu_seconds - first.cpu_seconds
    spent = {part: learner.spent[part] - before[part] for part in before}
    gradients = spent["steps"] - spent["losses"]
    rest = total - spent["playing"] - spent["steps"]
    seconds = (spent["playing"], spent["losses"], gradients, rest)
    return {part: each / total for part, each in zip(PARTS, seconds, strict=True)}


def vector_rate(name: str) -> float:
    """Return the plies of self-play that `step()` makes per CPU-second at NUM_TABLES tables."""
    envs = gymnasium.make_vec(f"parlour:{GAMES[name]}", num_envs=NUM_TABLES, self_play=True)
    return best_rate(vector_replay(envs), WINDOWS, SECONDS / 4)


def strength(game: Game, config: Config) -> dict[str, Any]:
    """Return first places after a run with `config`, each as (mean, low, high), and its cost."""
    for progress, network in Learner(game, config).run():
        last, player = progress, network
    results = evaluate(game, policy_of("ppo", game, player), AGAINST, NUM_DEALS, FIRST_DEAL)
    return {
        "decisions": last.decisions,
        "seconds": last.seconds,
        "cpu_seconds": last.cpu_seconds,
        "games": results[0].num_games,
        "first_places": {each.second: list(each.first_places) for each in results},
    }


def measure() -> list[dict[str, Any]]:
    """Return a row for each game, then for each other network."""
    rows = []
    for name, hidden in itertools.chain(
        ((name, HIDDEN) for name in GAMES), ((SIZED, hidden) for hidden in OTHER_NETWORKS)
    ):
        game = find_game(name)
        row: dict[str, Any] = {"game": name, "hidden": hidden}
        for num_threads in (2, 1):
            config = dataclasses.replace(DEMO, hidden=hidden, num_threads=num_threads)
            row[f"threads {num_threads}"] = learning_rates(game, config)
        if hidden == HIDDEN:
            row |= {"stepped": vector_rate(name), "profile": profile(game)}
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


def page(record: dict[str, Any]) -> str:
    """The record in Markdown."""
    about, config = record["machine"], record["config"]
    batch = config["num_tables"] * config["batch_decisions"]
    lines = [
        "# How fast PPO learns",
        "",
        "Written by `python -m docs.studies.learning_speed`; do not edit. A decision is one of a "
        "learning seat with at least two legal actions; each is in one gradient step at least. "
        f"Self-play with the settings of `make demo`: {config['epochs']} epoch, batches of "
        f"{batch:,} "
        f"decisions, minibatches of {config['minibatch_size']:,}. Playing and gradient together, "
        f"without compilation; best of {WINDOWS}. {about['processor']}, {about['cores']} cores, "
        f"Python {about['python']}.",
        "",
        "| game | units | two threads, per second | per CPU-second | one thread, per CPU-second | "
        "forced plies | `step()`, plies per CPU-second | times as fast as learning |",
        "|" + " --- |" * 8,
    ]
    lines += [_rate_row(row) for row in record["rows"]]
    lines += [
        "",
        "Shares of the processor time with one thread. Playing includes observations, networks and "
        "advantages; gradients include Adam.",
        "",
        f"| game | {' | '.join(PARTS)} |",
        "|" + " --- |" * (1 + len(PARTS)),
    ]
    for row in record["rows"]:
        if "profile" in row:
            shares = " | ".join(f"{row['profile'][part]:.0%}" for part in PARTS)
            lines.append(f"| {row['game']} | {shares} |")
    lines += ["", _strength_words(record["strength"])]
    return "\n".join(lines) + "\n"


def _strength_words(found: dict[str, Any]) -> str:
    places = (
        f"{mean:.1%} [{low:.1%}, {high:.1%}] against `{name}`"
        for name, (mean, low, high) in found["first_places"].items()
    )
    return (
        f"After {found['decisions']:,} decisions with two threads, {found['seconds']:.0f} seconds "
        f"or {found['cpu_seconds']:.0f} CPU-seconds, the player of {SIZED} is first in "
        f"{' and '.join(places)}: {found['games']:,} games each, duplicate deals."
    )


def _rate_row(row: dict[str, Any]) -> str:
    two, one = row["threads 2"], row["threads 1"]
    stepped = row.get("stepped")
    cells = [
        row["game"],
        ", ".join(map(str, row["hidden"])),
        f"{two['by_clock']:,.0f}",
        f"{two['by_cpu']:,.0f}",
        f"{one['by_cpu']:,.0f}",
        f"{two['forced']:.0%}",
        "" if stepped is None else f"{stepped:,.0f}",
        "" if stepped is None else f"{stepped / max(one['by_cpu'], two['by_cpu']):.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def write_record(record: dict[str, Any], path: Path) -> None:
    """Write the record as JSON and as a page."""
    path.write_text(json.dumps(record, indent=1) + "\n")
    path.with_suffix(".md").write_text(page(record))


def main() -> None:
    """Measure and record."""
    summary = (__doc__ or "").splitlines()[0]
    argparse.ArgumentParser(description=f"{summary} Takes eight minutes.").parse_args()
    record = {"machine": machine(), "config": dataclasses.asdict(DEMO), "rows": measure()}
    config = dataclasses.replace(DEMO, total_steps=DECISIONS)
    write_record({**record, "strength": strength(find_game(SIZED), config)}, RECORD)


if __name__ == "__main__":
    main()
