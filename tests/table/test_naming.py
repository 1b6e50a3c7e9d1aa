"""Who may name which player or file: a test for each cell of the table in docs/protocol.md."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from stable_baselines3 import PPO

from parlour.baselines.environments import solo_env
from parlour.baselines.policies.game_parts import checkpoint_folder
from parlour.envs import find_game
from parlour.envs.core.played.transcript import from_text, record, to_text
from parlour.scripts.commands.mcp import Tools
from parlour.scripts.main import main
from parlour.scripts.table.store import TableStore
from parlour.scripts.table.stored_games import arena_game
from parlour.scripts.table.table import Occupant, Setup
from parlour.scripts.table.tournaments import RunningResults

from .serving import AS_OWNER, GUEST, ME, SEAT, open_table, player, seated, server

pytestmark = pytest.mark.plain

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"
GAME = "trick_taking"
LISTED = "high_low"
LEARNED = ["a model", "a checkpoint"]  # of the game as it is by default
FILES = ["a Python file", *LEARNED]
SECRET = "a-secret-line"
OK = ""


@pytest.fixture(autouse=True)
def _back_in_this_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path.cwd())


class Evil:
    """Makes the file `ran` where it is unpickled."""

    def __init__(self, ran: str) -> None:
        self.ran = ran

    def __reduce__(self) -> Any:
        return open, (self.ran, "a")


class World:
    """The current folder, with a player's file, a model, a checkpoint and a deck, one to be named.

    Their names are short, because that of a player at a table is.
    """

    def __init__(self, folder: Path, column: str) -> None:
        self.folder, self.column = folder, column
        self.ran = folder / "ran"
        self.given = folder / "given"
        self.given.mkdir()
        os.chdir(self.given)  # the fixture goes back
        self.file = self.given / "evil.py"
        self.file.write_text(
            f"open({str(self.ran)!r}, 'a').close()\n"
            "def choose(observations, action_masks, rngs):\n"
            "    return action_masks.argmax(axis=1)\n"
        )
        self.model = self.given / "evil.zip"
        if column == "a model":
            model = PPO("MlpPolicy", solo_env(find_game(GAME)), device="cpu")
            vars(model)["evil"] = Evil(str(self.ran))
            model.save(self.model)
        self.checkpoint = self.given / "mine.pt"
        shutil.copy(checkpoint_folder(GAME) / "mlp.pt", self.checkpoint)
        self.deck = self.given / "deck.csv"
        self.deck.write_text(f"id,{SECRET}\nA,1\nB,2\n")
        self.player = {
            "a listed player": LISTED,
            "a Python file": f"{self.file.name}:choose",
            "a model": self.model.name,
            "a checkpoint": self.checkpoint.name,
        }.get(column)

    @property
    def game(self) -> str:
        return GAME if self.player else "top_trumps"

    @property
    def settings(self) -> dict[str, Any]:
        return {} if self.player else {"deck": str(self.deck)}

    @property
    def rival(self) -> str:
        return self.player or "random"

    @property
    def table(self) -> dict[str, Any]:
        seats = [ME, player(self.rival)]
        return {"game": self.game, "settings": self.settings, "seats": seats}


Attempt = Callable[[World], str]  # returns why it was refused, or OK


def requests(world: World, headers: dict[str, str]) -> str:
    with server(world.folder) as client:
        asked = [
            client.post("/api/tables", json=world.table, headers=headers),
            client.post(
                f"/api/games/{world.game}",
                json={"settings": world.settings},
                headers=headers,
            ),
            client.post(
                "/api/positions",
                json={"game": world.game, "settings": world.settings},
                headers=headers,
            ),
        ]
    assert len({each.status_code for each in asked}) == 1
    return OK if asked[0].status_code == 200 else asked[0].text


def by_link(world: World) -> str:
    with server(world.folder) as client:
        table = {**world.table, "shared": True}
        answer = client.post("/api/tables", json=table, headers=AS_OWNER)
    return OK if answer.status_code == 200 else answer.text


def command_line(world: World) -> str:
    settings = ",".join(f"{key}={value}" for key, value in world.settings.items())
    command = ["watch", world.game, "--players", world.rival, "--plies", "1", "--set", settings]
    return OK if main(command) == 0 else "refused"


def by_socket(kind: str, seats: list[dict[str, str]], number: int, world: World) -> str:
    """A request from seat `number`, or a spectator, of a table."""
    with server(world.folder) as client:
        tokens = open_table(client, GAME, seats)
        with seated(client, tokens[number]) as me:
            me.next("position")
            return answer(me, kind, world)


def answer(me: Any, kind: str, world: World) -> str:
    named = {"player": world.player} if world.player else {"deck": str(world.deck)}
    seat = {"seat": 1} if kind == "take_over" else {}
    said = me.ask({"type": kind, **seat, **named}, "table", "hints", "error")
    return said["text"] if said["type"] == "error" else OK


def by_agent(files: Callable[[World], Path | None], world: World) -> str:
    folder = files(world)
    tools = Tools(30.0) if folder is None else Tools(30.0, folder)
    said = refusal(tools.start, world.game, [world.rival], world.settings, judge=False)
    tools._tables.server.close()  # and with it the seat, whose pings draw from `random`
    return said


def refusal(call: Callable[..., Any], *arguments: Any, **more: Any) -> str:
    try:
        call(*arguments, **more)
    except ValueError as error:
        return str(error)
    return OK


def elsewhere(world: World) -> Path:
    """A folder beside that of the files; links lead out of it."""
    folder = world.folder / "allowed"
    folder.mkdir()
    for name in ("file", "model", "checkpoint", "deck"):
        path: Path = getattr(world, name)
        (folder / path.name).symlink_to(path)
        setattr(world, name, folder / path.name)
    if world.column in FILES:
        world.player = f"../allowed/{world.player}"
    return folder


def from_tables(is_trusted: bool, world: World) -> str:
    stored_table(world)
    return sit_down(world, is_trusted)


def stored_table(world: World) -> None:
    """A store with a table that somebody else has written."""
    settings = {} if world.player else {"deck": "planets"}
    setup = Setup(world.game, settings, (Occupant(**ME), Occupant(**world.table["seats"][1])), 5)
    with contextlib.closing(TableStore(world.folder / "tables.db")) as store:
        store.add("1", setup, find_game(world.game).version, ("seat 0", "seat 1", "watch"))
    if not world.player:
        rewrite(world, "tables", "setup")
    world.ran.unlink(missing_ok=True)


def rewrite(world: World, table: str, column: str) -> None:
    with contextlib.closing(sqlite3.connect(world.folder / "tables.db")) as database, database:
        [(text,)] = database.execute(f"SELECT {column} FROM {table}")
        text = text.replace('"planets"', json.dumps(str(world.deck)))
        database.execute(f"UPDATE {table} SET {column} = ?", (text,))


def sit_down(world: World, is_trusted: bool) -> str:
    """Take a seat at the table of a store."""
    with server(world.folder, is_trusted) as client, client.websocket_connect(SEAT) as socket:
        socket.send_json({"type": "sit", "token": "seat 0"})
        return str(socket.receive_json().get("text", OK))


def from_results(is_trusted: bool, world: World) -> str:
    path = stored_match(world)
    running = RunningResults(path, True) if is_trusted else RunningResults(path)
    with server(world.folder, results=running) as client:
        assert client.get("/api/results", headers=AS_OWNER).status_code == 200
        shown = client.post("/api/replays", json={"match": 1}, headers=AS_OWNER).json()
    page = world.folder / "replay.html"
    command = ["replay", str(path), "--think", "0", "--html", str(page)]
    with contextlib.suppress(SystemExit):
        main([*command, "--trust"] if is_trusted else command)
    assert page.exists() == ("address" in shown)
    return shown.get("error", OK)


def stored_match(world: World) -> Path:
    """A store of results that somebody else has written."""
    path = world.folder / "results.db"
    players = f"{world.rival},first_legal"
    settings = ["--set", "num_values=5" if world.player else "deck=planets"]
    if world.column in LEARNED:
        settings = []
    command = ["match", world.game, players, *settings, "--deals", "1", "--store", str(path)]
    assert main(command) == 0
    if not world.player:
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            config = json.dumps({"deck": str(world.deck)})
            database.execute("UPDATE setting SET config = ?", (config,))
    world.ran.unlink(missing_ok=True)
    return path


def transcript(world: World) -> str:
    """A transcript names no player; one of a game with a deck, by its path."""
    if world.player:
        return "a transcript has no players"
    text = to_text(record(find_game("top_trumps"), actions=[]))
    config = json.dumps(world.settings)
    return refusal(from_text, re.sub("(?m)^config .*$", lambda _: f"config {config}", text))


HERE, AWAY = [ME, GUEST], [GUEST, GUEST]
REPLAYED = "the same with `--trust`"  # each move is valued, exactly
ATTEMPTS: dict[str, Attempt] = {
    "the command line": command_line,
    "requests with the owner's key: games, tables": lambda w: requests(w, AS_OWNER),
    'the same with `"shared": true`: a shared link or file that the page opens': by_link,
    "requests without it": lambda w: requests(w, {}),
    "`take_over` from a seat of kind `here`": partial(by_socket, "take_over", HERE, 0),
    "`take_over` from a seat of kind `remote`": partial(by_socket, "take_over", AWAY, 0),
    "`hint` from the seat to act": partial(by_socket, "hint", [GUEST, player("random")], 0),
    "`take_over` or `hint` from spectators": lambda w: " ".join(
        by_socket(kind, HERE, 2, w) for kind in ("take_over", "hint")
    ),
    "`take` from spectators": partial(by_socket, "take", HERE, 2),
    "`parlour mcp`": partial(by_agent, lambda _: None),
    "`parlour mcp --files FOLDER`: in FOLDER": partial(by_agent, lambda world: world.given),
    "`parlour mcp --files FOLDER`: elsewhere": partial(by_agent, elsewhere),
    "the tables in your state folder": partial(from_tables, True),
    "the tables of `--store FILE`": partial(from_tables, False),
    "the tables of `--store FILE --trust`": partial(from_tables, True),
    "the results of `parlour replay FILE` and `watch FILE`": partial(from_results, False),
    REPLAYED: partial(from_results, True),
    "a transcript": transcript,
}


def cells() -> Iterator[tuple[str, str, str]]:
    """Yield (row, column, word) of the table in the documentation."""
    section = PAGE.read_text().split("## Permissions")[1].split("\n## ")[0]
    lines = [line.strip("| \n").split(" | ") for line in section.splitlines() if "|" in line]
    for row, *words in lines[2:]:
        for column, word in zip(lines[0][1:], words, strict=True):
            yield row, column, word


@pytest.mark.parametrize(
    ("row", "column", "word"),
    [
        pytest.param(*cell, marks=[pytest.mark.compiled] * is_dear)
        for cell in cells()
        for is_dear in [cell[0] == REPLAYED and cell[1] in LEARNED]
    ],
)
def test_each_cell_holds(tmp_path: Path, row: str, column: str, word: str) -> None:
    world = World(tmp_path, column)
    said = ATTEMPTS[row](world)
    assert (said == OK) == (word == "yes"), said
    assert SECRET not in said
    if word == "no":
        assert not world.ran.exists()


def test_the_documentation_has_every_row() -> None:
    assert {row for row, _, _ in cells()} == set(ATTEMPTS)


@pytest.mark.parametrize(
    "spec",
    ["mcts:network={pt}", "best_response:against='{py}'", "human", "evil.zip:x=1", "evil.ts"],
)
def test_settings_of_listed_players_name_no_files(tmp_path: Path, spec: str) -> None:
    world = World(tmp_path, "a Python file")
    world.player = spec.format(pt=world.checkpoint.name, py=world.file.name)
    assert "cannot be chosen here" in by_agent(lambda _: None, world)
    assert "cannot be chosen here" in by_socket("take_over", HERE, 0, world)
    assert not world.ran.exists()


def test_a_listed_player_is_chosen_with_settings(tmp_path: Path) -> None:
    world = World(tmp_path, "a listed player")
    world.player = "playout:num_playouts=2,playout_policy=first_play"
    assert by_agent(lambda _: None, world) == OK
    assert by_socket("take_over", HERE, 0, world) == OK


@pytest.mark.parametrize("column", FILES)
def test_a_file_that_has_changed_does_not_run(tmp_path: Path, column: str) -> None:
    world = World(tmp_path, column)
    results = stored_match(world)
    stored_table(world)
    for path in filter(Path.exists, (world.file, world.model, world.checkpoint)):
        path.write_bytes(path.read_bytes() + b"\n")
    assert "has changed" in refusal(arena_game, results, 1, None, 0, is_trusted=True)
    assert "has changed" in sit_down(world, True)
    assert not world.ran.exists()


def test_a_table_opened_here_goes_on_without_trust(tmp_path: Path) -> None:
    world = World(tmp_path, "a Python file")
    with server(tmp_path, is_trusted=False) as client:
        tokens = open_table(client, GAME, world.table["seats"])
        for _ in range(2):  # everybody has left in between
            with seated(client, tokens[0]) as me:
                assert me.my_turn()["legal"]
