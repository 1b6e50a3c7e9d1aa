"""What a seat and a spectator are sent: built only from what they may know.

For a seat that is its observation's picture and text (`draw` and `describe` of that seat), its own
legal actions, and the actions that it saw. A spectator sees the whole board at an open table or in
a game without hidden cards; otherwise the public picture, where the game has one, and the actions
that every seat saw.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ...baselines.advice.explanations import Explanation
from ...baselines.advice.judgements import Judgement
from ...baselines.advice.move_values import EXACT, SEARCH, MoveValues, adviser_of, exact_values_of
from ...baselines.players.making import players_of
from ...baselines.prompts import observed
from ...envs.core.drawing.render import drawn, picture_svg
from ...envs.core.game import NO_SEAT, Game
from ...envs.core.play.one_game import PlayedPly
from ...envs.core.words import with_names
from ..words import ending, placed, seat_label, seat_names
from .catalogue import levels
from .protocol import title
from .table import RECENT, GameTable, Setup

SPECTATOR = None  # in place of a seat


def position_message(
    table: GameTable,
    seat: int | None,
    is_narrow: bool = False,
    has_data: bool = False,
    looks_from: int | None = None,
) -> dict[str, Any]:
    """Return the message about the position for a seat, or for spectators.

    With `has_data` it has the fields of the observation and no picture, and words only where the
    seat has to choose or the game is over. `looks_from` is another seat whose view is asked for.
    """
    game, state, is_over = table.game, table.state, table.is_over
    names = seat_names(table.setup.seats, seat)
    to_act = table.seat_to_act
    is_waiting = table.setup.is_waiting  # nobody is sent a picture before the start
    is_own = seat is not SPECTATOR and seat == to_act and not table.is_forced and not is_waiting
    message: dict[str, Any] = {
        "type": "position",
        "ply": len(table.plies),
        "seat": seat,
        "to_act": None if to_act == NO_SEAT or is_waiting else to_act,
        "last": action_seen(table, table.plies[-1], seat, names) if table.plies else None,
        "legal": [game.action_name(action) for action in table.legal] if is_own else [],
        "scores": [game.score(state, each) for each in range(game.num_seats)],
        "returns": table.returns if is_over else None,
        "can_undo": seat in table.people and table.can_undo,
        "can_redo": seat in table.people and bool(table.undone),
        "svg": None,
        "words": None,
        "clicks": {},
    }
    if is_waiting:
        has_data = True
    elif seat is not SPECTATOR or not game.has_hidden or table.setup.is_open:
        if not has_data or message["legal"] or is_over:
            message["words"] = game.describe(state, seat)
        if not has_data:
            message.update(_picture(table, message, is_narrow, looks_from))
        elif seat is not SPECTATOR:
            message["observation"] = observed(game, state, seat)
    elif game.has_public_view and not has_data:
        message.update(_picture(table, message, is_narrow))
    if not has_data:
        message["labels"] = labels(game, state, table.legal if is_own else (), names)
        message["result"] = _result(names, message, table.setup) if is_over else None
    return message


def _result(names: Sequence[str], message: dict[str, Any], setup: Setup) -> dict[str, Any]:
    """Return how a game ended in words: a headline, and what each seat achieved, best first."""
    ended = names, message["returns"], message["scores"]
    text = ending(*ended)
    if setup.resigned != NO_SEAT:
        text = f"{names[setup.resigned]} {'ran out of time' if setup.is_late else 'resigned'}"
    ranks = sorted(message["returns"], reverse=True)
    places = [1 + ranks.index(value) for value in ranks]
    rows = zip(places, placed(*ended), strict=True)
    return {"headline": text, "places": [(place, *row) for place, row in rows]}


def labels(
    game: Game, state: Any, actions: Iterable[int], names: Sequence[str] = ()
) -> dict[str, str]:
    """Return what people call some actions, by the names of these."""
    called = ((game.action_name(a), game.label_action(state, a)) for a in actions)
    return {name: with_names(label, names) for name, label in called}


def _picture(
    table: GameTable, message: dict[str, Any], is_narrow: bool, looks_from: int | None = None
) -> dict[str, Any]:
    """Return the picture, and the parts to click for each legal action in `message`.

    People read the names of the seats in it and in the words.
    """
    seat = message["seat"]
    names = seat_names(table.setup.seats, seat)
    viewer = _viewer(table, seat, looks_from)
    picture = drawn(table.game, table.state, viewer, is_narrow, is_live=bool(message["legal"]))
    legal = set(message["legal"])
    clicks = {name: list(parts) for name, parts in picture.clicks.items() if name in legal}
    words = with_names(message["words"] or "", names)
    return {"svg": picture_svg(picture, names), "words": words, "clicks": clicks}


def picture_before(
    table: GameTable,
    ply: PlayedPly,
    seat: int | None,
    is_narrow: bool,
    looks_from: int | None = None,
) -> str | None:
    """Return the picture before a ply as the seat saw it, or None for spectators with no board."""
    viewer = _viewer(table, seat, looks_from)
    if viewer == NO_SEAT and not table.game.has_public_view:
        return None
    names = seat_names(table.setup.seats, seat)
    return picture_svg(drawn(table.game, ply.before, viewer, is_narrow, is_live=False), names)


def _viewer(table: GameTable, seat: int | None, looks_from: int | None = None) -> int | None:
    """Return for whom pictures are drawn: NO_SEAT for spectators of hidden cards.

    `looks_from` counts where nothing is hidden from anybody, and for seats after the end.
    """
    is_shown = table.setup.is_open or not table.game.has_hidden
    if looks_from in range(table.game.num_seats) and (
        is_shown or (table.is_over and seat is not SPECTATOR)
    ):
        return looks_from
    return NO_SEAT if seat is SPECTATOR and not is_shown else seat


def history_message(table: GameTable, seat: int | None) -> dict[str, Any]:
    """Return the message with who sits where, and the last actions as this seat saw them."""
    names = seat_names(table.setup.seats, seat)
    recent = [action_seen(table, ply, seat, names) for ply in table.plies[-RECENT:]]
    named = zip(names, table.setup.seats, strict=True)
    ranks = levels(table.game)
    codes = [who.player.partition(":")[0] for who in table.setup.seats]
    return {
        "type": "table",
        "game": table.game.name,
        "title": title(table.game.name),
        "settings": table.setup.settings,
        "seat": seat,
        "icons": table.game.icons,
        "scale": table.game.value_scale._asdict(),
        "seats": [{"name": name, "kind": who.kind} for name, who in named],
        "levels": [[ranks.get(code, ""), code if code in ranks else ""] for code in codes],
        "is_open": table.setup.is_open,
        "is_waiting": table.setup.is_waiting,
        "move_seconds": table.setup.move_seconds,
        "has_help": table.setup.has_help,
        "can_arrange": table.game.arrange is not None,
        "has_hidden": table.game.has_hidden,
        "advisers": advisers(table.game),
        "adviser_labels": [_adviser_label(each) for each in advisers(table.game)],
        "history": recent,
        "first_ply": len(table.plies) - len(recent),
    }


def advisers(game: Game) -> list[str]:
    """Return who can give hints: a search, exact values where there are some, and the players.

    The first is the one to ask unless a person wants another. Other names would let a guest run
    files of the server's owner.
    """
    exact = [EXACT] if exact_values_of(game) is not None else []
    names = [SEARCH, *exact, *players_of(game)]
    return sorted(names, key=lambda name: name != adviser_of(game))


def _adviser_label(name: str) -> str:
    others = {SEARCH: "a search while you think", EXACT: "the exact solution"}
    return others.get(name) or seat_label(name)


def action_seen(
    table: GameTable, ply: PlayedPly, seat: int | None, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return a played action, with None in place of one that the seat did not see.

    A spectator sees what every seat saw.
    """
    if not table.sees(ply, seat):
        return {"seat": ply.seat, "action": None, "label": None}
    ((name, label),) = labels(table.game, ply.before, [ply.action], names).items()
    return {"seat": ply.seat, "action": name, "label": label}


