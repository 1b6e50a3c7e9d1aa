"""Expert iteration: learn the moves and the outcomes of a search that the network itself guides.

First the network may imitate a `teacher`, any policy or search. Then it plays itself: every move is
chosen by a search as in Gumbel AlphaZero (Danihelka et al. 2022); the policy learns the improved
policy of the search, and the value the outcome. Searching is compiled and runs in its own
threads while torch learns from the batches before. The network that plays, and is saved, has a
moving average of the learned weights.
"""

import copy
import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from ..baselines.networks.compiled import num_layers, values_all_seats
from ..baselines.networks.inputs import InputRows, octets
from ..baselines.networks.learned import guide_network
from ..baselines.networks.policy_value import PolicyValue, legal_lists, num_other_values
from ..baselines.players.making import make_policy
from ..baselines.policies.policy import Policy, values_of
from ..baselines.search.guided import (
    PUCT_CONSTANT,
    VALUE_SCALE,
    GuidedScratch,
    GuidedSettings,
    guided_functions,
    new_scratch,
    new_tree,
    turn,
)
from ..baselines.search.tree import Tree
from ..envs.core.compile import bind, rule, unbound
from ..envs.core.game import Game, setting
from ..envs.core.play.legal import check_legal
from ..envs.core.play.playthrough import turns
from ..envs.core.play.tables import Tables, action_masks
from ..envs.core.rng import player_streams, streams
from .actors import Actors, PlayBatch
from .self_play import (
    Batch,
    SelfPlay,
    continuous_scales,
    flat,
    new_batch,
    note_shown,
    play_while_learning,
)
from .session import BaseLearner, Losses, Progress, Spent, check_learner_settings, clocks, since

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
    num_tables: int = setting(256, "number of games played side by side")
    batch_decisions: int = setting(16, "number of decisions of each table in a batch")
    num_simulations: int = setting(32, "number of simulations of each search")
    num_considered: int = setting(16, "number of actions that a search compares")
    num_determinizations: int = setting(4, "number of determinizations that a search starts from")
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
        above_zero = "minutes", "learning_rate", "value_scale"
        check_learner_settings(self, above_zero, ("td_lambda",), from_zero=("teacher_steps",))
        if self.num_simulations < 2:
            raise ValueError("num_simulations must be at least 2: one compares nothing")


MAX_GRADIENT_NORM = 1.0
TEACHER_TEMPERATURE = 0.05  # of the softmax of the teacher's action values: low is sharp

search_one = unbound  # `bind` gives it a meaning


