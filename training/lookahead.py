"""Self-play Q-learning of two-seat games that tries every legal action at once, one ply ahead.

At each position every legal action is taken on a copy of the table, and the value of what follows
is what the seat that acts then thinks of its own best action (minimax Q-learning, Littman 1994). So
a decision teaches as many values as it has actions, and exploration biases none of them.
"""

import copy
import dataclasses
import math
import time
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ..baselines.networks.kinds import new_network
from ..baselines.networks.modules import mask_values
from ..envs.core.game import NO_SEAT, Game
from ..envs.core.rng import streams
from ..envs.core.tables import Tables, action_masks
from .dqn import END_SHARE


@dataclasses.dataclass
class Config:
    """Settings of the learner."""

    decisions: int = 20_000_000  # length of the run
    minutes: float = math.inf  # or this long on the clock, if that is sooner
    seed: int = 0
    inputs: tuple[str, ...] = ()  # fields of the observation that it is shown; all if none is named
    sets: tuple[str, ...] = ()  # sets of actions that it is shown by rank among those left
    hidden: tuple[int, ...] = (256, 256)  # units of the hidden layers
    num_tables: int = 512  # games played side by side
    learning_rate: float = 1e-3  # decays to END_SHARE of it over the run, on a cosine
    exploration: float = 0.2  # share of random actions
    follow: float = 0.05  # how far the target network moves to the network in a step
    grain: float = 0.0  # returns are -1 and so many times this: targets are drawn towards them
    backwards: float = 0.0  # share of the run in which first plies move from the end to the start
    threads: int = 1


class Progress(NamedTuple):
    """Where a run stands; `done` goes from 0 to 1."""

    done: float
    seconds: float
    decisions: int
    updates: int
    loss: float


class Positions(NamedTuple):
    """A position at every table, and what one seat, its turn, sees of it."""

    states: np.ndarray  # records [N]
    seats: np.ndarray  # int64 [N]
    observations: np.ndarray  # records [N]
    masks: np.ndarray  # int8 [N, A]


def train(game: Game, config: Config) -> Iterator[tuple[Progress, nn.Module]]:
    """Learn `game`, handing out the progress and the network after every step of all tables.

    The network is the learner's own: evaluate it before the next step, or copy it. Raises
    ValueError for a game that is not of two seats, or draws in mid-game.
    """
    if game.num_seats != 2 or game.play_chance is not None:
        raise ValueError(f"this learner is for two seats and no chance moves, not {game!r}")
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    random = np.random.default_rng(config.seed)
    network = new_network("lookahead", game, dataclasses.asdict(config))
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
    length = shortest_game(game, config.num_tables, random)
    tables = Tables(game, streams(random.integers(2**62, size=config.num_tables)))
    deal_aged(game, tables, tables.all_rows, first_ply(config, length, 0.0), length, random)
    start = time.monotonic()
    progress = Progress(0.0, 0.0, 0, 0, math.nan)
    while progress.done < 1.0:
        decay = END_SHARE + (1 - END_SHARE) * (1 + math.cos(math.pi * progress.done)) / 2
        optimizer.param_groups[0]["lr"] = config.learning_rate * decay
        positions = look(game, tables, tables.all_rows)
        wanted = torch.from_numpy(targets(game, target, positions, config.grain))
        predicted = network(torch.from_numpy(game.layout.integers(positions.observations)))
        is_legal = torch.from_numpy(positions.masks) == 1
        loss = nn.functional.smooth_l1_loss(predicted[is_legal], wanted[is_legal])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), network.parameters(), strict=True):
                slow.lerp_(fast, config.follow)
        best = mask_values(predicted.detach(), torch.from_numpy(positions.masks)).argmax(dim=1)
        actions = explore(best.numpy(), positions.masks, config.exploration, random)
        over = play(tables, tables.all_rows, actions)
        deal_aged(game, tables, over, first_ply(config, length, progress.done), length, random)
        decisions = progress.decisions + config.num_tables
        seconds = time.monotonic() - start
        done = max(decisions / config.decisions, seconds / (60 * config.minutes))
        progress = Progress(min(done, 1.0), seconds, decisions, progress.updates + 1, loss.item())
        yield progress, network


