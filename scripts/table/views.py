"""What a seat and a spectator are sent: built only from what they may know.

For a seat that is its observation's picture and text (`draw` and `describe` of that seat), its own
legal actions, and the actions that it saw. A spectator sees the board only where no seat has
secrets, and otherwise the actions that every seat saw.
"""

from typing import Any

import numpy as np

from ...baselines.advice.explanations import Explanation
from ...baselines.advice.judgements import Judgement
from ...baselines.advice.move_values import EXACT, SEARCH, MoveValues, adviser_of, exact_values_of
from ...baselines.players.making import players_of
from ...envs.core.drawing.render import drawn, picture_svg
from ...envs.core.game import NO_SEAT, Game
from .protocol import title
from .table import RECENT, GameTable, PlayedPly

SPECTATOR = None  # in place of a seat


def position_message(
    table: GameTable, seat: int | None, is_narrow: bool = False, has_data: bool = False
) -> dict[str, Any]:
    """Return the message about the position for a seat, or for spectators.

    With `has_data` it has the fields of the observation and no picture, and words only where the
    seat has to choose or the game is over.
    """
    game, state, is_over = table.game, table.state, table.is_over
    to_act = table.seat_to_act
    is_own = seat is not SPECTATOR and seat == to_act and not table.is_forced
    message: dict[str, Any] = {
        "type": "position",
        "ply": len(table.plies),
        "seat": seat,
        "to_act": None if to_act == NO_SEAT else to_act,
        "last": action_seen(table, table.plies[-1], seat) if table.plies else None,
        "legal": [game.action_name(action) for action in table.legal] if is_own else [],
        "returns": table.returns if is_over else None,
        "can_undo": is_own_table(table, seat) and table.can_undo,
        "can_redo": is_own_table(table, seat) and bool(table.undone),
        "svg": None,
        "words": None,
        "clicks": {},
    }
    if seat is not SPECTATOR or not game.has_hidden or table.setup.is_open:
        if not has_data or message["legal"] or is_over:
            message["words"] = game.describe(state, seat)
        message.update(
            _data(game, state, seat) if has_data else _picture(game, state, message, is_narrow)
        )
    return message


def _picture(game: Game, state: Any, message: dict[str, Any], is_narrow: bool) -> dict[str, Any]:
    """Return the picture, and the parts to click for each legal action in `message`."""
    picture = drawn(game, state, message["seat"], is_narrow)
    legal = set(message["legal"])
    clicks = {name: list(parts) for name, parts in picture.clicks.items() if name in legal}
    return {"svg": picture_svg(picture), "clicks": clicks}


def _data(game: Game, state: Any, seat: int | None) -> dict[str, Any]:
    return {} if seat is SPECTATOR else {"observation": observed(game, state, seat)}


def observed(game: Game, state: Any, seat: int) -> dict[str, Any]:
    """Return the observation of a seat by the names of its fields."""
    observation = game.new_observations()
    game.observe(state, seat, observation[0])
    return {
        field.name: _plain(observation[0][field.name], field.num_bits)
        for field in game.observation_fields
        if not field.hidden
    }


def _plain(value: np.ndarray, num_bits: int) -> Any:
    """Return a value as numbers and lists; of packed bits, the members of each set."""
    if num_bits == 0:
        return value.tolist()
    if np.ndim(value):
        return [_plain(each, num_bits) for each in value]
    return [bit for bit in range(num_bits) if int(value) >> bit & 1]


def picture_before(
    table: GameTable, ply: PlayedPly, seat: int | None, is_narrow: bool
) -> str | None:
    """Return the picture before a ply as the seat saw it, or None for spectators with no board."""
    if seat is SPECTATOR and table.game.has_hidden and not table.setup.is_open:
        return None
    return picture_svg(drawn(table.game, ply.before, seat, is_narrow))


def is_own_table(table: GameTable, seat: int | None) -> bool:
    """Whether this seat is the only person at the table."""
    return table.people == [seat]


def history_message(table: GameTable, seat: int | None) -> dict[str, Any]:
    """Return the message with who sits where, and the last actions as this seat saw them."""
    seen = [action_seen(table, ply, seat) for ply in table.plies[-RECENT:]]
    return {
        "type": "table",
        "game": table.game.name,
        "title": title(table.game.name),
        "settings": table.setup.settings,
        "seat": seat,
        "seats": [{"name": who.name, "kind": who.kind} for who in table.setup.seats],
        "is_open": table.setup.is_open,
        "has_help": table.setup.has_help,
        "advisers": advisers(table.game),
        "history": seen,
        "first_ply": len(table.plies) - len(seen),
    }


def advisers(game: Game) -> list[str]:
    """Return who can give hints: a search, exact values where there are some, and the players.

    The first is the one to ask unless a person wants another. Other names would let a guest run
    files of the server's owner.
    """
    exact = [EXACT] if exact_values_of(game) is not None else []
    names = [SEARCH, *exact, *players_of(game)]
    return sorted(names, key=lambda name: name != adviser_of(game))


def action_seen(table: GameTable, ply: PlayedPly, seat: int | None) -> dict[str, Any]:
    """Return a played action, with None in place of one that the seat did not see.

    A spectator sees what every seat saw.
    """
    name = table.game.action_name(ply.action) if table.sees(ply, seat) else None
    return {"seat": ply.seat, "action": name}


def values_data(game: Game, found: MoveValues) -> dict[str, Any]:
    """Return values as plain data, by the names of actions."""
    return {
        "source": found.source,
        "simulations": found.num_simulations,
        "are_choices": found.are_choices,
        "values": _named(game, found.values),
        "reaches": _named(game, found.reaches),
        "unsearched": [game.action_name(action) for action in found.unsearched],
    }


def _named(game: Game, numbers: dict[int, float]) -> dict[str, float]:
    return {game.action_name(action): round(number, 4) for action, number in numbers.items()}


def judged_data(game: Game, judged: Judgement) -> dict[str, Any]:
    """Return what a choice was worth as plain data."""
    lead = judged.lead if judged.has_interval else None
    return {
        "action": game.action_name(judged.action),
        "best": game.action_name(judged.best),
        "regret": round(judged.loss, 4),
        "interval": None if lead is None else [round(lead.low, 4), round(lead.high, 4)],
        "text": judged.text(game),
        **values_data(game, judged.found),
    }


def reason_data(game: Game, found: Explanation) -> dict[str, Any]:
    """Return an explanation as plain data, by the names of actions."""
    return {
        "num_positions": found.num_positions,
        "num_moves": found.num_moves,
        **judged_data(game, found.judgement),
    }
