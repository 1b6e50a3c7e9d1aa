"""A TextArena environment of any game, in which agents answer at every seat."""

from typing import Any

import textarena as ta
from parlour_seat import TextGame

from parlour.baselines.prompts import Style, instructions
from parlour.envs import find_game
from parlour.envs.core.rng import fresh_seed


class ParlourTextArena(ta.Env):
    """Plays one game after each `reset`; observations are text.

    `settings` are house rules, and `style` says what models are shown.
    """

    def __init__(
        self,
        game: str = "president",
        settings: dict[str, Any] | None = None,
        style: Style | None = None,
    ) -> None:
        self._name, self._settings, self._style = game, settings or {}, style or Style()

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Deal a game; equal seeds give equal deals, and none gives a new one.

        `seed` then says which. Raises ValueError where the game cannot have this many seats.
        """
        game = find_game(self._name, **self._settings)
        if game.num_seats != num_players:
            game = find_game(self._name, **{**self._settings, "num_players": num_players})
        self.seed = fresh_seed() if seed is None else seed
        self._table = TextGame(game, [None] * num_players, self.seed, self._style)
        self._notes = [instructions(game, seat, self._style) for seat in range(num_players)]

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
