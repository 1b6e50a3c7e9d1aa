"""A server for tests, with people and programs that speak its protocol."""

import contextlib
import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from docs.studies.table import posted
from parlour.scripts.table.app import make_app, uvicorn_server
from parlour.scripts.table.store import TableStore

OWNER = "owner-key-of-the-tests"
ADDRESS = "127.0.0.1:8123"
AS_OWNER = {"Authorization": f"Bearer {OWNER}"}
SEAT = f"ws://{ADDRESS}/seat"

ME = {"kind": "here", "name": "You"}
GUEST = {"kind": "remote", "name": "Guest"}
SMALL = {"num_values": 5}  # of trick_taking: ten plies


def player(name: str) -> dict[str, str]:
    return {"kind": "player", "name": name, "player": name}


@contextlib.contextmanager
def server(folder: Path, is_trusted: bool = True, **settings: Any) -> Iterator[TestClient]:
    """A server whose tables are kept in `folder`."""
    app = make_app(TableStore(folder / "tables.db", is_trusted), OWNER, {ADDRESS}, **settings)
    with TestClient(app, base_url=f"http://{ADDRESS}") as client:
        assert client.get("/api/rules/nothing").status_code == 404  # answered when all is loaded
        yield client


def state_of(client: TestClient) -> Any:
    """The state of a server: its host of tables, and what else it keeps."""
    app: Any = client.app
    return app.app.state


@contextlib.contextmanager
def listening_server(folder: Path, port: int = 0) -> Iterator[str]:
    """The HOST:PORT of a server on a loopback port, for programs that are no test clients."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen()
        host, port = listener.getsockname()
        app = make_app(TableStore(folder / "tables.db"), OWNER, {f"{host}:{port}"})
        serving = uvicorn_server(app)
        thread = threading.Thread(target=serving.run, args=([listener],))
        thread.start()
        try:
            yield f"{host}:{port}"
        finally:
            serving.should_exit = serving.force_exit = True  # do not wait for clients
            thread.join(60)
            assert not thread.is_alive()


def open_table(client: TestClient, game: str, seats: list[dict], **more: Any) -> list[str]:
    """Return the tokens of a new table."""
    data = {"game": game, "settings": {}, "seats": seats, "seed": 5, **more}
    answer = client.post("/api/tables", json=data, headers=AS_OWNER)
    assert answer.status_code == 200, answer.text
    return answer.json()["tokens"]


def opened(address: str, *seats: dict[str, str], **more: Any) -> list[str]:
    """The tokens of a new table at a listening server, of a small game unless `more` says which."""
    data = {"game": "trick_taking", "settings": SMALL, "seats": seats, "seed": 5, **more}
    return posted(address, "/api/tables", data, OWNER)["tokens"]


def link(address: str, token: str) -> str:
    return f"http://{address}/#seat={token}"


@contextlib.contextmanager
def playing(
    folder: Path, seats: list[dict], game: str = "trick_taking", number: int = 0, **more: Any
) -> Iterator["Client"]:
    """The client in a seat of a new table, at a server of its own."""
    with server(folder) as client:
        settings = SMALL if game == "trick_taking" else {}
        tokens = open_table(client, game, seats, **{"settings": settings, **more})
        with seated(client, tokens[number]) as me:
            yield me


@contextlib.contextmanager
def seated(client: TestClient, token: str, **more: Any) -> Iterator["Client"]:
    """A connection that has taken a seat."""
    with client.websocket_connect(SEAT) as socket:
        socket.send_json({"type": "sit", "token": token, **more})
        yield Client(socket, token)


class Client:
    """One connection, with the messages it has received."""

    def __init__(self, socket: Any, token: str) -> None:
        self.socket, self.token = socket, token
        self.received: list[dict] = []

    def send(self, message: dict[str, Any]) -> None:
        self.socket.send_json(message)

    def receive(self) -> dict[str, Any]:
        return self.socket.receive_json()

    def ask(self, message: dict[str, Any], *kinds: str) -> dict:
        """The next message of one of these types after a request."""
        self.send(message)
        return self.next(*kinds)

    def next(self, *kinds: str) -> dict:
        """The next message of one of these types."""
        while True:
            message = self.receive()
            self.received.append(message)
            if message["type"] in kinds:
                return message

    def my_turn(self) -> dict:
        """The next position in which this seat acts, or the last one."""
        while True:
            position = self.next("position")
            if position["legal"] or position["returns"] is not None:
                return position

    def act(self, position: dict, action: str) -> None:
        self.send({"type": "act", "ply": position["ply"], "action": action})

    def play_to_the_end(self, seed: int = 0) -> dict:
        """Play at random; return the last position."""
        chooser = random.Random(seed)
        while True:
            position = self.my_turn()
            if position["returns"] is not None:
                return position
            self.act(position, chooser.choice(position["legal"]))
