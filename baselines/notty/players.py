"""Players of Notty, weakest first.

With `discard="manual"` all of them except `always_pass` first put away the best discard, as the
game does with `discard="optimal"`.
"""

import numpy as np

from ...envs.core.bits import is_allowed, random_allowed
from ...envs.core.compile import array_rule, rule
from ...envs.core.game import Function, Game
from ...envs.core.rng import below
from ...envs.notty.cards import (
    GROUP_WORDS,
    hand_size,
    hand_words,
    has_group,
    numbers_in_three_colours,
)
from ...envs.notty.discard import best_left
from ...envs.notty.rules import DRAW, MAX_DRAWN, NOTHING_YET, NUM_GROUPS, PASS, TAKE
from ..policies.policy import Policy, compiled_policy
from ..policies.roster import Player, scripted
from .draws import cards_of_draws, hits_of_draws, num_draws
from .expectations import results_of_take, sample_draws
from .finisher import (
    CORRECTED,
    CORRECTED_VALUES,
    LEARNED_VALUES,
    NOT_LAST,
    best_turn_action,
    table_index,
)

MAX_PASSES = 2  # in a row, for x_defensive
NO_MOVE = -1

# aggressive: the hand sizes from which it draws fewer cards
DRAWS_THREE_BELOW = 8
DRAWS_SOME_BELOW = 16


@rule
def always_pass(observation, mask, rng):
    """Always pass; this shows that the rules do not reward passing."""
    return np.int64(PASS)


@array_rule
def defensive(observation, mask, rng):
    """Draw, take or pass at random, all legal actions equally likely."""
    hands = hands_of(observation)
    if must_discard(mask, hands):
        return best_group(mask, hands)
    return random_allowed(mask, rng)


@array_rule
def aggressive(observation, mask, rng):
    """Take from a larger hand with a card for the largest group; else draw by hand size."""
    hands = hands_of(observation)
    if must_discard(mask, hands):
        return best_group(mask, hands)
    target = worthy_target(mask, hands, rng)
    if target != NO_MOVE:
        return target
    return draw_by_size(mask, hand_size(hands[0]), rng)


@array_rule
def x_aggressive(observation, mask, rng):
    """Play the move that is most likely to make a group, by exact counts."""
    hands = hands_of(observation)
    if must_discard(mask, hands):
        return best_group(mask, hands)
    move, hits, _ = best_move(observation, mask, hands, False, False, rng)
    is_hopeless = hits == 0 and observation.phase != NOTHING_YET
    return np.int64(PASS) if move == NO_MOVE or is_hopeless else move


@rule
def x_defensive(observation, mask, rng):
    """Play the move with the largest expected reduction; pass at most twice in a row."""
    return reduce_hand(observation, mask, False, rng)


@rule
def x_defensive_sampling(observation, mask, rng):
    """Play like `x_defensive`, but by the sampled estimate."""
    return reduce_hand(observation, mask, True, rng)


@array_rule
def reduce_hand(observation, mask, sampling, rng):
    """Pass if every move is worth less than 0, but never a third time in a row."""
    hands = hands_of(observation)
    if must_discard(mask, hands):
        return best_group(mask, hands)
    move, reduction, _ = best_move(observation, mask, hands, True, sampling, rng)
    has_passed = observation.phase == NOTHING_YET and observation.passes[0] >= MAX_PASSES
    is_worthwhile = move != NO_MOVE and (reduction >= 0 or has_passed)
    return move if is_worthwhile else np.int64(PASS)


@array_rule
def finisher(observation, mask, rng):
    """Play for the best learned chance of emptying the hand first."""
    hands = hands_of(observation)
    if must_discard(mask, hands):
        return best_group(mask, hands)
    table = table_index(observation.turns_played, observation.turn_limit, observation.takes)
    phase, passes = observation.phase, observation.passes
    values = CORRECTED_VALUES if table == CORRECTED else LEARNED_VALUES[table]
    return best_turn_action(values, table, mask, hands, phase, passes, rng)[0]


# The values of moves


@rule
def best_move(observation, mask, hands, by_reduction, sampling, rng):
    """Return the best draw or take, of equals the first, and its value.

    The value is a numerator and a denominator. Draws come before takes, and these are in the order
    of the seats. NO_MOVE if none is legal.
    """
    best, numerator, denominator = best_draw(mask, hands, by_reduction, sampling, rng)
    num_seats = observation.hands.shape[0]
    for seat in range(num_seats):
        place = (seat - observation.seat + num_seats) % num_seats
        if place > 0 and is_allowed(mask, TAKE + place):
            result, total = value_of_take(hands, place, by_reduction)
            if best == NO_MOVE or result * denominator > numerator * total:
                best, numerator, denominator = np.int64(TAKE + place), result, total
    return best, numerator, denominator


@array_rule
def best_draw(mask, hands, by_reduction, sampling, rng):
    """The best draw, by the expected reduction or by the probability of a group."""
    best, numerator, denominator = np.int64(NO_MOVE), np.int64(0), np.int64(1)
    results = np.zeros(MAX_DRAWN, np.int64)
    count_draws(mask, hands, by_reduction, sampling, rng, results)
    deck_size = hand_size(hands[hands.shape[0] - 1])
    for count in range(1, MAX_DRAWN + 1):
        if is_allowed(mask, DRAW + count):
            total = num_draws(deck_size, count)
            result = results[count - 1] - (count * total if by_reduction else 0)
            if best == NO_MOVE or result * denominator > numerator * total:
                best, numerator, denominator = np.int64(DRAW + count), result, total
    return best, numerator, denominator


