"""Fields declare everything about the numbers in a record, once.

From a tuple of Fields come the record's dtype, the bounds of the observation space, the scale of a
network's input and the table in the game's README.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from .jit import apart, rule
from .wide import LANES, write_bits, write_products

WORD = np.dtype(np.int64)
_PART_BITS = 16  # of a word, written at once
# Unsigned, because signed indices would be tested for negative values.
_NONE = np.uint64(0)
_LANES = np.uint64(LANES)
_PART = np.uint64(_PART_BITS)
_WHOLE_PART = np.uint64((1 << _PART_BITS) - 1)
_ONE = np.uint64(1)


class Field(NamedTuple):
    """One named array of a record.

    `low` and `high` bound its values, inclusive. A field of packed bits (`num_bits` > 0) holds
    sets: each of its words carries `num_bits` members; the network's view shows one 0/1
    input for each of them, or, with `hidden`, none at all. A plain field of an observation that is
    the same for every seat, from the deal to the end of the game, may say so with `is_constant`:
    the vector environment then reads it once a game.
    """

    name: str
    dtype: type
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    num_bits: int = 0
    hidden: bool = False
    is_constant: bool = False

    @property
    def size(self) -> int:
        """The number of numbers (or words) in the field."""
        return int(np.prod(self.shape, dtype=int))

    @property
    def num_inputs(self) -> int:
        """The number of a network's inputs that the field becomes."""
        if self.hidden:
            return 0
        return self.size * self.num_bits if self.num_bits else self.size


def record_dtype(fields: Sequence[Field]) -> np.dtype:
    """The packed record of these fields, in this order."""
    return _record_dtype(tuple(fields))


def check_fields(fields: Sequence[Field]) -> None:
    """Raise ValueError for a field that no record can have, and for two of the same name."""
    for index, field in enumerate(fields):
        _check_field(field)
        if field.name in [other.name for other in fields[:index]]:
            raise ValueError(f"two fields are called {field.name!r}")


def _check_field(field: Field) -> None:
    what = f"field {field.name!r}"
    if not field.name.isidentifier():
        raise ValueError(f"{what} needs a name as Python's variables have, such as 'num_cards'")
    if hasattr(np.record, field.name):
        raise ValueError(
            f"{what} needs another name, because each NumPy record has an attribute of that name"
        )
    if np.dtype(field.dtype).kind not in "iu":
        raise ValueError(
            f"{what} holds whole numbers, in a type such as np.int8; got {np.dtype(field.dtype)}"
        )
    if not isinstance(field.shape, tuple):
        raise ValueError(
            f"the shape of {what} is a tuple: () for one number, (n,) for n; got {field.shape!r}"
        )
    held = np.iinfo(field.dtype)
    if not held.min <= field.low <= field.high <= held.max:
        raise ValueError(
            f"the range of {what} lies in {held.min} .. {held.max}, lower end first, as it is "
            f"{held.dtype}; got {field.low} .. {field.high}"
        )


@cache  # Numba recognises the same dtype object much faster than an equal one
def _record_dtype(fields: tuple[Field, ...]) -> np.dtype:
    return np.dtype((np.record, [(f.name, f.dtype, f.shape) for f in fields]))


