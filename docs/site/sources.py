"""Which file of the checkout becomes which page, and how its links lead from page to page."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)")
PAGES = (  # patterns of files, and the folder of their pages
    ("docs/pages/*.md", ""),
    ("envs/*/[A-Z]*.md", "games"),
    ("docs/protocol.md", "reference"),
    ("docs/league/*.md", "league"),
    ("docs/tournaments/README.md", "tournaments"),
    ("docs/tournaments/*/summary.md", "tournaments"),
    ("docs/studies/*.md", "studies"),
    ("docs/benchmarks/*.md", "studies"),
    ("baselines/*/checkpoints/*.md", "models"),
    ("CONTRIBUTING.md", "project"),
    ("CHANGELOG.md", "project"),
)
_NAMED_BY_FOLDER = ("README", "summary")


def page_of(file: Path) -> str | None:
    """Return the page of a file, as a path without suffix; None for a file that has none.

    A program has a page that shows it, once a page links to it.
    """
    name = file.relative_to(CHECKOUT).as_posix()
    if name == "README.md":
        return "index"
    if file.suffix == ".py":
        return f"programs/{name.removesuffix('.py').replace('/', '.')}"
    for pattern, folder in PAGES:
        if file.relative_to(CHECKOUT).match(pattern) and pattern.count("/") == name.count("/"):
            return "/".join(filter(None, (folder, _page_name(file, folder))))
    return None


def _page_name(file: Path, folder: str) -> str:
    if file.parent.name == folder:
        return "index" if file.stem == "README" else file.stem
    if file.stem in _NAMED_BY_FOLDER:
        return file.parent.name
    if folder == "models":
        return f"{file.parents[1].name}-{file.stem}".replace("=", "-")
    return f"{file.parent.name}-{file.stem.lower()}" if folder == "games" else file.stem


def all_sources() -> Iterator[Path]:
    """Yield the Markdown files that are pages of the site."""
    for pattern, _ in PAGES:
        yield from sorted(CHECKOUT.glob(pattern))


class Linked:
    """Rewrites links between files to links between pages, and keeps what else they lead to.

    `programs` are the linked programs; pictures and data are copied below `site`.
    """

    def __init__(self, site: Path) -> None:
        self.site = site
        self.programs: set[Path] = set()

    def rewritten(self, text: str, file: Path, page: str) -> str:
        """Return the text of a file, with the links that it needs as that page.

        Links to pages that are generated lead from page to page already.
        """
        parts = CODE.split(text)
        parts[::2] = [LINK.sub(self._replace(file.parent, page), part) for part in parts[::2]]
        return "".join(parts)

    def _replace(self, folder: Path, page: str) -> Callable[[re.Match], str]:
        def replace(match: re.Match) -> str:
            is_picture, words, target, anchor = match.groups()
            goal = (folder / target).resolve()
            if goal.is_dir():
                goal = goal / "README.md"
            if not goal.exists():
                return match[0]
            place = os.path.relpath(self._place(goal), Path(page).parent)
            return f"{is_picture}[{words}]({place}{anchor or ''})"

        return replace

    def _place(self, goal: Path) -> str:
        page = page_of(goal)
        if page is None:
            place = f"files/{goal.relative_to(CHECKOUT).as_posix()}"
            (self.site / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(goal, self.site / place)
            return place
        if goal.suffix == ".py":
            self.programs.add(goal)
        return f"{page}.md"
