"""One interface to any PettingZoo AEC or Gymnasium environment, and random play through it."""

import contextlib
import copy
from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np

from .report import CheckError, Trial

_LEARNER = "the learner"


# What was seen before each ply and the action, then what was seen at the end, and None.
Episode = list[tuple[Any, int | None]]


class AnyEnv:
    """A PettingZoo AEC environment, as the checks use it; `_Solo` has the same interface."""

    is_solo = False  # a Gymnasium environment
    remedy = "make one generator in reset(seed), and let it go on in reset()"

    def __init__(self, env: Any, trial: Trial) -> None:
        self.env, self.trial = env, trial
        self.agents: list[str] = list(getattr(env, "possible_agents", [_LEARNER]))
        self.total = np.zeros(len(self.agents))  # what each agent has earned in this episode
        self.unused = _copy_of_new(env)  # None where there is none

    @property
    def game(self) -> Any:
        """The Game that the environment plays; None where it shows none."""
        return getattr(self.env.unwrapped, "game", None)

    def reset(self, seed: int | None = None, deal: Any = None) -> None:
        """Start a new episode."""
        self.total = np.zeros(len(self.agents))
        self._reset(seed, None if deal is None else {"deal": deal})

    def _reset(self, seed: int | None, options: dict[str, Any] | None) -> None:
        self.env.reset(seed=seed, options=options)

    def who(self) -> str | None:
        """The agent to act; None when all are done."""
        return self.env.agent_selection if any(map(self._is_alive, self.env.agents)) else None

    def _is_alive(self, agent: str) -> bool:
        return not (self.env.terminations[agent] or self.env.truncations[agent])

    def observation(self, agent: str) -> Any:
        """What an agent observes now."""
        return self.env.observe(agent)

    def mask(self, agent: str) -> np.ndarray | None:
        """Its action mask; None where there are none."""
        observation = self.env.observe(agent)
        parts = observation if isinstance(observation, Mapping) else {}
        mask = parts.get("action_mask", self.env.infos.get(agent, {}).get("action_mask"))
        return None if mask is None else np.asarray(mask)

    def spaces(self, agent: str) -> tuple[Any, Any]:
        """Its observation space and its action space."""
        return self.env.observation_space(agent), self.env.action_space(agent)

    def step(self, action: int) -> np.ndarray:
        """Play one ply; return what each agent earns by it."""
        rewards = self._step(action)
        self.total = self.total + rewards
        return rewards

    def _step(self, action: int) -> np.ndarray:
        self.env.step(action)
        rewards = np.array([float(self.env.rewards.get(agent, 0.0)) for agent in self.agents])
        while (actor := self.who()) is not None and not self._is_alive(actor):
            self.env.step(None)  # removes an agent that is done in mid-game
        return rewards

    def ask_everything(self) -> None:
        """Call everything that should change nothing."""
        for agent in self.agents:
            self.mask(agent)
        if getattr(self.env, "render_mode", None) in ("ansi", "rgb_array"):
            self.env.render()
        if hasattr(self.env.unwrapped, "state_space"):
            self.env.state()
        if hasattr(self.env, "last"):
            self.env.last()

    def legal(self, agent: str) -> list[int]:
        """The legal actions of an agent: all where there are no masks."""
        mask = self.mask(agent)
        if mask is None:
            return list(range(int(self.spaces(agent)[1].n)))
        return np.flatnonzero(mask).tolist()

    def name_of(self, action: int) -> str:
        """The name of an action, its number where there is no `game`."""
        return str(action) if self.game is None else self.game.action_name(action)

    def look(self) -> Any:
        """Return what is seen now, comparable: the actor, its view and mask, all rewards so far."""
        agent = self.who()
        shown = None if agent is None else (self.observation(agent), self.mask(agent))
        return frozen((agent, shown, self.total))

    def play(self, seed: int | None = None) -> Episode:
        """Reset and play randomly to the end, by the same choices for all seeds."""
        episode: Episode = []
        for _, _, action in self.walk(seed, chooser_seed=0):
            episode.append((self.look(), action))
        return [*episode, (self.look(), None)]

    def goes_on(self, episode: Episode, asks: bool = False) -> bool:
        """Play these actions from here; return whether everything that is seen is the same.

        With `asks`, ask everything before each ply.
        """
        for shown, action in episode:
            if asks:
                self.ask_everything()
            if self.look() != shown:
                return False
            if action is not None:
                self.step(action)
        return True

    def walk(
        self, seed: int | None, deal: Any = None, chooser_seed: int | None = None
    ) -> Iterator[tuple[str, list[int], int]]:
        """Reset; yield the agent to act, its legal actions and a random one, and play that."""
        self.reset(seed, deal)
        chooser = np.random.default_rng(seed if chooser_seed is None else chooser_seed)
        for _ in range(self.trial.max_plies):
            agent = self.who()
            if agent is None:
                return
            legal = self.legal(agent)
            if not legal:
                raise CheckError("mask_empty", f"{agent} has to act, but nothing is legal")
            action = legal[int(chooser.integers(len(legal)))]
            yield agent, legal, action
            self.step(action)
        if self.who() is not None:
            problem = f"the game is not over after {self.trial.max_plies} plies"
            raise CheckError("ends", problem)


class _Solo(AnyEnv):
    """A Gymnasium environment: one seat."""

    is_solo = True
    _told: tuple[Any, Mapping[str, Any], bool] = (None, {}, True)  # seen, info, is over

    def _reset(self, seed: int | None, options: dict[str, Any] | None) -> None:
        self._told = (*self.env.reset(seed=seed, options=options), False)

    def who(self) -> str | None:
        return None if self._told[2] else _LEARNER

    def observation(self, agent: str) -> Any:
        return self._told[0]

    def mask(self, agent: str) -> np.ndarray | None:
        if "action_mask" in self._told[1]:
            return np.asarray(self._told[1]["action_mask"])
        ask = getattr(self.env.unwrapped, "action_masks", None)
        return None if ask is None else np.asarray(ask())

    def spaces(self, agent: str) -> tuple[Any, Any]:
        return self.env.observation_space, self.env.action_space

    def _step(self, action: int) -> np.ndarray:
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._told = observation, info, terminated or truncated
        return np.array([float(reward)])


def any_env(env: Any, trial: Trial) -> AnyEnv:
    """Return an environment with the interface for all. Raises TypeError where it is none."""
    if isinstance(env, gymnasium.Env):
        return _Solo(env, trial)
    if hasattr(env, "possible_agents") and hasattr(env, "agent_iter"):
        return AnyEnv(env, trial)
    raise TypeError(
        "check_game takes a Game, a PettingZoo AEC environment or a Gymnasium environment; "
        f"got {type(env).__name__}"
    )


def _copy_of_new(env: Any) -> Any:
    """A copy of an environment that was never reset, if it can be copied."""
    bare = env.unwrapped
    if not getattr(bare, "agents", None) and getattr(bare, "_np_random", None) is None:
        with contextlib.suppress(Exception):
            return copy.deepcopy(env)
    return None


def frozen(value: Any) -> Any:
    """Make observations comparable: arrays become their bytes."""
    if isinstance(value, Mapping):
        return tuple((key, frozen(value[key])) for key in sorted(value))
    if isinstance(value, tuple | list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), value.shape, value.tobytes()
    return value
