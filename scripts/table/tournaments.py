"""The page of results: of a tournament while it runs, from its store, or a league's ladders."""

import os
import threading
import time
from pathlib import Path
from typing import Any

from ...baselines.arena import Standings, Store
from ...baselines.arena.play.batches import Match
from ...baselines.arena.play.tournament import rate_store
from ...baselines.arena.results.league_pages import recorded, time_text
from ...baselines.arena.results.store import Setting, store_files
from ...baselines.statistics.result_data import finite
from ...baselines.statistics.result_words import words_of
from ..words import player_label
from .protocol import title

MAX_POINTS = 240  # of the curve of a rating
_REST = 3.0  # pause before the next rating, as a multiple of the time of the last one


class RunningResults:
    """A store's ratings, made again when the store has changed; it keeps how they moved."""

    def __init__(self, path: Path, is_trusted: bool = False) -> None:
        """Raise ValueError where the file is no store; for `is_trusted` see `arena_game`."""
        self.path, self.is_trusted = path, is_trusted
        with Store(path):
            pass
        self._lock = threading.Lock()
        self._is_asked = threading.Event()
        self._stamp: tuple[Any, ...] = ()
        self._next_time = 0.0
        self._data: dict[str, Any] = {"tables": []}
        self._curves: dict[str, list[dict[str, Any]]] = {}

    def data(self) -> dict[str, Any]:
        """Return the ratings as plain data, an estimate as [mean, low, high]."""
        with self._lock:
            stamp = _stamp(self.path)
            if stamp != self._stamp and time.monotonic() >= self._next_time:
                started = time.monotonic()
                self._rate()
                self._stamp = stamp
                self._next_time = time.monotonic() + _REST * (time.monotonic() - started)
            if stamp == self._stamp:
                self._is_asked.set()
            return {**self._data, "name": self.path.name, "idle": _idle_seconds(stamp)}

    def wait_until_asked(self, seconds: float) -> None:
        """Wait until somebody has been given the present results, for `seconds` at most."""
        self._is_asked.clear()
        self._is_asked.wait(seconds)

    def _rate(self) -> None:
        with Store(self.path) as store:
            tables = rate_store(store)
            matches = [(setting, c) for setting in store.settings() for c in store.matches(setting)]
            meetings = [
                _meeting(number, tables, store, setting, match)
                for number, (setting, match) in enumerate(matches, start=1)
            ]
        self._data = finite({"tables": [self._table(t) for t in tables], "meetings": meetings})

    def _table(self, table: Standings) -> dict[str, Any]:
        key = f"{table.game} {table.config} {table.control}"
        curve = self._curves.setdefault(key, [])
        point = {
            "games": table.num_games,
            "elo": {player_label(r.player): r.elo.mean for r in table.rows},
        }
        if not curve or curve[-1] != point:
            curve.append(point)
        if len(curve) > MAX_POINTS:
            del curve[1:-1:2]
        return {
            "title": title(table.game),
            "settings": table.config,
            "num_games": table.num_games,
            "rows": [_row(row) for row in table.rows],
            "words": words_of(table.num_seats)._asdict(),
            "cross": [[None if e is None else list(e) for e in row] for row in table.cross],
            "curve": list(curve),
        }


class Ladders:
    """The ladders in the folder of `parlour league`, read anew at each request."""

    is_trusted = False

    def __init__(self, path: Path) -> None:
        """Raise ValueError where the folder has no ladders."""
        self.path = path
        try:
            has_ladders = bool(recorded(path))
        except (OSError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from error
        if not has_ladders:
            raise ValueError(f"{path} has no ladders: parlour league --out FOLDER writes them")

    def data(self) -> dict[str, Any]:
        """Return the ladders as plain data, an estimate as [mean, low, high]."""
        tables = [
            {
                "title": f"{title(name)}, {league['seats']} seats",
                "settings": {},
                "num_games": league["num_games"],
                "ladder": [
                    {
                        **rung,
                        "player": player_label(rung["player"]),
                        "exploiter": player_label(rung["exploiter"] or ""),
                        "time": time_text(rung["seconds"]),
                    }
                    for rung in league["ladder"]
                ],
            }
            for name, leagues in recorded(self.path).items()
            for league in leagues
        ]
        newest = max(file.stat().st_mtime_ns for file in self.path.glob("*.json"))
        idle = _idle_seconds((("", 0, newest),))
        return {"tables": tables, "meetings": [], "name": self.path.name, "idle": idle}


def _meeting(
    number: int,
    tables: list[Standings],
    store: Store,
    setting: Setting,
    match: Match,
) -> dict[str, Any]:
    """Who met at which of the tables, and which of their games can be looked at."""
    read = store.read(setting, match)
    batches = [(first, *outcomes.returns.shape[:2]) for first, outcomes in read]
    place = (setting.game, setting.config, setting.control)
    places = (index for index, t in enumerate(tables) if (t.game, t.config, t.control) == place)
    return {
        "number": number,
        "table": next(places, None),
        "players": [player_label(entrant.name) for entrant in match.entrants],
        "deals": sum(num_deals for _, num_deals, _ in batches),
        "first": min((first for first, *_ in batches), default=0),
        "newest": max((first + num_deals - 1 for first, num_deals, _ in batches), default=0),
        "sittings": max((num_sittings for *_, num_sittings in batches), default=0),
    }


def _row(row: Any) -> dict[str, Any]:
    return {
        "player": player_label(row.player),
        "elo": list(row.elo),
        "games": row.games,
        "won": row.wins,
        "drawn": row.draws,
        "lost": row.losses,
        "mean_return": list(row.mean_return),
    }


def _stamp(path: Path) -> tuple[Any, ...]:
    """Return sizes and times of the store's files: they change with every batch."""
    stamps = []
    for name in store_files(path):
        try:
            about = os.stat(name)
        except OSError:
            continue
        stamps.append((name, about.st_size, about.st_mtime_ns))
    return tuple(stamps)


def _idle_seconds(stamp: tuple[Any, ...]) -> float:
    """Return how long ago the store changed."""
    newest = max((changed for _, _, changed in stamp), default=0)
    return max(0.0, round(time.time() - newest / 1e9, 1))
