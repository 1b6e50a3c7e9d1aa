"""Scripted players of President, weakest first."""

from ..envs.core.bits import is_allowed, nth_allowed, num_allowed
from ..envs.core.jit import rule
from ..envs.president.rules import GIVE, PASS
from .players import scripted


@rule
def lowest(observation, mask, rng):
    """The lowest rank that may be played, as many cards of it as possible; passes only if it must.

    Gives back its lowest card.
    """
    first = nth_allowed(mask, 0)
    if first == PASS:
        if num_allowed(mask) == 1:
            return PASS
        first = nth_allowed(mask, 1)
    if first >= GIVE:
        return first
    return most_of_rank(mask, first)


@rule
def most_of_rank(mask, action):
    """The largest legal play of the same rank as `action`, which must be legal."""
    last_of_rank = ((action - 1) | 3) + 1
    while action < last_of_rank and is_allowed(mask, action + 1):
        action += 1
    return action


PLAYERS = {"lowest": scripted(lowest)}
