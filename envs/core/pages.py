"""The texts in a game's folder: its page for agents, and a short one with the rules for people."""

import inspect
import re
from pathlib import Path
from typing import Any

from .catalogue import find_game


def game_page(name: str) -> str:
    """Return the page of a game: rules, actions and observation. Raises ValueError."""
    return _text(name, "README.md")


def page_section(name: str, title: str) -> str:
    """Return a section of a game's page as Markdown; "" without that section or that page."""
    try:
        page = game_page(name)
    except ValueError:
        return ""
    section = rf"^## {title}\n+(.*?)(?=^## |\Z)"
    match = re.search(section, page, re.MULTILINE | re.DOTALL)
    return match[1].strip() if match else ""


def rules_of(name: str) -> dict[str, Any]:
    """Return how to play a game: its facts in a line, and paragraphs that keep **bold** parts.

    Raises ValueError for an unknown game, or one without such a text.
    """
    facts, *lines = _text(name, "how_to_play.md").strip().split("\n\n")
    return {"facts": facts, "lines": [" ".join(line.split()) for line in lines]}


def folder_of(name: str) -> Path:
    """Return the folder of a game, which has its README."""
    return Path(inspect.getfile(find_game(name).make)).resolve().parent


def _text(name: str, file: str) -> str:
    text = folder_of(name) / file
    if not text.exists():
        raise ValueError(f"{name} comes without {file}")
    return text.read_text(encoding="utf-8")
