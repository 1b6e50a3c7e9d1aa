"""Entrants: the players of a match or tournament, described so that any process can make them.

The identity of an entrant decides which results in a store belong to it: see `identity`.
"""

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....envs.core.game import Game
from ....envs.core.play.legal import PlayerError
from ...players.making import make_policy, players_of, resolved
from ...players.named_files import check_stored, files_named
from ...policies.file_names import USERS_FILES
from ...policies.policy import PolicySpec
from ..results.identity import identity_of


@dataclasses.dataclass(frozen=True)
class Entrant:
    """A player of a match or tournament; any process can make it."""

    name: str  # in tables; unique among those that play together
    spec: Any  # what `make_policy` takes
    identity: str  # a store keeps results under it; see `identity_of`


EntrantSpec = PolicySpec | Entrant


def enter(specs: Sequence[EntrantSpec], game: Game, runs_files: bool = True) -> tuple[Entrant, ...]:
    """Return the entrants in the order given. Raises ValueError for a spec that is not a player.

    An entrant has the name of its policy; entrants with the same name are called by their specs.
    `best` enters as the player that it stands for. An `Entrant` among `specs` keeps its spec and
    its identity. Without `runs_files`, no user's file is run in this process.
    """
    entrants = [
        spec if isinstance(spec, Entrant) else _one(spec, game, runs_files) for spec in specs
    ]
    names = [entrant.name for entrant in entrants]
    return tuple(
        dataclasses.replace(entrant, name=entrant.spec)
        if names.count(entrant.name) > 1 and isinstance(entrant.spec, str)
        else entrant
        for entrant in entrants
    )


def _one(spec: Any, game: Game, runs_files: bool) -> Entrant:
    spec = resolved(spec, game)
    identity = identity_of(spec, game)  # of the files before they are loaded
    return Entrant(_name(spec, game, runs_files), spec, identity)


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
    """Return whether this text names a user's file: code, a model or a checkpoint."""
    return any(suffix in spec for suffix in USERS_FILES)


def check_distinct(entrants: Sequence[Entrant]) -> None:
    """Raise ValueError where two entrants have the same name or the same identity."""
    for keys in ([e.name for e in entrants], [e.identity for e in entrants]):
        for entrant, key in zip(entrants, keys, strict=True):
            if keys.count(key) > 1:
                raise ValueError(f"{entrant.name} is entered twice")


def check_unchanged(entrants: Sequence[Entrant], game: Game) -> None:
    """Raise PlayerError where files that a user's player depends on were edited while it played."""
    for entrant in entrants:
        if files_named(entrant.spec, game) and identity_of(entrant.spec, game) != entrant.identity:
            raise PlayerError(
                f"files that {entrant.name} depends on changed while it played, so these results "
                "are not kept; a player may write logs (*.log), and no code or files that it names"
            )


def check_files(entrants: Sequence[Entrant], game: Game, is_trusted: bool) -> None:
    """Raise ValueError unless the files of stored players may run: trusted, and all as it was."""
    for entrant in entrants:
        files = files_named(entrant.spec, game)
        check_stored(dict.fromkeys(files, ""), [""], is_trusted)
        if files and identity_of(entrant.spec, game) != entrant.identity:
            raise ValueError(
                f"{', '.join(files)}, a file beside it or Parlour has changed since this was played"
            )


def scripted_players(game: Game) -> list[str]:
    """Return the names of the players that are one compiled function, weakest first."""
    return [name for name, player in players_of(game).items() if player.row_function is not None]
