"""The record of a benchmark: a JSON file, and beside it the same as tables and as a plot.

The README shows `speed_table`; a test compares it with the record.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...baselines.arena.results.export import markdown_table
from ...envs import find_game
from .peers import MANY_AT_ONCE, ONE_BY_ONE

_SPEED_LINES = {  # what the README shows
    "vector": "vector environment, scaled observations",
    "vector integer": "vector environment, whole numbers",
    "vector opponents": "with scripts in the other seats, `step()`: plies of all seats",
    "match": "a compiled match between these scripts",
    "playouts": "playouts without observations",
    "aec raw": "PettingZoo, `raw_env()`: `last()` and `step()`",
    "aec": "PettingZoo, `env()`: `last()` and `step()`",
    "solo": "Gymnasium, `gym.make` with these scripts: own plies",
}
_OWN = {"vector": MANY_AT_ONCE, "aec": ONE_BY_ONE}  # what peers are compared with
_COLORS = {True: "#1f5c46", False: "#b9b09a"}  # Parlour, others
_INCHES_A_BAR = 0.26
_DPI = 150


def page(report: Mapping[str, Any]) -> str:
    """Return the tables as Markdown."""
    lines = [
        "# Speed",
        "",
        f"Plies per second of processor time on {named(report['machine'])}.",
        "Recorded with `parlour bench --peers --record FILE`.",
        "",
        speed_table(report),
        "",
        "## Other libraries",
        "",
        "Random legal play with observations, in the same run. pgx and Parlour choose the actions",
        "inside the loop that is timed.",
        "",
        *markdown_table(
            ("library", "game", "interface", "plies per CPU-second"), peer_rows(report)
        ),
        "",
        *(f"Not measured: {line}" for line in missing(report)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def named(machine: Mapping[str, Any]) -> str:
    """Return a machine and its Python in words."""
    return "{processor}, {cores} cores, {system}, Python {python}".format_map(machine)


def speed_table(report: Mapping[str, Any]) -> str:
    """Return Parlour's own rates with the default number of players, as Markdown."""
    games = report["games"]
    headings = ["", *(f"{name}, {_default_seats(name)}" for name in games)]
    rows = [
        [line, *(rounded(_rate(games[name], what, _default_seats(name))) for name in games)]
        for what, line in _SPEED_LINES.items()
    ]
    rows.append(["these scripts", *(f"`{figures['opponents']}`" for figures in games.values())])
    return "\n".join(markdown_table(headings, rows))


def peer_rows(report: Mapping[str, Any]) -> list[list[str]]:
    """Return one row for each game of each library, the fastest first."""
    return [
        [library, game, how, rounded(plies)] for library, game, how, plies in _all_rates(report)
    ]


def missing(report: Mapping[str, Any]) -> list[str]:
    """Return a line for each game that was not measured, with the reason."""
    return [
        f"{peer['library']}, {peer['what']}: {peer['missing']}"
        for peer in report["peers"]
        if "missing" in peer
    ]


def plot(report: Mapping[str, Any], path: Path) -> None:
    """Plot the rates of all libraries as bars on a logarithmic scale."""
    from matplotlib.figure import Figure  # slow to import

    rates = _all_rates(report)[::-1]
    names = [f"{library}: {game}" for library, game, *_ in rates]
    figure = Figure(figsize=(9, 1.6 + _INCHES_A_BAR * len(rates)), layout="constrained")
    axes = figure.subplots()
    colors = [_COLORS[library == "Parlour"] for library, *_ in rates]
    hatches = ["//" if how == MANY_AT_ONCE else "" for _, _, how, _ in rates]
    places = range(len(rates))
    axes.barh(places, [rate for *_, rate in rates], color=colors, hatch=hatches, edgecolor="white")
    axes.set_yticks(places, names)
    axes.set(xscale="log", xlabel=f"plies per second of processor time; hatched: {MANY_AT_ONCE}")
    axes.set_title(f"Random legal play with observations, {report['machine']['processor']}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="x", alpha=0.3)
    figure.savefig(path, dpi=_DPI)


def rounded(rate: float) -> str:
    """Return a rate as a reader needs it: "12.3 M", "234,000"."""
    return f"{rate / 1e6:.1f} M" if rate >= 1e6 else f"{round(rate, -3):,.0f}"


def _all_rates(report: Mapping[str, Any]) -> list[tuple[str, str, str, float]]:
    """Return (library, game, interface, rate), the fastest first."""
    own = [
        ("Parlour", name, how, _rate(figures, what, _default_seats(name)))
        for name, figures in report["games"].items()
        for what, how in _OWN.items()
    ]
    others = [
        (peer["library"], peer["what"], peer["how"], peer["plies_per_cpu_second"])
        for peer in report["peers"]
        if "missing" not in peer
    ]
    return sorted([*own, *others], key=lambda entry: -entry[-1])


def _rate(figures: Mapping[str, Any], what: str, seats: int) -> float:
    rate: float = figures["plies_per_cpu_second"][what][str(seats)]
    return rate


def _default_seats(name: str) -> int:
    return find_game(name).num_seats
