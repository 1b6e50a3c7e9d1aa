"""Let players act at many tables: compiled ones inside the step, all others where it stops.

`Seating` says who plays. Its `drive` is the one loop in Python: step, ask the policies at whose
seats games have stopped, and step again with their answers.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from ..game import NO_SEAT
from .legal import PlayerError, illegal_action_message
from .loops import (
    EXTERNAL,
    FAULT,
    GO_ON,
    LEAVE,
    NEW_GAME,
    NO_DRAWS,
    NO_ROW,
    START,
    Draws,
    Report,
    Seats,
    StepOptions,
)
from .policies import RAISED, Memory, SeatedPolicy, player_table
from .slices import play_slices
from .tables import Tables, action_masks, step_of
from .turns import Turns, read_only, turns_at

MAX_STEPS = 1_000_000  # of one drive, which no game with a choice needs


class Seating:
    """Policies at the seats of `tables`: `seated[row, seat]` is an index into `policies`.

    EXTERNAL stands for seats whose actions come from outside. `rngs` [tables, seats] are the
    players' own streams. `draws` says how each game draws its players; `is_scaled`, which numbers
    its steps report.
    """

    def __init__(
        self,
        tables: Tables,
        policies: Sequence[SeatedPolicy],
        seated: np.ndarray,
        rngs: np.ndarray,
        draws: Draws = NO_DRAWS,
        is_scaled: bool = True,
    ) -> None:
        assert rngs.flags.c_contiguous  # the compiled step does not look
        self.tables = tables
        self.policies = tuple(policies)
        self.rngs = rngs
        self.memories: dict[tuple[int, int], Memory] = {}  # by table and seat
        self.seated = np.array(seated, np.int16, order="C")
        self._remembers = np.array([p.remember is not None for p in policies] + [False])
        self._is_watched = bool(self._remembers.any())
        self._players = player_table(tables.game, self.policies)
        self.is_compiled = all(self._players["function"][: len(self.policies)])
        self.seats = Seats(self.seated, self._players, rngs, draws)
        self._is_scaled = is_scaled

    @cached_property
    def step(self) -> Any:
        """The compiled step of these tables."""
        return step_of(self.tables.game, self._is_scaled)

    def policy_at(self, row: int, seat: int) -> SeatedPolicy | None:
        """Return who plays a seat of a table; None for EXTERNAL."""
        index = int(self.seated[row, seat])
        return None if index == EXTERNAL else self.policies[index]

    def advance(self, rows: np.ndarray) -> None:
        """Play at these tables until each game is over or waits for an EXTERNAL seat."""
        commands = np.full(len(self.tables.all_rows), LEAVE)
        commands[rows] = START if self._is_watched else GO_ON  # START stops before the first ply
        self.drive(commands, self.tables.report, StepOptions())

    def drive(
        self, commands: np.ndarray, report: Report, options: StepOptions, num_threads: int = 1
    ) -> None:
        """Step, and let policies in Python act, until all tables wait for EXTERNAL or are over.

        Raises PlayerError for a policy's illegal action, and ValueError where no deal gives an
        EXTERNAL seat the choice that it needs.
        """
        if self._is_watched:
            options = options._replace(one_ply=True)
        for _ in range(MAX_STEPS):
            self._carry_out(commands, report, options, num_threads)
            if self.is_compiled:
                return
            if self._is_watched:
                self._show_plies(commands)
            commands = self._next_commands(commands, options)
            if (commands == LEAVE).all():
                return
        raise no_choice_error(self.tables.game)

    def _carry_out(
        self, commands: np.ndarray, report: Report, options: StepOptions, num_threads: int
    ) -> None:
        games, seats, step = self.tables.games, self.seats, self.step

        def play(first: int, end: int) -> int:
            row: int = step(first, end, games, seats, commands, report, options)
            return row

        num_rows = len(commands)
        if num_threads == 1:
            failed = play(0, num_rows)
        else:
            failed = max(play_slices(play, num_rows, num_threads))  # NO_ROW is below all rows
        if failed != NO_ROW:
            self.blame(failed)

    def blame(self, row: int) -> NoReturn:
        """Raise the error of a step that has failed at a table."""
        progress, game = self.tables.progress[row], self.tables.game
        if progress["seat"] != FAULT:
            raise no_choice_error(game)
        seat = int(game.seat_to_act(self.tables.states[row]))
        policy = self.policies[self.seated[row, seat]]
        if progress["fault"] == RAISED:  # asked from Python, it raises its own error
            turns_at(self.tables, np.array([row])).ask(policy, self.rngs)
        mask = action_masks(self.tables.masks[row : row + 1], game.num_actions)[0]
        raise PlayerError(illegal_action_message(game, policy.name, int(progress["fault"]), mask))

    def _next_commands(self, commands: np.ndarray, options: StepOptions) -> np.ndarray:
        """Return what to do next at the tables that have just been stepped."""
        following = np.full(len(commands), LEAVE)
        rows = np.flatnonzero(commands > LEAVE)
        progress = self.tables.progress[rows]
        is_over = progress["seat"] == NO_SEAT
        if options.one_ply:
            has_acted = progress["actor"] != NO_SEAT
            is_next = np.where(has_acted, options.deals_again, options.needs_choice)
            following[rows[is_over & is_next]] = NEW_GAME
        rows, seats = rows[~is_over], progress["seat"][~is_over]
        policies = self.seated[rows, seats]
        is_outside = policies == EXTERNAL
        is_asked = ~is_outside & (self._players["function"][policies] == 0)
        if options.one_ply:  # all others have stopped after a ply
            is_forced = is_outside & _is_single(self.tables.masks[rows]) & options.skip_forced
            following[rows[is_forced | ~(is_outside | is_asked)]] = GO_ON
        for index in np.unique(policies[is_asked]):
            asked = rows[is_asked & (policies == index)]
            following[asked] = self.choose(self.policies[index], turns_at(self.tables, asked))
        return following

    # Players with memory

    def _show_plies(self, commands: np.ndarray) -> None:
        """Show players with memory the new games and the plies of a step."""
        self.begin(np.flatnonzero(commands == NEW_GAME))
        self.watch(np.flatnonzero(commands > LEAVE))

    def begin(self, rows: np.ndarray) -> None:
        """Forget all memories at these tables, which have new games."""
        for row, seat in [place for place in self.memories if place[0] in rows]:
            del self.memories[row, seat]

    def watch(self, rows: np.ndarray) -> None:
        """Show players with memory their observations, as after every ply."""
        if not self._is_watched:
            return
        for row, seat in zip(*np.nonzero(self._remembers[self.seated[rows]]), strict=True):
            place = rows[row : row + 1]
            observation = self.tables.observe(place, np.array([seat]))[0]
            policy = self.policies[self.seated[place[0], seat]]
            self._memory(policy, place[0], seat).watch(observation)

    def show_again(self, past: Sequence[np.ndarray]) -> None:
        """Begin anew with the past positions [1] of the only table, and the one that it is in."""
        if not self._is_watched:
            return
        self.begin(self.tables.all_rows)
        for states in (*past, self.tables.states.copy()):
            self.tables.states[:] = states
            self.watch(self.tables.all_rows)

    def _memory(self, policy: SeatedPolicy, row: int, seat: int) -> Memory:
        if (row, seat) not in self.memories:
            assert policy.remember is not None
            self.memories[row, seat] = policy.remember()
            self.memories[row, seat].begin(int(seat), self.tables.game)
        return self.memories[row, seat]

    # Asking

    def choose(self, policy: SeatedPolicy, turns: Turns) -> np.ndarray:
        """Ask `policy` for legal actions [K] at these turns; return them.

        Raises PlayerError for an illegal action. The streams of those seats advance.
        """
        if policy.remember is None:
            turns.ask(policy, self.rngs)
        else:
            turns.actions = np.array(
                [self._ask_memory(policy, turns[k : k + 1]) for k in range(len(turns.rows))]
            )
        turns.check(policy.name)
        return turns.actions.astype(np.int64, copy=False)

    def _ask_memory(self, policy: SeatedPolicy, turn: Turns) -> int:
        """Ask a player with memory at one table."""
        row, seat = turn.rows[0], turn.seats[0]
        rng = self.rngs[row, seat : seat + 1]
        observation, mask = read_only(turn.observations)[0], read_only(turn.masks)[0]
        return self._memory(policy, row, seat).choose(observation, mask, rng)


def _is_single(words: np.ndarray) -> np.ndarray:
    """Return where masks [K, W] allow one action only: bool [K]."""
    has_one_bit = (words & (words - 1)) == 0  # at most
    return ((words != 0).sum(axis=1) == 1) & has_one_bit.all(axis=1)


def seat_policies(
    tables: Tables, policies: Sequence[SeatedPolicy | None], rngs: np.ndarray
) -> Seating:
    """Seat a policy in each seat of the only table; None is a seat played from outside."""
    seated = np.array([[EXTERNAL if policy is None else k for k, policy in enumerate(policies)]])
    players = [policy for policy in policies if policy is not None]
    seated[seated != EXTERNAL] = np.arange(len(players))
    return Seating(tables, players, seated, rngs)


def no_choice_error(game: Any) -> ValueError:
    """The error for a game that is over before anybody has a choice."""
    return ValueError(f"this deal of {game.name} ends before you have a choice")
