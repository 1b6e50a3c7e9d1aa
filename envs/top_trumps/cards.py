"""Fixed decks: the one that ships, CSV files and pandas DataFrames.

A deck is stored as the text of a CSV file, so that the settings of its game carry it into
transcripts and checkpoints. `planets.csv` has whole numbers from NASA's Planetary Fact Sheet
(metric; diameters at the equator, moons as of 2024).
"""

import csv
import io
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

RANDOM = "random"  # a new deck for each game
SHIPPED = {"planets": "planets.csv"}
ID = "id"
MIN_CARDS, MAX_CARDS = 2, 128
MIN_FIELDS, MAX_FIELDS = 1, 16
MAX_VALUE = 10**12  # largest absolute value

_ALLOWED = (
    f"deck must be {RANDOM!r}, {', '.join(map(repr, SHIPPED))}, the path of a CSV file, "
    "the text of one, or a pandas DataFrame"
)


class Deck(NamedTuple):
    """The cards of a game and their names."""

    field_names: tuple[str, ...]
    ids: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]  # one row per card


def deck_text(deck: Any) -> str:
    """Return a deck as the settings store it: its name, or the text of its CSV file.

    Raises ValueError for anything that is not a deck.
    """
    if hasattr(deck, "to_csv"):
        return deck.to_csv(index=False, lineterminator="\n")
    if isinstance(deck, str) and (deck == RANDOM or deck in SHIPPED or "\n" in deck):
        return deck
    if not isinstance(deck, str | Path):
        raise ValueError(f"{_ALLOWED}; got {deck!r}")
    if not Path(deck).is_file():
        raise ValueError(f"{_ALLOWED}; there is no file {str(deck)!r}")
    try:
        return Path(deck).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{deck} is no text in UTF-8, but a deck is a CSV file") from error


@lru_cache(maxsize=8)
def read_deck(text: str) -> Deck:
    """The deck of this name, or of this CSV text with a column `id` and whole numbers elsewhere.

    Raises a ValueError that says what is wrong.
    """
    if text in SHIPPED:
        text = (Path(__file__).parent / SHIPPED[text]).read_text(encoding="utf-8")
    header, *rows = [row for row in csv.reader(io.StringIO(text)) if row] or [[]]
    names = [name.strip() for name in header]
    if names.count(ID) != 1:
        raise ValueError(f"deck needs one column {ID!r}; it has {', '.join(names) or 'nothing'}")
    id_column = names.index(ID)
    fields = tuple("_".join(name.split()) for name in names if name != ID)
    _check_size("columns beside id", len(fields), MIN_FIELDS, MAX_FIELDS)
    _check_size("cards", len(rows), MIN_CARDS, MAX_CARDS)
    _check_distinct("column", fields)
    for row in rows:
        if len(row) != len(names):
            raise ValueError(f"deck has {len(names)} columns, but a row {row}")
    ids = tuple(row[id_column].strip() for row in rows)
    _check_distinct("card", ids)
    values = tuple(
        tuple(_whole(ids[k], name, row[column]) for column, name in enumerate(names) if name != ID)
        for k, row in enumerate(rows)
    )
    return Deck(fields, ids, values)


def _check_size(noun: str, number: int, low: int, high: int) -> None:
    if not low <= number <= high:
        raise ValueError(f"deck must have {low} .. {high} {noun}; it has {number}")


def _check_distinct(noun: str, names: tuple[str, ...]) -> None:
    for name in names:
        if not name or names.count(name) > 1:
            raise ValueError(f"deck needs a name of its own for each {noun}; got {name!r}")


def _whole(card: str, field: str, text: str) -> int:
    """Read `12`, or `12.0` as pandas writes it in a column of floats."""
    whole, _, fraction = text.strip().partition(".")
    try:
        value = int(whole)
    except ValueError:
        value = MAX_VALUE + 1
    if abs(value) > MAX_VALUE or fraction.strip("0"):
        raise ValueError(
            f"deck must have whole numbers of at most {MAX_VALUE:,}; {field} of {card} is {text!r}"
        )
    return value
