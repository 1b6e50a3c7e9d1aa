"""Notty for PettingZoo: `env`, or `raw_env` without the usual wrappers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .registry import make_aec, make_raw_aec

if TYPE_CHECKING:
    from .core.environments.aec import CheckedEnv, RawEnv


def env(**settings: Any) -> CheckedEnv:
    """Make the environment; settings of the game and of `RawEnv` together."""
    return make_aec("notty", **settings)


def raw_env(**settings: Any) -> RawEnv:
    """Make the environment without wrappers: an illegal action raises ValueError."""
    return make_raw_aec("notty", **settings)
