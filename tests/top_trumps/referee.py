"""A slow referee for Top Trumps, written from the rule sheet alone with lists of card numbers.

It is the second opinion that the compiled rules are compared with, and shares no code with them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

WIN, LOSS, DRAW = "win", "loss", "draw"


class Report(NamedTuple):
    """What one seat hears of one trick."""

    is_starter: bool
    field: int
    my_card: int
    my_value: int
    other_card: int | None  # None where the seat lost
    other_value: int
    outcome: str
    pile: tuple[int, ...]  # as it lay before the trick


class Referee:
    """One game of Top Trumps, one trick at a time."""

    def __init__(self, deal: dict[str, Any], *, trick_limit: int = 5000, starter: int = 0) -> None:
        """Take {"cards": [[value, ...], ...], "hands": [[top, ..., bottom], ...], "starter": 0}.

        The starter of the deal counts before the one given.
        """
        self.cards: list[list[int]] = [list(card) for card in deal["cards"]]
        self.decks: list[list[int]] = [list(hand) for hand in deal["hands"]]
        if sorted(self.decks[0] + self.decks[1]) != list(range(len(self.cards))):
            raise ValueError("the hands must hold each card of the deck once")
        self.initial_sets = [frozenset(deck) for deck in self.decks]
        self.trick_limit = trick_limit
        self.starter: int = deal.get("starter", starter)
        self.pile: list[int] = []
        self.num_tricks = 0
        self.reports: list[list[Report]] = [[], []]

    # ---- the questions -------------------------------------------------------------------------

    def is_terminal(self) -> bool:
        """Rules 11 and 12: a deck is empty, or the limit is reached."""
        return not self.decks[0] or not self.decks[1] or self.num_tricks >= self.trick_limit

    def seat_to_act(self) -> int:
        """Rule 6: the starter, who alone chooses."""
        if self.is_terminal():
            raise ValueError("the game is over: no seat is to act")
        return self.starter

    def top_card(self) -> int:
        """Rule 7: what the starter sees."""
        return self.decks[self.seat_to_act()][0]

    def returns(self) -> list[int]:
        """Rules 11 and 12: more cards in the deck wins, none loses; +1, -1 or 0."""
        if not self.is_terminal():
            return [0, 0]
        mine, others = len(self.decks[0]), len(self.decks[1])
        if mine == others:
            return [0, 0]
        return [1, -1] if mine > others else [-1, 1]

    # ---- the verb ------------------------------------------------------------------------------

    def apply(self, field: int) -> None:
        """Rules 7 to 10: compare the top cards in one field and move the cards."""
        starter, other = self.seat_to_act(), 1 - self.seat_to_act()
        if field not in range(len(self.cards[0])):
            raise ValueError(f"there is no field {field}")
        played = [deck.pop(0) for deck in self.decks]
        values = [self.cards[card][field] for card in played]
        pile_before = tuple(self.pile)
        winner: int | None = None
        if values[0] == values[1]:
            self.pile += [played[other], played[starter]]
        else:
            winner = 0 if values[0] > values[1] else 1
            self.decks[winner] += [played[winner], played[1 - winner], *self.pile]
            self.pile = []
            self.starter = winner
        self.num_tricks += 1
        for seat in (0, 1):
            outcome = DRAW if winner is None else WIN if winner == seat else LOSS
            self.reports[seat].append(
                Report(
                    is_starter=seat == starter,
                    field=field,
                    my_card=played[seat],
                    my_value=values[seat],
                    other_card=None if outcome == LOSS else played[1 - seat],
                    other_value=values[1 - seat],
                    outcome=outcome,
                    pile=pile_before,
                )
            )
