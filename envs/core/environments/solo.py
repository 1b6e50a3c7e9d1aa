"""Any Game as a gymnasium.Env: you play one seat, and policies play the others."""

from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from ..bits import random_allowed
from ..game import NO_SEAT, Game, check_choice
from ..play.legal import illegal_action_message
from ..play.loops import StepOptions
from ..rng import check_seed, fresh_seed
from . import common
from .episodes import Episodes, TableViews
from .keywords import SOLO, with_keywords
from .notebook import environment_bundle, nothing_yet
from .rendering import LEARNING_SEAT, WHOLE_TABLE, Renderer, check_render_seat, rendering


@with_keywords(SOLO)
class SoloEnv(TableViews, gymnasium.Env[Any, Any]):
    """One learning seat at a table of `game`; a step is your ply and all plies until your next.

    Here, below `gym.make`, opponents are policies, not names.

    `info` always has `action_mask`, int8 [A]; `seat`, your place; `returns` of all seats, 0 before
    the end, where yours is the reward; and `illegal_action`, whether one ended the game.
    """

    def __init__(  # noqa: PLR0913 (a keyword for each setting)
        self,
        game: Game,
        *,
        opponents: Any,
        seat: int | str = 0,
        layout: str = "flat",
        observation: str = "scaled",
        illegal_action: str = "lose",
        skip_forced: bool = False,
        render_mode: str | None = None,
        render_seat: int | str = LEARNING_SEAT,
    ) -> None:
        check_render_seat(game, render_seat, (LEARNING_SEAT, WHOLE_TABLE))
        check_choice("illegal_action", illegal_action, common.ILLEGAL_ACTIONS)
        self.game = game
        self.layout = layout
        self.illegal_action = illegal_action
        self.metadata = rendering()
        self.render_mode = render_mode
        self.render_seat = render_seat
        self._renderer = Renderer(game, render_mode)
        encoder, options = common.ObservationEncoder(game, observation), StepOptions(skip_forced)
        self._episodes = Episodes(game, 1, encoder, options, seat, opponents, keeps_plies=True)
        self._illegal_ends = common.IllegalEnds()
        self.observation_space = common.observation_space(game, encoder, layout)
        self.action_space = spaces.Discrete(game.num_actions)
        self._row = np.zeros(1, np.int64)
        self._num_actions, self._num_seats = game.num_actions, game.num_seats
        self._is_over = True
        self._generator: np.random.Generator | None = None

    @property
    def _np_random(self) -> np.random.Generator | None:
        """Gymnasium's generator, made when first used, because seeding it is slow."""
        if self._generator is None and self._np_random_seed is not None:
            self._generator, self._np_random_seed = seeding.np_random(self._np_random_seed)
        return self._generator

    @_np_random.setter
    def _np_random(self, generator: np.random.Generator | None) -> None:
        self._generator = generator

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start a new game, from the stream of `seed` or, without one, from the current stream.

        `options={"deal": ...}` deals as given (see the game's README), `options={"position": ...}`
        starts from a position that `position_of` has read. Raises ValueError for an impossible deal
        or position and for an unknown option.
        """
        (deal,) = common.given_options(self.game, options)
        if seed is not None or not self._episodes.is_started:
            seed = fresh_seed() if seed is None else check_seed(seed)
            self._episodes.seed([seed], self._row)
            self._generator, self._np_random_seed = None, seed
        self._is_over = True  # an error below leaves no game that could go on
        self._episodes.start(deal)
        self._seat = int(self._episodes.learners()[0])
        self._is_over = False
        return self._shown()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play your ply, then the others', until you must act again or the game is over.

        Raises ValueError for a value outside the action space, and PlayerError where an opponent
        fails. After an opponent's error the episode cannot go on.
        """
        if self._is_over:
            raise ValueError(
                "the episode is over, was stopped by an error, or has not begun: call reset()"
            )
        try:
            chosen = index(action)
        except TypeError:
            raise common.outside_error(self._num_actions, action) from None
        if not 0 <= chosen < self._num_actions:
            raise common.outside_error(self._num_actions, action)
        if not self._episodes.mask[chosen]:
            chosen = self._replace(chosen)
        self._is_over = True  # if an opponent fails
        if self._episodes.play(chosen) == NO_SEAT:
            return self._end()
        self._is_over = False
        observation, info = self._shown()
        return observation, 0.0, False, False, info

    def _end(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what a step returns that ends the episode."""
        self._is_over = True
        observation, info = self._shown()
        result = self._episodes.report.results[0]
        info["returns"] = result["returns"].copy()
        info["illegal_action"] = bool(result["illegal"])
        self._illegal_ends.note(1, int(result["illegal"]))
        return observation, float(info["returns"][info["seat"]]), True, False, info

    def _replace(self, action: int) -> int:
        """Return the action to play in place of an illegal one, which may be itself, and lose."""
        episodes = self._episodes
        if self.illegal_action == "raise":
            raise ValueError(illegal_action_message(self.game, "you", action, episodes.mask))
        if self.illegal_action == "lose":
            return action
        return int(random_allowed(self._tables.masks[0], episodes.player_rngs[0, self._seat]))

    def _shown(self) -> tuple[Any, dict[str, Any]]:
        """Return the observation and the info, copied from the buffers."""
        episodes = self._episodes
        numbers = episodes.numbers.copy()
        info = {  # the same keys at every step: wrappers that record infos need that
            "action_mask": episodes.mask.copy(),
            "seat": self._seat,
            "returns": np.zeros(self._num_seats),
            "illegal_action": False,
        }
        if self.layout == "dict":
            return {"observation": numbers, "action_mask": episodes.mask.copy()}, info
        return numbers, info

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool [A], in the form that sb3-contrib needs."""
        if not self._episodes.is_started:
            return np.zeros(self.game.num_actions, np.bool_)
        return self._episodes.mask.astype(bool)

    def state(self) -> np.ndarray:
        """Return the observations of all seats from seat 0 on, [seats * num_inputs].

        For a central critic: it contains what the other seats know, so no player may see it. Below
        wrappers it is `env.unwrapped.state()`.
        """
        self._check_started("state")
        return self._episodes.knowledge()[0]

    def set_opponents(self, opponents: Any) -> None:
        """Change the opponents, in any form of `opponents`, from the next `reset()` on.

        The game in progress goes on with those it has. Raises ValueError for impossible ones, and
        then changes nothing.
        """
        self._episodes.set_opponents(opponents)

    def determinize(self, rng: np.ndarray | None = None) -> np.record:
        """Sample a position of your information set, for policies that search.

        `rng` is a stream array [1] to draw from; without one a fresh stream is made.
        """
        self._check_started("determinize")
        return self._episodes.determinize(np.array([self._seat]), rng)[0]

    def render(self) -> str | np.ndarray | None:
        """Return the table as text or uint8 [H, W, 3], or None after showing it in a window."""
        self._check_started("render")
        return self._renderer.render(self._tables.states[0], self._shown_seat())

    def _shown_seat(self) -> int | None:
        return common.shown_seat(self.render_seat, self._seat)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows: the game so far with the controls of a replay."""
        if not self._episodes.is_started:
            return nothing_yet(self)
        episodes = self._episodes
        policies = (episodes.seating.policy_at(0, seat) for seat in range(self.game.num_seats))
        names = ["you" if policy is None else policy.name for policy in policies]
        return environment_bundle(self, self._tables, self._shown_seat(), names)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
