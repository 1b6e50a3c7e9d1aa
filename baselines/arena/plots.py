"""Pictures of a tournament, as PNG; none where matplotlib is not installed."""

from pathlib import Path

import numpy as np

from .standings import Standings

_DPI = 150
_INCHES_A_PLAYER = 0.45
_DARK = 0.25  # how far from even a score is printed in white


def plot_ratings(table: Standings, path: Path) -> bool:
    """Elo of each player with its interval, the strongest on top; False without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
    elo = np.array([row.elo for row in table.rows])
    figure = Figure(figsize=(8, 1.2 + _INCHES_A_PLAYER * len(elo)), layout="constrained")
    axes = figure.subplots()
    places = np.arange(len(elo))
    reach = np.abs(elo[:, 1:] - elo[:, :1]).T
    axes.errorbar(elo[:, 0], places, xerr=reach, fmt="o", capsize=4, linewidth=2)
    axes.set_yticks(places, [row.player for row in table.rows])
    axes.invert_yaxis()
    axes.axvline(0, color="grey", linestyle=":")
    axes.set(xlabel="Elo above the mean, 95 % interval", title=table.game)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(path, dpi=_DPI)
    return True


def plot_cross_table(table: Standings, path: Path) -> bool:
    """Each player's score against each other; False without matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        return False
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
    return True
