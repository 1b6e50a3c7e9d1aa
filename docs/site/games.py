"""The page of a game: its README, and what the game itself says of settings, actions, fields.

A page is the README with tables in place of those that a person keeps, with pictures, a replay,
and a position explained field by field.
"""

import contextlib
import dataclasses
import inspect
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from parlour.baselines import make_policy
from parlour.baselines.arena.results.export import markdown_table
from parlour.baselines.arena.results.league_pages import time_text
from parlour.baselines.players.making import players_of
from parlour.envs import GAMES, Playthrough, find_game
from parlour.envs.core.catalogue import games_by_seats
from parlour.envs.core.drawing.render import drawn, picture_svg
from parlour.envs.core.fields import Field
from parlour.envs.core.game import Game
from parlour.envs.core.played import transcript
from parlour.envs.core.played.page.replay import replay_page

from . import records
from .measured import recorded_parts
from .sources import CHECKOUT

SEED = 7
PLY = 12  # of the position that is explained
MAX_LISTED = 60  # listed one by one; of more there are EXAMPLES
EXAMPLES = 24
LONGEST_VALUE = 90  # characters of an array on a page
QUICK_SECONDS = 1e-4  # for a decision of a player in the replay


class Example(NamedTuple):
    """A turn of a game between the strongest quick player and itself."""

    game: Game
    player: str
    seat: int
    number: int
    state: np.record
    observation: np.record
    legal: list[str]
    action: str


def readme_of(name: str) -> Path:
    """Return the README in a game's folder."""
    return Path(inspect.getfile(find_game(name).make)).resolve().parent / "README.md"


@cache
def ladder_of(game: Game) -> dict[str, dict[str, Any]]:
    """Return the recorded rungs of the league with as many seats, by player."""
    file = CHECKOUT / "docs" / "league" / f"{game.name}.json"
    record = json.loads(file.read_text()) if file.exists() else []
    rungs = [league["ladder"] for league in record if league["seats"] == game.num_seats]
    return {rung["player"]: rung for rung in rungs[0]} if rungs else {}


def quick_player(game: Game) -> str:
    """Return the player that leads the league among those that decide quickly."""
    rungs = ladder_of(game).values()
    return next((rung["player"] for rung in rungs if rung["seconds"] < QUICK_SECONDS), "random")


def example_of(game: Game) -> Example:
    """Return the first turn from PLY on with a choice, or the last one."""
    player = quick_player(game)
    found = None
    for turn in Playthrough(game, make_policy(player, game), SEED):
        if found is not None and found.number >= PLY and len(found.legal) > 1:
            break
        legal = [game.action_name(action) for action in turn.legal]
        action = game.action_name(turn.choose())
        found = Example(
            game, player, turn.seat, turn.number, turn.state, turn.observation, legal, action
        )
    assert found is not None
    return found


def settings_table(game: Game, readme: str) -> str:
    """Return the settings: default and meaning from the code, values from the README's table."""
    rows = []
    for field in dataclasses.fields(game.config):
        values = re.search(rf"^\| `{field.name}` \| (.*?) \|", readme, re.MULTILINE)
        default = json.dumps(field.default) if isinstance(field.default, str) else field.default
        meaning = field.metadata.get("meaning", "")
        rows.append([f"`{field.name}`", f"`{default}`", values[1] if values else "", meaning])
    return table(("setting", "default", "values", "meaning"), rows)


def actions_table(game: Game) -> str:
    """Return the names of all actions, or of some where there are many."""
    is_whole = game.num_actions <= MAX_LISTED
    step = 1 if is_whole else game.num_actions / EXAMPLES
    indices = [int(k * step) for k in range(game.num_actions if is_whole else EXAMPLES)]
    cells = [f"{index} `{game.action_name(index)}`" for index in indices]
    what = "All" if is_whole else f"{EXAMPLES} of the"
    return f"{what} {game.num_actions} actions, as numbers and names: {', '.join(cells)}."


def fields_table(game: Game) -> str:
    """Return the observation: where each field lies, its shape, its bounds and its meaning."""
    rows, start = [], 0
    for field in game.observation_fields:
        end = start + field.num_inputs
        rows.append([_span(start, end), *_declared(field), field.meaning])
        start = end
    return table(("index", "field", "shape", "low", "high", "meaning"), rows)


def _span(start: int, end: int) -> str:
    if end == start:
        return "-"
    return str(start) if end == start + 1 else f"{start} - {end - 1}"


def _declared(field: Field) -> list[str]:
    shape = " x ".join(map(str, field.shape)) or "1"
    bounds = [f"sets of {field.num_bits}", ""] if field.num_bits else [field.low, field.high]
    return [f"`{field.name}`", shape, *map(str, bounds)]


def values_table(example: Example) -> str:
    """Return what each field of an observation holds."""
    rows = [
        [f"`{field.name}`", f"`{_value(field, example.observation[field.name])}`", field.meaning]
        for field in example.game.observation_fields
    ]
    return table(("field", "here", "meaning"), rows)


def _value(field: Field, value: Any) -> str:
    if field.num_bits:
        words = np.ravel(value)
        text = "; ".join(f"{int(word).bit_count()} of {field.num_bits}" for word in words)
    else:
        text = " ".join(str(np.asarray(value).tolist()).split())
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} ..."


def players_table(game: Game) -> str:
    """Return the players with what they do, their time and their Elo where the league has them."""
    rungs = ladder_of(game)
    rows = []
    for name, player in players_of(game).items():
        rung = rungs.get(name)
        measured = [time_text(rung["seconds"]), f"{rung['elo'][0]:+.0f}"] if rung else ["", ""]
        rows.append([f"`{name}`", player.summary, *measured])
    return table(("player", "what it does", "time", "Elo"), rows)


