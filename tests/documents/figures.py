"""Figures: recorded, with a source, and those that the code holds."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from docs.site import records
from docs.site.sources import CHECKOUT
from docs.site.speed import page as speed_page
from docs.studies.learning_record import page as learning_page
from docs.studies.learning_speed import page as learning_speed_page
from docs.studies.sizes import page as sizes_page
from parlour.baselines.arena.results.league_pages import index as league_index
from parlour.baselines.arena.results.league_pages import page as league_page
from parlour.baselines.arena.results.league_pages import time_text, with_ladders
from parlour.baselines.statistics.estimates import LEVEL
from parlour.envs import GAMES
from parlour.envs.core.bits import WORD_BITS
from parlour.envs.core.environments.keywords import KEYWORDS, SOLO, VECTOR
from parlour.scripts.table import guard, host, live, protocol, sockets

from .games import readmes
from .tree import FIGURE, Tree

NOTE = "python -m docs.site.records"


def unrecorded(tree: Tree) -> Iterator[str]:
    """Figures and pictures are those that docs/records.json has; pictures are not stale."""
    index = records.read_index(tree.text(records.INDEX))
    for key, one in index.items():
        if one["figures"] != records.figures_digest(key, tree.bytes):
            yield f"{key} is not what was recorded; after measuring: {NOTE} {key}"
    pictures = {key: one for key, one in index.items() if key.endswith((".png", ".gif"))}
    for key in records.stale(pictures):
        yield f"{key} is older than what draws it"
    for page in tree.pages():
        for name in records.sections(tree.text(page)):
            if f"{page}#{name}" not in index:
                yield f"{page}#{name} has no record: {NOTE} {page}"
    for path in sorted(CHECKOUT.glob("docs/**/*.json")):
        if str(path.relative_to(CHECKOUT)) not in (*index, records.INDEX):
            yield f"{path.relative_to(CHECKOUT)} has no record"


def figures_without_a_source(tree: Tree) -> Iterator[str]:
    """A figure with its interval on a page stands in a README of a game, or in a recorded page."""
    sources = [*CHECKOUT.glob("docs/studies/*.md"), *CHECKOUT.glob("docs/league/*.md")]
    known = {figure for path in sources for figure in FIGURE.findall(path.read_text())}
    known |= {figure for _, _, text in readmes(tree) for figure in FIGURE.findall(text)}
    for page in ("README.md", "docs/pages/measured.md"):
        for figure in FIGURE.findall(tree.text(page)):
            if figure not in known:
                yield f"{page}: {figure[0]} [{', '.join(figure[1:])}] stands nowhere else"


def stale_pages(tree: Tree) -> Iterator[str]:
    """Pages that are written from a record show what it holds."""
    names = [name for name in GAMES if (CHECKOUT / f"docs/league/{name}.json").is_file()]
    leagues = {name: json.loads(tree.text(f"docs/league/{name}.json")) for name in names}
    written = {"docs/league/index.md": league_index(leagues)}
    for name, record in leagues.items():
        path = f"envs/{name}/README.md"
        written[path] = with_ladders(tree.text(path), record)
        written[f"docs/league/{name}.md"] = league_page(name, record)
    peers, sizes = (json.loads(tree.text(f"docs/benchmarks/{x}.json")) for x in ("peers", "sizes"))
    learning = json.loads(tree.text("docs/studies/learning.json"))
    learning_speed = json.loads(tree.text("docs/studies/learning_speed.json"))
    written |= {
        "docs/benchmarks/peers.md": speed_page(peers),
        "docs/benchmarks/sizes.md": sizes_page(sizes),
        "docs/studies/learning.md": learning_page(learning),
        "docs/studies/learning_speed.md": learning_speed_page(learning_speed),
    }
    for path, text in written.items():
        if tree.text(path) != text:
            yield f"{path} is older than its record"


LENGTH = re.compile(r"\[[\w.]+\.py\]\(([^)]+\.py)\)[^.()]* of (\d+) lines")


def wrong_lengths(tree: Tree) -> Iterator[str]:
    """A program has as many lines as a sentence says, in tens."""
    for page in tree.pages():
        for program, said in LENGTH.findall(tree.text(page)):
            path = ((CHECKOUT / page).parent / program).resolve().relative_to(CHECKOUT)
            lines = len(tree.text(str(path)).splitlines())
            if abs(lines - int(said)) > 5:
                yield f"{page}: {path} has {lines} lines, not {said}"


class Fact(NamedTuple):
    """A number in a sentence, and the same number in the code."""

    page: str
    sentence: str
    value: Any


DEFAULTS = {keyword.name: keyword.defaults for keyword in KEYWORDS}
PETTINGZOO = "1.27"  # the first with `pettingzoo.make`
RESETS = DEFAULTS["autoreset_mode"][VECTOR]
WORDS = {1: "one", 2: "two", 3: "three", 5: "five", 6: "six", 7: "seven"}
PPO = next(
    time_text(rung["seconds"]).removesuffix(" µs")
    for league in json.loads((CHECKOUT / "docs/league/president.json").read_text())
    for rung in league["ladder"]
    if league["seats"] == 4 and rung["player"] == "ppo"
)
FACTS = (
    Fact("docs/pages/arena.md", "wrong in {:.0f} % of tournaments", 100 * (1 - LEVEL)),
    Fact("docs/pages/environments.md", "bit `a % {0}` of word `a // {0}`", WORD_BITS),
    Fact("docs/protocol.md", "at most {:,} bytes", protocol.MAX_BYTES),
    Fact("docs/protocol.md", "may send {} messages a second", sockets.MESSAGES_A_SECOND),
    Fact("docs/protocol.md", "After {} messages outside", sockets.MAX_MISTAKES),
    Fact("docs/protocol.md", "when {} messages wait", live.QUEUE_LENGTH),
    Fact("docs/protocol.md", "at most {} connections", host.MAX_CONNECTIONS_A_SEAT),
    Fact("docs/protocol.md", "a table {} spectators", host.MAX_SPECTATORS),
    Fact("docs/protocol.md", "a server {} seats", guard.MAX_CONNECTIONS),
    Fact("docs/protocol.md", "longer than {:.0f} seconds a move", live.THINKING_LIMIT),
    Fact("README.md", "network that takes {} microseconds per move", PPO),
    Fact("README.md", "provides {} parlour games", WORDS[len(GAMES)]),
    Fact("docs/pages/index.md", "provides {} parlour games", WORDS[len(GAMES)]),
    Fact("docs/pages/environments.md", "has `make` from {} on", PETTINGZOO),
    Fact("README.md", "from PettingZoo {} on", PETTINGZOO),
    Fact("docs/pages/environments.md", '(`autoreset_mode="{}"`)', RESETS),
    Fact("docs/pages/players.md", "The default is `{}`", DEFAULTS["opponents"][SOLO]),
    Fact("docs/pages/questions.md", "defaults?** `{}`", DEFAULTS["opponents"][SOLO]),
    Fact("docs/pages/glossary.md", "are a score of {:.0f} %", 100 / (1 + 10 ** (-100 / 400))),
    Fact("docs/pages/fit.md", "there are {}, and", WORDS[len(GAMES)]),
)


def wrong_facts(tree: Tree) -> Iterator[str]:
    """Numbers in sentences are those of the code."""
    for page, sentence, value in FACTS:
        if sentence.format(value) not in " ".join(tree.text(page).split()):
            yield f"{page} should say {sentence.format(value)!r}"
