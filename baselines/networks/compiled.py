"""A network as one record of weights, and its compiled forward pass.

The shapes of the record's fields are the sizes of the layers, so they are known when the functions
are compiled, and new weights need no compilation. Hidden layers are rectified linear units.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import WORD_BITS, lowest_bit
from ...envs.core.compile import array_rule, bind, unbound, vector_rule
from ...envs.core.game import NO_ACTION, Function
from .inputs import InputRows, add_continuous, fill_table, find_rows
from .vectors import add_multiples, add_rows

# Names to which `bind` gives a meaning.
INPUTS = before = WEIGHTS = BIAS = body = evaluate = unbound


class Layer(NamedTuple):
    """Weights [inputs, outputs] and biases [outputs], float32."""

    weights: np.ndarray
    bias: np.ndarray


class Network(NamedTuple):
    """All numbers of a network. The first layer takes the unary inputs, then the continuous ones.

    `scale` [V] multiplies the continuous inputs. Without a value head, `value` is all zeros.
    `others` has an output for each other seat, clockwise; not every network has them.
    """

    hidden: Sequence[Layer]
    actions: Layer  # one logit, or action value, for each action
    value: Layer  # one output
    scale: np.ndarray
    others: Layer | None = None


def weights_record(rows: InputRows, network: Network) -> np.ndarray:
    """The network as an array of one record [1]: what compiled functions take as `weights[0]`."""
    first = network.hidden[0]
    num_unary = len(first.weights) - len(rows.continuous_columns)
    units = len(first.bias)
    table = np.zeros((len(rows.parents), units))
    fill_table(rows.parents, rows.sources, first.weights[:num_unary].astype(np.float64), table)
    fields = rows._asdict()
    del fields["parents"], fields["sources"]
    fields["table"] = table.astype(np.float32)
    fields["continuous"] = first.weights[num_unary:] * network.scale[:, None]
    fields |= layer_fields(network.hidden, network.actions)
    fields["value"] = network.value.weights[:, 0]
    fields["value_bias"] = network.value.bias
    if network.others is not None:
        fields["others"] = network.others.weights.T  # a row a seat
        fields["others_bias"] = network.others.bias
    return record_of_arrays(fields)


def layer_fields(hidden: Sequence[Layer], actions: Layer) -> dict[str, np.ndarray]:
    """The fields of a record but for the first layer's weights and a value head."""
    fields = {"bias_0": hidden[0].bias}
    for index, layer in enumerate(hidden[1:], start=1):
        fields[f"weights_{index}"] = layer.weights
        fields[f"bias_{index}"] = layer.bias
    fields["actions"] = actions.weights.T  # a row an action: only legal ones are read
    fields["actions_bias"] = actions.bias
    return fields


def record_of_arrays(fields: dict[str, np.ndarray]) -> np.ndarray:
    """A record [1] of these arrays."""
    record = np.zeros(1, _record_dtype(tuple((k, v.dtype.str, v.shape) for k, v in fields.items())))
    for name, numbers in fields.items():
        record[name][0] = numbers
    return record


@lru_cache  # Numba knows a dtype object again much faster than one that is equal
def _record_dtype(fields: tuple[tuple[str, str, tuple[int, ...]], ...]) -> np.dtype:
    return np.dtype((np.record, list(fields)))


def num_layers(record: np.ndarray) -> int:
    """The hidden layers of a record of weights."""
    names = record.dtype.names or ()
    return sum(name.startswith("bias_") for name in names)


def values_all_seats(record: np.ndarray) -> bool:
    """Return whether a record of weights has values of the other seats."""
    return "others" in (record.dtype.names or ())


class NetworkFunctions(NamedTuple):
    """Compiled functions of networks with a given number of hidden layers.

    `data` is an observation as bytes, uint8 [size]. `body(weights, data, units)` fills the last
    hidden layer; `evaluate(weights, data, mask, logits)` writes the logits of the legal actions
    into logits [A] and returns the value; `evaluate_all(weights, data, mask, logits, values)`
    writes the logits too, and the value for each seat, clockwise from the observer, into values
    [seats]; `best_action` is (weights, data, mask, rng) -> action.
    """

    body: Function
    evaluate: Function
    evaluate_all: Function
    best_action: Function


@lru_cache
def network_functions(num_layers: int) -> NetworkFunctions:
    """The functions for networks of this many hidden layers (at least 1)."""
    body = _body_of(num_layers)
    evaluate = bind(_evaluate, body=body)
    return NetworkFunctions(
        body,
        evaluate,
        bind(_evaluate_all, body=body),
        bind(best_action, evaluate=evaluate),
    )


def _body_of(num_layers: int) -> Function:
    if num_layers == 1:
        return _one_layer
    last = num_layers - 1
    names = {"WEIGHTS": f"weights_{last}", "BIAS": f"bias_{last}", "INPUTS": f"bias_{last - 1}"}
    return bind(_one_more_layer, before=_body_of(last), **names)


