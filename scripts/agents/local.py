"""Tables of an agent's own, at a server in this process that it reaches as any program does."""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from typing import Any

from ...envs import find_game
from ..table.serving import BackgroundServer
from ..table.table import MAX_NAME, PLAYER, REMOTE
from .seat import TableSeat

DEFAULT_PLAYER = "random"
WAIT_SECONDS = 3600.0  # players have limits of their own, and the server is at hand
_without_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class LocalTables:
    """A server that opens tables and matches for an agent.

    Methods raise ValueError and TypeError for a wrong request.
    """

    def __init__(self, thinking_limit: float) -> None:
        """Start the server; the limit is that of the players."""
        self.server = BackgroundServer(thinking_limit=thinking_limit)

    def open(self, table: dict[str, Any], seat: int, judges: bool = True) -> "LocalGame":
        """Open a table (see `table_of`), and take a seat at it."""
        token = self.ask("/api/tables", table)["tokens"][seat]
        return LocalGame(self._link(token), judges, WAIT_SECONDS)

    def open_match(
        self, game: str, settings: dict[str, Any], opponent: str, num_deals: int
    ) -> "LocalMatch":
        """Open a duplicate match, and take the agent's seat in its first game."""
        match = {"game": game, "settings": settings, "agent": "agent", "opponent": opponent}
        opened = self.ask("/api/matches", {**match, "deals": num_deals})
        return LocalMatch(self, opened["id"], self._link(opened["token"]))

    def ask(self, path: str, data: dict[str, Any] | None = None) -> Any:
        """Return the answer to a request of the server's owner."""
        request = urllib.request.Request(
            self.server.address + path,
            None if data is None else json.dumps(data).encode(),
            {"Authorization": f"Bearer {self.server.key}"},
        )
        try:
            with _without_proxy.open(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise ValueError(_reason(error)) from error

    def _link(self, token: str) -> str:
        return f"{self.server.address}/#seat={token}"


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["error"])
    except ValueError:  # the server itself has failed, and says so in plain text
        return str(error)


class LocalGame(TableSeat):
    """A seat in a game that stands alone."""

    def next_game(self) -> dict[str, Any]:
        """Raise ValueError: only a match has further games."""
        raise ValueError("this game stands alone: call start or start_match for another")

    def result(self) -> dict[str, Any]:
        """Return the returns of all seats, and what each choice lost. Only after the end."""
        result, choices = super().result(), self.review()
        mean_regret = sum(row["regret"] for row in choices) / max(1, len(choices))
        return {**result, "choices": choices, "mean_regret": mean_regret}


class LocalMatch(TableSeat):
    """A seat in a duplicate match: game after game, each from a given seat.

    The order hides which games share a deal, and no game is judged before the end.
    """

    def __init__(self, tables: LocalTables, id: str, link: str) -> None:
        """Take the seat of the first game."""
        self._tables, self._id = tables, id
        super().__init__(link, wait=WAIT_SECONDS)

    def result(self) -> dict[str, Any]:
        """Return the result of the match, with intervals, over all deals that are complete."""
        found: dict[str, Any] = self._tables.ask(f"/api/matches/{self._id}")
        return found


def table_of(
    game: str, players: Sequence[str], settings: dict[str, Any], seat: int
) -> dict[str, Any]:
    """Return the request for a table at which one player takes all other seats, or one for each.

    Raises ValueError and TypeError.
    """
    num_seats = find_game(game, **settings).num_seats
    names = list(players) or [DEFAULT_PLAYER]
    names = names * (num_seats - 1) if len(names) == 1 else names
    if len(names) != num_seats - 1:
        raise ValueError(f"name {num_seats - 1} players, or one for all; got {len(names)}")
    if not 0 <= seat < num_seats:
        raise ValueError(f"seat is in 0 .. {num_seats - 1}, not {seat}")
    seats = [{"kind": PLAYER, "name": name[:MAX_NAME], "player": name} for name in names]
    seats.insert(seat, {"kind": REMOTE, "name": "agent"})
    return {"game": game, "settings": settings, "seats": seats}
