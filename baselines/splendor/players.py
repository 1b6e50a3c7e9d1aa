"""Players of Splendor, weakest first."""

from typing import Any

import numpy as np

from ...envs.core.bits import WORD_BITS, allow, lowest_bit, nth_allowed, num_allowed
from ...envs.core.compile import array_rule, rule
from ...envs.core.game import Game
from ...envs.splendor.actions import (
    BUY,
    COLLECT_RETURNING,
    GEMS_MOVED,
    NUM_SLOTS,
    PASS,
    RESERVE,
    RESERVE_RETURNING,
)
from ...envs.splendor.cards import COLOUR_BITS, NOTHING, YELLOW
from ...envs.splendor.rules import ALL_COLOURED, ONE_YELLOW, lacking, total
from ..players.tuned import Weights, record_of
from ..policies.policy import Policy
from ..policies.roster import check_player_settings, scripted, searching
from ..search.mcts import mcts as tree_search
from .inputs import NUM_PLACES, colour_and_points

NO_PLACE = -1
_ALL_PLACES = (1 << NUM_PLACES) - 1

# The worth of a card to `greedy`.
WORTH_OF_CARD = 3
WORTH_OF_POINT = 4
WORTH_OF_NOBLES_NEED = 1  # for each noble that asks for more cards of its colour
FREE_DISTANCE = 2  # the worth of a goal is divided by its missing gems plus this
MISSING_FOR_GOAL = (
    32  # one gem missing for the best goal weighs as much as this many for the second
)


@rule
def greedy(observation, mask, rng):
    """Buy the most valuable card, else take the action that brings the best goal closest."""
    if observation.is_choosing != 0:
        return nth_allowed(mask, 0)
    buyable = (mask[0] >> BUY) & _ALL_PLACES
    if buyable != 0:
        return BUY + most_worth(observation, buyable)
    return approach_goal(observation, mask)


@rule
def most_worth(observation, places):
    """The most valuable of these cards."""
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
    """The worth of a card: the card itself, its points, and nobles that need its colour."""
    colour, points = colour_and_points(observation, 0, place)
    needs = nobles_that_need(observation, colour)
    return WORTH_OF_CARD + WORTH_OF_POINT * points + WORTH_OF_NOBLES_NEED * needs


@rule
def nobles_that_need(observation, colour):
    """The number of nobles that need more cards of a colour."""
    number = 0
    for slot in range(observation.noble_need.shape[0]):
        if observation.noble_need[slot, colour] > observation.cards[0, colour]:
            number += 1
    return number


@rule
def approach_goal(observation, mask):
    """Collect or reserve so that the least is missing for the best goal, then the second."""
    power = power_of(observation)
    goal, second = goals(observation, power)
    if goal == NO_PLACE:
        return nth_allowed(mask, 0)
    goal_cost, second_cost = cost_of(observation, goal), cost_of(observation, second)
    best, fewest = np.int64(-1), np.int64(1 << 62)
    for index in range(mask.shape[0]):
        actions = mask[index]
        while actions != 0:
            action = index * WORD_BITS + lowest_bit(actions)
            actions &= actions - 1
            after = power_after(observation, power, action, goal)
            missing = MISSING_FOR_GOAL * gems_missing(goal_cost, after)
            missing += gems_missing(second_cost, after)
            if missing < fewest:
                best, fewest = action, missing
    return best


@rule
def goals(observation, power):
    """The two cards with the most worth for the gems still missing."""
    goal, second = np.int64(NO_PLACE), np.int64(NO_PLACE)
    most, most_of_rest = -1.0, -1.0
    for place in range(NUM_PLACES):
        if colour_and_points(observation, 0, place)[0] != NOTHING:
            missing = gems_missing(cost_of(observation, place), power)
            value = worth_of(observation, place) / (missing + FREE_DISTANCE)
            if value > most:
                goal, second = place, goal
                most, most_of_rest = value, most
            elif value > most_of_rest:
                second, most_of_rest = place, value
    return goal, goal if second == NO_PLACE else second


@rule
def power_after(observation, power, action, goal):
    """The means to pay after an action; reserving anything but the goal is a loss."""
    slot = reserved_slot(action)
    if slot != NO_PLACE:
        if slot != goal:
            return np.int64(0)
        if observation.bank[YELLOW] > 0:
            power += ONE_YELLOW
    return power + GEMS_MOVED[action]