@array_rule
def _one_layer(weights, data, units):
    rows = np.empty(weights.first_rows.shape[0], np.int32)
    find_rows(weights, data, rows)
    first_layer(weights, data, rows, units)


@array_rule
def _one_more_layer(weights, data, units):
    inputs = np.empty(weights[INPUTS].shape[0], np.float32)
    before(weights, data, inputs)
    active = np.empty(inputs.shape[0], np.int32)
    dense_layer(weights[WEIGHTS], weights[BIAS], inputs, active, units)


@array_rule
def _evaluate(weights, data, mask, logits):
    units = np.empty(weights.value.shape[0], np.float32)
    body(weights, data, units)
    write_logits(weights, units, mask, logits)
    return head_value(weights, units)


@array_rule
def _evaluate_all(weights, data, mask, logits, values):
    units = np.empty(weights.value.shape[0], np.float32)
    body(weights, data, units)
    write_logits(weights, units, mask, logits)
    values[0] = head_value(weights, units)
    for other in range(weights.others_bias.shape[0]):
        values[1 + other] = dot(weights.others, other, units) + weights.others_bias[other]


@array_rule
def best_action(weights, data, mask, rng):
    """The legal action of the highest logit; of equals the lowest."""
    logits = np.empty(weights.actions_bias.shape[0], np.float32)
    evaluate(weights, data, mask, logits)
    return best_legal(mask, logits)


@vector_rule
def first_layer(weights, data, rows, units):
    """The first hidden layer from the rows of its table."""
    for unit in range(weights.bias_0.shape[0]):
        units[unit] = weights.bias_0[unit]
    add_rows(weights.table, rows, rows.shape[0], units)
    add_continuous(weights, data, units)
    for unit in range(weights.bias_0.shape[0]):
        units[unit] = max(units[unit], np.float32(0.0))


@vector_rule
def dense_layer(weights, bias, inputs, active, units):
    """Compute a hidden layer from the one before it, skipping inputs that are 0, about half.

    `active` [inputs] is scratch for the indices of the nonzero inputs.
    """
    num_active = 0
    for k in range(inputs.shape[0]):
        active[num_active] = k
        num_active += inputs[k] > 0.0
    for unit in range(bias.shape[0]):
        units[unit] = bias[unit]
    add_multiples(weights, active, num_active, inputs, units)
    for unit in range(bias.shape[0]):
        units[unit] = max(units[unit], np.float32(0.0))


@vector_rule
def write_logits(weights, units, mask, logits):
    """The logits of the legal actions; the others are left as they are."""
    for index in range(mask.shape[0]):
        word = mask[index]
        while word != 0:
            action = index * WORD_BITS + lowest_bit(word)
            logits[action] = dot(weights.actions, action, units) + weights.actions_bias[action]
            word &= word - 1


@vector_rule
def dot(rows, row, units):
    """A row of an array [A, H] times units [H]."""
    total = np.float32(0.0)
    for unit in range(rows.shape[1]):
        total += rows[row, unit] * units[unit]
    return total


@vector_rule
def head_value(weights, units):
    """The value head."""
    total = weights.value_bias[0]
    for unit in range(weights.value.shape[0]):
        total += weights.value[unit] * units[unit]
    return total


@vector_rule
def best_legal(mask, logits):
    """The legal action of the highest logit; of equals the lowest."""
    best, best_logit = np.int64(NO_ACTION), np.float32(-np.inf)
    for index in range(mask.shape[0]):
        word = mask[index]
        while word != 0:
            action = index * WORD_BITS + lowest_bit(word)
            if best == NO_ACTION or logits[action] > best_logit:
                best, best_logit = action, logits[action]
            word &= word - 1
    return best


@vector_rule
def to_chances(mask, logits):
    """Logits of the legal actions to chances, in place: a softmax."""
    highest = logits[best_legal(mask, logits)]
    total = np.float32(0.0)
    for index in range(mask.shape[0]):
        word = mask[index]
        while word != 0:
            action = index * WORD_BITS + lowest_bit(word)
            logits[action] = np.exp(logits[action] - highest)
            total += logits[action]
            word &= word - 1
    for index in range(mask.shape[0]):
        word = mask[index]
        while word != 0:
            logits[index * WORD_BITS + lowest_bit(word)] /= total
            word &= word - 1


@vector_rule
def draw_action(mask, chances, point):
    """Draw a legal action by inverse transform sampling: `point` is uniform in 0 .. 1."""
    action = np.int64(NO_ACTION)
    for index in range(mask.shape[0]):
        word = mask[index]
        while word != 0:
            action = index * WORD_BITS + lowest_bit(word)
            point -= chances[action]
            if point < 0.0:
                return action
            word &= word - 1
    return action
