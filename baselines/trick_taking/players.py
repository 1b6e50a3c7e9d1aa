"""Players of trick-taking, weakest first."""

import numpy as np

from ...envs.core.bits import is_allowed, lowest_bit, nth_allowed, popcount
from ...envs.core.compile import rule
from ...envs.core.game import Game
from ..policies.roster import Player, scripted
from .exact_players import best_response, perfect
from .position import highest_bit, highest_card
from .solver import is_solved

_WORD_BITS = 63  # of a non-negative word


@rule
def first_play(observation, mask, rng):
    """Play the first legal card of the hand in the order dealt."""
    for card in observation.dealt:
        if is_allowed(mask, card):
            return card
    return nth_allowed(mask, 0)


@rule
def high_low(observation, mask, rng):
    """Lead the highest value; follow with the cheapest winning card, else the lowest legal."""
    if observation.led_colour < 0:
        return highest_lead(observation)
    return cheapest_winner_or_lowest(observation)


@rule
def smart(observation, mask, rng):
    """Lead cards nobody can beat, then low ones of the longest colour; follow as high_low."""
    if observation.led_colour < 0:
        return master_or_low_of_longest(observation)
    return cheapest_winner_or_lowest(observation)


# Leading


@rule
def highest_lead(observation):
    """The card with the highest value in the hand; of equal values the lower colour."""
    best, best_value = np.int64(-1), np.int64(-1)
    for colour in range(observation.hand.shape[0]):
        value = highest_bit(observation.hand[colour])
        if value > best_value:
            best, best_value = card_of(observation, colour, value), value
    return best


@rule
def master_or_low_of_longest(observation):
    """A card above all unseen ones of its colour, else the lowest of the longest colour."""
    longest, most = np.int64(0), np.int64(0)
    for colour in range(observation.hand.shape[0]):
        hand, unseen = observation.hand[colour], observation.unseen[colour]
        if hand > unseen:
            return card_of(observation, colour, highest_bit(hand))
        if popcount(hand) > most:
            longest, most = colour, popcount(hand)
    return card_of(observation, longest, lowest_bit(observation.hand[longest]))


# Following


@rule
def cheapest_winner_or_lowest(observation):
    """The lowest card that wins the trick as it stands, else the lowest legal one."""
    led = observation.led_colour
    hand = observation.hand[led]
    if hand == 0:
        return lowest_card(observation)
    winners = hand & ~(2 * highest_card(observation.table[led]) - 1)
    return card_of(observation, led, lowest_bit(winners if winners != 0 else hand))


@rule
def lowest_card(observation):
    """The card with the lowest value in the hand; of equal values the lower colour."""
    best, best_value = np.int64(-1), np.int64(_WORD_BITS)
    for colour in range(observation.hand.shape[0]):
        hand = observation.hand[colour]
        if hand != 0 and lowest_bit(hand) < best_value:
            best_value = lowest_bit(hand)
            best = card_of(observation, colour, best_value)
    return best


# Cards


@rule
def card_of(observation, colour, value):
    """The index of a card."""
    return colour * observation.dealt.shape[0] + value


PLAYERS = {
    "first_play": scripted(first_play),
    "high_low": scripted(high_low),
    "smart": scripted(smart),
    "best_response": Player(
        best_response, "The exact best response to the player `against`.", kind="solver"
    ),
    "perfect": Player(
        perfect,
        "Perfect play; among equal cards one at random, or the best against the player `against`.",
        kind="solver",
    ),
}


def strongest(game: Game) -> tuple[str, ...]:
    """Name the strongest players head to head, the strongest first."""
    return ("perfect",) if is_solved(game) else ("ppo", "mcts")


def searches(game: Game) -> tuple[str, ...]:
    """Name the searches of the league, at about 2 ms a move."""
    if game.num_seats > 2:
        return "playout", "mcts"
    return "perfect" if is_solved(game) else "playout", "mcts"
