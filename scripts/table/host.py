"""The tables that are being played, and everybody connected to them.

One task a table lets its players think, applies moves, and sends each seat its own view. A table
without connections does not think; it is dropped from memory and comes back from the store.
"""

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ...baselines.players.making import players_of
from ...baselines.players.named_files import check_player, check_stored
from ...envs.core.drawing.render import drawn, picture_svg
from .matches import MatchPlan, load_statistics, result_data
from .protocol import NEW_DEAL, SAME_DEAL, BadMessage
from .store import StoredMatch, TableStore
from .table import (
    HERE,
    MAX_NAME,
    PLAYER,
    GameTable,
    Occupant,
    PlayedPly,
    Setup,
    check_thinking_times,
    new_token,
)
from .thinking import NUM_TURNS, Thinkers, TooSlow
from .views import (
    SPECTATOR,
    advisers,
    history_message,
    judged_data,
    picture_before,
    position_message,
    reason_data,
    values_data,
)

THINKING_LIMIT = 30.0  # seconds a move that a player may be given
PATIENCE = 1.5  # times the limit until a player's move is replaced: a busy machine is late
SETUP_LIMIT = 600.0  # seconds: the first time, rules are compiled
STUDY_SECONDS = 120.0  # how long hints become better while a person thinks
STUDY_SLICE = 0.4
MAX_REVIEWED = 60
MAX_CONNECTIONS_A_SEAT = 6  # so that no guest keeps the others out
MAX_SPECTATORS = 24
MAX_LIVE_TABLES = 500
QUEUE_LENGTH = 64  # messages waiting for a slow client, before it is cut off
_HELP = ("hint", "judge", "explain")

Result = TypeVar("Result")


class Refused(Exception):
    """A request that cannot be granted; the text is for the person."""


class Connection:
    """One client at a table: its seat (None for a spectator) and the messages for it."""

    def __init__(self) -> None:
        self.live: LiveTable | None = None
        self.seat: int | None = SPECTATOR
        self.is_narrow = False
        self.has_data = False  # for programs: observations in place of pictures
        self.queue: asyncio.Queue[str] = asyncio.Queue(QUEUE_LENGTH)
        self.is_too_slow = asyncio.Event()
        self.tasks: dict[str, asyncio.Task[None]] = {}  # by what was asked for, such as "hint"

    def put(self, message: dict[str, Any]) -> None:
        """Queue a message; a client that does not read is cut off."""
        try:
            self.queue.put_nowait(json.dumps(message, separators=(",", ":")))
        except asyncio.QueueFull:
            self.is_too_slow.set()

    def start_task(self, kind: str, job: Coroutine[Any, Any, None]) -> None:
        """Work on an answer, in place of an earlier one of this kind."""
        self.stop_task(kind)
        self.tasks[kind] = asyncio.create_task(job)

    def stop_task(self, kind: str) -> None:
        """Stop an answer that is under way."""
        if kind in self.tasks:
            self.tasks.pop(kind).cancel()

    def stop_tasks(self) -> None:
        """Stop all answers that are under way."""
        for kind in tuple(self.tasks):
            self.stop_task(kind)


