"""Scripted players of any game: `random` and `first_legal`."""

from ..envs.core.bits import nth_allowed, random_allowed
from ..envs.core.jit import rule


@rule
def random(observation, mask, rng):
    """A legal action, each as likely as any other."""
    return random_allowed(mask, rng)


@rule
def first_legal(observation, mask, rng):
    """The legal action with the lowest index."""
    return nth_allowed(mask, 0)
