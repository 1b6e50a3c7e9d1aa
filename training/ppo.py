"""Proximal policy optimization with action masks (Schulman et al. 2017), by self-play.

Acting is compiled and runs in its own threads while torch learns from the batch before. So learning
is always exactly one batch behind, on any number of cores. Rewards are terminal, so nothing is
discounted.
"""

import dataclasses
import math
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import numpy as np
import torch
from torch import nn

from ..baselines.networks.derived import in_extended_game
from ..baselines.networks.policy_value import PolicyValue, legal_lists
from ..baselines.players.making import make_policy
from ..envs.core.game import Game, setting
from .acting import OpponentMix, SelfPlay
from .decisions import Batch, new_batch
from .overlap import fill_slices, play_while_learning
from .progress import Losses, Progress, Spent, advanced, linear_decay
from .resuming import Resumable
from .settings import check_learner_settings


@dataclasses.dataclass
class Config:
    """Settings of the learner."""

    total_steps: int = setting(100_000_000, "length of the run, in decisions of learning seats")
    minutes: float = setting(math.inf, "minutes to learn; compiling and measuring do not count")
    seed: int = setting(0, "seed of all random choices")
    hidden: tuple[int, ...] = setting((128, 128), "units of each hidden layer")
    derived_inputs: bool = setting(True, "add inputs that the game derives from an observation")
    num_tables: int = setting(2048, "number of games played side by side")
    batch_decisions: int = setting(24, "number of decisions of each table in a batch")
    minibatch_size: int = setting(4096, "number of decisions in a gradient step")
    epochs: int = setting(1, "number of passes through each batch")
    learning_rate: float = setting(
        1e-3, "step size at the start; falls linearly to final_learning_rate"
    )
    final_learning_rate: float = setting(3e-5, "step size of Adam at the end")
    entropy_coefficient: float = setting(
        0.05, "weight of the entropy at the start; then falls linearly"
    )
    final_entropy_coefficient: float = setting(0.005, "weight of the entropy at the end")
    value_coefficient: float = setting(0.5, "weight of the value's squared error")
    clip: float = setting(0.2, "maximum change of an action's probability in a batch, as a ratio")
    gae_lambda: float = setting(0.95, "lambda of generalized advantage estimation")
    first_place_weight: float = setting(
        0.0, "weight of being first; the rest is that of the return"
    )
    self_play: float = setting(1.0, "weight of the tables at which every seat learns")
    opponents: tuple[str, ...] = setting((), "compiled players that one seat learns against")
    opponent_weights: tuple[float, ...] = setting((), "weight of each opponent's tables; none: 1")
    num_threads: int = setting(2, "half of them play, half compute gradients")

    def __post_init__(self) -> None:
        """Raise ValueError for a setting with which nothing could be learned."""
        above_zero = "minutes", "learning_rate", "clip"
        check_learner_settings(self, above_zero, fractions=("gae_lambda", "first_place_weight"))


MAX_GRADIENT_NORM = 0.5


