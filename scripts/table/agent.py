"""A seat for an agent that calls tools: one table at a time, shown in words and as plain data.

It is built from the same table as the server's, and says only what the agent's seat may know.
"""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...baselines.move_values import SEARCH
from ...baselines.players import players_of
from ...envs import GAMES, find_game
from ...envs.core.rng import check_seed, fresh_seed
from .catalogue import people_settings
from .table import MAX_NAME, PLAYER, REMOTE, GameTable, Occupant, Setup

REVIEW_SECONDS = 0.3  # for each choice, where a game is not solved
DEFAULT_PLAYER = "random"


def game_list() -> list[dict[str, Any]]:
    """Return the games, with their settings, seats and players."""
    return [_game_facts(name) for name in GAMES]


def _game_facts(name: str) -> dict[str, Any]:
    game = find_game(name, **people_settings(name))
    return {
        "game": name,
        "seats": game.num_seats,
        "settings": game.config_dict(),
        "players": {player: each.summary for player, each in players_of(game).items()},
    }


def rules(name: str) -> str:
    """Return the page of a game: rules, actions and observation. Raises ValueError."""
    folder = Path(inspect.getfile(find_game(name).make)).parent
    page = folder / "README.md"
    if not page.exists():
        raise ValueError(f"{name} comes without a page of rules")
    return page.read_text(encoding="utf-8")


class AgentSeat:
    """An agent's seat at a table against players. Methods raise ValueError for a wrong request."""

    def __init__(
        self,
        game: str,
        players: Sequence[str] = (),
        settings: dict[str, Any] | None = None,
        seat: int = 0,
        seed: int | None = None,
    ) -> None:
        """Deal; one player takes all other seats, or one for each is named in order."""
        settings = people_settings(game) if settings is None else settings
        num_seats = find_game(game, **settings).num_seats
        names = list(players) or [DEFAULT_PLAYER]
        names = names * (num_seats - 1) if len(names) == 1 else names
        if len(names) != num_seats - 1:
            raise ValueError(f"name {num_seats - 1} players, or one for all; got {len(names)}")
        if not 0 <= seat < num_seats:
            raise ValueError(f"seat is in 0 .. {num_seats - 1}, not {seat}")
        seats = [Occupant(PLAYER, name[:MAX_NAME], name) for name in names]
        seats.insert(seat, Occupant(REMOTE, "agent"))
        dealt = fresh_seed() if seed is None else check_seed(seed)
        self.seat = seat
        self.table = GameTable(Setup(game, settings, tuple(seats), dealt))
        self._shown = 0  # plies that the agent has been sent
        self._advance()

    def position(self) -> dict[str, Any]:
        """Return what the seat sees: words, data, new moves, and its legal actions by name."""
        table, game = self.table, self.table.game
        new = table.plies[self._shown :]
        self._shown = len(table.plies)
        observation = game.new_observations()
        game.observe(table.state, self.seat, observation[0])
        return {
            "game": game.name,
            "seat": self.seat,
            "is_over": table.is_over,
            "moves_since": [
                f"player {ply.seat}: {game.action_name(ply.action)}"
                if table.sees(ply, self.seat)
                else f"player {ply.seat}: a hidden move"
                for ply in new
            ],
            "words": game.describe(table.state, self.seat),
            "observation": {
                field.name: observation[0][field.name].tolist()
                for field in game.observation_fields
                if not field.hidden and not field.num_bits
            },
            "legal_actions": self.legal(),
        }

    def legal(self) -> list[str]:
        """Return the names of the legal actions; none after the end."""
        if self.table.is_over:
            return []
        return [self.table.game.action_name(action) for action in self.table.legal]

    def play(self, action: str) -> dict[str, Any]:
        """Play an action by name, let the others answer, and return the next position."""
        names = self.legal()
        if action not in names:
            allowed = ", ".join(names) or "none, because the game is over"
            raise ValueError(f"{action} is not legal now; legal: {allowed}")
        self.table.act(self.table.legal[names.index(action)])
        self._advance()
        return self.position()

    def result(self) -> dict[str, Any]:
        """Return the returns of all seats, and what each choice lost. Only after the end."""
        if not self.table.is_over:
            raise ValueError("the game is not over: play on")
        choices = [self._judged(number) for number in self.table.choices_of(self.seat)]
        return {
            "returns": self.table.returns,
            "own_return": self.table.returns[self.seat],
            "choices": choices,
            "mean_regret": sum(row["regret"] for row in choices) / max(1, len(choices)),
        }

    def _judged(self, number: int) -> dict[str, Any]:
        action = self.table.plies[number].action
        found = self.table.at_ply(number).study(SEARCH).think(REVIEW_SECONDS)
        best = max(found.values, key=lambda other: found.values[other])
        return {
            "ply": number,
            "action": self.table.game.action_name(action),
            "best": self.table.game.action_name(best),
            "regret": round(found.regret(action), 4),
            "source": found.source,
        }

    def _advance(self) -> None:
        """Let the players act, and make moves without a choice, until the agent has to choose."""
        table = self.table
        while not table.is_over:
            if table.is_forced:
                table.act(table.legal[0])
            elif table.to_think is not None:
                table.act(table.choose(table.to_think))
            else:
                return
