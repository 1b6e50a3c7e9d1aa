"""What networks are shown of Splendor besides the observation: how far each seat is from each card.

All of it follows from the observation, but a small network would need most of its units to find it
out: fifteen cards, five colours, several hands. The slots of a tier have no order in the rules.
Here the cards that the seat to act can buy soonest come first, so that a network need not learn
everything once for each slot.
"""

import numpy as np

from ...envs.core.bits import WORD_BITS, is_allowed
from ...envs.core.compile import rule
from ...envs.core.fields import Field
from ...envs.core.game import Game
from ...envs.splendor.actions import (
    BUY,
    BUY_RESERVED,
    COLLECT_RETURNING,
    MAX_RESERVED,
    NUM_SLOTS,
    RESERVE,
    RESERVE_RETURNING,
    SLOTS_PER_TIER,
)
from ...envs.splendor.cards import (
    CARD_COLOURS,
    COLOUR_BITS,
    COST_WORDS,
    MAX_POINTS_OF_CARD,
    NO_CARD,
    NOTHING,
    NUM_COLOURS,
    POINTS,
    YELLOW,
)
from ...envs.splendor.rules import ALL_COLOURED, lacking, total

NUM_PLACES = NUM_SLOTS + MAX_RESERVED  # cards a seat may buy: on the table, then its reserved ones
MAX_MISSING_OF_COLOUR = 3  # more count as many; an empty place has it in every colour
MAX_MISSING = 7  # of all colours together
FARTHEST = 1 << 30  # how far an empty slot is
CARD_BITS, COST_BITS = 7, 3
NUM_ARRANGED = NUM_SLOTS
LEFT_OUT = (  # of the observation: what the fields below say better, and what hardly matters
    "table_cost",
    "reserved_cost",
    "num_cards",
    "last_actions",
    "turn",
    "turn_limit",
    "target",
    "unseen_1",
    "unseen_2",
    "unseen_3",
)


def input_fields(game: Game) -> tuple[Field, ...]:
    """Return the fields that `derive` writes. Seats count from the observer."""
    shapes = {field.name: field.shape for field in game.observation_fields}
    i16, n, most = np.int16, game.num_seats, MAX_MISSING
    by_place, by_noble = (n, NUM_PLACES), (n, *shapes["noble_need"][:1])
    by_colour = (*by_place, NUM_COLOURS)
    of_colour = "gems of each colour still missing for each card"
    purchase = "most points of a card that each seat can pay for; -1: none"
    return (
        Field("missing_by_colour", i16, by_colour, 0, MAX_MISSING_OF_COLOUR, of_colour),
        Field("missing", i16, by_place, 0, most, "gems still missing, yellow ones used"),
        Field("reduced_cost", i16, by_place, 0, most, "cost reduced by the seat's cards"),
        Field("noble_missing", i16, by_noble, 0, most, "cards still missing, by seat and noble"),
        Field("best_purchase", i16, (n,), NOTHING, MAX_POINTS_OF_CARD, purchase),
    )


@rule
def derive(observation):
    """Write the fields of `input_fields` into the record whose other fields they follow from."""
    for seat in range(observation.gems.shape[0]):
        best = np.int64(NOTHING)
        for place in range(NUM_PLACES):
            colour, points = colour_and_points(observation, seat, place)
            if colour == NOTHING:
                clear_place(observation, seat, place)
            else:
                measure_place(observation, seat, place)
                if observation.missing[seat, place] == 0:
                    best = max(best, points)
        observation.best_purchase[seat] = best
        for slot in range(observation.noble_need.shape[0]):
            observation.noble_missing[seat, slot] = cards_missing(observation, seat, slot)


@rule
def colour_and_points(observation, seat, place):
    """The colour and points of the card at a place; NOTHING if there is no card."""
    if place < NUM_SLOTS:
        return np.int64(observation.table_colour[place]), np.int64(observation.table_points[place])
    index = place - NUM_SLOTS
    return (
        np.int64(observation.reserved_colour[seat, index]),
        np.int64(observation.reserved_points[seat, index]),
    )


