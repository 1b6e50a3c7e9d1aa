"""Any Game as a gymnasium.vector.VectorEnv: compiled loops step many tables.

One seat at each table learns against policies; in self-play the caller plays every seat.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..bits import mask_bytes_words
from ..game import NO_ACTION, NO_SEAT, Game, check_choice, check_range
from ..rng import check_seed, checked_seeds, fresh_seed, streams
from ..seating import illegal_action_message, player_streams
from ..tables import LOSS, Tables, action_masks, random_actions, strike_illegal
from ..threads import check_num_threads, run_parts, slices_of
from .common import ILLEGAL_ACTIONS, ObservationEncoder, given_deal, no_choice_error
from .episodes import Episodes

BLOCK = 32  # tables that a compiled loop plays at before it writes what their seats know

_Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class _Part(NamedTuple):
    """The tables of one thread, and records [block] that only it writes to."""

    rows: slice
    records: np.ndarray
    buffers: tuple[np.ndarray, ...]  # for `write_changes` from `records`


class TablesEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """`num_envs` tables of `game`; table i of seed s equals a single environment of seed s + i.

    `seat` and `opponents` are those of the single-seat environment. With `self_play` there are
    none: each step takes an action for the seat to act at each table, and its reward is that
    seat's. `observation`, `illegal_action` and `skip_forced` are as in the single-seat environment.
    Up to `num_threads` threads step the tables in compiled loops, each at least 256 of them; the
    arrays do not depend on it. Opponents that are not compiled are asked in one thread.

    A finished table is dealt anew in the same step (SAME_STEP). `info` holds `action_mask`
    int8 [N, A] and `seat` [N], of the seat that is shown and acts next; `returns` [N, seats], zero
    but for the tables that finished in this step, and for these, in Gymnasium's form, `final_obs`
    and `final_info`. All arrays are safe to keep.
    """

    _tables: Tables

    def __init__(
        self,
        game: Game,
        num_envs: int = 1,
        *,
        self_play: bool = False,
        seat: int | str = 0,
        opponents: Any = None,
        observation: str = "scaled",
        illegal_action: str = "lose",
        skip_forced: bool = False,
        num_threads: int = 1,
    ) -> None:
        check_range("num_envs", num_envs, 1, 2**31)
        check_num_threads(num_threads)
        check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        if self_play and (seat != 0 or opponents is not None):
            raise ValueError(
                "in self_play every seat is played from outside: no seat, no opponents"
            )
        self.game = game
        self.num_envs = num_envs
        self.num_threads = num_threads
        self.metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}
        self.illegal_action = illegal_action
        self.skip_forced = bool(skip_forced)
        self._encoder = ObservationEncoder(game, observation)
        self._episodes = None if self_play else Episodes(game, seat, opponents, self.skip_forced)
        self.single_observation_space = self._encoder.space()
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._is_started = False  # and self._tables, with the streams, made at the first reset
        self._seats = np.zeros(num_envs, np.int64)
        self._words = np.zeros((num_envs, game.num_mask_words), np.int64)
        self._finals = game.new_observations(num_envs)
        self._parts = self._new_parts()
        # The constant fields of each table, and all that `play_random` observes.
        self._numbers = self._new_numbers()

    def _new_parts(self) -> list[_Part]:
        slices = slices_of(self.num_envs, self.num_threads)
        blocks = [self.game.new_observations(BLOCK) for _ in slices]
        return [
            _Part(rows, records, self._encoder.block_buffers(records))
            for rows, records in zip(slices, blocks, strict=True)
        ]

    def _new_numbers(self) -> np.ndarray:
        return np.empty((self.num_envs, self._encoder.layout.num_inputs), self._encoder.dtype)

    def _new_mask_rows(self) -> np.ndarray:
        return np.empty((self.num_envs, mask_bytes_words(self.game.num_actions)), np.int64)

    # Gymnasium's interface

    def reset(
        self,
        *,
        seed: int | Sequence[int] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start games at all tables, from streams of `seed + i` or of a list with a seed per table.

        Without a seed the streams so far go on. `options={"deal": ...}` deals the same given
        position at every table. Raises ValueError for an impossible deal or an unknown option.
        """
        deal = given_deal(options)
        if seed is not None or not self._is_started:
            self._seed(seed)
        tables = self._tables
        if self._episodes is None:
            self._start_all(tables, deal)
            records = tables.observe(tables.all_rows, self._seats)
        else:
            self._start_episodes(self._episodes, deal)
            self._seats, records, self._words = tables.show(tables.all_rows)
        masks = action_masks(self._words, self.game.num_actions)
        returns = np.zeros((self.num_envs, self.game.num_seats))
        numbers = self._encoder.encode(records)
        for first, end in self._encoder.layout.constant_spans:
            self._numbers[:, first:end] = numbers[:, first:end]
        return numbers, self._info(masks, returns)

    def _seed(self, seed: int | Sequence[int] | None) -> None:
        if seed is None:
            seeds = np.array([fresh_seed() for _ in range(self.num_envs)])
        elif isinstance(seed, Sequence | np.ndarray):
            seeds = checked_seeds(seed)
        else:
            first = check_seed(seed)
            check_seed(first + self.num_envs - 1)
            super().reset(seed=first)
            seeds = first + np.arange(self.num_envs)
        if len(seeds) != self.num_envs:
            raise ValueError(f"{self.num_envs} tables need as many seeds; got {len(seeds)}")
        if self._episodes is None:
            self._tables = Tables(self.game, streams(seeds))
            self._player_rngs = player_streams(seeds, self.game.num_seats)
        else:
            self._episodes.seed(seeds)
            self._tables = self._episodes.tables
            self._player_rngs = self._episodes.player_rngs
        self._is_started = True

    def _start_all(self, tables: Tables, deal: Any) -> None:
        is_dealt = deal is not None
        if is_dealt:
            for row in tables.all_rows:
                tables.deal_from(int(row), deal)
        tables.start(tables.all_rows, is_dealt, self.skip_forced, self._seats, self._words)
        if (self._seats == NO_SEAT).any():
            raise no_choice_error(self.game)

    def _start_episodes(self, episodes: Episodes, deal: Any) -> None:
        if deal is None:
            episodes.start(episodes.tables.all_rows)
            return
        for row in episodes.tables.all_rows:
            episodes.start_from(int(row), deal)

    def step(self, actions: np.ndarray) -> _Step:
        """Play an action [N] for the seat shown at each table."""
        if not self._is_started:
            raise ValueError("call reset() before step()")
        played, illegal = self._judge(np.asarray(actions))
        actors = self._seats.copy()
        ended = np.zeros(self.num_envs, np.bool_)
        returns = np.zeros((self.num_envs, self.game.num_seats))
        if self._episodes is None or self._episodes.seating.is_compiled:
            numbers, masks = self._step_compiled(played, ended, returns)
        else:
            records, masks = self._step_episodes(self._episodes, played, ended, returns)
            numbers = self._encoder.encode(records)
        rewards = np.zeros(self.num_envs)
        info = self._info(masks, returns)
        if ended.any():
            rows = np.flatnonzero(ended)
            rewards[rows] = returns[rows, actors[rows]]
            self._add_final(info, rows, ended, illegal)
        return numbers, rewards, ended, np.zeros_like(ended), info

    def _judge(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Return the actions to play, with NO_ACTION where an illegal one loses, and where."""
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_envs} integers; got {actions.dtype} {actions.shape}"
            )
        played = actions.astype(np.int64)
        if strike_illegal(self._words, self.game.num_actions, played) == 0:
            return played, None
        illegal = played == NO_ACTION
        rows = np.flatnonzero(illegal)
        if self.illegal_action == "raise":
            mask = action_masks(self._words[rows[:1]], self.game.num_actions)[0]
            who = f"table {rows[0]}"
            raise ValueError(illegal_action_message(self.game, who, int(actions[rows[0]]), mask))
        if self.illegal_action == "random":
            played[rows] = random_actions(self._words, self._player_rngs, rows, self._seats)
            return played, None
        return played, illegal

    def _step_compiled(
        self, actions: np.ndarray, ended: np.ndarray, returns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play to the next choices from outside; return what the seats know, and their masks."""
        numbers, mask_rows = self._new_numbers(), self._new_mask_rows()

        def step(part: int) -> None:
            rows, records, buffers = self._parts[part]
            of_part = (self._words, mask_rows, ended, returns, self._finals)
            words, *results = (array[rows] for array in of_part)
            seen = (records, buffers, self._numbers[rows], numbers[rows])
            if self._episodes is not None:
                self._episodes.step(rows, actions[rows], words, *results, *seen)
                return
            tables = self._tables
            place = (tables.states[rows], tables.rngs[rows], actions[rows], self.skip_forced)
            tables.loops.step_tables(*place, self._seats[rows], words, *results, *seen)

        run_parts(step, len(self._parts))
        if self._episodes is not None:
            self._seats = self._episodes.seats
        return numbers, mask_rows.view(np.int8)[:, : self.game.num_actions]

    def _step_episodes(
        self, episodes: Episodes, actions: np.ndarray, ended: np.ndarray, returns: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Play the learner's ply at every table and all others' until its next."""
        tables = episodes.tables
        is_lost = actions == NO_ACTION
        rows = np.flatnonzero(~is_lost)
        episodes.play(rows, actions[rows])
        to_act, records, words = tables.show(tables.all_rows)
        ended[:] = is_lost | (to_act == NO_SEAT)
        over = np.flatnonzero(ended)
        if len(over):
            returns[over] = tables.returns(over)
            lost = np.flatnonzero(is_lost)
            returns[lost, self._seats[lost]] = LOSS
            self._finals[over] = tables.observe(over, self._seats[over])
            episodes.start(over)
            to_act[over], records[over], words[over] = tables.show(over)
        self._seats, self._words = to_act, words
        return records, action_masks(words, self.game.num_actions)

    def _info(self, masks: np.ndarray, returns: np.ndarray) -> dict[str, Any]:
        return {"action_mask": masks, "seat": self._seats.copy(), "returns": returns}

    def _add_final(
        self,
        info: dict[str, Any],
        rows: np.ndarray,
        ended: np.ndarray,
        illegal: np.ndarray | None,
    ) -> None:
        """The info on finished games that Gymnasium defines."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        for row, numbers in zip(rows, self._encoder.encode(self._finals[rows]), strict=True):
            final_obs[row] = numbers
        info["final_obs"], info["_final_obs"] = final_obs, ended.copy()
        final_info: dict[str, Any] = {"returns": info["returns"].copy(), "_returns": ended.copy()}
        if illegal is not None:
            final_info["illegal_action"] = illegal
            final_info["_illegal_action"] = illegal.copy()
        info["final_info"], info["_final_info"] = final_info, ended.copy()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_parts"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._parts = self._new_parts()  # because a copy of `buffers` would not show `records`

    # Beyond Gymnasium

    def play_random(self, num_plies: int, observe: bool = True) -> int:
        """Play random plies at every table in self-play, all in compiled code.

        Each seat draws from its own stream, as the player "random" does. With `observe` the
        observation and the mask of the next seat are written at every ply, as `step` writes them,
        else only the rules run. Returns how many games ended.
        """
        if self._episodes is not None or not self._is_started:
            raise ValueError("play_random needs self_play=True, and a reset() before it")
        mask_rows = self._new_mask_rows()
        actions = np.empty(self.num_envs, np.int64)
        loops = self._tables.loops

        def play(part: int) -> int:
            rows, records, buffers = self._parts[part]
            states, rngs = self._tables.states[rows], self._tables.rngs[rows]
            place = (states, rngs, self._player_rngs[rows], num_plies, self.skip_forced)
            shown = (self._seats[rows], self._words[rows])
            if not observe:
                return loops.random_playouts(*place, *shown)
            seen = (actions[rows], mask_rows[rows], records, buffers, self._numbers[rows])
            return loops.random_plies(*place, *shown, *seen)

        return sum(run_parts(play, len(self._parts)))
