"""Expert iteration: learn the moves and the outcomes of a search that the network itself guides.

First the network may imitate a `teacher`, any policy or search. Then it plays itself: every move is
chosen by a search as in Gumbel AlphaZero (Danihelka et al. 2022); the policy learns the improved
policy of the search, and the value the outcome. Searching is compiled and runs in its own
threads while torch learns from the batches before, so learning is always one batch behind. The
network that plays, and is saved, has a moving average of the learned weights.
"""

import copy
import dataclasses
import math
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import numpy as np
import torch
from torch import nn

from ..baselines.networks.learned import guide_network
from ..baselines.networks.policy_value import PolicyValue, legal_lists, num_other_values
from ..baselines.players.making import make_policy
from ..baselines.search.guided import PUCT_CONSTANT, VALUE_SCALE, GuidedSettings
from ..envs.core.game import Game, setting
from .actors import Actors, PlayBatch
from .guided_play import GuidedBatch, GuidedPlay, new_guided_batch
from .overlap import fill_slices, play_while_learning
from .progress import Losses, Progress, Spent, advanced, clocks, linear_decay, since
from .resuming import Resumable
from .settings import check_learner_settings
from .teaching import Lesson, lesson_of, packed, sample_decisions, taught, unpacked

ANY_CLUSTER = "auto"


@dataclasses.dataclass
class Config:
    """Settings of the learner."""

    total_steps: int = setting(10_000_000, "length of the run, in decisions")
    minutes: float = setting(math.inf, "minutes to learn; compiling and measuring do not count")
    seed: int = setting(0, "seed of all random choices")
    hidden: tuple[int, ...] = setting((128, 128), "units of each hidden layer")
    derived_inputs: bool = setting(True, "add inputs that the game derives from an observation")
    start: str = setting("", "checkpoint with the initial network, of the same sizes")
    teacher: str = setting("", "player to imitate first, such as mcts:num_simulations=300")
    teacher_steps: int = setting(100_000, "number of the teacher's decisions")
    teacher_temperature: float = setting(
        0.05, "temperature of the softmax of the teacher's action values: low is sharp"
    )
    num_tables: int = setting(256, "number of games played side by side")
    batch_decisions: int = setting(16, "number of decisions of each table in a batch")
    num_simulations: int = setting(32, "number of simulations of each search")
    num_considered: int = setting(16, "number of actions that a search compares")
    num_determinizations: int = setting(4, "number of determinizations that a search starts from")
    exploration_constant: float = setting(PUCT_CONSTANT, "weight of the priors below the root")
    value_scale: float = setting(VALUE_SCALE, "weight of the values at the root: high is sharp")
    kept_batches: int = setting(16, "number of latest batches in the replay buffer")
    averaged_batches: int = setting(
        16, "time constant, in batches, of the exponential moving average of the weights"
    )
    minibatch_size: int = setting(1024, "number of decisions in a gradient step")
    epochs: int = setting(2, "number of times each decision is learned from, on average")
    learning_rate: float = setting(
        1e-3, "step size at the start; falls linearly to final_learning_rate"
    )
    final_learning_rate: float = setting(3e-5, "step size of Adam at the end")
    value_coefficient: float = setting(0.5, "weight of the value's squared error")
    td_lambda: float = setting(
        0.9, "lambda of the value targets: 1 for the outcome, 0 for the next search"
    )
    num_threads: int = setting(2, "number of threads that search")
    cluster: str = dataclasses.field(
        default="",
        metadata={
            "meaning": "play with actors on the Ray cluster at this address, or without an address "
            "on the one that Ray finds or starts here; each has num_tables",
            "alone": ANY_CLUSTER,
        },
    )
    num_actors: int = setting(2, "number of actors on the cluster")

    def __post_init__(self) -> None:
        """Raise ValueError for a setting with which nothing could be learned."""
        above_zero = "minutes", "learning_rate", "teacher_temperature", "value_scale"
        check_learner_settings(self, above_zero, ("td_lambda",), from_zero=("teacher_steps",))
        if self.num_simulations < 2:
            raise ValueError("num_simulations must be at least 2: one compares nothing")


MAX_GRADIENT_NORM = 1.0


