"""The index of terms: the last column of the glossary says which page explains a term.

These places are in the general index, and the site's search ranks them first.
"""

import re
from collections import defaultdict
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from .sources import CHECKOUT

GLOSSARY = CHECKOUT / "docs" / "pages" / "glossary.md"
_ROW = re.compile(
    r"^\| ([^|]+) \| [^|]+ \| \[[^]]*\]\(([^)#]+)\.md(?:#([^)]+))?\) \|$", re.MULTILINE
)
Places = dict[str, list[tuple[str, str]]]


def places() -> Places:
    """Return for each page its terms, each with the anchor of its section, "" for the page."""
    terms: Places = defaultdict(list)
    for words, page, anchor in _ROW.findall(GLOSSARY.read_text(encoding="utf-8")):
        for word in words.replace("`", "").split(", "):
            terms[page.removeprefix("../")].append((word, anchor))
    return terms


class IndexTerms(SphinxTransform):
    """Put the terms that a page explains into the index."""

    default_priority = 840  # before Sphinx collects the entries of a page

    def apply(self, **kwargs: Any) -> None:
        """Add the entries to the sections of one page; warn where a section is missing."""
        sections = {
            anchor: section
            for section in self.document.findall(nodes.section)
            for anchor in (*section["ids"], section.get("slug", ""))
        }
        for term, anchor in places().get(self.env.docname, ()):
            section = sections.get(anchor) if anchor else next(self.document.findall(nodes.section))
            if section is None:
                logging.getLogger(__name__).warning("%s: no section %r", self.env.docname, anchor)
                continue
            entry = ("single", term, section["ids"][0], "main", None)
            section.insert(1, addnodes.index(entries=[entry]))
