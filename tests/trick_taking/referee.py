"""A slow referee for trick-taking, written from the rule sheet alone with lists of named cards.

It is the second opinion that the compiled rules are compared with, and shares no code with them.
"""

from __future__ import annotations


def card_name(index: int, num_values: int) -> str:
    """The card with this index (colour * N + value) as "COLOUR.VALUE"."""
    return f"{index // num_values}.{index % num_values}"


def colour_of(card: str) -> int:
    """The colour: 1 of "1.7"."""
    return int(card.split(".")[0])


def value_of(card: str) -> int:
    """The value: 7 of "1.7"."""
    return int(card.split(".")[1])


def check_hands(hands: list[list[int]], num_values: int, num_players: int) -> None:
    """Rule 1: all cards are dealt, N to each seat."""
    if len(hands) != num_players:
        raise ValueError(f"the deal has {len(hands)} hands for {num_players} seats")
    if any(len(hand) != num_values for hand in hands):
        raise ValueError(f"every hand must hold {num_values} cards")
    if sorted(card for hand in hands for card in hand) != list(range(num_values * num_players)):
        raise ValueError(f"the hands must hold each card 0..{num_values * num_players - 1} once")


class Referee:
    """One game of trick-taking, one ply at a time."""

    def __init__(
        self, deal: dict, *, num_values: int = 10, num_players: int = 2, leader: int = 0
    ) -> None:
        """Take {"hands": [[card index, ...], ...], "leader": seat}; the deal's leader counts."""
        first_leader = deal.get("leader", leader)
        check_hands(deal["hands"], num_values, num_players)
        self.num_values = num_values
        self.seats = list(range(num_players))
        self.hands = [[card_name(i, num_values) for i in hand] for hand in deal["hands"]]
        self.leader = first_leader
        self.table: list[str] = []  # this trick, in the order played
        self.played: list[tuple[int, str]] = []  # seat and card, of all tricks
        self.tricks_won = [0 for _ in self.seats]

    # ---- the questions -------------------------------------------------------------------------

    def is_terminal(self) -> bool:
        """Rule 2: the game is N tricks long."""
        return sum(self.tricks_won) == self.num_values

    def seat_to_act(self) -> int:
        """Rule 2: the leader plays first, the others follow in ascending order, wrapping."""
        if self.is_terminal():
            raise ValueError("the game is over: no seat is to act")
        return self._order_of_play()[len(self.table)]

    def legal_actions(self) -> list[str]:
        """Rules 3 and 4: any card to lead; the colour led if held; otherwise any card."""
        if self.is_terminal():
            return []
        hand = self.hands[self.seat_to_act()]
        if not self.table:
            return [f"card:{card}" for card in hand]
        following = [card for card in hand if colour_of(card) == colour_of(self.table[0])]
        return [f"card:{card}" for card in following or hand]

    def returns(self) -> list[float]:
        """Tricks scaled to a sum of zero within -1..1; for two seats (own - other's) / N."""
        if not self.is_terminal():
            return [0.0 for _ in self.seats]
        num_players, num_values = len(self.seats), self.num_values
        scale = num_values * (num_players - 1)
        return [(num_players * tricks - num_values) / scale for tricks in self.tricks_won]

    # ---- the verb ------------------------------------------------------------------------------

    def apply(self, name: str) -> None:
        """Play one legal card; anything else is an error that names it and what was legal."""
        legal = self.legal_actions()
        if name not in legal:
            raise ValueError(f"{name!r} is not legal; legal are: {', '.join(legal) or 'none'}")
        card = name.removeprefix("card:")
        seat = self.seat_to_act()
        self.hands[seat].remove(card)
        self.table.append(card)
        self.played.append((seat, card))
        if len(self.table) == len(self.seats):
            self._finish_trick()

    def _finish_trick(self) -> None:
        """Rules 2 and 5: the highest card of the colour led wins, and its seat leads the next."""
        of_colour_led = [card for card in self.table if colour_of(card) == colour_of(self.table[0])]
        best = max(of_colour_led, key=value_of)
        winner = self._order_of_play()[self.table.index(best)]
        self.tricks_won[winner] += 1
        self.table = []
        self.leader = winner

    def _order_of_play(self) -> list[int]:
        """Rule 2: all seats in ascending order, wrapping, beginning with the leader."""
        return self.seats[self.leader :] + self.seats[: self.leader]
