"""Hints for people, of games that have some: what each move is worth, as lines of text."""

import importlib
from collections.abc import Callable

import numpy as np

from ..envs.core.game import Game

# (game, position, seat) -> lines; of the position only what the seat may know.
HintLines = Callable[[Game, np.record, int], list[str]]


def hints_of(game: Game) -> HintLines | None:
    """The hints of a game, `hint_lines` of its file beside this one; None where it has none."""
    module = f".{game.name}_hints"
    try:
        hint_lines: HintLines = importlib.import_module(module, __package__).hint_lines
    except ModuleNotFoundError as error:
        if error.name != f"{__package__}{module}":
            raise
        return None
    return hint_lines
