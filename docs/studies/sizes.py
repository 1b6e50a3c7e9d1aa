"""How fast Parlour is by the clock, by the number of tables and with one thread or several.

    python -m docs.studies.sizes    measures all games; writes docs/benchmarks/sizes.json and .md

It needs a quiet machine.
"""

import sys
import time
from collections.abc import Mapping
from typing import Any

import gymnasium

from docs.site.sources import CHECKOUT
from docs.site.speed import machine_text
from parlour.baselines.arena import Plan, Workers, play_match
from parlour.baselines.arena.results.export import markdown_table
from parlour.envs import GAMES, find_game
from parlour.envs.core.game import Game
from parlour.scripts.bench.measure import Effort, machine
from parlour.scripts.bench.plays import Timed, best_rate, fused, random_step, timed
from parlour.scripts.table.catalogue import middling_player

from .recorded import write_record

RECORD = CHECKOUT / "docs/benchmarks/sizes.json"
SIZES = (64, 1024, 16_384)
NUM_THREADS = 2  # compared with one
MATCH = "match"
SIZE_NAMES = {
    "playouts": "playouts, unobserved",
    "vector": "vector, observed",
    "step": "vector, step()",
    MATCH: "match, script v random",
}
MIXING = 256  # plies after which tables that began together are at different plies of their games
LONGEST = 0.25  # seconds of a repeat: 24 rows a game, each with one thread and with several
TURNS = 4  # short turns of each timing: a burst of other work then spoils only one


def size_rows(name: str, num_threads: int, effort: Effort) -> list[dict[str, Any]]:
    """Return the best of the repeats, in which one thread and `num_threads` alternate.

    The repeats are some time apart and use new memory, because speed depends on where that lies and
    on which cores a virtual machine has just then.
    """
    rows: list[dict[str, Any]] = [
        {"what": view, "tables": size, "threads": num_threads, "one": 0.0, "many": 0.0}
        for view in SIZE_NAMES
        for size in SIZES
    ]
    for _ in range(effort.repeats):
        for row in rows:
            view, size = row["what"], row["tables"]
            print(f"{name}, {size:,} tables: {SIZE_NAMES[view]}", file=sys.stderr)
            for key, count in (("one", 1), ("many", num_threads)):
                play = _sized(name, view, size, count)
                rate = best_rate(play, TURNS, min(effort.seconds, LONGEST) / TURNS)
                row[key] = max(rate, row[key])
    return rows


def _sized(name: str, view: str, size: int, num_threads: int) -> Timed:
    if view == MATCH:
        return _sized_match(find_game(name), size, num_threads)
    envs: Any = gymnasium.make_vec(
        f"parlour:{GAMES[name]}", num_envs=size, self_play=True, num_threads=num_threads
    )
    envs.reset(seed=0)
    envs.play_random(MIXING, observe=False)
    if view == "step":
        return random_step(envs)
    return fused(envs, observe=view == "vector", now=time.perf_counter)


def _sized_match(game: Game, size: int, num_threads: int) -> Timed:
    players = middling_player(game), "random"
    if players[0] == players[1]:
        players = "first_legal", "random"
    num_deals = max(1, size // game.num_seats)
    plan = Plan(Workers(num_threads=num_threads), num_deals)
    return timed(
        lambda: play_match(game, *players, num_deals, plan=plan).num_games, time.perf_counter
    )


def page(report: Mapping[str, Any]) -> str:
    """Return the tables as Markdown."""
    lines = [
        "# Speed by the number of tables and threads",
        "",
        "Plies per second by the clock (games, for a match), on "
        f"{machine_text(report['machine'])}.",
        "Recorded with `python -m docs.studies.sizes`. Other work on the machine must wait.",
        "The best of several short turns counts, some of them later and in new memory; one thread",
        "and several alternate.",
        "`step()` gains least from threads where the cores share no cache, because what it reads",
        "and writes moves between them. A virtual machine may be given such cores at any time.",
        "The scripts in the matches are those that `parlour bench` names.",
    ]
    for name, rows in report["sizes"].items():
        headings = ["", "tables", "1 thread", f"{rows[0]['threads']} threads", "times"]
        lines += ["", f"## {name}", "", *markdown_table(headings, [_cells(row) for row in rows])]
    return "\n".join(lines) + "\n"


def _cells(row: Mapping[str, Any]) -> list[str]:
    numbers = (row["tables"], round(row["one"]), round(row["many"]))
    times = f"{row['many'] / row['one']:.2f}"
    return [SIZE_NAMES[row["what"]], *(f"{number:,}" for number in numbers), times]


if __name__ == "__main__":
    sizes = {name: size_rows(name, NUM_THREADS, Effort()) for name in GAMES}
    report = {"machine": machine(), "sizes": sizes}
    write_record(RECORD, report, page(report))
