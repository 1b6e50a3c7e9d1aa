"""Players of Notty, weakest first."""

from ..envs.core.bits import nth_allowed
from ..envs.core.jit import rule
from .players import Player, scripted


@rule
def always_pass(observation, mask, rng):
    """Passes, whatever happens; it shows that the rules do not reward it."""
    return nth_allowed(mask, 0)


PLAYERS: dict[str, Player] = {"always_pass": scripted(always_pass)}
