"""Help for a seat: hints, judgements, explanations, the review, and earlier pictures.

Each function yields the messages that answer a request, one after the other, or raises Refused;
`LiveTable` sends them. All is worked out in threads, from what the seat may know.
"""

import time
from typing import Any

from ...baselines.advice.move_values import study_of
from ...baselines.players.making import players_of
from ...envs.core.drawing.render import drawn, picture_svg
from ...envs.core.play.one_game import PlayedPly
from ..words import seat_names, summary_label
from .live import Answers, Connection, Help, LiveTable
from .protocol import Refused
from .table import HERE, GameTable
from .views import advisers, judged_data, picture_before, reason_data, values_data

STUDY_SECONDS = 120.0  # how long hints become better while a person thinks
STUDY_SLICE = 0.4
MAX_REVIEWED = 60  # choices that a page shows


async def look_back(live: LiveTable, connection: Connection, message: dict[str, Any]) -> Answers:
    """Send the picture after a number of plies."""
    table, number = live.table, message["ply"]
    ply = None if number == len(table.plies) else _ply(table, number)
    if ply is None:
        svg = live.position_for(connection)["svg"]
    else:
        seat, is_narrow, _, looks_from = connection.view
        about = (table, ply, seat, is_narrow, looks_from)
        svg = await live.think_for(connection, picture_before, *about)
    yield {"type": "picture", "ply": number, "svg": svg}


async def hint(live: LiveTable, connection: Connection, message: dict[str, Any]) -> Answers:
    """Send values of the legal moves, of one or two advisers, again whenever they are refined."""
    table, players = live.table, [message["player"]]
    if "second" in message:
        players.append(message["second"])
    if table.seat_to_act != connection.seat:
        raise Refused("hints are for the seat to act")
    allowed = advisers(table.game)
    if not {*players} <= {*allowed}:
        raise Refused(f"hints come from one of {', '.join(allowed)}")
    ply, state = len(table.plies), table.running.position
    names = seat_names(table.setup.seats, connection.seat)
    asked = study_of, table.game, state
    studies = [await live.think_for(connection, *asked, each) for each in players]
    until, is_over = time.monotonic() + STUDY_SECONDS, False
    while not is_over:
        for rank, study in enumerate(studies):
            move_values = await live.think_for(connection, study.think, STUDY_SLICE)
            values = values_data(table.game, move_values, state, names)
            yield {"type": "hints", "ply": ply, "rank": rank, **values}
        is_over = all(s.is_finished for s in studies) or time.monotonic() >= until


async def judge(live: LiveTable, connection: Connection, message: dict[str, Any]) -> Answers:
    """Send what a choice lost against the best one."""
    table, number = live.table, message["ply"]
    ply = _ply(table, number)
    if ply.seat != connection.seat or not ply.had_choice:
        raise Refused("you made no choice at this ply")
    judgement = await live.think_for(connection, table.judge, ply)
    names = seat_names(table.setup.seats, connection.seat)
    judged = judged_data(table.game, judgement, ply.before, names)
    yield {"type": "judged", "ply": number, **judged}


async def explain(live: LiveTable, connection: Connection, message: dict[str, Any]) -> Answers:
    """Say what a player's move was worth, as far as this seat may know."""
    table, number = live.table, message["ply"]
    ply = _ply(table, number)
    if ply.seat == connection.seat or table.policies[ply.seat] is None:
        raise Refused("only moves of players are explained")
    explained = await live.think_for(connection, table.explain, ply, connection.seat)
    names = seat_names(table.setup.seats, connection.seat)
    reason: dict[str, Any] = {"source": None}
    if explained is not None:
        reason = reason_data(table.game, explained, ply.before, names)
    about = {"ply": number, "seat": ply.seat, "about": _summary(table, ply.seat)}
    yield {"type": "explained", **about, **reason}


async def review(live: LiveTable, connection: Connection, message: dict[str, Any]) -> Answers:
    """Send, move by move, what a person's choices were worth, and with `all` everybody's."""
    table = live.table
    if not table.is_over:
        raise Refused("the review comes after the game")
    assert connection.seat is not None
    chosen = table.choices_of(connection.seat)
    if not connection.has_data:
        chosen = chosen[-MAX_REVIEWED:]
    if message.get("all", False) and table.setup.seats[connection.seat].kind == HERE:
        others = (s for s in range(table.game.num_seats) if s != connection.seat)
        chosen += [number for seat in others for number in table.choices_of(seat)[-MAX_REVIEWED:]]
    for count, number in enumerate(chosen, start=1):
        row = await live.think_for(connection, reviewed, table, number, connection)
        yield {"type": "review", "of": len(chosen), "count": count, **row}
    yield {"type": "reviewed", "of": len(chosen)}


def reviewed(table: GameTable, number: int, connection: Connection) -> dict[str, Any]:
    """Return what one choice was worth, with the picture that the seat saw which made it."""
    ply = table.plies[number]
    names = seat_names(table.setup.seats, connection.seat)
    judged = judged_data(table.game, table.judge(ply), ply.before, names)
    row = {"ply": number, "seat": ply.seat, **judged}
    if not connection.has_data:
        picture = drawn(table.game, ply.before, ply.seat, connection.is_narrow, False)
        row["svg"] = picture_svg(picture, names)
    return row


def _summary(table: GameTable, seat: int) -> str:
    """Return what is known about the player of a seat, in one sentence."""
    player = table.setup.seats[seat].player.partition(":")[0]
    players = players_of(table.game)
    return summary_label(players[player].summary, players) if player in players else ""


def _ply(table: GameTable, number: int) -> PlayedPly:
    if not 0 <= number < len(table.plies):
        raise Refused("there is no such ply")
    return table.plies[number]


ANSWERS = {
    "look_back": Help(look_back, "no picture"),
    "hint": Help(hint, "no hints"),
    "judge": Help(judge, "this move cannot be judged"),
    "explain": Help(explain, "this move cannot be explained"),
    "review": Help(review, "no review"),
}
