"""What a seat can deduce from all it has heard: naive, with Python sets.

For each position of both decks, the set of cards that may lie there, slot by slot as the sheet has
it: a card known to lie in one slot is struck from all others, and nothing cleverer than that.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.top_trumps.referee import DRAW, LOSS, WIN, Report

Slots = list[set[int]]


class Bookkeeper:
    """What one seat knows of both decks, top first."""

    def __init__(self, cards: list[list[int]], my_initial_set: Iterable[int]) -> None:
        """Rule 5: each seat learns the set of its own cards, and so the set of the other's."""
        self.cards = cards
        mine = set(my_initial_set)
        others = set(range(len(cards))) - mine
        self.mine: Slots = [set(mine) for _ in mine]
        self.others: Slots = [set(others) for _ in others]

    def see_top(self, card: int) -> None:
        """Rule 7: the starter sees its top card."""
        self.mine[0] = {card}
        settle(self.mine)

    def hear(self, report: Report) -> None:
        """Rules 8 to 10: narrow the two top slots, then move them as the cards move."""
        self.see_top(report.my_card)
        if report.other_card is None:
            self.others[0] = {
                card
                for card in self.others[0]
                if self.cards[card][report.field] == report.other_value
            }
        else:
            self.others[0] = {report.other_card}
        settle(self.others)
        my_top, others_top = self.mine.pop(0), self.others.pop(0)
        pile = [{card} for card in report.pile]
        if report.outcome == WIN:
            self.mine += [my_top, others_top, *pile]
        elif report.outcome == LOSS:
            self.others += [others_top, my_top, *pile]
        else:
            assert report.outcome == DRAW
        settle(self.mine)
        settle(self.others)


def settle(slots: Slots) -> None:
    """Strike every card that is known to lie in one slot from all others, until nothing changes."""
    changed = True
    while changed:
        changed = False
        for place, slot in enumerate(slots):
            if len(slot) != 1:
                continue
            for other_place, other in enumerate(slots):
                if other_place != place and slot & other:
                    other -= slot
                    changed = True
