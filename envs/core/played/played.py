"""The current game of an environment, from which a notebook shows it move by move.

A step notes the actions from outside and those of players that are not reproducible. When somebody
looks, the deal and the compiled players are played again from the same random streams.
"""

import copy
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ..game import NO_ACTION, Game
from ..play.driver import Seating
from ..play.playthrough import turns
from ..play.policies import repeats
from ..play.tables import Tables
from ..rng import STREAM

# (the tables, the players' streams) -> who plays the seats that are not played from outside
MakeSeating = Callable[[Tables, np.ndarray], Seating]


class LoggedPly(NamedTuple):
    """A position, and the action that was played in it: NO_ACTION in the last one."""

    state: np.record
    action: int


class Played:
    """How the current game of one table began, and what was chosen since."""

    def __init__(self) -> None:
        """Nothing has been played yet."""
        self.actions: list[int] = []  # from outside
        self.choices: list[int] = []  # of players who may choose otherwise the next time
        self._rngs = self._player_rngs = b""
        self._deal: Any = None

    def begin(self, rngs: np.ndarray, player_rngs: np.ndarray | None, deal: Any = None) -> None:
        """Note the streams [1] and [1, seats] just before a deal; `deal` is given as plain data."""
        self._rngs = rngs.tobytes()
        self._player_rngs = b"" if player_rngs is None else player_rngs.tobytes()
        self._deal = deal if deal is None else copy.deepcopy(deal)
        self.actions.clear()
        self.choices.clear()

    def positions(
        self, game: Game, now: np.record, skip_forced: bool, make_seating: MakeSeating | None = None
    ) -> list[LoggedPly] | None:
        """Return all positions of the game so far; the last one is `now`.

        Return None where the game cannot be played again, because a player has changed since then
        or somebody has altered the position.
        """
        try:
            found = list(self._again(game, skip_forced, make_seating))
        except ValueError:  # a player's choice that is not legal
            return None
        return found if found[-1].state.tobytes() == now.tobytes() else None

    def _again(
        self, game: Game, skip_forced: bool, make_seating: MakeSeating | None
    ) -> Iterator[LoggedPly]:
        tables = Tables(game, np.frombuffer(self._rngs, STREAM).copy())
        seating = None
        if make_seating is not None:
            rngs = np.frombuffer(self._player_rngs, STREAM).copy()
            seating = make_seating(tables, rngs.reshape(1, game.num_seats))
        tables.start(tables.all_rows, self._deal)
        given, heard = iter(self.actions), iter(self.choices)
        for turn in turns(tables):
            policy = None if seating is None else seating.policy_at(0, int(turn.seats[0]))
            legal = np.flatnonzero(turn.masks[0])
            if seating is not None and policy is not None and repeats(policy):
                seating.choose(policy, turn)
            elif skip_forced and len(legal) == 1:
                turn.actions = legal
            else:
                turn.actions[0] = next(given if policy is None else heard, NO_ACTION)
            action = int(turn.actions[0])
            yield LoggedPly(tables.states.copy()[0], action)
            if action == NO_ACTION:
                return
        yield LoggedPly(tables.states.copy()[0], NO_ACTION)
