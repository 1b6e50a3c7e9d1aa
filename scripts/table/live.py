"""A table that is being played: its connections, what they ask for, and what each is sent.

A task lets the players think, and makes moves that leave no choice. The table tells of every
change, and each connection is then sent the position as its seat sees it.
"""

import asyncio
import functools
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from typing import Any, NamedTuple, TypeVar

from ..words import seat_names
from .protocol import Refused
from .table import HERE, GameTable, Moment
from .thinking import MAX_CONCURRENT_CALLS, Thinkers, TooSlow
from .views import SPECTATOR, history_message, picture_before, position_message

THINKING_LIMIT = 30.0  # seconds a move that a player may be given
PATIENCE = 1.5  # times the limit until a player's move is replaced: a busy machine is late
HELP_LIMIT = 600.0  # seconds: the first time, rules are compiled
QUEUE_LENGTH = 64  # messages waiting for a slow client, before it is cut off
RETRY_SECONDS = 2.0  # until a move is tried again that the store did not take
STOPPED_BY_MOVES = ("hint",)
_BEFORE_THE_END = ("hint", "judge", "explain")  # what a table without help refuses
_WHILE_WAITING = ("look_back", "take", "take_over")

Result = TypeVar("Result")
View = tuple[int | None, bool, bool, int | None]  # see the fields of Connection
Request = Callable[["LiveTable", "Connection", dict[str, Any]], Awaitable[None]]
Change = Callable[[], GameTable | None]
Answers = AsyncIterator[dict[str, Any]]
Keep = Callable[[str, GameTable, bool], Awaitable[None]]  # the last: with another setup


class Help(NamedTuple):
    """A request that is answered by messages, one after the other, beside others."""

    answer: Callable[["LiveTable", "Connection", dict[str, Any]], Answers]
    problem: str  # said where it fails


class Connection:
    """One client at a table: its seat (None for a spectator) and the messages for it."""

    def __init__(self) -> None:
        self.live: LiveTable | None = None
        self.seat: int | None = SPECTATOR
        self.is_narrow = False
        self.looks_from: int | None = None  # another seat whose view is asked for
        self.has_data = False  # for programs: observations in place of pictures
        self.queue: asyncio.Queue[str] = asyncio.Queue(QUEUE_LENGTH)
        self.is_too_slow = asyncio.Event()
        self.tasks: dict[str, asyncio.Task[None]] = {}  # by what was asked for, such as "hint"

    @property
    def view(self) -> View:
        """What decides how a message looks."""
        return self.seat, self.is_narrow, self.has_data, self.looks_from

    def put(self, message: dict[str, Any]) -> None:
        """Queue a message; a client that does not read is cut off."""
        try:
            self.queue.put_nowait(json.dumps(message, separators=(",", ":")))
        except asyncio.QueueFull:
            self.is_too_slow.set()

    def start_task(self, kind: str, job: Coroutine[Any, Any, None]) -> None:
        """Work on an answer, in place of an earlier one of this kind."""
        self.stop_tasks(kind)
        self.tasks[kind] = asyncio.create_task(job)

    def stop_tasks(self, *kinds: str) -> None:
        """Stop the answers of these kinds that are under way; without any, all."""
        for kind in kinds or tuple(self.tasks):
            if kind in self.tasks:
                self.tasks.pop(kind).cancel()


