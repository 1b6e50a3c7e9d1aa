"""A `verifiers` environment: `vf-eval parlour-verifiers --env.taskset.game president`.

Seats are models, called "agent" and "rival", or players by name. An episode is one deal, played
from every seat: its traces are a group of duplicates, in which the luck of the deal cancels out.
"""

import asyncio
import dataclasses
from collections.abc import Iterable
from contextlib import AsyncExitStack
from statistics import fmean
from typing import Any

import verifiers.v1 as vf
from parlour_chat import ParlourChat
from parlour_seat import TextGame, seated
from pydantic import Field

from parlour.baselines.prompts import Style, instructions
from parlour.envs import find_game

__all__ = ["ParlourChat", "ParlourEnv", "ParlourTaskset"]

AGENT, RIVAL = "agent", "rival"
_DEFAULT = Style()


class ParlourConfig(vf.TasksetConfig):
    """Which deals of which game are played, by whom, and in which style."""

    game: str = "president"
    settings: dict[str, Any] = Field({}, description="house rules, such as num_players")
    players: list[str] = Field([AGENT, "random"], description="by seat; the last one fills up")
    num_deals: int = Field(100, ge=1, description="deals, each from every seat")
    first_seed: int = Field(0, ge=0, description="of the first deal; the others count on")
    duplicates: bool = Field(True, description="play every deal from every seat")
    show_legal: bool = _DEFAULT.show_legal
    show_fields: bool = _DEFAULT.show_fields
    max_illegal: int = Field(_DEFAULT.max_illegal, ge=1)
    judge_seconds: float | None = _DEFAULT.judge_seconds


class ParlourData(vf.TaskData):
    """A deal; in a trace also the seat, and which sitting of the deal it was."""

    game: str
    settings: dict[str, Any]
    players: list[str]
    seed: int
    duplicates: bool
    style: dict[str, Any]
    seat: int | None = None
    sitting: int | None = None


class ParlourTask(vf.Task[ParlourData, vf.State, vf.TaskConfig]):
    """One deal of a game."""


class ParlourTaskset(vf.Taskset[ParlourTask, ParlourConfig]):
    """The deals of a game."""

    def load(self) -> Iterable[ParlourTask]:
        """Yield one task for each deal. Raises ValueError and TypeError for a wrong game."""
        config = self.config
        style = {each.name: getattr(config, each.name) for each in dataclasses.fields(Style)}
        game = find_game(config.game, **config.settings)
        players = seated(config.players, game.num_seats)
        for seed in range(config.first_seed, config.first_seed + config.num_deals):
            data = ParlourData(
                name=f"{config.game}#{seed}",
                game=config.game,
                settings=config.settings,
                players=players,
                seed=seed,
                duplicates=config.duplicates,
                style=style,
            )
            yield ParlourTask(data, config.task)


class ParlourEnvConfig(vf.EnvConfig):
    """The models that may sit at a table."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    rival: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class ParlourEnv(vf.Env[ParlourEnvConfig]):
    """Plays a deal from every seat; each seat of a model in each game leaves a trace."""

    async def setup(self, agents: vf.Agents) -> None:
        """Train the agent alone."""
        agents.rival.trainable = False

    async def run(self, task: ParlourTask, agents: vf.Agents) -> None:
        """Play the games one after the other."""
        data = task.data
        games = sittings(data.players) if data.duplicates else [data.players]
        for sitting, players in enumerate(games):
            await self._play(task, agents, players, sitting)

    async def finalize(self, task: ParlourTask, episode: vf.Episode) -> None:
        """Record the mean return of each model over the group: what its luck leaves out."""
        for traces in episode.by_agent.values():
            mean = fmean(trace.reward for trace in traces)
            for trace in traces:
                trace.record_metric("duplicate_return", mean)

    async def _play(
        self, task: ParlourTask, agents: vf.Agents, players: list[str], sitting: int
    ) -> None:
        data = task.data
        table = await asyncio.to_thread(table_of, data, players, sitting)
        async with AsyncExitStack() as stack:
            seats: dict[int, vf.Interaction] = {}
            for seat, name in enumerate(players):
                if name in (AGENT, RIVAL):
                    prompt = instructions(table.game, seat, table.style)
                    own = task.with_data(system_prompt=prompt, seat=seat, sitting=sitting)
                    interaction = getattr(agents, name).interaction(own)
                    seats[seat] = await stack.enter_async_context(interaction)
            await _exchange(table, seats)
        for seat, interaction in seats.items():
            interaction.trace.record_reward("return", table.returns[seat])
            interaction.trace.record_metrics(table.conduct[seat].metrics)


async def _exchange(table: TextGame, seats: dict[int, vf.Interaction]) -> None:
    """Ask the models in turn; one that gives no more answers forfeits."""
    error = ""
    while table.turn is not None:
        asked = seats[table.seat]
        segment = await asked.turn(f"{error}\n\n{table.text()}".strip())
        if segment.terminated:
            table.forfeit()
        else:
            error = await asyncio.to_thread(table.answer, segment.last_reply)


def table_of(data: ParlourData, players: list[str], sitting: int) -> TextGame:
    """Deal a game of the group."""
    at_seats = [None if name in (AGENT, RIVAL) else name for name in players]
    game = find_game(data.game, **data.settings)
    return TextGame(game, at_seats, data.seed, Style(**data.style), sitting=sitting)


def sittings(players: list[str]) -> list[list[str]]:
    """Return who sits where in each game of a group: all different turns of the table."""
    turned = [tuple(players[-by:] + players[:-by]) for by in range(len(players))]
    return [[*names] for names in dict.fromkeys(turned)]
