"""Measure speed: plies per second of processor time in every view.

Each figure is the best of three, or one with --quick. AEC, solo and `step()` replay recorded
actions, so that only the environment is timed. The other figures come from compiled loops that
also choose the actions: vector observations, playouts and matches.
"""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..bench.measure import BATCH, FIGURE_LABELS, QUICK, Effort, speed_report
from ..options import BadArgument, known_games
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
    parser.add_argument(
        "--against",
        metavar="FILE",
        help="print the ratio of each figure to that of an earlier run's --json, such as one of "
        "another commit on the same machine",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Measure and print; figures of the same run can be compared."""
    names = known_games(arguments.game)
    earlier = {} if arguments.against is None else _earlier_rates(arguments.against)
    effort = QUICK if arguments.quick else Effort()
    with progress_bar() as bar:
        task = bar.add_task("", total=None)
        report = speed_report(
            names, arguments.batch, effort, lambda figure: bar.update(task, description=figure)
        )
    if arguments.json != "-":
        _show(report, earlier)
    write_json(report, arguments.json)


def _earlier_rates(path: str) -> Mapping[str, Any]:
    """Return the rates of an earlier run by game, figure and seats. Raises BadArgument."""
    try:
        games = json.loads(Path(path).read_text())["games"]
        return {name: measured["plies_per_cpu_second"] for name, measured in games.items()}
    except OSError as error:
        raise BadArgument(f"--against {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadArgument(f"--against {path}: not a file of `parlour bench --json`") from error


def _show(report: Mapping[str, Any], earlier: Mapping[str, Any]) -> None:
    for name, measured in report["games"].items():
        rates, before = measured["plies_per_cpu_second"], earlier.get(name, {})
        seats = list(rates["vector"])
        print(f"\n{name}: plies per CPU-second, batch {report['batch']:,}")
        names = FIGURE_LABELS | {
            figure: f"{FIGURE_LABELS[figure]}, {measured['opponents']}" for figure in _SCRIPTED
        }
        rows = [
            [names[figure], *(_cell(r[s], before.get(figure, {}).get(s)) for s in seats)]
            for figure, r in rates.items()
        ]
        print_table(["view", *(f"{count} seats" for count in seats)], rows)


def _cell(rate: float, earlier: float | None) -> int | str:
    return round(rate) if earlier is None else f"{rate:,.0f} ({rate / earlier:.2f} of before)"
