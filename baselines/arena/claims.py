"""Claims: runs on one store divide the work by claiming batches before they play them.

A claim ends with its batch or with the run that made it; a killed run has no claims.
"""

import os
import socket
import sqlite3
import time
from functools import lru_cache
from pathlib import Path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS claim (  -- owner: host, process, and when that process was started
    contest INTEGER, first_seed INTEGER, num_deals INTEGER, owner TEXT, made REAL,
    PRIMARY KEY (contest, first_seed, num_deals))
"""
_ELSEWHERE_SECONDS = 3600.0  # validity of a claim whose process cannot be looked up


class Claims:
    """The claims in a store; call its methods inside a writing transaction."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.execute(_SCHEMA)

    def take(self, contest: int, first_seed: int, num_deals: int) -> bool:
        """Claim these deals for this run; return False where another run has claimed some."""
        rows = self._database.execute(
            "SELECT owner, made FROM claim WHERE contest = ? "
            "AND first_seed < ? AND first_seed + num_deals > ?",
            (contest, first_seed + num_deals, first_seed),
        )
        others = [row for row in rows.fetchall() if row[0] != _owner()]
        if any(_is_alive(owner, made) for owner, made in others):
            return False
        self._database.execute(
            "INSERT OR REPLACE INTO claim VALUES (?, ?, ?, ?, ?)",
            (contest, first_seed, num_deals, _owner(), time.time()),
        )
        return True

    def release(self, contest: int, first_seed: int, num_deals: int) -> None:
        """Give up a claim, if there is one."""
        self._database.execute(
            "DELETE FROM claim WHERE contest = ? AND first_seed = ? AND num_deals = ?",
            (contest, first_seed, num_deals),
        )


@lru_cache(maxsize=1)
def _owner() -> str:
    return f"{socket.gethostname()} {os.getpid()} {_start_of(os.getpid())}"


def _start_of(pid: int) -> str:
    """Return the start time of a process as the system writes it; "" where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return ""


def _is_alive(owner: str, made: float) -> bool:
    host, pid, start = owner.split(" ")
    if host != socket.gethostname() or os.name == "nt":  # there, os.kill(pid, 0) sends Ctrl-C
        return time.time() - made < _ELSEWHERE_SECONDS
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # a process of another user
    return _start_of(int(pid)) == start
