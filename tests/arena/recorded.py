"""Tie a recorded result to the code that it was measured with."""

import ast
import hashlib
import inspect
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Final

STUDIES: Final = Path(__file__).parents[2] / "docs" / "studies"


def code_digest(modules: Iterable[ModuleType]) -> str:
    """A digest of the modules that a result depends on, without comments and docstrings."""
    digest = hashlib.sha256()
    for module in modules:
        digest.update(_without_prose(module).encode())
    return digest.hexdigest()[:16]


def _without_prose(module: ModuleType) -> str:
    tree = ast.parse(inspect.getsource(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            node.body = node.body[1:]
    return ast.unparse(tree)
