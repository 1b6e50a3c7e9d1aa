"""Hints for people, of games that have some: what each move is worth, as lines of text."""

from collections.abc import Callable

import numpy as np

from ..envs.core.game import Game
from .parts import part_of

# (game, position, seat) -> lines; of the position only what the seat may know.
HintLines = Callable[[Game, np.record, int], list[str]]


def hints_of(game: Game) -> HintLines | None:
    """The hints of a game, `hint_lines` in its folder's `hints.py`; None where it has none."""
    module = part_of(game, "hints")
    return None if module is None else module.hint_lines
