"""Deep Q-learning with action masks (Mnih et al. 2015), by self-play and against a pool of players.

Double DQN (van Hasselt et al. 2016) with n-step returns (Sutton 1988; Hessel et al. 2018). Masks
are applied three times: to the behaviour, to the maximum in the target, and to the exported policy.
Rewards are terminal, so gamma is 1: nothing is discounted.
"""

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import nn

from ..baselines.networks.kinds import new_network, policy_of
from ..baselines.networks.modules import ActionValues, mask_values
from ..baselines.players.making import make_policy
from ..envs.core.game import Game, setting
from ..envs.core.play.tables import action_masks
from ..envs.core.rng import streams
from .progress import Progress, advanced, clocks, cosine_decay, since
from .replay_buffer import ReplayBuffer
from .rollout import Rollout, Transitions, explore
from .settings import check_learner_settings


@dataclasses.dataclass
class Config:
    """Settings of the learner."""

    total_steps: int = setting(20_000_000, "length of the run, in decisions of learning seats")
    minutes: float = setting(math.inf, "minutes to learn and compile; measuring does not count")
    seed: int = setting(0, "seed of all random choices")
    hidden: tuple[int, ...] = setting((512, 512), "units of each hidden layer")
    num_tables: int = setting(1024, "number of games played side by side")
    self_play: float = setting(0.3, "weight of the tables at which every seat learns")
    opponents: tuple[str, ...] = setting(
        ("random",), "players that one learning seat meets elsewhere"
    )
    opponent_weights: tuple[float, ...] = setting((), "weight of each opponent's tables; none: 1")
    n_steps: int = setting(3, "decisions of a seat from an observation to its bootstrap")
    buffer_size: int = setting(1_000_000, "number of transitions that the replay buffer holds")
    batch_size: int = setting(1024, "number of transitions in a gradient step")
    updates_per_step: float = setting(1.0, "gradient steps for each step of all tables")
    learning_rate: float = setting(
        1e-3, "step size at the start; a cosine decays it to a twentieth"
    )
    epsilon: float = setting(
        0.05, "probability of a random action at the start; decays like the step size"
    )
    target_update_interval: int = setting(
        200, "gradient steps between copies to the target network"
    )
    num_threads: int = setting(2, "threads that torch uses")

    def __post_init__(self) -> None:
        """Raise ValueError for settings with which nothing could be learned."""
        check_learner_settings(self, ("minutes", "learning_rate"), fractions=("epsilon",))
        if not 0 <= self.updates_per_step < math.inf:
            raise ValueError(f"updates_per_step must be 0 or more; got {self.updates_per_step}")
        if self.buffer_size < WARMUP_BATCHES * self.batch_size:
            raise ValueError(
                f"a buffer of {self.buffer_size} cannot hold the {WARMUP_BATCHES} batches of "
                f"{self.batch_size} with which learning starts"
            )


WARMUP_BATCHES = 4  # the buffer holds this many batches when learning starts


def train(game: Game, config: Config) -> Iterator[tuple[Progress, ActionValues]]:
    """Learn `game`; yield the progress and the network after every step of all tables.

    The network goes on changing: evaluate it before the next step, or copy it.
    """
    torch.manual_seed(config.seed)
    torch.set_num_threads(config.num_threads)
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
    progress = Progress()
    updates_due = 0.0
    while progress.done < 1.0:
        start = clocks()
        decay = cosine_decay(progress.done)
        optimizer.param_groups[0]["lr"] = config.learning_rate * decay
        buffer.add(rollout.step(epsilon_greedy(game, network, config.epsilon * decay, random)))
        num_updates, loss = 0, progress.loss
        if len(buffer) >= WARMUP_BATCHES * config.batch_size:
            updates_due += config.updates_per_step
        while updates_due >= 1.0:
            updates_due -= 1.0
            batch = buffer.sample(config.batch_size, random)
            loss = update(game, network, target, optimizer, batch)
            num_updates += 1
            if (progress.updates + num_updates) % config.target_update_interval == 0:
                target.load_state_dict(network.state_dict())
        progress = advanced(
            progress, config, config.num_tables, num_updates, since(start), loss=loss
        )
        yield progress, network


def epsilon_greedy(
    game: Game, network: ActionValues, epsilon: float, random: np.random.Generator
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return the behaviour: the best legal action, or with probability `epsilon` a random one.

    The network acts compiled, with the weights that it has now.
    """
    best = policy_of("dqn", game, network)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions = best(observations, masks, streams(np.zeros(len(observations), np.int64)))
        return explore(actions, masks, epsilon, random)

    return choose


def update(
    game: Game,
    network: ActionValues,
    target: ActionValues,
    optimizer: torch.optim.Optimizer,
    batch: Transitions,
) -> float:
    """Take one gradient step towards the n-step Double DQN target; return the loss."""
    observations = torch.from_numpy(game.layout.integers(batch.observations))
    actions = torch.from_numpy(batch.actions)[:, None]
    predicted = network(observations).gather(1, actions)[:, 0]
    td_target = td_targets(game, network, target, batch)
    loss = nn.functional.smooth_l1_loss(predicted, td_target)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(network.parameters(), 10.0)
    optimizer.step()
    return loss.item()


def td_targets(
    game: Game, network: ActionValues, target: ActionValues, batch: Transitions
) -> torch.Tensor:
    """Return what the network should have predicted for a batch [B], by Double DQN.

    Where the game ended, that is its return; elsewhere the target network's value of the action
    that the network itself would choose next.
    """
    masks = torch.from_numpy(action_masks(batch.next_masks, game.num_actions))
    is_running = masks.any(dim=1)
    with torch.no_grad():
        observations = torch.from_numpy(game.layout.integers(batch.next_observations))
        best = mask_values(network(observations), masks).argmax(dim=1, keepdim=True)
        values = target(observations).gather(1, best)[:, 0]
    return torch.from_numpy(batch.rewards) + torch.where(is_running, values, 0.0)
