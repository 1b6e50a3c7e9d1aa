"""The tables of a server: opened, found by their tokens, kept, and dropped from memory.

A table without connections is dropped; it comes back from the store.
"""

import asyncio
import contextlib
import dataclasses
import functools
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from ...baselines.players.making import make_policy, players_of
from ...baselines.players.named_files import check_player, check_stored
from ...baselines.policies.settings import parse_settings
from ...envs.core.game import NO_SEAT
from ...envs.core.rng import fresh_seed
from ...envs.core.words import YOU
from .catalogue import middling_player
from .help import ANSWERS
from .live import HELP_LIMIT, THINKING_LIMIT, Connection, Help, LiveTable, Request, ThinkingPools
from .protocol import NEW_DEAL, SAME_DEAL, BadMessage, Refused
from .store import TableStore
from .table import (
    COUNTS,
    FREE,
    HERE,
    REMOTE,
    GameTable,
    Occupant,
    Setup,
    check_name,
    check_thinking_times,
    new_token,
    player_seat,
)
from .thinking import TooSlow
from .views import SPECTATOR, position_message

MAX_CONNECTIONS_A_SEAT = 6  # so that no guest keeps the others out
MAX_SPECTATORS = 24
MAX_LIVE_TABLES = 500

Result = TypeVar("Result")


