"""The tables of strength in the games' READMEs: `make strengths`. Stopped, it goes on.

docs/studies/strengths.toml lists the rows. Each is a measurement of `parlour evaluate`: the number
of seats, a player, the player in all other seats, the deals, and the first seed. Results are kept
in docs/studies/strengths.json after every row. A row that is there is not measured again, unless
the code of its game, or of the searches or networks that play in it, has changed.
"""

import argparse
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from docs.site.records import code_digest, keep
from docs.site.sources import CHECKOUT
from parlour.baselines import make_policy
from parlour.baselines.arena import DuplicateResult, MatchResult, play_duplicate, play_match
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.players.making import players_of
from parlour.baselines.players.measures import measures_of
from parlour.envs import GAMES
from parlour.envs.core.catalogue import games_by_seats
from parlour.envs.core.game import Game

from .recorded import STUDIES

ROWS: Final = STUDIES / "strengths.toml"
RECORD: Final = STUDIES / "strengths.json"
COMMAND: Final = "make strengths"
BEGIN, END = f"<!-- strengths: written by `{COMMAND}` -->", "<!-- end of the strengths -->"
SEARCH, NETWORKS = "baselines/search", "baselines/networks"
USED: Final = {  # by players of a kind, beside the code of their game; a search may ask a network
    "search": (SEARCH, NETWORKS),
    "solver": (SEARCH,),
    "network": (NETWORKS,),
}
Record = Mapping[str, Mapping[str, Mapping[str, Any]]]  # rows by game and text
Cells = dict[str, str]  # by heading


class Row(NamedTuple):
    """A player in one seat against another in all others."""

    seats: int
    player: str
    against: str
    deals: int
    seed: int

    @property
    def cells(self) -> Cells:
        """The cells before the results."""
        return {
            "seats": str(self.seats),
            "player": f"`{self.player}`",
            "against": f"`{self.against}`",
            "deals": f"{self.deals:,}",
            "first seed": f"{self.seed:,}",
        }


def _first_places(game: Game, row: Row) -> Cells:
    result = play_match(game, row.player, row.against, row.deals, row.seed)
    return {
        "first places, %": f"{result.first_places.scaled(100):.1f}",
        "Elo": f"{result.elo:+.0f}",
    }


def _outcomes(game: Game, row: Row) -> Cells:
    return _shares(play_match(game, row.player, row.against, row.deals, row.seed))


def _duplicate(game: Game, row: Row) -> Cells:
    return _shares(play_duplicate(game, row.player, row.against, row.deals, row.seed))


def _shares(result: MatchResult | DuplicateResult) -> Cells:
    shares = {"won, %": result.wins, "drawn, %": result.draws, "lost, %": result.losses}
    return {heading: f"{share.scaled(100):.1f}" for heading, share in shares.items()}


def _exact(game: Game, row: Row) -> Cells:
    players = make_policy(row.player, game), make_policy(row.against, game)
    measures = measures_of(game).items()
    return {
        name: f"{measure.compute(game, *players, row.deals, row.seed):.2f}"
        for name, measure in measures
    }


KINDS: Final[dict[str, tuple[str, Callable[[Game, Row], Cells]]]] = {
    "first places": ("First places of the player, and its Elo above the others", _first_places),
    "outcomes": ("Games that the player won, drew and lost", _outcomes),
    "duplicate": ("Deals that the player won, drew and lost in duplicate matches", _duplicate),
    "exact": ("Distance from perfect play", _exact),
}


def rows_of(name: str) -> Iterator[tuple[str, Row]]:
    """Yield the rows of a game with their kinds."""
    kinds = tomllib.loads(ROWS.read_text(encoding="utf-8"))[name]
    return ((kind, Row(*row)) for kind, rows in kinds.items() for row in rows)


def paths_of(name: str, rows: Sequence[tuple[str, Row]]) -> tuple[str, ...]:
    """Return the files and folders that the results of these rows of a game depend on."""
    games = {game.num_seats: players_of(game) for game in games_by_seats(name)}
    used = {SEARCH for kind, _ in rows if kind == "exact"}
    for _, row in rows:
        for player in (row.player, row.against):
            used.update(USED.get(games[row.seats][player.partition(":")[0]].kind, ()))
    own = f"envs/{name}/rules.py", f"envs/{name}/observation.py", f"baselines/{name}"
    return *own, *sorted(used)


def measure(name: str, file: Path = RECORD) -> Record:
    """Measure the rows of a game that the record lacks; return the record."""
    record: dict[str, Any] = json.loads(file.read_text()) if file.is_file() else {}
    games = {game.num_seats: game for game in games_by_seats(name)}
    former, digest = record.get(name, {}), cache(code_digest)
    rows = {f"{kind}: {' '.join(map(str, row))}": (kind, row) for kind, row in rows_of(name)}
    record[name] = results = {key: former[key] for key in rows if key in former}
    for key, (kind, row) in rows.items():
        code = digest(paths_of(name, [(kind, row)]))
        if results.get(key, {}).get("code") != code:
            cells = {**row.cells, **KINDS[kind][1](games[row.seats], row)}
            print(*cells.values(), sep=" | ", flush=True)
            results[key] = {"code": code, "kind": kind, "cells": cells}
            file.write_text(json.dumps(record, indent=1) + "\n")
    record[name] = {key: results[key] for key in rows}
    file.write_text(json.dumps(record, indent=1) + "\n")
    return record


def tables(name: str, record: Record) -> str:
    """Return the tables of a game as Markdown."""
    lines = []
    for kind, (about, _) in KINDS.items():
        rows = [row["cells"] for row in record[name].values() if row["kind"] == kind]
        if rows:
            cells = [list(row.values()) for row in rows]
            lines += [f"{about}:", "", *markdown_table(list(rows[0]), cells), ""]
    return "\n".join(lines)


def with_tables(readme: str, name: str, record: Record) -> str:
    """Return a README with its tables replaced. Raises ValueError where it has no such place."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there is no place for the tables: the lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{tables(name, record)}\n{END}{after}"


def main() -> None:
    """Measure every game, write its tables, and note the record."""
    argparse.ArgumentParser(description=main.__doc__).parse_args()  # it takes none
    paths = {}
    for name in GAMES:
        record = measure(name)
        readme = f"envs/{name}/README.md"
        file = CHECKOUT / readme
        file.write_text(with_tables(file.read_text(encoding="utf-8"), name, record))
        paths[name] = paths_of(name, list(rows_of(name)))
        keep([f"{readme}#measured"], COMMAND, paths[name])
    all_paths = list(dict.fromkeys(path for each in paths.values() for path in each))
    keep([RECORD.relative_to(CHECKOUT).as_posix()], COMMAND, all_paths)


if __name__ == "__main__":
    main()
