"""A slow referee for Notty, written from the rule sheet alone with lists of named cards.

It is the second opinion that the compiled rules are compared with, and shares no code with them.
Whatever chance decides is told to it: after a draw or a take it waits for `receive`.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod

from tests.notty.brute_force import DECK, GROUPS, KINDS, Cards, best_rest, groups_in, in_order

PROTECTED_SIZE = 2  # cards; nobody takes from so small a hand
MAX_DRAWN = 3


class Referee:
    """One game of Notty, one ply at a time: `apply`, then `receive` where cards are drawn."""

    def __init__(
        self,
        deal: dict,
        *,
        num_players: int = 2,
        hand_limit: int = 20,
        turn_limit: int = 200,
        discard: str = "optimal",
        protect_small_hands: bool = True,
    ) -> None:
        """Take {"hands": [["red 3", ...], ...], "seat_to_act": 0}."""
        self.hands = [list(hand) for hand in deal["hands"]]
        self.seats = list(range(num_players))
        self.hand_limit = hand_limit
        self.turn_limit = turn_limit
        self.is_manual = discard == "manual"
        self.protects = protect_small_hands
        self.turns_played = 0  # by all seats together
        self.passes = [0 for _ in self.seats]  # in a row, chosen as the first action of a turn
        self.takes = [[0, 0] for _ in self.seats]  # cards taken from larger hands, from others
        self.last_actions: list[str | None] = [None for _ in self.seats]
        self.moved: list[list[str]] = [[] for _ in self.seats]  # cards that came by that action
        self.done: set[str] = set()  # "draw" and "take", in this turn
        self.pending: tuple[str, int] | None = None  # ("draw", cards) or ("take", from whom)
        self.winner: int | None = None
        self.is_drawn = False
        self._begin_turn(deal.get("seat_to_act", 0))

    # ---- the questions -------------------------------------------------------------------------

    def is_terminal(self) -> bool:
        """Rules 13 and 14: somebody has won, or the game is a draw."""
        return self.winner is not None or self.is_drawn

    def awaits_chance(self) -> bool:
        """Whether cards have to be drawn or taken before anybody can act."""
        return self.pending is not None

    def seat_to_act(self) -> int:
        """The seat whose turn it is."""
        if self.is_terminal():
            raise ValueError("the game is over: no seat is to act")
        return self.turn

    def deck(self) -> list[str]:
        """Rules 2 and 11: all cards that are in no hand, in no order."""
        counts = Counter(card for hand in self.hands for card in hand)
        return in_order(list((Counter(DECK) - counts).elements()))

    def legal_actions(self) -> list[str]:
        """Rules 4 to 9 and 12: the names of all that the seat to act may do."""
        if self.is_terminal() or self.awaits_chance():
            return []
        names = ["pass", *self._legal_draws(), *self._legal_takes()]
        if self.is_manual:
            names += [f"discard:{name}" for name in groups_in(self.hands[self.turn])]
        return names

    def returns(self) -> list[float]:
        """+1 for the winner, the others share -1; 0 for all in a draw and before the end."""
        if self.winner is None:
            return [0.0 for _ in self.seats]
        share = -1 / (len(self.seats) - 1)
        return [1.0 if seat == self.winner else share for seat in self.seats]

    def phase(self) -> str:
        """What has been done in this turn: "start", "drawn", "taken" or "both"."""
        names = {frozenset(): "start", frozenset({"draw"}): "drawn", frozenset({"take"}): "taken"}
        return names.get(frozenset(self.done), "both")

    def chance_outcomes(self) -> dict[Cards, Fraction]:
        """Rules 5 and 7: all that may come now, and how likely it is."""
        kind, number = self._awaited()
        if kind == "take":
            hand = Counter(self.hands[number])
            return {(card,): Fraction(hand[card], hand.total()) for card in hand}
        deck = Counter(self.deck())
        outcomes = {}
        for cards in combinations_with_replacement(in_order(list(deck)), number):
            drawn = Counter(cards)
            ways = prod(comb(deck[card], count) for card, count in drawn.items())
            if ways:
                outcomes[cards] = Fraction(ways, comb(deck.total(), number))
        return outcomes

    # ---- the verbs -----------------------------------------------------------------------------

    def apply(self, name: str) -> None:
        """Do one legal action; anything else is an error that names it and what was legal."""
        legal = self.legal_actions()
        if name not in legal:
            raise ValueError(f"{name!r} is not legal; legal are: {', '.join(legal) or 'none'}")
        could_move = any(action.startswith(("draw:", "take:")) for action in legal)
        self._count_pass(name, is_forced=not could_move)
        self.last_actions[self.turn] = name
        self.moved[self.turn] = []
        kind, _, rest = name.partition(":")
        if kind == "pass":
            self._end_turn()
        elif kind == "discard":
            self._discard_group(rest)
        elif kind == "draw":
            self.pending = ("draw", int(rest))
        else:
            self.pending = ("take", (self.turn + int(rest)) % len(self.seats))

    def receive(self, cards: list[str]) -> None:
        """What chance gives: the cards drawn from the deck, or the one taken from a hand."""
        kind, number = self._awaited()
        source = self.deck() if kind == "draw" else self.hands[number]
        num_cards = number if kind == "draw" else 1
        if len(cards) != num_cards or Counter(cards) - Counter(source):
            raise ValueError(f"{cards} cannot come by a {kind} of {num_cards} from {source}")
        self.pending = None
        self.done.add(kind)
        self.moved[self.turn] = in_order(cards)
        self.hands[self.turn] += cards
        if kind == "take":
            is_larger = len(self.hands[number]) >= len(self.hands[self.turn])  # the card has moved
            self.takes[self.turn][not is_larger] += 1
            self.hands[number].remove(cards[0])
            self._check_empty(number)
        self._discard_and_check()
        if len(self.done) == 2 and not self.is_manual and not self.is_terminal():
            self._end_turn()

    # ---- what is legal -------------------------------------------------------------------------

    def _legal_draws(self) -> list[str]:
        """Rules 5, 6 and 9: once a turn, not over the limit of the hand, not more than the deck."""
        if "draw" in self.done:
            return []
        room = self.hand_limit - len(self.hands[self.turn])
        most = min(MAX_DRAWN, room, len(self.deck()))
        return [f"draw:{number}" for number in range(1, most + 1)]

    def _legal_takes(self) -> list[str]:
        """Rules 5, 6, 8 and 9: once a turn, not at the limit, not from a small hand."""
        is_full = len(self.hands[self.turn]) >= self.hand_limit
        if "take" in self.done or is_full:
            return []
        smallest = PROTECTED_SIZE + 1 if self.protects else 1
        names = []
        for step in range(1, len(self.seats)):
            victim = (self.turn + step) % len(self.seats)
            if len(self.hands[victim]) >= smallest:
                names.append(f"take:+{step}")
        return names

    # ---- a turn --------------------------------------------------------------------------------

    def _begin_turn(self, seat: int) -> None:
        """Rules 4 and 10: a turn begins with the discard."""
        self.turn = seat
        self.done = set()
        self.pending = None
        self._discard_and_check()

    def _discard_and_check(self) -> None:
        """Rules 10, 13 and 14: all groups go, unless by hand; then the game may be over."""
        if self.is_terminal():
            return
        if not self.is_manual:
            self.hands[self.turn] = best_rest(self.hands[self.turn])
        self._check_empty(self.turn)
        self._check_deadlock()

    def _discard_group(self, name: str) -> None:
        """Rule 12: one group leaves the hand."""
        for card in GROUPS[name]:
            self.hands[self.turn].remove(card)
        self._check_empty(self.turn)

    def _end_turn(self) -> None:
        """Rule 14: the next seat begins, or the turn limit is reached."""
        self.turns_played += 1
        if self.turns_played == self.turn_limit * len(self.seats):
            self.is_drawn = True
        else:
            self._begin_turn((self.turn + 1) % len(self.seats))

    def _count_pass(self, name: str, is_forced: bool) -> None:
        """Passes in a row, counted at first actions; a forced pass neither counts nor resets."""
        is_first_action = not self.done and not name.startswith("discard:")
        if not is_first_action or is_forced:
            return
        self.passes[self.turn] = self.passes[self.turn] + 1 if name == "pass" else 0

    # ---- the end -------------------------------------------------------------------------------

    def _check_empty(self, seat: int) -> None:
        """Rule 13: an empty hand wins at once; who was empty first has won already."""
        if self.winner is None and not self.hands[seat]:
            self.winner = seat

    def _check_deadlock(self) -> None:
        """Rule 14: every seat at the limit of its hand, and nobody has a group."""
        if self.winner is not None:
            return
        is_stuck = [len(hand) >= self.hand_limit and not groups_in(hand) for hand in self.hands]
        self.is_drawn = all(is_stuck)

    def _awaited(self) -> tuple[str, int]:
        """What chance has to decide; an error where nothing is awaited."""
        if self.pending is None:
            raise ValueError("no cards are awaited: an action comes first")
        return self.pending


def by_kind(cards: list[str]) -> list[int]:
    """How many of each of the 40 kinds, in order."""
    counts = Counter(cards)
    return [counts[kind] for kind in KINDS]
