"""The tables that are being played, and everybody connected to them.

One task a table lets its players think, applies moves, and sends each seat its own view. A table
without connections does not think; it is dropped from memory and comes back from the store.
"""

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from typing import Any

from ...baselines.move_values import SEARCH, MoveValues
from ...envs.core.seating import PlayerError
from ...envs.core.views.render import picture_svg
from .protocol import NEW_DEAL, SAME_DEAL, BadMessage
from .store import TableStore
from .table import HERE, PLAYER, GameTable, Occupant, Setup, new_token
from .thinking import Thinkers, TooSlow
from .views import SPECTATOR, drawn, history_message, position_message

THINKING_LIMIT = 30.0  # seconds a move
SETUP_LIMIT = 600.0  # seconds: the first time, rules are compiled
STUDY_SECONDS = 8.0  # how long hints become better while a person thinks
STUDY_SLICE = 0.4
REVIEW_SECONDS = 0.3  # for each of a person's moves
MAX_REVIEWED = 60
MAX_CONNECTIONS = 600
MAX_CONNECTIONS_A_TABLE = 24
MAX_LIVE_TABLES = 500
QUEUE_LENGTH = 64  # messages waiting for a slow client, before it is cut off


class Refused(Exception):
    """A request that cannot be granted; the text is for the person."""


class Connection:
    """One client at a table: its seat (None for a spectator) and the messages for it."""

    def __init__(self) -> None:
        self.live: LiveTable | None = None
        self.seat: int | None = SPECTATOR
        self.is_narrow = False
        self.queue: asyncio.Queue[str] = asyncio.Queue(QUEUE_LENGTH)
        self.is_too_slow = asyncio.Event()
        self.task: asyncio.Task[None] | None = None  # hints or review

    def put(self, message: dict[str, Any]) -> None:
        """Queue a message; a client that does not read is cut off."""
        try:
            self.queue.put_nowait(json.dumps(message, separators=(",", ":")))
        except asyncio.QueueFull:
            self.is_too_slow.set()

    def stop_task(self) -> None:
        """Stop hints or a review that are under way."""
        if self.task is not None:
            self.task.cancel()
            self.task = None


class LiveTable:
    """A table in memory, with its connections."""

    def __init__(self, id: str, tokens: tuple[str, ...], table: GameTable) -> None:
        self.id = id
        self.tokens = tokens
        self.table = table
        self.connections: set[Connection] = set()
        self.wake = asyncio.Event()
        self.version = 0  # rises with every change, so that late thoughts are dropped
        self.driver: asyncio.Task[None] | None = None

    def changed(self) -> None:
        """Drop thoughts about the former position, and let the next seat act."""
        self.version += 1
        for connection in self.connections:
            connection.stop_task()
        self.wake.set()

    def broadcast(self, make: Callable[[Connection], dict[str, Any]]) -> None:
        """Send each connection its own message."""
        made: dict[tuple[int | None, bool], dict[str, Any]] = {}
        for connection in self.connections:
            key = (connection.seat, connection.is_narrow)
            if key not in made:
                made[key] = make(connection)
            connection.put(made[key])

    def send_position(self) -> None:
        """Send everybody the position as they see it."""
        self.broadcast(lambda c: position_message(self.table, c.seat, c.is_narrow))

    def send_presence(self) -> None:
        """Tell everybody which seats are connected."""
        here = {connection.seat for connection in self.connections}
        connected = [seat in here for seat in range(self.table.game.num_seats)]
        watchers = sum(connection.seat is SPECTATOR for connection in self.connections)
        message = {"type": "presence", "connected": connected, "watchers": watchers}
        self.broadcast(lambda _: message)


