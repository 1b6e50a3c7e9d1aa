"""A slow referee for Splendor, written from the rule sheet alone with named gems and whole cards.

It is the second opinion that the compiled rules are compared with, and shares no code with them:
it knows no table of actions, it builds every legal action as a structure and then names it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

COLOURS = ("black", "red", "green", "blue", "white")
GOLD = "yellow"
GEMS = (*COLOURS, GOLD)
MAX_GEMS = 10
MAX_RESERVED = 3
MAX_OF_A_COLOUR = 7
NOBLE_POINTS = 3
GEMS_OF_A_COLOUR = {2: 4, 3: 5, 4: 7}  # by the number of players
NUM_GOLD = 5


class Card(NamedTuple):
    """A development card: what it counts as, its points, its price in the five colours."""

    colour: str
    points: int
    cost: tuple[int, ...]


class Collect(NamedTuple):
    """Take these gems (a colour twice: two of the same), give those back."""

    taken: tuple[str, ...]
    returned: tuple[str, ...]

    @property
    def name(self) -> str:
        """As the sheet writes it: "collect:red*2 return:blue+blue"."""
        is_same = len(self.taken) > len(set(self.taken))
        taken = f"{self.taken[0]}*2" if is_same else "+".join(self.taken)
        return f"collect:{taken}" + returning(self.returned)


class Reserve(NamedTuple):
    """Put the card of a slot aside."""

    tier: int
    slot: int
    returned: tuple[str, ...]

    @property
    def name(self) -> str:
        """As the sheet writes it, tiers from 1: "reserve:2.0 return:red"."""
        return f"reserve:{self.tier + 1}.{self.slot}" + returning(self.returned)


class Buy(NamedTuple):
    """Buy the card of a slot of the table."""

    tier: int
    slot: int

    @property
    def name(self) -> str:
        """As the sheet writes it, tiers from 1: "buy:2.0"."""
        return f"buy:{self.tier + 1}.{self.slot}"


class BuyReserved(NamedTuple):
    """Buy a card put aside earlier."""

    slot: int

    @property
    def name(self) -> str:
        """As the sheet writes it, the oldest first: "buy-reserved:0"."""
        return f"buy-reserved:{self.slot}"


class Pass(NamedTuple):
    """Do nothing, for want of anything else."""

    name: str = "pass"


class TakeNoble(NamedTuple):
    """Choose among the nobles that qualify."""

    slot: int

    @property
    def name(self) -> str:
        """As the sheet writes it: "noble:3"."""
        return f"noble:{self.slot}"


Action = Collect | Reserve | Buy | BuyReserved | Pass | TakeNoble


def returning(gems: tuple[str, ...]) -> str:
    """The part of a name that tells what is given back."""
    return " return:" + "+".join(gems) if gems else ""


def multisets(gems: Iterable[str], size: int) -> Iterator[tuple[str, ...]]:
    """All ways to pick so many gems, the same colour any number of times."""
    return itertools.combinations_with_replacement(gems, size)


def card_of(data: Any) -> Card | None:
    """The card that [colour, points, [cost]] stands for."""
    if data is None:
        return None
    colour, points, cost = data
    return Card(colour, points, tuple(cost))


def gems_of(counts: Iterable[int]) -> dict[str, int]:
    """Six counts under the names of the gems."""
    return dict(zip(GEMS, counts, strict=True))


def sizes_of_different(gems: int, available: int) -> range:
    """Rule 5: how many different colours a seat with so many gems may collect."""
    most = min(3, available)
    if gems <= 7:
        fewest = most
    elif gems == 8:
        fewest = min(2, available)
    else:
        fewest = 1
    return range(max(1, fewest), most + 1)


def returned_after_different(gems: int, size: int) -> int:
    """Rule 5: how many gems must go back after collecting so many different colours."""
    if gems <= 7:
        return 0
    if gems == 8:
        return max(0, size - 2)
    if gems == 9:
        return size - 1
    return size


def returned_after_same(gems: int) -> int:
    """Rule 6: how many gems must go back after collecting two of one colour."""
    return {9: 1, 10: 2}.get(gems, 0)


class Seat:
    """All that lies in front of one player."""

    def __init__(self, data: dict[str, Any] | None = None) -> None:
        """Take a seat of a position, or nothing for an empty one."""
        fields = data or {"gems": [0] * 6, "cards": [], "reserved": [], "nobles": []}
        self.gems = gems_of(fields["gems"])
        self.cards = [card for card in map(card_of, fields["cards"]) if card]
        self.reserved = [card for card in map(card_of, fields["reserved"]) if card]
        self.nobles = [tuple(need) for need in fields["nobles"]]

    def num_gems(self) -> int:
        """T of rule 5: all gems held, yellow included."""
        return sum(self.gems.values())

    def cards_of(self, colour: str) -> int:
        """The number of bought cards of a colour."""
        return sum(card.colour == colour for card in self.cards)

    def points(self) -> int:
        """Points of the bought cards and of the nobles."""
        return sum(card.points for card in self.cards) + NOBLE_POINTS * len(self.nobles)

    def price(self, card: Card) -> dict[str, int]:
        """Rule 9: cost minus own cards, coloured gems first, yellow only for the shortfall."""
        paid = {GOLD: 0}
        for colour, cost in zip(COLOURS, card.cost, strict=True):
            left = max(0, cost - self.cards_of(colour))
            paid[colour] = min(left, self.gems[colour])
            paid[GOLD] += left - paid[colour]
        return paid

    def can_buy(self, card: Card) -> bool:
        """Rules 9 and 10: the price can be paid and it is not the eighth of its colour."""
        can_pay = self.price(card)[GOLD] <= self.gems[GOLD]
        return can_pay and self.cards_of(card.colour) < MAX_OF_A_COLOUR

    def meets(self, need: tuple[int, ...]) -> bool:
        """Rule 11: the bought cards are as many of each colour as a noble asks for."""
        owned = [self.cards_of(colour) for colour in COLOURS]
        return all(have >= want for have, want in zip(owned, need, strict=True))


class Referee:
    """One game of Splendor, one ply at a time."""

    def __init__(
        self, deal: dict[str, Any], *, num_players: int = 2, target: int = 15, turn_limit: int = 200
    ) -> None:
        """Take {"decks": ..., "nobles": ...}, or {"position": ...} with its decks in order."""
        self.target = target
        self.turn_limit = turn_limit
        self.choosing = False  # whether the seat to act chooses a noble
        self.last_actions: list[str | None] = [None] * num_players
        if "position" in deal:
            self._set_up(deal["position"])
        else:
            self._begin(deal, num_players)

    def _begin(self, deal: dict[str, Any], num_players: int) -> None:
        """Rules 1 to 3: all gems in the bank, four cards face up of each tier, seat 0 begins."""
        decks = [[card_of(card) for card in deck] for deck in deal["decks"]]
        self.table = [deck[:4] for deck in decks]
        self.decks = [deck[4:] for deck in decks]
        self.nobles: list[tuple[int, ...] | None] = [tuple(need) for need in deal["nobles"]]
        self.bank = gems_of([GEMS_OF_A_COLOUR[num_players]] * 5 + [NUM_GOLD])
        self.seats = [Seat() for _ in range(num_players)]
        self.first_seat = self.turn = 0
        self.passes = self.rounds = 0

    def _set_up(self, position: dict[str, Any]) -> None:
        """A full position, whatever it is: the referee judges no position."""
        self.table = [[card_of(card) for card in tier] for tier in position["table"]]
        self.decks = [[card_of(card) for card in deck] for deck in position["decks"]]
        slots = [*position["nobles"], *[None] * (len(position["seats"]) + 1)]
        slots = slots[: len(position["seats"]) + 1]  # the last ones are empty, as if taken
        self.nobles = [tuple(need) if need else None for need in slots]
        self.bank = gems_of(position["bank"])
        self.seats = [Seat(data) for data in position["seats"]]
        self.first_seat, self.turn = position["first_seat"], position["seat_to_act"]
        self.passes, self.rounds = position.get("passes", 0), position.get("turn", 0)

    # ---- the questions -------------------------------------------------------------------------

    def is_terminal(self) -> bool:
        """Rules 14 and 15: a round complete with a seat at the target, all passed, or the limit."""
        if self.choosing:
            return False
        is_round_complete = self.turn == self.first_seat
        is_target_reached = any(seat.points() >= self.target for seat in self.seats)
        have_all_passed = self.passes >= len(self.seats)
        is_limit_reached = self.rounds >= self.turn_limit
        return have_all_passed or (is_round_complete and (is_target_reached or is_limit_reached))

    def seat_to_act(self) -> int:
        """The seat whose turn it is, also while it chooses a noble."""
        if self.is_terminal():
            raise ValueError("the game is over: no seat is to act")
        return self.turn

    def legal_actions(self) -> dict[str, Action]:
        """All that the seat to act may do, by name; a pass only where there is nothing else."""
        if self.is_terminal():
            return {}
        if self.choosing:
            return {a.name: a for a in map(TakeNoble, self._nobles_that_qualify())}
        kinds = (self._different(), self._same(), self._reserves(), self._buys())
        actions: dict[str, Action] = {a.name: a for a in itertools.chain(*kinds)}
        return actions or {"pass": Pass()}

    def winners(self) -> list[int]:
        """Rule 14: most points, among these the fewest bought cards; several share."""
        most = max(seat.points() for seat in self.seats)
        leaders = [i for i, seat in enumerate(self.seats) if seat.points() == most]
        fewest = min(len(self.seats[i].cards) for i in leaders)
        return [i for i in leaders if len(self.seats[i].cards) == fewest]

    def returns(self) -> list[float]:
        """w winners among n seats get (n/w - 1)/(n - 1) each, the others -1/(n - 1)."""
        n = len(self.seats)
        if not self.is_terminal():
            return [0.0] * n
        winners = self.winners()
        share = (n / len(winners) - 1) / (n - 1)
        return [share if i in winners else -1 / (n - 1) for i in range(n)]

    # ---- what is legal -------------------------------------------------------------------------

    def _different(self) -> Iterator[Collect]:
        """Rule 5: different colours of which the bank has any, and what goes back."""
        gems = self._mover().num_gems()
        available = [colour for colour in COLOURS if self.bank[colour] > 0]
        for size in sizes_of_different(gems, len(available)):
            for taken in itertools.combinations(available, size):
                for returned in self._ways_to_return(taken, returned_after_different(gems, size)):
                    yield Collect(taken, returned)

    def _same(self) -> Iterator[Collect]:
        """Rule 6: two of one colour of which the bank has at least four."""
        number = returned_after_same(self._mover().num_gems())
        for colour in COLOURS:
            if self.bank[colour] >= 4:
                for returned in self._ways_to_return((colour,), number):
                    yield Collect((colour, colour), returned)

    def _ways_to_return(self, taken: tuple[str, ...], number: int) -> Iterator[tuple[str, ...]]:
        """Rule 7: so many gems that the seat holds, none of a colour just taken."""
        others = [gem for gem in GEMS if gem not in taken]
        for returned in multisets(others, number):
            counts = Counter(returned)
            if all(counts[gem] <= self._mover().gems[gem] for gem in counts):
                yield returned

    def _reserves(self) -> Iterator[Reserve]:
        """Rule 8: a face-up card, fewer than three held; one gem back if the yellow is too many."""
        seat = self._mover()
        if len(seat.reserved) >= MAX_RESERVED:
            return
        is_one_too_many = self.bank[GOLD] > 0 and seat.num_gems() == MAX_GEMS
        for tier, slot, _ in self._face_up():
            for returned in self._ways_to_return((GOLD,), 1 if is_one_too_many else 0):
                yield Reserve(tier, slot, returned)

    def _buys(self) -> Iterator[Buy | BuyReserved]:
        """Rules 9 and 10: a face-up card or one's own reserved card."""
        seat = self._mover()
        for tier, slot, card in self._face_up():
            if seat.can_buy(card):
                yield Buy(tier, slot)
        for slot, card in enumerate(seat.reserved):
            if seat.can_buy(card):
                yield BuyReserved(slot)

    def _face_up(self) -> Iterator[tuple[int, int, Card]]:
        """The cards of the table with their places."""
        for tier, row in enumerate(self.table):
            for slot, card in enumerate(row):
                if card:
                    yield tier, slot, card

    def _nobles_that_qualify(self) -> list[int]:
        """Rule 11: the slots of the nobles whose need the seat meets."""
        seat = self._mover()
        return [slot for slot, need in enumerate(self.nobles) if need and seat.meets(need)]

    def _mover(self) -> Seat:
        return self.seats[self.turn]

    # ---- the verb ------------------------------------------------------------------------------

    def apply(self, name: str) -> None:
        """Do one legal action; anything else is an error that names it and what was legal."""
        legal = self.legal_actions()
        if name not in legal:
            raise ValueError(f"{name!r} is not legal; legal are: {', '.join(legal) or 'none'}")
        self.apply_legal(legal[name])

    def apply_legal(self, action: Action) -> None:
        """Do an action that is known to be legal."""
        self.last_actions[self.turn] = action.name
        if isinstance(action, TakeNoble):
            self._receive_noble(action.slot)
            self._end_turn()
            return
        self.passes = self.passes + 1 if isinstance(action, Pass) else 0
        if isinstance(action, Collect):
            self._collect(action)
        elif isinstance(action, Reserve):
            self._reserve(action)
        elif isinstance(action, Buy):
            self._buy(self._take_from_table(action.tier, action.slot))
        elif isinstance(action, BuyReserved):
            self._buy(self._mover().reserved.pop(action.slot))
        self._visit()

    def _collect(self, action: Collect) -> None:
        """Rules 5 to 7: gems come from the bank, and those given back go there."""
        for gem in action.taken:
            self._move_gem(gem, -1)
        for gem in action.returned:
            self._move_gem(gem, 1)

    def _reserve(self, action: Reserve) -> None:
        """Rule 8: the card is put aside, a yellow comes if there is one, one gem may go back."""
        self._mover().reserved.append(self._take_from_table(action.tier, action.slot))
        if self.bank[GOLD] > 0:
            self._move_gem(GOLD, -1)
        for gem in action.returned:
            self._move_gem(gem, 1)

    def _buy(self, card: Card) -> None:
        """Rule 9: paid gems return to the bank."""
        seat = self._mover()
        for gem, number in seat.price(card).items():
            self._move_gem(gem, number)
        seat.cards.append(card)

    def _move_gem(self, gem: str, to_bank: int) -> None:
        """From the seat to the bank, or with a negative number the other way."""
        self.bank[gem] += to_bank
        self._mover().gems[gem] -= to_bank

    def _take_from_table(self, tier: int, slot: int) -> Card:
        """Rule 12: the slot stays empty until the end of the turn."""
        card = self.table[tier][slot]
        if card is None:
            raise ValueError(f"no card lies in slot {slot} of tier {tier + 1}")
        self.table[tier][slot] = None
        return card

    # ---- the end of a turn ---------------------------------------------------------------------

    def _visit(self) -> None:
        """Rule 11: exactly one noble comes; if several qualify the seat chooses, in a ply."""
        slots = self._nobles_that_qualify()
        if len(slots) > 1:
            self.choosing = True
            return
        if slots:
            self._receive_noble(slots[0])
        self._end_turn()

    def _receive_noble(self, slot: int) -> None:
        """Rule 11: the noble comes to the seat and its slot stays empty."""
        need = self.nobles[slot]
        if need is None:
            raise ValueError(f"no noble lies in slot {slot}")
        self._mover().nobles.append(need)
        self.nobles[slot] = None
        self.choosing = False

    def _end_turn(self) -> None:
        """Rule 12: empty slots are filled from their decks; then the next seat, perhaps a round."""
        for row, deck in zip(self.table, self.decks, strict=True):
            for slot, card in enumerate(row):
                if card is None and deck:
                    row[slot] = deck.pop(0)
        self.turn = (self.turn + 1) % len(self.seats)
        if self.turn == self.first_seat:
            self.rounds += 1
