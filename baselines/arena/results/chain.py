"""A hash chain over the batches of a store: every digest covers a row and the digest before it.

It shows what was changed, removed or reordered by accident or without computing the chain anew.
Whoever can write the file can also do that; who has published the last digest cannot.
"""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterator
from typing import NamedTuple

_ROWS = (
    "SELECT batch.*, setting.game, version, num_seats, config, control, seating, players "
    "FROM batch LEFT JOIN match ON match.id = batch.match "
    "LEFT JOIN setting ON setting.id = match.setting WHERE batch.id >= ? ORDER BY batch.id"
)
_NOT_COVERED = ("match", "digest", "returns", "players")  # or in another form


class _Link(NamedTuple):
    id: int
    deals: str
    digest: str  # as stored
    content: str  # all that it covers, without the digest before it


def seal(database: sqlite3.Connection, new: int | None) -> None:
    """Store the digest of the batch that was just added."""
    (link,) = _links(database, new or 0)
    before = database.execute(
        "SELECT digest FROM batch WHERE id < ? ORDER BY id DESC LIMIT 1", (link.id,)
    ).fetchone()
    digest = _digest(before[0] if before else "", link.content)
    database.execute("UPDATE batch SET digest = ? WHERE id = ?", (digest, link.id))


def head(database: sqlite3.Connection) -> str:
    """Return the last digest, "" without results."""
    row = database.execute("SELECT digest FROM batch ORDER BY id DESC LIMIT 1").fetchone()
    return row[0] if row else ""


def breaks(database: sqlite3.Connection) -> list[str]:
    """Return a line for each batch that is changed, moved, or where one is missing."""
    lines, number, digest = [], 0, ""
    for link in _links(database):
        if link.id != number + 1:
            lines.append(f"batches {number + 1} to {link.id - 1} are missing")
        elif _digest(digest, link.content) != link.digest:
            lines.append(f"batch {link.id} ({link.deals}) is not as it was added")
        number, digest = link.id, link.digest
    added = database.execute("SELECT max(seq) FROM sqlite_sequence").fetchone()[0] or 0
    if added > number:
        lines.append(f"batches {number + 1} to {added} are missing")
    return lines


def _links(database: sqlite3.Connection, first: int = 0) -> Iterator[_Link]:
    """Read the batches from number `first` on."""
    names = dict(database.execute("SELECT id, identity FROM player").fetchall())
    for row in database.execute(_ROWS, (first,)):
        content = {key: row[key] for key in dict(row) if key not in _NOT_COVERED}
        try:
            content["players"] = [names.get(player) for player in json.loads(row["players"])]
            returns = zlib.decompress(row["returns"])
        except (ValueError, TypeError, zlib.error):
            returns = b""
        content["returns"] = hashlib.sha256(returns).hexdigest()
        deals = f"deals from {row['first_seed']}, {row['num_deals']} of {row['game']}"
        yield _Link(row["id"], deals, row["digest"], json.dumps(content, sort_keys=True))


def _digest(before: str, content: str) -> str:
    return hashlib.sha256(f"{before}\n{content}".encode()).hexdigest()