# The planner adds up the worth of all visible cards, weighted by how close it is to buying them.
# `fit/planner.py` tunes these weights.
WEIGHTS: Weights = {
    "card_early": 3.0,  # worth of any card, while nobody has points
    "card_late": 0.7,  # and where somebody has reached the target
    "point_early": 0.65,  # worth of a point, then
    "point_late": 6.6,
    "need_of_noble": 1.4,  # for each noble that asks for more cards of its colour
    "nearness_of_one": 0.81,  # worth of a card with one gem missing, relative to an affordable one
    "weight_of_next": 0.58,  # of each card, relative to the next better one
    "owning": 1.35,  # worth of an owned card, relative to an affordable one
    "weight_of_reserved": 0.74,  # worth of a reserved card, relative to one on the table
    "cost_of_reserving": 2.4,
    "yellow_gem": 0.42,  # worth of each gem held
    "coloured_gem": 0.22,
}
NUM_NEXT = 4
NUM_CANDIDATES = 8  # actions that the search considers
NUM_NEARNESSES = 40  # by gems missing


def planner_record(weights: Weights) -> np.ndarray:
    """Return weights as the record [1] that `plan` takes, with `nearness` by the gems missing."""
    nearness = [float(weights["nearness_of_one"]) ** missing for missing in range(NUM_NEARNESSES)]
    return record_of({**weights, "nearness": nearness})


_PLANNER = planner_record(WEIGHTS)


@rule
def planner(observation, mask, rng):
    """Look one action ahead; value what it would own, and visible cards by their nearness."""
    return plan(_PLANNER[0], observation, mask, rng)


@array_rule
def plan(weights, observation, mask, rng):
    """Play as the planner with these weights."""
    if observation.is_choosing != 0:
        return nth_allowed(mask, 0)
    costs, worths = cards_in_view(weights, observation)
    power = power_of(observation)
    best, best_value = np.int64(-1), -np.inf
    for index in range(mask.shape[0]):
        actions = mask[index]
        while actions != 0:
            action = index * WORD_BITS + lowest_bit(actions)
            actions &= actions - 1
            value = value_of_action(weights, observation, action, power, costs, worths)
            if value > best_value:
                best, best_value = action, value
    return best


@array_rule
def shortlist(observation, mask):
    """Keep only the NUM_CANDIDATES actions that the planner values most."""
    if observation.is_choosing != 0 or num_allowed(mask) <= NUM_CANDIDATES:
        return
    weights = _PLANNER[0]
    costs, worths = cards_in_view(weights, observation)
    power = power_of(observation)
    candidates = np.empty(NUM_CANDIDATES, np.int64)
    values = np.full(NUM_CANDIDATES, -np.inf)
    for index in range(mask.shape[0]):
        actions = mask[index]
        while actions != 0:
            action = index * WORD_BITS + lowest_bit(actions)
            actions &= actions - 1
            value = value_of_action(weights, observation, action, power, costs, worths)
            worst = values.argmin()
            if value > values[worst]:
                candidates[worst], values[worst] = action, value
    mask[:] = 0
    for action in candidates:
        allow(mask, action)


@array_rule
def cards_in_view(weights, observation):
    """The costs, as words, and the worths of all cards that a seat can buy now or later."""
    costs = np.empty(NUM_PLACES, np.int64)
    worths = np.zeros(NUM_PLACES)
    progress = observation.points.max() / observation.target
    card = weights.card_early + (weights.card_late - weights.card_early) * progress
    point = weights.point_early + (weights.point_late - weights.point_early) * progress
    for place in range(NUM_PLACES):
        colour, points = colour_and_points(observation, 0, place)
        if colour != NOTHING:
            costs[place] = cost_of(observation, place)
            needs = nobles_that_need(observation, colour)
            worths[place] = card + point * points + weights.need_of_noble * needs
            if place >= NUM_SLOTS:
                worths[place] *= weights.weight_of_reserved
    return costs, worths


@rule
def value_of_action(weights, observation, action, power, costs, worths):
    """The value of an action: what the seat then owns, and the cards it comes closer to."""
    if BUY <= action < PASS:
        place = action - BUY
        after = power_after_buying(observation, place, costs[place])
        return weights.owning * worths[place] + prospects(weights, after, costs, worths, place)
    after = power + GEMS_MOVED[action]
    slot = reserved_slot(action)
    if slot == NO_PLACE:
        return prospects(weights, after, costs, worths, NO_PLACE)
    if observation.bank[YELLOW] > 0:
        after += ONE_YELLOW
    loss = weights.cost_of_reserving + (1.0 - weights.weight_of_reserved) * worths[slot]
    return prospects(weights, after, costs, worths, NO_PLACE) - loss


