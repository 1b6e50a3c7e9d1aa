"""Learners, one algorithm a file, and recipes for other frameworks.

`parlour train` runs the learners. Of the recipes this module offers the shared settings `Config`,
the environment `sb3_vec_env` for stable-baselines3, and a module for each framework with
`learn(game, config)`. A name is imported when it is first used, with its framework.
"""

import importlib
from typing import TYPE_CHECKING, Any

_HOMES = {
    "ActionValues": "..baselines.networks.modules",
    "Config": ".recipes",
    "sb3_vec_env": ".recipes.sb3_vec_env",
}
__all__ = ["ActionValues", "Config", "sb3_vec_env"]
__all__ += ["agilerl_ppo", "cleanrl_ppo", "rllib_ppo", "sb3_dqn", "sb3_ppo", "sb3_self_play"]
__all__ += ["skrl_ppo", "tianshou_dqn", "torchrl_ppo"]

if TYPE_CHECKING:
    from ..baselines.networks.modules import ActionValues
    from .recipes import (
        Config,
        agilerl_ppo,
        cleanrl_ppo,
        rllib_ppo,
        sb3_dqn,
        sb3_ppo,
        sb3_self_play,
        skrl_ppo,
        tianshou_dqn,
        torchrl_ppo,
    )
    from .recipes.sb3_vec_env import sb3_vec_env
else:

    def __getattr__(name: str) -> Any:
        """Import a name of this module from its home."""
        if name in _HOMES:
            return getattr(importlib.import_module(_HOMES[name], __name__), name)
        if name in __all__:
            return importlib.import_module(f".recipes.{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
