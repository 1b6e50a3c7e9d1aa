"""A slow referee for President, written from the rule sheet alone with lists of named cards.

It is the second opinion that the compiled rules are compared with, and shares no code with them.
"""

from __future__ import annotations

RANKS = ["2", "4", "5", "6", "7", "10", "11", "12", "3", "1"]  # from low to high
SUITS = ["O", "B", "C", "E"]  # oros, bastos, copas, espadas
DECK = [rank + suit for rank in RANKS for suit in SUITS]
TWO_OF_OROS = "2O"


def rank_of(card: str) -> str:
    """The printed rank: "12" of "12E"."""
    return card[:-1]


def suit_of(card: str) -> str:
    """The suit letter: "E" of "12E"."""
    return card[-1]


def strength(rank: str) -> int:
    """Rule 1: how high a rank is, 0 for the 2 up to 9 for the 1."""
    return RANKS.index(rank)


def best_cards(hand: list[str], count: int) -> list[str]:
    """Rule 11: the best cards are those of the highest rank, then of the lowest suit index."""
    best_first = sorted(hand, key=lambda c: (-strength(rank_of(c)), SUITS.index(suit_of(c))))
    return best_first[:count]


def card_to_return(hand: list[str], rank: str) -> str:
    """Rule 11: of several suits the lowest index is returned, the 2 of oros last."""
    of_rank = [card for card in hand if rank_of(card) == rank]
    return min(of_rank, key=lambda c: (c == TWO_OF_OROS, SUITS.index(suit_of(c))))


def cards_to_play(hand: list[str], count: int, rank: str) -> list[str]:
    """Rules 1 and 3: suits do not matter in a play, except that the 2 of oros goes first."""
    of_rank = [card for card in hand if rank_of(card) == rank]
    return sorted(of_rank, key=lambda c: SUITS.index(suit_of(c)))[:count]


def exchanges(placings: list[int], economy: str) -> list[tuple[int, int, int]]:
    """Rule 11: who gives how many best cards to whom, as (lower seat, upper seat, cards)."""
    num_players = len(placings)
    president = placings.index(1)
    servant = placings.index(num_players)
    if economy == "none":
        return []
    if economy == "swap_one":
        return [(servant, president, 1)]
    if num_players < 4:
        return [(servant, president, 2)]
    second = placings.index(2)
    second_last = placings.index(num_players - 1)
    return [(servant, president, 2), (second_last, second, 1)]


