"""A TextArena environment of any game, in which agents answer at every seat."""

from typing import Any

import textarena as ta
from parlour_seat import Style, TextGame, instructions

from parlour.envs import find_game


class ParlourTextArena(ta.Env):
    """Plays one game after each `reset`; observations are text."""

    def __init__(self, game: str = "president") -> None:
        self._name = game

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a game. Raises ValueError where it cannot have this many seats."""
        game = find_game(self._name)
        if game.num_seats != num_players:
            game = find_game(self._name, num_players=num_players)
        self._table = TextGame(game, [None] * num_players, seed or 0)
        self._notes = [instructions(game, seat, Style()) for seat in range(num_players)]

    def get_observation(self) -> tuple[int, str]:
        """Return the seat to act and its text, with the rules in its first turn."""
        seat = self._table.seat
        return seat, f"{self._notes[seat]}\n\n{self._table.text()}".strip()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Play the action that a reply names; return whether the game is over."""
        seat = self._table.seat
        self._notes[seat] = self._table.answer(action)
        return self._table.turn is None, {"error": self._notes[seat]}

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, float]]]:
        """Return the returns and the metrics by seat."""
        metrics = {seat: each.metrics for seat, each in enumerate(self._table.conduct)}
        return dict(enumerate(self._table.returns)), metrics
