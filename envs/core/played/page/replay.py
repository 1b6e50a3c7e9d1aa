"""A replay as plain data, and as one HTML file that needs no server.

The data hold the pictures before each ply and after the last; equal shapes are stored once. In the
file they are compressed, to a fifteenth and less.
"""

import base64
import html
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...drawing.picture import Picture
from ...drawing.render import drawn, has_narrow, picture_svg
from ...game import Game
from ...play.visibility import is_seen
from ...words import with_names
from . import asset

_TEMPLATE = "replay.html"
_FRAME_HEIGHT = 760  # pixels, in a notebook
# For each ply, or None where there was no choice: "values", the expected return of each action by
# name for its seat; "reaches", half the width of their intervals; "unsearched", the actions without
# a value; "regret", what the move lost beyond doubt; "text", the same in words.
PlyJudgements = Sequence[Mapping[str, Any] | None]


def game_data(
    game: Game,
    positions: Iterable[np.record],
    plies: Sequence[tuple[int, int]],
    seat: int | None = None,
    names: Sequence[str] | None = None,
    others: Iterable[int] = (),
) -> dict[str, Any]:
    """Return a game as plain data: what `seat` may see, or everything.

    `positions` are those before each ply and after the last; a ply is a seat and an action. An
    action that `seat` did not see is None. `others` are seats whose views people may choose.
    """
    called = names or [f"player {each}" for each in range(game.num_seats)]
    lines: dict[str, int] = {}
    views: dict[int | None, dict[str, Any]] = {
        each: {"frames": [], "narrow_frames": [] if has_narrow(game) else None}
        for each in (seat, *others)
    }
    shown: list[dict[str, Any]] = []
    for number, state in enumerate(positions):
        for viewer, view in views.items():
            for name, is_narrow in (("frames", False), ("narrow_frames", True)):
                if view[name] is not None:
                    picture = drawn(game, state, viewer, is_narrow, is_live=False)
                    view[name].append(_numbered(picture, called, lines))
        if number < len(plies):
            shown.append(_ply_shown(game, state, plies[number], seat, called))
    returns = np.zeros(game.num_seats)
    is_over = bool(game.is_terminal(state))
    if is_over:
        game.returns(state, returns)
    return {
        "title": game.name.replace("_", " ").title(),
        "settings": game.config_dict(),
        "seed": None,
        "seat": seat,
        "names": list(called),
        "icons": game.icons,
        "scale": game.value_scale._asdict(),
        "lines": list(lines),
        **views.pop(seat),
        "views": views,
        "plies": shown,
        "judged": None,
        "returns": returns.tolist() if is_over else None,
        "scores": [game.score(state, each) for each in range(game.num_seats)] if is_over else None,
        "start": 0,
        "first": "The deal",
    }


def _ply_shown(
    game: Game, state: np.record, ply: tuple[int, int], seat: int | None, names: Sequence[str]
) -> dict[str, Any]:
    """Return a ply as `seat` saw it."""
    actor, action = ply
    is_known = seat is None or not game.has_hidden or is_seen(game, state, action, seat)
    label = with_names(game.label_action(state, action), names) if is_known else None
    name = game.action_name(action) if is_known else None
    return {"seat": actor, "action": name, "label": label}


def _numbered(picture: Picture, names: Sequence[str], lines: dict[str, int]) -> list[int]:
    """Return a picture as numbers of lines of SVG; a line that recurs has one number."""
    return [lines.setdefault(line, len(lines)) for line in picture_svg(picture, names).splitlines()]


def replay_page(data: Mapping[str, Any]) -> str:
    """Return one HTML file with the replay: styles, script and, compressed, the data are inside."""
    parts = {
        "title": html.escape(str(data["title"])),
        "style": asset("page.css"),
        "board": asset("board.js"),
        "script": asset("replay.js"),
        "data": base64.b64encode(zlib.compress(json.dumps(data).encode())).decode("ascii"),
    }
    page = asset(_TEMPLATE)
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text, 1)
    return page


def replay_frame(data: Mapping[str, Any]) -> str:
    """Return the replay as a frame for a notebook, which cannot touch the rest of its page."""
    inside = html.escape(replay_page(data), quote=True)
    size = f'width="100%" height="{_FRAME_HEIGHT}" style="border:0;border-radius:12px"'
    return f'<iframe sandbox="allow-scripts" srcdoc="{inside}" {size}></iframe>'
