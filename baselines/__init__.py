"""All players of the games: `list_policies`, `make_policy`; and what a new player is made with."""

from .networks.learned import load_network
from .one_game import play
from .players.foreign import takes_arrays
from .players.making import list_policies, make_policy
from .policies.policy import Policy, PolicySpec, compiled_policy, stochastic_policy
from .policies.roster import Player, scripted

__all__ = [
    "Player",
    "Policy",
    "PolicySpec",
    "compiled_policy",
    "list_policies",
    "load_network",
    "make_policy",
    "play",
    "scripted",
    "stochastic_policy",
    "takes_arrays",
]
