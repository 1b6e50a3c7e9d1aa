"""What one seat of Splendor may know, and how to re-deal what it may not.

Seats count from the observer: index 0 is the observer, index 1 the next seat clockwise. Only the
order of the decks is hidden: reserved cards came from the table.
"""

import numpy as np

from ..core.bits import popcount
from ..core.compile import rule
from ..core.fields import Field
from ..core.game import NO_ACTION
from ..core.seats import next_seat, relative_seat
from .actions import MAX_RESERVED, NUM_ACTIONS, NUM_SLOTS
from .cards import (
    CARD_COLOURS,
    COSTS,
    HIGHEST_COST,
    MAX_POINTS_OF_CARD,
    NEEDS,
    NOTHING,
    NUM_COLOURS,
    NUM_GEM_COLOURS,
    NUM_TIERS,
    POINTS,
    TIER_SIZES,
)
from .rules import (
    GEMS_OF_COLOUR,
    MAX_GAIN,
    MAX_OF_COLOUR,
    MAX_TARGET,
    MAX_TURNS,
    YELLOW_GEMS,
    count_of,
    shuffle_decks,
    total,
)

HIGHEST_NEED = 4


def observation_fields(num_seats: int, target: int, turn_limit: int) -> tuple[Field, ...]:
    """Whole numbers in natural units; an empty place has -1 in all its numbers."""
    n = num_seats
    most_gems = max(GEMS_OF_COLOUR[n], YELLOW_GEMS)
    slots, reserved = NUM_SLOTS, (n, MAX_RESERVED)
    colours, gem_colours = NUM_COLOURS, NUM_GEM_COLOURS
    most_points = target + MAX_GAIN - 1
    top_colour = NUM_COLOURS - 1
    all_cards = MAX_OF_COLOUR * NUM_COLOURS
    by_colour = "black, red, green, blue, white"

    def whole(name: str, shape: tuple[int, ...], low: int, high: int, meaning: str) -> Field:
        return Field(name, np.int16, shape, low, high, meaning)

    plain = (
        whole("bank", (gem_colours,), 0, most_gems, f"gems in the bank: {by_colour}, yellow"),
        whole("gems", (n, gem_colours), 0, most_gems, "gems of each seat"),
        whole("cards", (n, colours), 0, MAX_OF_COLOUR, "cards of each seat by colour"),
        whole("num_cards", (n,), 0, all_cards, "cards of each seat"),
        whole("points", (n,), 0, most_points, "points of each seat"),
        whole("num_nobles", (n,), 0, n + 1, "nobles of each seat"),
        whole("num_reserved", (n,), 0, MAX_RESERVED, "cards each seat has reserved"),
        whole(
            "table_cost", (slots, colours), NOTHING, HIGHEST_COST, "costs of the cards on the table"
        ),
        whole("table_colour", (slots,), NOTHING, top_colour, "colours of these cards"),
        whole("table_points", (slots,), NOTHING, MAX_POINTS_OF_CARD, "their points"),
        whole(
            "reserved_cost",
            (*reserved, colours),
            NOTHING,
            HIGHEST_COST,
            "costs of the reserved cards",
        ),
        whole("reserved_colour", reserved, NOTHING, top_colour, "colours of these cards"),
        whole("reserved_points", reserved, NOTHING, MAX_POINTS_OF_CARD, "their points"),
        whole("noble_need", (n + 1, colours), NOTHING, HIGHEST_NEED, "cards that each noble needs"),
        whole("deck_left", (NUM_TIERS,), 0, max(TIER_SIZES), "cards left in each deck"),
        whole(
            "last_actions", (n,), NO_ACTION, NUM_ACTIONS - 1, "last action of each seat; -1: none"
        ),
        whole("seat_to_act", (), 0, n - 1, "whose turn it is"),
        whole("first_seat", (), 0, n - 1, "who begins each round"),
        whole("is_choosing", (), 0, 1, "1 if the seat to act is choosing a noble"),
        whole("passes", (), 0, n, "passes in a row so far"),
        whole("turn", (), 0, turn_limit, "complete rounds"),
        whole("turn_limit", (), 1, MAX_TURNS, "house rule: largest number of rounds"),
        whole("target", (), 1, MAX_TARGET, "house rule: points that end the game"),
    )
    left = "cards left in the deck of tier {}, in the order of cards.csv"
    packed = tuple(
        Field(f"unseen_{tier}", np.int64, (), 0, (1 << size) - 1, left.format(tier), num_bits=size)
        for tier, size in enumerate(TIER_SIZES, start=1)
    )
    return plain + packed


@rule
def observe(state, seat, out):
    """Write everything `seat` may know."""
    observe_table(state, out)
    other = np.int64(seat)
    for index in range(state.gems.shape[0]):
        observe_seat(state, other, index, out)
        other = next_seat(other, state.gems.shape[0])
    out.seat_to_act = relative_seat(seat, state.seat_to_act, state.gems.shape[0])
    out.first_seat = relative_seat(seat, state.first_seat, state.gems.shape[0])
    out.is_choosing = state.choice != 0
    out.passes = state.passes
    out.turn = state.turn
    out.turn_limit = state.turn_limit
    out.target = state.target
    out.unseen_1 = state.unseen[0]
    out.unseen_2 = state.unseen[1]
    out.unseen_3 = state.unseen[2]


@rule
def observe_table(state, out):
    """Write the bank, the face-up cards, the nobles, and how many cards each deck has left."""
    for colour in range(NUM_GEM_COLOURS):
        out.bank[colour] = count_of(state.bank, colour)
    for slot in range(NUM_SLOTS):
        card = np.uint64(state.table[slot])
        out.table_colour[slot] = CARD_COLOURS[card]
        out.table_points[slot] = POINTS[card]
        copy_colours(COSTS, card, out.table_cost[slot])
    for slot in range(state.nobles.shape[0]):
        copy_colours(NEEDS, np.uint64(state.nobles[slot]), out.noble_need[slot])
    for tier in range(NUM_TIERS):
        out.deck_left[tier] = state.deck_left[tier]


@rule
def observe_seat(state, seat, index, out):
    """Write what a seat has at place `index`."""
    for colour in range(NUM_GEM_COLOURS):
        out.gems[index, colour] = count_of(state.gems[seat], colour)
    for colour in range(NUM_COLOURS):
        out.cards[index, colour] = count_of(state.cards[seat], colour)
    out.num_cards[index] = total(state.cards[seat])
    out.points[index] = state.points[seat]
    out.num_nobles[index] = popcount(state.won[seat])
    out.num_reserved[index] = state.num_reserved[seat]
    out.last_actions[index] = state.last_actions[seat]
    for place in range(MAX_RESERVED):
        card = np.uint64(state.reserved[seat, place])
        out.reserved_colour[index, place] = CARD_COLOURS[card]
        out.reserved_points[index, place] = POINTS[card]
        copy_colours(COSTS, card, out.reserved_cost[index, place])


@rule
def copy_colours(rows, row, out):
    """Copy five colours; reading all before writing lets the compiler use two wide moves."""
    black, red, green, blue, white = (
        rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4]
    )  # fmt: skip
    out[0] = black
    out[1] = red
    out[2] = green
    out[3] = blue
    out[4] = white


@rule
def reshuffle_unseen(state, seat, rng):
    """Shuffle the decks: their order is all that is hidden, from every seat (4)."""
    shuffle_decks(state, rng)
