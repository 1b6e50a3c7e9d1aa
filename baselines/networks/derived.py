"""Inputs that a game's folder derives from its observation, for networks.

`baselines/<game>/inputs.py` may define them:

* `input_fields(game)`, the compiled `derive(observation)` that writes them, and `LEFT_OUT`, names
  of fields that networks then need not be shown;
* all or none of ARRANGING: the compiled `arrange(state)` sorts slots that have no order in the
  rules, such as those of a table; there are `NUM_ARRANGED`. What the seat to act knows is sorted
  in the same way by `arrange_seen(observation, mask, slots)`, which fills slots [NUM_ARRANGED] with
  the slot that each was before; `find_slots(state, arranged, slots)` fills them from the position
  before and after. `with_slot_of(slots, action)` translates an action in sorted slots back into
  one in the game's slots.

`with_inputs(game)` is the game with these fields in its observation and its positions arranged:
learners and searches need nothing else. A player of the game itself adds the fields to each
observation that it is given, and arranges it.
"""

import dataclasses
from functools import lru_cache
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...envs.core.compile import array_rule, bind, unbound
from ...envs.core.game import Function, Game
from ..policies.game_parts import part_of
from ..policies.policy import Policy, compiled_policy
from .inputs import bind_copy

PART = "inputs"
ARRANGING = ("NUM_ARRANGED", "arrange", "arrange_seen", "find_slots", "with_slot_of")

# Names to which `bind` gives a meaning.
observe = derive = deal = arrange = apply_action = copied_octets = EXTENDED = NUM_BEFORE = unbound
NUM_ADDED = choose = NUM_ARRANGED = arrange_seen = with_slot_of = choose_shown = PLAIN = unbound
find_slots = unbound


@lru_cache
def with_inputs(game: Game) -> Game:
    """Return the game with the derived fields in its observation: itself where there are none."""
    part = part_of(game, PART)
    names = {field.name for field in game.observation_fields}
    if part is None:
        return game
    fields = part.input_fields(game)
    if names >= {field.name for field in fields}:
        return game
    plain = tuple(field for field in game.observation_fields if not field.num_bits)
    packed = tuple(field for field in game.observation_fields if field.num_bits)
    extended = dataclasses.replace(
        game,
        observation_fields=(*plain, *fields, *packed),
        observe=bind(_observe, observe=game.observe, derive=part.derive),
    )
    if not _arranging(part):
        return extended
    return dataclasses.replace(
        extended,
        deal=bind(_deal, deal=game.deal, arrange=part.arrange),
        apply_action=bind(_apply, apply_action=game.apply_action, arrange=part.arrange),
    )


def shown_fields(game: Game) -> tuple[str, ...]:
    """Return the names of the fields that a network of `with_inputs(game)` is shown."""
    part = part_of(game, PART)
    left_out = () if part is None else part.LEFT_OUT
    return tuple(f.name for f in game.observation_fields if f.name not in left_out)


def bind_extended(game: Game, row_function: Function) -> Function:
    """Return a row function for observations of `game` from one for those of `with_inputs(game)`.

    Both take (weights, observation, mask, rng).
    """
    part = part_of(game, PART)
    extended = with_inputs(game)
    if part is None or extended is game:
        return row_function
    arranging = _arranging(part)
    template = _choose_arranged if arranging else _choose_derived
    choose = bind(template, choose_shown=row_function, derive=part.derive, **arranging)
    return bind(
        _choose_extended,
        choose=choose,
        copied_octets=bind_copy(game.observation_dtype),
        EXTENDED=extended.observation_dtype,
        **_room(game, extended),
    )