class LiveTable:
    """A table in memory, with its connections."""

    def __init__(self, id: str, tokens: tuple[str, ...], table: GameTable) -> None:
        self.id = id
        self.tokens = tokens
        self.table = table
        self.match: str | None = None  # the token of the agent's match of which this is a game
        self.connections: set[Connection] = set()
        self.wake = asyncio.Event()
        self.version = 0  # rises with every change, so that late thoughts are dropped
        self.moved = time.monotonic()  # when the last move was made
        self.driver: asyncio.Task[None] | None = None
        self._made: dict[tuple[int | None, bool, bool], dict[str, Any]] = {}  # positions

    def changed(self) -> None:
        """Drop thoughts about the former position, and let the next seat act."""
        self.version += 1
        self._made.clear()
        self.moved = time.monotonic()
        for connection in self.connections:
            connection.stop_task("hint")
        self.wake.set()

    def broadcast(self, make: Callable[[Connection], dict[str, Any]]) -> None:
        """Send each connection its own message."""
        made: dict[tuple[int | None, bool, bool], dict[str, Any]] = {}
        for connection in self.connections:
            key = (connection.seat, connection.is_narrow, connection.has_data)
            if key not in made:
                made[key] = make(connection)
            connection.put(made[key])

    def send_position(self) -> None:
        """Send everybody the position as they see it."""
        self.broadcast(self.position_for)

    def position_for(self, connection: Connection) -> dict[str, Any]:
        """Return the position as a connection is to see it; drawn once, however often asked for."""
        key = (connection.seat, connection.is_narrow, connection.has_data)
        if key not in self._made:
            self._made[key] = position_message(self.table, *key)
        return self._made[key]

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
        self.players = Thinkers()
        self.owner = Thinkers()  # new tables, and help for people here
        self.guests = Thinkers(NUM_TURNS // 2)  # help for everybody else
        self.warm: set[tuple[str, str]] = set()  # games and settings that have been at a table
        self.num_connections = 0

    # Tables

    async def open(self, setup: Setup) -> tuple[str, tuple[str, ...]]:
        """Make a table; return its id and its tokens: one a seat, then the spectators'.

        Raises Refused where the setup is impossible.
        """
        live = await self._opened(secrets.token_hex(8), setup)
        return live.id, live.tokens

    async def _opened(self, id: str, setup: Setup) -> LiveTable:
        self._make_room()
        table = await self._made(id, setup, [])
        tokens = tuple(new_token() for _ in range(len(setup.seats) + 1))
        self.store.add(id, table.setup, table.game.version, tokens)
        self.live[id] = LiveTable(id, tokens, table)
        return self.live[id]

    def _make_room(self) -> None:
        """Drop tables that nobody has come to: they are in the store. Raises Refused."""
        if len(self.live) >= MAX_LIVE_TABLES:
            self.live = {id: live for id, live in self.live.items() if live.connections}
        if len(self.live) >= MAX_LIVE_TABLES:
            raise Refused(f"this server has {MAX_LIVE_TABLES} tables, its limit")

    async def open_match(self, make: Callable[[], MatchPlan]) -> StoredMatch:
        """Open a duplicate match of an agent; its token is that of all games. Raises Refused."""
        plan = await self._prepared(object(), make)
        await self._made(object(), plan.setup(0), [])
        id, token = secrets.token_hex(8), new_token()
        self.store.add_match(id, token, plan)
        return StoredMatch(id, token, plan, [], {})

    async def sit(self, connection: Connection, token: str) -> None:
        """Seat a connection by its token. Raises Refused."""
        match = self.store.match(token=token)
        if match is not None:
            live, number = await self._live_game(match), match.plan.games[len(match.returns)][1]
        else:
            id = self.store.table_id(token)
            if id is None:
                raise Refused("no seat has this token")
            live = await self._live(id)
            number = live.tokens.index(token)
        seat = number if number < live.table.game.num_seats else SPECTATOR
        await self._recall(live, seat)
        live = await self._live(live.id)  # everybody may have left meanwhile
        try:
            _check_room(live, seat)
        except Refused:
            self._drop_if_empty(live)
            raise
        live.match = None if match is None else match.token
        connection.seat = seat
        connection.live = live
        live.connections.add(connection)
        connection.put(history_message(live.table, connection.seat))
        if match is not None:
            connection.put(_match_message(match))
        connection.put(live.position_for(connection))
        live.send_presence()
        if live.driver is None:
            live.driver = asyncio.create_task(self._drive(live))
        live.wake.set()

    async def _live_game(self, match: StoredMatch) -> LiveTable:
        """Return the table of the game that a match has come to. Raises Refused after the last."""
        if match.is_over:
            raise Refused("this match is over")
        await self.owner.run(load_statistics, SETUP_LIMIT, load_statistics)
        if match.table_id in self.live or self.store.load(match.table_id) is not None:
            return await self._live(match.table_id)
        setup = await self._prepared(match.id, match.plan.setup, len(match.returns))
        await self._check_files(match.id, setup, match.digests)
        return await self._opened(match.table_id, setup)

    def _keep_result(self, live: LiveTable) -> None:
        """Count a game of a match, and tell the agent how to go on."""
        assert live.match is not None
        match = self.store.match(token=live.match)
        if match is None or match.is_over or match.table_id != live.id:
            return
        match.returns.append(None if self.store.is_replaced(live.id) else live.table.returns)
        self.store.update_match(match)
        message = {"type": "moved", "token": match.token}
        if match.is_over:
            message = {**_match_message(match), **result_data(match.plan, match.returns)}
        live.broadcast(lambda _: message)

    async def _recall(self, live: LiveTable, seat: int | None) -> None:
        """Find out beside the event loop what a newcomer saw of earlier moves."""
        table = live.table
        if table.game.has_hidden and table.plies:
            try:
                caller = (live.id, seat, "recall")
                await self.guests.run(caller, SETUP_LIMIT, table.recall, seat)
            except TooSlow as error:
                raise Refused(str(error)) from error

    def leave(self, connection: Connection) -> None:
        """Forget a connection, and its table if it was the last."""
        connection.stop_tasks()
        live = connection.live
        if live is None:
            return
        live.connections.discard(connection)
        live.send_presence()
        self._drop_if_empty(live)

    def _drop_if_empty(self, live: LiveTable) -> None:
        """Stop a table where nobody is; it comes back from the store."""
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
                await self._check_files(id, stored.setup, stored.digests)
                table = await self._made(id, stored.setup, stored.actions, stored.version)
                table.undone = stored.undone
                self.live[id] = LiveTable(id, stored.tokens, table)
            self.loading.pop(id, None)
            return self.live[id]

    async def _check_files(self, id: str, setup: Setup, kept: dict[str, str]) -> None:
        """Raise Refused where players are files that a stored table or match must not run."""
        found = await self._prepared(id, setup.file_digests)
        await self._prepared(id, check_stored, found, kept.values(), self.store.trusts(id))

    async def _made(
        self, caller: object, setup: Setup, actions: list[int], version: int | None = None
    ) -> GameTable:
        table = await self._prepared(caller, _made, setup, actions, version)
        await self._prepared(caller, check_thinking_times, table.setup, self.thinking_limit)
        kind = (setup.game, repr(setup.settings))
        if kind not in self.warm:
            await self._prepared(caller, _warm_up, table)
            self.warm.add(kind)
        return table

    async def _prepared(
        self, caller: object, call: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Return what a call returns that prepares a table. Raises Refused."""
        try:
            return await self.owner.run(caller, SETUP_LIMIT, call, *arguments)
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
            caller = (live.id, table.seat_to_act)
            limit = PATIENCE * self.thinking_limit
            action = await self.players.run(caller, limit, table.choose, policy)
        except Exception as error:  # whatever a player does, the others play on
            if live.version != version:
                return
            action = self._replaced(live, error)
        await asyncio.sleep(max(0.0, live.moved + table.setup.pace - time.monotonic()))
        if live.version == version:
            self._apply(live, action)

    def _replaced(self, live: LiveTable, error: Exception) -> int:
        """Return a random action for a player that gave none; its game counts in no match."""
        table = live.table
        who = table.setup.seats[table.seat_to_act].name
        reason = str(error) if isinstance(error, TooSlow) else "it failed"
        text = f"{who} gave no move ({reason}); a random legal move is played for it"
        self.store.note_replaced(live.id)
        live.broadcast(lambda _: {"type": "notice", "text": text})
        return secrets.choice(table.legal)

    def _apply(self, live: LiveTable, action: int) -> None:
        live.table.act(action)
        self._keep(live)

    def _keep(self, live: LiveTable) -> None:
        """Store a change and send it."""
        table = live.table
        self.store.update(live.id, table.actions, table.undone, table.is_over)
        live.changed()
        live.send_position()
        if live.match is not None and table.is_over:
            self._keep_result(live)

    # What a client asks for

    async def handle(self, connection: Connection, message: dict[str, Any]) -> None:
        """Do what a checked message asks. Raises Refused and BadMessage."""
        live = connection.live
        kind = message["type"]
        if live is None or kind == "sit":
            raise Refused("take a seat first, once: type sit")
        if kind == "look":
            connection.is_narrow = message["is_narrow"]
            connection.put(live.position_for(connection))
            return
        if kind == "look_back":
            self._look_back(live, connection, message["ply"])
            return
        is_shown_all = connection.seat is SPECTATOR and live.table.setup.is_open
        if connection.seat is SPECTATOR and not (is_shown_all and kind == "explain"):
            raise Refused("spectators only watch")
        if live.match is not None and kind != "act":
            raise Refused("a match is played without help: only act")
        if kind in _HELP and not (live.table.setup.has_help or live.table.is_over):
            raise Refused("this table is played without help")
        await getattr(self, f"_on_{kind}")(live, connection, message)

    async def _help(
        self, connection: Connection, function: Callable[..., Result], *arguments: Any
    ) -> Result:
        """Return what a call for a person finds; each seat has one such call at a time."""
        live, seat = connection.live, connection.seat
        assert live is not None
        is_here = seat is not SPECTATOR and live.table.setup.seats[seat].kind == HERE
        thinkers = self.owner if is_here else self.guests
        caller = (live.id, seat, function is picture_before)  # pictures do not wait for searches
        return await thinkers.run(caller, SETUP_LIMIT, function, *arguments)

    def _look_back(self, live: LiveTable, connection: Connection, number: int) -> None:
        """Send the picture after `number` plies. Each connection has one drawn at a time."""
        if number == len(live.table.plies):
            svg = live.position_for(connection)["svg"]
            connection.put({"type": "picture", "ply": number, "svg": svg})
            return
        ply = _ply(live.table, number)
        job = self._give_picture(live.table, connection, number, ply)
        connection.start_task("look_back", job)

    async def _give_picture(
        self, table: GameTable, connection: Connection, number: int, ply: PlayedPly
    ) -> None:
        about = (table, ply, connection.seat, connection.is_narrow)
        try:
            svg = await self._help(connection, picture_before, *about)
            connection.put({"type": "picture", "ply": number, "svg": svg})
        except TooSlow as error:
            connection.put({"type": "error", "text": str(error)})

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
        table = live.table
        if table.seat_to_act != connection.seat:
            raise Refused("hints are for the seat to act")
        allowed = advisers(table.game)
        if message["player"] not in allowed:
            raise Refused(f"hints come from one of {', '.join(allowed)}")
        connection.start_task("hint", self._give_hints(live, connection, message["player"]))

    async def _on_no_hint(self, live: LiveTable, connection: Connection, message: dict) -> None:
        connection.stop_task("hint")

    async def _give_hints(self, live: LiveTable, connection: Connection, player: str) -> None:
        """Send values that become better; a change of the position cancels this."""
        table, ply = live.table, len(live.table.plies)
        try:
            study = await self._help(connection, table.study, player)
            until = time.monotonic() + STUDY_SECONDS
            while True:
                found = await self._help(connection, study.think, STUDY_SLICE)
                connection.put({"type": "hints", "ply": ply, **values_data(table.game, found)})
                if study.is_finished or time.monotonic() >= until:
                    return
        except Exception as error:  # of a player that gives them
            connection.put({"type": "error", "text": f"no hints: {error}"})

    async def _on_judge(self, live: LiveTable, connection: Connection, message: dict) -> None:
        ply = _ply(live.table, message["ply"])
        if ply.seat != connection.seat or not ply.had_choice:
            raise Refused("you made no choice at this ply")
        job = self._give_judgement(live.table, connection, message["ply"], ply)
        connection.start_task("judge", job)

    async def _give_judgement(
        self, table: GameTable, connection: Connection, number: int, ply: PlayedPly
    ) -> None:
        try:
            found = await self._help(connection, table.judge, ply)
            connection.put({"type": "judged", "ply": number, **judged_data(table.game, found)})
        except (ValueError, TooSlow) as error:
            connection.put({"type": "error", "text": f"this move cannot be judged: {error}"})

    async def _on_explain(self, live: LiveTable, connection: Connection, message: dict) -> None:
        table, number = live.table, message["ply"]
        ply = _ply(table, number)
        if ply.seat == connection.seat or table.policies[ply.seat] is None:
            raise Refused("only moves of players are explained")
        connection.start_task("explain", self._give_reason(table, connection, number, ply))

    async def _give_reason(
        self, table: GameTable, connection: Connection, number: int, ply: PlayedPly
    ) -> None:
        """Say what a player's move was worth, as far as this seat may know."""
        try:
            found = await self._help(connection, table.explain, ply, connection.seat)
        except Exception as error:  # of the player
            connection.put({"type": "error", "text": f"this move cannot be explained: {error}"})
            return
        about = {"ply": number, "seat": ply.seat, "about": summary_of(table, ply.seat)}
        if found is None:
            connection.put({"type": "explained", **about, "source": None})
        else:
            connection.put({"type": "explained", **about, **reason_data(table.game, found)})

    async def _on_review(self, live: LiveTable, connection: Connection, message: dict) -> None:
        if not live.table.is_over:
            raise Refused("the review comes after the game")
        connection.start_task("review", self._give_review(live.table, connection))

    async def _give_review(self, table: GameTable, connection: Connection) -> None:
        """Send, move by move, what a person's choices were worth."""
        seat = connection.seat
        assert seat is not None
        chosen = table.choices_of(seat)[-MAX_REVIEWED:]
        try:
            for count, number in enumerate(chosen, start=1):
                row = await self._help(connection, _reviewed, table, number, connection)
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
            check_player(message["player"], table.game)
            name = message["player"][:MAX_NAME]
            seats[seat] = Occupant(PLAYER, name, message["player"])
        except ValueError as error:
            raise Refused(str(error)) from error
        setup = Setup(**{**vars(table.setup), "seats": tuple(seats)})
        version = live.version
        changed = await self._made(live.id, setup, table.actions)
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


def _check_room(live: LiveTable, seat: int | None) -> None:
    """Raise Refused where a seat is a player's, or has enough connections."""
    if seat is not SPECTATOR and live.table.policies[seat] is not None:
        raise Refused("a player has taken this seat")
    limit = MAX_SPECTATORS if seat is SPECTATOR else MAX_CONNECTIONS_A_SEAT
    if sum(other.seat == seat for other in live.connections) >= limit:
        raise Refused("too many connections to this seat")


def summary_of(table: GameTable, seat: int) -> str:
    """Return what is known about the player of a seat, in one sentence."""
    player = table.setup.seats[seat].player.partition(":")[0]
    listed = players_of(table.game).get(player)
    return "" if listed is None else listed.summary


def _match_message(match: StoredMatch) -> dict[str, Any]:
    """Return how far a match has come: the number of this game, from 1."""
    number = min(len(match.returns) + 1, len(match.plan.games))
    return {"type": "match", "game": number, "of": len(match.plan.games), "result": None}


def _ply(table: GameTable, number: int) -> PlayedPly:
    if not 0 <= number < len(table.plies):
        raise Refused("there is no such ply")
    return table.plies[number]


def _made(setup: Setup, actions: list[int], version: int | None) -> GameTable:
    table = GameTable(setup, actions)
    if version not in (None, table.game.version):
        raise ValueError(f"the rules of {setup.game} have changed since this table was opened")
    return table


def _warm_up(table: GameTable) -> None:
    """Load what the first moves of a game need, so that they do not hold up the event loop."""
    trial = table.without_players()
    for seat in (SPECTATOR, *range(table.game.num_seats)):
        position_message(trial, seat)
    if trial.legal:
        trial.act(trial.legal[0])


def _reviewed(table: GameTable, number: int, connection: Connection) -> dict[str, Any]:
    """Return what one choice was worth, with the picture that the seat saw."""
    ply = table.plies[number]
    row = {"ply": number, **judged_data(table.game, table.judge(ply))}
    if not connection.has_data:
        picture = drawn(table.game, ply.before, connection.seat, connection.is_narrow)
        row["svg"] = picture_svg(picture)
    return row
