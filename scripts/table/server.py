"""The web server: the page, a few requests to open tables, and a WebSocket for each seat."""

import asyncio
import contextlib
import json
import logging
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from ...envs import find_game
from ...envs.core.catalogue import kept_settings
from ...envs.core.played.page.replay import replay_page
from ...envs.core.played.transcript import replay_data
from ...envs.core.rng import check_seed, fresh_seed
from .catalogue import game_choices
from .guard import MAX_CONNECTIONS, POLICY, REPLAY_POLICY, Allowance, Guard
from .host import Connection, Host, Refused
from .matches import new_plan, result_data
from .pages import PAGE_ROUTES, is_owner, refusal, title
from .protocol import BadMessage, parse
from .rules import rules_of
from .store import Damaged, StoredTable, TableStore
from .stored_games import arena_game, judged_plies, transcript_of
from .table import MAX_SEATS, REMOTE, Occupant, Setup, new_token
from .thinking import TooSlow

if TYPE_CHECKING:
    from .tournaments import RunningResults

SECONDS_TO_SIT = 10.0  # for a new connection to send its token
MAX_MISTAKES = 20  # wrong messages before a connection is closed
NUM_RECENT = 12
OPENED_A_SECOND, MAX_OPENED_AT_ONCE = 20, 250  # tables, by the owner's programs
MAX_PACE = 10.0
MAX_REPLAYS = 20  # kept in memory
REPLAY_LIMIT = 120.0
REPLAY_SECONDS = 6.0  # to search for the values of all moves of a game

log = logging.getLogger(__name__)


