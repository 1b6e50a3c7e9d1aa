"""Everyone you can play against: `list_policies`, `make_policy`."""

from .players import list_policies, make_policy
from .policy import Policy, compiled_policy

__all__ = ["Policy", "compiled_policy", "list_policies", "make_policy"]
