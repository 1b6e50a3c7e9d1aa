"""Laying Splendor out in tests: the printed cards, random deals and random full positions.

Everything here is plain data, the form in which a deal or a position is given to the game.
"""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import numpy as np

import parlour.envs
from parlour.envs.core.game import NO_ACTION, Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.splendor.cards import pack
from tests.splendor.referee import (
    COLOURS,
    GEMS_OF_A_COLOUR,
    MAX_OF_A_COLOUR,
    MAX_RESERVED,
    NOBLE_POINTS,
    NUM_GOLD,
)

FOLDER = Path(parlour.envs.__file__).parent / "splendor"
PLAYER_COUNTS = (2, 3, 4)

Data = dict[str, Any]
CardData = list[Any]  # [colour, points, [cost in the five colours]]


def rows(name: str) -> list[dict[str, str]]:
    """The rows of a data file of the game."""
    with (FOLDER / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def printed_cards() -> list[list[CardData]]:
    """All 90 cards by tier, as plain data."""
    tiers: list[list[CardData]] = [[], [], []]
    for row in rows("cards.csv"):
        cost = [int(row[f"cost_{colour}"]) for colour in COLOURS]
        tiers[int(row["tier"]) - 1].append([row["colour"], int(row["points"]), cost])
    return tiers


CARDS = printed_cards()
NOBLES = [[int(row[f"need_{colour}"]) for colour in COLOURS] for row in rows("nobles.csv")]


def key_of(card: CardData) -> tuple[int, ...]:
    """What tells a card from all others: its cost."""
    return tuple(card[2])


def random_deal(rng: random.Random, num_players: int) -> Data:
    """A freshly shuffled deal."""
    decks = [rng.sample(tier, len(tier)) for tier in CARDS]
    return {"decks": decks, "nobles": rng.sample(NOBLES, num_players + 1)}


def empty_seat() -> Data:
    """A seat that has nothing yet."""
    return {"gems": [0] * 6, "cards": [], "reserved": [], "nobles": []}


def seat_with(cards: str = "", **args: Any) -> dict[str, Any]:
    """A seat with bought cards such as "3 red, 1 blue", the cheapest of the colour first."""
    seat = empty_seat() | args
    for part in filter(None, cards.split(", ")):
        number, colour = part.split()
        of_colour = [card for tier in CARDS for card in tier if card[0] == colour]
        seat["cards"] = seat["cards"] + of_colour[: int(number)]
    return seat


def bank_beside(num_players: int, seats: list[Data]) -> list[int]:
    """The gems that the seats do not hold."""
    whole = [GEMS_OF_A_COLOUR[num_players]] * 5 + [NUM_GOLD]
    return [n - sum(seat["gems"][i] for seat in seats) for i, n in enumerate(whole)]


def board(seats: list[Data], **changes: Any) -> Data:
    """A position around these seats: the rest of the gems, cards and nobles lies on the table.

    Cards keep the order of the data file; any key of the position can be given instead.
    """
    cards = {key_of(card) for seat in seats for card in seat["cards"] + seat["reserved"]}
    tiers = [[card for card in tier if key_of(card) not in cards] for tier in CARDS]
    taken = [need for seat in seats for need in seat["nobles"]]
    free = [need for need in NOBLES if need not in taken]
    position = {
        "num_players": len(seats),
        "seat_to_act": 0,
        "first_seat": 0,
        "bank": bank_beside(len(seats), seats),
        "table": [(tier[:4] + [None] * 4)[:4] for tier in tiers],
        "decks": [tier[4:] for tier in tiers],
        "nobles": free[: len(seats) + 1 - len(taken)],
        "seats": seats,
    }
    return {"position": position | changes}


def index_of(card: CardData | None) -> int:
    """The index of a card in the data file; after the last for an empty place."""
    every = [one for tier in CARDS for one in tier]
    return len(every) if card is None else every.index(card)


def lay_out(tables: Tables, row: int, deal: Data) -> None:
    """Deal, or lay out the position of a `board`, at a table."""
    position = deal.get("position")
    tables.deal_from(row, deal if position is None else record_of(tables.game, position))


def record_of(game: Game, position: Data) -> np.record:
    """The record of a position given as in `board`."""
    state = game.new_states(1)[0]
    num_nobles = len(position["seats"]) + 1
    nobles = [NOBLES.index(need) if need else len(NOBLES) for need in position["nobles"]]
    state.table[:] = [index_of(card) for tier in position["table"] for card in tier]
    state.nobles[:] = [*nobles, *[len(NOBLES)] * (num_nobles - len(nobles))]
    state.bank = pack(position["bank"])
    for tier, deck in enumerate(position["decks"]):
        first = sum(map(len, CARDS[:tier]))
        cards = [index_of(card) for card in deck]
        state.deck[first : first + len(deck)] = cards[::-1]
        state.deck_left[tier] = len(deck)
        state.unseen[tier] = sum(1 << card - first for card in cards)
    state.face_up = sum(1 << slot for slot, card in enumerate(state.table) if card < index_of(None))
    for seat, data in enumerate(position["seats"]):
        colours = [card[0] for card in data["cards"]]
        state.gems[seat] = pack(data["gems"])
        state.cards[seat] = pack([colours.count(colour) for colour in COLOURS])
        state.points[seat] = points_of(data)
        state.won[seat] = sum(1 << NOBLES.index(need) for need in data["nobles"])
        places = [*data["reserved"], *[None] * (MAX_RESERVED - len(data["reserved"]))]
        state.reserved[seat] = [index_of(card) for card in places]
        state.num_reserved[seat] = len(data["reserved"])
    state.last_actions[:] = NO_ACTION
    state.gap = -1
    for name in ("seat_to_act", "first_seat"):
        state[name] = position[name]
    state.passes, state.turn = position.get("passes", 0), position.get("turn", 0)
    return state


def points_of(seat: Data) -> int:
    """Points of a seat of a position."""
    return sum(card[1] for card in seat["cards"]) + NOBLE_POINTS * len(seat["nobles"])


def random_board(rng: random.Random, num_players: int, target: int = 15) -> Data:
    """A position from late in a game: many cards bought, decks low, gems anywhere."""
    tiers = [rng.sample(tier, len(tier)) for tier in CARDS]
    nobles = rng.sample(NOBLES, num_players + 1)
    seats = [empty_seat() for _ in range(num_players)]
    for seat in seats:
        if rng.random() < 0.3:
            seat["nobles"].append(nobles.pop())
        _hand_out_cards(rng, seat, tiers, target)
    _hand_out_gems(rng, seats)
    seat_to_act = rng.randrange(num_players)
    return board(
        seats,
        table=[(tier[:4] + [None] * 4)[:4] for tier in tiers],
        decks=[tier[4:] for tier in tiers],
        nobles=nobles,
        seat_to_act=seat_to_act,
        first_seat=rng.randrange(num_players),
        turn=rng.randrange(100),
    )


def _hand_out_cards(
    rng: random.Random, seat: Data, tiers: list[list[CardData]], target: int
) -> None:
    """Cards from the tops of the decks, often of the few colours that the seat likes."""
    liked = rng.sample(COLOURS, rng.randint(2, 5))
    wanted = rng.randint(0, 30)
    for tier in tiers:
        for card in list(tier):
            colours = [bought[0] for bought in seat["cards"]]
            is_too_many = colours.count(card[0]) == MAX_OF_A_COLOUR
            is_too_good = points_of(seat) + card[1] >= target
            is_enough = len(colours) >= wanted
            if card[0] in liked and not (is_too_many or is_too_good or is_enough):
                tier.remove(card)
                seat["cards"].append(card)
        if len(seat["reserved"]) < MAX_RESERVED and tier and rng.random() < 0.5:
            seat["reserved"].append(tier.pop(rng.randrange(len(tier))))


def _hand_out_gems(rng: random.Random, seats: list[Data]) -> None:
    """Gems from a whole bank, to some seats as many as they may hold."""
    whole = bank_beside(len(seats), seats)
    pile = [gem for gem, number in enumerate(whole) for _ in range(number)]
    rng.shuffle(pile)
    for seat in seats:
        for _ in range(rng.choice([0, rng.randint(0, 9), 8, 9, 10, 10])):
            if pile:
                seat["gems"][pile.pop()] += 1


def board_with(asking: list[list[CardData]], seats: list[Data], **changes: Any) -> Data:
    """A position in which the first of these cards that nobody holds lie open."""
    cards = [card for seat in seats for card in seat["cards"] + seat["reserved"]]
    table = [[card for card in tier if card not in cards][:4] for tier in asking]
    decks = [
        [card for card in tier if card not in cards + row]
        for tier, row in zip(CARDS, table, strict=True)
    ]
    return board(seats, table=table, decks=decks, **changes)


def stuck_board() -> Data:
    """Seat 0 of three can only pass, and has met two nobles: 4 + 4 and 3 + 3 + 3 of three colours.

    No gems are left in the bank, its own are black and red, and every card asks for blue or white.
    """
    asking = [[card for card in tier if any(card[2][3:])] for tier in CARDS]
    seat = empty_seat() | {"gems": [5, 5, 0, 0, 0, 0], "reserved": asking[2][:3]}
    for colour, number in (("black", 4), ("red", 4), ("green", 3)):
        seat["cards"] += [card for card in CARDS[0] if card[0] == colour][:number]
    others = [empty_seat() | {"gems": gems} for gems in ([0, 0, 5, 5, 0, 0], [0, 0, 0, 0, 5, 5])]
    nobles = [[4, 4, 0, 0, 0], [3, 3, 3, 0, 0], [0, 0, 0, 4, 4], [0, 0, 4, 4, 0]]
    return board_with(asking, [seat, *others], nobles=nobles)
