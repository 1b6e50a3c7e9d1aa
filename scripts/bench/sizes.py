"""Speed by the clock against the number of tables and of threads, as a table and a plot."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from ...baselines.arena import Plan, Workers, play_match
from ...baselines.arena.results.export import markdown_table
from ...envs import GAMES, find_game
from ..output import print_table
from .page import named
from .replays import random_legal
from .scripted_plies import opponents_of

SIZES = (64, 256, 1024, 4096, 16_384, 65_536)
MATCH = "match"
WHAT = {
    "playouts": "playouts, unobserved",
    "vector": "vector, observed",
    "step": "vector, step()",
    MATCH: "match, script v random",
}
PANELS_A_ROW = 3
_WHAT_IS_COUNTED = "plies per second by the clock (games, for a match)"
PLIES = 32  # of compiled play in one call
MIXING = 256  # plies after which tables that began together are at different plies of their games
LONGEST = 0.25  # seconds of a repeat: 24 rows a game, each with one thread and with several
SPLIT = 4  # short turns of each timing: a burst of other work then spoils only one
RNG = np.random.default_rng(0)  # of the actions that are timed

Timed = Callable[[], tuple[int, float]]  # plays; returns the plies or games, and the seconds


def measure(
    name: str, num_threads: int, repeats: int, seconds: float, tell: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Return a row for each thing measured and each size, with plies (or games) per second.

    One thread and `num_threads` take turns, so that a busy machine disturbs both alike, and play
    the same plies. The best of `repeats` counts. They are some time apart and use new memory,
    because speed depends on where that lies and on which cores a virtual machine has just then.
    """
    rows: list[dict[str, Any]] = [
        {"what": what, "tables": size, "threads": num_threads, "one": 0.0, "many": 0.0}
        for what in WHAT
        for size in SIZES
    ]
    for repeat in range(repeats):
        for row in rows:
            what, size = row["what"], row["tables"]
            tell(f"{name}, {size:,} tables: {WHAT[what]}, {repeat + 1} of {repeats}")
            plays = [_timed(name, what, size, count) for count in (1, num_threads)]
            one, many = _best(plays, seconds)
            row |= {"one": max(one, row["one"]), "many": max(many, row["many"])}
    return rows


def _best(plays: Sequence[Timed], seconds: float) -> list[float]:
    """Return the best rate of each in SPLIT turns, in which the first plays for `seconds`."""
    for play in plays:
        play()
    num_calls = _calls_within(plays[0], seconds / SPLIT)
    for play in plays[1:]:
        _rate(play, num_calls)  # so that all have played as much
    rates = [[_rate(play, num_calls) for play in plays] for _ in range(SPLIT)]
    return [max(column) for column in zip(*rates, strict=True)]


def _calls_within(play: Timed, seconds: float) -> int:
    num_calls, spent = 0, 0.0
    while spent < seconds:
        num_calls, spent = num_calls + 1, spent + play()[1]
    return num_calls


def _rate(play: Timed, num_calls: int) -> float:
    done, spent = map(sum, zip(*(play() for _ in range(num_calls)), strict=True))
    return done / spent


def _timed(name: str, what: str, size: int, num_threads: int) -> Timed:
    if what == MATCH:
        return _match(name, size, num_threads)
    envs: Any = gymnasium.make_vec(
        f"parlour:{GAMES[name]}", num_envs=size, self_play=True, num_threads=num_threads
    )
    envs.reset(seed=0)
    envs.play_random(MIXING, observe=False)
    if what == "step":
        return lambda: _step(envs)

    def play() -> tuple[int, float]:
        start = time.perf_counter()
        envs.play_random(PLIES, observe=what == "vector")
        return PLIES * size, time.perf_counter() - start

    return play


def _step(envs: Any) -> tuple[int, float]:
    """Take one random step; the choice of the actions is not timed."""
    actions = random_legal(envs.action_masks(), RNG)
    start = time.perf_counter()
    envs.step(actions)
    return len(actions), time.perf_counter() - start


def _match(name: str, size: int, num_threads: int) -> Timed:
    game = find_game(name)
    players = opponents_of(name), "random"
    if players[0] == players[1]:
        players = "first_legal", "random"
    num_deals = max(1, size // game.num_seats)
    plan = Plan(Workers(num_threads=num_threads), num_deals)

    def play() -> tuple[int, float]:
        start = time.perf_counter()
        result = play_match(game, *players, num_deals, plan=plan)
        return result.num_games, time.perf_counter() - start

    return play


def show(name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of one game."""
    print(f"\n{name}: {_WHAT_IS_COUNTED}")
    print_table(_headings(rows), _cells(rows))


def page(report: Mapping[str, Any]) -> str:
    """Return the tables as Markdown."""
    lines = [
        "# Speed by the number of tables and threads",
        "",
        f"{_WHAT_IS_COUNTED.capitalize()}, on {named(report['machine'])}.",
        "Recorded with `parlour bench --sizes --record FILE`. Other work on the machine must wait.",
        "The best of several short turns counts, some of them later and in new memory. In a turn,",
        "one thread and several play the same plies.",
        "`step()` gains least from threads where the cores share no cache, because what it reads",
        "and writes moves between them. A virtual machine may be given such cores at any time.",
        "The scripts in the matches are those that `parlour bench` names.",
    ]
    for name, rows in report["sizes"].items():
        cells = [
            [what, *(f"{number:,}" for number in numbers), times]
            for what, *numbers, times in _cells(rows)
        ]
        lines += ["", f"## {name}", "", *markdown_table(_headings(rows), cells)]
    return "\n".join(lines) + "\n"


def _headings(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    return ["", "tables", "1 thread", f"{rows[0]['threads']} threads", "times"]


def _cells(rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    return [
        [
            WHAT[row["what"]],
            row["tables"],
            round(row["one"]),
            round(row["many"]),
            f"{row['many'] / row['one']:.2f}",
        ]
        for row in rows
    ]


def plot(report: Mapping[str, Any], path: Path) -> None:
    """Draw plies per second against the number of tables: a panel for each game."""
    from matplotlib.figure import Figure  # slow to import

    results = report["sizes"]
    num_rows = math.ceil(len(results) / PANELS_A_ROW)
    figure = Figure(figsize=(4.5 * PANELS_A_ROW, 3.6 * num_rows), layout="constrained")
    panels = list(figure.subplots(num_rows, PANELS_A_ROW, squeeze=False).flat)
    for panel, (name, rows) in zip(panels, results.items(), strict=False):
        _draw(panel, rows)
        panel.set_title(name)
    for panel in panels[len(results) :]:
        panel.set_axis_off()
    figure.supylabel("plies per second by the clock")
    lines, texts = panels[0].get_legend_handles_labels()
    figure.legend(lines, texts, loc="outside lower center", ncols=PANELS_A_ROW)
    figure.savefig(path, dpi=120)


def _draw(panel: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    for index, what in enumerate(w for w in WHAT if w != MATCH):
        chosen = [row for row in rows if row["what"] == what]
        for key, style in (("one", "--"), ("many", "-")):
            count = 1 if key == "one" else chosen[0]["threads"]
            panel.plot(
                [row["tables"] for row in chosen],
                [row[key] for row in chosen],
                style,
                color=f"C{index}",
                marker="o",
                label=f"{WHAT[what]}, {count} thread{'s' if count > 1 else ''}",
            )
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xlabel("tables")