class Host:
    """All tables of a server."""

    def __init__(self, store: TableStore, thinking_limit: float = THINKING_LIMIT) -> None:
        """Load nothing yet."""
        self.store = store
        self.thinking_limit = thinking_limit
        self.live: dict[str, LiveTable] = {}
        self.loading: dict[str, asyncio.Lock] = {}
        self.thinkers = Thinkers()
        self.students = Thinkers()
        self.num_connections = 0

    # Tables

    async def open(self, setup: Setup) -> tuple[str, tuple[str, ...]]:
        """Make a table; return its id and its tokens: one a seat, then the spectators'.

        Raises Refused where the setup is impossible.
        """
        if len(self.live) >= MAX_LIVE_TABLES:
            raise Refused(f"this server has {MAX_LIVE_TABLES} tables, its limit")
        table = await self._made(setup, [])
        id = secrets.token_hex(8)
        tokens = tuple(new_token() for _ in range(len(setup.seats) + 1))
        self.store.add(id, table.setup, table.game.version, tokens)
        self.live[id] = LiveTable(id, tokens, table)
        return id, tokens

    async def sit(self, connection: Connection, token: str) -> None:
        """Seat a connection by its token. Raises Refused."""
        id = self.store.table_id(token)
        if id is None:
            raise Refused("no seat has this token")
        live = await self._live(id)
        number = live.tokens.index(token)
        is_seat = number < live.table.game.num_seats
        await self._recall(live.table, number if is_seat else SPECTATOR)
        live = await self._live(id)  # everybody may have left meanwhile
        if len(live.connections) >= MAX_CONNECTIONS_A_TABLE:
            raise Refused("too many connections to this table")
        if is_seat and live.table.policies[number] is not None:
            raise Refused("a player has taken this seat")
        connection.seat = number if is_seat else SPECTATOR
        connection.live = live
        live.connections.add(connection)
        connection.put(history_message(live.table, connection.seat))
        connection.put(position_message(live.table, connection.seat, connection.is_narrow))
        live.send_presence()
        if live.driver is None:
            live.driver = asyncio.create_task(self._drive(live))
        live.wake.set()

    async def _recall(self, table: GameTable, seat: int | None) -> None:
        """Find out beside the event loop what a newcomer saw of earlier moves."""
        if table.game.has_hidden and table.plies:
            try:
                await self.students.run(SETUP_LIMIT, table.recall, seat)
            except TooSlow as error:
                raise Refused(str(error)) from error

    def leave(self, connection: Connection) -> None:
        """Forget a connection, and its table if it was the last."""
        connection.stop_task()
        live = connection.live
        if live is None:
            return
        live.connections.discard(connection)
        live.send_presence()
        if not live.connections:
            if live.driver is not None:
                live.driver.cancel()
            self.live.pop(live.id, None)

    async def _live(self, id: str) -> LiveTable:
        lock = self.loading.setdefault(id, asyncio.Lock())
        async with lock:
            if id not in self.live:
                stored = self.store.load(id)
                if stored is None:
                    raise Refused("this table is gone")
                table = await self._made(stored.setup, stored.actions, stored.version)
                table.undone = stored.undone
                self.live[id] = LiveTable(id, stored.tokens, table)
            self.loading.pop(id, None)
            return self.live[id]

    async def _made(
        self, setup: Setup, actions: list[int], version: int | None = None
    ) -> GameTable:
        try:
            return await self.students.run(SETUP_LIMIT, _made_and_warm, setup, actions, version)
        except (ValueError, TypeError, ImportError, OSError) as error:
            raise Refused(str(error)) from error
        except TooSlow as error:
            raise Refused("this table takes too long to set up") from error

    # Play

    async def _drive(self, live: LiveTable) -> None:
        """Let players act, and people who have no choice, for as long as somebody is connected."""
        while True:
            live.wake.clear()
            table = live.table
            if table.is_forced:
                self._apply(live, table.legal[0])
            elif table.to_think is not None:
                await self._let_think(live)
            else:
                await live.wake.wait()

    async def _let_think(self, live: LiveTable) -> None:
        table, version = live.table, live.version
        policy = table.to_think
        assert policy is not None
        try:
            action = await self.thinkers.run(self.thinking_limit, table.choose, policy)
        except (TooSlow, PlayerError, ValueError) as error:
            if live.version != version:
                return
            action = secrets.choice(table.legal)
            who = table.setup.seats[table.seat_to_act].name
            reason = str(error) if isinstance(error, TooSlow) else "it failed"
            text = f"{who} gave no move ({reason}); a random legal move is played for it"
            live.broadcast(lambda _: {"type": "notice", "text": text})
        if live.version == version:
            self._apply(live, action)

    def _apply(self, live: LiveTable, action: int) -> None:
        live.table.act(action)
        self._keep(live)

    def _keep(self, live: LiveTable) -> None:
        """Store a change and send it."""
        table = live.table
        self.store.update(live.id, table.actions, table.undone, table.is_over)
        live.changed()
        live.send_position()

    # What a client asks for

    async def handle(self, connection: Connection, message: dict[str, Any]) -> None:
        """Do what a checked message asks. Raises Refused and BadMessage."""
        live = connection.live
        kind = message["type"]
        if live is None or kind == "sit":
            raise Refused("take a seat first, once: type sit")
        if kind == "look":
            connection.is_narrow = message["is_narrow"]
            connection.put(position_message(live.table, connection.seat, connection.is_narrow))
            return
        if connection.seat is SPECTATOR:
            raise Refused("spectators only watch")
        await getattr(self, f"_on_{kind}")(live, connection, message)

    async def _on_act(self, live: LiveTable, connection: Connection, message: dict) -> None:
        table = live.table
        if message["ply"] != len(table.plies) or table.seat_to_act != connection.seat:
            raise Refused("it is not your turn at this ply")
        names = {table.game.action_name(action): action for action in table.legal}
        if message["action"] not in names:
            raise Refused("this move is not legal now")
        self._apply(live, names[message["action"]])

    async def _on_undo(self, live: LiveTable, connection: Connection, message: dict) -> None:
        self._change(live, live.table.undo)

    async def _on_redo(self, live: LiveTable, connection: Connection, message: dict) -> None:
        self._change(live, live.table.redo)

    def _change(self, live: LiveTable, change: Callable[[], None]) -> None:
        try:
            change()
        except ValueError as error:
            raise Refused(str(error)) from error
        live.broadcast(lambda c: history_message(live.table, c.seat))
        self._keep(live)

    async def _on_hint(self, live: LiveTable, connection: Connection, message: dict) -> None:
        if live.table.seat_to_act != connection.seat:
            raise Refused("hints are for the seat to act")
        connection.stop_task()
        job = self._give_hints(live, connection, message["player"])
        connection.task = asyncio.create_task(job)

    async def _on_no_hint(self, live: LiveTable, connection: Connection, message: dict) -> None:
        connection.stop_task()

    async def _give_hints(self, live: LiveTable, connection: Connection, player: str) -> None:
        """Send values that become better; a change of the position cancels this."""
        table, ply = live.table, len(live.table.plies)
        try:
            study = await self.students.run(SETUP_LIMIT, table.study, player)
            until = time.monotonic() + STUDY_SECONDS
            while True:
                found = await self.students.run(self.thinking_limit, study.think, STUDY_SLICE)
                connection.put({"type": "hints", "ply": ply, **values_data(table, found)})
                if study.is_finished or time.monotonic() >= until:
                    return
        except (ValueError, TypeError, TooSlow) as error:
            connection.put({"type": "error", "text": f"no hints: {error}"})

    async def _on_review(self, live: LiveTable, connection: Connection, message: dict) -> None:
        if not live.table.is_over:
            raise Refused("the review comes after the game")
        connection.stop_task()
        connection.task = asyncio.create_task(self._give_review(live.table, connection))

    async def _give_review(self, table: GameTable, connection: Connection) -> None:
        """Send, move by move, what a person's choices were worth."""
        seat = connection.seat
        assert seat is not None
        chosen = table.choices_of(seat)[-MAX_REVIEWED:]
        try:
            for count, number in enumerate(chosen, start=1):
                row = await self.students.run(
                    SETUP_LIMIT, _reviewed, table, number, seat, connection.is_narrow
                )
                connection.put({"type": "review", "of": len(chosen), "count": count, **row})
            connection.put({"type": "reviewed", "of": len(chosen)})
        except (ValueError, TooSlow) as error:
            connection.put({"type": "error", "text": f"no review: {error}"})

    async def _on_again(self, live: LiveTable, connection: Connection, message: dict) -> None:
        """Move everybody to a new table: another deal, or the same one."""
        self._check_here(live, connection)
        if message["deal"] not in (NEW_DEAL, SAME_DEAL):
            raise BadMessage(f"deal is {NEW_DEAL} or {SAME_DEAL}")
        setup = live.table.setup
        if message["deal"] == NEW_DEAL:
            setup = setup.dealt_anew()
        is_turned = message.get("turned", False)
        if is_turned:
            setup = setup.turned()
        _, tokens = await self.open(setup)
        num_seats = len(setup.seats)
        for other in tuple(live.connections):
            number = num_seats if other.seat is SPECTATOR else other.seat + int(is_turned)
            number = number if other.seat is SPECTATOR else number % num_seats
            other.put({"type": "moved", "token": tokens[number]})

    async def _on_take_over(self, live: LiveTable, connection: Connection, message: dict) -> None:
        """Let a player play on for a person who has left."""
        self._check_here(live, connection)
        seat = message["seat"]
        table = live.table
        if seat not in table.people or seat == connection.seat:
            raise Refused("only another person's seat can be taken over")
        if seat in {other.seat for other in live.connections}:
            raise Refused("this person is connected")
        seats = list(table.setup.seats)
        try:
            seats[seat] = Occupant(PLAYER, message["player"], message["player"])
        except ValueError as error:
            raise Refused(str(error)) from error
        setup = Setup(**{**vars(table.setup), "seats": tuple(seats)})
        version = live.version
        changed = await self._made(setup, table.actions)
        if live.version != version:
            raise Refused("somebody moved meanwhile: try again")
        live.table = changed
        self.store.change_setup(live.id, changed.setup)
        live.broadcast(lambda c: history_message(live.table, c.seat))
        self._keep(live)

    def _check_here(self, live: LiveTable, connection: Connection) -> None:
        assert connection.seat is not None
        if live.table.setup.seats[connection.seat].kind != HERE:
            raise Refused("only the person who opened the table can do this")


