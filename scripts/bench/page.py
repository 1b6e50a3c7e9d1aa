"""Speed in tables and plots: what `parlour bench` prints, and the pages of its records.

The documentation shows `speed_table`.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...baselines.arena.results.export import markdown_table
from ...envs import find_game
from ..output import print_table
from .measure import MATCH, SIZE_NAMES, STEP_NAMES

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
_SCRIPTED = ("solo", "vector opponents", "match")
_OWN = {"vector": MANY_AT_ONCE, "aec": ONE_BY_ONE}  # what other libraries are compared with
_PEER_HEADINGS = ("library", "game", "interface", "plies per CPU-second")
_COLORS = {True: "#1f5c46", False: "#b9b09a"}  # Parlour, others
_INCHES_A_BAR = 0.26
_DPI = 150
_PANELS_A_ROW = 3
_SIZES_COUNT = "plies per second by the clock (games, for a match)"

Report = Mapping[str, Any]


# Plies per second of processor time, and the time to start


def show(report: Report) -> None:
    """Print the report as tables."""
    for name, measured in report["games"].items():
        rates = measured["plies_per_cpu_second"]
        if rates:
            seats = list(rates["vector"])
            print(f"\n{name}: plies per CPU-second, batch {report['batch']:,}")
            names = STEP_NAMES | {
                what: f"{STEP_NAMES[what]}, {measured['opponents']}" for what in _SCRIPTED
            }
            rows = [[names[what], *(round(r[s]) for s in seats)] for what, r in rates.items()]
            print_table(["view", *(f"{count} seats" for count in seats)], rows)
        print(f"\n{name}: seconds from starting Python to the end of the first game")
        starts = [
            [view, *(f"{seconds:.2f}" for state in ("cold", "warm") for seconds in times[state])]
            for view, times in measured["start"].items()
        ]
        print_table(["view", "cold, CPU", "cold, clock", "warm, CPU", "warm, clock"], starts)


def page(report: Report) -> str:
    """Return the rates as Markdown, those of other libraries too."""
    lines = [
        "# Speed",
        "",
        f"Plies per second of processor time on {_named(report['machine'])}.",
        "Recorded with `parlour bench --record FILE`, or with the other libraries by",
        "`python docs/benchmarks/peers.py`.",
        "",
        speed_table(report),
        "",
        "## Other libraries",
        "",
        "Random legal play with observations, in the same run. pgx and Parlour choose the actions",
        "inside the loop that is timed.",
        "",
        *markdown_table(_PEER_HEADINGS, peer_rows(report)),
        "",
        *(
            f"Not measured: {peer['library']}, {peer['what']}: {peer['missing']}"
            for peer in report["peers"]
            if "missing" in peer
        ),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _named(machine: Report) -> str:
    """Return a machine and its Python in words."""
    return "{processor}, {cores} cores, {system}, Python {python}".format_map(machine)


def speed_table(report: Report) -> str:
    """Return Parlour's own rates with the default number of players, as Markdown."""
    games = report["games"]
    headings = ["", *(f"{name}, {find_game(name).num_seats}" for name in games)]
    rows = [
        [line, *(_rounded(_rate(games[name], what, name)) for name in games)]
        for what, line in _SPEED_LINES.items()
    ]
    rows.append(["these scripts", *(f"`{figures['opponents']}`" for figures in games.values())])
    return "\n".join(markdown_table(headings, rows))


def peer_rows(report: Report) -> list[list[str]]:
    """Return one row for each game of each library, the fastest first."""
    return [
        [library, game, how, _rounded(plies)] for library, game, how, plies in _all_rates(report)
    ]


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
        ("Parlour", name, how, _rate(figures, what, name))
        for name, figures in report["games"].items()
        for what, how in _OWN.items()
    ]
    others = [
        (peer["library"], peer["what"], peer["how"], peer["plies_per_cpu_second"])
        for peer in report["peers"]
        if "missing" not in peer
    ]
    return sorted([*own, *others], key=lambda entry: -entry[-1])


def _rate(figures: Report, what: str, name: str) -> float:
    rate: float = figures["plies_per_cpu_second"][what][str(find_game(name).num_seats)]
    return rate


# Plies per second by the clock, by the number of tables and threads


def show_sizes(report: Report) -> None:
    """Print a table for each game."""
    for name, rows in report["sizes"].items():
        print(f"\n{name}: {_SIZES_COUNT}")
        print_table(_size_headings(rows), _size_cells(rows))


def sizes_page(report: Report) -> str:
    """Return the tables as Markdown."""
    lines = [
        "# Speed by the number of tables and threads",
        "",
        f"{_SIZES_COUNT.capitalize()}, on {_named(report['machine'])}.",
        "Recorded with `parlour bench --sizes --record FILE`. Other work on the machine must wait.",
        "The best of several short turns counts, some of them later and in new memory; one thread",
        "and several alternate.",
        "`step()` gains least from threads where the cores share no cache, because what it reads",
        "and writes moves between them. A virtual machine may be given such cores at any time.",
        "The scripts in the matches are those that `parlour bench` names.",
    ]
    for name, rows in report["sizes"].items():
        cells = [
            [what, *(f"{number:,}" for number in numbers), times]
            for what, *numbers, times in _size_cells(rows)
        ]
        lines += ["", f"## {name}", "", *markdown_table(_size_headings(rows), cells)]
    return "\n".join(lines) + "\n"


def _size_headings(rows: Sequence[Report]) -> list[str]:
    return ["", "tables", "1 thread", f"{rows[0]['threads']} threads", "times"]


def _size_cells(rows: Sequence[Report]) -> list[list[Any]]:
    return [
        [
            SIZE_NAMES[row["what"]],
            row["tables"],
            round(row["one"]),
            round(row["many"]),
            f"{row['many'] / row['one']:.2f}",
        ]
        for row in rows
    ]


def sizes_plot(report: Report, path: Path) -> None:
    """Draw plies per second against the number of tables: a panel for each game."""
    from matplotlib.figure import Figure  # slow to import

    results = report["sizes"]
    num_rows = math.ceil(len(results) / _PANELS_A_ROW)
    figure = Figure(figsize=(4.5 * _PANELS_A_ROW, 3.6 * num_rows), layout="constrained")
    panels = list(figure.subplots(num_rows, _PANELS_A_ROW, squeeze=False).flat)
    for panel, (name, rows) in zip(panels, results.items(), strict=False):
        _draw_sizes(panel, rows)
        panel.set_title(name)
    for panel in panels[len(results) :]:
        panel.set_axis_off()
    figure.supylabel("plies per second by the clock")
    lines, texts = panels[0].get_legend_handles_labels()
    figure.legend(lines, texts, loc="outside lower center", ncols=_PANELS_A_ROW)
    figure.savefig(path, dpi=120)


def _draw_sizes(panel: Any, rows: Sequence[Report]) -> None:
    for index, what in enumerate(w for w in SIZE_NAMES if w != MATCH):
        chosen = [row for row in rows if row["what"] == what]
        for key, style in (("one", "--"), ("many", "-")):
            count = 1 if key == "one" else chosen[0]["threads"]
            panel.plot(
                [row["tables"] for row in chosen],
                [row[key] for row in chosen],
                style,
                color=f"C{index}",
                marker="o",
                label=f"{SIZE_NAMES[what]}, {count} thread{'s' if count > 1 else ''}",
            )
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    panel.set_xlabel("tables")
