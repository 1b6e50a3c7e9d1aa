"""An agent's seat at a table of a server, taken with the link of that seat.

It waits for the others for a while, and connects again where the server was restarted.
"""

import json
import time
from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from ..table.table import HERE

WAIT_SECONDS = 30.0  # for the others to move, and for a server that is away
_THIS_MACHINE = "127.0.0.1"
_RETRY_SECONDS = 0.5
_JUDGED = ("action", "best", "regret", "interval", "text", "source")  # what an agent is sent

Data = dict[str, Any]


class TableSeat:
    """A seat of a server. Methods raise ValueError for a wrong request or a server that is gone."""

    def __init__(self, link: str, judges: bool = True, wait: float = WAIT_SECONDS) -> None:
        """Take the seat of `link`, http://HOST:PORT/#seat=TOKEN.

        With `judges`, the agent learns after each choice what it lost, where a table allows it.
        """
        address = urlsplit(link)
        tokens = parse_qs(address.fragment).get("seat", [])
        if address.scheme != "http" or not address.netloc or len(tokens) != 1:
            raise ValueError("a link of a seat looks like http://127.0.0.1:8477/#seat=TOKEN")
        self.address, self.token = f"ws://{address.netloc}/seat", tokens[0]
        # True: the proxy settings of the system.
        self._proxy: Literal[True] | None = None if address.hostname == _THIS_MACHINE else True
        self.judges, self.wait = judges, wait
        self._socket: ClientConnection | None = None
        self._heard: dict[str, Data] = {}  # the last message of each type about this table
        self._moves: list[str] = []  # new to the agent
        self._notices: list[str] = []  # new to the agent
        self._num_noted = 0  # moves, in all
        self._reviewed: list[Data] = []
        self._take_seat(self._deadline)

    def position(self) -> Data:
        """Return what the seat sees, when it has to act, or after waiting for a while."""
        self._receive_until(lambda: self._is_over or bool(self.legal()), self._deadline)
        moves, notices, self._moves, self._notices = self._moves, self._notices, [], []
        position = self._heard["position"]
        return {
            "game": self._heard["table"]["game"],
            "seat": position["seat"],
            "to_act": position["to_act"],
            "is_over": self._is_over,
            "moves_since": moves,
            "notices": notices,
            "words": position["words"],
            "observation": position.get("observation"),
            "legal_actions": self.legal(),
        }

    def legal(self) -> list[str]:
        """Return the names of the legal actions; none while others are to act."""
        return list(self._heard["position"]["legal"])

    def play(self, action: str) -> Data:
        """Play an action by name; return the next position that needs a move.

        Where the seat is judged, "judgement" says what the action lost against the best other one.
        """
        names, ply = self.legal(), self._heard["position"]["ply"]
        if action not in names:
            allowed = ", ".join(names) or "none: it is not your turn"
            raise ValueError(f"{action} is not legal now; legal: {allowed}")
        act = {"type": "act", "ply": ply, "action": action}
        if refusal := self._ask(act, lambda: self._heard["position"]["ply"] > ply):
            raise ValueError(refusal)
        if not self.judges or not self._heard["table"]["has_help"]:
            return self.position()
        self._ask({"type": "judge", "ply": ply}, lambda: self._judged(ply) is not None)
        judged = self._judged(ply)
        if judged is None:
            return self.position()
        return {**self.position(), "judgement": {key: judged[key] for key in _JUDGED}}

    def _judged(self, ply: int) -> Data | None:
        judged = self._heard.get("judged", {})
        return judged if judged.get("ply") == ply else None

    def result(self) -> Data:
        """Return the returns of all seats, and what each own choice lost. Only after the end."""
        if not self._is_over:
            raise ValueError("the game is not over: play on")
        position = self._heard["position"]
        result = {
            "returns": position["returns"],
            "own_return": position["returns"][position["seat"]],
        }
        choices = self.review()
        mean_regret = sum(row["regret"] for row in choices) / max(1, len(choices))
        return {**result, "choices": choices, "mean_regret": mean_regret}

    def review(self) -> list[Data]:
        """Return the ply of each own choice, and what it lost. Only after the end."""
        self._reviewed = []
        self._heard.pop("reviewed", None)
        refusal = self._ask({"type": "review"}, lambda: "reviewed" in self._heard)
        if "reviewed" not in self._heard:
            raise ValueError(refusal or f"no review within {self.wait:g} seconds")
        return [{key: row[key] for key in ("ply", *_JUDGED)} for row in self._reviewed]

    def next_game(self) -> Data:
        """Move to the table that the others have moved to."""
        if not self._is_over:
            raise ValueError("this game is not over: play on")
        is_alone = all(seat["kind"] != HERE for seat in self._heard["table"]["seats"])
        if is_alone:
            raise ValueError("this game stands alone: call start for another")
        deadline = self._deadline
        self._receive_until(lambda: "moved" in self._heard, deadline)
        if "moved" not in self._heard:
            raise ValueError("there is no further game")
        self.token = self._heard["moved"]["token"]
        self.close()
        self._take_seat(deadline)
        return self.position()

    def close(self) -> None:
        """Leave the table."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    # The connection

    @property
    def _deadline(self) -> float:
        return time.monotonic() + self.wait

    @property
    def _is_over(self) -> bool:
        return self._heard["position"]["returns"] is not None

    def _take_seat(self, deadline: float) -> None:
        """Wait for the first position at a table. Raises ValueError where none comes."""
        self._heard.clear()
        self._moves, self._notices, self._num_noted = [], [], 0
        self._connected(deadline)
        self._receive_until(lambda: "position" in self._heard, deadline)
        if "position" not in self._heard:
            raise ValueError(f"the server at {self.address} does not answer")

    def _ask(self, message: Data, is_answered: Callable[[], bool]) -> str:
        """Send a message and wait for its answer; return why it was refused, or ""."""
        self._heard.pop("error", None)  # a late one, about an earlier message
        self._send(message)
        self._receive_until(lambda: is_answered() or "error" in self._heard, self._deadline)
        return self._heard.pop("error", {"text": ""})["text"]

    def _send(self, message: Data) -> None:
        for _ in range(2):  # the connection may turn out to be lost
            try:
                self._connected(self._deadline).send(json.dumps(message))
                return
            except ConnectionClosed:
                self._socket = None
        raise ValueError("the server is gone")

    def _receive_until(self, is_done: Callable[[], bool], deadline: float) -> None:
        """Receive until something is the case; return at the deadline too."""
        while not is_done():
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
                socket = connect(self.address, max_queue=None, compression=None, proxy=self._proxy)
                self._socket = socket.__enter__()  # until `close`
            except (OSError, InvalidHandshake) as error:
                if time.monotonic() + _RETRY_SECONDS >= deadline:
                    raise ValueError(f"no server answers at {self.address}: {error}") from error
                time.sleep(_RETRY_SECONDS)
                continue
            self._socket.send(json.dumps({"type": "sit", "token": self.token, "has_data": True}))
        return self._socket

    def _take(self, message: Data) -> None:
        """Note a message. Raises ValueError where the server closes the connection."""
        kind = message["type"]
        self._heard[kind] = message
        if kind == "table":
            for ply, move in enumerate(message["history"], start=message["first_ply"] + 1):
                self._note_move(ply, move)
        elif kind == "position" and message["last"] is not None:
            self._note_move(message["ply"], message["last"])
        elif kind == "notice":
            self._notices.append(message["text"])
        elif kind == "review":
            self._reviewed.append(message)
        elif kind == "closed":
            raise ValueError(message["text"])

    def _note_move(self, ply: int, move: Data) -> None:
        """Note a move that is new to the agent, which also hears of those before it came."""
        if ply > self._num_noted:
            self._num_noted = ply
            self._moves.append(f"player {move['seat']}: {move['action'] or 'a hidden move'}")
