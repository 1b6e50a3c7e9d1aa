"""How fast the learner is: decisions a second, playing and gradient together.

python -m docs.studies.learning_speed    all games, and President with other networks

It needs a quiet machine and takes eight minutes. The settings are those of `make demo`, whose
player is measured after 30 million decisions. It writes docs/studies/learning_speed.json and its
page. Decisions are those of a learning seat with at least two legal actions, each in one gradient
step at least. Compilation does not count.
"""

import argparse
import dataclasses
import json
from typing import Any

import gymnasium

from parlour.baselines.arena import play_match
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.networks.kinds import policy_of
from parlour.envs import GAMES, find_game
from parlour.envs.core.game import Game
from parlour.scripts.bench.measure import machine
from parlour.scripts.bench.plays import best_rate, vector_replay
from parlour.training.ppo import Config, Learner

from .recorded import STUDIES, write_record

RECORD = STUDIES / "learning_speed.json"
DEMO = Config(hidden=(128, 128), first_place_weight=0.6, learning_rate=2e-3)
SIZED = "president"
NETWORKS = [(name, DEMO.hidden) for name in GAMES]
NETWORKS += [(SIZED, hidden) for hidden in ((64, 64), (256, 128), (256, 256), (512, 512))]
WINDOWS = 3  # the best counts
SECONDS = 4.0  # of each
DECISIONS = 30_000_000  # after which the player of SIZED is measured
AGAINST = ("lowest", "planner")
NUM_DEALS, FIRST_DEAL = 5000, 890_000_000
NUM_TABLES = 4096  # of the vector environment that is stepped beside it
HEADINGS = (
    "game",
    "units",
    "two threads, per second",
    "per CPU-second",
    "one thread, per CPU-second",
    "forced plies",
    "`step()`, plies per CPU-second",
    "times as fast as learning",
)


def learning_rates(game: Game, config: Config) -> dict[str, Any]:
    """Return decisions per second by the clock and of processor time, and the forced plies."""
    steps = Learner(game, config).run()
    start = next(steps)[0]  # it has compiled
    by_clock, by_cpu = [], []
    for _ in range(WINDOWS):
        end = next(now for now, _ in steps if now.seconds - start.seconds >= SECONDS)
        decisions = end.decisions - start.decisions
        by_clock.append(decisions / (end.seconds - start.seconds))
        by_cpu.append(decisions / (end.cpu_seconds - start.cpu_seconds))
        start = end
    return {"by_clock": max(by_clock), "by_cpu": max(by_cpu), "forced": end.forced}


def vector_rate(name: str) -> float:
    """Return the plies of self-play that `step()` makes per CPU-second at NUM_TABLES tables."""
    envs = gymnasium.make_vec(f"parlour:{GAMES[name]}", num_envs=NUM_TABLES, self_play=True)
    return best_rate(vector_replay(envs), WINDOWS, SECONDS / 4)


def strength(game: Game, config: Config) -> dict[str, Any]:
    """Return first places after a run with `config`, each as (mean, low, high), and its cost."""
    *_, (last, network) = Learner(game, config).run()
    policy = policy_of("ppo", game, network)
    results = [play_match(game, policy, other, NUM_DEALS, FIRST_DEAL) for other in AGAINST]
    return {
        "decisions": last.decisions,
        "seconds": last.seconds,
        "cpu_seconds": last.cpu_seconds,
        "games": results[0].num_games,
        "first_places": {each.second: list(each.first_places) for each in results},
    }


def measured(name: str, hidden: tuple[int, ...]) -> dict[str, Any]:
    """Return the row of a game and a network."""
    row: dict[str, Any] = {"game": name, "hidden": hidden}
    for num_threads in (2, 1):
        config = dataclasses.replace(DEMO, hidden=hidden, num_threads=num_threads)
        row[f"threads {num_threads}"] = learning_rates(find_game(name), config)
    if hidden == DEMO.hidden:
        row["stepped"] = vector_rate(name)
    print(json.dumps(row), flush=True)
    return row


def page(record: dict[str, Any]) -> str:
    """The record in Markdown."""
    config, final = record["config"], record["strength"]
    places = (
        f"{mean:.1%} [{low:.1%}, {high:.1%}] against `{name}`"
        for name, (mean, low, high) in final["first_places"].items()
    )
    lines = [
        "# Speed of learning with PPO",
        "",
        "Written by `python -m docs.studies.learning_speed`; do not edit. A decision is one of a "
        "learning seat with at least two legal actions; each is in one gradient step at least. "
        f"Self-play with the settings of `make demo`: {config['epochs']} epoch, batches of "
        f"{config['num_tables'] * config['batch_decisions']:,} decisions, minibatches of "
        f"{config['minibatch_size']:,}. Playing and gradient together, without compilation; best "
        f"of {WINDOWS}. "
        + "{processor}, {cores} cores, Python {python}.".format(**record["machine"]),
        "",
        *markdown_table(HEADINGS, [_cells(row) for row in record["rows"]]),
        "",
        f"After {final['decisions']:,} decisions with two threads, {final['seconds']:.0f} seconds "
        f"or {final['cpu_seconds']:.0f} CPU-seconds, the player of {SIZED} is first in "
        f"{' and '.join(places)}: {final['games']:,} games each, duplicate deals.",
    ]
    return "\n".join(lines) + "\n"


def _cells(row: dict[str, Any]) -> list[str]:
    two, one = row["threads 2"], row["threads 1"]
    rates = [f"{rate:,.0f}" for rate in (two["by_clock"], two["by_cpu"], one["by_cpu"])]
    stepped = ["", ""]
    if "stepped" in row:
        times = row["stepped"] / max(one["by_cpu"], two["by_cpu"])
        stepped = [f"{row['stepped']:,.0f}", f"{times:.0f}"]
    hidden = ", ".join(map(str, row["hidden"]))
    return [row["game"], hidden, *rates, f"{two['forced']:.0%}", *stepped]


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    rows = [measured(name, hidden) for name, hidden in NETWORKS]
    final = strength(find_game(SIZED), dataclasses.replace(DEMO, total_steps=DECISIONS))
    document = {"machine": machine(), "config": dataclasses.asdict(DEMO), "rows": rows}
    document["strength"] = final
    write_record(RECORD, document, page(document))
