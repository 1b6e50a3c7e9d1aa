"""One OpenEnv server for every game and number of seats: `python -m parlour_openenv`.

Each session of a client is a game of its own. `reset` chooses the game, its settings, the seed of
the deal and who sits where; the client answers for every seat called "agent".
"""

import argparse
from dataclasses import fields
from typing import Any

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app
from parlour_seat import TextGame, seated
from pydantic import Field

from parlour.baselines.players.named_files import check_named_files
from parlour.baselines.prompts import Style, instructions
from parlour.envs import find_game
from parlour.envs.core.rng import fresh_seed
from parlour.envs.core.words import check_setting_names

AGENT = "agent"
MAX_SESSIONS = 64


class Reply(Action):
    """What a model says."""

    reply: str = Field(description="the name of a legal action, in <action> tags or alone")


class Position(Observation):
    """What the seat to act sees. `reward` is the return of the client's first seat, at the end."""

    text: str = Field("", description="the position in words, with the legal actions if shown")
    instructions: str = Field("", description="the rules and how to answer; on reset only")
    seat: int | None = Field(None, description="the seat to act; null at the end")
    legal_actions: list[str] = Field([], description="names; empty where they are not shown")
    error: str = Field("", description="why the last reply was no legal action")
    returns: list[float] | None = Field(None, description="of all seats, at the end")
    metrics: dict[str, dict[str, float]] = Field(
        {}, description="of the client's seats, at the end"
    )


class Seated(State):
    """What a client asked for, and the seed, which it may not have named."""

    game: str = ""
    settings: dict[str, Any] = Field({})
    players: list[str] = Field([])
    seed: int = 0


class ParlourEnvironment(Environment[Reply, Position, Seated]):
    """A game of one session. Clients choose among listed players, and name no files."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = Seated()
        self._game: TextGame | None = None

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        game: str = "president",
        settings: dict[str, Any] | None = None,
        players: list[str] | None = None,
        style: dict[str, Any] | None = None,
    ) -> Position:
        """Deal a game; equal seeds give equal deals, and none gives a new one.

        `players` names one for each seat, the last one also for all further seats; `style` has the
        fields of `Style`. Raises ValueError and TypeError for a wrong choice.
        """
        names, settings = players or [AGENT, "random"], settings or {}
        others = [name for name in names if name != AGENT]
        if len(others) == len(names):
            raise ValueError(f"call at least one of the players {AGENT!r}: the client's seat")
        check_setting_names("style", style or {}, [each.name for each in fields(Style)])
        check_named_files(game, settings, others, folder=None)
        made = find_game(game, **settings)
        names = seated(names, made.num_seats)
        seed = fresh_seed() if seed is None else seed
        at_seats = [None if name == AGENT else name for name in names]
        self._game = TextGame(made, at_seats, seed, Style(**style or {}))
        self._state = Seated(
            episode_id=episode_id, game=game, settings=settings, players=names, seed=seed
        )
        position = self._position("")
        first = names.index(AGENT) if position.seat is None else position.seat
        position.instructions = instructions(made, first, self._game.style)
        return position

    def step(self, action: Reply, timeout_s: float | None = None, **_: Any) -> Position:
        """Play the action that a reply names. Raises ValueError where no game is under way."""
        if self._game is None or self._game.turn is None:
            raise ValueError("no game is under way: reset first")
        self._state.step_count += 1
        return self._position(self._game.answer(action.reply))

    @property
    def state(self) -> Seated:
        """What the session plays; no cards."""
        return self._state

    def _position(self, error: str) -> Position:
        game, players = self._game, self._state.players
        assert game is not None
        if game.turn is not None:
            legal = game.legal if game.style.show_legal else []
            return Position(text=game.text(), seat=game.seat, legal_actions=legal, error=error)
        own = [seat for seat, policy in enumerate(players) if policy == AGENT]
        return Position(
            done=True,
            text=game.text(),
            reward=game.returns[own[0]],
            returns=game.returns,
            metrics={str(seat): game.conduct[seat].metrics for seat in own},
            error=error,
        )


app = create_fastapi_app(
    ParlourEnvironment, Reply, Position, max_concurrent_envs=MAX_SESSIONS, state_cls=Seated
)


def main() -> None:
    """Serve on this machine until interrupted."""
    parser = argparse.ArgumentParser(description="an OpenEnv server for every game")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen at")
    parser.add_argument("--port", type=int, default=8000, help="the port to listen at")
    arguments = parser.parse_args()
    uvicorn.run(app, host=arguments.host, port=arguments.port)


if __name__ == "__main__":
    main()
