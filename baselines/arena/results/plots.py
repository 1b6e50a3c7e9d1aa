"""Plots of a tournament, as PNG."""

from pathlib import Path

import numpy as np

from ..ratings.standings import Standings

_DPI = 150
_INCHES_A_PLAYER = 0.45
_DARK = 0.25  # a score this far from even has a dark background and is printed in white
_OPEN_MARGIN = 0.1  # of the plot's width: how far the arrow of an open interval stands out


def plot_ratings(table: Standings, path: Path) -> None:
    """Plot each player's Elo with its interval, the strongest on top.

    An arrow marks the open end of an interval, and a line separates groups of players.
    """
    from matplotlib.figure import Figure  # slow to import

    elo = np.array([row.elo for row in table.rows])
    figure = Figure(figsize=(8, 1.2 + _INCHES_A_PLAYER * len(elo)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(elo))
    ends = _finite_ends(elo)
    reach = np.abs(ends - elo[:, :1]).T
    axes.errorbar(elo[:, 0], places, xerr=reach, fmt="o", capsize=4, linewidth=2)
    for side, marker in enumerate(("<", ">")):
        is_open = np.isinf(elo[:, 1 + side])
        axes.plot(ends[is_open, side], places[is_open], marker, color="C0", markersize=9)
    groups = np.array([row.group for row in table.rows])
    for place in np.flatnonzero(np.diff(groups)):
        axes.axhline(place + 0.5, color="black", linewidth=1)
    axes.set_yticks(places, [row.player for row in table.rows])
    axes.invert_yaxis()
    axes.axvline(0, color="grey", linestyle=":")
    above = "mean" if groups[0] == groups[-1] else "mean of the group"
    axes.set(xlabel=f"Elo above the {above}, 95 % interval", title=table.game)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(path, dpi=_DPI)


def _finite_ends(elo: np.ndarray) -> np.ndarray:
    """The intervals [players, 2]; an open one ends a little beyond all finite values."""
    finite = elo[np.isfinite(elo)]
    margin = _OPEN_MARGIN * max(float(np.ptp(finite)), 1.0)
    return np.clip(elo[:, 1:], finite.min() - margin, finite.max() + margin)


def plot_cross_table(table: Standings, path: Path) -> None:
    """Plot each player's score against each other player."""
    from matplotlib.figure import Figure  # slow to import

    names = [row.player for row in table.rows]
    scores = np.array(
        [[np.nan if cell is None else cell.mean for cell in line] for line in table.cross]
    )
    side = 2.5 + 1.6 * _INCHES_A_PLAYER * len(names)
    figure = Figure(figsize=(side + 1, side), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(100 * scores, cmap="RdBu", vmin=0, vmax=100)
    for i, j in np.argwhere(~np.isnan(scores)):
        color = "white" if abs(scores[i, j] - 0.5) > _DARK else "black"
        axes.text(j, i, f"{100 * scores[i, j]:.0f}", ha="center", va="center", color=color)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.set_title(f"{table.game}: score against, %")
    figure.colorbar(image, shrink=0.8)
    figure.savefig(path, dpi=_DPI)