def make_app(
    store: TableStore,
    owner_key: str,
    hosts: Iterable[str],
    results: "RunningResults | None" = None,
    **settings: Any,
) -> Guard:
    """Return the ASGI app. `owner_key` lets its bearer open tables; `settings` are the host's.

    `results` are those of the page of tournaments.
    """
    host = Host(store, **settings)
    opening = Allowance(a_second=OPENED_A_SECOND, burst=MAX_OPENED_AT_ONCE)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        store.close()

    routes = [
        *PAGE_ROUTES,
        Route("/api/games/{name}", _game, methods=["POST"]),
        Route("/api/rules/{name}", _rules),
        Route("/api/tables", _tables, methods=["GET"]),
        Route("/api/tables", _open, methods=["POST"]),
        Route("/api/links", _links, methods=["POST"]),
        Route("/api/matches", _open_match, methods=["POST"]),
        Route("/api/matches/{id}", _match),
        Route("/api/results", _results),
        Route("/api/replays", _make_replay, methods=["POST"]),
        Route("/replay/{token}", _replay),
        WebSocketRoute("/seat", _seat),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.state.host, app.state.owner_key, app.state.opening = host, owner_key, opening
    app.state.running, app.state.replays = results, {}
    return Guard(app, hosts)


# Requests of the person who started the server


async def _game(request: Request) -> Response:
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    try:
        settings = (await _json(request)).get("settings")
        if settings is not None and not isinstance(settings, dict):
            raise Refused("settings is an object")
        name = request.path_params["name"]
        return JSONResponse(await asyncio.to_thread(game_choices, name, settings))
    except (Refused, ValueError, TypeError, ImportError, OSError) as error:
        return refusal(400, str(error))


async def _tables(request: Request) -> Response:
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    return JSONResponse([_entry(t) for t in _host(request).store.recent(NUM_RECENT)])


async def _open(request: Request) -> Response:
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    if not request.app.state.opening.take():
        return refusal(429, "too many new tables: wait a little")
    try:
        setup = await asyncio.to_thread(_setup, await _json(request))
        id, tokens = await _host(request).open(setup)
    except (Refused, ValueError, TypeError, KeyError, OSError) as error:
        return refusal(400, str(error))
    return JSONResponse({"id": id, "tokens": tokens})


async def _links(request: Request) -> Response:
    """Answer the names and tokens of the other seats and of spectators, for the token of a seat."""
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    try:
        token = str((await _json(request)).get("token"))
    except Refused as error:
        return refusal(400, str(error))
    store = _host(request).store
    id = store.table_id(token)
    stored = None if id is None else store.load(id)
    if stored is None:
        return refusal(404, "no table has this token")
    links = [
        [who.name, each]
        for who, each in zip(stored.setup.seats, stored.tokens, strict=False)
        if who.kind == REMOTE
    ]
    return JSONResponse([*links, ["To watch", stored.tokens[-1]]])


async def _open_match(request: Request) -> Response:
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    if not request.app.state.opening.take():
        return refusal(429, "too many new tables: wait a little")
    try:
        data = await _json(request)
        if not isinstance(data.get("settings"), dict) or type(data.get("deals")) is not int:
            raise TypeError("settings is an object, and deals a number")
        names = [str(data[key]) for key in ("game", "agent", "opponent")]
        match = await _host(request).open_match(
            lambda: new_plan(names[0], data["settings"], names[1], names[2], data["deals"])
        )
    except (Refused, ValueError, TypeError) as error:
        return refusal(400, str(error))
    except KeyError as error:
        return refusal(400, f"a match needs {error.args[0]}")
    return JSONResponse({"id": match.id, "token": match.token})


async def _match(request: Request) -> Response:
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    match = _host(request).store.match(id=request.path_params["id"])
    if match is None:
        return refusal(404, "there is no such match")
    try:
        return JSONResponse(await asyncio.to_thread(result_data, match.plan, match.returns))
    except ValueError as error:  # its settings name a file
        return refusal(400, str(error))


async def _results(request: Request) -> Response:
    if not is_owner(request):
        return refusal(403, "open the address that `parlour watch` printed")
    running = request.app.state.running
    if running is None:
        return refusal(404, "no store of results is shown here: parlour watch STORE --browser")
    try:
        return JSONResponse(await asyncio.to_thread(running.data))
    except (ValueError, sqlite3.Error) as error:
        return refusal(400, str(error))


async def _make_replay(request: Request) -> Response:
    """Make the page of a game, of the results or of a table; answer its address."""
    if not is_owner(request):
        return refusal(403, "open the address that `parlour play` printed")
    try:
        data = await _json(request)
        page = await _host(request).owner.run(
            "replay", REPLAY_LIMIT, _replay_page, request.app.state, data
        )
    except TooSlow:
        return refusal(400, "this game takes too long to play again")
    except (Refused, ValueError, TypeError, ImportError, OSError) as error:
        return refusal(400, str(error))
    token, replays = new_token(), request.app.state.replays
    replays[token] = page
    while len(replays) > MAX_REPLAYS:
        replays.pop(next(iter(replays)))
    return JSONResponse({"address": f"/replay/{token}"})


def _replay_page(state: Any, data: dict[str, Any]) -> str:
    """Return the replay of {"contest", "deal", "sitting"} or {"table"}. Raises ValueError."""
    if "table" in data:
        stored = state.host.store.load(str(data["table"]))
        if stored is None or not stored.is_over:
            raise ValueError("there is no finished game of this table")
        transcript, names = transcript_of(stored)
    elif state.running is None:
        raise ValueError("no store of results is shown here")
    else:
        deal = None if data.get("deal") is None else check_seed(data["deal"])
        numbers = [int(data.get(name, start)) for name, start in (("contest", 1), ("sitting", 0))]
        stored = (state.running.path, numbers[0], deal, numbers[1])
        transcript, names = arena_game(*stored, is_trusted=state.running.is_trusted)
    judged = judged_plies(transcript, REPLAY_SECONDS / max(1, len(transcript.plies)))
    return replay_page(replay_data(transcript, None, names, judged))


async def _replay(request: Request) -> Response:
    page = request.app.state.replays.get(request.path_params["token"])
    if page is None:
        return refusal(404, "this replay is gone: open it again")
    return Response(page, media_type="text/html", headers={POLICY: REPLAY_POLICY})


def _entry(stored: StoredTable) -> dict[str, Any]:
    """What the list of tables shows, with the links of people's seats."""
    seats = [{"name": who.name, "kind": who.kind} for who in stored.setup.seats]
    tokens = [
        token if who.player == "" else None
        for token, who in zip(stored.tokens, stored.setup.seats, strict=False)
    ]
    return {
        "id": stored.id,
        "title": title(stored.setup.game),
        "seats": seats,
        "tokens": tokens,
        "watch": stored.tokens[-1],
        "num_plies": len(stored.actions),
        "is_over": stored.is_over,
        "age": round(time.time() - stored.changed),
    }


def _setup(data: dict[str, Any]) -> Setup:
    """Check what the page sent. Raises ValueError, TypeError, KeyError."""
    seats = data["seats"]
    if not isinstance(seats, list) or not 0 < len(seats) <= MAX_SEATS:
        raise ValueError(f"a table has 1 to {MAX_SEATS} seats")
    occupants = tuple(
        Occupant(str(seat["kind"]), str(seat["name"]), str(seat.get("player", "")))
        for seat in seats
    )
    if not isinstance(data["settings"], dict) or not isinstance(data["game"], str):
        raise TypeError("game is a name, and settings an object")
    seed = data.get("seed")
    seed = fresh_seed() if seed is None else check_seed(seed)
    pace = data.get("pace", 0)
    if type(pace) not in (int, float) or not 0 <= pace <= MAX_PACE:
        raise ValueError(f"pace is 0 to {MAX_PACE:g} seconds a move")
    game = find_game(data["game"], **data["settings"])
    return Setup(
        game.name,
        kept_settings(game, data["settings"]),
        occupants,
        seed,
        bool(data.get("forced", True)),
        pace,
        bool(data.get("open", False)),
        has_help=bool(data.get("help", True)),
    )


def _host(request: Request) -> Host:
    return request.app.state.host


async def _json(request: Request) -> dict[str, Any]:
    try:
        data = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        raise Refused("expected a JSON object") from None
    if not isinstance(data, dict):
        raise Refused("expected a JSON object")
    return data


# What everybody may ask for


async def _rules(request: Request) -> Response:
    try:
        return JSONResponse(await asyncio.to_thread(rules_of, request.path_params["name"]))
    except ValueError as error:
        return refusal(404, str(error))


# Seats


async def _seat(socket: WebSocket) -> None:
    """Serve one connection from its token to its end."""
    host: Host = socket.app.state.host
    connection = Connection()
    is_seated = False
    try:
        await socket.accept()
        async with asyncio.timeout(SECONDS_TO_SIT):
            message = parse(await _text(socket))
            if message["type"] != "sit":
                raise Refused("take a seat first: type sit")
        connection.is_narrow = message.get("is_narrow", False)
        connection.has_data = message.get("has_data", False)
        if host.num_connections >= MAX_CONNECTIONS:
            raise Refused("too many connections")
        await host.sit(connection, message["token"])
        socket.scope["doors"].admit(socket.scope)
        is_seated = True
        host.num_connections += 1
        await _serve(socket, host, connection)
    except (BadMessage, Refused, Damaged) as error:
        await _close(socket, str(error))
    except (WebSocketDisconnect, TimeoutError, RuntimeError):
        await _close(socket, "no token in time")
    finally:
        host.num_connections -= is_seated
        host.leave(connection)


async def _serve(socket: WebSocket, host: Host, connection: Connection) -> None:
    """Send and receive side by side; whichever ends first ends both."""
    jobs = [
        asyncio.create_task(_send_all(socket, connection)),
        asyncio.create_task(_receive_all(socket, host, connection)),
        asyncio.create_task(connection.is_too_slow.wait()),
    ]
    try:
        done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        for job in done:
            job.result()
    finally:
        for job in jobs:
            job.add_done_callback(_forget_error)
            job.cancel()
    await _close(socket, "the connection is too slow")


def _forget_error(job: asyncio.Task) -> None:
    if not job.cancelled():
        job.exception()


async def _send_all(socket: WebSocket, connection: Connection) -> None:
    while True:
        await socket.send_text(await connection.queue.get())


async def _receive_all(socket: WebSocket, host: Host, connection: Connection) -> None:
    allowance = Allowance(a_second=20, burst=60)
    mistakes = 0
    while True:
        text = await _text(socket)
        if not allowance.take():
            raise Refused("too many messages")
        try:
            message = parse(text)
            await host.handle(connection, message)
            if message["type"] == "act":  # a legal one, once for each position
                allowance.give_back()
        except (BadMessage, Refused) as error:
            mistakes += isinstance(error, BadMessage)
            if mistakes >= MAX_MISTAKES:
                raise Refused("too many wrong messages") from None
            connection.put({"type": "error", "text": str(error)})


async def _text(socket: WebSocket) -> str | bytes:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    return message.get("text") or message.get("bytes") or ""


async def _close(socket: WebSocket, reason: str) -> None:
    """Say why, if the client is still there, and close."""
    with contextlib.suppress(Exception):
        async with asyncio.timeout(2):
            await socket.send_text(json.dumps({"type": "closed", "text": reason}))
            await socket.close(1008)
