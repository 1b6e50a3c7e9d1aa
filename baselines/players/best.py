"""`best`, the strongest player that ships for a game and its settings.

The function `strongest(game)` in a game's `players.py` names players, the strongest first: nobody
beats it head to head, also where another leads the ladder. A new champion is one line there.
Players that do not ship for the settings are skipped.
"""

from collections.abc import Mapping
from typing import Any

from ...envs.core.game import Game
from ..policies.game_parts import part_of
from ..policies.roster import Player
from ..policies.settings import checked_above_zero

NAME = "best"
ANY_GAME = "mcts"  # where a game names none


def champion_of(game: Game, players: Mapping[str, Player]) -> str:
    """Return the strongest of these players at `game`, as a name with or without settings."""
    strongest = getattr(part_of(game, "players"), "strongest", lambda game: ())
    ships = (spec for spec in strongest(game) if spec.partition(":")[0] in players)
    return next(ships, ANY_GAME)


def stand_in(
    game: Game, players: Mapping[str, Player], milliseconds: float | None = None, **unknown: Any
) -> str:
    """Return the player that `best` stands for, with `milliseconds` a move if it searches.

    Raises TypeError for another setting, and ValueError where `milliseconds` is not above 0.
    """
    if unknown:
        raise TypeError(f"{NAME} has no setting {', '.join(unknown)}; it has milliseconds")
    champion = champion_of(game, players)
    if milliseconds is None:
        return champion
    limit = checked_above_zero("milliseconds", milliseconds)
    name, _, settings = champion.partition(":")
    if not players[name].is_timed:
        return champion
    return f"{name}:{','.join(filter(None, (settings, f'milliseconds={limit:g}')))}"
