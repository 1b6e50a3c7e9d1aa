"""Any Game as a PettingZoo AECEnv: one agent per seat, one ply per step.

`RawEnv` is the plain environment; `CheckedEnv` adds the behaviour of PettingZoo's usual wrappers
without their cost.
"""

from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from ..game import NO_SEAT, Game
from ..play.legal import illegal_action_message
from ..play.loops import LOSS, StepOptions
from ..rng import fresh_seed
from . import common
from .episodes import Episodes, TableViews
from .keywords import PETTINGZOO, with_keywords
from .notebook import environment_bundle, nothing_yet
from .rendering import WHOLE_TABLE, Renderer, check_render_seat, rendering

Observation = dict[str, np.ndarray]

_SET_BY_RESET = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
_PETTINGZOO_ERRORS = ("agent_iter", "render", "state")  # before reset
_CHECKER_OPTION = "options"  # PettingZoo's api_test resets every environment with it


@with_keywords(PETTINGZOO)
class RawEnv(TableViews, AECEnv[str, Observation, int | None]):
    """A table of `game`; seat k is agent `player_k`.

    An observation is `{"observation": [num_inputs], "action_mask": int8 [A]}`, or the array alone
    with `layout="flat"`, fresh at each call. `infos[agent]["action_mask"]` has the mask in both
    layouts; it is zero for seats that are not to act.
    Returns are the rewards of the last ply. An illegal action raises ValueError and changes
    nothing.

    Copies (deepcopy, pickle) keep position and random stream. The stream is made at the first
    reset, so copies made before it do not play the same deals.
    """

    if TYPE_CHECKING:  # PettingZoo has no types

        def last(
            self, observe: bool = True
        ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
            """Return the agent's observation, rewards, and whether its game is over."""

    def __init__(
        self,
        game: Game,
        *,
        observation: str = "scaled",
        layout: str = "dict",
        skip_forced: bool = False,
        render_mode: str | None = None,
        render_seat: int | str = WHOLE_TABLE,
    ) -> None:
        super().__init__()
        check_render_seat(game, render_seat, (WHOLE_TABLE,))
        self.game = game
        self.metadata = {
            "name": f"{game.name}_v{game.version}",
            **rendering(),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self._render_seat = common.shown_seat(render_seat, 0)
        self._renderer = Renderer(game, render_mode)
        encoder, options = common.ObservationEncoder(game, observation), StepOptions(skip_forced)
        self._episodes = Episodes(game, 1, encoder, options, keeps_plies=True)
        self._row = np.zeros(1, np.int64)
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._is_flat = layout == "flat"
        space = common.observation_space(game, encoder, layout)
        self.observation_spaces: dict[str, Any] = dict.fromkeys(self.possible_agents, space)
        self.action_spaces: dict[str, Any] = {
            agent: spaces.Discrete(game.num_actions) for agent in self.possible_agents
        }
        self._num_actions = game.num_actions
        self._no_actions = np.zeros(game.num_actions, np.int8)
        self._no_actions.flags.writeable = False

    # PettingZoo's interface

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations: the same object at each call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions: the same object at each call."""
        return self.action_spaces[agent]

    @property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        box, num_seats = self._episodes.encoder.space(), self.game.num_seats
        low, high = np.tile(box.low, num_seats), np.tile(box.high, num_seats)
        return spaces.Box(low, high, dtype=box.dtype)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Start a new game, from the stream of `seed` or, without one, from the current stream.

        `options={"deal": ...}` deals as given (see the game's README), `options={"position": ...}`
        starts from a position that `position_of` has read. Raises ValueError for an impossible deal
        or position and for an unknown option.
        """
        deal, _ = common.given_options(self.game, options, _CHECKER_OPTION)
        episodes = self._episodes
        if seed is not None or not episodes.is_started:
            episodes.seed([fresh_seed() if seed is None else seed], self._row)
        self.agents = []  # an error below leaves no game that could go on
        episodes.start(deal)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_actions} for agent in self.agents}
        self._skip_agent_selection = None
        self.agent_selection = self.possible_agents[episodes.shown_seats()[0]]
        self.infos[self.agent_selection] = {"action_mask": episodes.mask.copy()}

    def step(self, action: Any) -> None:
        """Play a ply for the agent to act; None for an agent whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent]:  # no game is ever truncated
            self._was_dead_step(action)
            return
        try:
            chosen = index(action)
        except TypeError:
            chosen = -1
        episodes = self._episodes
        if not 0 <= chosen < self._num_actions or not episodes.mask[chosen]:
            self._refuse(agent, action)
            return
        seat = episodes.play(chosen)
        infos = self.infos
        infos[agent] = {"action_mask": self._no_actions}
        if seat == NO_SEAT:
            self._finish(episodes.report.results["returns"][0].tolist())
        else:
            self.agent_selection = agent = self.possible_agents[seat]
            infos[agent] = {"action_mask": episodes.mask.copy()}

    def _refuse(self, agent: str, action: Any) -> None:
        raise ValueError(illegal_action_message(self.game, agent, action, self._episodes.mask))

    def _finish(self, rewards: list[float]) -> None:
        """All seats terminate together, each with its reward."""
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> Observation:
        """Return the observation of any agent, whichever is to act, in fresh arrays."""
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            numbers, mask = self._episodes.numbers.copy(), self._episodes.mask
        else:
            numbers, mask = self._look(self._seat_of[agent])[0], self._no_actions
        shown: Any = numbers  # with layout="flat"
        return shown if self._is_flat else {"observation": numbers, "action_mask": mask.copy()}

    def _look(self, seat: int) -> tuple[np.ndarray, np.record]:
        """Return what a seat knows, as numbers and as a record; the buffers stay as they are."""
        episodes = self._episodes
        episodes.look(seat)
        numbers, record = episodes.numbers.copy(), episodes.report.records.copy()[0]
        episodes.look(self._seat_of[self.agent_selection])
        return numbers, record

    def state(self) -> np.ndarray:
        """Return the observations of all seats one after another, [n * num_inputs]."""
        self._check_started("state")
        return self._episodes.knowledge()[0]

    def render(self) -> str | np.ndarray | None:
        """Return the table as text or uint8 [H, W, 3], or None after showing it in a window."""
        self._check_started("render")
        return self._renderer.render(self._tables.states[0], self._render_seat)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows: the game so far with the controls of a replay."""
        if not self._episodes.is_started:
            return nothing_yet(self)
        return environment_bundle(self, self._tables, self._render_seat)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    # Beyond PettingZoo

    def describe(self, agent: str) -> str:
        """Return the table as text, as `agent` may see it: for people and language models.

        `game.action_name(action)` names the actions of its mask.
        """
        self._check_started("describe")
        return self.game.describe(self._tables.states[0], self._seat_of[agent])

    def record(self, agent: str) -> np.record:
        """Return the observation of `agent` as a record with named fields, as policies read it.

        A flat observation leaves out the fields that are no inputs of a network.
        """
        return self._look(self._seat_of[agent])[1]

    def determinize(self, agent: str, rng: np.ndarray | None = None) -> np.record:
        """Sample a position of the information set of `agent`, for policies that search.

        `rng` is a stream array [1] to draw from; without one a fresh stream is made.
        """
        return self._episodes.determinize(np.array([self._seat_of[agent]]), rng)[0]


