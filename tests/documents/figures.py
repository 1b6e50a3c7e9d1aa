"""Figures that depend on code: recorded with it, and shown as recorded."""

import json
from collections.abc import Iterator

from docs.site import records
from docs.site.sources import CHECKOUT
from docs.site.speed import page as speed_page
from docs.studies.actors import page as actors_page
from docs.studies.growth import page as growth_page
from docs.studies.learning_record import page as learning_page
from docs.studies.learning_speed import page as learning_speed_page
from docs.studies.sizes import page as sizes_page
from docs.studies.strengths import with_tables
from parlour.baselines.arena.results.league_pages import index as league_index
from parlour.baselines.arena.results.league_pages import page as league_page
from parlour.baselines.arena.results.league_pages import with_ladders
from parlour.envs import GAMES

from .tree import Tree

NOTE = "python -m docs.site.records"


def unrecorded(tree: Tree) -> Iterator[str]:
    """Figures and pictures are as docs/records.json has them; pictures are not stale."""
    index = records.read_index(tree.text(records.INDEX))
    for key, one in index.items():
        if one["figures"] != records.figures_digest(key, tree.bytes):
            yield f"{key} is not what was recorded; after measuring: {NOTE} {key}"
    pictures = {key: one for key, one in index.items() if key.endswith((".png", ".gif"))}
    for key in records.stale(pictures):
        yield f"{key} is older than what draws it"
    for path in sorted(CHECKOUT.glob("docs/**/*.json")):
        if str(path.relative_to(CHECKOUT)) not in (*index, records.INDEX):
            yield f"{path.relative_to(CHECKOUT)} has no record"


def stale_pages(tree: Tree) -> Iterator[str]:
    """Pages that are written from a record show what it holds."""
    names = [name for name in GAMES if (CHECKOUT / f"docs/league/{name}.json").is_file()]
    leagues = {name: json.loads(tree.text(f"docs/league/{name}.json")) for name in names}
    written = {"docs/league/index.md": league_index(leagues)}
    strengths = json.loads(tree.text("docs/studies/strengths.json"))
    for name, record in leagues.items():
        path = f"envs/{name}/README.md"
        written[path] = with_tables(with_ladders(tree.text(path), record), name, strengths)
        written[f"docs/league/{name}.md"] = league_page(name, record)
    peers, sizes = (json.loads(tree.text(f"docs/benchmarks/{x}.json")) for x in ("peers", "sizes"))
    learning = json.loads(tree.text("docs/studies/learning.json"))
    learning_speed = json.loads(tree.text("docs/studies/learning_speed.json"))
    written |= {
        "docs/studies/actors.md": actors_page(json.loads(tree.text("docs/studies/actors.json"))),
        "docs/studies/growth.md": growth_page(json.loads(tree.text("docs/studies/growth.json"))),
        "docs/benchmarks/peers.md": speed_page(peers),
        "docs/benchmarks/sizes.md": sizes_page(sizes),
        "docs/studies/learning.md": learning_page(learning),
        "docs/studies/learning_speed.md": learning_speed_page(learning_speed),
    }
    for path, text in written.items():
        if tree.text(path) != text:
            yield f"{path} is older than its record"
