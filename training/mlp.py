"""A perceptron that learns from the results of duplicate matches alone, by imitation.

It plays batches of matches against one player, and knows nothing but its observations and the legal
actions. Every action of a won match is an example to imitate. For an action of a lost match, the
other actions that the seat held are the examples instead. Drawn matches are not used.
"""

import dataclasses
import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from ..baselines.networks.kinds import new_network, policy_of
from ..baselines.networks.perceptron import Perceptron, union_columns
from ..baselines.players.making import make_policy
from ..baselines.policies.policy import Policy
from ..envs.core.game import Game, setting
from ..envs.core.play.driver import Seating
from ..envs.core.play.loops import EXTERNAL
from ..envs.core.play.playthrough import turns
from ..envs.core.play.tables import Tables
from ..envs.core.rng import player_streams, streams
from .session import BaseLearner, check_learner_settings, clocks, since


@dataclasses.dataclass
class Config:
    """Settings of the learner.

    A set is a packed field of the observation with one bit for each action. A field with several
    times as many bits stands for the union of its parts; `a-b` is what is in a and not in b.
    """

    num_batches: int = setting(10, "length of the run, in batches of matches")
    num_matches: int = setting(1000, "duplicate matches in a batch, each on a deal of its own")
    num_epochs: int = setting(20, "passes through the examples of a batch")
    opponent: str = setting("random", "player that the learner meets")
    inputs: tuple[str, ...] = setting(
        ("played-table", "hand", "table"), "sets that the network sees"
    )
    held: str = setting("hand", "set of the actions that a seat could have chosen")
    hidden: tuple[int, ...] = setting((40,), "units of each hidden layer")
    dropout: float = setting(0.5, "fraction of hidden units left out of a gradient step")
    batch_size: int = setting(128, "number of examples in a gradient step")
    learning_rate: float = setting(1e-3, "step size of RMSprop")
    seed: int = setting(0, "seed of all random choices")
    num_threads: int = setting(1, "threads that torch uses")

    def __post_init__(self) -> None:
        """Raise ValueError for settings with which nothing could be learned."""
        check_learner_settings(self, ("learning_rate",), fractions=("dropout",))


DECAY = 0.9  # of RMSprop's mean square


class MatchProgress(NamedTuple):
    """How far a run has come.

    `wins`, `losses` and `loss` describe the last batch, the rest the run.
    """

    done: float = 0.0  # rises to 1
    seconds: float = 0.0
    decisions: int = 0
    wins: float = math.nan  # fraction of decisions in won matches
    losses: float = math.nan  # fraction of decisions in lost matches
    loss: float = math.nan
    cpu_seconds: float = 0.0  # of all threads of the process, in the same time
    updates: int = 0  # batches of matches


class PlayedChoices(NamedTuple):
    """What the learner observed and did in a batch of matches; one row for each decision."""

    observations: np.ndarray  # records [D]
    actions: np.ndarray  # int64 [D]
    outcomes: np.ndarray  # +1, 0 or -1 [D]: how the match of that decision ended


class Learner(BaseLearner):
    """The perceptron and its optimizer. Raises ValueError for a game that has not two seats."""

    progress = MatchProgress()

    def __init__(self, game: Game, config: Config) -> None:
        if game.num_seats != 2:
            raise ValueError(f"a duplicate match needs two seats; {game.name} has {game.num_seats}")
        super().__init__(config, config.num_threads)
        self.game = game
        self.network: Perceptron = new_network("mlp", game, dataclasses.asdict(config))
        self.optimizer = torch.optim.RMSprop(
            self.network.parameters(), config.learning_rate, alpha=DECAY
        )

    def run(self) -> Iterator[tuple[MatchProgress, Perceptron]]:
        """Learn to the end, yielding the progress and the network after every batch of matches."""
        game, config, network = self.game, self.config, self.network
        random = np.random.default_rng(config.seed + self.progress.updates)
        opponent = make_policy(config.opponent, game)
        while self.progress.done < 1.0:
            start = clocks()
            seeds = random.integers(2**62, size=config.num_matches)
            choices = collect_choices(game, policy_of("mlp", game, network), opponent, seeds)
            inputs, targets = examples(game, network, choices, config.held)
            loss = fit(network, self.optimizer, inputs, targets, config)
            wins, losses = (float((choices.outcomes == sign).mean()) for sign in (1, -1))
            spent = since(start)
            self.advance(len(choices.actions), 1, spent, wins=wins, losses=losses, loss=loss)
            yield self.progress, network

    def fraction_done(self, progress: MatchProgress) -> float:
        """Return how much of a run is over, by batches."""
        return min(progress.updates / self.config.num_batches, 1.0)


def collect_choices(
    game: Game, policy: Policy, opponent: Policy, seeds: np.ndarray
) -> PlayedChoices:
    """Play a duplicate match on each deal, in which `policy` has either seat once.

    It wins the match if its return in seat 0 exceeds that of `opponent` in seat 0.
    """
    seeds = np.repeat(seeds, 2)
    tables = Tables(game, streams(seeds))
    own_seat = tables.all_rows % 2
    seated = np.zeros((len(own_seat), 2), np.int64)
    seated[tables.all_rows, own_seat] = EXTERNAL
    seating = Seating(tables, [opponent], seated, player_streams(seeds, 2, own_seat))
    tables.deal(tables.all_rows)
    taken = []
    for turn in turns(tables, seating):
        seating.choose(policy, turn)
        taken.append((turn.rows, turn.observations, turn.actions))
    with_seat_0 = tables.returns(tables.all_rows)[:, 0].reshape(-1, 2)  # of policy, opponent
    outcomes = np.sign(with_seat_0[:, 0] - with_seat_0[:, 1])
    played, observations, actions = (np.concatenate(part) for part in zip(*taken, strict=True))
    return PlayedChoices(observations, actions, outcomes[played // 2])


def examples(
    game: Game, network: Perceptron, choices: PlayedChoices, held: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the examples of these choices: inputs [E, ...] and 0/1 targets over actions [E, A].

    The target of a choice in a won match is the action taken; in a lost match, all other actions in
    the set `held`. Each of these weighs as much as an action of a won match, so early choices of
    lost matches weigh most. A choice without a target is left out.
    """
    observations = torch.from_numpy(game.layout.integers(choices.observations))
    outcomes = torch.from_numpy(choices.outcomes)[:, None]
    taken = nn.functional.one_hot(torch.from_numpy(choices.actions), game.num_actions)
    others = observations[:, union_columns(game, held)].amax(dim=1) * (1 - taken)
    targets = (taken * (outcomes > 0) + others * (outcomes < 0)).float()
    teaches = targets.sum(dim=1) > 0
    return network.sets(observations[teaches]), targets[teaches]


def fit(
    network: Perceptron,
    optimizer: torch.optim.Optimizer,
    inputs: torch.Tensor,
    targets: torch.Tensor,
    config: Config,
) -> float:
    """Minimise the cross-entropy in `num_epochs` passes; return the loss of the last pass.

    The loss of an example is the sum over its targets.
    """
    network.train()
    total = math.nan
    for _ in range(config.num_epochs):
        total = 0.0
        for rows in torch.randperm(len(inputs)).split(config.batch_size):
            loss = nn.functional.cross_entropy(network.body(inputs[rows]), targets[rows])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(rows)
    network.eval()
    return total / max(len(inputs), 1)
