"""Tables of an agent's own, at a server in this process that it reaches as any program does."""

import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ...envs import find_game
from ..table.serving import BackgroundServer
from ..table.table import MAX_NAME, PLAYER, REMOTE
from .seat import TableSeat

DEFAULT_PLAYER = "random"
LOCAL_WAIT_SECONDS = 3600.0  # players have limits of their own, and the server is at hand
_without_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class LocalTables:
    """A server that opens tables for an agent.

    Methods raise ValueError and TypeError for a wrong request.
    """

    def __init__(self, thinking_limit: float) -> None:
        """Start nothing yet; the limit is that of the players."""
        self._limit = thinking_limit

    @cached_property
    def server(self) -> BackgroundServer:
        """The server, from the first table on."""
        return BackgroundServer(thinking_limit=self._limit)

    def open(self, table: dict[str, Any], seat: int, judges: bool = True) -> TableSeat:
        """Open a table (see `table_of`), and take a seat at it."""
        return self._taken(self.ask("/api/tables", table)["tokens"][seat], judges)

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

    def _taken(self, token: str, judges: bool = True) -> TableSeat:
        return TableSeat(f"{self.server.address}/#seat={token}", judges, LOCAL_WAIT_SECONDS)


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["error"])
    except ValueError:  # the server itself has failed, and says so in plain text
        return str(error)


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
