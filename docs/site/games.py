"""The page of a game: its README, and what the game itself says of settings, actions, fields.

A page is the README with tables in place of those that a person keeps, with pictures, a replay,
and a position explained field by field.
"""

import contextlib
import dataclasses
import io
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

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
from parlour.envs.core.pages import folder_of
from parlour.envs.core.play.playthrough import Turn
from parlour.envs.core.played import transcript
from parlour.envs.core.played.page.replay import replay_page

from . import records
from .measured import recorded_parts
from .sources import CHECKOUT, write

SEED = 7
PLY = 12  # of the position that is explained
MAX_LISTED = 60  # listed one by one; of more there are EXAMPLES
EXAMPLES = 24
LONGEST_VALUE = 90  # characters of an array on a page
QUICK_SECONDS = 1e-4  # for a decision of a player in the replay


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


def example_of(game: Game) -> Turn:
    """Return the first turn from PLY on with a choice, or the last one; a quick player acts."""
    for turn in Playthrough(game, make_policy(quick_player(game), game), SEED):
        turn.choose()
        if turn.number >= PLY and len(turn.legal) > 1:
            break
    return turn


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
    extent = "All" if is_whole else f"{EXAMPLES} of the"
    return f"{extent} {game.num_actions} actions, as numbers and names: {', '.join(cells)}."


def fields_table(game: Game) -> str:
    """Return the observation: where each field lies, its shape, its bounds and its meaning."""
    rows, start = [], 0
    for field in game.observation_fields:
        end = start + field.num_inputs
        span = "-" if end == start else " - ".join(map(str, sorted({start, end - 1})))
        shape = " x ".join(map(str, field.shape)) or "1"
        bounds = (f"sets of {field.num_bits}", "") if field.num_bits else (field.low, field.high)
        rows.append([span, f"`{field.name}`", shape, *map(str, bounds), field.meaning])
        start = end
    return table(("index", "field", "shape", "low", "high", "meaning"), rows)


def values_table(turn: Turn) -> str:
    """Return what each field of an observation holds."""
    rows = [
        [f"`{field.name}`", f"`{_value(field, turn.observation[field.name])}`", field.meaning]
        for field in turn.game.observation_fields
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
    games_of_players: dict[tuple[str, str], list[str]] = {}
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
            games_of_players.setdefault((player, summary), []).append(f"{title_of(name)}{some}")
    rows = [
        [f"`{player}`", "all" if len(games) == len(GAMES) else ", ".join(games), summary]
        for (player, summary), games in games_of_players.items()
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
            link = f"[{title_of(name)}](../../envs/{name}/README.md)"
            rows.append([link, f"`{GAMES[name]}`", str(game.num_seats), f"`{best[1]}`", time])
    return table(("game", "id", "seats", "best player", "time for a decision"), rows)


def title_of(name: str) -> str:
    """Return the title of a game's README."""
    readme = (folder_of(name) / "README.md").read_text(encoding="utf-8")
    return readme.partition("\n")[0].removeprefix("# ")


def table(headings: tuple[str, ...], rows: list[list[str]]) -> str:
    """Return a Markdown table; bars in cells are escaped."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return "\n".join(markdown_table(headings, cells))


def game_page(name: str, readme: str, site: Path) -> str:
    """Return the page of a game from its README; write pictures and replay below `site`."""
    game = find_game(name)
    turn = example_of(game)
    _write_pictures(turn, site)
    title, _, text = re.sub(r"!\[.*?\]\(table\.png\)\n+", "", readme).partition("\n")
    settings = settings_table(game, text) + "\n\n"
    text = re.sub(
        r"^\| setting \|(.*\n)*?\n", lambda _: settings, text, count=1, flags=re.MULTILINE
    )
    text = text.replace(game.layout.readme_table(), fields_table(game), 1)
    text = _added(text, "Actions", actions_table(game))
    text = _added(text, "Start positions", _explained(turn), before=True)
    text = _added(text, "Players", players_table(game) + _note(game))
    if old := records.note(f"docs/league/{name}.json"):
        text = _added(text, "Ladder", old)
    shown = _SHOWN.format(title=title[2:], name=name, player=quick_player(game))
    return f"{title}\n\n{shown}\n{text}{recorded_parts(game, title[2:], site)}"


_SHOWN = """![A position of {title}]({name}.svg)

A whole game, which `{player}` plays against itself
(<a href="../replays/{name}.html">alone in the window</a>):

<iframe class="replay" src="../replays/{name}.html" title="Replay" loading="lazy"></iframe>
"""


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


def _write_pictures(turn: Turn, site: Path) -> None:
    game = turn.game
    picture = picture_svg(drawn(game, turn.state, turn.seat))
    write(site / "games" / f"{game.name}.svg", picture)
    played = transcript.record(game, SEED, policies=make_policy(quick_player(game), game))
    page = replay_page(transcript.replay_data(played))
    write(site / "replays" / f"{game.name}.html", page)


_EXPLAINED = """### A position, field by field

Seat {seat} is to act at ply {number}, as in the picture at the top of this page.

```python
{code}
```

```text
{printed}
```

Legal are {legal}; `{player}` plays `{action}`. The observation of this seat
holds, in natural units:

{values}

`game.layout.name(index)` says the same of one number: `game.layout.name({middle})` is
`{name}`."""
_CODE = """import parlour
from parlour.envs import Playthrough

game = parlour.load_game("{name}")
for turn in Playthrough(game, parlour.make_policy("{player}", game), seed={seed}):
    if turn.number == {number}:
        print(game.describe(turn.state, turn.seat))  # the same as text
        print(game.layout.scaled(turn.observation.reshape(1)).shape)  # what a network reads
        break"""


def _explained(turn: Turn) -> str:
    game, player = turn.game, quick_player(turn.game)
    code = _CODE.format(name=game.name, player=player, seed=SEED, number=turn.number)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, f"<the page of {game.name}>", "exec"), {})
    names = [f"`{game.action_name(action)}`" for action in turn.legal]
    more = "" if len(names) <= EXAMPLES else f" and {len(names) - EXAMPLES} others"
    middle = game.layout.num_inputs // 2
    return _EXPLAINED.format(
        seat=turn.seat,
        number=turn.number,
        code=code,
        printed=printed.getvalue().rstrip(),
        legal=", ".join(names[:EXAMPLES]) + more,
        player=player,
        action=game.action_name(turn.action),
        values=values_table(turn),
        middle=middle,
        name=game.layout.name(middle),
    )
