"""Help for a seat: hints, judgements, explanations, the review, and earlier pictures.

Each function checks a request, raising Refused, and returns the messages that answer it one after
the other; `LiveTable` sends them. All is worked out in threads, from what the seat may know.
"""

import time
from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any

from ...baselines.players.making import players_of
from ...envs.core.drawing.render import drawn, picture_svg
from .protocol import Refused
from .table import GameTable, PlayedPly
from .views import advisers, judged_data, picture_before, reason_data, values_data

if TYPE_CHECKING:
    from .live import Connection, LiveTable

STUDY_SECONDS = 120.0  # how long hints become better while a person thinks
STUDY_SLICE = 0.4
MAX_REVIEWED = 60  # choices that a page shows

Answers = AsyncIterator[dict[str, Any]]


def look_back(live: "LiveTable", connection: "Connection", message: dict[str, Any]) -> Answers:
    """Send the picture after a number of plies."""
    table, number = live.table, message["ply"]
    ply = None if number == len(table.plies) else _ply(table, number)

    async def answers() -> Answers:
        if ply is None:
            svg = live.position_for(connection)["svg"]
        else:
            about = (table, ply, connection.seat, connection.is_narrow)
            svg = await live.think_for(connection, picture_before, *about)
        yield {"type": "picture", "ply": number, "svg": svg}

    return answers()


def hint(live: "LiveTable", connection: "Connection", message: dict[str, Any]) -> Answers:
    """Send values of the moves that become better."""
    table, player = live.table, message["player"]
    if table.seat_to_act != connection.seat:
        raise Refused("hints are for the seat to act")
    allowed = advisers(table.game)
    if player not in allowed:
        raise Refused(f"hints come from one of {', '.join(allowed)}")

    async def answers() -> Answers:
        ply = len(table.plies)
        study = await live.think_for(connection, table.study, player)
        until = time.monotonic() + STUDY_SECONDS
        is_over = False
        while not is_over:
            found = await live.think_for(connection, study.think, STUDY_SLICE)
            yield {"type": "hints", "ply": ply, **values_data(table.game, found)}
            is_over = study.is_finished or time.monotonic() >= until

    return answers()


def judge(live: "LiveTable", connection: "Connection", message: dict[str, Any]) -> Answers:
    """Send what a choice lost against the best one."""
    table, number = live.table, message["ply"]
    ply = _ply(table, number)
    if ply.seat != connection.seat or not ply.had_choice:
        raise Refused("you made no choice at this ply")

    async def answers() -> Answers:
        found = await live.think_for(connection, table.judge, ply)
        yield {"type": "judged", "ply": number, **judged_data(table.game, found)}

    return answers()


def explain(live: "LiveTable", connection: "Connection", message: dict[str, Any]) -> Answers:
    """Say what a player's move was worth, as far as this seat may know."""
    table, number = live.table, message["ply"]
    ply = _ply(table, number)
    if ply.seat == connection.seat or table.policies[ply.seat] is None:
        raise Refused("only moves of players are explained")

    async def answers() -> Answers:
        found = await live.think_for(connection, table.explain, ply, connection.seat)
        reason = {"source": None} if found is None else reason_data(table.game, found)
        about = {"ply": number, "seat": ply.seat, "about": _summary(table, ply.seat)}
        yield {"type": "explained", **about, **reason}

    return answers()


def review(live: "LiveTable", connection: "Connection", message: dict[str, Any]) -> Answers:
    """Send, move by move, what a person's choices were worth."""
    table = live.table
    if not table.is_over:
        raise Refused("the review comes after the game")
    assert connection.seat is not None
    chosen = table.choices_of(connection.seat)
    if not connection.has_data:
        chosen = chosen[-MAX_REVIEWED:]

    async def answers() -> Answers:
        for count, number in enumerate(chosen, start=1):
            row = await live.think_for(connection, reviewed, table, number, connection)
            yield {"type": "review", "of": len(chosen), "count": count, **row}
        yield {"type": "reviewed", "of": len(chosen)}

    return answers()


def reviewed(table: GameTable, number: int, connection: "Connection") -> dict[str, Any]:
    """Return what one choice was worth, with the picture that the seat saw."""
    ply = table.plies[number]
    row = {"ply": number, **judged_data(table.game, table.judge(ply))}
    if not connection.has_data:
        picture = drawn(table.game, ply.before, connection.seat, connection.is_narrow)
        row["svg"] = picture_svg(picture)
    return row


def _summary(table: GameTable, seat: int) -> str:
    """Return what is known about the player of a seat, in one sentence."""
    player = table.setup.seats[seat].player.partition(":")[0]
    listed = players_of(table.game).get(player)
    return "" if listed is None else listed.summary


def _ply(table: GameTable, number: int) -> PlayedPly:
    if not 0 <= number < len(table.plies):
        raise Refused("there is no such ply")
    return table.plies[number]


ANSWERS: dict[str, Callable[["LiveTable", "Connection", dict[str, Any]], Answers]] = {
    each.__name__: each for each in (look_back, hint, judge, explain, review)
}
PROBLEMS = {
    "look_back": "no picture",
    "hint": "no hints",
    "judge": "this move cannot be judged",
    "explain": "this move cannot be explained",
    "review": "no review",
}
STOPPED_BY_MOVES = ("hint",)
