"""The record of learning curves: docs/studies/learning.json, and the page and plot made from it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from parlour.baselines.arena.results.export import markdown_table

from .recorded import STUDIES

RECORD = STUDIES / "learning.json"
Entry = dict[str, Any]  # title, algorithm, command, against, fair_share; runs: points by seed
HEADINGS = (
    "game", "trained by `parlour train`", "script", "equal player", "CPU min", "decisions",
    "after 25%", "after 50%", "after 100%", "level with it", "seeds",
)  # fmt: skip
_PARTS = (0.25, 0.5, 1.0)  # of a run, shown in the table
_COLOR = "#1f5c46"
_PANEL_INCHES = (4.2, 3.2)
_COLUMNS = 3


def read_record(path: Path) -> list[Entry]:
    """Return the entries so far: one for each learner in each game."""
    return json.loads(path.read_text())["entries"] if path.is_file() else []


def mean_and_range(entry: Entry) -> np.ndarray:
    """Return [points, 4]: CPU minutes, mean, lowest and highest over the seeds.

    The points are those that all seeds have.
    """
    points = [*zip(*entry["runs"].values(), strict=False)]
    shares = np.array([[one["first_places"] for one in seeds] for seeds in points])
    minutes = np.array([[one["cpu_seconds"] / 60 for one in seeds] for seeds in points])
    columns = minutes.mean(axis=1), shares.mean(axis=1), shares.min(axis=1), shares.max(axis=1)
    return np.stack(columns, axis=1)


def minutes_to_equal(entry: Entry) -> float | None:
    """Return the CPU minutes after which all seeds are first as often as an equal player."""
    return next((m for m, _, low, _ in mean_and_range(entry) if low >= entry["fair_share"]), None)


def page(record: dict[str, Any]) -> str:
    """The record in Markdown."""
    lines = [
        "# Strength against CPU minutes",
        "",
        "Written by `python -m docs.studies.learning`; do not edit. Each learner starts from "
        "nothing, and takes one seat against the best script in all others, on duplicate deals. "
        "First places in per cent: the mean of the seeds, and their range. "
        + "{processor}, {cores} cores; ".format(**record["machine"])
        + "processor time counts all threads, and neither compilation nor measurements.",
        "",
        "![Learning curves](learning.png)",
        "",
        *markdown_table(HEADINGS, [_cells(entry) for entry in record["entries"]]),
    ]
    return "\n".join(lines) + "\n"


def _cells(entry: Entry) -> list[str]:
    curve = mean_and_range(entry)
    level = minutes_to_equal(entry)
    shown = [curve[max(0, round(part * len(curve)) - 1), 1:] * 100 for part in _PARTS]
    return [
        entry["title"],
        f"`{entry['command']}`",
        f"`{entry['against']}`",
        f"{100 * entry['fair_share']:.0f}",
        f"{curve[-1, 0]:.1f}",
        f"{next(iter(entry['runs'].values()))[-1]['decisions']:,.0f}",
        *(f"{mean:.1f} [{low:.1f}, {high:.1f}]" for mean, low, high in shown),
        "not yet" if level is None else f"after {level:.1f} min",
        ", ".join(entry["runs"]),
    ]


def draw(entries: list[Entry], path: Path) -> None:
    """Draw one panel for each entry: the mean of the seeds, their range as a band, each seed."""
    columns = min(_COLUMNS, len(entries))
    rows = -(-len(entries) // columns)
    width, height = _PANEL_INCHES
    figure = Figure(figsize=(columns * width, rows * height), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for entry, axes in zip(entries, panels, strict=False):
        _draw_panel(entry, axes)
    for axes in panels[len(entries) :]:
        axes.set_axis_off()
    figure.savefig(path, dpi=150)


def _draw_panel(entry: Entry, axes: Any) -> None:
    for points in entry["runs"].values():
        minutes = [point["cpu_seconds"] / 60 for point in points]
        shares = [100 * point["first_places"] for point in points]
        axes.plot(minutes, shares, color=_COLOR, linewidth=0.6, alpha=0.6)
    minutes, mean, low, high = (mean_and_range(entry) * [1, 100, 100, 100]).T
    axes.plot(minutes, mean, color=_COLOR, linewidth=2, marker="o", markersize=3)
    axes.fill_between(minutes, low, high, color=_COLOR, alpha=0.18, linewidth=0)
    axes.axhline(100 * entry["fair_share"], color="grey", linestyle=":")
    title = f"{entry['title']}\n{entry['algorithm']} against {entry['against']}"
    axes.set_title(title, fontsize=9)
    axes.set(xlabel="CPU minutes", ylabel="first places, %", ylim=(0, None), xlim=(0, None))
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
