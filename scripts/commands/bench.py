"""Measure speed: plies per second of processor time in every view.

Each figure is the best of three, or one with --quick. AEC, solo and `step()` replay recorded
actions, so that only the environment is timed. The other figures come from compiled loops that
also choose the actions: vector observations, playouts and matches.
"""

import argparse
from collections.abc import Mapping
from typing import Any

from ..bench.measure import BATCH, FIGURE_LABELS, QUICK, Effort, speed_report
from ..options import known_games
from ..output import add_json, print_table, progress_bar, write_json
from ..validators import tables

_SCRIPTED = ("solo", "vector opponents", "match")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, and how long to measure."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game to measure (default: all games)"
    )
    parser.add_argument(
        "--batch",
        type=tables,
        default=BATCH,
        metavar="N",
        help=f"number of tables in the vector environment (default {BATCH})",
    )
    parser.add_argument(
        "--quick", action="store_true", help="measure each figure once, for a short time"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Measure and print; figures of the same run can be compared."""
    names = known_games(arguments.game)
    effort = QUICK if arguments.quick else Effort()
    with progress_bar() as bar:
        task = bar.add_task("", total=None)
        report = speed_report(
            names, arguments.batch, effort, lambda figure: bar.update(task, description=figure)
        )
    if arguments.json != "-":
        _show(report)
    write_json(report, arguments.json)


def _show(report: Mapping[str, Any]) -> None:
    for name, measured in report["games"].items():
        rates = measured["plies_per_cpu_second"]
        seats = list(rates["vector"])
        print(f"\n{name}: plies per CPU-second, batch {report['batch']:,}")
        names = FIGURE_LABELS | {
            figure: f"{FIGURE_LABELS[figure]}, {measured['opponents']}" for figure in _SCRIPTED
        }
        rows = [[names[figure], *(round(r[s]) for s in seats)] for figure, r in rates.items()]
        print_table(["view", *(f"{count} seats" for count in seats)], rows)
