"""Deep Q-learning with action masks (Mnih et al. 2015), by self-play and against a pool of players.

Double DQN (van Hasselt et al. 2016) with n-step returns (Sutton 1988; Hessel et al. 2018). Masks
are applied three times: to the behaviour, to the maximum in the target, and to the exported policy.
Rewards are terminal, so gamma is 1: nothing is discounted.
"""

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ..baselines.networks.kinds import new_network, policy_of
from ..baselines.networks.modules import ActionValues, mask_values
from ..baselines.players.making import make_policy
from ..baselines.policies.policy import Policy
from ..envs.core.game import NO_SEAT, Game, setting
from ..envs.core.play.driver import Seating
from ..envs.core.play.loops import EXTERNAL
from ..envs.core.play.tables import Tables, action_masks
from ..envs.core.rng import player_streams, streams
from .session import BaseLearner, Progress, check_learner_settings, clocks, shares_of_tables, since

Choose = Callable[[np.ndarray, np.ndarray], np.ndarray]  # (observations, masks) -> actions


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

MAX_GRADIENT_NORM = 10.0
FINAL_FRACTION = 0.05  # of the step size and of epsilon, left at the end of a run


class Learner(BaseLearner):
    """The network that learns, and the target network that its targets come from."""

    parts = ("network", "target", "optimizer")

    def __init__(self, game: Game, config: Config) -> None:
        super().__init__(config, config.num_threads)
        self.game = game
        self.network: ActionValues = new_network("dqn", game, dataclasses.asdict(config))
        self.target = copy.deepcopy(self.network)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)

    def run(self) -> Iterator[tuple[Progress, ActionValues]]:
        """Learn to the end of the run, yielding the progress and the network after every step.

        A resumed run begins with an empty replay buffer.
        """
        config, seed = self.config, self.config.seed + self.progress.updates
        random = np.random.default_rng(seed)
        rollout = self._rollout(seed)
        buffer = ReplayBuffer(self.game, config.buffer_size)
        updates_due = 0.0
        while self.progress.done < 1.0:
            start = clocks()
            epsilon = config.epsilon * cosine_decay(self.progress.done)
            behaviour = epsilon_greedy(self.game, self.network, epsilon, random)
            buffer.add(rollout.step(behaviour))
            if len(buffer) >= WARMUP_BATCHES * config.batch_size:
                updates_due += config.updates_per_step
            num_updates, loss = int(updates_due), self.progress.loss
            updates_due -= num_updates
            for update in range(self.progress.updates + 1, self.progress.updates + num_updates + 1):
                loss = self.update(buffer.sample(config.batch_size, random))
                if update % config.target_update_interval == 0:
                    self.target.load_state_dict(self.network.state_dict())
            self.advance(config.num_tables, num_updates, since(start), loss=loss)
            yield self.progress, self.network

    def _rollout(self, seed: int) -> "Rollout":
        config, game = self.config, self.game
        opponents = [make_policy(name, game) for name in config.opponents]
        shares = shares_of_tables(config.self_play, opponents, config.opponent_weights)
        return Rollout(game, config.num_tables, opponents, shares, config.n_steps, seed)

    def update(self, batch: "Transitions") -> float:
        """Take one gradient step towards the n-step Double DQN target; return the loss."""
        observations = torch.from_numpy(self.game.layout.integers(batch.observations))
        actions = torch.from_numpy(batch.actions)[:, None]
        predicted = self.network(observations).gather(1, actions)[:, 0]
        td_target = td_targets(self.game, self.network, self.target, batch)
        loss = nn.functional.smooth_l1_loss(predicted, td_target)
        rate = self.config.learning_rate * cosine_decay(self.progress.done)
        self.descend(loss, rate, MAX_GRADIENT_NORM)
        return loss.item()


def cosine_decay(done: float) -> float:
    """Return the factor, 1 at the start and FINAL_FRACTION at the end, by half a cosine."""
    return FINAL_FRACTION + (1 - FINAL_FRACTION) * (1 + math.cos(math.pi * done)) / 2


def epsilon_greedy(
    game: Game, network: ActionValues, epsilon: float, random: np.random.Generator
) -> Choose:
    """Return the behaviour: the best legal action, or with probability `epsilon` a random one.

    The network acts compiled, with the weights that it has now.
    """
    best = policy_of("dqn", game, network)

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        actions = best(observations, masks, streams(np.zeros(len(observations), np.int64)))
        return explore(actions, masks, epsilon, random)

    return choose


def explore(
    actions: np.ndarray, masks: np.ndarray, epsilon: float, random: np.random.Generator
) -> np.ndarray:
    """Replace each action by a random legal one with probability `epsilon`; return a new array.

    `actions` are int64 [B], `masks` int8 [B, A].
    """
    explores = random.random(len(actions)) < epsilon
    keys = random.random((int(explores.sum()), masks.shape[1]))
    out = actions.copy()
    out[explores] = (keys * masks[explores]).argmax(axis=1)
    return out


def td_targets(
    game: Game, network: ActionValues, target: ActionValues, batch: "Transitions"
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


class Transitions(NamedTuple):
    """Decisions of learning seats, each with what the seat observed n decisions later.

    `observations` and `next_observations` are records [B]; `actions` int64 [B]; `rewards` float32
    [B], the return of the game where it ended within n decisions of that seat, else 0;
    `next_masks` int64 words [B, W], all zero where the game ended.
    """

    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    next_observations: np.ndarray
    next_masks: np.ndarray

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.actions)

    @staticmethod
    def empty(game: Game, size: int) -> "Transitions":
        """Return `size` rows of zeros."""
        return Transitions(
            observations=game.new_observations(size),
            actions=np.zeros(size, np.int64),
            rewards=np.zeros(size, np.float32),
            next_observations=game.new_observations(size),
            next_masks=np.zeros((size, game.num_mask_words), np.int64),
        )