class Learner(BaseLearner):
    """The network that learns and the one that plays, and the latest lessons."""

    parts = ("network", "average", "optimizer")

    def __init__(self, game: Game, config: Config) -> None:
        super().__init__(config)
        self.network = PolicyValue(
            game, config.hidden, config.derived_inputs, num_others=num_other_values(game)
        )
        if config.start:
            self.network.load_state_dict(_weights_of(config.start, game, self.network))
        self.played = game
        self.game = self.network.seen(game)
        self.average = copy.deepcopy(self.network).requires_grad_(False)
        self.rows = self.network.rows(self.game)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.learning_rate)
        self.lessons: list[Lesson] = []
        self.settings = GuidedSettings(
            config.num_simulations,
            config.num_considered,
            config.num_determinizations,
            PUCT_CONSTANT,
            gumbel_scale=1.0,
            value_scale=config.value_scale,
        )

    def run(self) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn to the end of the run, yielding the progress and what plays after every batch."""
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
            lesson = taught(self.game, teacher, config.num_tables, seed, self.rows)
            losses = self._learn(lesson, random)
            yield self._report(losses, len(lesson.actions), since(start))

    def _play(self, random: np.random.Generator) -> Iterator[tuple[Progress, PolicyValue]]:
        """Learn from searches that the network guides."""
        play = self._new_tables(int(random.integers(2**62)))
        batches = self._new_batch(), self._new_batch()
        for losses, spent in play_while_learning(
            lambda batch: self._acting(play, batch),
            lambda batch: self._learn(lesson_of(batch), random),
            batches,
            self.config.num_threads,
            lambda: self.progress.done < 1.0,
        ):
            yield self._report(losses, batches[0].actions.size, spent)

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
                yield self._report(losses, len(lesson.actions), spent)
                if self.progress.done >= 1.0:
                    return
                start = clocks()
        finally:
            actors.end()

    def _new_tables(self, seed: int) -> SelfPlay:
        """Return tables to play at, with everything called once, before the clock starts."""
        play = SelfPlay(self.game, self.rows, self.config.num_tables, seed)
        self._acting(play, self._new_batch(0))(slice(0, 0))
        self._compile_learning()
        return play

    def _new_batch(self, num_tables: int | None = None) -> Batch:
        num_tables = self.config.num_tables if num_tables is None else num_tables
        return new_batch(self.game, self.rows, num_tables, self.config.batch_decisions, True)

    def _compile_learning(self) -> None:
        """Take a step on nothing, before the clock starts."""
        sum(self._losses(lesson_of(self._new_batch(1)))).backward()
        self.optimizer.zero_grad(set_to_none=True)

    def _acting(self, play: SelfPlay, batch: Batch) -> Callable[[slice], None]:
        """Return what fills tables of a batch with searches by the network as it is now."""
        return partial(self.fill, play, batch, self.average.record(self.game))

    def fill(self, play: SelfPlay, batch: Batch, record: np.ndarray, tables: slice) -> None:
        """Fill tables of a batch with searches by the network of this record."""
        functions = guided_functions(self.game, num_layers(record), values_all_seats(record))
        choose = bind(_choose, search_one=functions.search_one)
        searcher = _Searcher(
            record,
            new_tree(self.game, self.settings.num_simulations),
            self.settings,
            new_scratch(self.game, self.settings),
            np.zeros(self.game.num_actions),
        )
        play.fill(batch, tables, choose, searcher, self.config.td_lambda)

    def _learn(self, lesson: "Lesson", random: np.random.Generator) -> Losses:
        """Keep a lesson, and learn from decisions drawn from all that are kept.

        Return the means of their losses.
        """
        config = self.config
        self.lessons = [*self.lessons, lesson][-config.kept_batches :]
        newest = len(lesson.actions)
        size = min(config.minibatch_size, newest)
        losses = [
            self._step(sample_decisions(self.lessons, random, size))
            for _ in range(self._num_steps(newest))
        ]
        for average, learned in zip(
            self.average.parameters(), self.network.parameters(), strict=True
        ):
            average.lerp_(learned.detach(), 1 / config.averaged_batches)
        return Losses(*np.mean(losses, axis=0).tolist())

    def _num_steps(self, num_decisions: int) -> int:
        return max(1, round(self.config.epochs * num_decisions / self.config.minibatch_size))

    def _step(self, lesson: "Lesson") -> list[float]:
        """Take one gradient step on all decisions of a lesson; return its losses."""
        losses = self._losses(lesson)
        rate = self.decayed(self.config.learning_rate, self.config.final_learning_rate)
        self.descend(losses.total, rate, MAX_GRADIENT_NORM)
        return [part.item() for part in losses]

    def _losses(self, lesson: "Lesson") -> Losses:
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

    def _report(
        self, losses: Losses, num_decisions: int, spent: Spent
    ) -> tuple[Progress, PolicyValue]:
        """Update the progress after a batch; return it with what plays."""
        latest = {"loss": losses.total, "entropy": losses.entropy}
        self.advance(num_decisions, self._num_steps(num_decisions), spent, **latest)
        return self.progress, self.average


def player_of(game: Game, config: Config, seed: int) -> PlayBatch:
    """Return what an actor plays with: it fills a batch by the network's record, and packs it."""
    learner = Learner(game, config)
    play, batch = learner._new_tables(seed), learner._new_batch()

    def play_batch(weights: np.ndarray) -> Lesson:
        own = weights.copy()  # Ray's cannot be written to, and code would be compiled for those
        learner.fill(play, batch, own, slice(None))
        return packed(lesson_of(batch), learner.game.num_actions)

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


class _Searcher(NamedTuple):
    """What a thread searches with."""

    weights: np.ndarray  # [1]
    tree: Tree
    settings: GuidedSettings
    scratch: GuidedScratch
    action_values: np.ndarray  # [A]


def _choose(batch, index, play_state, table, searcher):
    """Search for the seat to act; note the improved policy and the values of all seats."""
    weights, tree, settings, scratch, action_values = searcher
    seat, policy = play_state.seats[table], batch.policies[table, index]
    state, rng = play_state.states[table], play_state.player_rngs[table, seat]
    policy[:] = 0.0
    action, value = search_one(
        state, rng, weights[0], tree, settings, scratch, policy, action_values
    )
    batch.values[table, index] = value
    turn(scratch.root_values, seat, batch.values_of_all[table, index])
    return action


class Lesson(NamedTuple):
    """Decisions [B]: inputs of the network, and what it should learn from them."""

    rows: np.ndarray  # int32 [B, K]
    continuous: np.ndarray  # float32 [B, V]
    masks: np.ndarray  # words [B, W]
    actions: np.ndarray  # int64 [B]
    policies: np.ndarray  # float32 [B, A]
    targets: np.ndarray  # float32 [B], of the value
    others: np.ndarray  # float32 [B, others], of the values of the other seats, clockwise


def lesson_of(batch: Batch) -> Lesson:
    """Return the decisions of a batch of self-play by search, copied."""
    whole = flat(batch)
    shown = whole.rows, whole.continuous, whole.masks
    learned = whole.actions, whole.policies, whole.targets, whole.other_targets
    return Lesson(*(column.copy() for column in (*shown, *learned)))


def packed(lesson: Lesson, num_actions: int) -> Lesson:
    """Return a lesson whose policies are those of the legal actions alone, one after the other."""
    is_legal = action_masks(lesson.masks, num_actions) == 1
    return lesson._replace(policies=lesson.policies[is_legal])


