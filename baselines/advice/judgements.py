"""What a move lost against the best other one, said only where it is more than chance.

Some searches pick the few best other moves, and others, of the move and one of these alone, measure
how far it leads. Measured by the searches that picked it, the best of many moves would lead by
luck, and of many moves a search looks less deeply at some. The intervals hold for all of the picked
moves together (Bonferroni), so that they cover the choice of the rival, and allow for what every
search gets wrong; another player may still disagree.
"""

import math
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...envs.core.game import Game
from ...envs.core.rng import SEED_LIMIT
from ...envs.core.words import in_words
from .move_values import EXACT, MoveValues, study_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..statistics.estimates import Estimate

SMALL = 0.005  # a smaller loss is none
# What repeating a search does not show. In 16 positions of Splendor, noise apart, leads found in
# 400 simulations were this far from those found in 6,400 (the root of the mean square).
SEARCH_ERROR = 0.025
NUM_RIVALS = 4  # moves that are measured
# However short the time is: fewer rounds of a search do not agree on the rivals, or on their leads.
MIN_PICKING, MIN_MEASURING = 16, 12


class Judgement(NamedTuple):
    """What a move was worth against the best of the others."""

    action: int
    leads: "dict[int, Estimate]"  # of other moves that were measured, in expected return
    move_values: MoveValues  # of all moves

    @property
    def rival(self) -> int | None:
        """The other move to name; None where none was measured.

        Of moves that are known to be better it is the one that stands first in the list of values,
        and not the one whose lead was largest when measured, in which there is luck.
        """
        better = [other for other, lead in self.leads.items() if _is_better(lead)]
        if better:
            values = self.move_values.values
            return max(better, key=lambda other: values.get(other, -math.inf))
        return max(self.leads, key=lambda other: self.leads[other].mean, default=None)

    @property
    def lead(self) -> "Estimate | None":
        """The lead of the rival, in expected return; None where none was measured."""
        return None if self.rival is None else self.leads[self.rival]

    @property
    def has_interval(self) -> bool:
        """Whether chance is in the lead; exact values and estimates of a script have none."""
        return len(self.move_values.samples) > 1

    @property
    def is_mistake(self) -> bool:
        """Whether the rival is better, and by more than chance explains."""
        return self.lead is not None and _is_better(self.lead)

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
            return f"has no value: {self.move_values.source} did not compare it"
        mean, low, high = self.lead
        lost = game.value_scale.loss_words
        rival = (label or game.action_name)(self.rival)
        if not self.has_interval:
            return self._text_without_chance(mean, lost(mean), rival)
        if self.is_mistake:
            reach = f"{lost(low)} to {lost(high)}"
            is_alone = sum(lead.low > 0 for lead in self.leads.values()) == 1
            better = "better" if is_alone else "better, for example"
            return f"lost about {lost(mean)} ({reach}); {better}: {rival}{self._apart(game, label)}"
        if high >= 0:  # which of several is the rival is chance
            return f"was about as good as {'the best others' if len(self.leads) > 1 else rival}"
        if not self.move_values.unsearched:
            return "was the best move"
        not_compared = {*self.move_values.unsearched, self.action}
        num_others = len(self.move_values.actions) - len(not_compared)
        return f"was better than the {num_others} other moves that were compared"

    def _apart(self, game: Game, label: "Callable[[int], str] | None") -> str:
        """Say why another move stands above the rival in the list of values, where one does."""
        values = self.move_values.values
        first = max(values, key=lambda action: values[action])
        if self.rival not in values or values[first] < values[self.rival] + SMALL:
            return ""
        name = (label or game.action_name)(first)
        return f" ({name} is first in the list, but was not better when compared again)"

    def _text_without_chance(self, lead: float, lost: str, rival: str) -> str:
        source = self.move_values.source
        by = "exact" if source == EXACT else f"by the estimate of {in_words(source)}"
        if lead >= SMALL:
            return f"lost {lost} ({by}); better: {rival}"
        return f"was the best ({by})" if lead <= -SMALL else f"was as good as the best ({by})"


def _is_better(lead: "Estimate") -> bool:
    """Whether a lead is more than chance explains."""
    return lead.low > 0 and lead.mean >= SMALL


def judge_move(
    game: Game, state: np.record, action: int, seconds: float, seed: int | None = None
) -> Judgement:
    """Judge an action of the seat to act in `state`, from what this seat knows, in about `seconds`.

    It takes longer where the least number of rounds does. The values are those of the game's
    adviser; with a `seed` and no seconds they repeat. Raises ValueError as `MoveSearch` does.
    """
    draw = np.random.default_rng(seed)
    study = partial(study_of, game, state, None)
    move_values = study((), _drawn(draw)).think(seconds / 2, MIN_PICKING)
    rivals = rivals_of(move_values, action)
    if len(move_values.samples) == 1:
        return judgement_of(move_values, dict.fromkeys(rivals, move_values), action)
    each = seconds / 2 / max(len(rivals), 1)
    pairs = {rival: study((action, rival), _drawn(draw)) for rival in rivals}
    measured = {rival: pair.think(each, MIN_MEASURING) for rival, pair in pairs.items()}
    return judgement_of(move_values, measured, action)


def _drawn(draw: np.random.Generator) -> int:
    return int(draw.integers(SEED_LIMIT))


def judgement_of(
    move_values: MoveValues, measured: dict[int, MoveValues], action: int
) -> Judgement:
    """Return what `measured` says about an action and each of the best others in `move_values`."""
    leads = {rival: pair.lead(rival, action, len(measured)) for rival, pair in measured.items()}
    compared = {
        rival: _with_search_error(lead, measured[rival])
        for rival, lead in leads.items()
        if lead is not None
    }
    return Judgement(action, compared, move_values)


def _with_search_error(lead: "Estimate", measured_by: MoveValues) -> "Estimate":
    if len(measured_by.samples) == 1 or measured_by.source == EXACT:
        return lead
    reach = math.hypot(lead.high - lead.mean, 2 * SEARCH_ERROR)
    return lead._replace(low=lead.mean - reach, high=lead.mean + reach)


def rivals_of(move_values: MoveValues, action: int) -> list[int]:
    """Return the best other actions, best first."""
    values = {other: value for other, value in move_values.values.items() if other != action}
    return sorted(values, key=lambda other: -values[other])[:NUM_RIVALS]
