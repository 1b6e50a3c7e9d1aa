"""PettingZoo's AEC environments for the audit, by the path of their module."""

import importlib
from collections.abc import Hashable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from parlour.envs.core.checks.any_env import AnyEnv
from parlour.envs.core.checks.report import Trial

from .audit import INFO, Subject
from .rlcard_games import ADDRESS, SteppedPosition, notes_of

_TRIAL = Trial(range(0), None, True, 0)


class ZooPosition(SteppedPosition):
    """A position of an environment, as `AnyEnv` shows it."""

    def __init__(self, env: AnyEnv) -> None:
        super().__init__(env, getattr(env.env.unwrapped, "env", None), len(env.agents))

    def actor(self) -> int | None:
        """Return the index of the agent to act; None at the end."""
        agent = self.env.who()
        return None if agent is None else self.env.agents.index(agent)

    def legal(self) -> Sequence[int]:
        """Return the legal actions."""
        return self.env.legal(self.env.env.agent_selection)

    def views(self, seat: int) -> Mapping[str, Hashable]:
        """Return what an agent observes, its mask, its info and what it has earned."""
        agent = self.env.agents[seat]
        observation = self.env.observation(agent)
        parts = observation if isinstance(observation, Mapping) else {"observation": observation}
        infos = self.env.env.infos.get(agent, {})
        return {
            **{str(name): _readable(part) for name, part in parts.items()},
            **{f"{INFO}{name}": _readable(part) for name, part in infos.items()},
            "rewards": float(self.env.total[seat]),
        }


def _readable(value: Any) -> Hashable:
    """Return a value as numbers and texts in nested tuples, which a finding can quote."""
    if isinstance(value, np.ndarray | np.generic):
        return _readable(value.tolist())
    if isinstance(value, Mapping):
        return tuple((str(key), _readable(value[key])) for key in sorted(value, key=str))
    if isinstance(value, list | tuple):
        return tuple(map(_readable, value))
    return value if isinstance(value, str | int | float) else ADDRESS.sub("", repr(value))


def zoo_subject(path: str) -> Subject:
    """Return the environment of a module such as `pettingzoo.classic.leduc_holdem_v4`.

    Raises ValueError where there is no such module, or no AEC environment in it.
    """
    try:
        env = importlib.import_module(path).env()
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path} is no module with a PettingZoo env(): {error}") from error
    rlcard = getattr(env.unwrapped, "env", None)
    played = AnyEnv(env, _TRIAL)

    def start(seed: int) -> ZooPosition:
        played.reset(seed)
        return ZooPosition(played)

    packages = {one.partition(".")[0]: None for one in (path, type(rlcard).__module__)}
    packages.pop("builtins", None)
    versions = " on ".join(map(_with_version, packages))
    return Subject(path, versions, start, notes_of(rlcard), declares_returns=False)


def _with_version(package: str) -> str:
    """Name a package with its version, which one that is not installed has not."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
