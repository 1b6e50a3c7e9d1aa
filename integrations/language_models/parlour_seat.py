"""A game in text: models answer at some seats, and players by name act at the others.

The environments of all frameworks here are made from a `TextGame`. What a model reads is that of
`parlour.baselines.prompts`.
"""

import dataclasses
import re
from collections.abc import Sequence

from parlour.baselines import make_policy
from parlour.baselines.advice.judgements import judge_move
from parlour.baselines.arena.play.batches import forfeit
from parlour.baselines.prompts import Style, how_to_answer, position_text
from parlour.envs import Playthrough
from parlour.envs.core.game import NO_ACTION, Game
from parlour.envs.core.play.playthrough import Turn

_TAGGED = re.compile(r"<action>(.*?)</action>", re.DOTALL | re.IGNORECASE)


@dataclasses.dataclass
class Conduct:
    """What one seat did in one game, besides its return."""

    choices: int = 0
    illegal_moves: int = 0
    forfeits: int = 0
    regrets: list[float] = dataclasses.field(default_factory=list)

    @property
    def metrics(self) -> dict[str, float]:
        """The counts, and the mean regret of a choice where choices are judged."""
        counts = {"choices": self.choices, "illegal_moves": self.illegal_moves}
        figures: dict[str, float] = {**counts, "forfeits": self.forfeits}
        if self.regrets:
            figures["regret"] = sum(self.regrets) / len(self.regrets)
        return figures


class TextGame:
    """One game from deal to end. Moves without a choice are made for the models.

    `players` names a player for each seat, or None where a model answers. `turn` is the turn of a
    model, None at the end. Equal seeds give equal deals; `sitting` numbers the games of one deal.
    Raises ValueError for an unknown player or a wrong number of them.
    """

    def __init__(
        self,
        game: Game,
        players: Sequence[str | None],
        seed: int,
        style: Style | None = None,
        *,
        sitting: int = 0,
    ) -> None:
        self.game, self.style = game, style or Style()
        policies = [None if name is None else make_policy(name, game) for name in players]
        self._playthrough = Playthrough(game, policies, seed, sitting=sitting)
        self._turns = iter(self._playthrough)
        self._forfeited: list[float] | None = None
        self.conduct = [Conduct() for _ in players]
        self.turn = self._next_turn()

    @property
    def returns(self) -> list[float]:
        """The returns of all seats, -1 .. 1; zeros before the end."""
        return self._forfeited or self._playthrough.returns.tolist()

    @property
    def legal(self) -> list[str]:
        """The names of the legal actions; none at the end."""
        return [] if self.turn is None else [*map(self.game.action_name, self.turn.legal)]

    @property
    def seat(self) -> int:
        """The seat to act. Raises ValueError at the end."""
        return self._needed_turn().seat

    def text(self) -> str:
        """Return the position as the seat to act may see it, and what it may do."""
        if self.turn is None:
            return "The game is over."
        return position_text(self.game, self.turn.state, self.turn.seat, self.style)

    def answer(self, reply: str) -> str:
        """Play the action that a reply names; return why it cannot be played, or "".

        Raises ValueError at the end of the game.
        """
        turn, name = self._needed_turn(), action_in(reply)
        conduct = self.conduct[turn.seat]
        action = self._action_of(name)
        if action not in turn.legal:
            conduct.illegal_moves += 1
            if conduct.illegal_moves >= self.style.max_illegal:
                self.forfeit()
            example = turn.legal[0] if self.style.show_legal else None
            return f"{name[:60]!r} is not a legal action. {how_to_answer(self.game, example)}"
        conduct.choices += 1
        if self.style.judge_seconds is not None:
            judged = judge_move(self.game, turn.state, action, self.style.judge_seconds)
            conduct.regrets.append(judged.loss)
        turn.play(action)
        self.turn = self._next_turn()
        return ""

    def forfeit(self) -> None:
        """End the game: the seat to act gets -1, divided among the others.

        Raises ValueError at the end of the game.
        """
        seat, self.turn = self.seat, None
        self.conduct[seat].forfeits += 1
        self._forfeited = forfeit(self.game.num_seats, seat).tolist()

    def _needed_turn(self) -> Turn:
        if self.turn is None:
            raise ValueError("the game is over")
        return self.turn

    def _next_turn(self) -> Turn | None:
        """Let players act and forced moves be made, up to the next choice of a model."""
        for turn in self._turns:
            if turn.policy is None and len(turn.legal) > 1:
                return turn
            if turn.policy is None:
                turn.play(turn.legal[0])
        return None

    def _action_of(self, name: str) -> int:
        try:
            return self.game.parse_action(name)
        except ValueError:
            return NO_ACTION


def action_in(reply: str) -> str:
    """Return the name of the action in a reply: the last one in tags, or else the whole reply."""
    tagged = _TAGGED.findall(reply)
    return (tagged[-1] if tagged else reply).strip()


def seated(players: Sequence[str], num_seats: int) -> list[str]:
    """Return a player for each seat: the last one also takes all further seats.

    Raises ValueError for none and for too many.
    """
    if not 1 <= len(players) <= num_seats:
        raise ValueError(f"name 1 to {num_seats} players, one a seat; got {len(players)}")
    return [*players, *[players[-1]] * (num_seats - len(players))]
