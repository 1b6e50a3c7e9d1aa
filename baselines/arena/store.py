"""The store: every batch of results on disk as soon as it is played, in one SQLite file.

A result is kept under all that it depends on: the game with its version and settings, who the
players are (see `entrants`), the seating, the control, the deals. So a run that was killed goes on
where it stopped, and what one tournament has played another need not play again.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np

from ...envs.core.game import Game
from ...envs.core.rng import SEED_LIMIT
from .batches import Batch, Contest, Control, Fault, Outcomes
from .entrants import Entrant
from .seatings import sittings_a_deal

FORMAT = 1
_APPLICATION = 0x5041524C  # "PARL": what tells a store from any other SQLite file
_PATIENCE = 120.0  # seconds to wait for another run that is writing

_SCHEMA = """
CREATE TABLE setting (  -- what is played, and how players are held to time
    id INTEGER PRIMARY KEY,
    game TEXT, version INTEGER, num_seats INTEGER, config TEXT, control TEXT,
    UNIQUE (game, version, num_seats, config, control));
CREATE TABLE player (
    id INTEGER PRIMARY KEY, identity TEXT UNIQUE, name TEXT, spec TEXT);
CREATE TABLE contest (  -- players: their ids in the order of the seating
    id INTEGER PRIMARY KEY, setting INTEGER, seating TEXT, players TEXT,
    UNIQUE (setting, seating, players));
CREATE TABLE batch (  -- returns: float64 [deals, sittings, seats], zlib
    contest INTEGER, first_seed INTEGER, num_deals INTEGER, returns BLOB, faults TEXT,
    PRIMARY KEY (contest, first_seed, num_deals));
