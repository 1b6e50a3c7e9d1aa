"""The picture of a game that draws none: the text of a position, and a button for each action."""

from textwrap import wrap

import numpy as np

from ..game import Game
from .picture import Part, Picture, Shape, Text
from .table import NARROW_WIDTH, flowing_buttons, table_picture

_WIDTH = 720
_LINE_HEIGHT = 22
_LETTER_WIDTH = 8
_MARGIN = 16
_TEXT_SIZE = 14
_PAPER, _INK = "#fbf7ec", "#2b2b2b"


def text_picture(
    game: Game, state: np.record, seat: int | None, is_narrow: bool, is_live: bool
) -> Picture:
    """Show the text of `describe` on a sheet of paper, and below it a button for each action."""
    width = NARROW_WIDTH if is_narrow else _WIDTH
    letters = int((width - 2 * _MARGIN) / _LETTER_WIDTH)
    lines = [
        part
        for line in game.describe(state, seat).splitlines()
        for part in wrap(line, letters, subsequent_indent="    ") or [""]
    ]
    shapes: list[Shape | Part] = [
        Text(_MARGIN, _MARGIN + _LINE_HEIGHT * (index + 0.5), line, _TEXT_SIZE, _INK, "start")
        for index, line in enumerate(lines)
    ]
    top = 2 * _MARGIN + _LINE_HEIGHT * len(lines)
    is_asked = is_live and seat in (None, int(game.seat_to_act(state)))
    actions = game.legal_action_list(state) if is_asked else []
    names = [game.action_name(action) for action in actions]
    buttons, bottom = flowing_buttons(names, _MARGIN, top, width - 2 * _MARGIN)
    clicks = {button.label: (button.id,) for button in buttons}
    return table_picture((width, bottom + _MARGIN), [*shapes, *buttons], clicks, _PAPER)
