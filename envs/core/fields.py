"""Fields declare everything about the numbers in a record, once.

From a tuple of Fields come the record's dtype, the bounds of the observation space, the scale of a
network's input and the table in the game's README.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from .compile import rule

WORD = np.dtype(np.int64)


class Field(NamedTuple):
    """One named array of a record.

    `low` and `high` bound its values, inclusive. A field of packed bits (`num_bits` > 0) holds
    sets: each of its words carries `num_bits` members; the network's view shows one 0/1
    input for each of them, or, with `hidden`, none at all.
    """

    name: str
    dtype: type
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    num_bits: int = 0
    hidden: bool = False

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
    label = f"field {field.name!r}"
    if not field.name.isidentifier():
        raise ValueError(f"{label} needs a name as Python's variables have, such as 'num_cards'")
    if hasattr(np.record, field.name):
        raise ValueError(
            f"{label} needs another name, because each NumPy record has an attribute of that name"
        )
    if np.dtype(field.dtype).kind not in "iu":
        raise ValueError(
            f"{label} holds whole numbers, in a type such as np.int8; got {np.dtype(field.dtype)}"
        )
    if not isinstance(field.shape, tuple):
        raise ValueError(
            f"the shape of {label} is a tuple: () for one number, (n,) for n; got {field.shape!r}"
        )
    limits = np.iinfo(field.dtype)
    if not limits.min <= field.low <= field.high <= limits.max:
        raise ValueError(
            f"the range of {label} lies in {limits.min} .. {limits.max}, lower end first, as it is "
            f"{limits.dtype}; got {field.low} .. {field.high}"
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
        self._bit_of_input = np.array([bit for n in self._bits_per_word for bit in range(n)], int)
        bits = self.num_inputs - self.num_plain
        self.low = np.array(_per_number(plain, "low") + [0] * bits, dtype=self.plain_dtype)
        self.high = np.array(_per_number(plain, "high") + [1] * bits, dtype=self.plain_dtype)
        largest = np.maximum(np.abs(self.low.astype(np.int64)), np.abs(self.high.astype(np.int64)))
        self.scale = (1.0 / np.maximum(largest, 1)).astype(np.float32)
        self._factors = self.scale[: self.num_plain]
        self._ones = np.ones(self.num_plain, self.plain_dtype)

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
        """Records [B] as whole numbers in natural units: [B, num_inputs]. A fresh array.

        Raises ValueError for a single record; `record.reshape(1)` makes a batch of it.
        """
        return self._vectors(observations, self._ones)

    def scaled(self, observations: np.ndarray) -> np.ndarray:
        """Records [B] as float32 in about -1 .. 1, each divided by its largest magnitude.

        Raises ValueError for a single record; `record.reshape(1)` makes a batch of it.
        """
        return self._vectors(observations, self._factors)

    def _vectors(self, observations: np.ndarray, factors: np.ndarray) -> np.ndarray:
        if observations.ndim != 1:
            raise ValueError(
                f"expected records [B], got shape {observations.shape}; "
                "record.reshape(1) makes a batch of one record"
            )
        out = np.empty((len(observations), self.num_inputs), factors.dtype)
        encode_rows(self._encoding(observations, factors), 0, out)
        return out

    def encoding(self, observations: np.ndarray, is_scaled: bool) -> "Encoding":
        """Return what `encode_rows` writes from records [B], as scaled or whole numbers."""
        return self._encoding(observations, self._factors if is_scaled else self._ones)

    def _encoding(self, observations: np.ndarray, factors: np.ndarray) -> "Encoding":
        words = self.words(observations)[:, : len(self._bits_per_word)]
        return Encoding(self.rows(observations), words, factors, self._bits_per_word)

    def records(self, vectors: np.ndarray) -> np.ndarray:
        """The inverse of `scaled` and `integers`: vectors [B, num_inputs] to records [B].

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
            bits = vectors[:, self.num_plain :].astype(np.int64) << self._bit_of_input
            first_bits = np.flatnonzero(self._bit_of_input == 0)
            self.words(out)[:] = np.add.reduceat(bits, first_bits, axis=1)
        return out

    def name(self, index: int) -> str:
        """Return what a number of the vector is: its field, its place there, and its meaning.

        The divisor is that of `scaled`; whole numbers have none. A member of a set is 1 if the set
        has it. Raises IndexError for an index outside the vector::

            >>> import parlour
            >>> parlour.load_game("splendor").layout.name(37)
            'table_cost[0, 1], divided by 7: costs of the cards on the table'
        """
        if index not in range(self.num_inputs):
            raise IndexError(
                f"the vector has no number {index!r}; it has 0 .. {self.num_inputs - 1}"
            )
        start = index
        for f in self.fields:
            if start < f.num_inputs:
                break
            start -= f.num_inputs
        number, member = divmod(start, f.num_bits or 1)
        place = ", ".join(str(axis) for axis in np.unravel_index(number, f.shape))
        member_of = f"member {member} of " if f.num_bits else ""
        divisor = round(1 / self.scale[index]) if index < self.num_plain else 1
        scaled = f", divided by {divisor}" if divisor > 1 else ""
        return f"{member_of}{f.name}{f'[{place}]' if place else ''}{scaled}: {f.meaning}"

    def readme_table(self) -> str:
        """The fields as a Markdown table: index in the flat vector, shape, range, meaning."""
        lines = ["| index | field | shape | range | meaning |", "|---|---|---|---|---|"]
        start = 0
        for f in self.fields:
            index = "-" if f.hidden else _span(start, f.num_inputs)
            shape = " x ".join(map(str, f.shape)) or "1"
            values = f"sets of {f.num_bits}" if f.num_bits else f"{f.low} .. {f.high}"
            lines.append(f"| {index} | `{f.name}` | {shape} | {values} | {f.meaning} |")
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


class Encoding(NamedTuple):
    """Records [B], and how a layout writes them as numbers."""

    rows: np.ndarray  # whole records as numbers of the plain type, a view
    words: np.ndarray  # the packed words with bits to show: [B, W], a view
    factors: np.ndarray  # of the plain numbers: [num_plain]
    num_bits: np.ndarray  # to show of each word: [W]


@rule
def encode_rows(encoding, first, out):
    """Write the records from `first` on as numbers to the rows of `out` [B, num_inputs]."""
    for row in range(out.shape[0]):
        encode_row(encoding, first + row, out[row])


@rule
def encode_row(encoding, row, out):
    """Write one record as numbers to `out` [num_inputs]."""
    start = encoding.factors.shape[0]
    for column in range(start):
        out[column] = encoding.rows[row, column] * encoding.factors[column]
    for index in range(encoding.num_bits.shape[0]):
        word, num_bits = encoding.words[row, index], encoding.num_bits[index]
        part = out[start : start + num_bits]
        for bit in range(num_bits):
            part[bit] = (word >> bit) & 1
        start += num_bits