@rule
def count_draws(mask, hands, by_reduction, sampling, rng, results):
    """Count the cards discarded over all draws of each size, or the draws with a group."""
    hand, deck = hands[0], hands[hands.shape[0] - 1]
    if not is_allowed(mask, DRAW + 1):
        return  # then no draw is legal
    if sampling:
        for count in range(1, MAX_DRAWN + 1):
            if is_allowed(mask, DRAW + count):
                results[count - 1] = sample_draws(hand, deck, count, rng)[1]
        return
    one, two, three = cards_of_draws(hand, deck) if by_reduction else hits_of_draws(hand, deck)
    results[0] = one
    results[1] = two
    results[2] = three


@rule
def value_of_take(hands, place, by_reduction):
    """The value of taking a card from another hand, as a numerator and a denominator."""
    hits, cards = results_of_take(hands[0], hands[place])
    size = hand_size(hands[place])
    return (cards - size if by_reduction else hits), size


# What aggressive does


@rule
def worthy_target(mask, hands, rng):
    """The take from the largest hand that is larger than the player's and has a useful card."""
    best, largest, num_equal = np.int64(NO_MOVE), hand_size(hands[0]), 0
    for place in range(1, hands.shape[0] - 1):
        size = hand_size(hands[place])
        is_candidate = size > hand_size(hands[0]) and size >= largest
        if is_candidate and is_allowed(mask, TAKE + place) and is_worthy(hands[0], hands[place]):
            num_equal = num_equal + 1 if size == largest else 1
            largest = size
            if below(rng, num_equal) == 0:
                best = np.int64(TAKE + place)
    return best


@rule
def is_worthy(hand, other):
    """Whether a card of the other hand enlarges the largest group of this one."""
    before, kinds = largest_group(hand[0]), other[0]
    while kinds != 0:
        bit = kinds & -kinds
        kinds ^= bit
        if largest_group(hand[0] | bit) > before:
            return True
    return False


@rule
def largest_group(once):
    """The number of cards in the largest group of a hand, 0 without one."""
    if not has_group(once):
        return 0
    longest, starts = 0, once
    while starts != 0:
        longest += 1
        starts &= (starts >> 1) & NOT_LAST
    in_all_colours = once & (once >> 10) & (once >> 20) & (once >> 30) & 1023
    largest_set = 4 if in_all_colours != 0 else 3 if numbers_in_three_colours(once) != 0 else 0
    return max(longest, largest_set)


@rule
def draw_by_size(mask, size, rng):
    """Draw three cards with a small hand, else one to three, else none or one, if legal."""
    if size < DRAWS_THREE_BELOW:
        count = np.int64(MAX_DRAWN)
    elif size < DRAWS_SOME_BELOW:
        count = 1 + below(rng, MAX_DRAWN)
    else:
        count = below(rng, 2)
    while count > 0 and not is_allowed(mask, DRAW + count):
        count -= 1
    return DRAW + count if count > 0 else np.int64(PASS)


# Shared by all players


@array_rule
def hands_of(observation):
    """The hands as words [seats + 1, 2], the player's first and the deck last."""
    num_seats = observation.hands.shape[0]
    hands = np.empty((num_seats + 1, 2), np.int64)
    for place in range(num_seats):
        hand_words(observation.hands[place], hands[place])
    hand_words(observation.deck, hands[num_seats])
    return hands


@rule
def must_discard(mask, hands):
    """Whether the seats choose their discards and this one has a group."""
    is_manual = mask.shape[0] > 1  # only manual games need more than one mask word
    return is_manual and has_group(hands[0, 0])


@rule
def best_group(mask, hands):
    """A group of the best discard: one whose removal leads to the same final hand."""
    once, twice = hands[0, 0], hands[0, 1]
    left = best_left(once, twice)
    first = TAKE + hands.shape[0] - 1
    for group in range(NUM_GROUPS):
        cards = GROUP_WORDS[group]
        is_possible = is_allowed(mask, first + group)
        if is_possible and best_left(once & (twice | ~cards), twice & ~cards) == left:
            return np.int64(first + group)
    return np.int64(PASS)


def _make_x_defensive(game: Game, sampling: bool = False) -> Policy:
    """Make x_defensive; with `sampling=True` it uses the sampled estimate of large draws."""
    if not isinstance(sampling, bool):
        raise ValueError(f"sampling must be True or False; got {sampling!r}")
    return compiled_policy("x_defensive", game, x_defensive_sampling if sampling else x_defensive)


def _slow(row_function: Function) -> Player:
    """A scripted player that is too slow for playouts unless it is asked for by name."""
    return scripted(row_function)._replace(plays_out=False)


PLAYERS = {
    "always_pass": scripted(always_pass),
    "defensive": scripted(defensive),
    "aggressive": scripted(aggressive),
    "x_aggressive": _slow(x_aggressive),
    "x_defensive": _slow(x_defensive)._replace(make=_make_x_defensive),
    "finisher": _slow(finisher),
}


def strongest(game: Game) -> tuple[str, ...]:
    """Name the strongest players head to head, the strongest first."""
    return ("finisher",)
