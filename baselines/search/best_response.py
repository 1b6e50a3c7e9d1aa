"""The exact best response to a given player, by searching every position that can occur against it.

The responding seat knows all hands. So the value is an upper bound, and exact where the given
player's choices depend on nothing hidden.
"""

import dataclasses
from collections.abc import Callable

import numpy as np

from ...envs.core.compile import bind, rule, unbound
from ...envs.core.game import Game
from ...envs.core.play.legal import PlayerError
from ...envs.core.play.tables import Tables, action_masks, new_streams
from ...envs.core.rng import streams
from ..policies import generic
from ..policies.policy import Policy
from .hashing import WORD_BYTES, hashed

_BATCH = 64  # positions whose trees are held in memory at once, where they are small enough
MAX_MOVES = 1 << 22  # in the trees that are held at once, about 0.7 GB
_NO_CHILD = -1

Narrow = Callable[[np.ndarray, np.ndarray], np.ndarray]

# Names to which `bind` gives a meaning.
apply_action = unbound


class _TooLarge(ValueError):
    """The trees of a batch have more than MAX_MOVES moves."""


@dataclasses.dataclass
class _TreeLayer:
    """The positions at the same number of plies from the start, and the edges to the next layer.

    Edges of position k are `first_edge[k] .. first_edge[k + 1]`.
    """

    states: np.ndarray
    is_choice: np.ndarray  # whether the responding seat acts
    ends: np.ndarray  # its return where the game is over, else 0
    first_edge: np.ndarray
    actions: np.ndarray
    children: np.ndarray


