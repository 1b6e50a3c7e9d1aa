"""A replay as plain data, and as one HTML file that needs no server.

The data hold the pictures before each ply and after the last; equal shapes are stored once.
"""

import html
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ..picture import Picture
from ..render import drawn, has_narrow, picture_svg
from ..transcript import Transcript, replay
from . import asset

_TEMPLATE = "replay.html"
# For each ply: the expected return of each action by name for its seat, or None where unknown.
PlyValues = Sequence[Mapping[str, float] | None]


def replay_data(
    transcript: Transcript,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    values: PlyValues | None = None,
) -> dict[str, Any]:
    """Return a game as plain data: what `seat` may see, or everything.

    `names` are those of the seats; `values` has an entry for each ply. Raises TranscriptError at an
    illegal ply.
    """
    game = transcript.game
    lines: dict[str, int] = {}
    frames: list[list[int]] = []
    narrow_frames: list[list[int]] = []
    is_over = False
    for state in replay(transcript):
        frames.append(_numbered(drawn(game, state, seat, False), lines))
        if has_narrow(game):
            narrow_frames.append(_numbered(drawn(game, state, seat, True), lines))
        is_over = bool(game.is_terminal(state))
    plies = [{"seat": ply.seat, "action": ply.action} for ply in transcript.plies]
    return {
        "title": game.name.replace("_", " ").title(),
        "settings": game.config_dict(),
        "seed": transcript.seed if seat is None else None,
        "names": list(names or (f"player {each}" for each in range(game.num_seats))),
        "lines": list(lines),
        "frames": frames,
        "narrow_frames": narrow_frames or None,
        "plies": plies,
        "values": list(values) if values is not None else None,
        "returns": list(transcript.returns) if is_over else None,
    }


def _numbered(picture: Picture, lines: dict[str, int]) -> list[int]:
    """Return a picture as numbers of lines of SVG; a line that recurs has one number."""
    return [lines.setdefault(line, len(lines)) for line in picture_svg(picture).splitlines()]


def replay_page(data: Mapping[str, Any]) -> str:
    """Return one HTML file with the replay: styles, script and data are inside."""
    parts = {
        "title": html.escape(str(data["title"])),
        "style": asset("page.css"),
        "board": asset("board.js"),
        "script": asset("replay.js"),
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    }
    page = asset(_TEMPLATE)
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text, 1)
    return page


def replay_frame(data: Mapping[str, Any], height: int = 760) -> str:
    """Return the replay as a frame for a notebook, which cannot touch the rest of its page."""
    inside = html.escape(replay_page(data), quote=True)
    size = f'width="100%" height="{height}" style="border:0;border-radius:12px"'
    return f'<iframe sandbox="allow-scripts" srcdoc="{inside}" {size}></iframe>'
