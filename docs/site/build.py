"""Builds the site: `python -m docs.site.build` writes its pages and turns them into HTML.

The pages go to build/site/source as Markdown; build/site/html has the HTML, the Markdown of each
page beside it, with `llms.txt`, which lists them, and `llms-full.txt`, which holds them.
"""

import re
import shutil
import sys
import time
from collections.abc import Callable
from html import unescape
from pathlib import Path

from parlour.envs import GAMES
from parlour.envs.core.pages import folder_of

from . import games, records, reference
from .llms import title, write_llms
from .releases import release_pages
from .sources import CHECKOUT, pages, relinked, write
from .tables import TABLES, with_tables

OUT = CHECKOUT / "build" / "site"
GENERATED: dict[str, Callable[[], str]] = {
    "reference/commands": reference.commands_page,
    "reference/python": reference.python_page,
}
CHANGELOG = "project/CHANGELOG"
_MENU = re.compile(r"<!-- (\{toctree\}.*?)-->", re.DOTALL)  # a comment in the checkout
_HEADING = re.compile(r"<h1>(.*?)(?:<a class=\"headerlink\".*?)?</h1>", re.DOTALL)
_TAG, _LETTERS = re.compile(r"<[^>]*>"), re.compile(r"\W")
BARRIERS = {  # for a keyboard or a screen reader, and the same HTML without them
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<th class="head"><p></p></th>': "<td></td>",
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}


def write_pages(site: Path) -> None:
    """Write all pages as Markdown, with the pictures, replays and data that they need."""
    own = {folder_of(name) / "README.md": name for name in GAMES}
    for file, page in pages().items():
        text = records.marked(file.read_text(encoding="utf-8"), file)
        if file in own:
            text = games.game_page(own[file], text, site)
        text = _MENU.sub(r"```\1```", with_tables(text, TABLES))
        text = relinked(text, file, site)
        parts = release_pages(text) if page == CHANGELOG else {Path(page).name: text}
        for name, part in parts.items():
            write((site / page).with_name(f"{name}.md"), part)
    for page, make in GENERATED.items():
        write(site / f"{page}.md", make())
    for name, text in reference.api_pages().items():
        write(site / f"reference/{name}.md", text)


def build_html(source: Path, out: Path) -> int:
    """Let Sphinx build the HTML, with warnings as errors; return its exit status."""
    from sphinx.cmd.build import main as sphinx

    settings = ["-c", str(Path(__file__).parent), "-W", "--keep-going", "-q", "-b", "html"]
    return sphinx([*settings, str(source), str(out)])


def remove_barriers(out: Path) -> None:
    """Replace HTML of furo and docutils that keyboards and screen readers cannot use."""
    for file in out.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        for barrier, better in BARRIERS.items():
            text = text.replace(barrier, better)
        file.write_text(text, encoding="utf-8")


def overwritten(source: Path, out: Path) -> list[str]:
    """Return the pages whose first heading is not in their HTML, as where Sphinx makes its own."""
    names = []
    for file in sorted(source.rglob("*.md")):
        name = file.relative_to(source).with_suffix("")
        heading = _LETTERS.sub("", title(file.read_text(encoding="utf-8")))
        html = _HEADING.search((out / f"{name}.html").read_text(encoding="utf-8"))
        if html is None or _LETTERS.sub("", unescape(_TAG.sub("", html[1]))) != heading:
            names.append(name.as_posix())
    return names


def copy_markdown(source: Path, out: Path) -> None:
    """Put the Markdown of each page, with its pictures and data, beside its HTML."""
    shutil.copytree(source, out, dirs_exist_ok=True)
    write_llms(source, out)


def main() -> int:
    """Build the site below build/site; return 0, or the status of Sphinx."""
    start = time.monotonic()
    shutil.rmtree(OUT, ignore_errors=True)
    source, out = OUT / "source", OUT / "html"
    write_pages(source)
    status = build_html(source, out)
    for page in overwritten(source, out) if status == 0 else ():
        print(
            f"{page}.html does not begin with the heading of {page}.md: give the page another name"
        )
        status = 1
    if status == 0:
        remove_barriers(out)
        copy_markdown(source, out)
        for key in records.stale_now():
            print(f"stale: {key}: its code has changed since it was recorded")
        print(f"{out / 'index.html'}: built in {time.monotonic() - start:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
