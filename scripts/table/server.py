"""What the server answers: requests of its owner, pages for everybody, and the seats."""

import asyncio
import functools
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable
from typing import Any

import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute

from ...baselines.players.named_files import check_named_files
from ...envs import GAMES, find_game
from ...envs.core.catalogue import check_known, game_within
from ...envs.core.played.page.replay import replay_page
from ...envs.core.played.transcript import replay_data
from ...envs.core.rng import check_seed
from ..words import seat_names
from .catalogue import game_choices, rules_shown, tile
from .guard import POLICY, REPLAY_POLICY, is_owner, refusal
from .positions import laid_out
from .protocol import Refused, read_exactly, title
from .sockets import serve_seat
from .store import StoredTable
from .stored_games import arena_game, judged_plies, shared_game, transcript_of
from .table import FREE, HERE, MAX_SEATS, REMOTE, Occupant, Setup, check_name, new_setup, new_token
from .thinking import TooSlow
from .tournaments import Ladders, RunningResults

NUM_RECENT = 12
MAX_SECONDS = {"pace": 10.0, "move_seconds": 3600.0}  # a move
MAX_REPLAYS = 20  # kept in memory
REPLAY_LIMIT = 120.0
_CHOICES = {"forced": True, "open": False, "help": True, "shared": False}
REPLAY_SECONDS = 6.0  # to search for the values of all moves of a game

Answer = Callable[[Request], Awaitable[Response]]


class NotFound(Exception):
    """A request for something that does not exist."""


# Requests of the person who started the server


def _for_owner(answer: Callable[[Request], Awaitable[Any]]) -> Answer:
    """Answer the owner with plain data, and everybody else and wrong requests with a reason."""

    @functools.wraps(answer)
    async def checked(request: Request) -> Response:
        if not is_owner(request):
            return refusal(403, "open the address that `parlour` printed")
        try:
            return JSONResponse(await answer(request))
        except NotFound as error:
            return refusal(404, str(error))
        except KeyError as error:
            return refusal(400, f"this request needs {error.args[0]}")
        except TooSlow:
            return refusal(400, "this takes too long")
        except (Refused, ValueError, TypeError, ImportError, OSError, sqlite3.Error) as error:
            return refusal(400, str(error))

    return checked


async def _data(request: Request) -> dict[str, Any]:
    try:
        data = read_exactly(json.loads(await request.body() or b"{}"))
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise Refused("expected a JSON object")
    return data


@_for_owner
async def _games(request: Request) -> Any:
    """Answer the games by name and title."""
    has_results = request.app.state.results is not None
    return [{"name": name, "title": title(name), "has_results": has_results} for name in GAMES]


@_for_owner
async def _game(request: Request) -> Any:
    data, name = await _data(request), request.path_params["name"]
    settings = data.get("settings")
    if settings is not None and not isinstance(settings, dict):
        raise Refused("settings is an object")
    if data.get("shared"):
        await asyncio.to_thread(game_within, name, settings or {})
    return await asyncio.to_thread(game_choices, name, settings)


@_for_owner
async def _tile(request: Request) -> Any:
    return await asyncio.to_thread(tile, request.path_params["name"])


@_for_owner
async def _tables(request: Request) -> Any:
    host = request.app.state.host
    return [_entry(table) for table in await host.kept(host.store.recent, NUM_RECENT)]


@_for_owner
async def _open(request: Request) -> Any:
    data = await _data(request)
    if "token" in data:  # the table of a position that was edited
        setup = (await _table_of(request, data)).setup
        setup = setup.starting_from(data["deal"], setup.seed)
    else:
        setup = await asyncio.to_thread(_setup, data)
    game = find_game(setup.game, **setup.settings)
    actions = [game.parse_action(name) for name in data.get("actions", [])]
    id, tokens = await request.app.state.host.open(setup, actions)
    return {"id": id, "tokens": tokens}


@_for_owner
async def _lay_out(request: Request) -> Any:
    """Lay out a position by hand: answer its picture, its piles, and why it cannot be played."""
    return await asyncio.to_thread(laid_out, await _data(request))


@_for_owner
async def _links(request: Request) -> Any:
    """Answer the links of a table, for a token of it: its own as a code too, and those of seats."""
    state, stored = request.app.state, await _table_of(request, await _data(request))
    start = f"{state.address or str(request.base_url).rstrip('/')}/#seat="
    link = start + stored.tokens[-1]
    seats = zip(stored.setup.seats, stored.tokens, strict=False)
    return {
        "link": link,
        "code": segno.make(link).svg_data_uri(scale=4, light="white"),
        "seats": [[who.name, start + token] for who, token in seats if who.kind == REMOTE],
    }


@_for_owner
async def _start(request: Request) -> Any:
    """Start the game of a table where guests were awaited, for a token of it."""
    stored = await _table_of(request, await _data(request))
    await request.app.state.host.start(stored.id)
    return {}


async def _table_of(request: Request, data: dict[str, Any]) -> StoredTable:
    host = request.app.state.host
    id = await host.kept(host.store.table_id, str(data["token"]))
    stored = None if id is None else await host.kept(host.store.load, id)
    if stored is None:
        raise NotFound("no table has this token")
    return stored


@_for_owner
async def _results(request: Request) -> Any:
    results = request.app.state.results
    if results is None:
        raise NotFound("no store of results is shown here: parlour watch STORE --browser")
    return await asyncio.to_thread(results.data)


