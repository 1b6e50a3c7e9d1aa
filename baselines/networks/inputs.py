"""The first layer of a network as a table of rows: an observation adds up a few of them.

A number shown in unary adds the weights of every threshold it exceeds; the table holds that sum for
each value it can have, or each combination of values of a few small numbers. Packed bits are looked
up four at a time. `InputRows` says which row stands for what; compiled functions find and add them.

Compiled code cannot look at a record as at an array. So networks are given observations as `data`,
the bytes of a record, uint8 [size]: a view where Python makes it, else a copy (`row_function`).
"""

import itertools
import math
from typing import NamedTuple

import numpy as np

from ...envs.core.compile import array_rule, bind, unbound, vector_rule
from ...envs.core.fields import Field
from ...envs.core.game import Function, Game

NIBBLE_BITS = 4
NIBBLE_VALUES = 1 << NIBBLE_BITS
NO_INPUT = -1
MAX_COMBINATIONS = 64  # of the values of numbers that one row of the table looks up together

# Names to which `bind` gives a meaning.
choose = copied_octets = RECORD = unbound


class InputRows(NamedTuple):
    """Which rows of the first layer's table an observation adds up: int32 arrays but for `lows`.

    K rows are added: one for each group of narrow numbers, then two for each byte of packed bits.
    Row r of the table is row `parents[r]` plus the weights of input `sources[r]`; a row without a
    source is zero. Wide numbers multiply a row of their own.
    """

    first_rows: np.ndarray  # [K] the row of the lowest values
    groups: np.ndarray  # [N] which of the K rows a number helps to choose
    row_steps: np.ndarray  # [N] how many rows one more of it moves
    columns: np.ndarray  # [N] index of the number in a record seen as an array of numbers
    lows: np.ndarray  # [N] of the type of the numbers
    spans: np.ndarray  # [N] highest value less lowest
    offsets: np.ndarray  # [B] of the byte in the record
    continuous_columns: np.ndarray  # [V]
    parents: np.ndarray  # [R]
    sources: np.ndarray  # [R] index into the unary inputs


def input_rows(game: Game, unary_columns: np.ndarray, continuous_columns: np.ndarray) -> InputRows:
    """The rows for these columns of the flat observation: unary in order, then continuous ones."""
    first_input = {int(column): k for k, column in reversed(list(enumerate(unary_columns)))}
    continuous = set(continuous_columns.tolist())
    builder = _Builder(game.layout.plain_dtype)
    column = 0
    for field in _shown(game, packed=False):
        first = _offset(game, field) // np.dtype(field.dtype).itemsize
        for place in range(first, first + field.size):
            if column in first_input:
                builder.add_number(place, field, first_input[column])
            elif column in continuous:
                builder.continuous.append(place)
            column += 1
    builder.end_group()
    for field in _shown(game, packed=True):
        first = _offset(game, field)
        for offset in range(first, first + 8 * field.size, 8):
            if column in first_input:
                builder.add_word(offset, field.num_bits, first_input[column])
            column += field.num_bits
    return builder.rows()


class _Builder:
    """Rows of the table, in the order in which they are laid."""

    def __init__(self, dtype: np.dtype) -> None:
        self.dtype = dtype  # of the numbers
        self.first_rows: list[int] = []
        self.numbers: list[tuple[int, int, int, int, int]] = []  # group, stride, column, low, span
        self.offsets: list[int] = []
        self.continuous: list[int] = []
        self.parents: list[int] = []
        self.sources: list[int] = []
        self._group: list[tuple[int, int, int, int]] = []  # column, low, span, first input

    def add_number(self, place: int, field: Field, first_input: int) -> None:
        """Add a number of this field; `place` is its own in the record, counted in numbers."""
        span = field.high - field.low
        if math.prod(other[2] + 1 for other in self._group) * (span + 1) > MAX_COMBINATIONS:
            self.end_group()
        self._group.append((place, field.low, span, first_input))

    def end_group(self) -> None:
        """Lay the rows of the numbers gathered: all combinations, the last moving fastest."""
        group, self._group = self._group, []
        if not group:
            return
        first = len(self.parents)
        sizes = [span + 1 for _, _, span, _ in group]
        strides = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))]
        for (column, low, span, _), stride in zip(group, strides, strict=True):
            self.numbers.append((len(self.first_rows), stride, column, low, span))
        self.first_rows.append(first)
        for row, values in enumerate(itertools.product(*map(range, sizes))):
            above = [place for place, value in enumerate(values) if value > 0]
            if not above:
                self._add_row(first, NO_INPUT)
                continue
            place = above[0]
            self._add_row(first + row - strides[place], group[place][3] + values[place] - 1)

    def add_word(self, offset: int, num_bits: int, first_input: int) -> None:
        """Add the bits of a word at this offset, in bytes; each byte has two rows."""
        num_bytes = (num_bits + 7) // 8
        self.offsets += range(offset, offset + num_bytes)
        for shift in range(0, 8 * num_bytes, NIBBLE_BITS):
            first = len(self.parents)
            self.first_rows.append(first)
            self._add_row(first, NO_INPUT)
            for value in range(1, NIBBLE_VALUES):
                rest = value & (value - 1)
                bit = shift + (value ^ rest).bit_length() - 1
                self._add_row(first + rest, first_input + bit if bit < num_bits else NO_INPUT)

    def rows(self) -> InputRows:
        numbers = np.array(self.numbers, np.int32).reshape(-1, 5).T.copy()
        groups, row_steps, columns, lows, spans = numbers
        lists = (self.offsets, self.continuous, self.parents, self.sources)
        rest = (np.array(values, np.int32) for values in lists)
        first_rows = np.array(self.first_rows, np.int32)
        lows = lows.astype(self.dtype)
        return InputRows(first_rows, groups, row_steps, columns, lows, spans, *rest)

    def _add_row(self, parent: int, source: int) -> None:
        self.parents.append(parent)
        self.sources.append(source)