class Rollout:
    """N tables, each of which awaits a decision of a learning seat in every step.

    With the first of the `shares` all seats of a table learn; with each other one seat learns, and
    that opponent plays all others. Every new game draws which.
    """

    def __init__(
        self,
        game: Game,
        num_tables: int,
        opponents: Sequence[Policy],
        shares: np.ndarray,
        n_steps: int,
        seed: int,
    ) -> None:
        n = game.num_seats
        self.game = game
        self._random = np.random.default_rng(seed)
        self._shares = shares
        seeds = self._random.integers(2**62, size=num_tables)
        self.tables = Tables(game, streams(seeds))
        self._seating = Seating(
            self.tables, opponents, self._draw_seats(num_tables), player_streams(seeds, n)
        )
        # Rings [N, seats, n_steps] of the latest decisions, whose outcome is not known yet.
        self._observations = game.new_observations(num_tables * n * n_steps).reshape(-1, n, n_steps)
        self._actions = np.zeros((num_tables, n, n_steps), np.int64)
        self._counts = np.zeros((num_tables, n), np.int64)  # decisions in this game so far
        self.tables.deal(self.tables.all_rows)
        self._go_on(self.tables.all_rows)

    def step(self, choose: Choose) -> Transitions:
        """Take one decision at every table; return the transitions that it completed.

        `choose` maps observation records [N] and masks int8 [N, A] to actions [N].
        """
        rows = self.tables.all_rows
        actions = choose(self._shown[1], action_masks(self._shown[2], self.game.num_actions))
        completed = self._remember(actions)
        self.tables.apply(rows, actions)
        parts = completed, *self._go_on(rows)
        return Transitions(*map(np.concatenate, zip(*parts, strict=True)))

    def _go_on(self, rows: np.ndarray) -> list[Transitions]:
        """Play on until a learning seat must act at every table; deal the next game where one ends.

        Return the transitions of the games that ended.
        """
        ended = []
        while len(rows):
            self._seating.advance(rows)
            rows = rows[self.tables.show(rows)[0] == NO_SEAT]
            ended.append(self._end(rows))
            seated = self._seating.seated.copy()
            seated[rows] = self._draw_seats(len(rows))
            self._seating.seated[:] = seated
            self._seating.begin(rows)
            self.tables.deal(rows)
        self._shown = self.tables.show(self.tables.all_rows)
        return ended

    def _draw_seats(self, num_rows: int) -> np.ndarray:
        n = self.game.num_seats
        choice = self._random.choice(len(self._shares), size=num_rows, p=self._shares) - 1
        seated = np.repeat(choice[:, None], n, axis=1)  # choice -1 is EXTERNAL: all seats learn
        seated[np.arange(num_rows), self._random.integers(n, size=num_rows)] = EXTERNAL
        return seated

    def _remember(self, actions: np.ndarray) -> Transitions:
        """Store a decision of each acting seat; return those that are now n decisions old."""
        seats, observations, words = self._shown
        acting = self.tables.all_rows, seats
        counts, n_steps = self._counts[acting], self._actions.shape[2]
        ring = *acting, counts % n_steps
        old = counts >= n_steps
        stored = self._observations[ring][old], self._actions[ring][old]
        self._observations[ring], self._actions[ring] = observations, actions
        self._counts[acting] += 1
        nothing = np.zeros(old.sum(), np.float32)
        return Transitions(*stored, nothing, observations[old], words[old])

    def _end(self, rows: np.ndarray) -> Transitions:
        """Return all decisions still stored of the games that ended, with what these returned."""
        counts, n_steps = self._counts[rows], self._actions.shape[2]
        games, seats, slots = np.nonzero(np.arange(n_steps) < counts[:, :, None])
        ring = rows[games], seats, slots
        observations, returns = self._observations[ring], self.tables.returns(rows)[games, seats]
        no_masks = np.zeros((len(games), self.game.num_mask_words), np.int64)
        self._counts[rows] = 0
        return Transitions(
            observations, self._actions[ring], returns.astype(np.float32), observations, no_masks
        )


class ReplayBuffer:
    """A ring of `capacity` transitions."""

    def __init__(self, game: Game, capacity: int) -> None:
        self._ring = Transitions.empty(game, capacity)
        self._capacity = capacity
        self._added = 0

    def __len__(self) -> int:
        return min(self._added, self._capacity)

    def add(self, transitions: Transitions) -> None:
        """Copy transitions in, over the oldest. Raises ValueError for more than `capacity`."""
        if transitions.size > self._capacity:
            raise ValueError(f"{transitions.size} transitions do not fit into {self._capacity}")
        start = self._added % self._capacity
        places = np.arange(start, start + transitions.size) % self._capacity
        for column, new in zip(self._ring, transitions, strict=True):
            column[places] = new
        self._added += transitions.size

    def sample(self, size: int, random: np.random.Generator) -> Transitions:
        """Draw `size` transitions uniformly, with replacement."""
        places = random.integers(len(self), size=size)
        return Transitions(*(column[places] for column in self._ring))