def values_data(
    game: Game, move_values: MoveValues, state: Any, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return values of the moves in a position as plain data, by the names of actions."""
    return {
        "labels": labels(game, state, [*move_values.values, *move_values.unsearched], names),
        "source": move_values.source,
        "simulations": move_values.num_simulations,
        "are_choices": move_values.are_choices,
        "values": _named(game, move_values.values),
        "reaches": _named(game, move_values.reaches),
        "unsearched": [game.action_name(action) for action in move_values.unsearched],
    }


def _named(game: Game, numbers: dict[int, float]) -> dict[str, float]:
    return {game.action_name(action): round(number, 4) for action, number in numbers.items()}


def judged_data(
    game: Game, judged: Judgement, state: Any, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what a choice in a position was worth as plain data."""

    def label(action: int) -> str:
        return with_names(game.label_action(state, action), names)

    lead = judged.lead if judged.has_interval else None
    clicks = drawn(game, state).clicks
    marked = {game.action_name(action) for action in (judged.action, judged.best)}
    return {
        "parts": {name: list(parts) for name, parts in clicks.items() if name in marked},
        "action": game.action_name(judged.action),
        "best": game.action_name(judged.best),
        "regret": round(judged.loss, 4),
        "interval": None if lead is None else [round(lead.low, 4), round(lead.high, 4)],
        "text": judged.text(game, label),
        **values_data(game, judged.move_values, state, names),
    }


def reason_data(
    game: Game, explanation: Explanation, state: Any, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Return an explanation as plain data, by the names of actions."""
    return {
        "num_positions": explanation.num_positions,
        "num_moves": explanation.num_moves,
        **judged_data(game, explanation.judgement, state, names),
    }
