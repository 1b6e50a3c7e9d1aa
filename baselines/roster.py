"""A line in the list of players, and the players that a game brings along itself."""

from collections.abc import Callable
from typing import NamedTuple

from ..envs.core.game import Function, Game
from ..envs.core.jit import python_source
from . import generic
from .parts import part_of
from .policy import Policy, compiled_policy


class Player(NamedTuple):
    """A line in the list of players."""

    make: Callable[..., Policy]  # (game, **settings) -> Policy
    summary: str
    row: Function | None = None  # the compiled function, where the player is one
    plays_out: bool = True  # whether it is fast enough to play games out by the thousand


def scripted(row: Function) -> Player:
    """A player that is one compiled row function, named after it."""
    source = python_source(row)
    name = source.__name__

    def make(game: Game) -> Policy:
        return compiled_policy(name, game, row)

    return Player(make, source.__doc__.splitlines()[0], row)


def searching(make: Callable[..., Policy]) -> Player:
    """A player made by a function of game and settings; its docstring's first line sums it up."""
    return Player(make, (make.__doc__ or "").splitlines()[0])


BLIND = {  # they look at the action mask alone
    "random": scripted(generic.random),
    "first_legal": scripted(generic.first_legal),
}


def own_players(game: Game) -> dict[str, Player]:
    """The players that are written for this game, weakest first."""
    module = part_of(game, "players")
    return {} if module is None else module.PLAYERS