@rule
def reserved_slot(action):
    """The slot of the card that an action reserves; NO_PLACE for other actions."""
    if RESERVE <= action < BUY:
        return action - RESERVE
    if RESERVE_RETURNING <= action < COLLECT_RETURNING:
        return (action - RESERVE_RETURNING) % NUM_SLOTS
    return NO_PLACE


@rule
def prospects(weights, power, costs, worths, bought):
    """The worth of the cards to buy next, weighted by nearness, the best one first."""
    nearest = (0.0, 0.0, 0.0, 0.0)
    for place in range(NUM_PLACES):
        if worths[place] > 0.0 and place != bought:
            value = worths[place] * weights.nearness[gems_missing(costs[place], power)]
            nearest = with_value(nearest, value)
    weight, value = 1.0, 0.0
    for index in range(NUM_NEXT):
        value += weight * nearest[index]
        weight *= weights.weight_of_next
    yellow = power >> (COLOUR_BITS * YELLOW)
    return value + weights.yellow_gem * yellow + weights.coloured_gem * total(power & ALL_COLOURED)


@rule
def with_value(values, value):
    """The four highest, in descending order."""
    a, b, c, d = values
    if value > a:
        return value, a, b, c
    if value > b:
        return a, value, b, c
    if value > c:
        return a, b, value, c
    return a, b, c, max(value, d)


@rule
def power_after_buying(observation, place, cost):
    """The means to pay after buying a card, which makes later cards cheaper."""
    cards, gems = word_of(observation.cards[0]), word_of(observation.gems[0])
    reduced_cost = lacking(cost, cards)
    missing = lacking(reduced_cost, gems & ALL_COLOURED)
    colour = colour_and_points(observation, 0, place)[0]
    gain = np.int64(1) << (COLOUR_BITS * colour)
    return cards + gems + gain - (reduced_cost - missing) - total(missing) * ONE_YELLOW


# Settings of the search. With up to about 300 playouts its tree is one action deep; in short
# matches this was no weaker than a tree that grows from 8 visits on. With more playouts it grows.
SEARCH: dict[str, Any] = {"playout_policy": "greedy", "epsilon": 0.1, "expansion_threshold": 100}
# Only the order of the decks is hidden, and each order divides the tree. So few are better: with
# three seats, a player with 2 was first in 44.6 [39.9, 49.3] % of 450 games against two players
# with 8.
GUIDED_SEARCH: dict[str, Any] = {"num_determinizations": 2}


# Visible cards, and words of one byte per colour


@rule
def cost_of(observation, place):
    """The cost of a card as a word."""
    if place < NUM_SLOTS:
        return word_of(observation.table_cost[place])
    return word_of(observation.reserved_cost[0, place - NUM_SLOTS])


@rule
def word_of(numbers):
    """Numbers by colour, with or without yellow, as a word."""
    word = np.int64(0)
    for colour in range(numbers.shape[0]):
        word |= np.int64(numbers[colour]) << (COLOUR_BITS * colour)
    return word


@rule
def power_of(observation):
    """The seat's cards and gems together, as a word."""
    return word_of(observation.gems[0]) + word_of(observation.cards[0])


@rule
def gems_missing(cost, power):
    """The number of gems missing to pay this cost."""
    missing = total(lacking(cost, power & ALL_COLOURED)) - (power >> (COLOUR_BITS * YELLOW))
    return max(missing, 0)


def mcts(game: Game, **settings: Any) -> Policy:
    """Search a tree of the planner's best actions over determinized decks, with greedy playouts.

    `settings` are those of `baselines.search.mcts.mcts`: `num_simulations` or `milliseconds`, ...
    With a `network`, that chooses what to look at, there are no playouts, and few determinizations.
    """
    check_player_settings("mcts", tree_search, settings)
    if settings.get("network") is not None:
        return tree_search(game, **{**GUIDED_SEARCH, **settings})
    return tree_search(game, **{**SEARCH, "shortlist": shortlist, **settings})


PLAYERS = {
    "greedy": scripted(greedy),
    "planner": scripted(planner),
    "mcts": searching(mcts),
}


def strongest(game: Game) -> tuple[str, ...]:
    """Name the strongest players head to head, the strongest first."""
    return ("guided", "mcts")


def searches(game: Game) -> tuple[str, ...]:
    """Name the searches of the league, at about 2 ms a move."""
    return (f"mcts:num_simulations={600 // game.num_seats}",)
