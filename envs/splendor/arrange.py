"""Positions of Splendor laid out by hand: gems, cards and nobles, on the table and of each seat.

Cards that lie nowhere else are in the decks, gems in the bank, and nobles out of the game.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache

import numpy as np

from ..core.arranging import Pile, Piles, sorted_out
from ..core.words import count_noun
from . import cards, rules
from .actions import MAX_NOBLES, MAX_RESERVED, NUM_SLOTS, SLOTS_PER_TIER
from .draw import bank_id, card_id, gems_id, noble_id
from .text import colours_text, nobles_won

GEMS = [f"{colour} gem" for colour in cards.GEM_COLOURS]


def _card_name(card: int) -> str:
    tier, colour, points, cost = cards.CARDS[card]
    worth = f", {count_noun(points, 'point')}" if points else ""
    return f"{cards.COLOURS[colour]} card of tier {tier + 1}{worth}, costs {colours_text(cost)}"


CARDS = [_card_name(card) for card in range(len(cards.CARDS))]
NOBLES = [f"noble, needs {colours_text(need)} cards" for need in cards.NOBLES]


@cache
def _whole(num_seats: int) -> list[str]:
    numbers = [rules.GEMS_OF_COLOUR[num_seats]] * cards.NUM_COLOURS + [rules.YELLOW_GEMS]
    gems = [gem for gem, number in zip(GEMS, numbers, strict=True) for _ in range(number)]
    return [*gems, *CARDS, *NOBLES]


def lay_out(state: np.record) -> dict[str, list[str]]:
    """Where gems, cards and nobles lie. Which seat bought which card is guessed where it may be."""
    piles = {
        f"row {tier + 1}": [CARDS[card] for card in row if card != cards.NO_CARD]
        for tier, row in enumerate(state["table"].reshape(cards.NUM_TIERS, -1))
    }
    piles["nobles"] = [NOBLES[noble] for noble in state["nobles"] if noble != cards.NO_NOBLE]
    bought = next(_bought(state, _owned(state)))
    for seat, own in enumerate(bought):
        counts = cards.unpack(state["gems"][seat])
        piles[f"gems {seat}"] = [gem for gem, n in zip(GEMS, counts, strict=True) for _ in range(n)]
        reserved = state["reserved"][seat]
        piles[f"reserved {seat}"] = [CARDS[card] for card in reserved if card != cards.NO_CARD]
        piles[f"cards {seat}"] = [CARDS[card] for card in own]
        piles[f"nobles {seat}"] = [NOBLES[noble] for noble in nobles_won(state, seat)]
    return piles


def _owned(state: np.record) -> list[int]:
    """The cards that lie neither in a deck nor on the table, and are not reserved."""
    lying = {*state["table"].tolist(), *state["reserved"].ravel().tolist()}
    for tier, first in enumerate(cards.FIRST_OF_TIER[: cards.NUM_TIERS]):
        lying |= {*state["deck"][first : first + state["deck_left"][tier]].tolist()}
    return sorted({*range(len(CARDS))} - lying, key=lambda card: -cards.CARDS[card].points)


def _bought(state: np.record, owned: Sequence[int]) -> Iterator[list[list[int]]]:
    """Give each seat as many of these cards of a colour as it has, worth its points."""
    seats = range(len(state["gems"]))
    room = [cards.unpack(state["cards"][seat]) for seat in seats]
    points = [
        int(state["points"][seat]) - cards.NOBLE_POINTS * len(nobles_won(state, seat))
        for seat in seats
    ]
    own: list[list[int]] = [[] for _ in seats]

    def give(index: int) -> Iterator[list[list[int]]]:
        if index == len(owned):
            if not any(points):
                yield own
            return
        card = owned[index]
        _, colour, worth, _ = cards.CARDS[card]
        for seat in seats:
            if room[seat][colour] and points[seat] >= worth:
                room[seat][colour] -= 1
                points[seat] -= worth
                own[seat].append(card)
                yield from give(index + 1)
                own[seat].pop()
                room[seat][colour] += 1
                points[seat] += worth

    return give(0)


def arrange(state: np.record, piles: Piles, seat: int) -> dict[str, Pile]:
    """Go on in the middle of a game. Raises ValueError where there is no room."""
    num_seats = len(state["gems"])
    rows = [f"row {tier + 1}" for tier in range(cards.NUM_TIERS)]
    decks = [f"deck {tier + 1}" for tier in range(cards.NUM_TIERS)]
    own = [
        f"{noun} {n}" for n in range(num_seats) for noun in ("gems", "cards", "reserved", "nobles")
    ]
    names = [*decks, "out", *rows, "bank", "nobles", *own]
    pieces = sorted_out(piles, names, _whole(num_seats))
    _check_kinds(pieces)
    for gone in pieces.pop(""):
        kind = _kind(gone)
        name = {"gem": "bank", "noble": "out"}.get(kind, f"deck {kind[-1]}")
        pieces[name].append(gone)
    for name, stock in (("bank", GEMS), ("out", NOBLES), *((deck, CARDS) for deck in decks)):
        pieces[name].sort(key=stock.index)
    _lay_table(state, pieces, seat)
    for owner in range(num_seats):
        _lay_seat(state, pieces, owner)
    return {name: _pile(name, pieces[name]) for name in pieces}


def _kind(piece: str) -> str:
    """What kind of pile a piece belongs to: "gem", "noble" or "card 1" to "card 3"."""
    if piece in GEMS:
        return "gem"
    return f"card {cards.CARDS[CARDS.index(piece)].tier + 1}" if piece in CARDS else "noble"


def _check_kinds(pieces: Mapping[str, Sequence[str]]) -> None:
    for name, pile in pieces.items():
        noun, _, number = name.partition(" ")
        for piece in pile:
            kind = _kind(piece)
            fits = {
                "gems": kind == "gem",
                "bank": kind == "gem",
                "nobles": kind == "noble",
                "out": kind == "noble",
                "row": kind == f"card {number}",
                "deck": kind == f"card {number}",
            }.get(noun, kind.startswith("card") or name == "")
            if not fits:
                raise ValueError(f"{piece}: it cannot lie there")
    rooms = {"row": SLOTS_PER_TIER, "reserved": MAX_RESERVED}
    for name, pile in pieces.items():
        room = rooms.get(name.partition(" ")[0])
        if room is not None and len(pile) > room:
            raise ValueError(f"there is room for {room} cards")


def _lay_table(state: np.record, pieces: Mapping[str, list[str]], seat: int) -> None:
    """Write the bank, the nobles, the decks and the cards face up."""
    num_nobles = len(state["nobles"])
    if len(pieces["nobles"]) > num_nobles:
        raise ValueError(f"there is room for {num_nobles} nobles")
    rules.clear_events(state)
    state["seat_to_act"], state["turn"] = seat, 0
    state["bank"] = _packed(pieces["bank"])
    state["nobles"] = cards.NO_NOBLE
    state["nobles"][: len(pieces["nobles"])] = [NOBLES.index(each) for each in pieces["nobles"]]
    state["table"] = cards.NO_CARD
    for tier, first in enumerate(cards.FIRST_OF_TIER[: cards.NUM_TIERS]):
        row = [CARDS.index(card) for card in pieces[f"row {tier + 1}"]]
        state["table"][tier * SLOTS_PER_TIER :][: len(row)] = row
        left = {CARDS.index(card) for card in pieces[f"deck {tier + 1}"]}
        size = cards.TIER_SIZES[tier]
        dealt = state["deck"][first : first + size].tolist()
        order = [card for card in dealt if card in left]
        order += [card for card in dealt if card not in left]
        state["deck"][first : first + size] = order
        state["deck_left"][tier] = len(left)
        state["unseen"][tier] = sum(1 << card - first for card in left)
    filled = [slot for slot in range(NUM_SLOTS) if state["table"][slot] != cards.NO_CARD]
    state["face_up"] = sum(1 << slot for slot in filled)


def _lay_seat(state: np.record, pieces: Mapping[str, list[str]], owner: int) -> None:
    """Write what a seat has."""
    own = [CARDS.index(card) for card in pieces[f"cards {owner}"]]
    won = [NOBLES.index(noble) for noble in pieces[f"nobles {owner}"]]
    reserved = [CARDS.index(card) for card in pieces[f"reserved {owner}"]]
    state["gems"][owner] = _packed(pieces[f"gems {owner}"])
    colours = [cards.CARDS[card].colour for card in own]
    state["cards"][owner] = cards.pack([colours.count(c) for c in range(cards.NUM_COLOURS)])
    points = sum(cards.CARDS[card].points for card in own)
    state["points"][owner] = points + cards.NOBLE_POINTS * len(won)
    state["won"][owner] = sum(1 << noble for noble in won)
    state["reserved"][owner] = cards.NO_CARD
    state["reserved"][owner, : len(reserved)] = reserved
    state["num_reserved"][owner] = len(reserved)


def _packed(gems: Sequence[str]) -> int:
    return cards.pack([gems.count(gem) for gem in GEMS])


def _pile(name: str, pieces: list[str]) -> Pile:
    noun, _, number = name.partition(" ")
    if noun == "bank":
        return Pile("bank", pieces, "gem", (), [bank_id(GEMS.index(gem)) for gem in pieces])
    if noun == "nobles" and not number:
        places = tuple(f"place:{slot}" for slot in range(MAX_NOBLES))
        return Pile("nobles on the table", pieces, "noble", places, _noble_faces(pieces))
    if noun == "out":
        return Pile("nobles not in the game", pieces, "noble")
    if noun == "row":
        faces = [card_id(CARDS.index(card)) for card in pieces]
        first = (int(number) - 1) * SLOTS_PER_TIER
        places = tuple(f"slot:{slot}" for slot in range(first, first + SLOTS_PER_TIER))
        return Pile(f"cards of tier {number} on the table", pieces, "card", places, faces)
    if noun == "deck":
        return Pile(f"deck of tier {number}", pieces, "card", (f"deck:{number}",))
    parts = (f"seat:{number}",)
    if noun == "gems":
        faces = [gems_id(int(number), GEMS.index(gem)) for gem in pieces]
        return Pile(f"gems of player {number}", pieces, "gem", parts, faces, "bank")
    if noun == "reserved":
        faces = [card_id(CARDS.index(card)) for card in pieces]
        return Pile(f"reserved by player {number}", pieces, "card", (), faces)
    if noun == "nobles":
        return Pile(f"nobles of player {number}", pieces, "noble", parts, _noble_faces(pieces))
    colours = [cards.COLOURS[cards.CARDS[CARDS.index(card)].colour] for card in pieces]
    faces = [f"seat:{number}:cards:{colour}" for colour in colours]
    return Pile(f"cards of player {number}", pieces, "card", parts, faces)


def _noble_faces(pieces: Sequence[str]) -> list[str]:
    return [noble_id(NOBLES.index(noble)) for noble in pieces]
