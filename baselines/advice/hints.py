"""Hints for people: lines of text about the value of each move, for games that offer them."""

from collections.abc import Callable

import numpy as np

from ...envs.core.game import Game
from ..players.game_parts import part_of

# (game, position, seat) -> lines of text, which reveal only what that seat may know.
HintLines = Callable[[Game, np.record, int], list[str]]


def hints_of(game: Game) -> HintLines | None:
    """Return `hint_lines` of `baselines/<game>/hints.py`, or None where a game has no hints."""
    return getattr(part_of(game, "hints"), "hint_lines", None)
