"""Notty for PettingZoo: `env`, `raw_env` without the usual wrappers, and `parallel_env`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .core.environments.keywords import PETTINGZOO, with_keywords
from .registry import make_aec, make_parallel, make_raw_aec

if TYPE_CHECKING:
    from pettingzoo import ParallelEnv

    from .core.environments.aec import CheckedEnv, Observation, RawEnv


@with_keywords(PETTINGZOO)
def env(**settings: Any) -> CheckedEnv:
    """Make the environment; settings of the game and the keywords below together."""
    return make_aec("notty", **settings)


@with_keywords(PETTINGZOO)
def raw_env(**settings: Any) -> RawEnv:
    """Make the environment without wrappers: an illegal action raises ValueError."""
    return make_raw_aec("notty", **settings)


@with_keywords(PETTINGZOO)
def parallel_env(**settings: Any) -> ParallelEnv[str, Observation, int | None]:
    """Make `env` as a parallel environment, in which all agents give an action at each step.

    Only that of the agent to act is played, the one whose mask is not empty.
    """
    return make_parallel("notty", **settings)
