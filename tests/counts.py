"""How many games a test plays: a part of them in every run of the suite, all in the long one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

PART = 10


def part_and_all(settings: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Each setting, whose last entry counts games: with a tenth of them, and long with all."""
    settings = list(settings)
    return [(*setting[:-1], -(-setting[-1] // PART)) for setting in settings] + [
        pytest.param(*setting, marks=pytest.mark.long) for setting in settings
    ]
