"""Deep Q-learning with action masks (Mnih et al. 2015), by self-play and against a pool of players.

Double DQN (van Hasselt et al. 2016) with n-step returns (Sutton 1988; Hessel et al. 2018). Masks
are applied three times: to the behaviour, to the maximum in the target, and to the exported policy.
A game pays only at its end, so nothing is discounted.
"""

import copy
import dataclasses
import math
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ..baselines.networks.kinds import action_values, new_network
from ..baselines.networks.modules import ActionValues, mask_values
from ..baselines.players import make_policy
from ..envs.core.game import Game, check_range
from ..envs.core.tables import action_masks
from .replay_buffer import ReplayBuffer
from .rollout import Rollout, Transitions


@dataclasses.dataclass
class Config:
    """Settings of the learner."""

    decisions: int = 20_000_000  # length of the run, in decisions of learning seats
    minutes: float = math.inf  # or this long on the clock, learning alone, if that is sooner
    seed: int = 0
    hidden: tuple[int, ...] = (512, 512)  # units of the hidden layers
    num_tables: int = 1024  # games played side by side
    self_play: float = 0.3  # weight of the tables at which every seat learns
    opponents: tuple[str, ...] = ("random",)  # at the others one seat learns against a field of one
    opponent_weights: tuple[float, ...] = (1.0,)  # weights of those tables, one an opponent
    n_steps: int = 3  # own decisions between an observation and its bootstrap
    buffer_size: int = 1_000_000  # transitions
    batch_size: int = 1024
    updates_per_step: float = 1.0  # gradient steps for each step of all tables
    learning_rate: float = 1e-3  # decays to END_SHARE of it over the run, on a cosine
    exploration: float = 0.05  # share of random actions, decays alike
    target_every: int = 200  # gradient steps between copies to the target network
    threads: int = 2

    def __post_init__(self) -> None:
        """Raise ValueError for a setting with which nothing could be learned."""
        for name in COUNTS:
            check_range(name, getattr(self, name), 1, MOST)
        check_range("seed", self.seed, 0, MOST)
        for units in self.hidden:
            check_range("hidden", units, 1, MOST)
        for name in ("minutes", "learning_rate"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be above 0; got {getattr(self, name)}")
        if not 0 <= self.updates_per_step < math.inf:
            raise ValueError(f"updates_per_step must be 0 or more; got {self.updates_per_step}")
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration must be a chance in 0 .. 1; got {self.exploration}")
        if self.buffer_size < MIN_BATCHES * self.batch_size:
            raise ValueError(
                f"a buffer of {self.buffer_size} cannot hold the {MIN_BATCHES} batches of "
                f"{self.batch_size} with which learning starts"
            )


COUNTS = (
    "decisions",
    "num_tables",
    "n_steps",
    "buffer_size",
    "batch_size",
    "target_every",
    "threads",
)
MOST = 10**12
MIN_BATCHES = 4  # transitions to gather before learning starts, in batches
END_SHARE = 0.05  # what is left of learning rate and exploration at the end of a run


class Progress(NamedTuple):
    """Where a run stands; `done` goes from 0 to 1."""

    done: float
    seconds: float  # spent here: what whoever follows the run does in between is not counted
    decisions: int
    updates: int
    loss: float


def train(game: Game, config: Config) -> Iterator[tuple[Progress, ActionValues]]:
    """Learn `game`, handing out the progress and the network after every step of all tables.

    The network is the learner's own: evaluate it before the next step, or copy it.
    """
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.threads)
    random = np.random.default_rng(config.seed)
    network = new_network("dqn", game, dataclasses.asdict(config))
    target = copy.deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=config.learning_rate)
    rollout = Rollout(
        game,
        config.num_tables,
        [make_policy(name, game) for name in config.opponents],
        config.opponent_weights,
        config.self_play,
        config.n_steps,
        config.seed,
    )
    buffer = ReplayBuffer(game, config.buffer_size)
    progress = Progress(0.0, 0.0, 0, 0, math.nan)
    owed = 0.0
    while progress.done < 1.0:
        start = time.monotonic()
        decay = END_SHARE + (1 - END_SHARE) * (1 + math.cos(math.pi * progress.done)) / 2
        optimizer.param_groups[0]["lr"] = config.learning_rate * decay
        buffer.add(rollout.step(explorer(game, network, config.exploration * decay, random)))
        updates, loss = progress.updates, progress.loss
        owed += config.updates_per_step if len(buffer) >= MIN_BATCHES * config.batch_size else 0.0
        while owed >= 1.0:
            owed -= 1.0
            batch = buffer.sample(config.batch_size, random)
            loss = update(game, network, target, optimizer, batch)
            updates += 1
            if updates % config.target_every == 0:
                target.load_state_dict(network.state_dict())
        decisions = progress.decisions + config.num_tables
        seconds = progress.seconds + time.monotonic() - start
        done = max(decisions / config.decisions, seconds / (60 * config.minutes))
        progress = Progress(min(done, 1.0), seconds, decisions, updates, loss)
        yield progress, network


def explorer(
    game: Game, network: ActionValues, exploration: float, random: np.random.Generator
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Behaviour: the best legal action, or with probability `exploration` a random legal one."""

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions = action_values(game, network, observations, masks).argmax(axis=1)
        explores = random.random(len(actions)) < exploration
        keys = random.random((int(explores.sum()), game.num_actions))
        actions[explores] = (keys * masks[explores]).argmax(axis=1)
        return actions

    return choose


def update(
    game: Game,
    network: ActionValues,
    target: ActionValues,
    optimizer: torch.optim.Optimizer,
    batch: Transitions,
) -> float:
    """One gradient step towards the n-step Double DQN target; returns the loss."""
    observations = torch.from_numpy(game.layout.integers(batch.observations))
    actions = torch.from_numpy(batch.actions)[:, None]
    predicted = network(observations).gather(1, actions)[:, 0]
    wanted = targets(game, network, target, batch)
    loss = nn.functional.smooth_l1_loss(predicted, wanted)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 10.0)
    optimizer.step()
    return loss.item()


def targets(
    game: Game, network: ActionValues, target: ActionValues, batch: Transitions
) -> torch.Tensor:
    """Return of the game, or the target network's value of the action the network would take."""
    masks = torch.from_numpy(action_masks(batch.next_masks, game.num_actions))
    goes_on = masks.any(dim=1)
    with torch.no_grad():
        following = torch.from_numpy(game.layout.integers(batch.next_observations))
        best = mask_values(network(following), masks).argmax(dim=1, keepdim=True)
        values = target(following).gather(1, best)[:, 0]
    return torch.from_numpy(batch.rewards) + torch.where(goes_on, values, 0.0)
