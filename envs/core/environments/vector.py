"""Any Game as a gymnasium.vector.VectorEnv: compiled loops step many tables.

One seat at each table learns against policies; in self-play the caller plays every seat.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..bits import is_legal, mask_rows_as_bytes, random_allowed
from ..compile import entry_point, rule
from ..game import Game, check_choice, check_range
from ..play.legal import illegal_action_message
from ..play.loops import LEAVE, NEW_GAME, NO_ROW, Report, StepOptions
from ..play.slices import check_num_threads, play_slices
from ..play.tables import action_masks
from ..rng import check_seed, checked_seeds, fresh_seed
from . import common
from .episodes import Episodes, TableViews
from .keywords import VECTOR, with_keywords
from .rendering import LEARNING_SEAT, WHOLE_TABLE, Renderer, check_render_seat, rendering

# What `call` answers for each table, and what it answers alike for all, with its attribute.
_PER_TABLE = ("action_masks", "determinize", "render", "set_opponents", "state")
_OF_ALL_TABLES = {
    **{name: name for name in ("game", "layout", "metadata", "render_mode", "render_seat", "spec")},
    **{name: name for name in ("illegal_action", "skip_forced")},
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
}
# Beside what `info` says of the games that have ended: where they are.
_FINAL_KEYS = ("_action_mask", "_seat", "_returns", "_illegal_action", "_length")

_Step = tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


@with_keywords(VECTOR)
class TablesEnv(TableViews, VectorEnv[Any, np.ndarray, np.ndarray]):
    """`num_envs` tables of `game`; table i of seed s equals a single environment of seed s + i.

    Here, below `gym.make_vec`, opponents are policies, not names. With compiled opponents and
    SAME_STEP, each of up to `num_threads` threads steps at least 2,048 tables; else one steps all.

    `info` holds `action_mask` int8 [N, A] and `seat` [N], of the seat that is shown and acts next;
    and of games that ended in this step `returns` [N, seats], `length` [N], their number of steps,
    and `illegal_action` bool [N], where one lost; at the other tables these are zero. In self-play
    the reward is that of the seat that has acted last. To reward every seat: when the game at table
    i ends, each decision of seat k in its last `length[i]` steps has earned `returns[i, k]`.

    `autoreset_mode` is Gymnasium's. With SAME_STEP a finished table starts a new game in the same
    step; its last observation is in `final_obs`, and its last info in `final_info`. With NEXT_STEP
    and DISABLED it shows its last observation, and an empty mask unless it was truncated; NEXT_STEP
    then ignores its action in the next step and deals, DISABLED waits for
    `reset(options={"reset_mask": ...})`.

    `render()` returns a tuple with the text ("ansi") or the pixels ("rgb_array") of each table;
    "human" shows the first one in a window. All arrays are safe to keep.
    """

    closed = True  # until it is made: Gymnasium before 1.3 also closes what `__init__` refuses

    def __init__(  # noqa: PLR0913 (a keyword for each setting)
        self,
        game: Game,
        num_envs: int = 1,
        *,
        self_play: bool = False,
        seat: int | str = 0,
        opponents: Any = None,
        layout: str = "flat",
        observation: str = "scaled",
        illegal_action: str = "lose",
        skip_forced: bool = False,
        num_threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        render_seat: int | str | None = None,
    ) -> None:
        check_range("num_envs", num_envs, 1, 2**31)
        check_num_threads(num_threads)
        check_choice("illegal_action", illegal_action, common.ILLEGAL_ACTIONS)
        check_choice("self_play", self_play, (False, True))
        if self_play and (seat != 0 or opponents is not None):
            raise _self_play_error()
        self.game = game
        self.num_envs = num_envs
        self.num_threads = num_threads
        self.self_play = self_play
        self.autoreset_mode = _chosen_mode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode, **rendering()}
        self.render_mode = render_mode
        default_seat = WHOLE_TABLE if self_play else LEARNING_SEAT
        self.render_seat = default_seat if render_seat is None else render_seat
        check_render_seat(game, self.render_seat, (LEARNING_SEAT, WHOLE_TABLE))
        self._renderer = Renderer(game, render_mode)
        self.illegal_action = illegal_action
        self._illegal_ends = common.IllegalEnds()
        self.layout = layout
        self._max_steps = common.step_limit(max_episode_steps)
        self.skip_forced = skip_forced
        deals_again = self.autoreset_mode is AutoresetMode.SAME_STEP
        options = StepOptions(skip_forced, deals_again=deals_again)
        encoder = common.ObservationEncoder(game, observation)
        players = (None, ()) if self_play else (seat, opponents)
        self._episodes = Episodes(game, num_envs, encoder, options, *players)
        self.single_observation_space = common.observation_space(game, encoder, layout)
        self.single_action_space = spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._is_ready = False  # whether it can step: after an error, not before reset() of all
        self._leave_over(np.zeros(num_envs, np.bool_))
        self.closed = False

    # Gymnasium's interface

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Start games at all tables, from streams of `seed + i` or of a list with a seed per table.

        Without a seed the current streams continue, as do those of tables with None in the list.
        `options={"deal": ...}` deals the same given position at every table, and
        `options={"position": ...}` starts from one that `position_of` has read;
        `options={"reset_mask": ...}`, bool [N], starts only the games chosen, and leaves the others
        as they are. Raises ValueError for an impossible deal or an unknown option.
        """
        deal, rows = self._given_options(options)
        if seed is not None or not self._episodes.is_started:
            self._seed(seed, rows)
        self._is_ready = False  # an error below leaves no games that could go on
        is_over = self._is_over.copy()
        is_over[rows] = False
        self._leave_over(is_over)
        report = self._new_report()
        self._episodes.start(deal, rows, report, self.num_threads)
        self._is_ready = True
        return self._shown(report), self._info(report)

    def _given_options(self, options: dict[str, Any] | None) -> tuple[Any, np.ndarray]:
        """Return the deal, or None, and the tables to start games at [K]."""
        deal, chosen = common.given_options(self.game, options, "reset_mask")
        if chosen is None:
            return deal, np.arange(self.num_envs)
        mask = np.asarray(chosen)
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ValueError(
                f"reset_mask must be {self.num_envs} booleans with at least one True; "
                f"got {mask.dtype} {mask.shape}"
            )
        if not self._is_ready and not mask.all():
            raise ValueError("the first reset() and one after an error start games at all tables")
        return deal, np.flatnonzero(mask)

    def _seed(self, seed: int | Sequence[int | None] | None, rows: np.ndarray) -> None:
        """Make the streams of these tables anew, except where a list has None and they go on."""
        if isinstance(seed, Sequence | np.ndarray) and np.asarray(seed).ndim > 0:
            if len(seed) != self.num_envs:
                raise ValueError(f"{self.num_envs} tables need as many seeds; got {len(seed)}")
            if self._episodes.is_started:
                rows = rows[[seed[row] is not None for row in rows]]
            seeds = checked_seeds([fresh_seed() if one is None else one for one in seed])
        else:
            first = fresh_seed() if seed is None else check_seed(seed)
            check_seed(first + self.num_envs - 1)
            super().reset(seed=first)
            seeds = first + np.arange(self.num_envs)
        self._episodes.seed(seeds[rows], rows)

    def step(self, actions: np.ndarray) -> _Step:
        """Play an action [N] for the seat shown at each table.

        Raises ValueError for other arrays, and PlayerError where an opponent fails. After an
        opponent's error no game can go on.
        """
        if not self._is_ready:
            raise ValueError("call reset() before step(), and after an error in either")
        commands = self._commands(np.asarray(actions))
        self._is_ready = False  # if an opponent fails
        if self._has_over:
            self._leave_over(np.zeros_like(self._is_over))
        report = self._new_report()
        self._play(commands, report)
        results, info = report.results, self._info(report)
        ended, truncated = results["ended"], self._truncated(results)
        if np.count_nonzero(ended) or np.count_nonzero(truncated):
            info |= self._end(report, info, truncated)
        self._is_ready = True
        return self._shown(report), results["reward"], ended, truncated, info

    def _leave_over(self, is_over: np.ndarray) -> None:
        """Note where games that are over still lie."""
        self._is_over, self._has_over = is_over, bool(is_over.any())

    def _truncated(self, results: np.ndarray) -> np.ndarray:
        """Return bool [N], where the step was the last that is allowed."""
        if self._max_steps is None:
            return np.zeros(self.num_envs, np.bool_)
        return self._tables.progress["steps"] + results["length"] >= self._max_steps

    def _end(self, report: Report, info: dict[str, Any], truncated: np.ndarray) -> dict[str, Any]:
        """Deal again where games were truncated, or leave them; return what `info` says of ends."""
        results = report.results
        ended, illegal = results["ended"], results["illegal"]
        self._illegal_ends.note(int(np.count_nonzero(ended)), int(np.count_nonzero(illegal)))
        over = truncated | ended
        cut = (over & ~ended).nonzero()[0]
        if len(cut):
            results["length"][cut] = self._tables.progress["steps"][cut]
        if self.autoreset_mode is not AutoresetMode.SAME_STEP:
            self._leave_over(over)
            return {}
        masks = np.zeros((self.num_envs, self.game.num_actions), np.int8)
        actors = results["actor"].copy()
        if len(cut):
            masks[cut], actors[cut] = self._masks(report)[cut], results["seat"][cut]
            report.finals[cut] = report.numbers[cut]
            commands = np.full(self.num_envs, LEAVE)
            commands[cut] = NEW_GAME
            self._play(commands, report)
        at_end = info | {"action_mask": masks, "seat": actors} | dict.fromkeys(_FINAL_KEYS, over)
        return {
            "final_obs": self._final_observations(over.nonzero()[0], report.finals, masks),
            "_final_obs": over,
            "final_info": at_end,
            "_final_info": over,
        }

    def _final_observations(
        self, rows: np.ndarray, numbers: np.ndarray, masks: np.ndarray
    ) -> np.ndarray:
        """Return objects [N]: the last observations of games that have ended, None elsewhere."""
        finals = np.empty(self.num_envs, object)
        finals[rows] = np.fromiter(numbers[rows], object, len(rows))
        if self.layout == "dict":
            for row in rows:
                finals[row] = {"observation": finals[row], "action_mask": masks[row].copy()}
        return finals

    def _new_report(self) -> Report:
        """Return what a step writes to: new arrays for all that is returned to the caller."""
        kept = self._episodes.report
        return Report(
            records=kept.records,
            encoding=kept.encoding,
            numbers=np.empty(kept.numbers.shape, kept.numbers.dtype),
            finals=kept.finals,
            masks=np.empty(kept.masks.shape, np.int64),
            results=np.zeros(self.num_envs, kept.results.dtype),
        )

    def _commands(self, actions: np.ndarray) -> np.ndarray:
        """Return what to do at each table, int64 [N]; an illegal action is left where it loses."""
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_envs} integers; got {actions.dtype} {actions.shape}"
            )
        if self._has_over and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ValueError(
                f"the game at table {self._is_over.argmax()} is over: "
                'reset(options={"reset_mask": ...}) starts the next one'
            )
        commands = np.ascontiguousarray(actions, np.int64)  # as the loops take them
        table = _range_check()(commands, self.game.num_actions)
        if table != NO_ROW:
            raise ValueError(
                f"table {table}: {common.outside_error(self.game.num_actions, int(actions[table]))}"
            )
        if self._has_over:  # in NEXT_STEP, which ignores their actions
            commands = np.where(self._is_over, NEW_GAME, commands)
        words = self._tables.masks
        if self.illegal_action == "raise":
            row = _first_illegal(words, commands)
            if row != NO_ROW:
                mask = action_masks(words[[row]], self.game.num_actions)[0]
                raise ValueError(
                    illegal_action_message(self.game, f"table {row}", int(commands[row]), mask)
                )
        elif self.illegal_action == "random":
            commands = commands.copy()
            _replace_illegal(words, commands, self._episodes.player_rngs, self._tables.progress)
        return commands

    def _play(self, commands: np.ndarray, report: Report) -> None:
        """Carry out a command [N] at each table, up to the next choices from outside."""
        episodes = self._episodes
        episodes.seating.drive(commands, report, episodes.options, self.num_threads)

    def _info(self, report: Report) -> dict[str, Any]:
        results = report.results
        return {
            "action_mask": self._masks(report),
            "seat": results["seat"],
            "returns": results["returns"],
            "illegal_action": results["illegal"],
            "length": results["length"],
        }

    def _shown(self, report: Report) -> Any:
        """Return observations in the form of `layout`."""
        if self.layout == "flat":
            return report.numbers
        return {"observation": report.numbers, "action_mask": self._masks(report).copy()}

    def _masks(self, report: Report) -> np.ndarray:
        return mask_rows_as_bytes(report.masks, self.game.num_actions)

    def render(self) -> tuple[Any, ...] | None:
        """Return a text or uint8 [H, W, 3] for each table; None where a window shows the first."""
        self._check_started("render")
        if self.render_mode in (None, "human"):
            return self._frame(0)
        return tuple(map(self._frame, range(self.num_envs)))

    def _frame(self, row: int) -> Any:
        seat = common.shown_seat(self.render_seat, int(self._episodes.shown_seats()[row]))
        return self._renderer.render(self._tables.states[row], seat)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    # What Gymnasium's own vector environments offer

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Return the result of a method, or the value of an attribute, for each table.

        Raises AttributeError for what is neither.
        """
        if name in _PER_TABLE:
            values = getattr(self, name)(*args, **kwargs)
            return (None,) * self.num_envs if values is None else tuple(values)
        if name not in _OF_ALL_TABLES:
            names = ", ".join((*_PER_TABLE, *_OF_ALL_TABLES))
            raise AttributeError(f"a table has no {name!r}; it has {names}")
        return (getattr(self, _OF_ALL_TABLES[name]),) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return `call(name)`."""
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set `illegal_action` or `render_seat`, by one value or a list of equal ones [N].

        Raises AttributeError for other names, ValueError for what the setting cannot be.
        """
        settings = [values] * self.num_envs if not isinstance(values, list | tuple) else values
        if len(settings) != self.num_envs or any(value != settings[0] for value in settings):
            raise ValueError(
                f"{name} is one setting of all tables: give one value, or {self.num_envs} equal "
                f"ones; got {values!r}"
            )
        if name == "illegal_action":
            check_choice(name, settings[0], common.ILLEGAL_ACTIONS)
        elif name == "render_seat":
            check_render_seat(self.game, settings[0], (LEARNING_SEAT, WHOLE_TABLE))
        else:
            raise AttributeError(f"{name!r} cannot be set, only illegal_action, render_seat")
        setattr(self, name, settings[0])

    # Beyond Gymnasium

    def action_masks(self) -> np.ndarray:
        """Return the legal actions of the seats to act, bool [N, A]."""
        if not self._episodes.is_started:
            return np.zeros((self.num_envs, self.game.num_actions), np.bool_)
        return action_masks(self._tables.masks, self.game.num_actions).astype(bool)

    def state(self) -> np.ndarray:
        """Return the observations of all seats from seat 0 on, [N, seats * num_inputs].

        For a central critic: it contains what the other seats know, so no player may see it.
        """
        self._check_started("state")
        return self._episodes.knowledge()

    def set_opponents(self, opponents: Any) -> None:
        """Change the opponents, in any form of `opponents`, from the next `reset()` of all tables.

        Until then all games, those dealt by autoreset included, are played against the old ones.
        Raises ValueError for impossible ones and in self-play, and then changes nothing.
        """
        if self.self_play:
            raise _self_play_error()
        self._episodes.set_opponents(opponents)

    def determinize(self, rngs: np.ndarray | None = None) -> np.ndarray:
        """Sample positions [N] of the information sets of the seats to act, for searching policies.

        `rngs` are streams [N] to draw from; without them fresh ones are made.
        """
        self._check_started("determinize")
        return self._episodes.determinize(self._episodes.shown_seats(), rngs)

    def play_random(self, num_plies: int, observe: bool = True) -> int:
        """Play random plies at every table in self-play, all in compiled code.

        Each seat draws from its own stream, as the player "random" does. With `observe` the
        observation and the mask of the next seat are written at every ply, as `step` writes them,
        else only the rules run. Returns how many games ended.
        """
        is_same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        if not self.self_play or not self._is_ready or not is_same_step:
            raise ValueError(
                "play_random needs self_play=True, the autoreset mode SAME_STEP, and a reset() "
                "before it"
            )
        episodes, loops = self._episodes, self._tables.loops
        games, seats = self._tables.games, episodes.seating.seats
        report, options = episodes.report, episodes.options
        if observe:
            loop, actions = loops.random_plies, np.empty(self.num_envs, np.int64)
            arguments: tuple[Any, ...] = games, seats, actions, report, options, num_plies
        else:
            loop = loops.random_playouts
            arguments = games, seats, report.records[0], options, num_plies
        counts = play_slices(
            lambda first, end: loop(first, end, *arguments),
            self.num_envs,
            self.num_threads,
            num_plies,
        )
        return int(sum(counts))


def _self_play_error() -> ValueError:
    return ValueError("in self_play every seat is played from outside: no seat, no opponents")


def _chosen_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        modes = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode must be one of {modes}; got {mode!r}") from None


@cache
def _range_check() -> Any:
    """Return `_first_outside`, made when a step first needs it: NumPy takes three times as long."""
    return entry_point(_first_outside, (np.zeros(1, np.int64), 1))


@rule
def _first_outside(actions, num_actions):
    """Return the first row of `actions` [N] that is not in 0 .. num_actions - 1, or NO_ROW."""
    for row in range(actions.shape[0]):
        if not 0 <= actions[row] < num_actions:
            return row
    return NO_ROW


@rule
def _first_illegal(words, commands):
    """Return the first row where an action is illegal, or NO_ROW."""
    for row in range(commands.shape[0]):
        if commands[row] >= 0 and not is_legal(words[row], commands[row]):
            return row
    return NO_ROW


@rule
def _replace_illegal(words, commands, rngs, progress):
    """Replace illegal actions by legal ones, drawn from the stream of the seat to act."""
    for row in range(commands.shape[0]):
        if commands[row] >= 0 and not is_legal(words[row], commands[row]):
            commands[row] = random_allowed(words[row], rngs[row, progress[row].seat])
