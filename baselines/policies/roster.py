"""An entry in the list of players, and the players that belong to one game."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from ...envs.core.compile import python_source
from ...envs.core.game import Function, Game
from ...envs.core.words import check_setting_names
from . import generic
from .game_parts import part_of
from .policy import Policy, compiled_policy

Kind = Literal["best", "script", "search", "solver", "network"]


class Player(NamedTuple):
    """An entry in the list of players."""

    make: Callable[..., Policy]  # (game, **settings) -> Policy
    summary: str
    row_function: Function | None = None  # the compiled function, if the player is one
    plays_out: bool = True  # whether it is fast enough for thousands of playouts a move
    is_timed: bool = False  # whether its setting `milliseconds` limits its time for a move
    plays: Callable[[Game], bool] = lambda game: True  # under which settings it can play
    kind: Kind = "script"


def scripted(row_function: Function, is_blind: bool = False) -> Player:
    """Return the player that consists of one compiled row function, and is named after it."""
    source = python_source(row_function)
    name = source.__name__

    def make(game: Game) -> Policy:
        return compiled_policy(name, game, row_function, is_blind=is_blind)

    return Player(make, source.__doc__.splitlines()[0], row_function)


def searching(make: Callable[..., Policy]) -> Player:
    """Return the search that `make(game, **settings)` makes, summed up by its docstring.

    Every search has a setting `milliseconds`: its time for a move.
    """
    return Player(make, (make.__doc__ or "").splitlines()[0], is_timed=True, kind="search")


def check_player_settings(
    name: str, make: Callable[..., Policy], settings: Mapping[str, Any]
) -> None:
    """Raise TypeError for a setting that `make(game, **settings)` does not name.

    A function that passes all settings on leaves the check to the one that gets them.
    """
    _, *parameters = inspect.signature(make, follow_wrapped=False).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        check_setting_names(name, settings, [parameter.name for parameter in parameters])


BLIND = {  # these look at the action mask alone
    "random": scripted(generic.random, is_blind=True),
    "first_legal": scripted(generic.first_legal, is_blind=True),
}


def own_players(game: Game) -> dict[str, Player]:
    """Return the players written for this game, weakest first, for any settings."""
    module = part_of(game, "players")
    return {} if module is None else module.PLAYERS