@rule
def clear_place(observation, seat, place):
    """An empty place is as far away as a card can be."""
    observation.missing[seat, place] = MAX_MISSING
    observation.reduced_cost[seat, place] = MAX_MISSING
    observation.missing_by_colour[seat, place, :] = MAX_MISSING_OF_COLOUR


@rule
def measure_place(observation, seat, place):
    """The reduced cost of the card at a place, and the gems still missing for it."""
    reduced_cost = np.int64(0)
    missing = -np.int64(observation.gems[seat, YELLOW])
    for colour in range(NUM_COLOURS):
        cost = cost_in_colour(observation, seat, place, colour)
        cost = max(cost - observation.cards[seat, colour], 0)
        of_colour = max(cost - observation.gems[seat, colour], 0)
        reduced_cost += cost
        missing += of_colour
        observation.missing_by_colour[seat, place, colour] = min(of_colour, MAX_MISSING_OF_COLOUR)
    observation.missing[seat, place] = min(max(missing, 0), MAX_MISSING)
    observation.reduced_cost[seat, place] = min(reduced_cost, MAX_MISSING)


@rule
def cost_in_colour(observation, seat, place, colour):
    """The cost of the card at a place in one colour."""
    if place < NUM_SLOTS:
        return np.int64(observation.table_cost[place, colour])
    return np.int64(observation.reserved_cost[seat, place - NUM_SLOTS, colour])


@rule
def cards_missing(observation, seat, slot):
    """The cards that a seat still needs for a noble; MAX_MISSING where the noble is taken."""
    if observation.noble_need[slot, 0] == NOTHING:
        return MAX_MISSING
    missing = np.int64(0)
    for colour in range(NUM_COLOURS):
        need = np.int64(observation.noble_need[slot, colour])
        missing += max(need - observation.cards[seat, colour], 0)
    return min(missing, MAX_MISSING)


# The order of the slots


@rule
def arrange(state):
    """Put the cards of each tier into the order in which the seat to act can buy them.

    While a noble is chosen the order stays: the slot of the card just bought is still empty.
    """
    if state.choice != 0:
        return
    for first in range(0, NUM_SLOTS, SLOTS_PER_TIER):
        a, b = entry(state, first), entry(state, first + 1)
        c, d = entry(state, first + 2), entry(state, first + 3)
        a, b = min(a, b), max(a, b)
        c, d = min(c, d), max(c, d)
        a, c = min(a, c), max(a, c)
        b, d = min(b, d), max(b, d)
        b, c = min(b, c), max(b, c)
        place_card(state, first, a)
        place_card(state, first + 1, b)
        place_card(state, first + 2, c)
        place_card(state, first + 3, d)


@rule
def entry(state, slot):
    """The distance of a card and the card as one number; of equally distant ones the first card."""
    card = np.int64(state.table[slot])
    return distance_in(state, card) << CARD_BITS | card


@rule
def place_card(state, slot, entry):
    """Put the card of an entry into a slot."""
    card = entry & ((1 << CARD_BITS) - 1)
    state.table[slot] = card
    if card == NO_CARD:
        state.face_up &= ~(1 << slot)
    else:
        state.face_up |= 1 << slot


@rule
def distance_in(state, card):
    """How far the seat to act is from buying a card; see `distance_of`."""
    if card == NO_CARD:
        return np.int64(FARTHEST)
    seat = np.int64(state.seat_to_act)
    reduced_cost = lacking(COST_WORDS[card], state.cards[seat])
    missing = total(lacking(reduced_cost, state.gems[seat] & ALL_COLOURED))
    missing = max(missing - (state.gems[seat] >> (COLOUR_BITS * YELLOW)), 0)
    return distance_of(
        missing, np.int64(POINTS[card]), total(reduced_cost), np.int64(CARD_COLOURS[card])
    )


