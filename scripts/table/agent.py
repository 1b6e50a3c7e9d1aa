"""A seat for an agent that calls tools: one table at a time, shown in words and as plain data.

It is built from the same table as the server's, and says only what the agent's seat may know.
"""

import secrets
from collections.abc import Sequence
from typing import Any

from ...baselines.players.making import players_of
from ...baselines.players.policy import Policy
from ...envs import GAMES, find_game
from ...envs.core.catalogue import kept_settings
from ...envs.core.play.seating import PlayerError
from ...envs.core.rng import check_seed, fresh_seed
from .catalogue import people_settings
from .host import PATIENCE, THINKING_LIMIT
from .matches import MatchPlan, result_data
from .protocol import JUDGED
from .table import (
    MAX_NAME,
    PLAYER,
    REMOTE,
    GameTable,
    Occupant,
    PlayedPly,
    Setup,
    check_thinking_times,
)
from .thinking import TooSlow, within
from .views import judged_data, observed

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


def casual_setup(
    game: str,
    players: Sequence[str] = (),
    settings: dict[str, Any] | None = None,
    seat: int = 0,
    seed: int | None = None,
) -> Setup:
    """Return the setup of one game; one player takes all other seats, or one for each is named.

    Raises ValueError and TypeError.
    """
    settings = people_settings(game) if settings is None else settings
    made = find_game(game, **settings)
    num_seats, settings = made.num_seats, kept_settings(made, settings)
    names = list(players) or [DEFAULT_PLAYER]
    names = names * (num_seats - 1) if len(names) == 1 else names
    if len(names) != num_seats - 1:
        raise ValueError(f"name {num_seats - 1} players, or one for all; got {len(names)}")
    if not 0 <= seat < num_seats:
        raise ValueError(f"seat is in 0 .. {num_seats - 1}, not {seat}")
    seats = [Occupant(PLAYER, name[:MAX_NAME], name) for name in names]
    seats.insert(seat, Occupant(REMOTE, "agent"))
    dealt = fresh_seed() if seed is None else check_seed(seed)
    return Setup(game, settings, tuple(seats), dealt)


class AgentSeat:
    """An agent's seat at a table against players. Methods raise ValueError for a wrong request."""

    def __init__(
        self, setup: Setup, seat: int, judges: bool = True, thinking_limit: float = THINKING_LIMIT
    ) -> None:
        """Deal; with `judges`, the agent learns after each choice what it lost."""
        self.seat, self.judges, self.thinking_limit = seat, judges, thinking_limit
        self.table = GameTable(setup)
        check_thinking_times(self.table.setup, thinking_limit)
        self.has_replaced = False  # a move that a player did not give
        self._shown = 0  # plies that the agent has been sent
        self._notices: list[str] = []
        self._advance()

    def position(self) -> dict[str, Any]:
        """Return what the seat sees: words, data, new moves, and its legal actions by name."""
        table, game = self.table, self.table.game
        new, notices = table.plies[self._shown :], self._notices
        self._shown, self._notices = len(table.plies), []
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
            "notices": notices,
            "words": game.describe(table.state, self.seat),
            "observation": observed(game, table.state, self.seat),
            "legal_actions": self.legal(),
        }

    def legal(self) -> list[str]:
        """Return the names of the legal actions; none after the end or in others' turns."""
        if self.table.seat_to_act != self.seat:
            return []
        return [self.table.game.action_name(action) for action in self.table.legal]

    def play(self, action: str) -> dict[str, Any]:
        """Play an action by name, let the others answer, and return the next position.

        Where the seat is judged, "judgement" says what the action lost against the best other one.
        """
        names = self.legal()
        if action not in names:
            allowed = ", ".join(names) or "none, because the game is over"
            raise ValueError(f"{action} is not legal now; legal: {allowed}")
        self.table.act(self.table.legal[names.index(action)])
        made = self.table.plies[-1]
        self._advance()
        if not self.judges:
            return self.position()
        return {**self.position(), "judgement": self._judged(made)}

    def result(self) -> dict[str, Any]:
        """Return the returns of all seats, and what each choice lost. Only after the end."""
        if not self.table.is_over:
            raise ValueError("the game is not over: play on")
        plies = self.table.plies
        numbers = self.table.choices_of(self.seat)
        choices = [{"ply": number, **self._judged(plies[number])} for number in numbers]
        return {
            "returns": self.table.returns,
            "own_return": self.table.returns[self.seat],
            "choices": choices,
            "mean_regret": sum(row["regret"] for row in choices) / max(1, len(choices)),
        }

    def next_game(self) -> dict[str, Any]:
        """Raise ValueError: only a match has further games."""
        raise ValueError("this game stands alone: call start or start_match for another")

    def _judged(self, ply: PlayedPly) -> dict[str, Any]:
        found = judged_data(self.table.game, self.table.judge(ply))
        return {name: found[name] for name in JUDGED}

    def _advance(self) -> None:
        """Let the players act, and make moves without a choice, until the agent has to choose."""
        table = self.table
        while not table.is_over:
            if table.is_forced:
                table.act(table.legal[0])
            elif table.to_think is not None:
                table.act(self._choice(table.to_think))
            else:
                return

    def _choice(self, policy: Policy) -> int:
        """Let a player choose; where it fails or takes too long, return a random legal action."""
        try:
            return within(PATIENCE * self.thinking_limit, self.table.choose, policy)
        except (TooSlow, PlayerError) as error:
            self.has_replaced = True
            self._notices.append(f"{policy.name} gave no move ({error}): a random one was played")
            return secrets.choice(self.table.legal)


class AgentMatch:
    """An agent's duplicate match against a player: game after game, each from a given seat.

    The order hides which games share a deal, and no game is judged before the end.
    """

    def __init__(self, plan: MatchPlan, thinking_limit: float = THINKING_LIMIT) -> None:
        """Deal the first game."""
        self.plan, self.thinking_limit = plan, thinking_limit
        self.returns: list[list[float] | None] = []
        self.playing = self._dealt()

    def position(self) -> dict[str, Any]:
        """Return what the seat sees; see `AgentSeat.position`."""
        return self._numbered(self.playing.position())

    def legal(self) -> list[str]:
        """Return the names of the legal actions; none after the end of a game."""
        return self.playing.legal()

    def play(self, action: str) -> dict[str, Any]:
        """Play an action by name and return the next position of the game."""
        position = self.playing.play(action)
        self._keep()
        return self._numbered(position)

    def next_game(self) -> dict[str, Any]:
        """Deal the next game of the match and return its first position."""
        if not self.playing.table.is_over:
            raise ValueError("this game is not over: play on")
        if len(self.returns) == len(self.plan.games):
            raise ValueError("this was the last game: call result")
        self.playing = self._dealt()
        return self.position()

    def result(self) -> dict[str, Any]:
        """Return the result of the match, with intervals, over all deals that are complete."""
        return result_data(self.plan, self.returns)

    def _dealt(self) -> AgentSeat:
        number = len(self.returns)
        seat = self.plan.games[number][1]
        self.playing = AgentSeat(self.plan.setup(number), seat, False, self.thinking_limit)
        self._keep()  # a game may end before the agent has a choice
        return self.playing

    def _keep(self) -> None:
        if self.playing.table.is_over:
            is_counted = not self.playing.has_replaced
            self.returns.append(self.playing.table.returns if is_counted else None)

    def _numbered(self, position: dict[str, Any]) -> dict[str, Any]:
        number = len(self.returns) + int(not position["is_over"])
        return {**position, "match": {"game": number, "of": len(self.plan.games)}}
