"""Readers of numbers and files on the command line; all raise ArgumentTypeError for others."""

import argparse
import math
import os
from collections.abc import Callable
from pathlib import Path

MAX_PORT = 2**16 - 1
MAX_SEED = 2**63 - 1
MAX_DEALS = 10**8  # their results take 3.2 GB with two seats, and 12.8 GB with four


def integer(expected: str, low: int = 0, high: float = math.inf) -> Callable[[str], int]:
    """Return a reader of integers in `low` .. `high`; `expected` says in words which they are."""

    def read(text: str) -> int:
        if not text.isdecimal() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{expected}, not {text}")
        return int(text)

    return read


seed = integer("a seed is an integer in 0 .. 2**63 - 1", high=MAX_SEED)
whole = integer("expected a whole number")
tables = integer("expected tables in 1 .. 1048576", 1, 2**20)
positive = integer("expected a whole number of at least 1", 1)
port = integer(f"a port is a number in 0 .. {MAX_PORT}", high=MAX_PORT)
number_of_games = integer("expected a budget of 10 .. 100000 games", 10, 10**5)
number_of_deals = integer(f"expected deals in 1 .. {MAX_DEALS}", 1, MAX_DEALS)


def seconds(text: str) -> float:
    """Read a finite time."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise argparse.ArgumentTypeError(f"expected seconds, not {text}")
    return value


def place_to_write(text: str) -> str:
    """Check the folder of a new file or folder now rather than after the work."""
    path = Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"no folder {path.parent} to write {text} in")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write {text}: it is read-only here")
    return text


def file_to_write(text: str) -> str:
    """Check the folder of a file, and that it is no folder itself."""
    if Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"{text} is a folder; name a file")
    return place_to_write(text)
