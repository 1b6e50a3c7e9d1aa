"""Walk through games in Python: show the seats to act, let them choose, apply the actions.

`turns` walks through games at many tables at once; a `Playthrough` is one game and its policies.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..catalogue import as_game
from ..game import NO_ACTION, Game
from ..rng import player_streams
from .driver import Seating, seat_policies
from .one_game import OneGame, started_table
from .policies import SeatedPolicy
from .tables import Tables
from .turns import Turns, turns_at


def turns(tables: Tables, seating: Seating | None = None) -> Iterator[Turns]:
    """Yield the turns at all tables until every game is over, and apply the actions written there.

    With a `seating` its players act in between, and only the turns of EXTERNAL seats are yielded.
    Raises PlayerError for an illegal action.
    """
    rows = tables.all_rows
    while True:
        if seating is not None:
            seating.advance(rows)
        turn = turns_at(tables, rows)
        rows = turn.rows
        if not len(rows):
            return
        yield turn
        turn.check("a seat")
        tables.apply(rows, turn.actions)


class Turn:
    """A seat's turn in one game: what it knows, what it may do, and what it does.

    `seat` acts, with the `number` of the ply from 1 on; `observation` is all that it knows and
    `state` the position before the action, both records; `action` is what it has chosen.
    """

    def __init__(self, playthrough: "Playthrough") -> None:
        self._playthrough = playthrough
        self.game = playthrough.game
        self.number = len(playthrough.plies) + 1
        self.seat = playthrough.seat
        self.policy: Any = playthrough.policies[self.seat]  # None where there is none
        self.observation = playthrough.observation()
        self.state = playthrough.position  # before the action
        self.legal = playthrough.legal_actions  # in ascending order
        self.rngs = playthrough.rngs[0, [self.seat]]  # [1], a copy from before the choice
        self.action = NO_ACTION

    @property
    def action_mask(self) -> np.ndarray:
        """The legal actions, int8 [A], 1 = legal."""
        mask = np.zeros(self.game.num_actions, np.int8)
        mask[self.legal] = 1
        return mask

    def play(self, action: int | str) -> None:
        """Play an action, a number or a name. Raises ValueError where it is not legal."""
        self.action = self._playthrough.checked(action)

    def choose(self) -> int:
        """Let the policy of the seat play; return its action. Raises ValueError without one."""
        self.action = self._playthrough.choose()
        return self.action


class Playthrough(OneGame):
    """A game and the policies of its seats; players draw random numbers as in matches.

    `policies` are one for each seat, or one for all. A policy plays where the body of the loop does
    not; a seat without one needs the loop to play::

        playthrough = Playthrough(game, seed=7)
        for turn in playthrough:
            turn.play(turn.legal[0])
        print(playthrough.returns)

    `deal` is a start position as plain data; `sitting` numbers the games of one deal, in which
    players have different random streams. A copy has no policies. Raises ValueError for a wrong
    number of policies and for an impossible deal.
    """

    def __init__(
        self,
        game: Game | str,
        policies: SeatedPolicy | Sequence[SeatedPolicy | None] | None = None,
        seed: int = 0,
        *,
        deal: Any = None,
        sitting: int = 0,
    ) -> None:
        game = as_game(game)
        self.policies: list[Any] = (
            [*policies] if isinstance(policies, list | tuple) else [policies] * game.num_seats
        )
        for policy in self.policies:
            if policy is not None and not hasattr(policy, "name"):
                raise ValueError(
                    f"a policy is one that make_policy(...) makes, or None; got {policy!r}"
                )
        if len(self.policies) != game.num_seats:
            raise ValueError(f"the game has {game.num_seats} seats, not {len(self.policies)}")
        super().__init__(started_table(game, seed, deal))
        self.rngs = player_streams([seed], game.num_seats, sitting)  # [1, seats]
        self.seating = seat_policies(self.tables, self.policies, self.rngs)
        self.seating.watch(self.tables.all_rows)

    def choose(self) -> int:
        """Return what the policy of the seat to act plays. Raises ValueError without one."""
        policy = self.policies[self.seat]
        if policy is None:
            where = f"ply {len(self.plies) + 1}"
            raise ValueError(f"{where}: seat {self.seat} has no policy; call play()")
        return int(self.seating.choose(policy, self.turn)[0])

    def apply(self, action: int | str) -> None:
        """Play an action, and show it to players with memory. ValueError where it is not legal."""
        super().apply(action)
        self.seating.watch(self.tables.all_rows)

    def undo(self) -> None:
        """Take the last action back, also from players with memory."""
        super().undo()
        self.seating.show_again([ply.states for ply in self.plies])

    def __iter__(self) -> Iterator[Turn]:
        """Yield each turn, then apply its action; a policy chooses where nobody has."""
        while not self.is_over:
            turn = Turn(self)
            yield turn
            self.apply(turn.action if turn.action != NO_ACTION else turn.choose())
