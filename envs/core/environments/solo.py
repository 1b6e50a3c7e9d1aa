"""Any Game as a gymnasium.Env: you play one seat, and policies play the others."""

from operator import index
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding

from ..game import NO_SEAT, Game, check_choice
from ..play.legal import illegal_action_message
from ..play.tables import random_actions
from ..rng import check_seed, fresh_seed
from . import common
from .episodes import Episodes
from .keywords import SOLO, with_keywords
from .notebook import environment_bundle, nothing_yet
from .one_table import OneTable
from .rendering import LEARNING_SEAT, WHOLE_TABLE, Renderer, check_render_seat, rendering


@with_keywords(SOLO)
class SoloEnv(gymnasium.Env[Any, Any]):
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
        check_choice("skip_forced", skip_forced, (False, True))
        self.game = game
        self.layout = layout
        self.illegal_action = illegal_action
        self.metadata = rendering()
        self.render_mode = render_mode
        self.render_seat = render_seat
        self._renderer = Renderer(game, render_mode)
        self._encoder = common.ObservationEncoder(game, observation)
        self._episodes = Episodes(game, seat, opponents, skip_forced, keeps_plies=True)
        self._illegal_ends = common.IllegalEnds()
        self.observation_space = common.observation_space(game, self._encoder, layout)
        self.action_space = spaces.Discrete(game.num_actions)
        self._row = np.zeros(1, np.int64)
        self._num_actions, self._num_seats = game.num_actions, game.num_seats
        self._is_started = False
        self._is_over = True
        self._generator: np.random.Generator | None = None
        self._mask = np.zeros(game.num_actions, np.int8)

    def _link(self) -> None:
        """Make the compiled step."""
        self._table.link(self._episodes.seating, self._episodes.draws())
        self._mask, self._numbers = self._table.mask, self._table.numbers
        self._find_seat()

    def _find_seat(self) -> None:
        """Look up your seat, which may be drawn for each game."""
        self._seat = int(self._episodes.learners()[0])

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
        if seed is not None or not self._is_started:
            self._seed(fresh_seed() if seed is None else check_seed(seed))
        self._is_over = True  # an error below leaves no game that could go on
        if self._episodes.renew():
            self._link()
        self._table.start(deal)
        self._find_seat()
        self._is_over = False
        return self._shown()

    def _seed(self, seed: int) -> None:
        episodes = self._episodes
        episodes.seed([seed], self._row)
        self._generator, self._np_random_seed = None, seed
        if not self._is_started:
            self._table = OneTable(episodes.tables, self._encoder)
            self._link()
        self._is_started = True

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
        if not self._mask[chosen]:
            replacement = self._replace(action)
            if replacement is None:
                self._table.play(chosen)
                return self._end()
            chosen = replacement
        self._is_over = True  # if an opponent fails
        if self._table.play(chosen) == NO_SEAT:
            return self._end()
        self._is_over = False
        observation, info = self._shown()
        return observation, 0.0, False, False, info

    def _end(self) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Return what a step returns that ends the episode."""
        self._is_over = True
        observation, info = self._shown()
        result = self._table.report.results[0]
        info["returns"] = result["returns"].copy()
        info["illegal_action"] = bool(result["illegal"])
        self._illegal_ends.note(1, int(result["illegal"]))
        return observation, float(info["returns"][info["seat"]]), True, False, info

    def _replace(self, action: Any) -> int | None:
        """The action to play in place of an illegal one; None if it loses the game."""
        if self.illegal_action == "raise":
            raise ValueError(illegal_action_message(self.game, "you", action, self._mask))
        if self.illegal_action == "lose":
            return None
        words, episodes = self._table.tables.masks, self._episodes
        seats = np.array([self._seat])
        return int(random_actions(words, episodes.player_rngs, self._row, seats)[0])

    def _shown(self) -> tuple[Any, dict[str, Any]]:
        """Return the observation and the info, copied from the buffers."""
        numbers = self._numbers.copy()
        info = {  # the same keys at every step: wrappers that record infos need that
            "action_mask": self._mask.copy(),
            "seat": self._seat,
            "returns": np.zeros(self._num_seats),
            "illegal_action": False,
        }
        if self.layout == "dict":
            return {"observation": numbers, "action_mask": self._mask.copy()}, info
        return numbers, info

    def __getstate__(self) -> dict[str, Any]:
        return common.state_without(self, ("_mask", "_numbers"))  # made from other attributes

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._is_started:
            self._link()

    def action_masks(self) -> np.ndarray:
        """Return the legal actions, bool [A], in the form that sb3-contrib needs."""
        return self._mask.astype(bool)

    def state(self) -> np.ndarray:
        """Return the observations of all seats from seat 0 on, [seats * num_inputs].

        For a central critic: it contains what the other seats know, so no player may see it. Below
        wrappers it is `env.unwrapped.state()`.
        """
        common.check_started(self._is_started, "state")
        return common.seen_by_all(self._episodes.tables, self._encoder)[0]

    def set_opponents(self, opponents: Any) -> None:
        """Change the opponents, in any form of `opponents`, from the next `reset()` on.

        The game in progress goes on with those it has. Raises ValueError for impossible ones, and
        then changes nothing.
        """
        self._episodes.set_opponents(opponents)

    def states(self) -> np.ndarray:
        """Return a copy of the position [1], as `position_of` gives it."""
        common.check_started(self._is_started, "position_of")
        return self._episodes.tables.states.copy()

    def determinize(self, rng: np.ndarray | None = None) -> np.record:
        """Sample a position of your information set, for policies that search.

        `rng` is a stream array [1] to draw from; without one a fresh stream is made.
        """
        common.check_started(self._is_started, "determinize")
        return self._table.determinize(self._seat, rng)

    def render(self) -> str | np.ndarray | None:
        """Return the table as text or uint8 [H, W, 3], or None after showing it in a window."""
        common.check_started(self._is_started, "render")
        return self._renderer.render(self._episodes.tables.states[0], self._shown_seat())

    def _shown_seat(self) -> int | None:
        return common.shown_seat(self.render_seat, self._seat)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        """Return what a notebook shows: the game so far with the controls of a replay."""
        if not self._is_started:
            return nothing_yet(self)
        episodes = self._episodes
        policies = (episodes.seating.policy_at(0, seat) for seat in range(self.game.num_seats))
        names = ["you" if policy is None else policy.name for policy in policies]
        return environment_bundle(self, self._table.tables, self._shown_seat(), names)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