"""


def store_files(path: Path | str) -> list[str]:
    """The files that hold a store: the database, and what SQLite writes beside it."""
    return [f"{path}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]


class Setting(NamedTuple):
    """One game as it was played: results of different settings are never mixed."""

    game: str
    version: int
    num_seats: int
    config: dict[str, Any]
    control: dict[str, Any] | None

    @classmethod
    def of(cls, game: Game, control: Control | None) -> "Setting":
        """What a run of this game is kept under."""
        held = None if control is None else control.as_data()
        return cls(game.name, game.version, game.num_seats, game.config_dict(), held)


class Store:
    """An SQLite file of results. Several runs may read and write it at the same time.

    Raises ValueError where the file is something else, or cannot be opened.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            self._database = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except sqlite3.Error as error:
            raise ValueError(f"{path} is not a store of results: {error}") from error

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Everything is on disk already; this lets go of the file."""
        self._database.close()

    def _prepare(self) -> None:
        run = self._database.execute
        if self._is_empty():
            run("PRAGMA journal_mode = WAL")
            run("BEGIN IMMEDIATE")
            if self._is_empty():  # still: another run may have been faster
                for statement in _SCHEMA.split(";\n"):
                    run(statement)
                run(f"PRAGMA application_id = {_APPLICATION}")
                run(f"PRAGMA user_version = {FORMAT}")
            run("COMMIT")
        marks = [run(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        if marks != [_APPLICATION, FORMAT]:
            raise sqlite3.DatabaseError("another program's, or of another format")

    def _is_empty(self) -> bool:
        return not self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]

    def add(self, batch: Batch, outcomes: Outcomes) -> None:
        """Keep the results of a batch: all of them or, killed on the way, none."""
        faults = json.dumps([list(fault) for fault in outcomes.faults])
        packed = zlib.compress(np.ascontiguousarray(outcomes.returns, dtype="<f8").tobytes())
        self._database.execute("BEGIN IMMEDIATE")
        setting = Setting.of(batch.game, batch.control)
        contest = self._contest_id(setting, batch.contest)
        self._database.execute(
            "INSERT OR IGNORE INTO batch VALUES (?, ?, ?, ?, ?)",
            (contest, batch.first_seed, batch.num_deals, packed, faults),
        )
        self._database.execute("COMMIT")

    def read(
        self, setting: Setting, contest: Contest, seeds: range = range(SEED_LIMIT)
    ) -> Iterator[tuple[int, Outcomes]]:
        """The batches of a contest that have some of these deals: (first seed, outcomes)."""
        number = self._contest_id(setting, contest)
        sittings = sittings_a_deal(contest.seating, setting.num_seats)
        rows = self._database.execute(
            "SELECT first_seed, num_deals, returns, faults FROM batch WHERE contest = ? "
            "AND first_seed <= ? AND first_seed > ? - num_deals ORDER BY first_seed, num_deals",
            (number, seeds[-1], seeds[0]),
        )
        for first_seed, num_deals, packed, faults in rows.fetchall():
            returns = np.frombuffer(zlib.decompress(packed), "<f8")
            yield (
                first_seed,
                Outcomes(
                    returns.reshape(num_deals, sittings, setting.num_seats),
                    tuple(Fault(*fault) for fault in json.loads(faults)),
                ),
            )

    def settings(self) -> list[Setting]:
        """All games that there are results of."""
        rows = self._database.execute(
            "SELECT game, version, num_seats, config, control FROM setting ORDER BY game, id"
        )
        return [
            Setting(game, version, num_seats, json.loads(config), json.loads(control))
            for game, version, num_seats, config, control in rows
        ]

    def contests(self, setting: Setting) -> list[Contest]:
        """All contests of a game that there are results of."""
        rows = self._database.execute(
            "SELECT seating, players FROM contest WHERE setting = ? "
            "AND id IN (SELECT contest FROM batch) ORDER BY id",
            (self._setting_id(setting),),
        )
        known = self._players()
        return [
            Contest(tuple(known[p] for p in json.loads(players)), seating)
            for seating, players in rows.fetchall()
        ]

    def _players(self) -> dict[int, Entrant]:
        rows = self._database.execute("SELECT id, name, spec, identity FROM player").fetchall()
        names = [name for _, name, _, _ in rows]
        return {
            number: Entrant(name if names.count(name) == 1 else f"{name} #{number}", spec, identity)
            for number, name, spec, identity in rows
        }

    def _contest_id(self, setting: Setting, contest: Contest) -> int:
        players = [self._player_id(entrant) for entrant in contest.entrants]
        row = (self._setting_id(setting), contest.seating, json.dumps(players))
        return self._id_of("contest", ("setting", "seating", "players"), row)

    def _setting_id(self, setting: Setting) -> int:
        row = (
            setting.game,
            setting.version,
            setting.num_seats,
            json.dumps(setting.config),
            json.dumps(setting.control),
        )
        return self._id_of("setting", ("game", "version", "num_seats", "config", "control"), row)

    def _player_id(self, entrant: Entrant) -> int:
        if entrant.identity is None:
            raise ValueError(
                f"results of {entrant.name} cannot be kept: nothing says what it is; "
                "a player in a store is a name, a checkpoint or FILE.py:FUNCTION"
            )
        known = self._id("player", ("identity",), (entrant.identity,))
        if known is not None:
            return known
        row = (entrant.identity, entrant.name, str(entrant.spec))
        return self._id_of("player", ("identity", "name", "spec"), row)

    def _id_of(self, table: str, columns: tuple[str, ...], row: tuple[Any, ...]) -> int:
        """The row with these values, made where there is none."""
        known = self._id(table, columns, row)
        if known is not None:
            return known
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        self._database.execute(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})", row)
        made = self._id(table, columns, row)
        assert made is not None
        return made

    def _id(self, table: str, columns: tuple[str, ...], row: tuple[Any, ...]) -> int | None:
        where = " AND ".join(f"{column} = ?" for column in columns)
        found = self._database.execute(f"SELECT id FROM {table} WHERE {where}", row).fetchone()
        return None if found is None else int(found[0])