def unpacked(lesson: Lesson, num_actions: int) -> Lesson:
    """Return the lesson that `packed` was given."""
    is_legal = action_masks(lesson.masks, num_actions) == 1
    policies = np.zeros(is_legal.shape, np.float32)
    policies[is_legal] = lesson.policies
    return lesson._replace(policies=policies)


def sample_decisions(lessons: Sequence[Lesson], random: np.random.Generator, size: int) -> Lesson:
    """Return decisions [size] drawn at random from all lessons, copied; some may be the same."""
    ends = np.cumsum([len(lesson.actions) for lesson in lessons])
    chosen = np.sort(random.integers(ends[-1], size=size))
    parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
    starts = [0, *ends[:-1]]
    rows = [
        [column[part - start] for column in lesson]
        for lesson, part, start in zip(lessons, parts, starts, strict=True)
    ]
    return Lesson(*map(np.concatenate, zip(*rows, strict=True)))


def taught(
    game: Game,
    teacher: Policy,
    num_games: int,
    seed: int,
    rows: InputRows,
    temperature: float = TEACHER_TEMPERATURE,
) -> Lesson:
    """Return all decisions of games that the teacher plays in every seat.

    Where the teacher values the actions, the policy is the softmax of the values over the
    temperature, and the most probable action is played; else it is the action that it chose. The
    targets of the values are the returns of the game. Raises ValueError for a teacher with a
    memory.
    """
    if teacher.remember is not None:
        raise ValueError(f"{teacher.name} has a memory: it plays whole games and cannot teach")
    seeds = np.random.default_rng(seed).integers(2**62, size=num_games)
    tables = Tables(game, streams(seeds))
    rngs = player_streams(seeds, game.num_seats)
    tables.deal(tables.all_rows)
    parts, places = [], []
    for step in turns(tables):
        own = rngs[step.rows, step.seats]
        positions = step.determinized(own) if teacher.needs_positions else None
        inputs = step.observations, step.masks, own, positions
        step.actions, policies = _choices(teacher, inputs, temperature)
        rngs[step.rows, step.seats] = own
        chosen = step.masks.sum(axis=1) > 1
        notes = _input_notes(game, rows, step.observations[chosen])
        parts.append((*notes, step.words[chosen], step.actions[chosen], policies[chosen]))
        places.append((step.rows[chosen], step.seats[chosen]))
    returns = _returns_clockwise(tables, *map(np.concatenate, zip(*places, strict=True)))
    others = returns[:, 1 : 1 + num_other_values(game)]
    shown, continuous, words, actions, policies = map(np.concatenate, zip(*parts, strict=True))
    return Lesson(shown, continuous, words, actions, policies, returns[:, 0], others)


def _choices(
    teacher: Policy, inputs: tuple[Any, ...], temperature: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a teacher plays [B] with its inputs, and the policies [B, A] to learn from it."""
    masks = inputs[1]
    if teacher.values is not None:
        policies = soft_policies(values_of(teacher, *inputs), masks, temperature)
        return policies.argmax(axis=1), policies
    actions = np.asarray(teacher(*inputs))
    check_legal(teacher.game, teacher.name, actions, masks)
    policies = np.zeros(masks.shape, np.float32)
    policies[np.arange(len(actions)), actions] = 1.0
    return actions, policies


def _returns_clockwise(tables: Tables, rows: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Return the returns of all seats at these tables, float32 [B, seats], from `seats` on."""
    returns = tables.returns(tables.all_rows).astype(np.float32)
    num_seats = returns.shape[1]
    return returns[rows[:, None], (seats[:, None] + np.arange(num_seats)) % num_seats]


def soft_policies(values: np.ndarray, masks: np.ndarray, temperature: float) -> np.ndarray:
    """Return the softmax [B, A] of action values over a temperature; NaN counts as illegal.

    Where no value is known (a search leaves a forced action without one), legal actions are equal.
    """
    is_legal = masks == 1
    is_known = is_legal & ~np.isnan(values)
    is_blank = ~is_known.any(axis=1, keepdims=True)
    logits = np.where(is_known, values / temperature, -np.inf)
    logits = np.where(is_blank & is_legal, 0.0, logits)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (chances / chances.sum(axis=1, keepdims=True)).astype(np.float32)


def _input_notes(
    game: Game, rows: InputRows, observations: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a network is shown of observations [B]: rows [B, K], continuous inputs [B, V]."""
    row_numbers = np.zeros((len(observations), len(rows.first_rows)), np.int32)
    continuous = np.zeros((len(observations), len(rows.continuous_columns)), np.float32)
    _note_all(rows, octets(observations), continuous_scales(game, rows), row_numbers, continuous)
    return row_numbers, continuous


@rule
def _note_all(rows, data, scale, row_numbers, continuous):
    for row in range(data.shape[0]):
        note_shown(rows, data[row], scale, row_numbers[row], continuous[row])