@rule
def distance_of(missing, points, reduced_cost, colour):
    """A number that orders cards: by gems missing, then points, then reduced cost, then colour."""
    return ((missing * 8 + MAX_POINTS_OF_CARD - points) * 32 + reduced_cost) * 8 + colour


@rule
def arrange_seen(observation, mask, slots):
    """Arrange what the seat to act observes, and its mask, as `arrange` does the position.

    Fill slots [NUM_SLOTS] with the slot that each card had before.
    """
    for slot in range(NUM_SLOTS):
        slots[slot] = slot
    if observation.is_choosing != 0:
        return
    for slot in range(NUM_SLOTS):
        first = slot - slot % SLOTS_PER_TIER
        place = slot
        while place > first and distance_seen(observation, place) < distance_seen(
            observation, place - 1
        ):
            exchange_slots(observation, mask, slots, place - 1)
            place -= 1


@rule
def distance_seen(observation, slot):
    """The same order as that of `entry`, from what the seat to act knows."""
    if observation.table_colour[slot] == NOTHING:
        return np.int64(FARTHEST) << COST_BITS * NUM_COLOURS
    reduced_cost = np.int64(0)
    missing = -np.int64(observation.gems[0, YELLOW])
    for colour in range(NUM_COLOURS):
        cost = max(observation.table_cost[slot, colour] - observation.cards[0, colour], 0)
        reduced_cost += cost
        missing += max(cost - observation.gems[0, colour], 0)
    points = np.int64(observation.table_points[slot])
    colour = np.int64(observation.table_colour[slot])
    distance = distance_of(max(missing, 0), points, reduced_cost, colour)
    for colour in range(NUM_COLOURS):  # cards of one distance are numbered in order of their costs
        distance = distance << COST_BITS | np.int64(observation.table_cost[slot, colour])
    return distance


@rule
def exchange_slots(observation, mask, slots, slot):
    """Exchange the cards in a slot and in the next, and what may be done with them."""
    swap(observation.table_colour, slot)
    swap(observation.table_points, slot)
    swap(slots, slot)
    for colour in range(NUM_COLOURS):
        cost = observation.table_cost[slot, colour]
        observation.table_cost[slot, colour] = observation.table_cost[slot + 1, colour]
        observation.table_cost[slot + 1, colour] = cost
    swap_actions(mask, RESERVE + slot)
    swap_actions(mask, BUY + slot)
    for colour in range(NUM_COLOURS):
        swap_actions(mask, RESERVE_RETURNING + NUM_SLOTS * colour + slot)


@rule
def swap(numbers, index):
    """Exchange two neighbours."""
    number = numbers[index]
    numbers[index] = numbers[index + 1]
    numbers[index + 1] = number


@rule
def swap_actions(mask, action):
    """Exchange the bits of an action and the next."""
    if is_allowed(mask, action) != is_allowed(mask, action + 1):
        for bit in range(action, action + 2):
            mask[bit // WORD_BITS] ^= np.int64(1) << (bit % WORD_BITS)


@rule
def with_slot_of(slots, action):
    """Return the action that does with slots[k] what `action` does with slot k."""
    if RESERVE <= action < BUY_RESERVED:
        slot = (action - RESERVE) % NUM_SLOTS
        return action - slot + slots[slot]
    if RESERVE_RETURNING <= action < COLLECT_RETURNING:
        slot = (action - RESERVE_RETURNING) % NUM_SLOTS
        return action - slot + slots[slot]
    return action


@rule
def find_slots(state, arranged, slots):
    """Fill slots [NUM_SLOTS] with those that the cards of an arranged position had before."""
    for place in range(NUM_SLOTS):
        slots[place] = place
        for slot in range(NUM_SLOTS):
            if state.table[slot] == arranged.table[place] and state.table[slot] != NO_CARD:
                slots[place] = slot