def in_extended_game(policy: Policy) -> Policy:
    """Return a compiled player of a game as one of `with_inputs` of that game.

    Scripts read their fields by name. Networks get a copy without the derived fields.
    """
    extended = with_inputs(policy.game)
    if extended is policy.game or policy.row_function is None or policy.weights is None:
        return policy
    row_function = bind(
        _choose_plain,
        choose=bind(_choose_first, choose_shown=policy.row_function),
        copied_octets=bind_copy(extended.observation_dtype),
        PLAIN=policy.game.observation_dtype,
        **_room(policy.game, extended),
    )
    return compiled_policy(policy.name, extended, row_function, policy.weights)


def _room(game: Game, extended: Game) -> dict[str, int]:
    """Return where in an observation the derived fields are, and their length, in bytes."""
    return {
        "NUM_BEFORE": game.layout.num_plain * game.layout.plain_dtype.itemsize,
        "NUM_ADDED": extended.observation_dtype.itemsize - game.observation_dtype.itemsize,
    }


def _arranging(part: ModuleType) -> dict[str, Any]:
    """Return ARRANGING, by name; nothing where a game's folder has none, as most games."""
    return {name: getattr(part, name) for name in ARRANGING if hasattr(part, name)}


def _observe(state, seat, out):
    observe(state, seat, out)
    derive(out)


def _deal(state, rng):
    deal(state, rng)
    arrange(state)


def _apply(state, action):
    apply_action(state, action)
    arrange(state)


@array_rule
def _choose_extended(weights, observation, mask, rng):
    """Copy the observation around room for the derived fields, fill that, and choose."""
    plain, extended = copied_octets(observation), np.empty(1, EXTENDED)
    data = extended.view(np.uint8)
    for index in range(NUM_BEFORE):
        data[index] = plain[index]
    for index in range(NUM_BEFORE, plain.shape[0]):
        data[NUM_ADDED + index] = plain[index]
    return choose(weights, extended, mask.copy(), rng)


# Functions apart, because Numba frees an array after its last use by name, and a record of it is no
# such use.
@array_rule
def _choose_arranged(weights, observations, mask, rng):
    """Arrange and complete the only one of the observations, and choose."""
    observation = observations[0]
    slots = np.empty(NUM_ARRANGED, np.int64)
    arrange_seen(observation, mask, slots)
    derive(observation)
    return with_slot_of(slots, choose_shown(weights, observation, mask, rng))


@array_rule
def _choose_derived(weights, observations, mask, rng):
    """Complete the only one of the observations, and choose."""
    observation = observations[0]
    derive(observation)
    return choose_shown(weights, observation, mask, rng)


@array_rule
def _choose_plain(weights, observation, mask, rng):
    """Copy the observation without the derived fields, and choose."""
    extended, plain = copied_octets(observation), np.empty(1, PLAIN)
    data = plain.view(np.uint8)
    for index in range(data.shape[0]):
        added = NUM_ADDED if index >= NUM_BEFORE else 0
        data[index] = extended[added + index]
    return choose(weights, plain, mask, rng)


@array_rule
def _choose_first(weights, observations, mask, rng):
    return choose_shown(weights, observations[0], mask, rng)


class Arranged(NamedTuple):
    """Positions of a game as those of `with_inputs(game)`."""

    positions: np.ndarray  # records [B]
    actions: np.ndarray  # int64 [B, A]: what each of their actions is in the game itself


def arranged(game: Game, positions: np.ndarray) -> Arranged:
    """Return positions [B] arranged; `game` has derived inputs."""
    part = part_of(game, PART)
    assert part is not None
    actions = np.tile(np.arange(game.num_actions), (len(positions), 1))
    result = Arranged(positions.copy(), actions)
    if arranging := _arranging(part):
        arrange_rows = bind(_arrange_rows, **arranging)
        arrange_rows(positions, *result, np.zeros(part.NUM_ARRANGED, np.int64))
    return result


def _arrange_rows(positions, copies, actions, slots):
    for row in range(positions.shape[0]):
        arrange(copies[row])
        find_slots(positions[row], copies[row], slots)
        for action in range(actions.shape[1]):
            actions[row, action] = with_slot_of(slots, action)