def values_data(table: GameTable, found: MoveValues) -> dict[str, Any]:
    """Return values as plain data, by the names of actions."""
    values = {table.game.action_name(a): round(v, 4) for a, v in found.values.items()}
    return {"source": found.source, "simulations": found.num_simulations, "values": values}


def _made_and_warm(setup: Setup, actions: list[int], version: int | None) -> GameTable:
    """Make a table, and load what its first moves need, so that they do not hold up the loop."""
    table = GameTable(setup, actions)
    if version not in (None, table.game.version):
        raise ValueError(f"the rules of {setup.game} have changed since this table was opened")
    trial = table.at_ply(0)
    for seat in (SPECTATOR, *range(table.game.num_seats)):
        position_message(trial, seat)
    if trial.legal:
        trial.act(trial.legal[0])
    return table


def _reviewed(table: GameTable, number: int, seat: int, is_narrow: bool) -> dict[str, Any]:
    """Return what one choice was worth, with the picture that the seat saw."""
    earlier = table.at_ply(number)
    found = earlier.study(SEARCH).think(REVIEW_SECONDS)
    action = table.plies[number].action
    picture = drawn(table.game, earlier.state, seat, is_narrow)
    return {
        "ply": number,
        "action": table.game.action_name(action),
        "regret": round(found.regret(action), 4),
        "svg": picture_svg(picture),
        **values_data(earlier, found),
    }
