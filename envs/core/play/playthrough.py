"""Walk through games in Python: show the seats to act, let them choose, apply the actions.

`turns` walks through games at many tables at once; a `Playthrough` is one game from deal to end.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..game import NO_ACTION, Game
from ..rng import player_streams, streams
from .driver import Seating, seat_policies
from .legal import chosen_action
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

    def __init__(self, playthrough: "Playthrough", turns: Turns) -> None:
        self._playthrough, self._turns = playthrough, turns
        self.game = playthrough.game
        self.number = len(playthrough.actions) + 1
        self.seat = int(turns.seats[0])
        self.policy: Any = playthrough.policies[self.seat]  # None where there is none
        self.observation: np.record = turns.observations[0]
        self.state: np.record = turns.tables.states.copy()[0]  # before the action
        self.rngs = playthrough.rngs[0, [self.seat]]  # [1], a copy from before the choice
        self.action = NO_ACTION

    @property
    def action_mask(self) -> np.ndarray:
        """The legal actions, int8 [A], 1 = legal."""
        return self._turns.masks[0]

    @property
    def legal(self) -> list[int]:
        """The legal actions in ascending order."""
        return np.flatnonzero(self.action_mask).tolist()

    def play(self, action: int | str) -> None:
        """Play an action, a number or a name. Raises ValueError where it is not legal."""
        self.action = chosen_action(self.game, f"ply {self.number}", action, self._turns.masks)

    def choose(self) -> int:
        """Let the policy of the seat play; return its action. Raises ValueError without one."""
        if self.policy is None:
            raise ValueError(f"ply {self.number}: seat {self.seat} has no policy; call play()")
        self.action = int(self._playthrough.seating.choose(self.policy, self._turns)[0])
        return self.action


class Playthrough:
    """One game, walked through turn by turn; players draw random numbers as in matches.

    `policies` are one for each seat, or one for all; where there is none, the body of the loop
    has to play. A policy plays where it does not::

        playthrough = Playthrough(game, seed=7)
        for turn in playthrough:
            turn.play(turn.legal[0])
        print(playthrough.returns)

    `deal` is a start position as plain data; `sitting` numbers the games of one deal, in which
    players have different random streams. Raises ValueError for a wrong number of policies and
    for an impossible deal.
    """

    def __init__(
        self,
        game: Game,
        policies: SeatedPolicy | Sequence[SeatedPolicy | None] | None = None,
        seed: int = 0,
        *,
        deal: Any = None,
        sitting: int = 0,
    ) -> None:
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
        self.game = game
        self.actions: list[int] = []
        self.tables = Tables(game, streams([seed]))
        self.tables.start(self.tables.all_rows, deal)
        self.rngs = player_streams([seed], game.num_seats, sitting)  # [1, seats]
        self.seating = seat_policies(self.tables, self.policies, self.rngs)

    @property
    def state(self) -> np.record:
        """The position now."""
        return self.tables.states[0]

    @property
    def returns(self) -> np.ndarray:
        """The returns [seats]; zeros before the end."""
        return self.tables.returns(self.tables.all_rows)[0]

    def __iter__(self) -> Iterator[Turn]:
        """Yield each turn, then apply its action. Raises ValueError where nobody has chosen one."""
        for each in turns(self.tables):
            self.seating.watch(each.rows)
            turn = Turn(self, each)
            yield turn
            if turn.action == NO_ACTION:
                turn.choose()
            each.actions[0] = turn.action
            self.actions.append(turn.action)
        self.seating.watch(self.tables.all_rows)
