"""What is inside a replay: its data, out of the page or out of what a notebook shows."""

import base64
import html
import json
import re
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from parlour.envs.core.drawing.render import drawn, picture_svg
from parlour.envs.core.game import Game


def data_of(page: str) -> dict[str, Any]:
    """The data of a replay."""
    match = re.search(r'<script type="text/plain" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return json.loads(zlib.decompress(base64.b64decode(match[1])))


def page_in(bundle: dict[str, str]) -> str:
    """The page in the frame that a notebook shows."""
    match = re.search(r'srcdoc="([^"]*)"', bundle["text/html"])
    assert match is not None
    return html.unescape(match[1])


def pictures(data: dict[str, Any]) -> list[str]:
    """The pictures of a replay."""
    return ["\n".join(data["lines"][line] for line in frame) + "\n" for frame in data["frames"]]


def still(
    game: Game,
    state: np.record,
    seat: int | None = None,
    names: Sequence[str] | None = None,
    is_narrow: bool = False,
) -> str:
    """A picture as a replay has it: with names, and with nothing to click."""
    called = names or [f"player {each}" for each in range(game.num_seats)]
    return picture_svg(drawn(game, state, seat, is_narrow, is_live=False), called)
