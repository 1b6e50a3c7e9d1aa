"""The pages that people write, and what stands in them."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from functools import cache

from docs.site.sources import CHECKOUT

FENCED = re.compile(r"^ *```(\S*)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`]+)`")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
OTHERS = ("docs/pages/audit.md", "docs/pages/language_models.md")  # about other programs


class Tree:
    """The files of the checkout, with some of them changed."""

    def __init__(self, changed: Mapping[str, bytes] | None = None) -> None:
        self.changed = changed or {}

    def bytes(self, path: str) -> bytes:
        """What a file holds."""
        return self.changed[path] if path in self.changed else (CHECKOUT / path).read_bytes()

    def text(self, path: str) -> str:
        """The text of a file."""
        return self.bytes(path).decode()

    def pages(self) -> list[str]:
        """The pages that people write."""
        paths = [*CHECKOUT.glob("docs/pages/*.md"), *CHECKOUT.glob("envs/*/*.md")]
        names = [str(path.relative_to(CHECKOUT)) for path in sorted(paths)]
        return ["README.md", "CONTRIBUTING.md", "docs/protocol.md", *names]

    def own_pages(self) -> list[str]:
        """The pages about Parlour's own names; those of OTHERS have tests of their own."""
        return [page for page in self.pages() if page not in OTHERS]


def prose(text: str) -> str:
    """A text without its blocks of code."""
    return FENCED.sub("", text)


def spans(text: str) -> list[str]:
    """The code in the sentences of a text."""
    return [" ".join(span.split()) for span in SPAN.findall(prose(text))]


@cache
def setup() -> configparser.ConfigParser:
    """What is installed, and how."""
    settings = configparser.ConfigParser()
    settings.read(CHECKOUT / "setup.cfg")
    return settings
