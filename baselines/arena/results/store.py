"""The store: every batch of results on disk as soon as it is played, in one SQLite file.

A result is kept under everything it depends on: Parlour, the game with its version and settings,
the players (see `identity`), the seating, the control and the deals. A killed run continues where
it stopped, and tournaments reuse each other's results.
"""

import contextlib
import json
import logging
import os
import platform
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .... import __version__
from ....envs.core.game import Game
from ....envs.core.rng import SEED_LIMIT
from ..play.batches import Control, DealBatch, Fault, Match, Outcomes
from ..play.entrants import Entrant
from ..play.seatings import SEATINGS
from .chain import breaks, head, seal
from .identity import SEPARATOR, UNKNOWN

FORMAT = 3
AS_OF = " (as of "  # between the name of a player's version and the time when it was entered
_logger = logging.getLogger("parlour.store")
_APPLICATION = 0x5041524C  # "PARL": distinguishes a store from other SQLite files
_CONNECTION: dict[str, Any] = {
    "timeout": 120.0,  # seconds to wait while another run writes
    "isolation_level": None,
    "check_same_thread": False,
}

_SCHEMA = """
CREATE TABLE IF NOT EXISTS setting (  -- what is played, and how players are held to time
    id INTEGER PRIMARY KEY,
    game TEXT, version INTEGER, num_seats INTEGER, config TEXT, control TEXT,
    UNIQUE (game, version, num_seats, config, control));
CREATE TABLE IF NOT EXISTS player (
    id INTEGER PRIMARY KEY, identity TEXT UNIQUE, name TEXT, spec TEXT, entered TEXT);
CREATE TABLE IF NOT EXISTS match (  -- players: their ids in the order of the seating
    id INTEGER PRIMARY KEY, setting INTEGER, seating TEXT, players TEXT,
    UNIQUE (setting, seating, players));
CREATE TABLE IF NOT EXISTS batch (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    match INTEGER, first_seed INTEGER, num_deals INTEGER,
    returns BLOB, faults TEXT,  -- float64 [deals, sittings, seats], zlib
    environment TEXT, digest TEXT,  -- where it was played; of this row and all before it
    UNIQUE (match, first_seed, num_deals));
"""
_ERROR = 1e-9  # of a return, by rounding
_COLUMNS = "match, first_seed, num_deals, returns, faults, environment"
_SIX = "(?, ?, ?, ?, ?, ?)"
_IS = "WHERE match = ? AND first_seed = ? AND num_deals = ?"
_OF_DEALS = "match = ? AND first_seed <= ? AND first_seed + num_deals > ?"  # last seed, first


# What people read in place of SQLite's words.
_CAUSES = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_BUSY: "another program keeps it locked",
    sqlite3.SQLITE_NOTADB: "it is not a store of results",
    sqlite3.SQLITE_IOERR: "reading or writing failed: is the disk full?",
    sqlite3.SQLITE_READONLY: "it cannot be written to",
}


class StoreError(ValueError):
    """A store cannot keep a result, or has one that cannot be; the message names it."""


def cause_of(error: sqlite3.Error) -> str:
    """Return why a store cannot be used, for people."""
    code = getattr(error, "sqlite_errorcode", None)  # Python's own errors have none
    return str(error) if code is None else _CAUSES.get(code & 0xFF, str(error))


