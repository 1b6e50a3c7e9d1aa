"""What a seat and a spectator are sent: built only from what they may know.

For a seat that is its observation's picture and text (`draw` and `describe` of that seat), its own
legal actions, and the actions that it saw. A spectator sees the board only where no seat has
secrets, and otherwise the actions that every seat saw.
"""

import inspect
from functools import lru_cache
from typing import Any

from ...envs.core.game import NO_SEAT, Game
from ...envs.core.views.picture import Picture
from ...envs.core.views.render import picture_svg
from .table import RECENT, GameTable, PlayedPly

SPECTATOR = None  # in place of a seat


def title(name: str) -> str:
    """A game's name as a heading."""
    return name.replace("_", " ").title()


def position_message(table: GameTable, seat: int | None, is_narrow: bool = False) -> dict[str, Any]:
    """Return the message about the position for a seat, or for spectators."""
    game, state = table.game, table.state
    to_act = table.seat_to_act
    is_own = seat is not SPECTATOR and seat == to_act and not table.is_forced
    message: dict[str, Any] = {
        "type": "position",
        "ply": len(table.plies),
        "seat": seat,
        "to_act": None if to_act == NO_SEAT else to_act,
        "last": action_seen(table, table.plies[-1], seat) if table.plies else None,
        "legal": [game.action_name(action) for action in table.legal] if is_own else [],
        "returns": table.returns if table.is_over else None,
        "can_undo": is_own_table(table, seat) and table.can_undo,
        "can_redo": is_own_table(table, seat) and bool(table.undone),
        "svg": None,
        "words": None,
        "clicks": {},
    }
    if seat is not SPECTATOR or not game.has_hidden:
        picture = drawn(game, state, seat, is_narrow)
        message["svg"] = picture_svg(picture)
        message["words"] = game.describe(state, seat)
        if is_own:
            legal = set(message["legal"])
            message["clicks"] = {
                name: list(parts) for name, parts in picture.clicks.items() if name in legal
            }
    return message


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
        "history": seen,
        "first_ply": len(table.plies) - len(seen),
    }


def action_seen(table: GameTable, ply: PlayedPly, seat: int | None) -> dict[str, Any]:
    """Return a played action, with None in place of one that the seat did not see.

    A spectator sees what every seat saw.
    """
    name = table.game.action_name(ply.action) if table.sees(ply, seat) else None
    return {"seat": ply.seat, "action": name}


def drawn(game: Game, state: Any, seat: int | None, is_narrow: bool) -> Picture:
    """Return the picture, the narrow one where it is wanted and the game has one."""
    if is_narrow and _has_narrow(game):
        return game.draw(state, seat, is_narrow=True)
    return game.draw(state, seat)


@lru_cache(maxsize=64)
def _has_narrow(game: Game) -> bool:
    try:
        return "is_narrow" in inspect.signature(game.draw).parameters
    except (TypeError, ValueError):
        return False
