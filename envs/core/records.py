"""Fields declare everything about the numbers in a record, once.

From a tuple of Fields come the record's dtype, the bounds of the observation space, the scale of a
network's input and the table in the game's README.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from .jit import rule

WORD = np.dtype(np.int64)
_BYTE_BITS = 8
_LOG2_BYTE = np.uint64(3)
# Unsigned, because signed indices would be tested for negative values.
_U1, _U2, _U3, _U4, _U5, _U6, _U7 = np.arange(1, 8, dtype=np.uint64)


class Field(NamedTuple):
    """One named array of a record.

    `low` and `high` bound its values, inclusive. A field of packed bits (`num_bits` > 0) holds
    sets: each of its words carries `num_bits` members; the network's view shows one 0/1
    input for each of them, or, with `hidden`, none at all. A plain field of an observation that is
    the same for every seat, from the deal to the end of the game, may say so with `is_constant`:
    the vector environment then converts it once a game.
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
        self._bits_per_word = np.trim_zeros(
            bits_per_word, "b"
        )  # without the hidden words at the end
        bits = self.num_inputs - self.num_plain
        self.low = np.array(_per_number(plain, "low") + [0] * bits, dtype=self.plain_dtype)
        self.high = np.array(_per_number(plain, "high") + [1] * bits, dtype=self.plain_dtype)
        largest = np.maximum(np.abs(self.low.astype(np.int64)), np.abs(self.high.astype(np.int64)))
        self.scale = (1.0 / np.maximum(largest, 1)).astype(np.float32)
        self._factors = self.scale[: self.num_plain]
        self._ones = np.ones(self.num_plain, self.plain_dtype)
        self._spans = _spans(plain, is_constant=False)
        self.constant_spans = _spans(plain, is_constant=True)  # [K, 2]: first column, and the end
        self._sources, self._columns = self._place_bytes()

    def plain(self, observations: np.ndarray) -> np.ndarray:
        """The plain numbers of records [B] as a view [B, num_plain]: no copy."""
        return self.rows(observations)[:, : self.num_plain]

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
        """Records [B] as whole numbers in natural units: [B, num_inputs]. A fresh array."""
        return self._vectors(observations, self._ones)

    def scaled(self, observations: np.ndarray) -> np.ndarray:
        """Records [B] as float32 in about -1 .. 1, each divided by its largest magnitude."""
        return self._vectors(observations, self._factors)

    def _place_bytes(self) -> tuple[np.ndarray, np.ndarray]:
        """For each byte with bits to show, its place in a record and the input of its first bit."""
        sources, columns, column = [], [], self.num_plain
        for index, num_bits in enumerate(self._bits_per_word.tolist()):
            for shift in range(0, num_bits, _BYTE_BITS):
                sources.append(self._plain_bytes + index * WORD.itemsize + shift // _BYTE_BITS)
                columns.append(column + shift)
            column += num_bits
        return np.array(sources, np.uint64), np.array(columns, np.uint64)

    def _vectors(self, observations: np.ndarray, factors: np.ndarray) -> np.ndarray:
        rows = self.rows(observations)
        shape = len(rows), self.num_inputs
        if not len(self._sources):
            out = np.empty(shape, factors.dtype)
            scale_rows(rows, factors, out)
            return out
        flat = np.empty(
            shape[0] * shape[1] + _BYTE_BITS, factors.dtype
        )  # the last byte may extend past the end
        spread = _bits_of_bytes(factors.dtype)
        sources, columns = self._sources, self._columns
        _write_rows(rows, rows.view(np.uint8), factors, sources, columns, spread, shape[1], flat)
        return flat[:-_BYTE_BITS].reshape(shape)

    def row_buffers(self, observations: np.ndarray, is_scaled: bool) -> tuple[np.ndarray, ...]:
        """The arguments with which `write_row` writes one record [1] as scaled or whole numbers."""
        rows = self.rows(observations)
        factors = self._factors if is_scaled else self._ones
        spread = _bits_of_bytes(factors.dtype)
        return rows, rows.view(np.uint8), factors, self._sources, self._columns, spread

    def block_buffers(self, observations: np.ndarray, is_scaled: bool) -> tuple[np.ndarray, ...]:
        """The arguments with which `write_changes` and `write_constants` write these records."""
        return *self.row_buffers(observations, is_scaled), self._spans, self.constant_spans

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
        raise ValueError("the plain observation fields of a game must share one integer type")
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
    return np.array(spans, np.uint64).reshape(-1, 2)  # as `_U1` above


@cache
def _bits_of_bytes(dtype: np.dtype) -> np.ndarray:
    """The eight bits of every byte, lowest first, as numbers: [256 * 8]."""
    return (np.arange(256)[:, None] >> np.arange(_BYTE_BITS) & 1).astype(dtype).reshape(-1)


@rule
def scale_rows(rows, factors, out):
    """The first whole numbers of each row [B, numbers] times their factors."""
    for row in range(rows.shape[0]):
        for column in range(factors.shape[0]):
            out[row, column] = rows[row, column] * factors[column]


@rule
def _write_rows(rows, bytes_of_rows, factors, sources, columns, spread, num_columns, out):
    """Plain numbers times their factors, then bits as numbers, eight at a time.

    `spread` holds the eight of every byte. Byte `sources[k]` of a row goes to `columns[k]`; what
    it has beyond its word is written over by the next word, or by the next row.
    """
    for row in range(rows.shape[0]):
        start = np.uint64(row * num_columns)
        for column in range(factors.shape[0]):
            out[start + np.uint64(column)] = rows[row, column] * factors[column]
        for index in range(sources.shape[0]):
            first = np.uint64(bytes_of_rows[row, sources[index]]) << _LOG2_BYTE
            _write_byte(spread, first, out, start + columns[index])


@rule
def write_row(rows, bytes_of_rows, factors, sources, columns, spread, out):
    """Write one record [1] as numbers to `out` [num_inputs]; see `FlatLayout.row_buffers`."""
    for column in range(factors.shape[0]):
        out[column] = rows[0, column] * factors[column]
    _write_bits(bytes_of_rows[0], sources, columns, spread, out)


@rule
def write_changes(buffers, out):
    """Write the first records to the rows of `out`, one each, without the constant fields.

    See `FlatLayout.block_buffers`. Records are best written well before: a processor waits where it
    loads numbers that it has just stored in smaller parts.
    """
    rows, bytes_of_rows, factors, sources, columns, spread, spans, _ = buffers
    for row in range(out.shape[0]):
        for span in range(spans.shape[0]):
            for column in range(spans[span, 0], spans[span, 1]):
                out[row, column] = rows[row, column] * factors[column]
        _write_bits(bytes_of_rows[row], sources, columns, spread, out[row])


@rule
def write_constants(buffers, record, out):
    """Write the constant fields of one of the records to a row of numbers."""
    rows, _, factors, _, _, _, _, spans = buffers
    for span in range(spans.shape[0]):
        for column in range(spans[span, 0], spans[span, 1]):
            out[column] = rows[record, column] * factors[column]


@rule
def copy_constants(buffers, constants, out):
    """Copy the constant fields from rows of numbers to others."""
    spans = buffers[7]
    for row in range(out.shape[0]):
        for span in range(spans.shape[0]):
            for column in range(spans[span, 0], spans[span, 1]):
                out[row, column] = constants[row, column]


@rule
def _write_bits(bytes_of_row, sources, columns, spread, out):
    """Write the bits of one record as numbers, eight at a time while there is room."""
    for index in range(sources.shape[0]):
        first = np.uint64(bytes_of_row[sources[index]]) << _LOG2_BYTE
        room = out.shape[0] - np.int64(columns[index])
        if room >= _BYTE_BITS:
            _write_byte(spread, first, out, columns[index])
        else:
            for bit in range(room):
                out[columns[index] + np.uint64(bit)] = spread[first + np.uint64(bit)]


@rule
def _write_byte(spread, first, out, column):
    """Copy eight numbers: all are read before any is written, so this compiles to one move."""
    a, b, c = spread[first], spread[first + _U1], spread[first + _U2]
    d, e, f = spread[first + _U3], spread[first + _U4], spread[first + _U5]
    g, h = spread[first + _U6], spread[first + _U7]
    out[column] = a
    out[column + _U1] = b
    out[column + _U2] = c
    out[column + _U3] = d
    out[column + _U4] = e
    out[column + _U5] = f
    out[column + _U6] = g
    out[column + _U7] = h


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