def store_files(path: Path | str) -> list[str]:
    """Return the files of a store: the database, and those that SQLite writes beside it."""
    return [f"{path}{suffix}" for suffix in ("", "-wal", "-shm", "-journal")]


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open an SQLite file for reading only, also where its folder cannot be written to.

    Raises ValueError where what a killed run left beside the file cannot be read there.
    """
    path = path.resolve()
    log = Path(f"{path}-wal")
    has_log = log.exists() and log.stat().st_size > 0
    # Without a log, SQLite would make one. With `immutable` it would ignore the results in a log.
    address = f"{path.as_uri()}?mode=ro{'' if has_log else '&immutable=1'}"
    database = sqlite3.connect(address, uri=True, **_CONNECTION)
    try:
        database.execute("PRAGMA schema_version")
    except sqlite3.OperationalError as error:
        database.close()
        if not has_log:
            raise
        raise ValueError(
            f"cannot read {path}: its last results are in {log.name}, which SQLite cannot use in a "
            "folder that it cannot write to; copy both files to a folder that you can write to"
        ) from error
    return database


class Setting(NamedTuple):
    """A game as it was played: results of different settings are never mixed."""

    game: str
    version: int
    num_seats: int
    config: dict[str, Any]
    control: dict[str, Any] | None

    @classmethod
    def of(cls, game: Game, control: Control | None) -> "Setting":
        """Return the setting of this game under this control."""
        limits = None if control is None else control.as_data()
        return cls(game.name, game.version, game.num_seats, game.config_dict(), limits)

    def as_row(self) -> dict[str, Any]:
        """Return the columns of its row in a store."""
        texts = {"config": json.dumps(self.config), "control": json.dumps(self.control)}
        return {**self._asdict(), **texts}


class Store(contextlib.AbstractContextManager["Store"]):
    """An SQLite file of results. Several runs may read and write it at the same time.

    Deals that two runs play at the same time are played twice, with equal results.

    With `to_read`, or where the file or its folder cannot be written to, it is opened for reading
    only. Raises ValueError where the file is not a store, or cannot be opened::

        >>> import parlour
        >>> from parlour.arena import Plan
        >>> game = parlour.load_game("president", num_players=2)
        >>> with parlour.Store(":memory:") as store:
        ...     plan = Plan(store=store)  # a second match would take its results from the store
        ...     result = parlour.play_match(game, "lowest", "random", num_deals=20, plan=plan)
    """

    def __init__(self, path: Path | str, to_read: bool = False) -> None:
        self.path = Path(path)
        self._told: set[str] = set()  # warnings, each logged once
        if self.path.is_dir():
            raise ValueError(f"{path} is a folder; name a file for the store")
        is_there = self.path.exists()
        can_write = all(os.access(p, os.W_OK) for p in (self.path, self.path.parent))
        is_written = not to_read and (can_write or not is_there)
        try:
            self._database = (
                sqlite3.connect(self.path, **_CONNECTION) if is_written else open_to_read(self.path)
            )
            self._database.row_factory = sqlite3.Row
            self._prepare(is_written)
        except sqlite3.Error as error:
            raise ValueError(f"cannot open the store {path}: {cause_of(error)}") from error

    def close(self) -> None:
        """Close the file; everything is on disk already."""
        self._database.close()

    def __exit__(self, *unused: object) -> None:
        self.close()

    def _prepare(self, is_written: bool) -> None:
        """Make the tables of a new store. Raises sqlite3.Error for a file that is no store."""
        run = self._database.execute
        if not run("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            if not is_written:
                raise sqlite3.DatabaseError("it is empty")
            run(f"PRAGMA application_id = {_APPLICATION}")  # into the file itself, not into its log
            run("PRAGMA journal_mode = WAL")
            with self._writing():
                for statement in _SCHEMA.split(";\n"):
                    run(statement)
                run(f"PRAGMA user_version = {FORMAT}")
        ((application,), (file_format,)) = (
            run(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version")
        )
        if application != _APPLICATION:
            raise sqlite3.DatabaseError(_CAUSES[sqlite3.SQLITE_NOTADB])
        if file_format != FORMAT:
            raise sqlite3.DatabaseError(
                f"it has format {file_format}, and this version of Parlour reads format {FORMAT}: "
                "play into a new file"
            )

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Keep what is written within this context as a whole, or nothing of it."""
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            yield

    def add(self, batch: DealBatch, outcomes: Outcomes) -> None:
        """Keep the results of a batch: all of them, or none where the run is killed meanwhile.

        Results that are there already, such as damaged ones, are replaced; their digest stays.
        Raises StoreError for a return outside -1 .. 1.
        """
        self._check_returns("a new batch", batch.game.name, batch.first_seed, outcomes.returns)
        faults = json.dumps([list(fault) for fault in outcomes.faults])
        packed = zlib.compress(np.ascontiguousarray(outcomes.returns, dtype="<f8").tobytes())
        with self._writing():
            match = self._match_id(Setting.of(batch.game, batch.control), batch.match, inserts=True)
            key, run = (match, batch.first_seed, batch.num_deals), self._database.execute
            kept = run(f"UPDATE batch SET returns = ?, faults = ? {_IS}", (packed, faults, *key))
            if not kept.rowcount:
                row = (*key, packed, faults, environment())
                new = run(f"INSERT INTO batch ({_COLUMNS}) VALUES {_SIX}", row)
                seal(self._database, new.lastrowid)

    def enter(self, setting: Setting, match: Match) -> None:
        """Make a place for results. Raises StoreError where a player's cannot be kept."""
        with self._writing():
            self._match_id(setting, match, inserts=True)

    def read(
        self, setting: Setting, match: Match, seeds: Sequence[int] = range(SEED_LIMIT)
    ) -> Iterator[tuple[int, Outcomes]]:
        """Yield (first seed, outcomes) of each batch of a match within these deals, ascending.

        Raises StoreError for a return outside -1 .. 1.
        """
        sittings, seats = match.games_a_deal(setting.num_seats), setting.num_seats
        rows = self._database.execute(
            "SELECT id, first_seed, num_deals, returns, faults FROM batch "
            f"WHERE {_OF_DEALS} ORDER BY first_seed, num_deals",
            (self._match_id(setting, match), seeds[-1], seeds[0]),
        )
        for row, first_seed, num_deals, packed, faults in rows.fetchall():
            try:
                returns = np.frombuffer(zlib.decompress(packed), "<f8")
                outcomes = Outcomes(
                    returns.reshape(num_deals, sittings, seats),
                    tuple(Fault(*fault) for fault in json.loads(faults)),
                )
            except (zlib.error, ValueError, TypeError, RecursionError):
                self._warn_of_damage(match, first_seed, num_deals)
                continue
            place = f"row {row} of its batches"
            self._check_returns(place, setting.game, first_seed, outcomes.returns)
            yield first_seed, outcomes

    def _check_returns(self, place: str, game: str, first_seed: int, returns: np.ndarray) -> None:
        is_return = np.abs(returns) <= 1 + _ERROR  # NaN is none
        if not is_return.all():
            deal, sitting, seat = np.argwhere(~is_return)[0]
            raise StoreError(
                f"{self.path}: {place} has a return of {returns[deal, sitting, seat]:g}, which is "
                f"not in -1 .. 1: {game}, deal {first_seed + deal}, sitting {sitting}, seat {seat}"
            )

    def head(self) -> str:
        """Return the digest of all results, which reveals any later change."""
        return head(self._database)

    def breaks(self) -> list[str]:
        """Return a line for each batch that is not as it was when it was added."""
        return breaks(self._database)

    def _warn_of_damage(self, match: Match, first_seed: int, num_deals: int) -> None:
        names = " v ".join(entrant.name for entrant in match.entrants)
        deals = f"deals {first_seed} to {first_seed + num_deals - 1}"
        line = f"{self.path}: the results of {deals} of {names} are damaged and left out"
        if line not in self._told:
            self._told.add(line)
            _logger.warning(line)

    def settings(self) -> list[Setting]:
        """Return all settings, including those without results yet."""
        kinds = {"config": dict, "control": dict | None}
        rows = self._database.execute("SELECT * FROM setting ORDER BY game, id")
        return [
            Setting(
                **{name: row[name] for name in ("game", "version", "num_seats")},
                **{name: self._read_json(row[name], kind) for name, kind in kinds.items()},
            )
            for row in rows
        ]

    def matches(self, setting: Setting) -> list[Match]:
        """Return the matches of a game with results."""
        rows = self._database.execute(
            "SELECT seating, players FROM match WHERE setting = ? "
            "AND id IN (SELECT match FROM batch) ORDER BY id",
            (self._id("setting", setting.as_row(), inserts=False),),
        )
        entrants = self._players()
        return [self._match(entrants, seating, players) for seating, players in rows.fetchall()]

    def _match(self, entrants: dict[int, Entrant], seating: str, players: str) -> Match:
        numbers = self._read_json(players, list)
        is_known = [isinstance(number, int) and number in entrants for number in numbers]
        if seating not in SEATINGS or not is_known or not all(is_known):
            raise ValueError(f"{self.path} is damaged: players {players:.60} in {seating!r:.60}")
        return Match(tuple(entrants[number] for number in numbers), seating)

    def _read_json(self, text: Any, kind: Any) -> Any:
        """Return the data of a column. Raises ValueError where it is of another kind."""
        with contextlib.suppress(ValueError, TypeError, RecursionError):
            data = json.loads(text)
            if isinstance(data, kind):
                return data
        raise ValueError(f"{self.path} is damaged: it holds {text!r:.60}")

    def _players(self) -> dict[int, Entrant]:
        rows = self._database.execute("SELECT * FROM player").fetchall()
        names = _told_apart(rows)
        return {row["id"]: Entrant(names[row["id"]], row["spec"], row["identity"]) for row in rows}

    def _match_id(self, setting: Setting, match: Match, inserts: bool = False) -> int | None:
        """Return the id of a match; where it is missing None, or the id of a new row.

        Raises StoreError where the results of a new player cannot be kept.
        """
        players = []
        for entrant in match.entrants:
            kind, _, rest = entrant.identity.partition(SEPARATOR)
            if inserts and kind == UNKNOWN:
                reason = rest.partition(SEPARATOR)[2]
                raise StoreError(f"results of {entrant.name} cannot be kept: {reason}")
            others = {"name": entrant.name, "spec": str(entrant.spec)}
            others["entered"] = time.strftime("%Y-%m-%d %H:%M:%S")
            players.append(self._id("player", {"identity": entrant.identity}, inserts, others))
        number = self._id("setting", setting.as_row(), inserts)
        row = {"setting": number, "seating": match.seating, "players": json.dumps(players)}
        return self._id("match", row, inserts)

    def _id(
        self, table: str, key: Mapping[str, Any], inserts: bool, others: Mapping[str, Any] = {}
    ) -> int | None:
        """Return the id of the row with this key; insert the row first where that is allowed."""
        row = {**key, **others}
        if inserts:
            columns, values = ", ".join(row), ", ".join(f":{name}" for name in row)
            insert = f"INSERT INTO {table} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING"
            self._database.execute(insert, row)
        where = " AND ".join(f"{name} = :{name}" for name in key)
        stored = self._database.execute(f"SELECT * FROM {table} WHERE {where}", row).fetchone()
        return None if stored is None else stored["id"]


@cache
def environment() -> str:
    """Return what else results could depend on: Python, its libraries and the system."""
    libraries = [f"{name} {version(name)}" for name in ("numpy", "numba")]
    parts = [f"Parlour {__version__}", f"Python {platform.python_version()}", *libraries]
    return ", ".join([*parts, f"{platform.system()} {platform.machine()}"])


def _told_apart(rows: Sequence[sqlite3.Row]) -> dict[int, str]:
    """Return the players' names by id: those of one name have their text too, versions the time."""
    names = {row["id"]: row["name"] for row in rows}
    dated = f"{{spec}}{AS_OF}{{entered}}"
    for longer in ("{spec}", f"{dated})", f"{dated}, #{{id}})"):
        counts = Counter(names.values())
        names |= {row["id"]: longer.format(**row) for row in rows if counts[names[row["id"]]] > 1}
    return names
