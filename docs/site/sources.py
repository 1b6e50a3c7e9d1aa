"""Which file of the checkout becomes which page, and how its links lead from page to page."""

import os
import re
import shutil
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"(^ *```.*?^ *```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)")
HOME = "index"
REFERENCE = {  # pages that are made from code, by the code that a page of the checkout links to
    CHECKOUT / "scripts/commands": "reference/commands",
    CHECKOUT / "parlour/__init__.py": "reference/python",
}
PAGES = (  # patterns of files, and the pages of these; the first that fits counts
    ("docs/pages/*.md", "{0.stem}"),
    ("envs/*/README.md", "games/{0.parent.name}"),
    ("envs/*/[A-Z]*.md", "games/{0.parent.name}-{0.stem}"),
    ("docs/protocol.md", "reference/{0.stem}"),
    ("docs/league/*.md", "league/{0.stem}"),
    ("docs/tournaments/README.md", "tournaments/index"),
    ("docs/tournaments/*/summary.md", "tournaments/{0.parent.name}"),
    ("docs/studies/*.md", "studies/{0.stem}"),
    ("docs/benchmarks/*.md", "studies/{0.stem}"),
    ("baselines/*/checkpoints/*.md", "models/{0.parents[1].name}-{0.stem}"),
    ("CONTRIBUTING.md", "project/{0.stem}"),
    ("CHANGELOG.md", "project/{0.stem}"),
)


@cache
def pages() -> dict[Path, str]:
    """Return the page of each Markdown file that has one, as a path without suffix."""
    names: dict[Path, str] = {}
    for pattern, name in PAGES:
        for file in sorted(CHECKOUT.glob(pattern)):
            names.setdefault(file, name.format(file).replace("=", "-"))
    return names


def relinked(text: str, file: Path, site: Path) -> str:
    """Return the text of a file with links that lead from its page to other pages.

    Programs that it links to become pages below `site`; pictures and data are copied there. Links
    to what is made for the site lead from page to page already.
    """

    def replaced(match: re.Match) -> str:
        is_picture, words, target, anchor = match.groups()
        goal = (file.parent / target).resolve()
        goal = goal / "README.md" if goal.is_dir() and goal not in REFERENCE else goal
        if not goal.exists():
            return match[0]
        place = os.path.relpath(_placed(goal, site), Path(pages()[file]).parent)
        return f"{is_picture}[{words}]({place}{anchor or ''})"

    parts = CODE.split(text)
    parts[::2] = [LINK.sub(replaced, part) for part in parts[::2]]
    return "".join(parts)


def _placed(goal: Path, site: Path) -> str:
    """Return where a file lies below `site`, and put it there unless it is a page."""
    if goal == CHECKOUT / "README.md":
        return f"{HOME}.md"
    if page := pages().get(goal) or REFERENCE.get(goal):
        return f"{page}.md"
    name = goal.relative_to(CHECKOUT).as_posix()
    if goal.suffix == ".py":
        place = f"programs/{name.removesuffix('.py').replace('/', '.')}.md"
        program = goal.read_text(encoding="utf-8").rstrip()
        write(site / place, f"# {name}\n\n```python\n{program}\n```\n")
        return place
    copy = site / "files" / name
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(goal, copy)
    return f"files/{name}"


def write(path: Path, text: str) -> None:
    """Write a file below the site."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.rstrip() + "\n", encoding="utf-8")
