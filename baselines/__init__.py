"""All players of the games: `list_policies`, `make_policy`; and what a new player is made with."""

from .one_game import play
from .players.making import list_policies, make_policy
from .players.policy import Policy, PolicySpec, compiled_policy
from .players.roster import Player, scripted

__all__ = [
    "Player",
    "Policy",
    "PolicySpec",
    "compiled_policy",
    "list_policies",
    "make_policy",
    "play",
    "scripted",
]
