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
    n, i16, i64 = num_seats, np.int16, np.int64
    most_gems = max(GEMS_OF_COLOUR[n], YELLOW_GEMS)
    slots, held = NUM_SLOTS, (n, MAX_RESERVED)
    colours, gem_colours = NUM_COLOURS, NUM_GEM_COLOURS
    most_points = target + MAX_GAIN - 1
    top_colour = NUM_COLOURS - 1
    all_cards = MAX_OF_COLOUR * NUM_COLOURS
    by_colour = "black, red, green, blue, white"
    plain = (
        Field("bank", i16, (gem_colours,), 0, most_gems, f"gems in the bank: {by_colour}, yellow"),
        Field("gems", i16, (n, gem_colours), 0, most_gems, "gems of each seat"),
        Field("cards", i16, (n, colours), 0, MAX_OF_COLOUR, "cards of each seat by colour"),
        Field("num_cards", i16, (n,), 0, all_cards, "cards of each seat"),
        Field("points", i16, (n,), 0, most_points, "points of each seat"),
        Field("num_nobles", i16, (n,), 0, n + 1, "nobles of each seat"),
        Field("num_reserved", i16, (n,), 0, MAX_RESERVED, "cards each seat has reserved"),
        Field(
            "table_cost",
            i16,
            (slots, colours),
            NOTHING,
            HIGHEST_COST,
            "costs of the cards on the table",
        ),
        Field("table_colour", i16, (slots,), NOTHING, top_colour, "colours of these cards"),
        Field("table_points", i16, (slots,), NOTHING, MAX_POINTS_OF_CARD, "their points"),
        Field(
            "reserved_cost",
            i16,
            (*held, colours),
            NOTHING,
            HIGHEST_COST,
            "costs of the reserved cards",
        ),
        Field("reserved_colour", i16, held, NOTHING, top_colour, "colours of these cards"),
        Field("reserved_points", i16, held, NOTHING, MAX_POINTS_OF_CARD, "their points"),
        Field(
            "noble_need",
            i16,
            (n + 1, colours),
            NOTHING,
            HIGHEST_NEED,
            "cards that each noble needs",
        ),
        Field("deck_left", i16, (NUM_TIERS,), 0, max(TIER_SIZES), "cards left in each deck"),
        Field(
            "last_actions",
            i16,
            (n,),
            NO_ACTION,
            NUM_ACTIONS - 1,
            "last action of each seat; -1: none",
        ),
        Field("seat_to_act", i16, (), 0, n - 1, "whose turn it is"),
        Field("first_seat", i16, (), 0, n - 1, "who begins each round"),
        Field("is_choosing", i16, (), 0, 1, "1 if the seat to act is choosing a noble"),
        Field("passes", i16, (), 0, n, "passes in a row so far"),
        Field("turn", i16, (), 0, turn_limit, "complete rounds"),
        Field("turn_limit", i16, (), 1, MAX_TURNS, "house rule: largest number of rounds"),
        Field("target", i16, (), 1, MAX_TARGET, "house rule: points that end the game"),
    )
    packed = tuple(
        Field(
            f"unseen_{tier + 1}",
            i64,
            (),
            0,
            (1 << size) - 1,
            f"cards left in the deck of tier {tier + 1}, in the order of cards.csv",
            num_bits=size,
        )
        for tier, size in enumerate(TIER_SIZES)
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
