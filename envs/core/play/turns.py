"""`Turns`: the seats to act at some tables, what they know, and the actions that they choose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..game import NO_ACTION, NO_SEAT
from .legal import check_legal
from .loops import GO_ON
from .policies import SeatedPolicy
from .tables import Tables, action_masks


@dataclass
class Turns:
    """The seats to act at K tables; write their actions, or let a policy choose them."""

    tables: Tables
    rows: np.ndarray  # [K] indices of the tables
    seats: np.ndarray  # [K]
    observations: np.ndarray  # [K] records
    words: np.ndarray  # [K, W] the action masks as words
    actions: np.ndarray  # [K], NO_ACTION until they are chosen

    @cached_property
    def masks(self) -> np.ndarray:
        """The action masks, int8 [K, A], 1 = legal."""
        return action_masks(self.words, self.tables.game.num_actions)

    def __getitem__(self, chosen: Any) -> Turns:
        """Return some of these turns, as an index array or a mask of bools picks them."""
        picked = (self.rows, self.seats, self.observations, self.words, self.actions)
        return Turns(self.tables, *(array[chosen] for array in picked))

    def determinized(self, rngs: np.ndarray) -> np.ndarray:
        """Draw positions [K] that look the same to the seats to act; `rngs` [K] are streams."""
        return self.tables.determinize(self.rows, self.seats, rngs)

    def ask(self, policy: SeatedPolicy, rngs: np.ndarray) -> np.ndarray:
        """Let a policy without memory choose; return the actions [K].

        `rngs` [N, seats] are the streams of all seats of all tables; those that act advance.
        """
        drawn = rngs[self.rows, self.seats]  # a copy: written back below
        positions = self.determinized(drawn) if policy.needs_positions else None
        observations, masks = self.observations, self.masks
        if policy.row_function is None and positions is None:  # it may be anybody's code
            observations, masks = read_only(observations), read_only(masks)
        self.actions = np.asarray(policy(observations, masks, drawn, positions))
        rngs[self.rows, self.seats] = drawn
        return self.actions

    def check(self, who: str) -> None:
        """Raise PlayerError that names the first illegal action of these turns.

        It reads the words of the masks, which no player is given.
        """
        game = self.tables.game
        check_legal(game, who, self.actions, action_masks(self.words, game.num_actions))


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view that cannot be written to: a player does not change what it is judged by."""
    view = array.view()
    view.flags.writeable = False
    return view


def turns_at(tables: Tables, rows: np.ndarray, commands: Any = GO_ON) -> Turns:
    """Carry out commands; return the turns at those of these tables where the game goes on."""
    seats, observations, words = tables.show(rows, commands)
    turns = Turns(tables, rows, seats, observations, words, np.full(len(rows), NO_ACTION))
    goes_on = seats != NO_SEAT
    return turns if goes_on.all() else turns[goes_on]
