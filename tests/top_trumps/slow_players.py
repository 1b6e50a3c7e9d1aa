"""The scripted players, slow and plain, written from the sheet alone.

Each answers with the chance of every field, so that a player that draws can be compared too.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence

from tests.top_trumps.referee import DRAW, LOSS, WIN, Report

Chances = list[float]  # of each field
TIE = 1e-9
NO_SPREAD = 1e-6


def only(field: int, num_fields: int) -> Chances:
    """This field for certain."""
    return [1.0 if place == field else 0.0 for place in range(num_fields)]


def uniform(fields: Sequence[int], num_fields: int) -> Chances:
    """Each of these fields as likely."""
    return [1.0 / len(fields) if place in fields else 0.0 for place in range(num_fields)]


def rander(card: Sequence[int]) -> Chances:
    """A uniform field."""
    return uniform(range(len(card)), len(card))


def maxer(card: Sequence[int]) -> Chances:
    """The highest raw value, the first field on ties."""
    return only(list(card).index(max(card)), len(card))


def rand_maxer(card: Sequence[int], fraction: float) -> Chances:
    """Maxer with this probability, else rander."""
    pairs = zip(maxer(card), rander(card), strict=True)
    return [fraction * high + (1 - fraction) * even for high, even in pairs]


def normalised(card: Sequence[int], deck: Sequence[Sequence[int]]) -> list[float]:
    """z-scores over the full deck; a field without spread keeps its raw value."""
    scores = []
    for field, value in enumerate(card):
        column = [other[field] for other in deck]
        spread = statistics.pstdev(column)
        has_spread = spread > NO_SPREAD
        scores.append((value - statistics.fmean(column)) / spread if has_spread else float(value))
    return scores


def meaner_max(card: Sequence[int], deck: Sequence[Sequence[int]]) -> Chances:
    """The highest z-score, the first field on ties."""
    scores = normalised(card, deck)
    return only(scores.index(max(scores)), len(scores))


def expected_scores(card: Sequence[int], against: Sequence[Sequence[int]], m: float) -> list[float]:
    """(lower cards + m * equal cards) / cards, by field."""
    scores = []
    for field, value in enumerate(card):
        lower = sum(1 for other in against if other[field] < value)
        equal = sum(1 for other in against if other[field] == value)
        scores.append((lower + m * equal) / len(against))
    return scores


def best_expected(card: Sequence[int], against: Sequence[Sequence[int]], m: float) -> Chances:
    """The best score; scores that differ by no more than TIE share it evenly."""
    scores = expected_scores(card, against, m)
    best = [field for field, score in enumerate(scores) if max(scores) - score <= TIE]
    return uniform(best, len(scores))


class Expert:
    """Knows the set of cards the other seat holds."""

    def __init__(self, deck: list[list[int]], my_cards: Iterable[int], m: float = 0.5) -> None:
        self.deck, self.m = deck, m
        self.others = set(range(len(deck))) - set(my_cards)

    def hear(self, report: Report) -> None:
        """Follow the cards of the other seat as a set."""
        if report.outcome == LOSS:
            self.others |= {report.my_card, *report.pile}
        else:
            assert report.other_card is not None
            self.others -= {report.other_card}

    def choose(self, card: int) -> Chances:
        """The best expected score against the whole set."""
        cards = [self.deck[other] for other in sorted(self.others)]
        return best_expected(self.deck[card], cards, self.m)


class Goliath:
    """Keeps a slot of possible cards for each place of the other seat's deck, top first."""

    def __init__(self, deck: list[list[int]], my_cards: Iterable[int], m: float = 0.5) -> None:
        self.deck, self.m = deck, m
        others = set(range(len(deck))) - set(my_cards)
        self.slots = [set(others) for _ in others]

    def hear(self, report: Report) -> None:
        """The two steps of the sheet."""
        revealed = {c for c in self.slots[0] if self.deck[c][report.field] == report.other_value}
        self.slots[0] = revealed
        self._propagate_from(0)
        if report.outcome in (WIN, DRAW):
            assert report.other_card is not None
            self.slots.pop(0)
            self._propagate(report.other_card, None)
            return
        self.slots.append(self.slots.pop(0))
        for card in (report.my_card, *report.pile):
            self.slots.append({card})
            self._propagate(card, len(self.slots) - 1)

    def _propagate_from(self, place: int) -> None:
        if len(self.slots[place]) == 1:
            self._propagate(next(iter(self.slots[place])), place)

    def _propagate(self, card: int, place: int | None) -> None:
        """Remove a card from all other slots; a slot that shrinks to one card goes on with it."""
        for other, slot in enumerate(self.slots):
            if other != place and card in slot:
                slot.remove(card)
                self._propagate_from(other)

    def choose(self, card: int) -> Chances:
        """The best expected score against what may lie on top."""
        possible = [self.deck[other] for other in sorted(self.slots[0])]
        return best_expected(self.deck[card], possible, self.m)
