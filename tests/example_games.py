"""The games of `docs/examples`, imported as a user imports them, and forgotten after the test."""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium

from parlour.envs.core import catalogue
from parlour.envs.registry import GAMES

EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"


@contextmanager
def imported(*names: str, folder: Path = EXAMPLES) -> Iterator[list[ModuleType]]:
    """Import modules of a folder that register games; other tests shall not find these games."""
    registries: tuple[dict[Any, Any], ...] = (GAMES, catalogue._ENTRIES, gymnasium.registry)
    before = [dict(registry) for registry in registries]
    sys.path.insert(0, str(folder))
    try:
        yield [importlib.import_module(name) for name in names]
    finally:
        sys.path.remove(str(folder))
        for registry, content in zip(registries, before, strict=True):
            registry.clear()
            registry.update(content)
        for name in names:
            sys.modules.pop(name, None)
