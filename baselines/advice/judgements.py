"""What a move lost against the best other one, said only where it is more than chance.

One search picks the best other move, and a second one, of these two moves alone, measures its lead.
Measured by the search that picked it, the best of many moves would lead by luck. The interval also
allows for what a search gets wrong each time; another player may still value the moves otherwise.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...envs.core.game import Game
from ...envs.core.words import in_words
from .move_values import EXACT, MoveValues, study_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..statistics.estimates import Estimate

SMALL = 0.005  # a smaller loss is none
# What repeating a search does not show. In 16 positions of Splendor, noise apart, leads found in
# 400 simulations were this far from those found in 6,400 (the root of the mean square).
SEARCH_ERROR = 0.025


class Judgement(NamedTuple):
    """What a move was worth against the best of the others."""

    action: int
    rival: int | None  # the best other move; None where none is valued
    lead: "Estimate | None"  # of the rival, in expected return; None where it is not known
    found: MoveValues  # of all moves

    @property
    def has_interval(self) -> bool:
        """Whether chance is in the lead; exact values and estimates of a script have none."""
        return len(self.found.samples) > 1

    @property
    def is_mistake(self) -> bool:
        """Whether the rival is better, and by more than chance explains."""
        return self.lead is not None and self.lead.low > 0 and self.lead.mean >= SMALL

    @property
    def loss(self) -> float:
        """What the move lost, in expected return: 0 unless it is a mistake."""
        return self.lead.mean if self.lead is not None and self.is_mistake else 0.0

    @property
    def best(self) -> int:
        """The move to play: the rival where it is known to be better, else the move itself."""
        return self.rival if self.rival is not None and self.is_mistake else self.action

    def text(self, game: Game, label: "Callable[[int], str] | None" = None) -> str:
        """Say it in words, after the name of the move: "lost about 6 % (3 % to 9 %) ...".

        `label` names actions, by default by their code names.
        """
        if self.rival is None or self.lead is None:
            return f"has no value: {self.found.source} did not compare it"
        mean, low, high = self.lead
        lost = game.value_scale.loss_words
        rival = (label or game.action_name)(self.rival)
        if not self.has_interval:
            return self._text_without_chance(mean, lost(mean), rival)
        if self.is_mistake:
            reach = f"{lost(low)} to {lost(high)}"
            return f"lost about {lost(mean)} ({reach}); better: {rival}"
        if high < 0:
            return "was the best move that was found"
        return f"was about as good as {rival}"

    def _text_without_chance(self, lead: float, lost: str, rival: str) -> str:
        source = self.found.source
        by = "exact" if source == EXACT else f"by the estimate of {in_words(source)}"
        if lead >= SMALL:
            return f"lost {lost} ({by}); better: {rival}"
        return f"was the best ({by})" if lead <= -SMALL else f"was as good as the best ({by})"


def judge_move(game: Game, state: np.record, action: int, seconds: float) -> Judgement:
    """Judge an action of the seat to act in `state`, from what this seat knows, in about `seconds`.

    The values are those of the game's adviser. Raises ValueError as `MoveSearch` does.
    """
    study = study_of(game, state)
    found = study.think(seconds / 2)
    rival = rival_of(found, action)
    if rival is None or len(found.samples) == 1:
        return judgement_of(found, found, action)
    pair = study_of(game, state, among=(action, rival)).think(seconds / 2)
    return judgement_of(found, pair, action)


def judgement_of(found: MoveValues, measured: MoveValues, action: int) -> Judgement:
    """Return what `measured` says about an action and the best other one that `found` names."""
    rival = rival_of(found, action)
    lead = None if rival is None else measured.lead(rival, action)
    if lead is not None and len(measured.samples) > 1 and measured.source != EXACT:
        reach = math.hypot(lead.high - lead.mean, 2 * SEARCH_ERROR)
        lead = lead._replace(low=lead.mean - reach, high=lead.mean + reach)
    return Judgement(action, rival, lead, found)


def rival_of(found: MoveValues, action: int) -> int | None:
    """Return the best other action."""
    values = {other: value for other, value in found.values.items() if other != action}
    return max(values, key=lambda other: values[other], default=None)
