"""What networks are shown of Splendor besides the observation: how far each seat is from each card.

All of it follows from the observation, but a small network would need most of its units to find it
out: fifteen cards, five colours, several hands.
"""

import numpy as np

from ...envs.core.game import Game
from ...envs.core.jit import rule
from ...envs.core.records import Field
from ...envs.splendor.actions import MAX_RESERVED, NUM_SLOTS
from ...envs.splendor.cards import MAX_POINTS_OF_CARD, NOTHING, NUM_COLOURS, YELLOW

NUM_PLACES = NUM_SLOTS + MAX_RESERVED  # cards a seat may buy: on the table, then its reserved ones
MOST_LACKING = 3  # of one colour: more are as far away; an empty place lacks that much of each
MOST_MISSING = 7  # in all
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
    i16, n = np.int16, game.num_seats
    by_place = (n, NUM_PLACES)
    return (
        Field(
            "lacking",
            i16,
            (*by_place, NUM_COLOURS),
            0,
            MOST_LACKING,
            "gems of each colour that each seat lacks to buy each card",
        ),
        Field("missing", i16, by_place, 0, MOST_MISSING, "gems that each seat lacks, yellow used"),
        Field("price", i16, by_place, 0, MOST_MISSING, "gems that each seat would pay"),
        Field(
            "noble_lacking",
            i16,
            (n, *shapes["noble_need"][:1]),
            0,
            MOST_MISSING,
            "cards that each seat lacks for each noble",
        ),
        Field(
            "best_purchase",
            i16,
            (n,),
            NOTHING,
            MAX_POINTS_OF_CARD,
            "most points of a card that each seat can pay for; -1: none",
        ),
    )


@rule
def derive(observation):
    """Write the fields of `input_fields` into the record whose other fields they follow from."""
    for seat in range(observation.gems.shape[0]):
        best = np.int64(NOTHING)
        for place in range(NUM_PLACES):
            if is_empty(observation, seat, place):
                clear_place(observation, seat, place)
            else:
                measure_place(observation, seat, place)
                if observation.missing[seat, place] == 0:
                    best = max(best, points_of(observation, seat, place))
        observation.best_purchase[seat] = best
        for slot in range(observation.noble_need.shape[0]):
            observation.noble_lacking[seat, slot] = cards_lacking(observation, seat, slot)


@rule
def is_empty(observation, seat, place):
    """Whether there is no card at a place."""
    if place < NUM_SLOTS:
        return observation.table_colour[place] == NOTHING
    return observation.reserved_colour[seat, place - NUM_SLOTS] == NOTHING


@rule
def points_of(observation, seat, place):
    """The points of the card at a place."""
    if place < NUM_SLOTS:
        return np.int64(observation.table_points[place])
    return np.int64(observation.reserved_points[seat, place - NUM_SLOTS])


@rule
def clear_place(observation, seat, place):
    """An empty place is as far away as a card can be."""
    observation.missing[seat, place] = MOST_MISSING
    observation.price[seat, place] = MOST_MISSING
    observation.lacking[seat, place, :] = MOST_LACKING


@rule
def measure_place(observation, seat, place):
    """What a seat would pay for the card at a place, and what it lacks of that."""
    price = np.int64(0)
    missing = -np.int64(observation.gems[seat, YELLOW])
    for colour in range(NUM_COLOURS):
        cost = cost_of(observation, seat, place, colour)
        cost = max(cost - observation.cards[seat, colour], 0)
        lacking = max(cost - observation.gems[seat, colour], 0)
        price += cost
        missing += lacking
        observation.lacking[seat, place, colour] = min(lacking, MOST_LACKING)
    observation.missing[seat, place] = min(max(missing, 0), MOST_MISSING)
    observation.price[seat, place] = min(price, MOST_MISSING)


@rule
def cost_of(observation, seat, place, colour):
    """The cost of the card at a place."""
    if place < NUM_SLOTS:
        return np.int64(observation.table_cost[place, colour])
    return np.int64(observation.reserved_cost[seat, place - NUM_SLOTS, colour])


@rule
def cards_lacking(observation, seat, slot):
    """The cards that a seat lacks for a noble; the most for one that is taken."""
    if observation.noble_need[slot, 0] == NOTHING:
        return MOST_MISSING
    lacking = np.int64(0)
    for colour in range(NUM_COLOURS):
        need = np.int64(observation.noble_need[slot, colour])
        lacking += max(need - observation.cards[seat, colour], 0)
    return min(lacking, MOST_MISSING)
