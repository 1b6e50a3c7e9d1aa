"""Tables on disk: setups, tokens and actions, which survive a restart of the server."""

import dataclasses
import json
import logging
import os
import sqlite3
import time
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from .table import GameTable, Setup, setup_from

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

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
"""
_DIGESTS = "digests"  # beside the fields of a setup: of the players' files


class Damaged(ValueError):
    """A row that is no table."""


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


class TableStore:
    """The SQLite file of a server. Only this user may read it, because it contains the tokens."""

    def __init__(self, path: str | Path, is_trusted: bool = True, address: str = "") -> None:
        """Open or make the file, for a server at `address`.

        Unless it `is_trusted`, only players' files added since may run.

        Raises ValueError where the file cannot be opened, or a server has it. One of another kind
        stays as it is.
        """
        self._is_trusted = is_trusted
        self._added: set[str] = set()  # ids of tables, by this process
        try:
            self._connection = _opened(path)
            self._connection.executescript(_SCHEMA)
            # Last: nothing is written beside another's file.
            self._lock = _lock(path, address) if address else None
        except (OSError, sqlite3.Error) as error:
            raise ValueError(f"{path} cannot keep tables: {error}") from error

    def add(self, id: str, setup: Setup, version: int, tokens: tuple[str, ...]) -> None:
        """Keep a new table."""
        row = (id, _as_text(setup), version, json.dumps(tokens), time.time())
        self._added.add(id)
        with self._connection as kept:  # all of it or nothing
            kept.execute("BEGIN")
            kept.execute("INSERT INTO tables VALUES (?, ?, ?, ?, '[]', '[]', 0, ?)", row)
            kept.executemany("INSERT INTO tokens VALUES (?, ?)", [(token, id) for token in tokens])

    def keep(self, id: str, table: GameTable, is_other_setup: bool) -> None:
        """Keep what has happened at a table."""
        actions, undone = json.dumps(table.actions), json.dumps(table.undone)
        with self._connection as kept:
            kept.execute("BEGIN")
            kept.execute(
                "UPDATE tables SET actions = ?, undone = ?, is_over = ?, changed = ? WHERE id = ?",
                (actions, undone, int(table.is_over), time.time(), id),
            )
            if is_other_setup:
                data = _as_text(table.setup)
                kept.execute("UPDATE tables SET setup = ? WHERE id = ?", (data, id))

    def table_id(self, token: str) -> str | None:
        """Return the table that a token belongs to, or None."""
        row = self._connection.execute(
            "SELECT table_id FROM tokens WHERE token = ?", (token,)
        ).fetchone()
        return None if row is None else row[0]

    def load(self, id: str) -> StoredTable | None:
        """Return a table, or None where there is none. Raises Damaged."""
        row = self._connection.execute("SELECT * FROM tables WHERE id = ?", (id,)).fetchone()
        return None if row is None else _stored(row)

    def recent(self, limit: int) -> list[StoredTable]:
        """Return the tables that changed last; damaged ones are left out, with a warning."""
        rows = self._connection.execute(
            "SELECT * FROM tables ORDER BY changed DESC LIMIT ?", (limit,)
        )
        tables = []
        for row in rows:
            try:
                tables.append(_stored(row))
            except Damaged as error:
                _logger.warning("%s; it is left out", error)
        return tables

    def trusts(self, id: str) -> bool:
        """Return whether the players' files of a table may run."""
        return self._is_trusted or id in self._added

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()


def _stored(row: tuple[Any, ...]) -> StoredTable:
    id, setup, version, tokens, actions, undone, is_over, changed = row
    try:
        data, digests = _parted(setup)
        made = setup_from(data)
        tokens = json.loads(tokens)
        if not isinstance(tokens, list) or len(tokens) != len(made.seats) + 1:
            raise ValueError("it should have a token for each seat, and one for spectators")
        return StoredTable(
            id,
            made,
            version,
            tuple(map(str, tokens)),
            _actions(json.loads(actions)),
            _actions(json.loads(undone)),
            bool(is_over),
            changed,
            digests,
        )
    except (KeyError, ValueError, TypeError, RecursionError) as error:
        raise Damaged(f"table {id} of this store is damaged: {error}") from error


def _actions(data: Any) -> list[int]:
    if not isinstance(data, list) or not all(type(action) is int for action in data):
        raise ValueError(f"actions should be whole numbers, not {data!r:.60}")
    return data


def _parted(text: str) -> tuple[Any, dict[str, str]]:
    """Return a setup as data, and the digests beside it; the inverse of `_as_text`."""
    data = json.loads(text)
    digests = data.pop(_DIGESTS, {}) if isinstance(data, dict) else {}
    if not isinstance(digests, dict):
        raise ValueError(f"digests are an object, not {digests!r:.60}")
    return data, digests


def _as_text(setup: Setup) -> str:
    return json.dumps({**dataclasses.asdict(setup), _DIGESTS: setup.file_digests()})


def _lock(path: str | Path, address: str) -> TextIO:
    """Keep other servers from a store for as long as this process lives. Raises ValueError."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    file = Path(f"{path}.server").open("a+")  # noqa: SIM115 - open for as long as the store is
    try:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        with file:
            file.seek(0)
            raise ValueError(f"the server at {file.read()} keeps its tables in {path}") from None
    file.truncate(0)
    file.write(address)
    file.flush()
    return file


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