class Learner(Resumable):
    """The network, its optimizer, and how far the run has come."""

    def __init__(self, game: Game, config: Config) -> None:
        torch.manual_seed(config.seed)
        torch.set_num_threads(max(1, config.num_threads // 2))
        self.config = config
        self.network = PolicyValue(game, config.hidden, derived_inputs=config.derived_inputs)
        opponents = [make_policy(name, game) for name in config.opponents]
        if config.derived_inputs:
            opponents = [in_extended_game(policy) for policy in opponents]
        self.opponents = opponents
        self.game = game = self.network.seen(game)
        self.rows = self.network.rows(game)
        self.parameters = list(self.network.parameters())
        self.optimizer = torch.optim.Adam(self.parameters, lr=config.learning_rate, eps=1e-5)
        self.progress = Progress()

    def run(self) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn to the end of the run, yielding the progress and the network after every batch.

        The network is the learner's own: evaluate it before the next step, or copy it.
        """
        config = self.config
        random = np.random.default_rng((config.seed, self.progress.updates))
        play = self._new_tables(int(random.integers(2**62)))
        batches = self._new_batch(config.num_tables), self._new_batch(config.num_tables)
        self._compile(play)
        num_actors = config.num_threads // 2
        with ThreadPoolExecutor(max(1, num_actors)) as pool:
            for losses, spent in play_while_learning(
                lambda batch: self._act(play, batch, pool, num_actors),
                lambda batch: self._learn(batch, random),
                batches,
                lambda: self.progress.done < 1.0,
            ):
                self._report(losses, spent, play)
                yield self.progress, self.network

    def _new_tables(self, seed: int) -> SelfPlay:
        config = self.config
        opponent_mix = OpponentMix(config.self_play, self.opponents, config.opponent_weights)
        return SelfPlay(
            self.game, config.num_tables, seed, opponent_mix, self.rows, config.first_place_weight
        )

    def _new_batch(self, num_tables: int) -> Batch:
        words = self.game.num_mask_words
        return new_batch(num_tables, self.config.batch_decisions, words, self.rows)

    def _act(
        self, play: SelfPlay, batch: Batch, pool: ThreadPoolExecutor, num_actors: int
    ) -> list[Future[None]]:
        """Fill a batch with the network as it is now, here or in the threads of the pool."""
        arguments = self.network.record(self.game), self.config.gae_lambda, batch
        if num_actors == 0:
            play.act(*arguments, slice(0, self.config.num_tables))
            return []
        return fill_slices(partial(play.act, *arguments), self.config.num_tables, num_actors, pool)

    def _compile(self, play: SelfPlay) -> None:
        """Call everything once, on nothing, before the clock starts."""
        record, gae_lambda = self.network.record(self.game), self.config.gae_lambda
        play.act(record, gae_lambda, self._new_batch(0), slice(0, 0))
        batch = flat(self._new_batch(1))
        losses = self._losses(batch, batch.advantages, np.zeros(1, np.int64))
        sum(losses).backward()
        self.optimizer.zero_grad(set_to_none=True)

    def _learn(self, batch: Batch, random: np.random.Generator) -> Losses:
        """Go through a batch in minibatches; return the means of their losses."""
        config = self.config
        decisions = flat(batch)
        advantages = decisions.advantages
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        for group in self.optimizer.param_groups:
            group["lr"] = linear_decay(
                config.learning_rate, config.final_learning_rate, self.progress.done
            )
        num_parts = max(1, round(len(advantages) / config.minibatch_size))
        losses = []
        for _ in range(config.epochs):
            for chosen in np.array_split(random.permutation(len(advantages)), num_parts):
                losses.append(self._step(decisions, advantages, chosen))
        return Losses(*np.mean(losses, axis=0).tolist())

    def _step(self, decisions: Batch, advantages: np.ndarray, chosen: np.ndarray) -> list[float]:
        """Take one gradient step on the decisions `chosen`; return its losses."""
        config = self.config
        entropy_coefficient = linear_decay(
            config.entropy_coefficient, config.final_entropy_coefficient, self.progress.done
        )
        losses = self._losses(decisions, advantages, chosen)
        loss = losses.policy + config.value_coefficient * losses.value
        loss = loss - entropy_coefficient * losses.entropy
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, MAX_GRADIENT_NORM)
        self.optimizer.step()
        return [part.item() for part in losses]

    def _losses(self, decisions: Batch, advantages: np.ndarray, chosen: np.ndarray) -> Losses:
        """Return the clipped objective, the squared error of values and the entropy."""
        lists = legal_lists(decisions.masks[chosen], decisions.actions[chosen])
        units, values = self.network.forward_rows(
            self.rows, decisions.rows[chosen], decisions.continuous[chosen]
        )
        logits = self.network.legal_logits(units, lists.legal)
        log_probs = torch.log_softmax(logits, dim=1)
        taken = log_probs.gather(1, torch.from_numpy(lists.places)[:, None])[:, 0]
        ratio = torch.exp(taken - torch.from_numpy(decisions.log_probs[chosen]))
        advantage = torch.from_numpy(advantages[chosen])
        clipped = ratio.clamp(1 - self.config.clip, 1 + self.config.clip)
        targets = torch.from_numpy(decisions.targets[chosen])
        return Losses(
            policy=-torch.min(ratio * advantage, clipped * advantage).mean(),
            value=nn.functional.mse_loss(values, targets),
            entropy=-(log_probs.exp() * log_probs).sum(dim=1).mean(),
        )

    def _report(self, losses: Losses, spent: Spent, play: SelfPlay) -> None:
        """Update the progress after a batch."""
        config = self.config
        size = config.num_tables * config.batch_decisions
        self.progress = advanced(
            self.progress,
            config,
            size,
            config.epochs * max(1, round(size / config.minibatch_size)),
            spent,
            loss=losses.policy + config.value_coefficient * losses.value,
            entropy=losses.entropy,
            forced=play.forced_fraction,
        )


def flat(batch: Batch) -> Batch:
    """Join the decisions of all tables, in the order of the tables."""
    size = batch.actions.size
    return Batch(*(array.reshape(size, *array.shape[2:]) for array in batch))
