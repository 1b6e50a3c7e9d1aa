"""Seat policies at many tables, and let them play until a seat outside has to act.

Compiled players act inside the compiled loops; networks, searches and people choose in batches.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from ..game import Function
from .loops import (
    EXTERNAL,
    NO_DRAWS,
    NO_ROW,
    NO_WEIGHTS,
    CompiledPlayer,
    Draws,
    Loops,
    Seated,
    draw_players_of_rows,
    loops_of,
)
from .tables import Tables
from .turns import Turns, turns_at


class Memory(Protocol):
    """A player with memory: one for each seat of each table, for one game.

    It gets the observation of its seat at the start and after every ply of any seat.
    """

    def begin(self, seat: int, game: Any) -> None:
        """Begin a new game, before the first observation."""

    def watch(self, observation: Any) -> None:
        """Receive the observation of its seat, a record."""

    def choose(self, observation: Any, action_mask: Any, rng: Any) -> int:
        """Choose a legal action; `rng` is the stream of its seat, [1]."""


class SeatedPolicy(Protocol):
    """What a seat needs of a policy; see `parlour.baselines.Policy`."""

    @property
    def name(self) -> str:
        """The name, for messages."""

    @property
    def row_function(self) -> Function | None:
        """Compiled: (observation record, mask words, rng) -> action; None if it is not compiled."""

    @property
    def weights(self) -> np.ndarray | None:
        """A record [1] that `row_function` takes as its first argument; None for scripts."""

    @property
    def needs_positions(self) -> bool:
        """Return whether it searches from determinized positions."""

    @property
    def remember(self) -> Callable[[], Memory] | None:
        """The maker of a player with memory; None where the policy needs only the observation."""

    @property
    def is_blind(self) -> bool:
        """Return whether it looks at the action mask alone."""

    def __call__(self, observations: Any, action_masks: Any, rngs: Any, positions: Any) -> Any:
        """Actions [B]."""


class Compiled(NamedTuple):
    """The players among some policies that act inside the compiled loops."""

    players: tuple[CompiledPlayer, ...]
    weights: tuple[np.ndarray, ...]  # as for `chooser`
    codes: np.ndarray  # [policies + 1] indices of `players`, or EXTERNAL; the last is EXTERNAL

    @classmethod
    def of(cls, policies: Sequence[SeatedPolicy]) -> "Compiled":
        """Return the compiled players, sorted by name; equal players share one code."""
        compiled = {
            _identity_of(p): p for p in sorted(policies, key=lambda p: p.name) if p.row_function
        }
        code_of = {key: code for code, key in enumerate(compiled)}
        return cls(
            tuple(
                CompiledPlayer(p.row_function, p.weights is not None, p.is_blind)
                for p in compiled.values()
                if p.row_function
            ),
            tuple(NO_WEIGHTS if p.weights is None else p.weights for p in compiled.values()),
            np.array([*(code_of.get(_identity_of(p), EXTERNAL) for p in policies), EXTERNAL]),
        )


def _identity_of(policy: SeatedPolicy) -> tuple[Function | None, int]:
    """Return a key that is equal for policies that are the same player."""
    return policy.row_function, id(policy.weights)


class Seating:
    """Policies at the seats of `tables`: `seated[row, seat]` is an index into `policies`.

    EXTERNAL stands for seats whose actions come from outside; with `skip_forced`, their plies
    without a choice are played at once. `rngs` [tables, seats] are the players' own streams.
    """

    def __init__(
        self,
        tables: Tables,
        policies: Sequence[SeatedPolicy],
        seated: np.ndarray,
        rngs: np.ndarray,
        skip_forced: bool = False,
    ) -> None:
        self.skip_forced = skip_forced
        self.tables = tables
        self.policies = tuple(policies)
        self.rngs = rngs
        self._compiled = Compiled.of(policies)
        self._remembers = np.array([p.remember is not None for p in policies] + [False])
        self.choices: list[int] | None = None  # if set: actions of policies that do not repeat
        self.memories: dict[tuple[int, int], Memory] = {}  # by table and seat
        self.seated = np.array(seated, dtype=np.int64)
        self.codes = self._compiled.codes  # of each policy in the loops; the last is EXTERNAL
        self._codes = self.codes[self.seated]

    def seat(self, seated: np.ndarray) -> None:
        """Change the seats [tables, seats]."""
        self.seated[:] = seated
        self._codes[:] = self.codes[seated]

    def draw(self, rows: np.ndarray, draws: Draws) -> None:
        """Draw who sits at these tables, which get new games."""
        draw_players_of_rows(rows, draws, self.seated, self._codes)

    def policy_at(self, row: int, seat: int) -> SeatedPolicy | None:
        """Return who plays a seat of a table; None for EXTERNAL."""
        index = int(self.seated[row, seat])
        return None if index == EXTERNAL else self.policies[index]

    def begin(self, rows: np.ndarray) -> None:
        """Forget all memories at these tables, which have new games."""
        for row, seat in [place for place in self.memories if place[0] in rows]:
            del self.memories[row, seat]

    def watch(self, rows: np.ndarray) -> None:
        """Show players with memory their observations; `advance` does so after every ply."""
        for row, seat in zip(*np.nonzero(self._remembers[self.seated[rows]]), strict=True):
            place = rows[row : row + 1]
            seen = self.tables.observe(place, np.array([seat]))
            policy = self.policies[self.seated[place[0], seat]]
            self._memory(policy, place[0], seat).watch(seen[0])

    def _memory(self, policy: SeatedPolicy, row: int, seat: int) -> Memory:
        if (row, seat) not in self.memories:
            assert policy.remember is not None
            self.memories[row, seat] = policy.remember()
            self.memories[row, seat].begin(int(seat), self.tables.game)
        return self.memories[row, seat]

    def advance(self, rows: np.ndarray) -> None:
        """Play at these tables until each game is over or waits for an EXTERNAL seat."""
        if self._remembers.any():
            is_watched = self._remembers[self.seated[rows]].any(axis=1)
            self._advance_watched(rows[is_watched])
            rows = rows[~is_watched]
        while len(rows):
            self._advance_compiled(rows)
            if self.is_compiled:
                return  # each game is over or waits
            rows = self._ask_policies(rows)

    def _advance_watched(self, rows: np.ndarray) -> None:
        """Play ply by ply at tables where a player has a memory."""
        while len(rows):
            self.watch(rows)
            forced = self._play_forced(rows)
            rows = np.union1d(forced, self._ask_policies(np.setdiff1d(rows, forced)))

    def _play_forced(self, rows: np.ndarray) -> np.ndarray:
        """With `skip_forced`, play forced plies of EXTERNAL seats; return the rows played at."""
        if not self.skip_forced:
            return rows[:0]
        turns = turns_at(self.tables, rows)
        is_external = self.seated[turns.rows, turns.seats] == EXTERNAL
        forced = turns[is_external & (turns.masks.sum(axis=1) == 1)]
        self.tables.apply(forced.rows, forced.masks.argmax(axis=1))
        return forced.rows

    def _advance_compiled(self, rows: np.ndarray) -> None:
        if not self._compiled.players and not self.skip_forced:
            return
        games = self.tables.games()
        seen = self.tables.game.new_observations()[0]
        advance = self.loops.advance_rows
        row = advance(games, self.seated_places(), rows, seen, self.skip_forced)
        if row != NO_ROW:
            self.blame(row, int(games.masks[row, 0]))

    @property
    def is_compiled(self) -> bool:
        """Return whether all policies are compiled."""
        return all(policy.row_function is not None for policy in self.policies)

    @cached_property
    def loops(self) -> Loops:
        """The loops in which the compiled ones of these policies act."""
        return loops_of(self.tables.game, self._compiled.players)

    def seated_places(self, draws: Draws = NO_DRAWS) -> Seated:
        """Return who acts in `loops`; `draws` says how each game draws its players."""
        return Seated(self._codes, self._compiled.weights, self.rngs, self.seated, draws)

    def blame(self, row: int, action: int) -> NoReturn:
        """Raise the PlayerError of the seat to act, which chose this illegal action."""
        turns = turns_at(self.tables, np.array([row]))
        who = self.policies[self.seated[row, turns.seats[0]]].name
        raise PlayerError(illegal_action_message(self.tables.game, who, action, turns.masks[0]))

    def _ask_policies(self, rows: np.ndarray) -> np.ndarray:
        """Play one ply by every policy that is not compiled; return the rows played at."""
        turns = turns_at(self.tables, rows)
        asked = self.seated[turns.rows, turns.seats]
        for index in np.unique(asked[asked != EXTERNAL]):
            policy, chosen = self.policies[index], turns[asked == index]
            self.tables.apply(chosen.rows, self.choose(policy, chosen))
            if self.choices is not None and not repeats(policy):
                is_choice = (chosen.masks.sum(axis=1) > 1) | (not self.skip_forced)
                self.choices += chosen.actions[is_choice].tolist()
        return turns.rows[asked != EXTERNAL]

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
        check_legal(self.tables.game, policy.name, turns.actions, turns.masks)
        return turns.actions.astype(np.int64, copy=False)

    def _ask_memory(self, policy: SeatedPolicy, turn: Turns) -> int:
        """Ask a player with memory at one table."""
        row, seat = turn.rows[0], turn.seats[0]
        rng = self.rngs[row, seat : seat + 1]
        return self._memory(policy, row, seat).choose(turn.observations[0], turn.masks[0], rng)


def seat_policies(
    tables: Tables, policies: Sequence[SeatedPolicy | None], rngs: np.ndarray
) -> Seating:
    """Seat a policy in each seat of the only table; None is a seat played from outside."""
    seated = np.array([[EXTERNAL if policy is None else k for k, policy in enumerate(policies)]])
    players = [policy for policy in policies if policy is not None]
    seated[seated != EXTERNAL] = np.arange(len(players))
    return Seating(tables, players, seated, rngs)


def repeats(policy: SeatedPolicy) -> bool:
    """Return whether a policy chooses the same again from the same observation and stream."""
    return policy.row_function is not None and policy.remember is None


class PlayerError(ValueError):
    """A player failed or broke a rule."""


def check_legal(game: Any, who: str, actions: np.ndarray, masks: np.ndarray) -> None:
    """Raise PlayerError that names the first illegal action and the legal ones."""
    if actions.shape != masks.shape[:1] or actions.dtype.kind not in "iu":
        raise PlayerError(
            f"{who} should choose one whole number for each of {len(masks)} rows; "
            f"it gave {actions.dtype} of shape {actions.shape}"
        )
    in_range = (actions >= 0) & (actions < game.num_actions)
    legal = in_range & (masks[np.arange(len(actions)), np.where(in_range, actions, 0)] == 1)
    if not legal.all():
        first = int(np.flatnonzero(~legal)[0])
        raise PlayerError(illegal_action_message(game, who, int(actions[first]), masks[first]))


def chosen_action(game: Any, who: str, action: int | str, masks: np.ndarray) -> int:
    """Return an action, given as a number or a name.

    Raises ValueError unless the mask, `masks` int8 [1, A], allows it.
    """
    number = game.parse_action(action) if isinstance(action, str) else action
    if not isinstance(number, int | np.integer):
        raise ValueError(f"{who}: an action is a number or a name, not {number!r}")
    check_legal(game, who, np.array([number]), masks)
    return int(number)


def illegal_action_message(game: Any, who: str, action: Any, mask: np.ndarray) -> str:
    """Return a message that names the illegal action and the legal ones."""
    known = isinstance(action, int | np.integer) and 0 <= action < game.num_actions
    name = game.action_name(action) if known else "no action of this game"
    legal = ", ".join(game.action_name(int(a)) for a in np.flatnonzero(mask))
    return f"{who} chose {action} ({name}), which is not legal; legal: {legal or 'nothing'}"
