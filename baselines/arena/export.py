"""Results as files: JSON with everything, CSV tables, and a summary to read, as Markdown."""

import csv
import dataclasses
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from .plots import plot_cross_table, plot_ratings
from .standings import Standing, Standings
from .statistics import Estimate

HEADINGS = (
    "player", "Elo", "above next, %", "points", "won", "drawn", "lost",
    "first places, %", "mean return", "faults",
)  # fmt: skip
TINY = 0.0001
LITTLE = 0.05  # a fit that would be as bad or worse this seldom is called bad


def as_data(result: Any) -> Any:
    """A result as plain data; an estimate is [mean, low, high]."""
    if dataclasses.is_dataclass(result) and not isinstance(result, type):
        return {f.name: as_data(getattr(result, f.name)) for f in dataclasses.fields(result)}
    if isinstance(result, dict):
        return {key: as_data(value) for key, value in result.items()}
    return [as_data(value) for value in result] if isinstance(result, list | tuple) else result


def finite(data: Any) -> Any:
    """Plain data without infinite numbers, which JSON does not have: they become None."""
    if isinstance(data, dict):
        return {key: finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [finite(value) for value in data]
    return None if isinstance(data, float) and not math.isfinite(data) else data


def export(table: Standings, folder: Path) -> list[Path]:
    """Write a tournament's results in all forms; returns the files. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    written = {
        "results.json": json.dumps(finite(as_data(table)), indent=2) + "\n",
        "summary.md": summary(table),
    }
    for name, text in written.items():
        (folder / name).write_text(text, encoding="utf-8")
    _write_csv(folder / "standings.csv", _standings_lines(table))
    _write_csv(folder / "cross_table.csv", _cross_lines(table))
    plots = {"ratings.png": plot_ratings, "cross_table.png": plot_cross_table}
    drawn = [name for name, plot in plots.items() if plot(table, folder / name)]
    return [folder / name for name in (*written, "standings.csv", "cross_table.csv", *drawn)]


def _write_csv(path: Path, lines: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


def _standings_lines(table: Standings) -> list[list[Any]]:
    """An estimate takes three columns: mean, low and high."""
    lines: list[list[Any]] = [[]]
    for row in table.rows:
        line: list[Any] = []
        heading: list[str] = []
        for name, value in vars(row).items():
            is_estimate = isinstance(value, Estimate)
            line += value if is_estimate else [value]
            heading += [name, f"{name}_low", f"{name}_high"] if is_estimate else [name]
        lines[0] = heading
        lines.append(line)
    return lines


def _cross_lines(table: Standings) -> list[list[Any]]:
    """One line a pair: score of the player against the other, and how likely it is stronger."""
    names = [row.player for row in table.rows]
    lines: list[list[Any]] = [["player", "against", "score", "low", "high", "superiority"]]
    for i, player in enumerate(names):
        for j, other in enumerate(names):
            cell = table.cross[i][j]
            if cell is not None:
                lines.append([player, other, *cell, table.superiority[i][j]])
    return lines


def standing_cells(table: Standings) -> list[list[str]]:
    """The players' lines as text, under HEADINGS; how likely each is stronger than the next."""
    above = [f"{100 * table.superiority[k][k + 1]:.1f}" for k in range(len(table.rows) - 1)]
    return [_cells(row, chance) for row, chance in zip(table.rows, [*above, ""], strict=True)]


def _cells(row: Standing, above_next: str) -> list[str]:
    share = Estimate(*(100 * value for value in row.first_places))
    counts = (row.points, row.wins, row.draws, row.losses)
    return [
        row.player,
        f"{row.elo:+.0f}",
        above_next,
        *(f"{count:,}" for count in counts),
        f"{share:.1f}",
        f"{row.mean_return:+.3f}",
        str(row.faults),
    ]


def cross_cells(table: Standings) -> list[list[str]]:
    """The cross table as text: a line a player, scores in per cent."""
    return [
        [row.player, *("" if cell is None else f"{100 * cell.mean:.1f}" for cell in line)]
        for row, line in zip(table.rows, table.cross, strict=True)
    ]


def about(table: Standings) -> str:
    """What was played, in a line."""
    config = ", ".join(f"{key}={value!r}" for key, value in table.config.items())
    scoring = ", scored in duplicate" if table.scoring == "duplicate" else ""
    return (
        f"{table.game} version {table.version} ({config}): "
        f"{table.num_games:,} games of {table.num_deals:,} deals{scoring}"
    )


def fit_text(table: Standings) -> str:
    """Whether the ratings tell all, in a line."""
    fit = table.fit
    if fit.degrees_of_freedom == 0:
        return "Too few meetings to tell how well one rating a player explains the results."
    verdict = (
        "One rating a player does not explain all: some do better against some than it says"
        if fit.p_value < LITTLE
        else "One rating a player explains the results"
    )
    measure = f"{fit.statistic:.1f} at {fit.degrees_of_freedom} degrees of freedom"
    chance = f"p = {fit.p_value:.2g}" if fit.p_value >= TINY else f"p < {TINY}"
    return f"{verdict} (Pearson's test for first places: {measure}, {chance})."


def summary(table: Standings) -> str:
    """A page to read, as Markdown."""
    names = [row.player for row in table.rows]
    lines = [
        f"# {table.game}",
        "",
        f"{about(table)}. Elo above the mean of these players, with 95 % intervals over deals, "
        "and how likely it is above the next; 3 points for a win, 1 for a shared first place; "
        "a game counts for each seat in it.",
        "",
        *_markdown(HEADINGS, standing_cells(table)),
        "",
        "Score of the row against the column in per cent, a draw being half:",
        "",
        *_markdown(["", *names], cross_cells(table)),
        "",
        fit_text(table),
        "",
    ]
    return "\n".join(lines)


def overview(tables: Sequence[Standings]) -> str:
    """One page for several games, as Markdown: each one's standings, and where the rest is."""
    lines = ["# Tournaments", ""]
    for table in tables:
        lines += [
            f"## {table.game}",
            "",
            f"{about(table)}; [cross table and fit]({table.game}/summary.md).",
            "",
            *_markdown(HEADINGS, standing_cells(table)),
            "",
            f"![Ratings with their intervals]({table.game}/ratings.png)",
            "",
        ]
    return "\n".join(lines)


def _markdown(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [headings, ["---"] * len(headings), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]
