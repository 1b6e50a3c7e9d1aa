"""One interface to any PettingZoo AEC or Gymnasium environment, and random play through it."""

import copy
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from .report import CheckError, Trial

_LEARNER = "the learner"


class Moment(NamedTuple):
    """One ply of an episode, seen from outside."""

    agent: str
    seen: Any  # frozen: what the agent observed, and its mask
    action: int
    rewards: list[float]  # of all agents, after its action


class Choice(NamedTuple):
    """A turn, and a random action for it, to be taken by the loop that walks through a game."""

    agent: str
    legal: list[int]
    action: int


class AnyEnv:
    """A PettingZoo AEC environment, as the checks use it; `_Solo` has the same interface."""

    is_solo = False  # a Gymnasium environment
    remedy = "make one generator in reset(seed), and let it go on in reset()"

    def __init__(self, env: Any, trial: Trial) -> None:
        self.env, self.trial = env, trial
        self.agents: list[str] = list(getattr(env, "possible_agents", [_LEARNER]))
        self.unused = _copy_of_new(env)  # None where it had been reset

    @property
    def game(self) -> Any:
        """The Game that the environment plays; None where it shows none."""
        return getattr(self.env.unwrapped, "game", None)

    def reset(self, seed: int | None = None, deal: Any = None) -> None:
        """Start a new episode."""
        self.env.reset(seed=seed, options=None if deal is None else {"deal": deal})

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
        seen = self.env.observe(agent)
        told = seen if isinstance(seen, Mapping) else {}
        mask = told.get("action_mask", self.env.infos.get(agent, {}).get("action_mask"))
        return None if mask is None else np.asarray(mask)

    def spaces(self, agent: str) -> tuple[Any, Any]:
        """Its observation space and its action space."""
        return self.env.observation_space(agent), self.env.action_space(agent)

    def step(self, action: int) -> np.ndarray:
        """Play one ply; return what it earns each agent. Removes agents that are done by then."""
        self.env.step(action)
        rewards = np.array([float(self.env.rewards.get(agent, 0.0)) for agent in self.agents])
        while (actor := self.who()) is not None and not self._is_alive(actor):
            self.env.step(None)
        return rewards

    def ask_everything(self) -> None:
        """Call everything that should change nothing."""
        for agent in self.agents:
            self.mask(agent)
            self.observation(agent)
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

    def play(self, seed: int | None = None) -> list[Moment]:
        """Reset and play randomly to the end, by the same choices for all seeds."""
        self.reset(seed)
        return [self.act(choice.action) for choice in self._choices(0)]

    def walk(
        self, seed: int, deal: Any = None, total: np.ndarray | None = None
    ) -> Iterator[Choice]:
        """Reset, yield each turn and play it; add to `total` what each agent earns."""
        self.reset(seed, deal)
        for choice in self._choices(seed):
            yield choice
            rewards = self.step(choice.action)
            if total is not None:
                total += rewards

    def _choices(self, seed: int) -> Iterator[Choice]:
        """Yield turns until the game is over."""
        chooser, max_plies = np.random.default_rng(seed), self.trial.max_plies
        for _ in range(max_plies):
            agent = self.who()
            if agent is None:
                return
            legal = self.legal(agent)
            if not legal:
                raise CheckError("mask_empty", f"{agent} has to act, but nothing is legal")
            yield Choice(agent, legal, legal[int(chooser.integers(len(legal)))])
        if self.who() is not None:
            raise CheckError("ends", f"the game is not over after {max_plies} plies")

    def act(self, action: int) -> Moment:
        """Play one ply and return what was seen of it."""
        agent = str(self.who())
        seen = _frozen((self.observation(agent), self.mask(agent)))
        return Moment(agent, seen, action, self.step(action).tolist())


class _Solo(AnyEnv):
    """A Gymnasium environment: one seat."""

    is_solo = True
    _told: tuple[Any, Mapping[str, Any], bool] = (None, {}, True)  # seen, info, is over

    def reset(self, seed: int | None = None, deal: Any = None) -> None:
        options = None if deal is None else {"deal": deal}
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

    def step(self, action: int) -> np.ndarray:
        seen, reward, terminated, truncated, info = self.env.step(action)
        self._told = seen, info, terminated or truncated
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
    bare = env.unwrapped
    if getattr(bare, "agents", None) or getattr(bare, "_np_random", None) is not None:
        return None
    return copied(env, copy.deepcopy, "a copy of the new environment")


def copied(original: Any, copier: Callable[[Any], Any], what: str) -> Any:
    """Return copier(original). Raises CheckError where that fails."""
    try:
        return copier(original)
    except Exception as error:
        raise CheckError("copies", f"{what} fails: {type(error).__name__}: {error}") from error


def _frozen(value: Any) -> Any:
    """Make observations comparable: arrays become their bytes."""
    if isinstance(value, Mapping):
        return tuple((key, _frozen(value[key])) for key in sorted(value))
    if isinstance(value, tuple | list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, np.ndarray | np.generic):
        return str(value.dtype), value.shape, value.tobytes()
    return value