def check_hands(hands: list[list[str]], num_players: int) -> None:
    """Rules 1 and 2: the whole deck of 40 is dealt, the same number of cards to every seat."""
    if len(hands) != num_players:
        raise ValueError(f"the deal has {len(hands)} hands for {num_players} seats")
    if sorted(card for hand in hands for card in hand) != sorted(DECK):
        raise ValueError("the hands of a deal must hold each of the 40 cards exactly once")
    if any(len(hand) != 40 // num_players for hand in hands):
        raise ValueError(f"every hand must hold {40 // num_players} cards")


class Referee:
    """One match of President, one ply at a time."""

    def __init__(
        self,
        deal: dict,
        *,
        num_players: int = 4,
        num_games: int = 1,
        economy: str = "swap_one",
        passing: str = "free",
    ) -> None:
        """Take {"hands": ...}, or for a match {"games": [{"hands": ...}, one for every game]}."""
        games = deal.get("games", [deal])
        if len(games) != num_games:
            raise ValueError(f"the deal has {len(games)} games, the match has {num_games}")
        for game in games:
            check_hands(game["hands"], num_players)
        self.deals = [game["hands"] for game in games]
        self.seats = list(range(num_players))
        self.economy = economy
        self.passing = passing
        self.finished: list[list[int]] = []  # the placings of every finished game
        self._start_game()

    # ---- the questions -------------------------------------------------------------------------

    def is_terminal(self) -> bool:
        """Rule 10, for a match: it is over when all of its games are."""
        return len(self.finished) == len(self.deals)

    def seat_to_act(self) -> int:
        """Rule 11 before play: the seat that returns a card; otherwise the seat in turn."""
        if self.is_terminal():
            raise ValueError("the match is over: no seat is to act")
        if self.gives:
            giver, _ = self.gives[0]
            return giver
        return self.turn

    def legal_actions(self) -> list[str]:
        """Rules 3, 4, 5, 11 and 12: the names of all that the seat to act may do."""
        if self.is_terminal():
            return []
        hand = self.hands[self.seat_to_act()]
        if self.gives:
            return self._legal_gives(hand)
        if not self.played:
            return self._legal_openings(hand)
        if not self.table:
            return self._sets(hand)
        return self._legal_followings(hand)

    def returns(self) -> list[float]:
        """Evenly spaced from +1 (president) to -1 (servant) by placing, the mean over the games."""
        if not self.is_terminal():
            return [0.0 for _ in self.seats]
        num_players, num_games = len(self.seats), len(self.deals)
        totals = [sum(num_players + 1 - 2 * game[s] for game in self.finished) for s in self.seats]
        return [total / ((num_players - 1) * num_games) for total in totals]

    # ---- the verb ------------------------------------------------------------------------------

    def apply_legal(self, name: str) -> None:
        """Do an action that is known to be legal."""
        seat = self.seat_to_act()
        self.last_actions[seat] = name
        if name == "pass":
            self._pass(seat)
        elif name.startswith("give:"):
            self._give(name.removeprefix("give:"))
        else:
            count, rank = name.split("x")
            self._play(seat, int(count), rank)

    # ---- starting a game -----------------------------------------------------------------------

    def _start_game(self) -> None:
        """Rules 3 and 11: deal the next game, move the best cards up, find out who begins."""
        self.game_number = len(self.finished)  # counted from 0
        self.hands = [list(hand) for hand in self.deals[self.game_number]]
        self.roles = self.finished[-1] if self.finished else [0 for _ in self.seats]
        self.played: list[str] = []
        self.out_order: list[int] = []
        self.table: dict = {}  # the count, rank and owner of the last play; empty before a lead
        self.passed: set[int] = set()  # since the last play
        self.locked_out: set[int] = set()  # until the round ends; only with passing="out"
        self.last_actions: list[str | None] = [None for _ in self.seats]
        self.gives: list[tuple[int, int]] = []  # (giver, receiver) of the returns still to come
        if self.finished:
            self._move_best_cards_up()
        if not self.gives:
            self.turn = self._holder_of_the_two_of_oros()

    def _move_best_cards_up(self) -> None:
        """Rule 11: the lower seats give their best cards; as many are to be returned afterwards."""
        for lower, upper, count in exchanges(self.roles, self.economy):
            for card in best_cards(self.hands[lower], count):
                self.hands[lower].remove(card)
                self.hands[upper].append(card)
                self.gives.append((upper, lower))

    def _holder_of_the_two_of_oros(self) -> int:
        """Rule 3: the holder of the 2 of oros leads the first round."""
        return next(seat for seat in self.seats if TWO_OF_OROS in self.hands[seat])

    # ---- what is legal -------------------------------------------------------------------------

    def _legal_gives(self, hand: list[str]) -> list[str]:
        """Rule 11: the card given back is of any rank in the hand."""
        return [f"give:{rank}" for rank in RANKS if any(rank_of(card) == rank for card in hand)]

    def _legal_openings(self, hand: list[str]) -> list[str]:
        """Rule 3: the first play of a game is one to four twos, and is not a pass."""
        return [name for name in self._sets(hand) if name.endswith("x2")]

    def _sets(self, hand: list[str]) -> list[str]:
        """Rule 4: one to four cards of one rank."""
        counts = zip(RANKS, self._count_by_rank(hand), strict=True)
        return [f"{count}x{rank}" for rank, most in counts for count in range(1, most + 1)]

    def _legal_followings(self, hand: list[str]) -> list[str]:
        """Rules 5 and 12: the same number of a strictly higher rank, or a pass, always."""
        names = ["pass"]
        for name in self._sets(hand):
            count, rank = name.split("x")
            same_number = int(count) == self.table["count"]
            higher = strength(rank) > strength(self.table["rank"])
            if same_number and higher:
                names.append(name)
        return names

    # ---- the three kinds of action -------------------------------------------------------------

    def _give(self, rank: str) -> None:
        """Rule 11: one card goes down; after the last one the holder of the 2 of oros leads."""
        giver, receiver = self.gives.pop(0)
        card = card_to_return(self.hands[giver], rank)
        self.hands[giver].remove(card)
        self.hands[receiver].append(card)
        if not self.gives:
            self.turn = self._holder_of_the_two_of_oros()

    def _pass(self, seat: int) -> None:
        """Rule 6: a pass counts until the next play, and with "out" locks until the round ends."""
        self.passed.add(seat)
        if self.passing == "out":
            self.locked_out.add(seat)
        self._go_on_after(seat)

    def _play(self, seat: int, count: int, rank: str) -> None:
        """Rules 4, 5 and 10: the cards go on the table, and whoever has none left has gone out."""
        for card in cards_to_play(self.hands[seat], count, rank):
            self.hands[seat].remove(card)
            self.played.append(card)
        self.table = {"count": count, "rank": rank, "owner": seat}
        self.passed = set()
        if not self.hands[seat]:
            self.out_order.append(seat)
        if len(self._seats_with_cards()) <= 1:
            self._finish_game()
        else:
            self._go_on_after(seat)

    # ---- whose turn comes next -----------------------------------------------------------------

    def _go_on_after(self, seat: int) -> None:
        """Rules 6, 7 and 9: the next seat that may still act on the table; if none, a new round."""
        may_act = [s for s in self._in_order_after(seat) if self._may_act_on_the_table(s)]
        if may_act:
            self.turn = may_act[0]
        else:
            self._start_round()

    def _may_act_on_the_table(self, seat: int) -> bool:
        """Rules 6, 7 and 9: cards in hand, not one's own play, not passed since, not locked out."""
        has_cards = len(self.hands[seat]) > 0
        made_the_play = seat == self.table["owner"]
        is_done = seat in self.passed or seat in self.locked_out
        return has_cards and not made_the_play and not is_done

    def _start_round(self) -> None:
        """Rules 7 and 8: who made the last play leads; if gone out, the next seat with cards."""
        owner = self.table["owner"]
        self.table = {}
        self.passed = set()
        self.locked_out = set()
        candidates = [owner, *self._in_order_after(owner)]
        self.turn = next(seat for seat in candidates if self.hands[seat])

    def _in_order_after(self, seat: int) -> list[int]:
        """Seats play in ascending order, wrapping: all others, beginning after this one."""
        return self.seats[seat + 1 :] + self.seats[:seat]

    def _seats_with_cards(self) -> list[int]:
        """Rules 9 and 10: the seats that have not gone out."""
        return [seat for seat in self.seats if self.hands[seat]]

    # ---- the end of a game ---------------------------------------------------------------------

    def _finish_game(self) -> None:
        """Rule 10: the seat left with cards is last; in a match the next game is dealt at once."""
        self.out_order += self._seats_with_cards()
        self.finished.append(self._placings())
        if not self.is_terminal():
            self._start_game()

    def _placings(self) -> list[int]:
        """Rule 10: placings are the order of going out; 0 for a seat that is still in."""
        return [self.out_order.index(s) + 1 if s in self.out_order else 0 for s in self.seats]

    def _count_by_rank(self, cards: list[str]) -> list[int]:
        """How many of the cards are of each rank, from the 2 up to the 1."""
        counts = [0 for _ in RANKS]
        for card in cards:
            counts[strength(rank_of(card))] += 1
        return counts
