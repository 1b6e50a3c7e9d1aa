"""`llms.txt`, which lists the pages for language models, and `llms-full.txt`, which holds them."""

import re
from collections.abc import Iterator
from pathlib import Path

from .sources import HOME, write

ABOUT = "Five games of imperfect information as reinforcement-learning environments, with players."
_MENU = re.compile(r"^:caption: (.*)\n\n((?:\S+\n)+)```", re.MULTILINE)
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NO_PROSE = (*"#|`!<:{>", "* ", "- ")  # how blocks begin that are no paragraph


def write_llms(source: Path, out: Path) -> None:
    """Write both files: the pages in the order of the menu, others last."""
    lines, texts = [f"# Parlour\n\n> {ABOUT}"], []
    for section, pages in _sections(source):
        lines.append(f"\n## {section}\n")
        for page in pages:
            text = (source / f"{page}.md").read_text(encoding="utf-8")
            lines.append(f"- [{title(text)}]({page}.md){about(text)}")
            texts += [] if section == "Optional" else [text]
    write(out / "llms.txt", "\n".join(lines))
    write(out / "llms-full.txt", "\n\n".join(texts))


def _sections(source: Path) -> Iterator[tuple[str, list[str]]]:
    home = (source / f"{HOME}.md").read_text(encoding="utf-8")
    listed = {name: pages.split() for name, pages in _MENU.findall(home)}
    games = sorted(
        f"games/{file.stem}" for file in source.glob("games/*.md") if "-" not in file.stem
    )
    listed[next(iter(listed))].insert(0, HOME)
    listed["Games"] += games
    yield from listed.items()
    everything = [file.relative_to(source).with_suffix("") for file in sorted(source.rglob("*.md"))]
    main = {page for pages in listed.values() for page in pages}
    yield "Optional", [page.as_posix() for page in everything if page.as_posix() not in main]


def title(text: str) -> str:
    """Return the heading of a page."""
    return text.partition("\n")[0].removeprefix("# ")


def about(text: str) -> str:
    """Return the first sentence of a page after ": "; nothing where it has no paragraph."""
    blocks = (
        block for block in _CODE.sub("", text).split("\n\n")[1:] if not block.startswith(_NO_PROSE)
    )
    paragraph = next((block for block in blocks if block.strip() and "<a href" not in block), "")
    words = " ".join(_LINK.sub(r"\1", paragraph).split())
    return f": {re.split(r'(?<=[.?!]) ', words)[0]}" if words else ""