def first_ply(config: Config, length: int, done: float) -> int:
    """The earliest ply to learn from: at first the last of a game, later the first.

    What is learned at a ply rests on what is known of the next, so the end comes first.
    """
    return round((length - 1) * (1 - done / config.backwards)) if done < config.backwards else 0


def shortest_game(game: Game, num_games: int, random: np.random.Generator) -> int:
    """How many plies the shortest of so many random games has."""
    tables = Tables(game, streams(random.integers(2**62, size=num_games)))
    tables.deal(tables.all_rows)
    plies = 1
    while not len(play_random(game, tables, tables.all_rows, random)):
        plies += 1
    return plies


def deal_aged(
    game: Game, tables: Tables, rows: np.ndarray, first: int, stop: int, random: np.random.Generator
) -> None:
    """New games at these tables, each first .. stop - 1 random plies old.

    Mostly young, so that the plies that follow are met about equally often.
    """
    tables.deal(rows)
    ages = first + ((stop - first) * random.random(len(rows)) ** 3).astype(np.int64)
    for ply in range(stop):
        tables.deal(play_random(game, tables, rows[ages > ply], random))


def look(game: Game, tables: Tables, rows: np.ndarray) -> Positions:
    """Where these tables stand."""
    seats, observations, words = tables.show(rows)
    masks = action_masks(words, game.num_actions)
    return Positions(tables.states[rows], seats, observations, masks)


def play(tables: Tables, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """An action at each of these tables; returns those where the game is over."""
    tables.apply(rows, actions)
    return rows[tables.show(rows)[0] == NO_SEAT]


def play_random(
    game: Game, tables: Tables, rows: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """A random action at each of these tables; returns those where the game is over."""
    masks = look(game, tables, rows).masks
    return play(tables, rows, explore(np.zeros(len(rows), np.int64), masks, 1.0, random))


def explore(
    actions: np.ndarray, masks: np.ndarray, share: float, random: np.random.Generator
) -> np.ndarray:
    """The same actions, a share of them replaced by random legal ones."""
    explores = random.random(len(actions)) < share
    out = actions.copy()
    out[explores] = (random.random((int(explores.sum()), masks.shape[1])) * masks[explores]).argmax(
        axis=1
    )
    return out


def targets(game: Game, target: nn.Module, positions: Positions, grain: float = 0.0) -> np.ndarray:
    """What each legal action is worth to the seat that takes it: float32 [N, A], 0 elsewhere.

    The return where it ends the game; else the best value of the next seat to act, with its sign
    turned where that is the other one: what one seat gains the other loses. Where a game hides
    nothing, the value is one of its returns: with `grain` the nearest of these is taken, so that
    small errors are not handed on.
    """
    parents, actions = np.nonzero(positions.masks)
    children = Tables(game, streams(np.zeros(len(parents), np.int64)))
    children.states[:] = positions.states[parents]
    children.apply(children.all_rows, actions)
    seats, observations, words = children.show(children.all_rows)
    masks = action_masks(words, game.num_actions)
    with torch.inference_mode():
        values = target(torch.from_numpy(game.layout.integers(observations)))
        best = mask_values(values, torch.from_numpy(masks)).amax(dim=1).numpy()
    acted = positions.seats[parents]
    returns = children.returns(children.all_rows)[np.arange(len(parents)), acted]
    going_on = np.where(seats == acted, best, -best)
    if grain:
        turns = 2 * np.pi * (going_on + 1) / grain
        going_on -= grain / (2 * np.pi) * np.sin(turns)
    out = np.zeros(positions.masks.shape, np.float32)
    out[parents, actions] = np.where(seats == NO_SEAT, returns, going_on)
    return out
