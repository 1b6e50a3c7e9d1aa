"""What is recorded of a game: its learning curve, its speed, what was tested, and its versions."""

import json
import re
from pathlib import Path
from typing import Any

from docs.studies.checked import RECORD as CHECKED
from docs.studies.learning_record import RECORD as LEARNING
from docs.studies.learning_record import draw, read_record
from parlour.baselines.arena.results.export import markdown_table
from parlour.envs import GAMES
from parlour.envs.core.game import Game

from . import records
from .sources import CHECKOUT, LINK
from .speed import PEER_HEADINGS, peer_rows

SPEED = CHECKOUT / "docs" / "benchmarks" / "peers.json"
_CHANGE = re.compile(r"^##(#?) (.*)|^- (.*(?:\n  .*)*)", re.MULTILINE)  # headings and items


def recorded_parts(game: Game, title: str, site: Path) -> str:
    """Return the sections below a game's README, and write the learning curve below `site`."""
    name = game.name
    return "\n".join([_curve(name, site), _speed(name), _checked(name), _versions(game, title)])


def _section(heading: str, record: Path, text: str) -> str:
    old = records.note(record.relative_to(CHECKOUT).as_posix())
    return f"\n## {heading}\n\n{old}\n\n{text}\n"


def _curve(name: str, site: Path) -> str:
    entries = [one for one in read_record(LEARNING) if one["title"].startswith(f"{name},")]
    if not entries:
        return ""
    picture = site / "games" / f"{name}-learning.png"
    draw(entries, picture)
    one = entries[0]
    text = (
        f"![First places against CPU minutes]({picture.name})\n\n"
        f"`parlour train {one['command']}` against `{one['against']}` in all other seats; the line "
        "is the mean of the seeds, the band their range, and the dotted line the share of an equal "
        "player. [All curves](../../docs/studies/learning.md)"
    )
    return _section("Learning curve", LEARNING, text)


def _speed(name: str) -> str:
    rows = peer_rows(json.loads(SPEED.read_text()))
    own = [row for row in rows if row[:2] == ["Parlour", name]]
    shown = [row for row in rows if row[0] != "Parlour" or row in own]
    table = "\n".join(markdown_table(PEER_HEADINGS, shown))
    more = (
        "Random legal play with observations; [how it is measured](../../docs/benchmarks/peers.md)."
    )
    return _section("Speed beside other libraries", SPEED, f"{more}\n\n{table}") if own else ""


def _checked(name: str) -> str:
    report: dict[str, Any] = json.loads(CHECKED.read_text()).get(name, {})
    if not report:
        return ""
    counts = [
        f"{one['games']} games ({one['plies']:,} plies) with {seats} seats"
        for seats, one in report["seats"].items()
    ]
    lines = [f"`python -m docs.studies.checked` played {', '.join(counts)}. It found that:", ""]
    lines += [f"* {claim}" for claim in report["checked"]]
    lines += ["", "It did not check:", "", *(f"* {claim}" for claim in report["not_checked"])]
    return _section("What check_game tested", CHECKED, "\n".join(lines))


def _versions(game: Game, title: str) -> str:
    rows = []
    changelog = (CHECKOUT / "CHANGELOG.md").read_text()
    release = kind = ""
    for is_kind, heading, change in _CHANGE.findall(changelog):
        if heading:
            release, kind = (release, heading.lower()) if is_kind else (heading.strip("[]"), "")
        elif title.lower() in change.lower():
            plain = " ".join(LINK.sub(r"\2", change).replace("|", "\\|").split())
            rows.append([release, kind, plain])
    first = (
        f"The game is version {game.version}, `{GAMES.get(game.name, game.name)}`. The number "
        "rises when rules, actions or observations change. What changed for users:"
    )
    table = "\n".join(markdown_table(("release", "kind", "what"), rows))
    return f"\n## Versions\n\n{first}\n\n{table}\n"
