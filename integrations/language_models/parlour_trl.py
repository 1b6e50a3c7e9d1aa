"""TRL's environment class: `GRPOTrainer(..., environment_factory=ParlourTool)`, one game a rollout.

Rows of the data set name the seed of the deal and the seat; one row a seat makes a group of
duplicates. `functools.partial(ParlourTool, "splendor", "greedy")` plays another game.
"""

from typing import Any

from parlour_seat import TextGame, seated

from parlour.baselines.prompts import Style, instructions
from parlour.envs import find_game
from parlour.envs.core.rng import fresh_seed


class ParlourTool:
    """A seat whose model plays by calling the tool `play`.

    `opponents` is a player for all other seats, or a list: clockwise from the model's seat, the
    last one also for all further seats. `settings` are house rules, and `style` says what the model
    is shown.
    """

    def __init__(
        self,
        game: str = "president",
        opponents: str | list[str] = "random",
        settings: dict[str, Any] | None = None,
        style: Style | None = None,
    ) -> None:
        self._game, self._style = find_game(game, **settings or {}), style or Style()
        others = [opponents] if isinstance(opponents, str) else opponents
        self._players = [None, *seated(others, self._game.num_seats - 1)]

    def reset(self, seed: int | None = None, seat: int = 0, **_: Any) -> str:
        """Deal a game, a new one without a seed; return the rules and the first position.

        Raises ValueError for a seat that the game does not have.
        """
        seats = range(self._game.num_seats)
        if seat not in seats:
            raise ValueError(f"seat must be in 0 .. {seats[-1]}; got {seat!r}")
        players = [self._players[other - seat] for other in seats]  # a negative index wraps
        seed = fresh_seed() if seed is None else seed
        self._seat, self._table = seat, TextGame(self._game, players, seed, self._style)
        return f"{instructions(self._game, seat, self._style)}\n\n{self._table.text()}"

    def play(self, action: str) -> str:
        """Play a legal action by its name, and get the next position.

        Args:
            action: The name of the action, exactly as it is listed.
        """
        return f"{self._table.answer(action)}\n\n{self._table.text()}".strip()

    def get_reward(self) -> float:
        """Return the return of the seat; a game that is not over is forfeited."""
        if self._table.turn is not None:
            self._table.forfeit()
        return self._table.returns[self._seat]
