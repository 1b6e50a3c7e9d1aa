"""Players of Splendor, weakest first."""

import numpy as np

from ..envs.core.bits import lowest_bit, nth_allowed
from ..envs.core.jit import rule
from ..envs.splendor.actions import (
    BUY,
    COLLECT_RETURNING,
    GEMS_MOVED,
    MOST_RESERVED,
    NUM_SLOTS,
    RESERVE,
    RESERVE_RETURNING,
)
from ..envs.splendor.cards import COLOUR_BITS, NOTHING, NUM_COLOURS, YELLOW
from ..envs.splendor.rules import ALL_COLOURED, ONE_YELLOW, lacking, total
from .players import scripted

NUM_PLACES = NUM_SLOTS + MOST_RESERVED  # cards in view: on the table, then one's own reserved ones
NO_PLACE = -1
_ALL_PLACES = (1 << NUM_PLACES) - 1
_WORD_BITS = 64

# What a card is worth to `greedy`.
WORTH_OF_CARD = 3
WORTH_OF_POINT = 4
WORTH_OF_NOBLES_NEED = 1  # for each noble that asks for more cards of its colour
FREE_DISTANCE = 2  # as a goal, worth is divided by the gems that are missing and these
MISSING_FOR_GOAL = 32  # a gem missing for the goal weighs as many missing for the second best


@rule
def greedy(observation, mask, rng):
    """Buys the card worth most, else takes what brings the best goal nearer."""
    if observation.is_choosing != 0:
        return nth_allowed(mask, 0)
    buyable = (mask[0] >> BUY) & _ALL_PLACES
    if buyable != 0:
        return BUY + most_worth(observation, buyable)
    return approach_goal(observation, mask)


@rule
def most_worth(observation, places):
    """Of these cards the one worth most."""
    best, best_worth = np.int64(NO_PLACE), np.int64(-1)
    while places != 0:
        place = lowest_bit(places)
        places &= places - 1
        worth = worth_of(observation, place)
        if worth > best_worth:
            best, best_worth = place, worth
    return best


@rule
def worth_of(observation, place):
    """Points, the card itself, and the nobles that ask for its colour."""
    colour, points = colour_and_points(observation, place)
    worth = WORTH_OF_CARD + WORTH_OF_POINT * points
    for slot in range(observation.noble_need.shape[0]):
        if observation.noble_need[slot, colour] > observation.cards[0, colour]:
            worth += WORTH_OF_NOBLES_NEED
    return worth


@rule
def approach_goal(observation, mask):
    """Collects or reserves so that least is missing for its goal, then for the second best."""
    power = power_of(observation)
    goal, second = goals(observation, power)
    if goal == NO_PLACE:
        return nth_allowed(mask, 0)
    goal_cost, second_cost = cost_of(observation, goal), cost_of(observation, second)
    best, fewest = np.int64(-1), np.int64(1 << 62)
    for index in range(mask.shape[0]):
        actions = mask[index]
        while actions != 0:
            action = index * _WORD_BITS + lowest_bit(actions)
            actions &= actions - 1
            after = power_after(observation, power, action, goal)
            missing = MISSING_FOR_GOAL * gems_missing(goal_cost, after)
            missing += gems_missing(second_cost, after)
            if missing < fewest:
                best, fewest = action, missing
    return best


@rule
def goals(observation, power):
    """The two cards with the most worth for the gems that they still lack."""
    goal, second = np.int64(NO_PLACE), np.int64(NO_PLACE)
    most, most_of_rest = -1.0, -1.0
    for place in range(NUM_PLACES):
        if colour_and_points(observation, place)[0] != NOTHING:
            missing = gems_missing(cost_of(observation, place), power)
            value = worth_of(observation, place) / (missing + FREE_DISTANCE)
            if value > most:
                goal, second = place, goal
                most, most_of_rest = value, most
            elif value > most_of_rest:
                second, most_of_rest = place, value
    return goal, max(second, goal) if second == NO_PLACE else second


@rule
def power_after(observation, power, action, goal):
    """What can be paid with after an action; reserving anything but the goal is a loss."""
    if RESERVE <= action < BUY or RESERVE_RETURNING <= action < COLLECT_RETURNING:
        slot = action - RESERVE if action < BUY else (action - RESERVE_RETURNING) % NUM_SLOTS
        if slot != goal:
            return np.int64(0)
        if observation.bank[YELLOW] > 0:
            power += ONE_YELLOW
    return power + GEMS_MOVED[action]


# Cards in view, and words of a byte to a colour


@rule
def colour_and_points(observation, place):
    """NOTHING where there is no card."""
    if place < NUM_SLOTS:
        return np.int64(observation.table_colour[place]), np.int64(observation.table_points[place])
    held = place - NUM_SLOTS
    return (
        np.int64(observation.reserved_colour[0, held]),
        np.int64(observation.reserved_points[0, held]),
    )


@rule
def cost_of(observation, place):
    """The cost of a card as a word."""
    word = np.int64(0)
    for colour in range(NUM_COLOURS):
        if place < NUM_SLOTS:
            cost = np.int64(observation.table_cost[place, colour])
        else:
            cost = np.int64(observation.reserved_cost[0, place - NUM_SLOTS, colour])
        word |= cost << (COLOUR_BITS * colour)
    return word


@rule
def power_of(observation):
    """Own cards and gems together, as a word."""
    word = np.int64(observation.gems[0, YELLOW]) << (COLOUR_BITS * YELLOW)
    for colour in range(NUM_COLOURS):
        held = np.int64(observation.gems[0, colour]) + np.int64(observation.cards[0, colour])
        word |= held << (COLOUR_BITS * colour)
    return word


@rule
def gems_missing(cost, power):
    """How many gems are missing to pay this cost."""
    missing = total(lacking(cost, power & ALL_COLOURED)) - (power >> (COLOUR_BITS * YELLOW))
    return max(missing, 0)


PLAYERS = {"greedy": scripted(greedy)}
