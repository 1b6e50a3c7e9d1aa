"""Policies: those that ship, and what your own are made with."""

from .baselines import (
    Player,
    Policy,
    PolicySpec,
    compiled_policy,
    list_policies,
    load_network,
    make_policy,
    play,
    scripted,
    stochastic_policy,
    takes_arrays,
)
from .baselines.advice.move_values import study_of
from .baselines.players.exploitability import best_response, exploitability

__all__ = [
    "Player",
    "Policy",
    "PolicySpec",
    "best_response",
    "compiled_policy",
    "exploitability",
    "list_policies",
    "load_network",
    "make_policy",
    "play",
    "scripted",
    "stochastic_policy",
    "study_of",
    "takes_arrays",
]
