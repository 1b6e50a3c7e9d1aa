"""The plot of a tournament, as PNG."""

from pathlib import Path

import numpy as np

from ....envs.core.whole_files import written_whole
from ..ratings.standings import Standings

_DPI = 150
_INCHES_A_PLAYER = 0.45
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
    with written_whole(path) as partial:
        figure.savefig(partial, dpi=_DPI)


def _finite_ends(elo: np.ndarray) -> np.ndarray:
    """The intervals [players, 2]; an open one ends a little beyond all finite values."""
    finite = elo[np.isfinite(elo)]
    margin = _OPEN_MARGIN * max(float(np.ptp(finite)), 1.0)
    return np.clip(elo[:, 1:], finite.min() - margin, finite.max() + margin)
