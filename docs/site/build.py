"""Builds the site: `python -m docs.site.build` writes its pages and turns them into HTML.

The pages go to build/site/source as Markdown; build/site/html has the HTML, the Markdown of each
page beside it, and `llms.txt`, which lists them.
"""

import json
import re
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from parlour.envs import GAMES

from . import games, records, reference
from .keywords import keyword_table
from .sources import CHECKOUT, Linked, all_sources, page_of
from .speed import speed_table

OUT = CHECKOUT / "build" / "site"
HERE = Path(__file__).parent
GENERATED: dict[str, Callable[[], str]] = {
    "reference/commands": reference.commands_page,
    "reference/python": reference.api_page,
}
IN_MENU = ("games", "reference", "studies", "project")  # folders whose pages are all there
_TABLE = re.compile(r"<!-- table: (\w+) -->")
BARRIERS = {  # for readers with a keyboard or a screen reader, and without them
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<th class="head"><p></p></th>': "<td></td>",
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}
_ORPHAN = "---\norphan: true\n---\n"


def _speed() -> str:
    return speed_table(json.loads((CHECKOUT / "docs/benchmarks/peers.json").read_text()))


TABLES: dict[str, Callable[[], str]] = {
    "best": games.best_table,
    "keywords": keyword_table,
    "players": games.all_players_table,
    "records": records.table,
    "speed": _speed,
}


def write_pages(site: Path) -> None:
    """Write all pages as Markdown, with the pictures, replays and data that they need."""
    linked = Linked(site)
    own = {games.readme_of(name): name for name in GAMES}
    for file in all_sources():
        page = page_of(file)
        assert page is not None
        text = records.marked(file.read_text(encoding="utf-8"), file)
        if file in own:
            text = games.game_page(own[file], text, site)
        text = _TABLE.sub(lambda match: TABLES[match[1]](), text)
        _write(site, page, linked.rewritten(text, file, page))
    for page, make in GENERATED.items():
        _write(site, page, make())
    for program in sorted(linked.programs):
        page = page_of(program)
        assert page is not None
        _write(site, page, _program_page(program))


def _write(site: Path, page: str, text: str) -> None:
    path = site / f"{page}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    folder, _, name = page.rpartition("/")
    is_in_menu = not folder or folder in IN_MENU or name == "index"
    path.write_text(("" if is_in_menu else _ORPHAN) + text.rstrip() + "\n", encoding="utf-8")


def _program_page(program: Path) -> str:
    name = program.relative_to(CHECKOUT).as_posix()
    return f"# {name}\n\n```python\n{program.read_text(encoding='utf-8').rstrip()}\n```\n"


def build_html(source: Path, out: Path) -> int:
    """Let Sphinx build the HTML, with warnings as errors; return its exit status."""
    from sphinx.cmd.build import main as sphinx

    (source / "_static").mkdir(exist_ok=True)
    shutil.copy(HERE / "site.css", source / "_static")
    shutil.copy(HERE / "conf.py", source)
    (source / "_extra").mkdir(exist_ok=True)
    shutil.move(source / "replays", source / "_extra" / "replays")
    return sphinx(["-W", "--keep-going", "-q", "-b", "html", str(source), str(out)])


def remove_barriers(out: Path) -> None:
    """Change what furo and docutils write in a way that not everybody can use."""
    for file in (file for file in out.rglob("*.html") if file.parent.name != "replays"):
        text = file.read_text(encoding="utf-8")
        for found, better in BARRIERS.items():
            text = text.replace(found, better)
        file.write_text(text, encoding="utf-8")


def copy_markdown(source: Path, out: Path) -> None:
    """Put the Markdown of each page beside its HTML, and list all pages in llms.txt."""
    lines = [
        "# Parlour",
        "",
        "> Parlour games as reinforcement-learning environments, with players.",
    ]
    lines += ["", "## Pages", ""]
    for file in sorted(source.rglob("*.md")):
        page = file.relative_to(source)
        text = file.read_text(encoding="utf-8").removeprefix(_ORPHAN)
        (out / page).write_text(text, encoding="utf-8")
        lines.append(f"- [{text.partition(chr(10))[0].removeprefix('# ')}]({page.as_posix()})")
    (out / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for folder in ("files", "games"):
        shutil.copytree(
            source / folder,
            out / folder,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*.md"),
        )


def main() -> int:
    """Build the site below build/site; return 0, or the status of Sphinx."""
    start = time.monotonic()
    shutil.rmtree(OUT, ignore_errors=True)
    source, out = OUT / "source", OUT / "html"
    write_pages(source)
    status = build_html(source, out)
    if status == 0:
        remove_barriers(out)
        copy_markdown(source, out)
        for key in records.stale_now():
            print(f"stale: {key}: its code has changed since it was recorded")
        print(f"{out / 'index.html'}: built in {time.monotonic() - start:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
