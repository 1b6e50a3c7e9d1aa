"""Positions as values: read one from an environment, write it as plain data, start from it."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .defaults import fitting
from .game import Game


def position_of(env: Any, table: int | None = None) -> Any:
    """Return a copy of an environment's full state, hidden information included.

    `env` is an environment of any of the three kinds, also in wrappers. For a vector environment,
    return the record at `table`, by default the records [N] of all tables. The record has the
    fields of `game.state_fields`; `reset(options={"position": record})` starts from it, and
    `parlour.start(game, position=record).describe()` shows it as text. Raises ValueError before the
    first reset, IndexError for a table that does not exist::

        >>> import gymnasium, parlour
        >>> env = gymnasium.make("parlour:President-v0", num_players=2)
        >>> observation, info = env.reset(seed=1)
        >>> position = parlour.position_of(env)
        >>> observation, info = env.reset(options={"position": position})
        >>> parlour.position_of(env).tobytes() == position.tobytes()
        True
    """
    states = env.unwrapped.states()
    if table is None and getattr(env.unwrapped, "num_envs", None) is not None:
        return states
    return states[table or 0]


def position_data(game: Game, position: np.void) -> dict[str, Any]:
    """Return a position as plain data, of numbers and lists, which JSON can hold."""
    return {field.name: position[field.name].tolist() for field in game.state_fields}


def position_from(game: Game, data: Any) -> np.record:
    """Return a position of a game from its record, or from its plain data.

    Raises ValueError for what is neither, for fields and numbers that the game's positions cannot
    have, for other house rules, and for what the game's `check_position` finds.
    """
    if isinstance(data, np.void) and data.dtype == game.state_dtype:
        data = position_data(game, data)
    names = [field.name for field in game.state_fields]
    if not isinstance(data, Mapping) or set(data) != set(names):
        raise ValueError(
            f"a position of {game.name} is a record of position_of(env), or a dict of "
            f"{', '.join(names)}; got {data!r}"
        )
    position = game.new_states(1)[0]
    for field in game.state_fields:
        value = fitting(field, data[field.name])
        if field.name in game.house_rules and not np.array_equal(value, position[field.name]):
            raise ValueError(
                f"{field.name} is a house rule, {position[field.name]} in this game; got {value}"
            )
        position[field.name] = value
    game.check_position(position)
    return position
