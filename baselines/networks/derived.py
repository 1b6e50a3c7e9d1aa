"""Inputs that a game's folder derives from its observation, for networks.

`baselines/<game>/inputs.py` may define `input_fields(game)`, the compiled `derive(observation)`
that writes them, and `LEFT_OUT`, names of fields that networks then need not be shown. `with_inputs`
makes of the game one whose observation holds them too: learners and searches need nothing else. A
player of the game itself widens each observation that it is given.
"""

import dataclasses
from functools import lru_cache

from ...envs.core.game import Function, Game
from ...envs.core.jit import bind_lean
from ..parts import part_of
from .memory import octets, record_scratch

PART = "inputs"


@lru_cache
def with_inputs(game: Game) -> Game:
    """Return the game with the derived fields in its observation: itself where there are none."""
    part = part_of(game, PART)
    known = {field.name for field in game.observation_fields}
    if part is None:
        return game
    fields = part.input_fields(game)
    if known >= {field.name for field in fields}:
        return game
    plain = tuple(field for field in game.observation_fields if not field.num_bits)
    packed = tuple(field for field in game.observation_fields if field.num_bits)
    return dataclasses.replace(
        game,
        observation_fields=(*plain, *fields, *packed),
        observe=bind_lean(_observe, observe=game.observe, derive=part.derive),
        observe_inputs=None,
    )


def shown_fields(game: Game) -> tuple[str, ...]:
    """Return the names of the fields that a network of `with_inputs(game)` is shown."""
    part = part_of(game, PART)
    left_out = () if part is None else part.LEFT_OUT
    return tuple(f.name for f in game.observation_fields if f.name not in left_out)


@lru_cache
def bind_widening(game: Game, row_function: Function) -> Function:
    """Return a row function for observations of `game` from one for those of `with_inputs(game)`.

    Both take (weights, observation, mask, rng).
    """
    part = part_of(game, PART)
    wide = with_inputs(game)
    if part is None or wide is game:
        return row_function
    return bind_lean(
        _choose_wide,
        choose_shown=row_function,
        derive=part.derive,
        WIDE=wide.new_observations(),
        NUM_BEFORE=game.layout.num_plain * game.layout.plain_dtype.itemsize,
        NUM_ADDED=wide.observation_dtype.itemsize - game.observation_dtype.itemsize,
    )


def _observe(state, seat, out):
    observe(state, seat, out)
    derive(out)


def _choose_wide(weights, observation, mask, rng):
    """Copy the observation around room for the derived fields, fill that, and choose."""
    wide = record_scratch(WIDE)
    narrow_bytes, wide_bytes = octets(observation), octets(wide)
    for index in range(NUM_BEFORE):
        wide_bytes[index] = narrow_bytes[index]
    for index in range(NUM_BEFORE, narrow_bytes.shape[0]):
        wide_bytes[NUM_ADDED + index] = narrow_bytes[index]
    derive(wide)
    return choose_shown(weights, wide, mask, rng)
