"""Give compiled functions names that depend on their types alone.

Numba names a function by its arguments, and a record type by a counter of the process. Code that
two processes compiled for different records can then have one name. A process that loads both
would run the first in place of the second.
"""

import hashlib
from typing import Any

from numba.core import types

_LENGTH = 16


def name_records_by_content() -> None:
    """Let Numba name each record type by a digest of its fields."""
    record: Any = types.Record
    record.mangling_args = property(_mangling_args)


def _mangling_args(record: Any) -> tuple[str, tuple[str, ...]]:
    return "Record", (hashlib.sha256(record.name.encode()).hexdigest()[:_LENGTH],)