def _offset(game: Game, field: Field) -> int:
    """Where a field begins in the record, in bytes."""
    fields = game.observation_dtype.fields
    assert fields is not None
    return fields[field.name][1]


def _shown(game: Game, packed: bool) -> list[Field]:
    fields = game.observation_fields
    return [f for f in fields if not f.hidden and bool(f.num_bits) == packed]


def octets(records: np.ndarray) -> np.ndarray:
    """Records [...] as bytes, uint8 [..., size]: no copy."""
    return records.view(np.uint8).reshape(*records.shape, records.dtype.itemsize)


def row_function(choose: Function, dtype: np.dtype) -> Function:
    """Return (weights, observation, mask, rng) -> action from (weights, data, mask, rng) -> action.

    `dtype` is that of the observations.
    """
    return bind(_choose_by_copy, choose=choose, copied_octets=bind_copy(dtype))


def bind_copy(dtype: np.dtype) -> Function:
    """Return (observation) -> a copy as bytes, uint8 [size]; only an `array_rule` may call it."""
    return bind(_copied_octets, RECORD=dtype)


@array_rule
def _choose_by_copy(weights, observation, mask, rng):
    return choose(weights, copied_octets(observation), mask, rng)


@array_rule
def _copied_octets(observation):
    copy = np.empty(1, RECORD)
    copy[0] = observation
    return copy.view(np.uint8)


@vector_rule
def find_rows(weights, data, rows):
    """Fill rows [K] with those that this observation adds up; values are clipped to their range."""
    for k in range(rows.shape[0]):
        rows[k] = weights.first_rows[k]
    values = data.view(weights.lows.dtype)
    for n in range(weights.columns.shape[0]):
        value = np.int32(values[weights.columns[n]]) - np.int32(weights.lows[n])
        value = min(max(value, np.int32(0)), weights.spans[n])
        rows[weights.groups[n]] += value * weights.row_steps[n]
    first = rows.shape[0] - 2 * weights.offsets.shape[0]
    for k in range(weights.offsets.shape[0]):
        byte = data[weights.offsets[k]]
        rows[first + 2 * k] += np.int32(byte & 15)
        rows[first + 2 * k + 1] += np.int32(byte >> 4)


@vector_rule
def add_continuous(weights, data, out):
    """Add to out [H] the weights of each continuous input times its value."""
    values = data.view(weights.lows.dtype)
    for k in range(weights.continuous_columns.shape[0]):
        value = np.float32(values[weights.continuous_columns[k]])
        for unit in range(out.shape[0]):
            out[unit] += value * weights.continuous[k, unit]


@vector_rule
def fill_table(parents, sources, inputs, table):
    """The table [R, H] of the weights of all unary inputs [inputs, H]."""
    for row in range(table.shape[0]):
        parent, source = parents[row], sources[row]
        for unit in range(table.shape[1]):
            table[row, unit] = 0.0 if parent == row else table[parent, unit]
        if source != NO_INPUT:
            for unit in range(table.shape[1]):
                table[row, unit] += inputs[source, unit]


@vector_rule
def gather_gradient(parents, sources, table, inputs):
    """Turn gradients of the table [R, H], which are overwritten, into those of the inputs."""
    for row in range(table.shape[0] - 1, -1, -1):
        parent, source = parents[row], sources[row]
        if source != NO_INPUT:
            for unit in range(table.shape[1]):
                inputs[source, unit] += table[row, unit]
        if parent != row:
            for unit in range(table.shape[1]):
                table[parent, unit] += table[row, unit]
