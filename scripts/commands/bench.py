"""Measure speed: plies per second of processor time in every view, and the time to start.

Each figure is the best of three. Actions recorded in random legal play are replayed, so that the
time is that of the environment alone. The vector environment and the playouts choose actions
themselves; there the time includes the choice.
"""

import argparse

from ..bench.measure import (
    BATCH,
    QUICK,
    SIZES,
    Effort,
    sizes_report,
    speed_report,
    start_report,
)
from ..bench.page import page, plot, show, show_sizes, sizes_page, sizes_plot
from ..options import BadArgument, known_games
from ..output import (
    add_json,
    progress_bar,
    write_json,
    write_record,
)
from ..validators import file_to_write, positive


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The game, and what is measured."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game to measure (default: all games)"
    )
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--cold", action="store_true", help="measure only the time to start")
    kinds.add_argument(
        "--sizes",
        action="store_true",
        help="measure only speed by the clock against the number of tables, "
        f"{SIZES[0]} to {SIZES[-1]:,}, with one thread and with several",
    )
    parser.add_argument(
        "--record",
        metavar="FILE",
        type=file_to_write,
        help="write all figures to FILE (JSON), and beside it as tables (.md) and a plot (.png)",
    )
    parser.add_argument(
        "--batch",
        type=positive,
        default=BATCH,
        metavar="N",
        help=f"number of tables in the vector environment (default {BATCH})",
    )
    parser.add_argument(
        "--quick", action="store_true", help="measure each figure once, for a short time"
    )
    parser.add_argument(
        "--threads",
        type=positive,
        default=2,
        metavar="N",
        help="number of threads that --sizes compares with one (default 2)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> None:
    """Measure and print; figures of the same run can be compared."""
    if arguments.record is not None and arguments.cold:
        raise BadArgument("--record writes rates, which --cold leaves out")
    names = known_games(arguments.game)
    effort = QUICK if arguments.quick else Effort()
    with progress_bar() as bar:
        task = bar.add_task("", total=None)

        def tell(what: str) -> None:
            bar.update(task, description=what)

        if arguments.sizes:
            report = sizes_report(names, arguments.threads, effort, tell)
        elif arguments.cold:
            report = start_report(names, tell)
        else:
            report = speed_report(names, arguments.batch, effort, tell)
    if arguments.json != "-":
        (show_sizes if arguments.sizes else show)(report)
    write_json(report, arguments.json)
    if arguments.record is not None:
        how = (sizes_page, sizes_plot) if arguments.sizes else (page, plot)
        write_record(report, arguments.record, *how)
