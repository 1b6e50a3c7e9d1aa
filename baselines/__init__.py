"""All players of the games: `list_policies`, `make_policy`."""

from .players import list_policies, make_policy
from .policy import Policy, PolicySpec, compiled_policy

__all__ = ["Policy", "PolicySpec", "compiled_policy", "list_policies", "make_policy"]
