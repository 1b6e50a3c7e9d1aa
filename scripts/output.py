"""Output of the commands: tables on stdout, progress bars on stderr, results as JSON files."""

import argparse
import contextlib
import json
import logging
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from ..baselines.arena import MatchResult, Standings
from ..baselines.arena.results.export import about, counting, export, sections
from ..baselines.statistics.result_data import finite
from ..baselines.waiting import Wait, progress_logger
from ..envs.core.whole_files import write_whole
from ..envs.core.words import visible
from .options import writing
from .validators import file_to_write

_WIDTH_WITHOUT_TERMINAL = 200
_ANY_WIDTH = 10_000


def print_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows under headings; align numbers to the right.

    In a window too narrow for that, print each row as a block with a line for each heading.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, heading in enumerate(headings):
        is_text = all(isinstance(row[index], str) for row in rows)
        table.add_column(visible(heading), justify="left" if is_text else "right")
    cells = [
        [visible(cell) if isinstance(cell, str) else f"{cell:,}" for cell in row] for row in rows
    ]
    for row in cells:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, width=_width(_WIDTH_WITHOUT_TERMINAL))
    unlimited = console.options.update(width=_ANY_WIDTH)
    if console.measure(table, options=unlimited).maximum <= console.width:
        console.print(table)
        return
    for title, *others in cells:
        console.print(title, style="bold")
        block = Table(box=None, pad_edge=False, show_header=False)
        for heading, cell in zip(headings[1:], others, strict=True):
            if cell:
                block.add_row(f"  {heading}", cell)
        console.print(block)


def print_text(text: str, indent: int = 0) -> None:
    """Print a text in lines that fit the window; the second and later ones are indented."""
    later = " " * indent
    width = _width(_ANY_WIDTH)
    print(textwrap.fill(visible(text), width, subsequent_indent=later, break_long_words=False))


def _width(unknown: int) -> int:
    """Return the columns of the window, or `unknown`: COLUMNS=0, for one, does not say them."""
    return shutil.get_terminal_size((unknown, 1)).columns


def print_matches(results: Sequence[MatchResult]) -> None:
    """Print one line for each match of a game, with the results of its first player."""
    words = results[0].words
    shares = [f"{word}, %" for word in (words.won, words.drawn, words.score)]
    headings = ("player", "against", "games", *shares, "of an equal, %", "mean return", "Elo")
    print_table(headings, [_match_row(result) for result in results])
    print_text(
        f"The mean return decides who is stronger; Elo is the same on another scale. {words.note}"
    )


def _match_row(result: MatchResult) -> list[str]:
    return [
        result.first,
        result.second,
        f"{result.num_games:,}",
        f"{100 * result.wins.mean:.1f}",
        f"{100 * result.draws.mean:.1f}",
        f"{result.first_places.scaled(100):.1f}",
        f"{100 * result.fair_share:.1f}",
        f"{result.mean_return:+.3f}",
        f"{result.elo:+.0f}",
    ]


def print_standings(table: Standings) -> None:
    """Print the table of a tournament, the cross table, and how far the ratings can be trusted."""
    print_text(about(table))
    print_text(counting(table))
    print()
    for part in sections(table):
        if isinstance(part, str):
            print_text(part)
        else:
            print_table(*part)
            print()


class _Bars(Progress):
    """Progress bars; without a terminal, a line now and then instead."""

    def __init__(self, *columns: ProgressColumn, **settings: Any) -> None:
        super().__init__(*columns, **settings)
        self._wait = Wait()

    def update(self, task_id: TaskID, *arguments: Any, **changes: Any) -> None:
        super().update(task_id, *arguments, **changes)
        if self.disable:
            task = self._tasks[task_id]
            self._wait.tell(f"{task.description}{_counted(task)}")


def _counted(task: Task) -> str:
    """How far a task has come, in numbers; one whose total is 1 counts nothing."""
    if task.total is None:
        return ""
    if task.total == 1.0:
        return f", {task.percentage:.0f} %"
    return f", {task.completed:,.0f} of {task.total:,.0f}"


def progress_bar() -> Progress:
    """Make a progress bar on stderr that disappears at the end; without a terminal, tell in lines.

    These come only in a long wait, and then seldom. With `--quiet` there is neither.
    """
    console = Console(stderr=True, highlight=False)
    is_shown = console.is_terminal and progress_logger.isEnabledFor(logging.WARNING)
    return _Bars(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not is_shown,
    )


@contextlib.contextmanager
def progress_counter(title: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar; yield what is called with the number that is done so far."""
    with progress_bar() as bar:
        task = bar.add_task(visible(title), total=total)
        yield lambda done: bar.update(task, completed=done)


def add_json(parser: argparse.ArgumentParser) -> None:
    """`--json FILE`; see `write_json`."""
    parser.add_argument(
        "--json",
        metavar="FILE",
        type=file_to_write,
        help="also write the results as JSON to FILE; - prints JSON instead of the table",
    )


def write_json(data: Any, file: str | None) -> None:
    """Write plain data to a file, or to stdout for `-`; infinite numbers become null.

    Raises BadArgument where the file cannot be written.
    """
    if file is None:
        return
    text = json.dumps(finite(data), indent=2) + "\n"
    if file == "-":
        sys.stdout.write(text)
        return
    with writing(file):
        write_whole(file, text)


def new_folder(name: str) -> Path:
    """Make a folder where it is missing. Raises BadArgument."""
    folder = Path(name)
    with writing(f"the folder {name}"):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def export_standings(table: Standings, folder: Path) -> None:
    """Write the files of a tournament (see `export`). Raises BadArgument where that fails."""
    with writing(f"to {folder}"):
        export(table, folder)