class Host:
    """All tables of a server."""

    def __init__(self, store: TableStore, thinking_limit: float = THINKING_LIMIT) -> None:
        """Load nothing yet."""
        self.store = store
        self.pools = ThinkingPools(thinking_limit)
        self.live: dict[str, LiveTable] = {}
        self._loading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._storing = ThreadPoolExecutor(1, "store")  # in the order of the changes
        self.warm: set[tuple[str, str, str]] = set()  # games, settings and players that were here
        self.num_connections = 0
        self.requests: dict[str, Request | Help] = {
            **ANSWERS,
            "again": self._again,
            "take": self._take,
            "take_over": self._take_over,
            "share": self._share,
        }

    # New tables

    async def open(self, setup: Setup, actions: Sequence[int] = ()) -> tuple[str, tuple[str, ...]]:
        """Make a table where `actions` have been played; return its id and its tokens.

        The tokens are one a seat, then the spectators'. Raises Refused where this is impossible.
        """
        id = secrets.token_hex(8)
        return id, await self._add(id, setup, actions)

    async def _add(self, id: str, setup: Setup, actions: Sequence[int] = ()) -> tuple[str, ...]:
        """Keep a new table, which comes to life with its first connection; return its tokens."""
        table = await self._made(id, setup, actions)
        tokens = tuple(new_token() for _ in range(len(setup.seats) + 1))
        await self.kept(self.store.add, id, table.setup, table.game.version, tokens)
        if actions:
            await self._keep(id, table, False)
        return tokens

    async def _made(
        self, caller: object, setup: Setup, actions: Sequence[int] = (), version: int | None = None
    ) -> GameTable:
        """Return a table of these moves; `version` is that of the rules they were made by."""

        def make() -> GameTable:
            table = GameTable(setup, actions)
            if version not in (None, table.game.version):
                raise ValueError(
                    f"the rules of {setup.game} have changed since this table was opened"
                )
            check_thinking_times(table.setup, self.pools.thinking_limit)
            players = repr([seat.player for seat in table.setup.seats])
            kind = (setup.game, repr(setup.settings), players)
            if kind not in self.warm:
                _warm_up(table)
                self.warm.add(kind)
            return table

        return await self._prepared(caller, make)

    async def _prepared(
        self, caller: object, call: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Return what a call returns that prepares a table. Raises Refused."""
        try:
            return await self.pools.owner.run(caller, HELP_LIMIT, call, *arguments)
        except (ValueError, TypeError, ImportError, OSError) as error:
            raise Refused(str(error)) from error
        except TooSlow as error:
            raise Refused("this table takes too long to set up") from error

    # Seats

    async def sit(self, connection: Connection, token: str) -> None:
        """Seat a connection by its token. Raises Refused."""
        id = await self.kept(self.store.table_id, token)
        if id is None:
            raise Refused(
                "no seat has this token: a seat's is what follows #seat= in its link, or one of "
                "the tokens that POST /api/tables answers"
            )
        is_seated = False
        while not is_seated:
            live = await self._live(id)
            number = live.tokens.index(token)
            seat = number if number < live.table.game.num_seats else SPECTATOR
            try:
                if live.table.game.has_hidden and live.table.plies:  # slow the first time
                    caller = (id, seat, "recall")
                    await self.pools.guests.run(caller, HELP_LIMIT, live.table.recall, seat)
                async with live.changing:
                    if self.live.get(id) is live:  # not everybody has left meanwhile
                        _check_room(live, seat)
                        connection.seat, is_seated = seat, True
                        live.enter(connection)
            finally:
                self._drop_if_empty(live)

    def leave(self, connection: Connection) -> None:
        """Forget a connection, and its table if it was the last."""
        if connection.live is not None:
            connection.live.leave(connection)
            self._drop_if_empty(connection.live)

    def _drop_if_empty(self, live: LiveTable) -> None:
        """Stop a table where nobody is; it comes back from the store."""
        if not live.connections:
            if live.driver is not None:
                live.driver.cancel()
            live.driver = None
            if self.live.get(live.id) is live:  # no other has come to life meanwhile
                del self.live[live.id]

    async def _live(self, id: str) -> LiveTable:
        """Return a table, which is in memory once. Raises Refused."""
        lock = self._loading.setdefault(id, asyncio.Lock())
        async with lock:
            if id not in self.live:
                if len(self.live) >= MAX_LIVE_TABLES:
                    raise Refused(f"this server has {MAX_LIVE_TABLES} tables, its limit")
                stored = await self.kept(self.store.load, id)
                if stored is None:
                    raise Refused("this table is gone")
                await self._check_files(id, stored.setup, stored.digests)
                table = await self._made(id, stored.setup, stored.actions, stored.version)
                table.undone = stored.undone
                self.live[id] = LiveTable(
                    id, stored.tokens, table, self.pools, self._keep, self.requests
                )
            return self.live[id]

    # The store

    async def kept(self, call: Callable[..., Result], *arguments: Any) -> Result:
        """Return what a call of the store returns, made beside the event loop, in order.

        Raises Refused where the store fails.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._storing, functools.partial(call, *arguments)
            )
        except (OSError, sqlite3.Error) as error:
            raise Refused(f"the store of games fails: {error}") from error

    def close(self) -> None:
        """Close the store when all is written."""
        self._storing.shutdown()
        self.store.close()

    async def _keep(self, id: str, table: GameTable, is_other_setup: bool) -> None:
        await self.kept(self.store.keep, id, table, is_other_setup)

    async def _check_files(self, id: str, setup: Setup, kept: dict[str, str]) -> None:
        """Raise Refused where players are files that a stored table must not run."""
        digests = await self._prepared(id, setup.file_digests)
        await self._prepared(id, check_stored, digests, kept.values(), self.store.trusts(id))

    # Requests that concern more than the game at a table

    async def _again(self, live: LiveTable, connection: Connection, message: dict) -> None:
        """Move everybody to a new table: another deal, or the same one.

        A guest agrees to a new deal. The person who opened the table makes it; where that person
        is not there, everybody does who has a seat.
        """
        assert connection.seat is not None
        seats = live.table.setup.seats
        if seats[connection.seat].kind != HERE:
            if not live.table.is_over:
                _check_here(live, connection)
            if set(message) != {"type", "deal"} or message["deal"] != NEW_DEAL:
                raise Refused("guests can agree to a new deal and to nothing else")
            live.agreed.add(connection.seat)
            live.send_presence()
            there = {other.seat for other in live.connections if other.seat is not SPECTATOR}
            if there - live.agreed or any(seats[seat].kind == HERE for seat in there):
                return
        if message["deal"] not in (NEW_DEAL, SAME_DEAL):
            raise BadMessage(f"deal is {NEW_DEAL} or {SAME_DEAL}")
        table, actions = live.table, []
        setup = table.setup.starting_from(table.setup.deal, table.setup.seed)
        if message["deal"] == NEW_DEAL:
            setup = setup.starting_from({}, fresh_seed())
        if "ply" in message:
            _check_study(table, connection)
            actions = table.actions[: message["ply"]]
        is_turned = message.get("turned", False)
        if is_turned:
            setup = setup.turned()
        _, tokens = await self.open(setup, actions)
        num_seats = len(setup.seats)
        for other in tuple(live.connections):
            number = num_seats
            if other.seat is not SPECTATOR:
                number = (other.seat + int(is_turned)) % num_seats
            other.put({"type": "moved", "token": tokens[number]})

    async def _share(self, live: LiveTable, connection: Connection, message: dict) -> None:
        """Send what the game is made of, its deal included."""
        _check_study(live.table, connection)
        connection.put({"type": "shared", **live.table.as_shared()})

    async def _take_over(self, live: LiveTable, connection: Connection, message: dict) -> None:
        """Let a player play on for a person who has left."""
        _check_here(live, connection)
        table, seat, player = live.table, message["seat"], message["player"]
        if seat not in table.people or seat == connection.seat:
            raise Refused("only another person's seat can be taken over")
        if seat in {other.seat for other in live.connections}:
            raise Refused("this person is connected")
        seats = list(table.setup.seats)
        try:
            check_player(player, table.game)
            seats[seat] = player_seat(player)
        except ValueError as error:
            raise Refused(str(error)) from error
        await self._reseat(live, seats)

    async def _take(self, live: LiveTable, connection: Connection, message: dict) -> None:
        """Give a guest a chair that is free, under a name; the guest connects again to it."""
        seat, seats = message["seat"], list(live.table.setup.seats)
        if connection.seat is not SPECTATOR:
            raise Refused("you have a seat")
        if not 0 <= seat < len(seats) or seats[seat].kind != FREE:
            raise Refused("this chair is not free")
        name = message["name"].strip()
        try:
            check_name(name)
            if name.casefold() == YOU.casefold():  # which others read as the host
                raise ValueError(f"give your name: {YOU} is none")
            seats[seat] = Occupant(REMOTE, name)
        except ValueError as error:
            raise Refused(str(error)) from error
        await self._reseat(live, seats)
        connection.put({"type": "moved", "token": live.tokens[seat]})

    async def start(self, id: str) -> None:
        """Start the game of a table that awaits guests; players take the chairs that are free.

        Raises Refused where it has started.
        """
        live = await self._live(id)
        try:
            if not live.table.setup.is_waiting:
                raise Refused("this game has started")
            rival = player_seat(middling_player(live.table.game))
            seats = [rival if who.kind == FREE else who for who in live.table.setup.seats]
            await self._reseat(live, seats, is_waiting=False)
        finally:
            self._drop_if_empty(live)

    async def _reseat(self, live: LiveTable, seats: Sequence[Occupant], **more: Any) -> None:
        """Let others sit at a table. Raises Refused where it has changed meanwhile."""
        version, table = live.version, live.table
        setup = dataclasses.replace(table.setup, seats=tuple(seats), **more)
        changed = await self._made(live.id, setup, table.actions)
        if not await live.change(lambda: changed, version):
            raise Refused("somebody was quicker: try again")


