"""Who takes part: players by what makes them, the same in every process, and by what they are.

What a player is decides which results in a store are its own: see `identity`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...envs.core.game import Game
from ..players import make_policy, players_of
from .identity import identity_of

USERS_FILES = (".py", ".pt")


class Entrant(NamedTuple):
    """A player of a match or tournament."""

    name: str  # in tables; no two that play together share it
    spec: Any  # what `make_policy` takes, in this process or another
    identity: str | None  # what its results are kept under; None where nothing names it


def enter(specs: Sequence[Any], game: Game, runs_files: bool = True) -> tuple[Entrant, ...]:
    """The players in the order given. Raises ValueError for one that is none.

    Names are those of the policies; players whose names are alike are called as they were given.
    Without `runs_files` nothing of a user's file is run here, in the arena's own process.
    """
    names = [_name(spec, game, runs_files) for spec in specs]
    named = [
        name if names.count(name) == 1 or not isinstance(spec, str) else spec
        for name, spec in zip(names, specs, strict=True)
    ]
    return tuple(
        Entrant(name, spec, identity_of(spec, game))
        for name, spec in zip(named, specs, strict=True)
    )


def _name(spec: Any, game: Game, runs_files: bool) -> str:
    if runs_files or not isinstance(spec, str) or not names_a_file(spec):
        return make_policy(spec, game).name
    path, _, rest = spec.partition(":")
    if not path.endswith(USERS_FILES):
        return spec
    if not Path(path).is_file():
        raise ValueError(f"no file {path}")
    return rest.partition(":")[0] or Path(path).stem


def names_a_file(spec: str) -> bool:
    """Whether making this player may run a user's file."""
    return any(f"{suffix}{end}" in f"{spec}:" for suffix in USERS_FILES for end in ":,")


def check_distinct(entrants: Sequence[Entrant]) -> None:
    """Raise ValueError where somebody is entered twice, or two could not be told apart."""
    for keys in ([e.name for e in entrants], [e.identity or e.name for e in entrants]):
        for entrant, key in zip(entrants, keys, strict=True):
            if keys.count(key) > 1:
                raise ValueError(f"{entrant.name} is entered twice")


def scripted_players(game: Game) -> list[str]:
    """The names of the players that are one compiled function, weakest first."""
    return [name for name, player in players_of(game).items() if player.row_function is not None]