class ThinkingPools:
    """Threads in which players think and help is worked out; those of guests delay nobody else."""

    def __init__(self, thinking_limit: float = THINKING_LIMIT) -> None:
        """`thinking_limit` is the time of a player for a move, in seconds."""
        self.thinking_limit = thinking_limit
        self.players = Thinkers()
        self.owner = Thinkers()  # new tables, and help for people here
        self.guests = Thinkers(MAX_CONCURRENT_CALLS // 2)  # help for everybody else


class LiveTable:
    """A table in memory, with its connections."""

    def __init__(
        self,
        id: str,
        tokens: tuple[str, ...],
        table: GameTable,
        pools: ThinkingPools,
        keep: Keep,
        requests: Mapping[str, Request | Help],
    ) -> None:
        """`keep` writes the table to the store; `requests` are answered elsewhere."""
        self.id, self.tokens, self.pools = id, tokens, pools
        self.connections: set[Connection] = set()
        self.wake = asyncio.Event()
        self.version = 0  # rises with every change: a choice for an older one is dropped
        self.moved = time.monotonic()  # when the last move was made
        self.came: dict[int | None, float] = {}  # when seats were first taken
        self.agreed: set[int | None] = set()  # the seats that want to play again
        self.driver: asyncio.Task[None] | None = None
        self.changing = asyncio.Lock()
        self.problem: str | None = None  # why the store fails
        self._keep, self._requests = keep, requests
        self._positions: dict[View, dict[str, Any]] = {}  # as sent, until the next change
        self.table = table

    # Messages

    async def change(self, make: Change, version: int | None = None) -> bool:
        """Make a change, which counts once the store has it; return whether it was made.

        It is not where the table has changed since `version`. `make` returns the table where it is
        another one. Raises Refused where the store fails: all stays as it was.
        """
        return await asyncio.shield(asyncio.create_task(self._change(make, version)))

    async def _change(self, make: Change, version: int | None) -> bool:
        async with self.changing:  # nobody is sent what is not kept yet
            if version not in (None, self.version):
                return False
            before = self.table.moment
            table = make() or self.table
            try:
                await self._keep(self.id, table, table.setup is not before[0])
            except Exception as error:  # a disk that is full, or a store that is locked
                if table is self.table:
                    table.restore(before)
                self._show_problem(str(error))
                raise Refused(f"this does not count, because it cannot be kept: {error}") from error
            self._show_problem(None)
            self._show(table, before)
            return True

    def _show(self, table: GameTable, before: Moment) -> None:
        """Send a change to all connections, cancel help for the old position, and play on."""
        is_ply = table.setup is before[0] and table.plies[:-1] == before[1].plies
        self.table = table
        self.version += 1
        self._positions.clear()
        self.agreed.clear()
        self.moved = time.monotonic()
        for connection in self.connections:
            connection.stop_tasks(*STOPPED_BY_MOVES)
        if not is_ply:
            self.broadcast(lambda c: history_message(self.table, c.seat))
        self.broadcast(self.position_for)
        self.wake.set()

    def _show_problem(self, text: str | None) -> None:
        """Tell everybody that the store fails, or that it works again."""
        if text != self.problem:
            self.problem = text
            self.broadcast(lambda _: {"type": "store", "problem": text})

    def broadcast(self, make: Callable[[Connection], dict[str, Any]]) -> None:
        """Send each connection its own message, made once for all with the same view."""
        made: dict[View, dict[str, Any]] = {}
        for connection in self.connections:
            if connection.view not in made:
                made[connection.view] = make(connection)
            connection.put(made[connection.view])

    def position_for(self, connection: Connection) -> dict[str, Any]:
        """Return the position as a connection is to see it; drawn once, however often asked for."""
        if connection.view not in self._positions:
            self._positions[connection.view] = position_message(self.table, *connection.view)
        return self._positions[connection.view]

    def enter(self, connection: Connection) -> None:
        """Send a new connection the table and the position, and play on."""
        connection.live = self
        self.connections.add(connection)
        self.came.setdefault(connection.seat, time.monotonic())
        connection.put(history_message(self.table, connection.seat))
        connection.put(self.position_for(connection))
        if self.problem is not None:
            connection.put({"type": "store", "problem": self.problem})
        self.send_presence()
        if self.driver is None:
            self.driver = asyncio.create_task(self._drive())
        self.wake.set()

    def leave(self, connection: Connection) -> None:
        """Forget a connection."""
        connection.stop_tasks()
        self.connections.discard(connection)
        self.send_presence()

    def send_presence(self) -> None:
        """Tell everybody which seats are connected."""
        here = {connection.seat for connection in self.connections}
        connected = [seat in here for seat in range(self.table.game.num_seats)]
        watchers = sum(connection.seat is SPECTATOR for connection in self.connections)
        left = self.time_left()
        message = {"type": "presence", "connected": connected, "watchers": watchers, "left": left}
        message["agreed"] = [seat in self.agreed for seat in range(len(connected))]
        self.broadcast(lambda _: message)

    # What a connection asks for

    async def handle(self, connection: Connection, message: dict[str, Any]) -> None:
        """Do what a checked message asks. Raises Refused and BadMessage."""
        kind, setup = message["type"], self.table.setup
        if kind == "sit":
            raise Refused("take a seat first, once: type sit")
        if kind == "look":
            connection.is_narrow, connection.looks_from = message["is_narrow"], message.get("seat")
            async with self.changing:  # and not a move that is not kept yet
                connection.put(self.position_for(connection))
            return
        if setup.is_waiting and kind not in _WHILE_WAITING:
            raise Refused("this game has not started")
        if kind not in ("look_back", "take"):
            if connection.seat is SPECTATOR and not (setup.is_open and kind == "explain"):
                raise Refused("spectators only watch")
            if kind in _BEFORE_THE_END and not (setup.has_help or self.table.is_over):
                raise Refused("this table is played without help")
        if kind == "act":
            await self.change(functools.partial(self._act, connection, message))
        elif kind in ("undo", "redo"):
            await self._rewrite(self.table.undo if kind == "undo" else self.table.redo)
        elif kind == "resign":
            assert connection.seat is not None
            await self._rewrite(functools.partial(self.table.resign, connection.seat))
        elif kind == "no_hint":
            connection.stop_tasks("hint")
        elif isinstance(request := self._requests[kind], Help):
            answers = request.answer(self, connection, message)
            connection.start_task(kind, self._send(connection, answers, request.problem))
            await asyncio.sleep(0)  # a refusal is heard before the answer to a later request
        else:
            await request(self, connection, message)

    def _act(self, connection: Connection, message: dict[str, Any]) -> None:
        table = self.table
        if message["ply"] != len(table.plies) or table.seat_to_act != connection.seat:
            raise Refused("it is not your turn at this ply")
        names = {table.game.action_name(action): action for action in table.legal}
        if message["action"] not in names:
            raise Refused("this move is not legal now")
        table.act(names[message["action"]])

    async def _rewrite(self, change: Callable[[], None]) -> None:
        try:
            await self.change(change)
        except ValueError as error:
            raise Refused(str(error)) from error

    async def _send(
        self, connection: Connection, answers: AsyncIterator[dict[str, Any]], problem: str
    ) -> None:
        """Send answers as they come, or what went wrong."""
        try:
            async for answer in answers:
                connection.put(answer)
        except Refused as error:
            connection.put({"type": "error", "text": str(error)})
        except Exception as error:  # also of a player that gives them
            connection.put({"type": "error", "text": f"{problem}: {error}"})

    async def think_for(
        self, connection: Connection, function: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Return what a call for a person finds; each seat has one such call at a time."""
        seat = connection.seat
        is_here = seat is not SPECTATOR and self.table.setup.seats[seat].kind == HERE
        thinkers = self.pools.owner if is_here else self.pools.guests
        caller = (self.id, seat, function is picture_before)  # pictures do not wait for searches
        return await thinkers.run(caller, HELP_LIMIT, function, *arguments)

    # Play

    async def _drive(self) -> None:
        """Let players act, and people who have no choice, for as long as somebody is connected."""
        while True:
            self.wake.clear()
            if self.table.setup.is_waiting:
                await self.wake.wait()
            elif self.table.is_forced:
                await self._play(functools.partial(self.table.act, self.table.legal[0]))
            elif self.table.to_think is not None:
                await self._let_think()
            else:
                await self._wait()

    def time_left(self) -> float | None:
        """Return the seconds that the person to act has left; None without a limit.

        There is none before somebody has taken the seat.
        """
        seat, limit = self.table.seat_to_act, self.table.setup.move_seconds
        if (
            not limit
            or self.table.setup.is_waiting
            or seat not in self.table.people
            or seat not in self.came
        ):
            return None
        began = max(self.moved, self.came[seat])
        return max(0.0, round(began + limit - time.monotonic(), 1))

    async def _wait(self) -> None:
        """Wait for a change; a person whose time for a move is up has lost."""
        try:
            async with asyncio.timeout(self.time_left()):
                await self.wake.wait()
        except TimeoutError:
            seat = self.table.seat_to_act
            await self._play(functools.partial(self.table.resign, seat, is_late=True))

    async def _play(self, change: Callable[[], None], version: int | None = None) -> None:
        """Make a change that nobody asked for; try again for as long as the store fails."""
        version = self.version if version is None else version
        while self.version == version:
            try:
                await self.change(change, version)
            except Refused:
                await asyncio.sleep(RETRY_SECONDS)

    async def _let_think(self) -> None:
        table, version = self.table, self.version
        try:
            caller = (self.id, table.seat_to_act)
            limit = PATIENCE * self.pools.thinking_limit
            action = await self.pools.players.run(caller, limit, table.choose, table.to_think)
        except Exception as error:  # whatever a player does, the others play on
            if self.version != version:
                return
            action = self._replaced(error)
        await asyncio.sleep(max(0.0, self.moved + table.setup.pace - time.monotonic()))
        await self._play(functools.partial(table.act, action), version)

    def _replaced(self, error: Exception) -> int:
        """Return a random action for a player that gave none."""
        table = self.table
        who = seat_names(table.setup.seats, None)[table.seat_to_act]
        reason = str(error) if isinstance(error, TooSlow) else "it failed"
        text = f"{who} gave no move ({reason}); a random legal move is played for it"
        self.broadcast(lambda _: {"type": "notice", "text": text})
        return secrets.choice(table.legal)
