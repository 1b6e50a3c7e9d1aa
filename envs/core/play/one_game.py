"""One game under way: list the legal actions, apply one, take it back, branch, ask the players."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..bits import allowed_list
from ..catalogue import as_game
from ..chance import chance_outcomes, deal_outcomes
from ..game import Game, check_range
from ..positions import position_from
from ..rng import rng
from .legal import chosen_action
from .loops import GO_ON
from .tables import Tables
from .turns import Turns, turns_at
from .visibility import is_seen


@dataclass(eq=False)
class PlayedPly:
    """An action, and the game before it."""

    seat: int
    action: int
    had_choice: bool  # whether another action was legal
    states: np.ndarray  # [1] the position before
    rngs: np.ndarray  # [1] the stream of the game's own draws before
    visible_to: dict[int, bool] = field(default_factory=dict)  # by seat, once somebody has asked

    @property
    def before(self) -> np.record:
        """The position before the action."""
        return self.states[0]

    def is_seen_by(self, game: Game, seat: int) -> bool:
        """Return whether a seat saw the action; slow the first time."""
        if not game.has_hidden:
            return True
        if seat not in self.visible_to:
            self.visible_to[seat] = is_seen(game, self.before, self.action, seat)
        return self.visible_to[seat]


class OneGame:
    """A game under way: its position, the seat to act, and the plies so far.

    `start` makes one, and `all_starts` one for each deal. At a chance node it draws at once, from
    its random stream, so a seat is to act or the game is over. `game` is the game, and `plies` are
    those so far, each with the position before it. Copies and pickles draw the same.
    """

    def __init__(self, tables: Tables, plies: Sequence[PlayedPly] = ()) -> None:
        """Take over a single table, at which a game has been started."""
        self.game = tables.game
        self.tables = tables
        self.plies = [*plies]  # with positions: to play them again would take longer
        self._look()

    @property
    def is_over(self) -> bool:
        """Return whether the game is over."""
        return not len(self._turn.rows)

    @property
    def seat(self) -> int:
        """The seat to act. Raises ValueError at the end of the game."""
        self._need_seat()
        return int(self._turn.seats[0])

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions in ascending order; none at the end of the game."""
        return allowed_list(self.tables.masks[0])

    @property
    def actions(self) -> list[int]:
        """The actions so far."""
        return [ply.action for ply in self.plies]

    @property
    def state(self) -> np.record:
        """The full state: a view, which changes with the game."""
        return self.tables.states[0]

    @property
    def position(self) -> np.record:
        """A copy of the full state, as `position_of` gives it."""
        return _copied(self.tables.states)[0]

    @property
    def returns(self) -> np.ndarray:
        """The returns [seats]; zeros before the end."""
        return self.tables.returns(self.tables.all_rows)[0]

    def observation(self, seat: int | None = None) -> np.record:
        """Return the observation of a seat, by default of the one to act, as policies read it."""
        seat = self.seat if seat is None else seat
        check_range("seat", seat, 0, self.game.num_seats - 1)
        return self.tables.observe(self.tables.all_rows, np.array([seat]))[0]

    def describe(self, seat: int | None = None) -> str:
        """Return the table as text, as a seat may see it; the whole table for None."""
        if seat is not None:
            check_range("seat", seat, 0, self.game.num_seats - 1)
        return self.game.describe(self.state, seat)

    def apply(self, action: int | str) -> None:
        """Play an action, a number or a name. Raises ValueError where it is not legal."""
        self._play(self.checked(action))

    def undo(self) -> None:
        """Take the last action back, with the draws after it. Raises ValueError at the start."""
        if not self.plies:
            raise ValueError("the game starts here: there is no action to take back")
        last = self.plies.pop()
        self.tables.states[:], self.tables.rngs[:] = last.states, last.rngs
        self._look()

    def outcomes(self, action: int | str) -> list[tuple["OneGame", float]]:
        """Return the game after an action once for each outcome of its draws, with probabilities.

        Raises ValueError where the action is not legal and where there are too many outcomes.
        """
        number, position = self.checked(action), self.position
        self.game.apply_action(position, number)
        plies = [*self.plies, self._ply(number)]
        return [
            (game_at(self.game, outcome, self.tables.rngs, plies), probability)
            for outcome, probability in chance_outcomes(self.game, position)
        ]

    def determinized(self, seed: int) -> "OneGame":
        """Return a determinization: this game, with what the seat to act cannot know resampled.

        A fair search plays on from such games: a copy would show it the hidden cards and the draws
        to come.
        """
        self._need_seat()
        drawn = self._turn.determinized(rng(seed))[0]
        return game_at(self.game, drawn, rng(seed))

    def copy(self) -> "OneGame":
        """Return a game that goes on alone from here, with the same hidden cards and draws."""
        return game_at(self.game, self.state, self.tables.rngs, self.plies)

    __copy__ = copy

    def checked(self, action: int | str) -> int:
        """Return the number of an action, a number or a name. ValueError where it is not legal."""
        self._need_seat()
        return chosen_action(self.game, f"ply {len(self.plies) + 1}", action, self._turn.masks)

    @property
    def turn(self) -> Turns:
        """What the seat to act knows and may do, as policies are asked; not at the end."""
        self._need_seat()
        return self._turn

    def _play(self, action: int) -> None:
        self.plies.append(self._ply(action))
        self._look(action)

    def _ply(self, action: int) -> PlayedPly:
        """Return the ply of an action that is about to be applied."""
        before = _copied(self.tables.states), self.tables.rngs.copy()
        return PlayedPly(self.seat, action, len(self.legal_actions) > 1, *before)

    def _look(self, command: int = GO_ON) -> None:
        """Play an action, if one is given, and note who is to act."""
        self._turn = turns_at(self.tables, self.tables.all_rows, command)

    def _need_seat(self) -> None:
        if self.is_over:
            raise ValueError(f"the game is over, after {len(self.plies)} actions")


def _copied(records: np.ndarray) -> np.ndarray:
    """Return a copy of records; NumPy's own copies field by field, twenty times as slow."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


def start(game: Game | str, seed: int = 0, *, deal: Any = None, position: Any = None) -> OneGame:
    """Start a game to step through by hand; the same seed gives the same deal and draws.

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
    return OneGame(started_table(as_game(game), seed, deal, position))


def game_at(
    game: Game, position: np.record, rngs: np.ndarray, plies: Sequence[PlayedPly] = ()
) -> OneGame:
    """Return a game that goes on in a position of it, drawing from a copy of the stream [1].

    Unlike `start`, it checks nothing.
    """
    tables = Tables(game, rngs.copy())
    tables.states[0] = position
    return OneGame(tables, plies)


def started_table(game: Game, seed: int, deal: Any = None, position: Any = None) -> Tables:
    """Return a single table at which a game begins. Raises ValueError as `start` does."""
    table = Tables(game, rng(seed))
    if position is None:
        table.start(table.all_rows, deal)
    else:
        table.states[0] = position_from(game, position)
    return table


def all_starts(game: Game | str, seed: int = 0) -> list[tuple[OneGame, float]]:
    """Return a game for each possible deal, with its probability; later draws come from the seed.

    Raises ValueError where there are too many, and where they cannot be listed::

        >>> import parlour
        >>> starts = parlour.all_starts(parlour.load_game("trick_taking", num_values=2))
        >>> len(starts), round(sum(probability for state, probability in starts), 9)
        (24, 1.0)
    """
    game = as_game(game)
    return [
        (start(game, seed, position=position), probability)
        for position, probability in deal_outcomes(game)
    ]
