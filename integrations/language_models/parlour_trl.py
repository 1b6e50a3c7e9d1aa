"""TRL's environment class: `GRPOTrainer(..., environment_factory=ParlourTool)`, one game a rollout.

Rows of the data set name the seed of the deal and the seat; one row a seat makes a group of
duplicates. `functools.partial(ParlourTool, "splendor", "greedy")` plays another game.
"""

from typing import Any

from parlour_seat import Style, TextGame, instructions

from parlour.envs import find_game


class ParlourTool:
    """A seat whose model plays by calling the tool `play`."""

    def __init__(self, game: str = "president", opponents: str = "random") -> None:
        self._game, self._opponents = find_game(game), opponents

    def reset(self, seed: int = 0, seat: int = 0, **_: Any) -> str:
        """Deal a game, and return the rules and the first position."""
        players: list[str | None] = [self._opponents] * self._game.num_seats
        players[seat] = None
        self._seat, self._table = seat, TextGame(self._game, players, seed)
        return f"{instructions(self._game, seat, Style())}\n\n{self._table.text()}"

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