@with_keywords(PETTINGZOO)
class CheckedEnv(RawEnv):
    """`RawEnv` with the behaviour of PettingZoo's usual wrappers, in one class.

    An illegal action ends the game: the agent gets -1, all others 0 (TerminateIllegalWrapper).
    A value outside the action space raises ValueError, as in `RawEnv`. Use before reset, and
    agent_iter() without steps, raise (OrderEnforcingWrapper). The stock wrappers forward each
    attribute through `__getattr__`, several times slower.
    """

    _has_updated = False

    def __getattr__(self, name: str) -> Any:
        """Say why an attribute is missing."""
        if name in _SET_BY_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """As `RawEnv.reset`."""
        super().reset(seed, options)
        self._has_updated = True

    def step(self, action: Any) -> None:
        """As `RawEnv.step`, but an illegal action ends the game with -1."""
        if not self._episodes.is_started:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        RawEnv.step(self, action)  # super() is slower

    def _refuse(self, agent: str, action: Any) -> None:
        if not self.action_space(agent).contains(action):
            raise common.outside_error(self._num_actions, action)
        EnvLogger.warn_on_illegal_move()
        self.infos[agent] = {"action_mask": self._no_actions}
        self._finish([LOSS if other == agent else 0.0 for other in self.agents])

    def observe(self, agent: str) -> Observation:
        """As `RawEnv.observe`."""
        if not self._episodes.is_started:
            EnvLogger.error_observe_before_reset()
        return RawEnv.observe(self, agent)

    def _check_started(self, method: str) -> None:
        if not self._episodes.is_started and method in _PETTINGZOO_ERRORS:
            getattr(EnvLogger, f"error_{method}_before_reset")()
        super()._check_started(method)

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int | None]:
        """Yield the agent to act until all agents are done; call `step` once after each."""
        self._check_started("agent_iter")
        return _OrderedIterable(self, max_iter)


class _OrderedIterable(AECIterable[str, Observation, int | None]):
    def __iter__(self) -> "_OrderedIterator":
        return _OrderedIterator(self.env, self.max_iter)


class _OrderedIterator(AECIterator[str, Observation, int | None]):
    def __next__(self) -> str:
        agent = super().__next__()
        assert self.env._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._has_updated = False
        return agent
