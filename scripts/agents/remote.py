"""An agent's seat at a table of a running server, taken with the link of that seat.

It offers the same calls as a seat at a table of its own, waits for the others for a while, and
connects again where the server was restarted.
"""

import json
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from ..table.protocol import JUDGED

WAIT_SECONDS = 30.0  # for the others to move, and for a server that is away
_RETRY_SECONDS = 0.5
_DELIVERY_SECONDS = 10.0  # for answers that the server gives at once


class RemoteSeat:
    """A seat of a server. Methods raise ValueError for a wrong request or a server that is gone."""

    def __init__(self, link: str, judges: bool = True, wait: float = WAIT_SECONDS) -> None:
        """Take the seat of `link`, http://HOST:PORT/#seat=TOKEN."""
        address = urlsplit(link)
        tokens = parse_qs(address.fragment).get("seat", [])
        if address.scheme != "http" or not address.netloc or len(tokens) != 1:
            raise ValueError("a link of a seat looks like http://127.0.0.1:8477/#seat=TOKEN")
        self.address, self.token = f"ws://{address.netloc}/seat", tokens[0]
        self.judges, self.wait = judges, wait
        self._socket: ClientConnection | None = None
        self._next_token: str | None = None
        self._judgement: dict[str, Any] | None = None
        self._take_seat(self._deadline)

    def position(self) -> dict[str, Any]:
        """Return what the seat sees, when it has to act, or after waiting for a while."""
        self._receive_until(lambda: self._is_over or bool(self._position["legal"]), self._deadline)
        return self._shown()

    def legal(self) -> list[str]:
        """Return the names of the legal actions; none while others are to act."""
        return list(self._position["legal"])

    def play(self, action: str) -> dict[str, Any]:
        """Play an action by name; return the next position that needs a move."""
        names = self.legal()
        if action not in names:
            allowed = ", ".join(names) or "none: it is not your turn"
            raise ValueError(f"{action} is not legal now; legal: {allowed}")
        ply = self._position["ply"]
        self._judgement = None
        self._refusal = ""
        self._send({"type": "act", "ply": ply, "action": action})
        self._receive_until(lambda: self._position["ply"] > ply, self._deadline)
        if self._refusal:
            raise ValueError(self._refusal)
        if self.judges and self._match is None and self._table["has_help"]:
            self._send({"type": "judge", "ply": ply})
            self._receive_until(lambda: self._judgement is not None, self._deadline)
        position = self.position()
        return position if self._judgement is None else {**position, "judgement": self._judgement}

    def result(self) -> dict[str, Any]:
        """Return the returns of all seats; of a match, its result so far."""
        if self._match is not None and self._is_last:
            return {key: value for key, value in self._match.items() if key != "type"}
        if not self._is_over:
            raise ValueError("the game is not over: play on")
        returns = self._position["returns"]
        return {"returns": returns, "own_return": returns[self._position["seat"]]}

    def next_game(self) -> dict[str, Any]:
        """Move to the next game of a match, or to the table that the others have moved to."""
        if not self._is_over:
            raise ValueError("this game is not over: play on")
        ahead = time.monotonic() + self.wait
        self._receive_until(lambda: self._next_token is not None or self._is_last, ahead)
        if self._next_token is None:
            raise ValueError("there is no further game")
        self.token = self._next_token
        self.close()
        self._take_seat(ahead)
        return self.position()

    def close(self) -> None:
        """Leave the table."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    # Inside

    @property
    def _deadline(self) -> float:
        return time.monotonic() + self.wait

    @property
    def _is_over(self) -> bool:
        return self._position.get("returns") is not None

    @property
    def _is_last(self) -> bool:
        return self._match is not None and "games_played" in self._match

    def _take_seat(self, deadline: float) -> None:
        """Wait for the first position at a table. Raises ValueError where none comes."""
        self._forget()
        self._connected(deadline)
        self._receive_until(lambda: bool(self._position), deadline)
        if not self._position:
            raise ValueError(f"the server at {self.address} does not answer")

    def _forget(self) -> None:
        self._position: dict[str, Any] = {}
        self._table: dict[str, Any] = {}
        self._match: dict[str, Any] | None = None
        self._judgement = None
        self._moves: list[str] = []
        self._num_noted = 0
        self._notices: list[str] = []
        self._refusal = ""
        self._next_token = None

    def _shown(self) -> dict[str, Any]:
        moves, notices = self._moves, self._notices
        self._moves, self._notices = [], []
        position = {
            "game": self._table["game"],
            "seat": self._position["seat"],
            "to_act": self._position["to_act"],
            "is_over": self._is_over,
            "moves_since": moves,
            "notices": notices,
            "words": self._position["words"],
            "observation": self._position.get("observation"),
            "legal_actions": self.legal(),
        }
        if self._match is not None:
            position["match"] = {key: self._match[key] for key in ("game", "of")}
        return position

    def _send(self, message: dict[str, Any]) -> None:
        for _ in range(2):  # the connection may turn out to be lost
            try:
                self._connected(self._deadline).send(json.dumps(message))
                return
            except ConnectionClosed:
                self._socket = None
        raise ValueError("the server is gone")

    def _receive_until(self, is_done: Any, deadline: float) -> None:
        """Receive until something is the case; return at the deadline too."""
        while not is_done() and not self._refusal:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            try:
                self._take(json.loads(self._connected(deadline).recv(timeout=left)))
            except TimeoutError:
                return
            except ConnectionClosed:
                self._socket = None

    def _connected(self, deadline: float) -> ClientConnection:
        """Return the connection; make it again where it was lost. Raises ValueError."""
        while self._socket is None:
            try:
                socket = connect(self.address, max_queue=None, compression=None)
                self._socket = socket.__enter__()  # until `close`
            except (OSError, InvalidHandshake) as error:
                if time.monotonic() + _RETRY_SECONDS >= deadline:
                    raise ValueError(f"no server answers at {self.address}: {error}") from error
                time.sleep(_RETRY_SECONDS)
                continue
            self._socket.send(json.dumps({"type": "sit", "token": self.token, "has_data": True}))
        return self._socket

    def _take(self, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "table":
            self._table = message
            for ply, move in enumerate(message["history"], start=message["first_ply"] + 1):
                self._note_move(ply, move)
        elif kind == "position":
            if message["last"] is not None:
                self._note_move(message["ply"], message["last"])
            self._position = message
        elif kind == "match":
            self._match = message
        elif kind == "judged":
            self._judgement = {key: message[key] for key in JUDGED}
        elif kind == "moved":
            self._next_token = message["token"]
        elif kind == "notice":
            self._notices.append(message["text"])
        elif kind == "error":
            self._refusal = message["text"]
        elif kind == "closed":
            raise ValueError(message["text"])

    def _note_move(self, ply: int, move: dict[str, Any]) -> None:
        """Note a move that is new to the agent, which also hears of those before it came."""
        if ply > self._num_noted:
            self._num_noted = ply
            self._moves.append(f"player {move['seat']}: {move['action'] or 'a hidden move'}")
