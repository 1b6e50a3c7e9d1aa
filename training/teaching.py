"""Lessons for a policy-value network: decisions, with the policies and values it should learn.

A lesson comes from the searches of self-play, or from whole games of a teacher, which may be any
policy.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..baselines.networks.inputs import InputRows
from ..baselines.networks.policy_value import num_other_values
from ..baselines.policies.policy import Policy, values_of
from ..envs.core.game import Game
from ..envs.core.play.legal import check_legal
from ..envs.core.play.playthrough import turns
from ..envs.core.play.tables import Tables, action_masks
from ..envs.core.rng import player_streams, streams
from .decisions import input_notes
from .guided_play import GuidedBatch


class Lesson(NamedTuple):
    """Decisions [B]: inputs of the network, and what it should learn from them."""

    rows: np.ndarray  # int32 [B, K]
    continuous: np.ndarray  # float32 [B, V]
    masks: np.ndarray  # words [B, W]
    actions: np.ndarray  # int64 [B]
    policies: np.ndarray  # float32 [B, A]
    targets: np.ndarray  # float32 [B], of the value
    others: np.ndarray  # float32 [B, others], of the values of the other seats, clockwise


def lesson_of(guided: GuidedBatch) -> Lesson:
    """Return the decisions of a batch of self-play by search, copied."""
    batch = guided.batch
    shown = batch.rows, batch.continuous, batch.masks
    columns = *shown, batch.actions, guided.policies, batch.targets, guided.all_seats.targets
    size = batch.actions.size
    return Lesson(*(column.reshape(size, *column.shape[2:]).copy() for column in columns))


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
    game: Game, teacher: Policy, num_games: int, seed: int, rows: InputRows, temperature: float
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
    for turn in turns(tables):
        own = rngs[turn.rows, turn.seats]
        positions = turn.determinized(own) if teacher.needs_positions else None
        inputs = turn.observations, turn.masks, own, positions
        turn.actions, policies = _choices(teacher, *inputs, temperature)
        rngs[turn.rows, turn.seats] = own
        chosen = turn.masks.sum(axis=1) > 1
        notes = input_notes(game, rows, turn.observations[chosen])
        parts.append((*notes, turn.words[chosen], turn.actions[chosen], policies[chosen]))
        places.append((turn.rows[chosen], turn.seats[chosen]))
    returns = _returns_clockwise(tables, *map(np.concatenate, zip(*places, strict=True)))
    others = returns[:, 1 : 1 + num_other_values(game)]
    shown, continuous, words, actions, policies = map(np.concatenate, zip(*parts, strict=True))
    return Lesson(shown, continuous, words, actions, policies, returns[:, 0], others)


def _choices(
    teacher: Policy,
    observations: np.ndarray,
    masks: np.ndarray,
    rngs: np.ndarray,
    positions: np.ndarray | None,
    temperature: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what a teacher plays [B], and the policies [B, A] to learn from it."""
    if teacher.values is not None:
        values = values_of(teacher, observations, masks, rngs, positions)
        policies = soft_policies(values, masks, temperature)
        return policies.argmax(axis=1), policies
    actions = np.asarray(teacher(observations, masks, rngs, positions))
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
