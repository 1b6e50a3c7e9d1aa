"""Tables: one on a given deal, played by the names of actions; newly dealt ones; whole games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from parlour.baselines import Policy
from parlour.envs.core.game import Game
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams


class OneTable(Tables):
    """One table; the tests of a game say in what words it is laid out and played."""

    def __init__(self, game: Game, deal: Any, seed: int = 0) -> None:
        super().__init__(game, streams([seed]))
        self.deal_from(0, deal)

    @property
    def state(self) -> np.record:
        """The position."""
        return self.states[0]

    @property
    def seat(self) -> int:
        """Who has to act."""
        return int(self.game.seat_to_act(self.state))

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.game.is_terminal(self.state))

    @property
    def legal(self) -> list[str]:
        """The names of all legal actions, in the order of their indices."""
        return [self.game.action_name(action) for action in self.game.legal_action_list(self.state)]

    @property
    def outcome(self) -> list[float]:
        """Returns by seat."""
        return self.returns(self.all_rows)[0].tolist()

    def play(self, *actions: Any) -> Self:
        """Do these actions, names or numbers, each of which must be legal."""
        for each in actions:
            action = self.game.parse_action(each) if isinstance(each, str) else each
            legal = self.game.legal_action_list(self.state)
            assert action in legal, f"{each} is not among {self.legal}"
            self.apply(self.all_rows, np.array([action]))
        return self

    def observed(self, seat: int) -> np.record:
        """What a seat knows."""
        return self.observe(self.all_rows, np.array([seat]))[0]


def dealt(game: Game, seeds: Sequence[int]) -> Tables:
    """Tables of new games, one for each seed."""
    tables = Tables(game, streams(seeds))
    tables.deal(tables.all_rows)
    return tables


def redealt(game: Game, state: np.record, seat: int, times: int) -> np.ndarray:
    """Draw `times` positions that a seat cannot tell from this one."""
    tables = Tables(game, streams([0]))
    tables.states[0] = state
    rows = np.zeros(times, np.int64)
    return tables.determinize(rows, np.full(times, seat), streams(range(times), 3))


def played(
    game: Game, policies: Policy | list[Policy], seed: int = 0, *, deal: Any = None
) -> Playthrough:
    """A game that these players have played to its end; a deal may be a position."""
    whole = Playthrough(game, policies, seed, deal=deal)
    for _ in whole:
        pass
    return whole
