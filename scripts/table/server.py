"""What the server answers: requests of its owner, pages for everybody, and the seats."""

import asyncio
import functools
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router, WebSocketRoute

from ...envs import find_game
from ...envs.core.played.page.replay import replay_page
from ...envs.core.played.transcript import replay_data
from ...envs.core.rng import check_seed
from .catalogue import game_choices
from .guard import POLICY, REPLAY_POLICY, is_owner, refusal
from .host import Host
from .matches import new_plan, result_data
from .protocol import Allowance, Refused, title
from .rules import rules_of
from .sockets import serve_seat
from .store import StoredTable
from .stored_games import arena_game, judged_plies, transcript_of
from .table import MAX_SEATS, REMOTE, Occupant, Setup, new_setup, new_token
from .thinking import TooSlow

NUM_RECENT = 12
OPENED_A_SECOND, MAX_OPENED_AT_ONCE = 20, 250  # tables, by the owner's programs
MAX_PACE = 10.0
MAX_REPLAYS = 20  # kept in memory
REPLAY_LIMIT = 120.0
REPLAY_SECONDS = 6.0  # to search for the values of all moves of a game

Answer = Callable[[Request], Awaitable[Response]]


class NotHere(Exception):
    """A request for something that there is not."""


def make_routes(state: Any, settings: dict[str, Any]) -> Router:
    """Return all but the pages; the tables are in `state.host`, made with these settings."""
    state.host, state.replays = Host(state.store, **settings), {}
    state.opening = Allowance(a_second=OPENED_A_SECOND, burst=MAX_OPENED_AT_ONCE)
    return Router(
        [
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
            WebSocketRoute("/seat", serve_seat),
        ]
    )


# Requests of the person who started the server


def _for_owner(answer: Callable[[Request], Awaitable[Any]]) -> Answer:
    """Answer the owner with plain data, and everybody else and wrong requests with a reason."""

    @functools.wraps(answer)
    async def checked(request: Request) -> Response:
        if not is_owner(request):
            return refusal(403, "open the address that `parlour` printed")
        try:
            return JSONResponse(await answer(request))
        except NotHere as error:
            return refusal(404, str(error))
        except KeyError as error:
            return refusal(400, f"this request needs {error.args[0]}")
        except TooSlow:
            return refusal(400, "this takes too long")
        except (Refused, ValueError, TypeError, ImportError, OSError, sqlite3.Error) as error:
            return refusal(400, str(error))

    return checked


def _opening(answer: Answer) -> Answer:
    """Limit how often tables and matches are opened; for the owner's requests."""

    @functools.wraps(answer)
    async def limited(request: Request) -> Response:
        if is_owner(request) and not request.app.state.opening.take():
            return refusal(429, "too many new tables: wait a little")
        return await answer(request)

    return limited


async def _data(request: Request) -> dict[str, Any]:
    try:
        data = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise Refused("expected a JSON object")
    return data


@_for_owner
async def _game(request: Request) -> Any:
    settings = (await _data(request)).get("settings")
    if settings is not None and not isinstance(settings, dict):
        raise Refused("settings is an object")
    return await asyncio.to_thread(game_choices, request.path_params["name"], settings)


@_for_owner
async def _tables(request: Request) -> Any:
    return [_entry(table) for table in request.app.state.store.recent(NUM_RECENT)]


@_opening
@_for_owner
async def _open(request: Request) -> Any:
    setup = await asyncio.to_thread(_setup, await _data(request))
    id, tokens = await request.app.state.host.open(setup)
    return {"id": id, "tokens": tokens}


@_for_owner
async def _links(request: Request) -> Any:
    """Answer the names and tokens of the other seats and of spectators, for the token of a seat."""
    store = request.app.state.store
    id = store.table_id(str((await _data(request)).get("token")))
    stored = None if id is None else store.load(id)
    if stored is None:
        raise NotHere("no table has this token")
    seats = zip(stored.setup.seats, stored.tokens, strict=False)
    links = [[who.name, token] for who, token in seats if who.kind == REMOTE]
    return [*links, ["To watch", stored.tokens[-1]]]


@_opening
@_for_owner
async def _open_match(request: Request) -> Any:
    data = await _data(request)
    if not isinstance(data.get("settings"), dict) or type(data.get("deals")) is not int:
        raise TypeError("settings is an object, and deals a number")
    game, agent, opponent = (str(data[key]) for key in ("game", "agent", "opponent"))
    match = await request.app.state.host.open_match(
        lambda: new_plan(game, data["settings"], agent, opponent, data["deals"])
    )
    return {"id": match.id, "token": match.token}


@_for_owner
async def _match(request: Request) -> Any:
    match = request.app.state.store.match(id=request.path_params["id"])
    if match is None:
        raise NotHere("there is no such match")
    return await asyncio.to_thread(result_data, match.plan, match.returns)


@_for_owner
async def _results(request: Request) -> Any:
    results = request.app.state.results
    if results is None:
        raise NotHere("no store of results is shown here: parlour watch STORE --browser")
    return await asyncio.to_thread(results.data)


@_for_owner
async def _make_replay(request: Request) -> Any:
    """Make the page of a game, of the results or of a table; answer its address."""
    state = request.app.state
    about = await _data(request)
    page = await state.host.minds.owner.run("replay", REPLAY_LIMIT, _replay_page, state, about)
    token = new_token()
    state.replays[token] = page
    while len(state.replays) > MAX_REPLAYS:
        state.replays.pop(next(iter(state.replays)))
    return {"address": f"/replay/{token}"}


def _replay_page(state: Any, data: dict[str, Any]) -> str:
    """Return the replay of {"contest", "deal", "sitting"} or {"table"}. Raises ValueError."""
    if "table" in data:
        stored = state.store.load(str(data["table"]))
        if stored is None or not stored.is_over:
            raise ValueError("there is no finished game of this table")
        transcript, names = transcript_of(stored)
    elif state.results is None:
        raise ValueError("no store of results is shown here")
    else:
        deal = None if data.get("deal") is None else check_seed(data["deal"])
        contest, sitting = int(data.get("contest", 1)), int(data.get("sitting", 0))
        results = state.results
        transcript, names = arena_game(
            results.path, contest, deal, sitting, is_trusted=results.is_trusted
        )
    judged = judged_plies(transcript, REPLAY_SECONDS / max(1, len(transcript.plies)))
    return replay_page(replay_data(transcript, None, names, judged))


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
    pace = data.get("pace", 0)
    if type(pace) not in (int, float) or not 0 <= pace <= MAX_PACE:
        raise ValueError(f"pace is 0 to {MAX_PACE:g} seconds a move")
    game = find_game(data["game"], **data["settings"])
    return new_setup(
        game,
        data["settings"],
        occupants,
        data.get("seed"),
        skip_forced=bool(data.get("forced", True)),
        pace=pace,
        is_open=bool(data.get("open", False)),
        has_help=bool(data.get("help", True)),
    )


# What everybody may ask for


async def _rules(request: Request) -> Response:
    try:
        return JSONResponse(await asyncio.to_thread(rules_of, request.path_params["name"]))
    except ValueError as error:
        return refusal(404, str(error))


async def _replay(request: Request) -> Response:
    page = request.app.state.replays.get(request.path_params["token"])
    if page is None:
        return refusal(404, "this replay is gone: open it again")
    return Response(page, media_type="text/html", headers={POLICY: REPLAY_POLICY})
