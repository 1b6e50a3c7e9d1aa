"""Tables and matches on disk: setups, tokens and actions, which survive a restart of the server."""

import contextlib
import dataclasses
import json
import logging
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from .matches import MatchPlan, plan_from
from .protocol import CHANGED, REPLACED
from .table import GameTable, Setup, setup_from

_logger = logging.getLogger("parlour.store")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS tables (
    id TEXT PRIMARY KEY,
    setup TEXT NOT NULL,     -- JSON: see Setup
    version INTEGER NOT NULL,  -- of the game's rules
    tokens TEXT NOT NULL,    -- JSON: a token for each seat, then that of the spectators
    actions TEXT NOT NULL,   -- JSON: numbers
    undone TEXT NOT NULL,    -- JSON: numbers
    is_over INTEGER NOT NULL,
    changed REAL NOT NULL    -- Unix time
);
CREATE TABLE IF NOT EXISTS tokens (token TEXT PRIMARY KEY, table_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS matches (
    id TEXT PRIMARY KEY,
    token TEXT UNIQUE NOT NULL,  -- of the agent, for all games
    plan TEXT NOT NULL,  -- JSON: see MatchPlan
    returns TEXT NOT NULL,  -- JSON: those of all seats, game by game; null: it does not count
    changed REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS replaced (table_id TEXT PRIMARY KEY);  -- where a player gave no move
"""
_DIGESTS = "digests"  # beside the fields of a setup or plan: of the players' files
_OF_A_MATCH = "match-"  # how the ids of its tables begin


class Damaged(ValueError):
    """A row that is no table or match."""


class StoredTable(NamedTuple):
    """A row: all that a table is made of."""

    id: str
    setup: Setup
    version: int
    tokens: tuple[str, ...]
    actions: list[int]
    undone: list[int]
    is_over: bool
    changed: float
    digests: dict[str, str]  # of the players' files when the table was opened, by path


class StoredMatch(NamedTuple):
    """An agent's match: its plan, and the returns of the games that are over."""

    id: str
    token: str
    plan: MatchPlan
    returns: list[list[float] | None]  # None where a player's move was replaced
    digests: dict[str, str]  # as of a table

    @property
    def table_id(self) -> str:
        """The id of the table of the next game."""
        return f"{_OF_A_MATCH}{self.id}-{len(self.returns)}"

    @property
    def is_over(self) -> bool:
        """Whether all games have been played."""
        return len(self.returns) == len(self.plan.games)


class TableStore:
    """The SQLite file of a server. Only this user may read it, because it contains the tokens."""

    def __init__(self, path: str | Path, is_trusted: bool = True) -> None:
        """Open or make the file. Unless it `is_trusted`, only players' files added since may run.

        Raises ValueError where the file cannot be opened. One of another kind stays as it is.
        """
        self._is_trusted = is_trusted
        self._added: set[str] = set()  # ids of tables and matches, by this process
        try:
            self._connection = _opened(path)
            self._connection.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise ValueError(f"{path} cannot keep tables: {error}") from error

    def add(self, id: str, setup: Setup, version: int, tokens: tuple[str, ...]) -> None:
        """Keep a new table."""
        row = (id, _as_text(setup, setup), version, json.dumps(tokens), time.time())
        self._added.add(id)
        with self._connection as kept:  # all of it or nothing
            kept.execute("BEGIN")
            kept.execute("INSERT INTO tables VALUES (?, ?, ?, ?, '[]', '[]', 0, ?)", row)
            kept.executemany("INSERT INTO tokens VALUES (?, ?)", [(token, id) for token in tokens])

    def keep(self, id: str, table: GameTable, event: str) -> None:
        """Keep what has happened at a table; see `GameTable.tell`."""
        if event == REPLACED:
            self._connection.execute("INSERT OR IGNORE INTO replaced VALUES (?)", (id,))
            return
        if event == CHANGED:
            data = _as_text(table.setup, table.setup)
            self._connection.execute("UPDATE tables SET setup = ? WHERE id = ?", (data, id))
        actions, undone = json.dumps(table.actions), json.dumps(table.undone)
        self._connection.execute(
            "UPDATE tables SET actions = ?, undone = ?, is_over = ?, changed = ? WHERE id = ?",
            (actions, undone, int(table.is_over), time.time(), id),
        )

    def table_id(self, token: str) -> str | None:
        """Return the table that a token belongs to, or None."""
        found = self._connection.execute(
            "SELECT table_id FROM tokens WHERE token = ?", (token,)
        ).fetchone()
        return None if found is None else found[0]

    def load(self, id: str) -> StoredTable | None:
        """Return a table, or None where there is none. Raises Damaged."""
        row = self._connection.execute("SELECT * FROM tables WHERE id = ?", (id,)).fetchone()
        return None if row is None else _stored(row)

    def recent(self, limit: int) -> list[StoredTable]:
        """Return the tables that changed last, except those of matches.

        Damaged ones are left out, with a warning.
        """
        rows = self._connection.execute(
            "SELECT * FROM tables WHERE id NOT LIKE ? ORDER BY changed DESC LIMIT ?",
            (f"{_OF_A_MATCH}%", limit),
        )
        found = []
        for row in rows:
            try:
                found.append(_stored(row))
            except Damaged as error:
                _logger.warning("%s; it is left out", error)
        return found

    def add_match(self, id: str, token: str, plan: MatchPlan) -> None:
        """Keep a new match."""
        row = (id, token, _as_text(plan, plan.setup(0)), "[]", time.time())
        self._added.add(id)
        self._connection.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?)", row)

    def match(self, *, id: str = "", token: str = "") -> StoredMatch | None:
        """Return the match with this id or token, or None. Raises Damaged."""
        row = self._connection.execute(
            "SELECT id, token, plan, returns FROM matches WHERE id = ? OR token = ?", (id, token)
        ).fetchone()
        if row is None:
            return None
        with _telling(f"match {row[0]}"):
            data, digests = _parted(row[2])
            return StoredMatch(row[0], row[1], plan_from(data), json.loads(row[3]), digests)

    def trusts(self, id: str) -> bool:
        """Return whether the players' files of a table or match may run."""
        return self._is_trusted or id in self._added

    def update_match(self, match: StoredMatch) -> None:
        """Keep the returns of a match."""
        self._connection.execute(
            "UPDATE matches SET returns = ?, changed = ? WHERE id = ?",
            (json.dumps(match.returns), time.time(), match.id),
        )

    def is_replaced(self, id: str) -> bool:
        """Return whether a random move was played at a table."""
        found = self._connection.execute("SELECT 1 FROM replaced WHERE table_id = ?", (id,))
        return found.fetchone() is not None

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def _stored(row: tuple[Any, ...]) -> StoredTable:
    id, setup, version, tokens, actions, undone, is_over, changed = row
    with _telling(f"table {id}"):
        data, digests = _parted(setup)
        return StoredTable(
            id,
            setup_from(data),
            version,
            tuple(json.loads(tokens)),
            _actions(json.loads(actions)),
            _actions(json.loads(undone)),
            bool(is_over),
            changed,
            digests,
        )


@contextlib.contextmanager
def _telling(what: str) -> Iterator[None]:
    """Turn errors of a damaged row into one that names it."""
    try:
        yield
    except (ValueError, TypeError, RecursionError) as error:
        raise Damaged(f"{what} of this store is damaged: {error}") from error


def _actions(data: Any) -> list[int]:
    if not isinstance(data, list) or not all(type(action) is int for action in data):
        raise ValueError(f"actions should be whole numbers, not {data!r:.60}")
    return data


def _parted(text: str) -> tuple[Any, dict[str, str]]:
    """Return a setup or plan as data, and the digests beside it; the inverse of `_as_text`."""
    data = json.loads(text)
    digests = data.pop(_DIGESTS, {}) if isinstance(data, dict) else {}
    if not isinstance(digests, dict):
        raise ValueError(f"digests are an object, not {digests!r:.60}")
    return data, digests


def _as_text(kept: Setup | MatchPlan, setup: Setup) -> str:
    return json.dumps({**dataclasses.asdict(kept), _DIGESTS: setup.file_digests()})


def _opened(path: str | Path) -> sqlite3.Connection:
    is_file = str(path) != ":memory:"
    if is_file:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).touch(mode=0o600)
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    if names and "tokens" not in names:
        raise sqlite3.DatabaseError("it is a database of another kind")
    if is_file:
        os.chmod(path, 0o600)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection
