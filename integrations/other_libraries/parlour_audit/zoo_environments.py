"""PettingZoo's AEC environments for the audit, by the path of their module."""

import importlib
from collections.abc import Hashable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from parlour.envs.core.checks.any_env import AnyEnv, frozen
from parlour.envs.core.checks.report import Trial

from .audit import Subject
from .rlcard_games import SteppedPosition, notes_of

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
        seen = self.env.observation(agent)
        parts = seen if isinstance(seen, Mapping) else {"observation": seen}
        return {
            **{name: frozen(part) for name, part in parts.items()},
            "info": frozen(self.env.env.infos.get(agent, {})),
            "rewards": float(self.env.total[seat]),
        }


def zoo_subject(path: str) -> Subject:
    """Return the environment of a module such as `pettingzoo.classic.leduc_holdem_v4`.

    Raises ValueError where there is no such module, or no AEC environment in it.
    """
    try:
        env = importlib.import_module(path).env()
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path} is no module with a PettingZoo env(): {error}") from error
    notes = notes_of(getattr(env.unwrapped, "env", None))
    played = AnyEnv(env, _TRIAL)

    def start(seed: int) -> ZooPosition:
        played.reset(seed)
        return ZooPosition(played)

    return Subject(
        path, _with_version(path.partition(".")[0]), start, notes, declares_returns=False
    )


def _with_version(package: str) -> str:
    """Name a package with its version, which one that is not installed has not."""
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return package
