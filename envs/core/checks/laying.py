"""The check of `lay_out` and `arrange`, by which positions are laid out by hand."""

import numpy as np

from ..arranging import arranged
from .report import IRRELEVANT
from .situation import FEW, Sample, Situation, differing


def check_laid_out(sample: Sample) -> str | None:
    """A position taken apart into pieces and laid out again is the same for every seat."""
    if sample.game.arrange is None:
        return IRRELEVANT
    num_laid = sum(_is_laid_out(position) for position in sample.positions(FEW))
    return None if num_laid else "No position of these games can be laid out."


def _is_laid_out(position: Situation) -> bool:
    """Lay a position out twice: the first time forgets what was played before, the second nothing.

    Return False where the game is over, or its pieces cannot lie so without what was played.
    """
    if position.is_over:
        return False
    game, seat, pieces = position.game, position.seat_to_act, position.laid()
    try:
        state, piles, problem = arranged(game, position.states[0], pieces, seat)
        again, _, _ = arranged(game, state, None, seat)
    except ValueError as error:
        raise position.error("laid_out", f"arrange refuses what lay_out says: {error}") from error
    for name, lying in pieces.items():
        if name not in piles or sorted(piles[name].pieces) != sorted(lying):
            raise position.error("laid_out", f"arrange does not lay out {name}: {', '.join(lying)}")
    if problem:
        return False
    first, second = (np.array([one], game.state_dtype) for one in (state, again))
    if fields := differing(first, second):
        problem = f"taken apart and laid out again, the position differs in {fields}"
        raise position.error("laid_out", problem)
    return True
