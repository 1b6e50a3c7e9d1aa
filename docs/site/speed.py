"""The page of speed, docs/benchmarks/peers.md, its plot, and its table in the documentation."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from parlour.baselines.arena.results.export import markdown_table
from parlour.envs import find_game

MANY_AT_ONCE, ONE_BY_ONE = "many games at once", "one game at a time"
_SPEED_LINES = {  # what the page of figures shows
    "vector": "vector environment, scaled observations",
    "vector integer": "vector environment, whole numbers",
    "vector opponents": "with scripts in the other seats, `step()`: plies of all seats",
    "match": "a compiled match between these scripts",
    "playouts": "playouts without observations",
    "aec raw": "PettingZoo, `raw_env()`: `last()` and `step()`",
    "aec": "PettingZoo, `env()`: `last()` and `step()`",
    "solo": "Gymnasium, `gym.make` with these scripts: own plies",
}
_OWN = {"vector": MANY_AT_ONCE, "aec": ONE_BY_ONE}  # what other libraries are compared with
PEER_HEADINGS = ("library", "game", "interface", "plies per CPU-second")
_COLORS = {True: "#1f5c46", False: "#b9b09a"}  # Parlour, others
_INCHES_A_BAR = 0.26
_DPI = 150

Report = Mapping[str, Any]


def page(report: Report) -> str:
    """Return the rates as Markdown, those of other libraries too."""
    missing = [peer for peer in report["peers"] if "missing" in peer]
    lines = [
        "# Speed",
        "",
        f"Plies per second of processor time on {machine_text(report['machine'])}.",
        "Recorded with `python docs/benchmarks/peers.py`.",
        "",
        speed_table(report),
        "",
        "## Other libraries",
        "",
        "Random legal play with observations, in the same run. pgx and Parlour choose the actions",
        "inside the loop that is timed.",
        "",
        *markdown_table(PEER_HEADINGS, peer_rows(report)),
        "",
        *("Not measured: {library}, {what}: {missing}".format(**peer) for peer in missing),
    ]
    return "\n".join(lines).rstrip() + "\n"


def machine_text(machine: Report) -> str:
    """Return a machine and its Python in words."""
    return "{processor}, {cores} cores, {system}, Python {python}".format_map(machine)


def speed_table(report: Report) -> str:
    """Return Parlour's own rates with the default number of players, as Markdown."""
    games = report["games"]
    headings = ["", *(f"{name}, {find_game(name).num_seats}" for name in games)]
    rows = [
        [line, *(_rounded(_rate(games[name], view, name)) for name in games)]
        for view, line in _SPEED_LINES.items()
    ]
    rows.append(["these scripts", *(f"`{figures['opponents']}`" for figures in games.values())])
    return "\n".join(markdown_table(headings, rows))


def peer_rows(report: Report) -> list[list[str]]:
    """Return one row for each game of each library, the fastest first."""
    return [[*names, _rounded(rate)] for *names, rate in _all_rates(report)]


def plot(report: Report, path: Path) -> None:
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


def _rounded(rate: float) -> str:
    """Return a rate as a reader needs it: "12.3 M", "234,000"."""
    return f"{rate / 1e6:.1f} M" if rate >= 1e6 else f"{round(rate, -3):,.0f}"


def _all_rates(report: Report) -> list[tuple[str, str, str, float]]:
    """Return (library, game, interface, rate), the fastest first."""
    own = [
        ("Parlour", name, how, _rate(figures, view, name))
        for name, figures in report["games"].items()
        for view, how in _OWN.items()
    ]
    others = [
        (peer["library"], peer["what"], peer["how"], peer["plies_per_cpu_second"])
        for peer in report["peers"]
        if "missing" not in peer
    ]
    return sorted([*own, *others], key=lambda entry: -entry[-1])


def _rate(figures: Report, view: str, name: str) -> float:
    rate: float = figures["plies_per_cpu_second"][view][str(find_game(name).num_seats)]
    return rate
