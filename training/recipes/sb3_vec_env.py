"""The vector environment as a `VecEnv` of stable-baselines3: one compiled step for all tables.

env = sb3_vec_env(game, 256, seat="random", opponents="random")
model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=4096)

New opponents play from the next reset on: call `env.env_method("set_opponents", "greedy")`, then
`model.learn(...)` without `reset_num_timesteps=False`.
"""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from ...baselines.environments import vector_env
from ...envs.core.environments.vector import TablesEnv
from ...envs.core.game import Game


class TablesVecEnv(VecEnv):
    """A `TablesEnv` with same-step autoreset, as learners of SB3 expect.

    MaskablePPO calls `env_method("action_masks")`, which gives bool [A] for each table. The info of
    a finished game has `terminal_observation`, and its return and length under `episode`.
    """

    def __init__(self, envs: TablesEnv) -> None:
        if envs.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise ValueError(f"stable-baselines3 needs SAME_STEP; got {envs.autoreset_mode}")
        if envs.self_play:
            raise ValueError(
                "learners of stable-baselines3 take all steps of a table for those of one seat, so "
                "self_play=True would credit a seat with what another earns; learn against copies "
                "of the model, as the recipe sb3_self_play does"
            )
        self.envs = envs
        super().__init__(envs.num_envs, envs.single_observation_space, envs.single_action_space)
        self._started = time.monotonic()

    def reset(self) -> Any:
        """Start games at all tables, from the seed of `seed()` if it was called before."""
        observations, _ = self.envs.reset(seed=self._seeds[0], options=self._options[0] or None)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: np.ndarray) -> None:
        """Take the actions [N] of the next step."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Return observations, rewards float32 [N], ends bool [N] and a list of N infos."""
        observations, rewards, ended, truncated, info = self.envs.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        over = ended | truncated
        for row in over.nonzero()[0]:
            infos[row] = {
                "terminal_observation": info["final_obs"][row],
                "TimeLimit.truncated": bool(truncated[row] and not ended[row]),
                "episode": {
                    "r": float(rewards[row]),
                    "l": int(info["length"][row]),
                    "t": time.monotonic() - self._started,
                },
            }
        return observations, rewards.astype(np.float32), over, infos

    def close(self) -> None:
        """Close the vector environment."""
        self.envs.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the chosen tables."""
        return self.env_method(attr_name, indices=indices)

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set a setting of all tables; see `TablesEnv.set_attr`."""
        self._need_all(attr_name, indices)
        self.envs.set_attr(attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Return the results of a method of the chosen tables; see `TablesEnv.call`."""
        if method_name == "set_opponents":
            self._need_all(method_name, indices)
        values = self.envs.call(method_name, *args, **kwargs)
        return [values[index] for index in self._get_indices(indices)]

    def _need_all(self, name: str, indices: Any) -> None:
        """Raise ValueError where only some tables are chosen for what all have in common."""
        if len(list(self._get_indices(indices))) < self.num_envs:
            raise ValueError(f"{name} is for all tables: leave out the indices, got {indices!r}")

    def get_images(self) -> Sequence[np.ndarray | None]:
        """Return a picture of each table."""
        return list(self.envs.render() or [None] * self.num_envs)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return False: tables have no wrappers."""
        return [False for _ in self._get_indices(indices)]


def sb3_vec_env(game: Game, num_envs: int, **options: Any) -> TablesVecEnv:
    """Make `num_envs` tables of a game for SB3; `options` are those of `gym.make_vec`."""
    return TablesVecEnv(vector_env(game, num_envs, **options))
