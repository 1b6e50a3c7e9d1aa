"""Tie a recorded result to the code that it was measured with."""

import hashlib
import inspect
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Final

from ..mutants.sample import lines_of_code

STUDIES: Final = Path(__file__).parents[2] / "docs" / "studies"


def code_digest(modules: Iterable[ModuleType]) -> str:
    """A digest of the modules that a result depends on, without comments and docstrings.

    It is of their text: what Python makes of a text differs between its versions.
    """
    digest = hashlib.sha256()
    for module in modules:
        digest.update("\n".join(lines_of_code(inspect.getsource(module)).values()).encode())
    return digest.hexdigest()[:16]