@_for_owner
async def _make_replay(request: Request) -> Any:
    """Make the page of a game, of the results or of a table; answer its address."""
    state = request.app.state
    about = await _data(request)
    stored = None
    if "table" in about:
        stored = await state.host.kept(state.host.store.load, str(about["table"]))
        if stored is None or not stored.is_over:
            raise ValueError("there is no finished game of this table")
    page = await state.host.pools.owner.run(
        "replay", REPLAY_LIMIT, _replay_page, stored, state.results, about
    )
    token = new_token()
    state.replays[token] = page
    while len(state.replays) > MAX_REPLAYS:
        state.replays.pop(next(iter(state.replays)))
    return {"address": f"/replay/{token}"}


def _replay_page(
    stored: StoredTable | None, results: RunningResults | Ladders | None, data: dict[str, Any]
) -> str:
    """Return the replay of a table, else of {"match", "deal", "sitting"}. Raises ValueError."""
    if stored is not None:
        transcript, names = transcript_of(stored)
    elif results is None:
        raise ValueError("no store of results is shown here")
    else:
        deal = None if data.get("deal") is None else check_seed(data["deal"])
        number, sitting = int(data.get("match", 1)), int(data.get("sitting", 0))
        transcript, names = arena_game(results.path, number, deal, sitting, results.is_trusted)
    think = REPLAY_SECONDS / max(1, len(transcript.plies))
    judged = judged_plies(transcript, think, names=names)
    shown = replay_data(transcript, None, names, judged)
    shown["open"] = shared_game(transcript)
    return replay_page(shown)


def _entry(stored: StoredTable) -> dict[str, Any]:
    """What the list of tables shows, with the token of the owner's seat, or to watch."""
    mine = [seat for seat, who in enumerate(stored.setup.seats) if who.kind == HERE]
    return {
        "id": stored.id,
        "title": title(stored.setup.game),
        "names": seat_names(stored.setup.seats, mine[0] if mine else None),
        "token": stored.tokens[mine[0] if mine else -1],
        "is_mine": bool(mine),
        "num_plies": len(stored.actions),
        "is_over": stored.is_over,
        "age": round(time.time() - stored.changed),
    }


def _setup(data: dict[str, Any]) -> Setup:
    """Check what the page sent, the game first. Raises ValueError, TypeError, KeyError."""
    if lacking := [name for name in ("game", "settings", "seats") if name not in data]:
        raise KeyError(", ".join(lacking))
    name, settings, seats = data["game"], data["settings"], data["seats"]
    if not isinstance(settings, dict) or not isinstance(name, str):
        raise TypeError("game is a name, and settings an object")
    check_known(name)
    if not isinstance(seats, list) or not 0 < len(seats) <= MAX_SEATS:
        raise ValueError(f"seats is a list of 1 to {MAX_SEATS} objects")
    occupants = tuple(_occupant(seat) for seat in seats)
    times = {each: data.get(each, 0) for each in MAX_SECONDS}
    for each, most in MAX_SECONDS.items():
        if type(times[each]) not in (int, float) or not 0 <= times[each] <= most:
            raise ValueError(f"{each} is 0 to {most:g} seconds a move")
    choices = {each: data.get(each, is_usual) for each, is_usual in _CHOICES.items()}
    for each, choice in choices.items():
        if type(choice) is not bool:
            raise TypeError(f"{each} is true or false, not {choice!r:.60}")
    seed = data.get("seed")
    if seed is not None and type(seed) is not int:
        raise TypeError(f"seed is a whole number, not {seed!r:.60}")
    if choices["shared"]:  # by a stranger, who names no file
        check_named_files(name, settings, [seat.player for seat in occupants if seat.player], None)
    game = find_game(name, **settings)
    return new_setup(
        game,
        settings,
        occupants,
        seed,
        skip_forced=choices["forced"],
        **times,
        is_open=choices["open"],
        has_help=choices["help"],
        is_waiting=any(who.kind == FREE for who in occupants),
        deal=data.get("deal", {}),
    )


def _occupant(seat: Any) -> Occupant:
    if not isinstance(seat, dict) or not {"kind", "name"} <= {*seat}:
        raise TypeError(f"a seat is an object with a kind and a name, not {seat!r:.60}")
    who = Occupant(str(seat["kind"]), str(seat["name"]), str(seat.get("player", "")))
    if not who.player:
        check_name(who.name)
    return who


# What everybody may ask for


async def _rules(request: Request) -> Response:
    try:
        return JSONResponse(await asyncio.to_thread(rules_shown, request.path_params["name"]))
    except ValueError as error:
        return refusal(404, str(error))


async def _replay(request: Request) -> Response:
    page = request.app.state.replays.get(request.path_params["token"])
    if page is None:
        return refusal(404, "this replay is gone: open it again")
    return Response(page, media_type="text/html", headers={POLICY: REPLAY_POLICY})


ROUTES = [
    Route("/api/games", _games),
    Route("/api/games/{name}", _game, methods=["POST"]),
    Route("/api/tiles/{name}", _tile),
    Route("/api/rules/{name}", _rules),
    Route("/api/tables", _tables, methods=["GET"]),
    Route("/api/tables", _open, methods=["POST"]),
    Route("/api/positions", _lay_out, methods=["POST"]),
    Route("/api/links", _links, methods=["POST"]),
    Route("/api/start", _start, methods=["POST"]),
    Route("/api/results", _results),
    Route("/api/replays", _make_replay, methods=["POST"]),
    Route("/replay/{token}", _replay),
    WebSocketRoute("/seat", serve_seat),
]