def best_replies(
    game: Game, policy: Policy, states: np.ndarray, seats: np.ndarray, narrow: Narrow | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Solve for the best response of seats[k] from states[k] where `policy` plays all other seats.

    Return its expected return [B], and that of each action [B, A] where seats[k] acts (NaN for
    other actions). `narrow` maps observations and masks int8 [B, A] to the actions that seats[k]
    may choose from. Raises ValueError for a game that draws in mid-game, for a policy that draws
    and is not `random`, and where more than MAX_MOVES moves can follow one of the states.
    """
    if game.play_chance is not None:
        raise ValueError(f"{game.name} draws in mid-game: no exact best response")
    values = np.zeros(len(states))
    action_values = np.full((len(states), game.num_actions), np.nan)
    for seat in np.unique(seats):
        rows = np.flatnonzero(seats == seat)
        size, largest = 1, _BATCH  # one position shows at once whether any fits
        while len(rows):
            chosen = rows[:size]
            try:
                layers = _grow(game, policy, states[chosen], int(seat), narrow)
            except _TooLarge:
                if len(chosen) == 1:
                    raise
                size = largest = len(chosen) // 2
                continue
            values[chosen], action_values[chosen] = _back_up(game, layers)
            rows, size = rows[size:], min(2 * size, largest)
    return values, action_values


def _grow(
    game: Game, policy: Policy, states: np.ndarray, seat: int, narrow: Narrow | None
) -> list[_TreeLayer]:
    """Return all positions that can occur, ply by ply, each once in its layer."""
    layers = []
    room = MAX_MOVES
    while len(states):
        layer, states = _grow_layer(game, policy, states, seat, narrow, room)
        layers.append(layer)
        room -= len(layer.actions)
    return layers


def _grow_layer(
    game: Game, policy: Policy, states: np.ndarray, seat: int, narrow: Narrow | None, room: int
) -> tuple[_TreeLayer, np.ndarray]:
    """Return a layer and the positions of the next. Raises _TooLarge for more than `room` moves."""
    tables = Tables(game, new_streams((len(states),)))
    tables.states[:] = states
    acting, observations, words = tables.show(tables.all_rows)
    returns = tables.returns(tables.all_rows)
    masks = action_masks(words, game.num_actions)
    is_over = ~masks.any(axis=1)
    is_choice = (acting == seat) & ~is_over
    if narrow is not None and is_choice.any():
        masks[is_choice] &= narrow(observations[is_choice], masks[is_choice])
    is_reply = ~is_choice & ~is_over
    if is_reply.any():
        masks[is_reply] = possible_actions(policy, observations[is_reply], masks[is_reply])
    first_edge = np.concatenate([[0], np.cumsum(masks.sum(axis=1, dtype=np.int64))])
    if first_edge[-1] > room:
        raise _TooLarge(
            f"more than {MAX_MOVES:,} moves can follow one position of {game.name}: too many for "
            "an exact best response"
        )
    parents, actions = np.nonzero(masks)
    children, child_of = _expand(game, states, parents, actions)
    layer = _TreeLayer(states, is_choice, returns[:, seat], first_edge, actions, child_of)
    return layer, children


def possible_actions(policy: Policy, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Return the actions [B, A] that a policy may choose; those of a row are equally likely."""
    if policy.row_function is generic.random:
        return masks
    rngs = np.repeat(streams([0]), len(observations))
    before = rngs.copy()
    if policy.needs_positions:
        raise PlayerError(
            f"{policy.name} searches: its choice in a position is not one fixed action"
        )
    actions = np.asarray(policy(observations, masks, rngs))
    if rngs.tobytes() != before.tobytes():
        raise PlayerError(
            f"{policy.name} chooses at random: an exact response needs a player that does not, "
            "or a policy with `probabilities`"
        )
    chosen = np.zeros_like(masks)
    chosen[np.arange(len(masks)), actions] = 1
    return chosen


def _expand(
    game: Game, states: np.ndarray, parents: np.ndarray, actions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct positions after these actions, and which of them each action leads to."""
    children = np.zeros(len(parents) + 1, states.dtype)
    size = 1 << max(4, (2 * len(parents)).bit_length())
    child_of = np.empty(len(parents), np.int64)
    slots = np.full(size, _NO_CHILD, np.int64)
    as_bytes = children.view(np.uint8).reshape(len(children), states.dtype.itemsize)
    shape = len(children), states.dtype.itemsize // WORD_BYTES
    words = np.ndarray(shape, np.int64, children, strides=(states.dtype.itemsize, WORD_BYTES))
    expand = bind(_expand_rows, apply_action=game.apply_action)
    count = expand(states, parents, actions, children, words, as_bytes, slots, child_of)
    return children[:count].copy(), child_of


def _expand_rows(states, parents, actions, children, words, as_bytes, slots, child_of):
    """Write each distinct child once; `words` and `as_bytes` are the same memory as `children`."""
    count = 0
    for edge in range(parents.shape[0]):
        children[count] = states[parents[edge]]
        apply_action(children[count], actions[edge])
        slot = hash_of(words, as_bytes, count) & (slots.shape[0] - 1)
        while slots[slot] != _NO_CHILD and not is_same(words, as_bytes, slots[slot], count):
            slot = (slot + 1) & (slots.shape[0] - 1)
        if slots[slot] == _NO_CHILD:
            slots[slot] = count
            count += 1
        child_of[edge] = slots[slot]
    return count


@rule
def hash_of(words, as_bytes, row):
    """Hash a row: its whole words, then the remaining bytes."""
    mixed = hashed(np.int64(as_bytes.shape[1]), words[row])
    return hashed(mixed, as_bytes[row, words.shape[1] * WORD_BYTES :])


@rule
def is_same(words, as_bytes, row, other):
    """Return whether two rows are equal."""
    for index in range(words.shape[1]):
        if words[row, index] != words[other, index]:
            return False
    for index in range(words.shape[1] * WORD_BYTES, as_bytes.shape[1]):
        if as_bytes[row, index] != as_bytes[other, index]:
            return False
    return True


def _back_up(game: Game, layers: list[_TreeLayer]) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of the positions in the first layer, and of the actions to choose there."""
    values = np.zeros(0)
    for layer in reversed(layers):
        below, values = values, layer.ends.copy()
        _back_up_rows(layer.first_edge, layer.children, layer.is_choice, below, values)
    first = layers[0]
    action_values = np.full((len(first.states), game.num_actions), np.nan)
    for row in np.flatnonzero(first.is_choice):
        edges = slice(first.first_edge[row], first.first_edge[row + 1])
        action_values[row, first.actions[edges]] = below[first.children[edges]]
    return values, action_values


@rule
def _back_up_rows(first_edge, children, is_choice, below, values):
    """Take the greatest value of the children where the responding seat acts, else their mean."""
    for row in range(values.shape[0]):
        start, stop = first_edge[row], first_edge[row + 1]
        if start == stop:
            continue
        total, greatest = 0.0, -np.inf
        for edge in range(start, stop):
            value = below[children[edge]]
            total += value
            greatest = max(greatest, value)
        values[row] = greatest if is_choice[row] else total / (stop - start)
