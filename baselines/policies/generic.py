"""Scripted players of any game: `random` and `first_legal`."""

from ...envs.core.bits import nth_allowed, random_allowed
from ...envs.core.compile import rule


@rule
def random(observation, mask, rng):
    """Choose a legal action uniformly at random."""
    return random_allowed(mask, rng)


@rule
def first_legal(observation, mask, rng):
    """Choose the legal action with the lowest index."""
    return nth_allowed(mask, 0)