def _check_here(live: LiveTable, connection: Connection) -> None:
    assert connection.seat is not None
    if live.table.setup.seats[connection.seat].kind != HERE:
        raise Refused("only the person who opened the table can do this")


def _check_study(table: GameTable, connection: Connection) -> None:
    """Raise Refused unless a person may know the deal: after the end, or alone with players."""
    is_here = table.setup.seats[connection.seat or 0].kind == HERE
    if not table.is_over and not (is_here and table.people == [connection.seat]):
        raise Refused("this game is not over, and others are playing")


def _check_room(live: LiveTable, seat: int | None) -> None:
    """Raise Refused where a seat is a player's, or has enough connections."""
    if seat is not SPECTATOR and live.table.policies[seat] is not None:
        raise Refused("a player has taken this seat")
    limit = MAX_SPECTATORS if seat is SPECTATOR else MAX_CONNECTIONS_A_SEAT
    if sum(other.seat == seat for other in live.connections) >= limit:
        raise Refused("too many connections to this seat")


def _warm_up(table: GameTable) -> None:
    """Load what the first moves of a game need, so that they do not hold up the event loop."""
    trial = GameTable(dataclasses.replace(table.setup, resigned=NO_SEAT))
    for seat in (SPECTATOR, *range(table.game.num_seats)):
        position_message(trial, seat)
    players = players_of(trial.game)
    for spec in {seat.player for seat in trial.setup.seats if seat.player.split(":")[0] in players}:
        with contextlib.suppress(Exception):  # it is told when it is to move
            _load_player(trial, spec)
    if trial.legal:
        trial.act(trial.legal[0])


def _load_player(trial: GameTable, spec: str) -> None:
    """Let a listed player choose once with a small budget: loading its code is no thinking time."""
    name, _, rest = spec.partition(":")
    settings = parse_settings(rest)
    small: dict[str, Any] = {key: 1 for key in ("milliseconds", *COUNTS) if key in settings}
    policy = make_policy(name, trial.game, **{**settings, **small})
    trial.seating.choose(policy, trial.running.turn)