class Learner(Resumable):
    """The network that learns and the one that plays, the optimizer, and the latest lessons."""

    parts = ("network", "average", "optimizer")

    def __init__(self, game: Game, config: Config) -> None:
        torch.manual_seed(config.seed)
        torch.set_num_threads(1)
        self.config = config
        self.network = PolicyValue(
            game,
            config.hidden,
            derived_inputs=config.derived_inputs,
            num_others=num_other_values(game),
        )
        if config.start:
            self.network.load_state_dict(_weights_of(config.start, game, self.network))
        self.played = game
        self.game = game = self.network.seen(game)
        self.average = copy.deepcopy(self.network).requires_grad_(False)
        self.rows = self.network.rows(game)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.progress = Progress()
        self.lessons: list[Lesson] = []
        self.settings = GuidedSettings(
            config.num_simulations,
            config.num_considered,
            config.num_determinizations,
            config.exploration_constant,
            gumbel_scale=1.0,
            value_scale=config.value_scale,
        )

    def run(self) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn to the end of the run, yielding the progress and the network after every batch.

        The network is the learner's own: evaluate it before the next step, or copy it.
        """
        random = np.random.default_rng((self.config.seed, self.progress.updates))
        if self.config.teacher and self.progress.decisions < self.config.teacher_steps:
            yield from self._imitate(random)
        yield from self._play_on_cluster(random) if self.config.cluster else self._play(random)

    def _imitate(self, random: np.random.Generator) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn from whole games of the teacher."""
        config = self.config
        teacher = make_policy(config.teacher, self.game)
        limit = min(config.teacher_steps, config.total_steps)
        while self.progress.decisions < limit and self.progress.done < 1.0:
            start = clocks()
            seed = int(random.integers(2**62))
            lesson = taught(
                self.game, teacher, config.num_tables, seed, self.rows, config.teacher_temperature
            )
            losses = self._learn(lesson, random)
            self._report(losses, len(lesson.actions), since(start))
            yield self.progress, self.average

    def _play(self, random: np.random.Generator) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn from searches that the network guides."""
        config = self.config
        play = self._new_play(int(random.integers(2**62)))
        batches = self._new_batch(), self._new_batch()
        with ThreadPoolExecutor(config.num_threads) as pool:
            for losses, spent in play_while_learning(
                lambda batch: self._act(play, batch, pool),
                lambda batch: self._learn(lesson_of(batch), random),
                batches,
                lambda: self.progress.done < 1.0,
            ):
                self._report(losses, config.num_tables * config.batch_decisions, spent)
                yield self.progress, self.average

    def _play_on_cluster(
        self, random: np.random.Generator
    ) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn from searches of actors on a cluster, which the network guides."""
        config, num_actions = self.config, self.game.num_actions
        make = partial(player_of, self.played, dataclasses.replace(config, start="", cluster=""))
        address = None if config.cluster == ANY_CLUSTER else config.cluster
        self._compile_learning()
        actors = Actors(address, config.num_actors, make, random)
        try:
            start = clocks()
            for lesson, cpu_seconds in actors.played(lambda: self.average.record(self.game)):
                losses = self._learn(unpacked(lesson, num_actions), random)
                own = since(start)
                spent = own._replace(cpu_seconds=own.cpu_seconds + cpu_seconds)
                self._report(losses, len(lesson.actions), spent)
                yield self.progress, self.average
                if self.progress.done >= 1.0:
                    return
                start = clocks()
        finally:
            actors.end()

    def _new_play(self, seed: int) -> GuidedPlay:
        """Return tables to play at, with everything called once, before the clock starts."""
        config, game = self.config, self.game
        play = GuidedPlay(game, config.num_tables, seed, self.settings, self.rows)
        empty = new_guided_batch(game, 0, config.batch_decisions, self.rows)
        play.act(self.network.record(game), config.td_lambda, empty, slice(0, 0))
        self._compile_learning()
        return play

    def _new_batch(self) -> GuidedBatch:
        config = self.config
        return new_guided_batch(self.game, config.num_tables, config.batch_decisions, self.rows)

    def _compile_learning(self) -> None:
        """Take a step on nothing, before the clock starts."""
        lesson = lesson_of(new_guided_batch(self.game, 1, 1, self.rows))
        sum(self._losses(lesson)).backward()
        self.optimizer.zero_grad(set_to_none=True)

    def _act(
        self, play: GuidedPlay, batch: GuidedBatch, pool: ThreadPoolExecutor
    ) -> list[Future[None]]:
        """Fill a batch in the threads of the pool, with the network as it is now."""
        config = self.config
        act = partial(play.act, self.average.record(self.game), config.td_lambda, batch)
        return fill_slices(act, config.num_tables, config.num_threads, pool)

    def _learn(self, lesson: Lesson, random: np.random.Generator) -> Losses:
        """Keep a lesson, and learn from decisions drawn from all that are kept.

        Return the means of their losses.
        """
        config = self.config
        self.lessons = [*self.lessons, lesson][-config.kept_batches :]
        for group in self.optimizer.param_groups:
            group["lr"] = linear_decay(
                config.learning_rate, config.final_learning_rate, self.progress.done
            )
        newest = len(lesson.actions)
        size = min(config.minibatch_size, newest)
        losses = [
            self._step(sample_decisions(self.lessons, random, size))
            for _ in range(self._num_steps(newest))
        ]
        self._move_average()
        return Losses(*np.mean(losses, axis=0).tolist())

    def _move_average(self) -> None:
        """Move the weights that play towards those that have just been learned."""
        weights = zip(self.average.parameters(), self.network.parameters(), strict=True)
        for average, learned in weights:
            average.lerp_(learned.detach(), 1 / self.config.averaged_batches)

    def _num_steps(self, num_decisions: int) -> int:
        return max(1, round(self.config.epochs * num_decisions / self.config.minibatch_size))

    def _step(self, lesson: Lesson) -> list[float]:
        """Take one gradient step on all decisions of a lesson; return its losses."""
        losses = self._losses(lesson)
        loss = losses.policy + self.config.value_coefficient * losses.value
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), MAX_GRADIENT_NORM)
        self.optimizer.step()
        return [part.item() for part in losses]

    def _losses(self, lesson: Lesson) -> Losses:
        """Return the cross-entropy, the squared error of values and the entropy."""
        lists = legal_lists(lesson.masks, lesson.actions)
        units, values = self.network.forward_rows(self.rows, lesson.rows, lesson.continuous)
        log_probs = torch.log_softmax(self.network.legal_logits(units, lists.legal), dim=1)
        policies = np.take_along_axis(
            lesson.policies, np.maximum(lists.legal, 0).astype(np.int64), axis=1
        )
        learned = torch.from_numpy(np.where(lists.legal >= 0, policies, 0.0).astype(np.float32))
        value = nn.functional.mse_loss(values, torch.from_numpy(lesson.targets))
        if lesson.others.shape[1]:
            others = self.network.values_of_others(units)
            value = value + nn.functional.mse_loss(others, torch.from_numpy(lesson.others))
        return Losses(
            policy=-(learned * log_probs).sum(dim=1).mean(),
            value=value,
            entropy=-torch.special.xlogy(learned, learned).sum(dim=1).mean(),
        )

    def _report(self, losses: Losses, num_decisions: int, spent: Spent) -> None:
        """Update the progress after a batch."""
        self.progress = advanced(
            self.progress,
            self.config,
            num_decisions,
            self._num_steps(num_decisions),
            spent,
            loss=losses.policy + self.config.value_coefficient * losses.value,
            entropy=losses.entropy,
        )


def player_of(game: Game, config: Config, seed: int) -> PlayBatch:
    """Return what an actor plays with: it fills a batch by the network's record, and packs it."""
    learner = Learner(game, config)
    play, batch = learner._new_play(seed), learner._new_batch()
    num_tables, num_actions = config.num_tables, learner.game.num_actions

    def play_batch(weights: np.ndarray) -> Lesson:
        own = weights.copy()  # Ray's cannot be written to, and code would be compiled for those
        play.act(own, config.td_lambda, batch, slice(0, num_tables))
        return packed(lesson_of(batch), num_actions)

    return play_batch


def _weights_of(path: str, game: Game, like: PolicyValue) -> dict[str, torch.Tensor]:
    """Return the weights of a checkpoint. Raises ValueError where it is of another kind or size."""
    network = guide_network(path, game)
    sizes, others = (tuple(layer.out_features for layer in n.layers) for n in (network, like))
    if sizes != others:
        raise ValueError(f"{path} has hidden layers {sizes}; hidden is {others}")
    if network.seen(game) is not like.seen(game):
        raise ValueError(f"{path} was trained with derived_inputs={network.derived_inputs}")
    return network.state_dict()