def all_players_table() -> str:
    """Return all players of all games with the games that they play."""
    found: dict[tuple[str, str], list[str]] = {}
    for name in GAMES:
        games = games_by_seats(name)
        sets = {game.num_seats: players_of(game) for game in games}
        summaries = {
            each: one.summary for players in sets.values() for each, one in players.items()
        }
        for player, summary in summaries.items():
            seats = [n for n, players in sorted(sets.items()) if player in players]
            some = "" if len(seats) == len(sets) else f" ({', '.join(map(str, seats))} seats)"
            if player == "best":
                summary = "The strongest player that ships for the game and its settings."
            summary = re.sub(r"Learned: .*", "A trained network, which ships.", summary)
            found.setdefault((player, summary), []).append(f"{title_of(name)}{some}")
    rows = [
        [f"`{player}`", "all" if len(games) == len(GAMES) else ", ".join(games), summary]
        for (player, summary), games in found.items()
    ]
    return table(("player", "games", "what it does"), rows)


def best_table() -> str:
    """Return all games with the strongest player for each number of seats."""
    rows = []
    for name in GAMES:
        for game in sorted(games_by_seats(name), key=lambda game: game.num_seats):
            best = re.search("`(.*)`", players_of(game)["best"].summary)
            assert best is not None
            rung = ladder_of(game).get(best[1].partition(":")[0])
            time = time_text(rung["seconds"]) if rung else ""
            link = f"[{title_of(name)}](games/{name}.md)"
            rows.append([link, f"`{GAMES[name]}`", str(game.num_seats), f"`{best[1]}`", time])
    return table(("game", "id", "seats", "best player", "time for a decision"), rows)


def title_of(name: str) -> str:
    """Return the title of a game's README."""
    return readme_of(name).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def table(headings: tuple[str, ...], rows: list[list[str]]) -> str:
    """Return a Markdown table; bars in cells are escaped."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(markdown_table(headings, cells))


def game_page(name: str, readme: str, site: Path) -> str:
    """Return the page of a game from its README; write pictures and replay below `site`."""
    game = find_game(name)
    example = example_of(game)
    _write_pictures(example, site)
    readme = re.sub(r"!\[.*?\]\(table\.png\)\n+", "", readme)
    title, _, text = readme.partition("\n")
    settings = settings_table(game, text) + "\n\n"
    rows = re.compile(r"^\| setting \|(.*\n)*?\n", re.MULTILINE)
    text = rows.sub(lambda _: settings, text, count=1)
    text = text.replace(game.layout.readme_table(), fields_table(game), 1)
    text = _added(text, "Actions", actions_table(game))
    text = _added(text, "Start positions", _explained(example), before=True)
    text = _added(text, "Players", players_table(game) + _note(game))
    if old := records.note(f"docs/league/{name}.json"):
        text = _added(text, "Ladder", old)
    text += recorded_parts(game, title[2:], site)
    shown = f"![A position of {title[2:]}]({name}.svg)\n\n{_replay(example)}"
    return f"{title}\n\n{shown}\n{text}"


def _note(game: Game) -> str:
    return (
        f"\n\nTime for a decision and Elo are those of the league with {game.num_seats} seats, "
        "below; players without figures take no part in it."
    )


def _added(text: str, heading: str, part: str, before: bool = False) -> str:
    """Return the text with a part below a heading, or before it; at the end where there is none."""
    line = f"## {heading}\n"
    if line not in text:
        return f"{text}\n{part}\n" if before else f"{text}\n{line}\n{part}\n"
    return text.replace(line, f"{part}\n\n{line}" if before else f"{line}\n{part}\n", 1)


def _write_pictures(example: Example, site: Path) -> None:
    game = example.game
    (site / "games").mkdir(parents=True, exist_ok=True)
    picture = picture_svg(drawn(game, example.state, example.seat))
    (site / "games" / f"{game.name}.svg").write_text(picture, encoding="utf-8")
    played = transcript.record(game, SEED, policies=make_policy(example.player, game))
    (site / "replays").mkdir(exist_ok=True)
    page = replay_page(transcript.replay_data(played))
    (site / "replays" / f"{game.name}.html").write_text(page, encoding="utf-8")


def _replay(example: Example) -> str:
    name = example.game.name
    return f"""A whole game, which `{example.player}` plays against itself
(<a href="../replays/{name}.html">alone in the window</a>):

<iframe class="replay" src="../replays/{name}.html" title="Replay" loading="lazy"></iframe>
"""


def _explained(example: Example) -> str:
    game = example.game
    code = f"""import parlour
from parlour.envs import Playthrough

game = parlour.load_game("{game.name}")
for turn in Playthrough(game, parlour.make_policy("{example.player}", game), seed={SEED}):
    if turn.number == {example.number}:
        print(game.describe(turn.state, turn.seat))  # the same as text
        print(game.layout.scaled(turn.observation.reshape(1)).shape)  # what a network reads
        break"""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, f"<the page of {game.name}>", "exec"), {})
    middle = game.layout.num_inputs // 2
    legal = ", ".join(f"`{name}`" for name in example.legal[:EXAMPLES])
    more = "" if len(example.legal) <= EXAMPLES else f" and {len(example.legal) - EXAMPLES} others"
    return f"""### A position, field by field

Seat {example.seat} is to act at ply {example.number}, as in the picture at the top of this page.

```python
{code}
```

```text
{printed.getvalue().rstrip()}
```

Legal are {legal}{more}; `{example.player}` plays `{example.action}`. The observation of this seat
holds, in natural units:

{values_table(example)}

`game.layout.name(index)` says the same of one number: `game.layout.name({middle})` is
`{game.layout.name(middle)}`."""
