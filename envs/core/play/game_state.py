"""Walk through a game by hand: list the legal actions, apply one, take it back, branch."""

from typing import Any

import numpy as np

from ..chance import chance_outcomes, deal_outcomes
from ..game import Game, check_range
from ..positions import position_from
from ..rng import rng
from .legal import chosen_action
from .tables import Tables
from .turns import turns_at


class GameState:
    """A game under way: its position, the seat to act, and the actions so far.

    `start` makes one, and `all_starts` one for each deal. The game's own draws come from its random
    stream as soon as they are due, so a seat is to act or the game is over. `game` is the game, and
    `actions` lists the actions so far. Copies and pickles
    draw the same.
    """

    def __init__(self, game: Game, tables: Tables) -> None:
        self.game = game
        self.actions: list[int] = []
        self._tables = tables
        self._before: list[tuple[np.ndarray, np.ndarray]] = []  # states and streams, for undo
        self._look()

    @property
    def is_over(self) -> bool:
        """Return whether the game is over."""
        return not len(self._turns.rows)

    @property
    def seat(self) -> int:
        """The seat to act. Raises ValueError at the end of the game."""
        self._need_seat()
        return int(self._turns.seats[0])

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order; none at the end of the game."""
        return [] if self.is_over else np.flatnonzero(self._turns.masks[0]).tolist()

    @property
    def position(self) -> np.record:
        """A copy of all that the game holds, as `position_of` gives it."""
        return self._tables.states.copy()[0]

    @property
    def returns(self) -> np.ndarray:
        """The returns [seats]; zeros before the end."""
        return self._tables.returns(self._tables.all_rows)[0]

    def observation(self, seat: int | None = None) -> np.record:
        """Return all that a seat knows, as policies read it: the one to act, if none is given."""
        seat = self.seat if seat is None else seat
        check_range("seat", seat, 0, self.game.num_seats - 1)
        return self._tables.observe(self._tables.all_rows, np.array([seat]))[0]

    def describe(self, seat: int | None = None) -> str:
        """Return the table as text, as a seat may see it; the whole table for None."""
        if seat is not None:
            check_range("seat", seat, 0, self.game.num_seats - 1)
        return self.game.describe(self._tables.states[0], seat)

    def apply(self, action: int | str) -> None:
        """Play an action, a number or a name. Raises ValueError where it is not legal."""
        number = self._legal(action)
        self._note(number)
        self._tables.apply(self._tables.all_rows, np.array([number]))
        self._look()

    def undo(self) -> None:
        """Take the last action back, with the draws after it. Raises ValueError at the start."""
        if not self.actions:
            raise ValueError("the game starts here: there is no action to take back")
        self.actions.pop()
        self._tables.states[:], self._tables.rngs[:] = self._before.pop()
        self._look()

    def outcomes(self, action: int | str) -> list[tuple["GameState", float]]:
        """Return the game after an action once for each outcome of its draws, with probabilities.

        Raises ValueError where the action is not legal and where there are too many outcomes.
        """
        number, position = self._legal(action), self.position
        self.game.apply_action(position, number)
        found = []
        for outcome, probability in chance_outcomes(self.game, position):
            state = self.copy()
            state._note(number)
            state._tables.states[0] = outcome
            state._look()
            found.append((state, probability))
        return found

    def determinized(self, seed: int) -> "GameState":
        """Return a game that starts here, with all dealt anew that the seat to act cannot know.

        A fair search plays on from such games: a copy would show it the hidden cards and the draws
        to come.
        """
        rows, seats = self._tables.all_rows, np.array([self.seat])
        position = self._tables.determinize(rows, seats, rng(seed))[0]
        return start(self.game, seed, position=position)

    def copy(self) -> "GameState":
        """Return a game that goes on alone from here, with the same hidden cards and draws."""
        tables = Tables(self.game, self._tables.rngs.copy())
        tables.states[:] = self._tables.states
        twin = GameState(self.game, tables)
        twin.actions, twin._before = [*self.actions], [*self._before]
        return twin

    __copy__ = copy

    def _note(self, action: int) -> None:
        """Note an action, and what it is applied to, before it is applied."""
        self._before.append((self._tables.states.copy(), self._tables.rngs.copy()))
        self.actions.append(action)

    def _look(self) -> None:
        self._turns = turns_at(self._tables, self._tables.all_rows)

    def _legal(self, action: int | str) -> int:
        self._need_seat()
        return chosen_action(self.game, f"ply {len(self.actions) + 1}", action, self._turns.masks)

    def _need_seat(self) -> None:
        if self.is_over:
            raise ValueError(f"the game is over, after {len(self.actions)} actions")


def start(game: Game, seed: int = 0, *, deal: Any = None, position: Any = None) -> GameState:
    """Start a game, to be walked by hand; the same seed deals and draws the same.

    `deal` lays out a deal as plain data, `position` a record of `position_of` or its plain data.
    Raises ValueError for an invalid seed and an impossible deal or position::

        >>> import parlour
        >>> state = parlour.start(parlour.load_game("president", num_players=2), seed=7)
        >>> [state.game.action_name(action) for action in state.legal_actions]
        ['1x2', '2x2', '3x2']
        >>> state.apply("3x2")
        >>> state.seat
        1
        >>> state.undo()
        >>> state.seat
        0
    """
    if deal is not None and position is not None:
        raise ValueError("start a game from a deal or from a position, not from both")
    tables = Tables(game, rng(seed))
    if position is not None:
        deal = position_from(game, position)
    tables.start(tables.all_rows, deal)
    return GameState(game, tables)


def all_starts(game: Game, seed: int = 0) -> list[tuple[GameState, float]]:
    """Return a game for each way to deal, with its probability; later draws come from the seed.

    Raises ValueError where there are too many, and where they cannot be listed::

        >>> import parlour
        >>> starts = parlour.all_starts(parlour.load_game("trick_taking", num_values=2))
        >>> len(starts), round(sum(probability for state, probability in starts), 9)
        (24, 1.0)
    """
    return [
        (start(game, seed, position=position), probability)
        for position, probability in deal_outcomes(game)
    ]
