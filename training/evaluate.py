"""What a learner was worth while it learned, and the curve that these measurements draw."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..baselines.arena import MatchResult

_SIZE = (7.0, 4.0)  # inches
_DPI = 120


class Point(NamedTuple):
    """One moment of a training run, measured against each opponent."""

    seconds: float
    decisions: int
    results: Sequence[MatchResult]


def draw_curve(points: Sequence[Point], title: str, path: Path | str) -> None:
    """The share of first places over training time, with 95 % bands, as a PNG."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, dpi=_DPI, layout="constrained")
    axes = figure.add_subplot()
    minutes = [point.seconds / 60 for point in points]
    for results in zip(*(point.results for point in points), strict=True):
        shares = [[100 * value for value in result.first_places] for result in results]
        mean, low, high = zip(*shares, strict=True)
        (line,) = axes.plot(minutes, mean, marker="o", markersize=3, label=results[0].second)
        axes.fill_between(minutes, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        axes.axhline(100 * results[0].fair_share, color="grey", linestyle=":", zorder=0)
    axes.set(title=title, xlabel="minutes of training", ylabel="first places, % (dots: fair share)")
    axes.legend(title="against")
    axes.grid(alpha=0.3)
    figure.savefig(path)
