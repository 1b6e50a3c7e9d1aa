"""Tie a recorded result to the code that it was measured with."""

import ast
import hashlib
import inspect
import io
import json
import tokenize
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

STUDIES: Final = Path(__file__).parent


def code_digest(modules: Iterable[ModuleType]) -> str:
    """A digest of the modules that a result depends on, without comments and docstrings.

    It is of their text: what Python makes of a text differs between its versions.
    """
    digest = hashlib.sha256()
    for module in modules:
        digest.update("\n".join(lines_of_code(inspect.getsource(module)).values()).encode())
    return digest.hexdigest()[:16]


def write_record(record: Path, results: dict[str, Any], page: str) -> None:
    """Write a result as JSON, and the page to read beside it."""
    record.write_text(json.dumps(results, indent=2) + "\n")
    record.with_suffix(".md").write_text(page)


def lines_of_code(source: str) -> dict[int, str]:
    """The lines that hold code, counted from 0, without comments and docstrings."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            lines[line - 1] = lines[line - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            text = node.body[0]
            for index in range(text.lineno - 1, text.end_lineno or text.lineno):
                lines[index] = ""
    return {index: text.rstrip() for index, text in enumerate(lines) if text.strip()}
