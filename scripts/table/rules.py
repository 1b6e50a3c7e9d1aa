"""The rules of a game as its own page has them, whole for agents and in paragraphs for people."""

import inspect
import re
from pathlib import Path

from ...envs import find_game

_TITLE = re.compile(r"\A# .*\n+")
_RULES = re.compile(r"^## Rules\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_BREAK = re.compile(r"\n\n+|\n(?=\d+\. )")  # before a paragraph or a numbered rule
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")


def game_page(name: str) -> str:
    """Return the page of a game: rules, actions and observation. Raises ValueError."""
    folder = Path(inspect.getfile(find_game(name).make)).parent
    page = folder / "README.md"
    if not page.exists():
        raise ValueError(f"{name} comes without a page of rules")
    return page.read_text(encoding="utf-8")


def rules_of(name: str) -> list[str]:
    """Return what a game is about, then its rules, a paragraph each. Raises ValueError.

    Of Markdown they keep `code` and **bold**.
    """
    page = _TITLE.sub("", game_page(name))
    found = _RULES.search(page)
    paragraphs = [_BREAK.split(page)[0], *(_BREAK.split(found[1].strip()) if found else [])]
    return [_LINK.sub(r"\1", " ".join(paragraph.split())) for paragraph in paragraphs]
