"""The compiled forward pass of networks that see only the order of the cards left.

See `modules.RankedValues`. Its baseline moves the values of all actions alike, so it is left out
here: of one position, only the order of the actions counts.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import WORD_BITS, lowest_bit, popcount
from ...envs.core.compile import array_rule, bind, rule, vector_rule
from ...envs.core.game import Function, Game
from .compiled import Layer, best_action, body_of, dot, layer_fields, record_of_arrays
from .vectors import add_rows

BYTE_BITS = 8


def ranked_record(game: Game, sets: list[str], hidden: list[Layer], actions: Layer) -> np.ndarray:
    """The weights as one record [1], with where an observation holds its sets."""
    offsets = game.observation_dtype.fields
    assert offsets is not None
    fields = {field.name: field for field in game.observation_fields}
    num_words = fields[sets[0]].size
    starts = [[offsets[name][1] + 8 * word for word in range(num_words)] for name in sets]
    return record_of_arrays(
        {
            "table": hidden[0].weights,
            "set_offsets": np.array(starts, np.int32),  # [sets, colours] in bytes
            "num_bits": np.array([fields[sets[0]].num_bits], np.int32),
            **layer_fields(hidden, actions),
        }
    )


class RankedFunctions(NamedTuple):
    """Compiled functions of networks with a given number of hidden layers.

    `data` is an observation as bytes, uint8 [size]. `evaluate(weights, data, mask, values)` writes
    the values of the legal actions into values [A], each less the baseline; `best_action` is
    (weights, data, mask, rng) -> action.
    """

    evaluate: Function
    best_action: Function


def ranked_functions(num_layers: int) -> RankedFunctions:
    """The functions for networks of this many hidden layers (at least 1)."""
    body = body_of(num_layers, _ranked_layer)
    evaluate = bind(_evaluate, body=body, UNITS=f"bias_{num_layers - 1}")
    return RankedFunctions(evaluate, bind(best_action, evaluate=evaluate))


@array_rule
def _evaluate(weights, data, mask, values):
    units = np.empty(weights[UNITS].shape[0], np.float32)
    body(weights, data, units)
    left, places = np.empty((2, weights.set_offsets.shape[1]), np.int64)
    rank_colours(weights, data, left, places)
    num_bits = np.int64(weights.num_bits[0])
    for index in range(mask.shape[0]):
        word = mask[index]
        while word != 0:
            action = index * WORD_BITS + lowest_bit(word)
            colour = action // num_bits
            rank = popcount(left[colour] & ((np.int64(1) << (action % num_bits)) - 1))
            output = places[colour] * num_bits + rank
            values[action] = dot(weights.actions, output, units) + weights.actions_bias[output]
            word &= word - 1


@array_rule
def _ranked_layer(weights, data, units):
    """The first hidden layer: one row for each card of a set, by colour's place and card's rank."""
    left, places = np.empty((2, weights.set_offsets.shape[1]), np.int64)
    rank_colours(weights, data, left, places)
    rows = np.empty(weights.table.shape[0], np.int32)
    num_bits = np.int64(weights.num_bits[0])
    num_sets = weights.set_offsets.shape[0]
    count = 0
    for colour in range(places.shape[0]):
        for index in range(num_sets):
            word = set_of(weights, data, index, colour)
            while word != 0:
                below = (word & -word) - 1
                rank = popcount(left[colour] & below)
                rows[count] = (places[colour] * num_sets + index) * num_bits + rank
                count += 1
                word &= word - 1
    sum_layer(weights, rows, count, units)


@vector_rule
def sum_layer(weights, rows, count, units):
    """The first hidden layer from the rows that are 1."""
    for unit in range(weights.bias_0.shape[0]):
        units[unit] = weights.bias_0[unit]
    add_rows(weights.table, rows, count, units)
    for unit in range(weights.bias_0.shape[0]):
        units[unit] = max(units[unit], np.float32(0.0))


@rule
def rank_colours(weights, data, left, places):
    """Fill the cards left of each colour, and the colour's place in order of its sets."""
    for colour in range(places.shape[0]):
        left[colour] = 0
        for index in range(weights.set_offsets.shape[0]):
            left[colour] |= set_of(weights, data, index, colour)
    for colour in range(places.shape[0]):
        key = key_of(weights, data, left, colour)
        place = 0
        for other in range(places.shape[0]):
            other_key = key_of(weights, data, left, other)
            place += other_key < key or (other_key == key and other < colour)
        places[colour] = place


@rule
def key_of(weights, data, left, colour):
    """The number by which colours are ordered: bits of the first set lowest, gaps closed."""
    key = np.int64(0)
    for index in range(weights.set_offsets.shape[0]):
        word = set_of(weights, data, index, colour)
        while word != 0:
            rank = popcount(left[colour] & ((word & -word) - 1))
            key |= np.int64(1) << (index * np.int64(weights.num_bits[0]) + rank)
            word &= word - 1
    return key


@rule
def set_of(weights, data, index, colour):
    """One word of a packed field."""
    start = weights.set_offsets[index, colour]
    word = np.int64(0)
    for byte in range((weights.num_bits[0] + BYTE_BITS - 1) // BYTE_BITS):
        word |= np.int64(data[start + byte]) << (BYTE_BITS * byte)
    return word
