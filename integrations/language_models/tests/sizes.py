"""Short games of every kind, and of every number of seats."""

from typing import Any

from parlour.envs import list_games
from parlour.envs.core.catalogue import games_by_seats
from parlour.envs.core.game import Game

SHORT: dict[str, dict[str, Any]] = {
    "top_trumps": {"num_cards": 10, "trick_limit": 8},
    "notty": {"turn_limit": 8},
    "splendor": {"turn_limit": 8},
    "trick_taking": {"num_values": 5},
}


def _seats(game: Game) -> dict[str, int]:
    settings = game.config_dict()
    return {"num_players": game.num_seats} if "num_players" in settings else {}


SIZES: list[tuple[str, dict[str, Any], int]] = [
    (name, SHORT.get(name, {}) | _seats(game), game.num_seats)
    for name in list_games()
    for game in games_by_seats(name)
]
