"""Entrants: the players of a match or tournament, described so that any process can make them.

The identity of an entrant decides which results in a store belong to it: see `identity`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...envs.core.game import Game
from ..players import make_policy, players_of, resolved
from .identity import identities_of

USERS_FILES = (".py", ".pt")


class Entrant(NamedTuple):
    """A player of a match or tournament."""

    name: str  # in tables; unique among those that play together
    spec: Any  # `make_policy` takes it, in this process or another
    identity: str | None  # a store keeps results under it; None where it is unknown


def enter(specs: Sequence[Any], game: Game, runs_files: bool = True) -> tuple[Entrant, ...]:
    """Return the entrants in the order given. Raises ValueError for a spec that is not a player.

    An entrant has the name of its policy; entrants with the same name are called by their specs.
    `best` enters as the player that it stands for. Without `runs_files`, no user's file is run in
    this process.
    """
    specs = [resolved(spec, game) for spec in specs]
    names = [_name(spec, game, runs_files) for spec in specs]
    named = [
        name if names.count(name) == 1 or not isinstance(spec, str) else spec
        for name, spec in zip(names, specs, strict=True)
    ]
    return tuple(map(Entrant, named, specs, identities_of(specs, game)))


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
    """Return whether making this player may run a user's file."""
    return any(suffix in spec for suffix in USERS_FILES)


def check_distinct(entrants: Sequence[Entrant]) -> None:
    """Raise ValueError where two entrants have the same name or the same identity."""
    for keys in ([e.name for e in entrants], [e.identity or e.name for e in entrants]):
        for entrant, key in zip(entrants, keys, strict=True):
            if keys.count(key) > 1:
                raise ValueError(f"{entrant.name} is entered twice")


def scripted_players(game: Game) -> list[str]:
    """Return the names of the players that are one compiled function, weakest first."""
    return [name for name, player in players_of(game).items() if player.row_function is not None]
