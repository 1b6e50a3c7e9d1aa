"""Seat policies at many tables, and let them play until a seat outside has to act.

Compiled players act inside the compiled loops; networks, searches and people choose in batches.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from ..game import NO_SEAT, Function
from .loops import EXTERNAL, NO_ROW, NO_WEIGHTS, CompiledPlayer, Games, Loops, Seated, loops_of
from .tables import Tables, action_masks, new_streams


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
    codes: np.ndarray  # of each policy, a number of `players` or EXTERNAL; and EXTERNAL at the end

    @classmethod
    def of(cls, policies: Sequence[SeatedPolicy]) -> "Compiled":
        """Return them, in an order of their own; equal players have one code."""
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
        self.choices: list[int] | None = None  # gets those that cannot be repeated, where it is set
        self.memories: dict[tuple[int, int], Memory] = {}  # by table and seat
        self.seated = np.array(seated, dtype=np.int64)
        self._codes = self._compiled.codes[self.seated]

    def seat(self, seated: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Change the seats [K, seats] at these tables; without `rows`, at all tables."""
        rows = self.tables.all_rows if rows is None else rows
        self.seated[rows] = seated
        self._codes[rows] = self._compiled.codes[seated]

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
        seats, _, words = self.tables.show(rows)
        is_external = (seats != NO_SEAT) & (self.seated[rows, seats] == EXTERNAL)
        masks = action_masks(words, self.tables.game.num_actions)
        forced = np.flatnonzero(is_external & (masks.sum(axis=1) == 1))
        self.tables.apply(rows[forced], masks[forced].argmax(axis=1))
        return rows[forced]

    def _advance_compiled(self, rows: np.ndarray) -> None:
        if not self._compiled.players and not self.skip_forced:
            return
        games = self.tables.games()
        seen = self.tables.game.new_observations()[0]
        advance = self.loops.advance_rows
        self.check(games, advance(games, self.seated_places(), rows, seen, self.skip_forced))

    @property
    def is_compiled(self) -> bool:
        """Return whether all policies are compiled."""
        return all(policy.row_function is not None for policy in self.policies)

    @cached_property
    def loops(self) -> Loops:
        """The loops in which the compiled ones of these policies act."""
        return loops_of(self.tables.game, self._compiled.players)

    def seated_places(self, seat_rngs: np.ndarray | None = None, learner: int = 0) -> Seated:
        """Return who acts in those loops.

        Where `seat_rngs` [tables] are given, they draw the EXTERNAL seat for each game; it is
        `learner` at the first table now.
        """
        clockwise = np.roll([self.seated[0], self._codes[0]], -learner, axis=1)
        drawn = new_streams((0,)) if seat_rngs is None else seat_rngs
        return Seated(self._codes, self._compiled.weights, self.rngs, self.seated, clockwise, drawn)

    def check(self, games: Games, row: int) -> None:
        """Raise PlayerError where a compiled player has chosen an illegal action, in `row`."""
        if row != NO_ROW:
            self.blame(row, int(games.masks[row, 0]))

    def blame(self, row: int, action: int) -> NoReturn:
        """Raise the PlayerError of the seat to act, which chose this illegal action."""
        seats, _, words = self.tables.show(np.array([row]))
        who = self.policies[self.seated[row, seats[0]]].name
        mask = action_masks(words, self.tables.game.num_actions)[0]
        raise PlayerError(illegal_action_message(self.tables.game, who, action, mask))

    def _ask_policies(self, rows: np.ndarray) -> np.ndarray:
        """Play one ply by every policy that is not compiled; return the rows played at."""
        seats, observations, words = self.tables.show(rows)
        asked = np.where(seats == NO_SEAT, EXTERNAL, self.seated[rows, seats])
        moved = []
        for index in np.unique(asked[asked != EXTERNAL]):
            chosen = np.flatnonzero(asked == index)
            actions = self.choose(
                self.policies[index],
                rows[chosen],
                seats[chosen],
                observations[chosen],
                words[chosen],
            )
            self.tables.apply(rows[chosen], actions)
            moved.append(rows[chosen])
            if self.choices is not None and not repeats(self.policies[index]):
                self.choices += actions[self._is_choice(words[chosen])].tolist()
        return np.concatenate(moved) if moved else rows[:0]

    def _is_choice(self, words: np.ndarray) -> np.ndarray:
        """Return [K] where these masks leave a choice; without `skip_forced` everywhere."""
        masks = action_masks(words, self.tables.game.num_actions)
        return (masks.sum(axis=1) > 1) | (not self.skip_forced)

    def choose(
        self,
        policy: SeatedPolicy,
        rows: np.ndarray,
        seats: np.ndarray,
        observations: np.ndarray,
        words: np.ndarray,
    ) -> np.ndarray:
        """Ask `policy` for legal actions [K], as seats[k] of rows[k].

        Raises PlayerError for an illegal action. The streams of those seats advance.
        """
        game = self.tables.game
        masks = action_masks(words, game.num_actions)
        rngs = self.rngs[rows, seats]  # a copy: written back below
        if policy.remember is not None:
            asked = [self._memory(policy, *place) for place in zip(rows, seats, strict=True)]
            own = (rngs[k : k + 1] for k in range(len(rngs)))
            inputs = zip(asked, observations, masks, own, strict=True)
            actions = np.array([memory.choose(*what) for memory, *what in inputs])
        else:
            positions = (
                self.tables.determinize(rows, seats, rngs) if policy.needs_positions else None
            )
            actions = np.asarray(policy(observations, masks, rngs, positions))
        self.rngs[rows, seats] = rngs
        check_legal(game, policy.name, actions, masks)
        return actions.astype(np.int64, copy=False)


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


def illegal_action_message(game: Any, who: str, action: Any, mask: np.ndarray) -> str:
    """Return a message that names the illegal action and the legal ones."""
    known = isinstance(action, int | np.integer) and 0 <= action < game.num_actions
    name = game.action_name(action) if known else "no action of this game"
    legal = ", ".join(game.action_name(int(a)) for a in np.flatnonzero(mask))
    return f"{who} chose {action} ({name}), which is not legal; legal: {legal or 'nothing'}"
