"""The pages of the league, made from its records alone: ladders, cross tables and an index."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....envs import GAMES
from ....envs.core.game import Game
from ....envs.core.pages import folder_of
from ....envs.core.words import in_words
from ...statistics.estimates import Estimate
from ..play.league import Rung
from ..ratings.standings import Standings
from .export import CROSS_TITLE, as_data, cross_cells, finite, markdown_table, notes

LADDER_HEADINGS = ("player", "time", "Elo", "does best against it", "with, %")
BEGIN, END = "<!-- ladder: written by `make league` -->", "<!-- end of the ladder -->"
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))

Record = Mapping[str, Any]


def league_record(
    game: Game, table: Standings, rungs: Sequence[Rung], deals: tuple[int, int], idle: Sequence[str]
) -> dict[str, Any]:
    """Return one league as plain data; `deals` are those of compiled players and of searches.

    `idle` are the players that take no part.
    """
    data = {
        "seats": game.num_seats,
        "config": table.config,
        "num_games": table.num_games,
        "deals": deals[0],
        "search_deals": deals[1],
        "ladder": [as_data(rung._asdict()) for rung in rungs],
        "cross": cross_cells(table),
        "notes": notes(table),
        "idle": list(idle),
    }
    return dict(finite(data))


def recorded(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Read the leagues that a folder has records of, by game."""
    files = {name: folder / f"{name}.json" for name in GAMES}
    return {
        name: json.loads(file.read_text(encoding="utf-8"))
        for name, file in files.items()
        if file.is_file()
    }


def ladders(records: Sequence[Record]) -> str:
    """Write the ladders of a game, one for each number of seats, as Markdown."""
    lines = [
        "Time is processor time for a decision. Elo is above the mean of the members, from "
        "duplicate deals, with 95 % intervals. The last columns name the best known exploiter: the "
        "member that scores most against the player, a draw being half.",
        "",
    ]
    for league in records:
        lines += [f"**{league['seats']} seats**, {league['num_games']:,} games:", ""]
        lines += markdown_table(LADDER_HEADINGS, [_cells(rung) for rung in league["ladder"]])
        lines += [""]
    return "\n".join(lines)


def shipped_ladder(game: Game) -> list[str]:
    """Return the rated players of a game, weakest first, as its README has them.

    They are those of the league with the nearest number of seats; a game without one has none.
    """
    file = folder_of(game.name) / "README.md"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    leagues = re.split(r"\*\*(\d+) seats\*\*", text.partition(BEGIN)[2].partition(END)[0])[1:]
    if not leagues:
        return []
    tables = dict(zip(map(int, leagues[::2]), leagues[1::2], strict=True))
    nearest = tables[min(tables, key=lambda seats: abs(seats - game.num_seats))]
    return re.findall(r"^\| `(\w+)`", nearest, re.MULTILINE)[::-1]


def _cells(rung: Record) -> list[str]:
    return [
        f"`{rung['player']}`",
        time_text(rung["seconds"]),
        f"{_estimate(rung['elo']):+.0f}",
        f"`{rung['exploiter']}`",
        f"{_estimate(rung['against_it']).scaled(100):.1f}",
    ]


def _estimate(values: Sequence[float | None]) -> Estimate:
    """Read an estimate; None is infinite, as `finite` wrote it."""
    mean, low, high = values
    below, above = float("-inf"), float("inf")
    if mean is None:
        mean = above if high is None else below
    return Estimate(mean, below if low is None else low, above if high is None else high)


def time_text(seconds: float) -> str:
    """Write a time with two digits: "2.4 ms", "0.35 µs"."""
    size, unit = next((each for each in _UNITS if seconds >= each[0]), _UNITS[-1])
    number = float(f"{seconds / size:.2g}")
    return f"{number:g} {unit}"


def page(name: str, records: Sequence[Record]) -> str:
    """Write the page of a game: its ladders, then the cross tables and what they leave open."""
    lines = [f"# {in_words(name)}", "", ladders(records)]
    for league in records:
        names = [rung["player"] for rung in league["ladder"]]
        config = ", ".join(f"{key}={value!r}" for key, value in league["config"].items())
        lines += [
            f"## {league['seats']} seats",
            "",
            f"{config}. {league['deals']:,} deals for each meeting of compiled players, "
            f"{league['search_deals']:,} where a member searches or looks its moves up. "
            f"{CROSS_TITLE}:",
            "",
            *markdown_table(["", *names], league["cross"]),
            "",
        ]
        for note in league["notes"]:
            lines += [note, ""]
        if league["idle"]:
            lines += [f"Not members: {', '.join(f'`{name}`' for name in league['idle'])}.", ""]
    return "\n".join(lines)


def index(records: Mapping[str, Sequence[Record]]) -> str:
    """Write the first page: the strongest player of every game and number of seats."""
    rows = [
        [f"[{in_words(name)}]({name}.md)", str(league["seats"]), *_cells(league["ladder"][0])[:3]]
        for name, leagues in records.items()
        for league in leagues
    ]
    lines = [
        "# The league",
        "",
        "All players that ship meet in every game, with every number of seats. The tables show who "
        "leads; each game's page has its ladder and its cross table. `make league` writes these "
        "pages, goes on where it was stopped, and plays again only what a change affects.",
        "",
        *markdown_table(("game", "seats", "first", "time", "Elo"), rows),
        "",
    ]
    return "\n".join(lines)


def with_ladders(readme: str, records: Sequence[Record]) -> str:
    """Return a README with its ladders replaced. Raises ValueError where it has no such place."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no place for a ladder: the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{ladders(records)}\n{END}{after}"
