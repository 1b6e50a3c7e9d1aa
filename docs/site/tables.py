"""The tables of pages that the code and records make: `python -m docs.site.tables` writes them.

A table stands between two comments, so that a page can be read in the checkout too. Every change of
code may change which records are stale: their table is on the site alone.
"""

import json
import re
from collections.abc import Callable, Collection

from docs.studies import speedrun

from . import games, records, reference
from .llms import title
from .sources import CHECKOUT, pages
from .speed import speed_table

PEERS = CHECKOUT / "docs" / "benchmarks" / "peers.json"
_PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end of the table -->)", re.DOTALL)


def studies_list() -> str:
    """Return links to the pages of the studies, from a page of docs/pages."""
    files = [file for file, page in pages().items() if page.startswith("studies/")]
    links = (
        f"* [{title(file.read_text(encoding='utf-8'))}](../{file.relative_to(CHECKOUT / 'docs')})"
        for file in files
    )
    return "\n".join(links)


TABLES: dict[str, Callable[[], str]] = {
    "best": games.best_table,
    "ids": reference.id_table,
    "keywords": reference.keyword_table,
    "players": games.all_players_table,
    "records": records.table,
    "speedrun": speedrun.table,
    "studies": studies_list,
    "speed": lambda: speed_table(json.loads(PEERS.read_text(encoding="utf-8"))),
}
IN_CHECKOUT = TABLES.keys() - {"records"}


def with_tables(text: str, names: Collection[str] = IN_CHECKOUT) -> str:
    """Return the text of a page with these of its tables written again."""

    def written(place: re.Match[str]) -> str:
        begin, name, end = place.groups()
        return f"{begin}\n{TABLES[name]()}\n\n{end}" if name in names else place[0]

    return _PLACE.sub(written, text)


def write_tables() -> None:
    """Write the tables of all pages of the checkout."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (new := with_tables(text)) != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    write_tables()