class FlatLayout:
    """The conversion between observation records and vectors for a network.

    Plain fields come first and share one integer type, so that they are a zero-copy view of the
    record; packed fields follow and are expanded to bits. The vector's length is `num_inputs`.
    """

    def __init__(self, fields: Sequence[Field]) -> None:
        plain = [f for f in fields if not f.num_bits]
        packed = [f for f in fields if f.num_bits]
        _check_order(fields, plain)
        self.fields = tuple(fields)
        self.dtype = record_dtype(fields)
        self.plain_dtype = np.dtype(plain[0].dtype) if plain else np.dtype(np.int8)
        self.num_plain = sum(f.size for f in plain)
        self.num_inputs = sum(f.num_inputs for f in fields)
        self._plain_bytes = self.num_plain * self.plain_dtype.itemsize
        shown = [f for f in packed for _ in range(f.size)]
        bits_per_word = np.array([f.num_inputs // f.size for f in shown], dtype=np.int64)
        # Without the hidden words at the end.
        self._bits_per_word = np.trim_zeros(bits_per_word, "b")
        bits = self.num_inputs - self.num_plain
        self.low = np.array(_per_number(plain, "low") + [0] * bits, dtype=self.plain_dtype)
        self.high = np.array(_per_number(plain, "high") + [1] * bits, dtype=self.plain_dtype)
        largest = np.maximum(np.abs(self.low.astype(np.int64)), np.abs(self.high.astype(np.int64)))
        self.scale = (1.0 / np.maximum(largest, 1)).astype(np.float32)
        self._factors = self.scale[: self.num_plain]
        self._ones = np.ones(self.num_plain, self.plain_dtype)
        self._spans = _spans(plain, is_constant=False)
        self._constant_spans = _spans(plain, is_constant=True)
        self.num_constants = sum(f.size for f in plain if f.is_constant)
        self._all = np.array([[0, self.num_plain]], np.uint64)  # as `_spans`, of all plain fields
        self._sources, self._sizes = self._place_parts()

    def plain(self, observations: np.ndarray) -> np.ndarray:
        """The plain numbers of records [B] as a view [B, num_plain]: no copy."""
        return self.rows(observations)[:, : self.num_plain]

    def constants(self, observations: np.ndarray) -> np.ndarray:
        """The constant fields of records [B], one after the other: [B, num_constants]."""
        rows = self.plain(observations)
        out = np.empty((len(rows), self.num_constants), self.plain_dtype)
        place = 0
        for first, end in self._constant_spans.tolist():
            out[:, place : place + end - first] = rows[:, first:end]
            place += end - first
        return out

    def rows(self, observations: np.ndarray) -> np.ndarray:
        """Whole records [B] as a view of the plain type, [B, numbers], without gaps for fast loops.

        The first `num_plain` of each row are the plain numbers.
        """
        rows = observations.view(np.uint8).reshape(len(observations), self.dtype.itemsize)
        return rows.view(self.plain_dtype)

    def words(self, observations: np.ndarray) -> np.ndarray:
        """The packed words of records [B] as a view [B, words]: no copy."""
        rows = observations.view(np.uint8).reshape(len(observations), self.dtype.itemsize)
        return rows[:, self._plain_bytes :].view(WORD)

    def integers(self, observations: np.ndarray) -> np.ndarray:
        """Records [B] as whole numbers in natural units: [B, num_inputs]. A fresh array.

        Raises ValueError for a single record; `record.reshape(1)` makes a batch of it.
        """
        return self._vectors(observations, self._ones)

    def scaled(self, observations: np.ndarray) -> np.ndarray:
        """Records [B] as float32 in about -1 .. 1, each divided by its largest magnitude.

        Raises ValueError for a single record; `record.reshape(1)` makes a batch of it.
        """
        return self._vectors(observations, self._factors)

    def _place_parts(self) -> tuple[np.ndarray, np.ndarray]:
        """For each part with bits to show, its place in a record and the number of its bits."""
        sources, sizes = [], []
        for index, num_bits in enumerate(self._bits_per_word.tolist()):
            for shift in range(0, num_bits, _PART_BITS):
                sources.append(self._plain_bytes + index * WORD.itemsize + shift // 8)
                sizes.append(min(_PART_BITS, num_bits - shift))
        return np.array(sources, np.uint64), np.array(sizes, np.uint64)

    def _vectors(self, observations: np.ndarray, factors: np.ndarray) -> np.ndarray:
        if observations.ndim != 1:
            raise ValueError(
                f"expected records [B], got shape {observations.shape}; "
                "record.reshape(1) makes a batch of one record"
            )
        out = np.empty((len(observations), self.num_inputs), factors.dtype)
        write_changes(self.whole_buffers(observations, factors is self._factors), out)
        return out

    def row_buffers(self, observations: np.ndarray, is_scaled: bool) -> "RowBuffers":
        """The arguments with which `write_row` writes one record [1] as scaled or whole numbers."""
        rows = self.rows(observations)
        factors = self._factors if is_scaled else self._ones
        return rows, rows.view(np.uint8), factors, self._sources, self._sizes

    def block_buffers(self, observations: np.ndarray, is_scaled: bool) -> "Buffers":
        """The first argument of `write_changes`, `write_all` and `keep_constants`."""
        row_buffers = self.row_buffers(observations, is_scaled)
        return Buffers(*row_buffers, self._spans, self._constant_spans)

    def whole_buffers(self, observations: np.ndarray, is_scaled: bool) -> "Buffers":
        """The same for `write_changes` to write all fields, the constant ones included."""
        return Buffers(*self.row_buffers(observations, is_scaled), self._all, self._all[:0])

    def records(self, vectors: np.ndarray) -> np.ndarray:
        """The inverse: vectors [B, num_inputs], scaled (floats) or integer, to records [B].

        Raises ValueError if the vector lacks parts of the record (hidden fields).
        """
        hidden = [f.name for f in self.fields if f.hidden]
        if hidden:
            raise ValueError(
                f"a flat observation leaves out {', '.join(hidden)}; pass the record, "
                "as a PettingZoo environment's record(agent) gives it"
            )
        if vectors.ndim != 2 or vectors.shape[1] != self.num_inputs:
            raise ValueError(f"expected vectors [B, {self.num_inputs}], got shape {vectors.shape}")
        if vectors.dtype.kind == "f":
            vectors = np.rint(vectors / self.scale)
        out = np.zeros(len(vectors), self.dtype)
        self.plain(out)[:] = vectors[:, : self.num_plain]
        if self.num_inputs > self.num_plain:
            bits = vectors[:, self.num_plain :].astype(np.int64)
            _gather_bits(bits, self._bits_per_word, self.words(out))
        return out

    def readme_table(self) -> str:
        """The fields as a Markdown table: index in the flat vector, shape, range, meaning."""
        lines = ["| index | field | shape | range | meaning |", "|---|---|---|---|---|"]
        start = 0
        for f in self.fields:
            index = "-" if f.hidden else _span(start, f.num_inputs)
            shape = " x ".join(map(str, f.shape)) or "1"
            held = f"sets of {f.num_bits}" if f.num_bits else f"{f.low} .. {f.high}"
            lines.append(f"| {index} | `{f.name}` | {shape} | {held} | {f.meaning} |")
            start += f.num_inputs
        return "\n".join(lines)


def _span(start: int, length: int) -> str:
    return str(start) if length == 1 else f"{start} - {start + length - 1}"


def _per_number(fields: Sequence[Field], bound: str) -> list[int]:
    return [getattr(f, bound) for f in fields for _ in range(f.size)]


def _check_order(fields: Sequence[Field], plain: Sequence[Field]) -> None:
    if list(fields[: len(plain)]) != list(plain):
        raise ValueError("observation fields must list the plain fields before the packed ones")
    if len({np.dtype(f.dtype) for f in plain}) > 1:
        types = ", ".join(f"{f.name} {np.dtype(f.dtype)}" for f in plain)
        raise ValueError(
            f"the plain observation fields of a game must share one integer type; got {types}"
        )
    for f in fields[len(plain) :]:
        if np.dtype(f.dtype) != WORD:
            raise ValueError(f"packed field {f.name!r} must be made of int64 words")
        if f.is_constant:
            raise ValueError(f"packed field {f.name!r} cannot be is_constant; plain fields can")


def _spans(plain: Sequence[Field], is_constant: bool) -> np.ndarray:
    """The columns of plain fields that are constant or not, as (first, end): [K, 2]."""
    spans: list[list[int]] = []
    column = 0
    for f in plain:
        if f.is_constant == is_constant:
            if spans and spans[-1][1] == column:
                spans[-1][1] += f.size
            else:
                spans.append([column, column + f.size])
        column += f.size
    return np.array(spans, np.uint64).reshape(-1, 2)  # unsigned, as `_place_parts`


RowBuffers = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


class Buffers(NamedTuple):
    """What the functions below work with: records [B], and how a layout writes them."""

    rows: np.ndarray  # the records as numbers of the plain type: [B, numbers]
    bytes_of_rows: np.ndarray  # the same as bytes
    factors: np.ndarray  # of the plain fields
    sources: np.ndarray  # the places of the parts with bits to show
    sizes: np.ndarray  # the numbers of their bits
    spans: np.ndarray  # of the plain fields that may change, as (first, end): [K, 2]
    constant_spans: np.ndarray  # of the others


@rule
def write_row(rows, bytes_of_rows, factors, sources, sizes, out):
    """Write one record [1] as numbers to `out` [num_inputs]; see `FlatLayout.row_buffers`."""
    write_span(rows[0], _NONE, factors, _NONE, np.uint64(factors.shape[0]), out)
    write_packed(bytes_of_rows[0], sources, sizes, np.uint64(factors.shape[0]), out)


@rule
def write_changes(buffers, out):
    """Write the first records to the rows of `out`, one each, without the constant fields.

    Records are best written well before: a processor waits where it loads numbers that it has just
    stored in smaller parts.
    """
    for row in range(out.shape[0]):
        write_plain(buffers, row, out[row])
        write_sets(buffers, row, out[row])


@rule
def write_all(buffers, constants, out):
    """`write_changes`, and the constant fields from the rows [num_constants] of `constants`."""
    for row in range(out.shape[0]):
        write_record(buffers, row, constants[row], out[row])


@rule
def write_record(buffers, record, constants, out):
    """Write one record, the constant fields from where `keep_constants` put them."""
    write_plain(buffers, record, out)
    write_constants(buffers, constants, out)
    write_sets(buffers, record, out)


@rule
def write_plain(buffers, record, out):
    """Write the plain fields of one record that may change."""
    for span in range(buffers.spans.shape[0]):
        first, end = buffers.spans[span, 0], buffers.spans[span, 1]
        write_span(buffers.rows[record], first, buffers.factors, first, end, out)


@rule
def write_constants(buffers, constants, out):
    """Write the constant fields from where `keep_constants` put them."""
    place = _NONE
    for span in range(buffers.constant_spans.shape[0]):
        first, end = buffers.constant_spans[span, 0], buffers.constant_spans[span, 1]
        write_span(constants, place, buffers.factors, first, end, out)
        place += end - first


@rule
def keep_constants(buffers, record, out):
    """Copy the constant fields of one record to `out` [num_constants]."""
    place = _NONE
    for span in range(buffers.constant_spans.shape[0]):
        first, end = buffers.constant_spans[span, 0], buffers.constant_spans[span, 1]
        for column in range(first, end):
            out[place + (column - first)] = buffers.rows[record, column]
        place += end - first


@apart
@rule
def write_few(source, start, factors, first, end, out):
    """Write fewer numbers than `write_span` writes at once."""
    for column in range(first, end):
        out[column] = source[start + (column - first)] * factors[column]


@rule
def write_span(source, start, factors, first, end, out):
    """Write the numbers from source[start] on, times their factors, to out[first:end].

    The last are written together with some that are written already.
    """
    if first + _LANES > end:
        write_few(source, start, factors, first, end, out)
        return
    last = end - _LANES
    for column in range(first, last, _LANES):
        write_products(out, column, source, start + (column - first), factors, column)
    write_products(out, last, source, start + (last - first), factors, last)


@rule
def write_sets(buffers, record, out):
    """Write the bits of the sets of one record."""
    first = np.uint64(buffers.factors.shape[0])
    write_packed(buffers.bytes_of_rows[record], buffers.sources, buffers.sizes, first, out)


@rule
def _part(bytes_of_row, source):
    """Return a part of a word: two bytes."""
    low, high = bytes_of_row[source], bytes_of_row[source + _ONE]
    return np.uint16(low | np.uint16(high) << 8)


@rule
def write_packed(bytes_of_row, sources, sizes, first, out):
    """Write the bits of one record as numbers to out[first:], a part at once.

    The last ones are written together with some that are written already.
    """
    bits, num_bits, written = _NONE, _NONE, _NONE
    column = first
    for index in range(sources.shape[0]):
        bits |= np.uint64(_part(bytes_of_row, sources[index])) << num_bits
        num_bits += sizes[index]
        if num_bits >= _PART:
            write_bits(out, column, np.uint16(bits))
            written = bits & _WHOLE_PART
            bits >>= _PART
            num_bits -= _PART
            column += _PART
    if column > first:
        write_bits(out, column + num_bits - _PART, np.uint16((written | bits << _PART) >> num_bits))
        return
    for place in range(column, column + num_bits):
        out[place] = bits & _ONE
        bits >>= _ONE


@rule
def _gather_bits(bits, bits_per_word, words):
    for row in range(bits.shape[0]):
        column = 0
        for index in range(words.shape[1]):
            word = np.int64(0)
            for bit in range(bits_per_word[index]):
                word |= bits[row, column] << bit
                column += 1
            words[row, index] = word
