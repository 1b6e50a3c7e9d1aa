"""Links lead to what is there, and the menu to every page."""

import re
from collections.abc import Iterator
from pathlib import Path

from docs.site.build import GENERATED
from docs.site.sources import CHECKOUT, LINK, REFERENCE, pages
from parlour.scripts.main import COMMANDS

from .tree import HEADING, SPAN, Tree, prose


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and MyST make it."""
    words = re.sub(r"[^\w\- ]", "", SPAN.sub(r"\1", heading).lower())
    return words.strip().replace(" ", "-")


def anchors(tree: Tree, path: str) -> set[str]:
    """The anchors of a page; of a page of the reference those of its commands."""
    if CHECKOUT / path in REFERENCE:
        return {f"parlour-{command}" for command in COMMANDS}
    return {slug(heading) for heading in HEADING.findall(prose(tree.text(path)))}


def dead_links(tree: Tree) -> Iterator[str]:
    """Links and pictures lead to files, and their anchors to headings."""
    sources = {str(path.relative_to(CHECKOUT)) for path in pages()}
    for page in sorted({*tree.pages(), *sources}):
        for _, _, target, anchor in LINK.findall(SPAN.sub("", prose(tree.text(page)))):
            goal = (CHECKOUT / page).parent / target if target else CHECKOUT / page
            path = str(Path(goal).resolve().relative_to(CHECKOUT))
            if not goal.exists():
                yield f"{page}: a link to {target}, which is not there"
            elif anchor and anchor[1:] not in anchors(tree, path):
                yield f"{page}: a link to {target}{anchor}, which has no such heading"


def outside_the_menu(tree: Tree) -> Iterator[str]:
    """Every page is in the menu."""
    menu = re.findall(r"^([\w/]+)$", tree.text("docs/pages/index.md"), re.MULTILINE)
    pages = {Path(page).stem for page in tree.pages() if page.startswith("docs/pages/")}
    pages -= {"index"}
    yield from (f"{page} is not in the menu" for page in pages | set(GENERATED) if page not in menu)
