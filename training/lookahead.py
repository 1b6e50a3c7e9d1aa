"""Self-play Q-learning of two-seat games that tries every legal action at once, one ply ahead.

At each position every legal action is taken on a copy of the table. The value of the position it
leads to is the network's value of the best action there (minimax Q-learning, Littman 1994). So a
decision teaches the value of each of its actions, and exploration biases none of them.
"""

import copy
import dataclasses
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ..baselines.networks.kinds import new_network
from ..baselines.networks.modules import mask_values
from ..envs.core.game import NO_SEAT, Game, setting
from ..envs.core.play.tables import Tables, action_masks
from ..envs.core.rng import streams
from .progress import Progress, advanced, clocks, cosine_decay, since
from .rollout import explore
from .settings import check_learner_settings


@dataclasses.dataclass
class Config:
    """Settings of the learner."""

    total_steps: int = setting(20_000_000, "length of the run, in decisions")
    minutes: float = setting(math.inf, "minutes to learn and compile; measuring does not count")
    seed: int = setting(0, "number that decides all random choices")
    inputs: tuple[str, ...] = setting(
        (), "fields of the observation that the network sees; empty for all"
    )
    sets: tuple[str, ...] = setting(
        (), "sets of actions that the network sees by rank among those left"
    )
    hidden: tuple[int, ...] = setting((256, 256), "units of each hidden layer")
    num_tables: int = setting(512, "number of games played side by side")
    learning_rate: float = setting(
        1e-3, "step size at the start; a cosine decays it to a twentieth"
    )
    epsilon: float = setting(0.2, "probability of a random action")
    tau: float = setting(0.05, "step of the target network towards the network, as a fraction")
    return_step: float = setting(
        0.0, "distance of possible returns, to round targets to them; 0 for none"
    )
    curriculum_fraction: float = setting(0.0, "part of the run in which games start ever earlier")
    num_threads: int = setting(1, "threads that torch uses")

    def __post_init__(self) -> None:
        """Raise ValueError for settings with which nothing could be learned."""
        fractions = "epsilon", "tau", "curriculum_fraction"
        check_learner_settings(self, ("minutes", "learning_rate"), fractions)


class Positions(NamedTuple):
    """A position at every table, and what the seat to act observes."""

    states: np.ndarray  # records [N]
    seats: np.ndarray  # int64 [N]
    observations: np.ndarray  # records [N]
    masks: np.ndarray  # int8 [N, A]


def train(game: Game, config: Config) -> Iterator[tuple[Progress, nn.Module]]:
    """Learn `game`; yield the progress and the network after every step of all tables.

    The network goes on changing: evaluate it before the next step, or copy it. Raises ValueError
    for a game that has not exactly two seats, or draws in mid-game.
    """
    if game.num_seats != 2 or game.play_chance is not None:
        raise ValueError(f"this learner needs two seats and no chance moves, unlike {game!r}")
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.num_threads)
    random = np.random.default_rng(config.seed)
    network = new_network("lookahead", game, dataclasses.asdict(config))
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
    length = shortest_game(game, config.num_tables, random)
    tables = Tables(game, streams(random.integers(2**62, size=config.num_tables)))
    deal_aged(tables, tables.all_rows, first_ply(config, length, 0.0), length, random)
    progress = Progress()
    while progress.done < 1.0:
        start = clocks()
        optimizer.param_groups[0]["lr"] = config.learning_rate * cosine_decay(progress.done)
        positions = look(tables, tables.all_rows)
        td_target = torch.from_numpy(td_targets(game, target, positions, config.return_step))
        predicted = network(torch.from_numpy(game.layout.integers(positions.observations)))
        is_legal = torch.from_numpy(positions.masks) == 1
        loss = nn.functional.smooth_l1_loss(predicted[is_legal], td_target[is_legal])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for slow, fast in zip(target.parameters(), network.parameters(), strict=True):
                slow.lerp_(fast, config.tau)
        best = mask_values(predicted.detach(), torch.from_numpy(positions.masks)).argmax(dim=1)
        actions = explore(best.numpy(), positions.masks, config.epsilon, random)
        over = play(tables, tables.all_rows, actions)
        deal_aged(tables, over, first_ply(config, length, progress.done), length, random)
        progress = advanced(progress, config, config.num_tables, 1, since(start), loss=loss.item())
        yield progress, network


def first_ply(config: Config, length: int, done: float) -> int:
    """Return the earliest ply to learn from: at first the last of a game, later the first.

    The target of a ply depends on the values of the next, so learning starts at the end.
    """
    curriculum = config.curriculum_fraction
    return round((length - 1) * (1 - done / curriculum)) if done < curriculum else 0


def shortest_game(game: Game, num_games: int, random: np.random.Generator) -> int:
    """Return the number of plies in the shortest of `num_games` random games."""
    tables = Tables(game, streams(random.integers(2**62, size=num_games)))
    tables.deal(tables.all_rows)
    plies = 1
    while not len(play_random(tables, tables.all_rows, random)):
        plies += 1
    return plies


def deal_aged(
    tables: Tables, rows: np.ndarray, first: int, stop: int, random: np.random.Generator
) -> None:
    """Deal new games at these tables, and play first .. stop - 1 random plies in each.

    Small numbers are more likely, so that all plies of a game are learned about equally often.
    """
    tables.deal(rows)
    ages = first + ((stop - first) * random.random(len(rows)) ** 3).astype(np.int64)
    for ply in range(stop):
        tables.deal(play_random(tables, rows[ages > ply], random))


def look(tables: Tables, rows: np.ndarray) -> Positions:
    """Return the positions at these tables."""
    seats, observations, words = tables.show(rows)
    masks = action_masks(words, tables.game.num_actions)
    return Positions(tables.states[rows], seats, observations, masks)


def play(tables: Tables, rows: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Apply an action at each of these tables; return the tables where the game is over."""
    tables.apply(rows, actions)
    return rows[tables.show(rows)[0] == NO_SEAT]


def play_random(tables: Tables, rows: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Apply a random action at each of these tables; return those where the game is over."""
    masks = look(tables, rows).masks
    return play(tables, rows, explore(np.zeros(len(rows), np.int64), masks, 1.0, random))


def td_targets(
    game: Game, target: nn.Module, positions: Positions, return_step: float = 0.0
) -> np.ndarray:
    """Return the value of each legal action for the seat that takes it: float32 [N, A], else 0.

    An action that ends the game has the value of the return. Any other has the best value of the
    seat that acts next, negated where that is the other seat, since one gains what the other loses.
    In a game that hides nothing, a value is one of the possible returns, -1 + k * `return_step`.
    With a step above 0, values are moved towards the nearest of these: small errors do not add up.
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
    bootstrap = np.where(seats == acted, best, -best)
    if return_step:
        turns = 2 * np.pi * (bootstrap + 1) / return_step
        bootstrap -= return_step / (2 * np.pi) * np.sin(turns)
    out = np.zeros(positions.masks.shape, np.float32)
    out[parents, actions] = np.where(seats == NO_SEAT, returns, bootstrap)
    return out
