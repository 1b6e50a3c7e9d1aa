"""Proximal policy optimization with action masks (Schulman et al. 2017), by self-play.

Acting is compiled and runs in its own threads while torch learns from the batch before. Rewards are
terminal, so nothing is discounted.
"""

import dataclasses
import math
from collections.abc import Callable, Iterator

import numpy as np
import torch
from torch import nn

from ..baselines.networks.compiled import (
    draw_action,
    head_value,
    network_functions,
    num_layers,
    to_chances,
    write_logits,
)
from ..baselines.networks.derived import in_extended_game
from ..baselines.networks.policy_value import PolicyValue, legal_lists
from ..baselines.players.making import make_policy
from ..envs.core.compile import array_rule, bind, unbound
from ..envs.core.game import Game, setting
from ..envs.core.rng import uniform
from .self_play import Batch, SelfPlay, flat, new_batch, play_while_learning
from .session import BaseLearner, Losses, Progress, check_learner_settings, shares_of_tables


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
MIN_PROBABILITY = np.float32(1e-30)  # of an action drawn: rounding may have made it 0

body = unbound  # `bind` gives it a meaning


class Learner(BaseLearner):
    """The learner of the policy and the value, in one network."""

    def __init__(self, game: Game, config: Config) -> None:
        super().__init__(config, max(1, config.num_threads // 2))
        self.network = PolicyValue(game, config.hidden, derived_inputs=config.derived_inputs)
        self.opponents = [make_policy(name, game) for name in config.opponents]
        if config.derived_inputs:
            self.opponents = [in_extended_game(policy) for policy in self.opponents]
        self.game = self.network.seen(game)
        self.rows = self.network.rows(self.game)
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=config.learning_rate, eps=1e-5
        )

    def run(self) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn to the end of the run, yielding the progress and the network after every batch."""
        config = self.config
        random = np.random.default_rng((config.seed, self.progress.updates))
        shares = shares_of_tables(config.self_play, self.opponents, config.opponent_weights)
        play = SelfPlay(
            self.game,
            self.rows,
            config.num_tables,
            int(random.integers(2**62)),
            self.opponents,
            shares,
            config.first_place_weight,
        )
        self._compile(play)
        batches = self._new_batch(config.num_tables), self._new_batch(config.num_tables)
        size = batches[0].actions.size
        num_updates = config.epochs * self._num_parts(size)
        for losses, spent in play_while_learning(
            lambda batch: self._acting(play, batch),
            lambda batch: self._learn(batch, random),
            batches,
            config.num_threads // 2,
            lambda: self.progress.done < 1.0,
        ):
            latest = {"loss": losses.total, "entropy": losses.entropy}
            self.advance(size, num_updates, spent, **latest, forced=play.forced_fraction)
            yield self.progress, self.network

    def _new_batch(self, num_tables: int) -> Batch:
        return new_batch(self.game, self.rows, num_tables, self.config.batch_decisions)

    def _acting(self, play: SelfPlay, batch: Batch) -> Callable[[slice], None]:
        """Return what fills tables of a batch with the network as it is now."""
        record, gae_lambda = self.network.record(self.game), self.config.gae_lambda
        choose = bind(_choose, body=network_functions(num_layers(record)).body)
        return lambda tables: play.fill(batch, tables, choose, record, gae_lambda)

    def _compile(self, play: SelfPlay) -> None:
        """Call everything once, on nothing, before the clock starts."""
        self._acting(play, self._new_batch(0))(slice(0, 0))
        batch = flat(self._new_batch(1))
        sum(self._losses(batch, batch.advantages, np.zeros(1, np.int64))).backward()
        self.optimizer.zero_grad(set_to_none=True)

    def _num_parts(self, num_decisions: int) -> int:
        return max(1, round(num_decisions / self.config.minibatch_size))

    def _learn(self, batch: Batch, random: np.random.Generator) -> Losses:
        """Go through a batch in minibatches; return the means of their losses."""
        config = self.config
        decisions = flat(batch)
        advantages = decisions.advantages
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        losses = []
        for _ in range(config.epochs):
            order = random.permutation(len(advantages))
            for chosen in np.array_split(order, self._num_parts(len(order))):
                losses.append(self._step(decisions, advantages, chosen))
        return Losses(*np.mean(losses, axis=0).tolist())

    def _step(self, decisions: Batch, advantages: np.ndarray, chosen: np.ndarray) -> list[float]:
        """Take one gradient step on the decisions `chosen`; return its losses."""
        config = self.config
        rate = self.decayed(config.learning_rate, config.final_learning_rate)
        entropy_weight = self.decayed(config.entropy_coefficient, config.final_entropy_coefficient)
        losses = self._losses(decisions, advantages, chosen)
        self.descend(losses.total - entropy_weight * losses.entropy, rate, MAX_GRADIENT_NORM)
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


@array_rule
def _choose(batch, index, play_state, table, weights):
    """Draw an action of the seat to act from the network's policy."""
    network, data, mask = weights[0], play_state.data[table], play_state.masks[table]
    rng = play_state.player_rngs[table, play_state.seats[table]]
    units = np.empty(network.value.shape[0], np.float32)
    chances = np.empty(network.actions_bias.shape[0], np.float32)
    body(network, data, units)
    write_logits(network, units, mask, chances)
    to_chances(mask, chances)
    action = draw_action(mask, chances, uniform(rng))
    batch.log_probs[table, index] = np.log(max(chances[action], MIN_PROBABILITY))
    batch.values[table, index] = head_value(network, units)
    return action
