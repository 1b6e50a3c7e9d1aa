"""The record of learning curves: docs/studies/learning.json, and the page and plot made from it."""

import json
import statistics
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from .recorded import STUDIES

RECORD = STUDIES / "learning.json"
Entry = dict[str, Any]  # title, algorithm, command, against, fair_share; runs: points by seed
_PARTS = (0.25, 0.5, 1.0)  # of a run, shown in the table
_COLOR = "#1f5c46"
_PANEL_INCHES = (4.2, 3.2)
_COLUMNS = 3


def read_record(path: Path) -> list[Entry]:
    """Return the entries so far: one for each learner in each game."""
    return json.loads(path.read_text())["entries"] if path.is_file() else []


def write_record(entries: list[Entry], machine: dict[str, Any], path: Path) -> None:
    """Write the record as JSON, as a page, and as a plot."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine, "entries": entries}, indent=1) + "\n")
    path.with_suffix(".md").write_text(page(entries, machine))
    draw(entries, path.with_suffix(".png"))


def mean_and_range(entry: Entry) -> list[tuple[float, float, float, float]]:
    """Return (CPU minutes, mean, lowest, highest) over the seeds, for every point that all have."""
    found = []
    for points in zip(*entry["runs"].values(), strict=False):
        shares = [point["first_places"] for point in points]
        minutes = statistics.mean(point["cpu_seconds"] for point in points) / 60
        found.append((minutes, statistics.mean(shares), min(shares), max(shares)))
    return found


def minutes_to_equal(entry: Entry) -> float | None:
    """Return the CPU minutes after which all seeds are first as often as an equal player."""
    return next((m for m, _, low, _ in mean_and_range(entry) if low >= entry["fair_share"]), None)


def page(entries: list[Entry], machine: dict[str, Any]) -> str:
    """The record in Markdown."""
    lines = [
        "# Strength against CPU minutes",
        "",
        "Written by `python -m docs.studies.learning`; do not edit. Each learner starts from "
        "nothing, and takes one seat against the best script in all others, on duplicate deals. "
        f"First places in per cent: the mean of the seeds, and their range. {machine['processor']},"
        f" {machine['cores']} cores; processor time counts all threads, and neither compilation "
        "nor measurements.",
        "",
        "![Learning curves](learning.png)",
        "",
        "| game | trained by `parlour train` | script | equal player | CPU min | decisions | "
        + " | ".join(f"after {part:.0%}" for part in _PARTS)
        + " | level with it | seeds |",
        "|" + " --- |" * (8 + len(_PARTS)),
    ]
    for entry in entries:
        curve = mean_and_range(entry)
        level = minutes_to_equal(entry)
        cells = [
            entry["title"],
            f"`{entry['command']}`",
            f"`{entry['against']}`",
            f"{100 * entry['fair_share']:.0f}",
            f"{curve[-1][0]:.1f}",
            f"{next(iter(entry['runs'].values()))[-1]['decisions']:,.0f}",
            *(_share(curve[max(0, round(part * len(curve)) - 1)]) for part in _PARTS),
            "not yet" if level is None else f"after {level:.1f} min",
            ", ".join(entry["runs"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _share(point: tuple[float, float, float, float]) -> str:
    _, mean, low, high = (100 * value for value in point)
    return f"{mean:.1f} [{low:.1f}, {high:.1f}]"


def draw(entries: list[Entry], path: Path) -> None:
    """Draw one panel for each entry: the mean of the seeds, their range as a band, each seed."""
    columns = min(_COLUMNS, len(entries))
    rows = -(-len(entries) // columns)
    width, height = _PANEL_INCHES
    figure = Figure(figsize=(columns * width, rows * height), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for entry, axes in zip(entries, panels, strict=False):
        for points in entry["runs"].values():
            minutes = [point["cpu_seconds"] / 60 for point in points]
            shares = [100 * point["first_places"] for point in points]
            axes.plot(minutes, shares, color=_COLOR, linewidth=0.6, alpha=0.6)
        curve = [(m, 100 * mean, 100 * low, 100 * high) for m, mean, low, high in
                 mean_and_range(entry)]  # fmt: skip
        minutes, mean, low, high = (list(part) for part in zip(*curve, strict=True))
        axes.plot(minutes, mean, color=_COLOR, linewidth=2, marker="o", markersize=3)
        axes.fill_between(minutes, low, high, color=_COLOR, alpha=0.18, linewidth=0)
        axes.axhline(100 * entry["fair_share"], color="grey", linestyle=":")
        axes.set_title(f"{entry['title']}\n{entry['algorithm']} against {entry['against']}",
                       fontsize=9)  # fmt: skip
        axes.set(xlabel="CPU minutes", ylabel="first places, %", ylim=(0, None), xlim=(0, None))
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.3)
    for axes in panels[len(entries) :]:
        axes.set_axis_off()
    figure.savefig(path, dpi=150)
