"""Lessons for a policy-value network: decisions, with the policies and values it should learn.

A lesson comes from the searches of self-play, or from whole games of a teacher, any policy.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..baselines.networks.inputs import InputRows
from ..baselines.networks.policy_value import num_others
from ..baselines.policy import Policy
from ..envs.core.game import Game
from ..envs.core.rng import streams
from ..envs.core.seating import check_legal, player_streams
from ..envs.core.tables import Tables, action_masks
from .acting import Batch, input_notes


class Lesson(NamedTuple):
    """Decisions [B]: inputs of the network, and what it should learn from them."""

    rows: np.ndarray  # int32 [B, K]
    wide: np.ndarray  # float32 [B, V]
    masks: np.ndarray  # words [B, W]
    actions: np.ndarray  # int64 [B]
    policies: np.ndarray  # float32 [B, A]
    targets: np.ndarray  # float32 [B], of the value
    others: np.ndarray  # float32 [B, others], of the values of the other seats, clockwise


def lesson_of(batch: Batch, policies: np.ndarray, others: np.ndarray) -> Lesson:
    """Return the decisions of a batch of self-play by search, copied."""
    shown = batch.rows, batch.wide, batch.masks
    columns = *shown, batch.actions, policies, batch.targets, others
    size = batch.actions.size
    return Lesson(*(column.reshape(size, *column.shape[2:]).copy() for column in columns))


def drawn(lessons: Sequence[Lesson], random: np.random.Generator, size: int) -> Lesson:
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
    targets of the values are the returns of the game.
    Raises ValueError for a teacher with a memory.
    """
    if teacher.remember is not None:
        raise ValueError(f"{teacher.name} has a memory: it plays whole games and cannot teach")
    seeds = np.random.default_rng(seed).integers(2**62, size=num_games)
    tables = Tables(game, streams(seeds))
    rngs = player_streams(seeds, game.num_seats)
    tables.deal(tables.all_rows)
    parts, places = [], []
    alive = tables.all_rows
    while True:
        seats, observations, words = tables.show(alive)
        going = seats >= 0
        alive, seats = alive[going], seats[going]
        if not len(alive):
            break
        observations, words = observations[going], words[going]
        masks = action_masks(words, game.num_actions)
        own = rngs[alive, seats]
        inputs: tuple[np.ndarray, ...] = observations, masks, own
        if teacher.needs_positions:
            inputs = *inputs, tables.determinize(alive, seats, own)
        if teacher.values is None:
            actions = np.asarray(teacher(*inputs))
            check_legal(game, teacher.name, actions, masks)
            policies = np.zeros(masks.shape, np.float32)
            policies[np.arange(len(actions)), actions] = 1.0
        else:
            policies = soft_policies(teacher.values(*inputs), masks, temperature)
            actions = policies.argmax(axis=1)
        rngs[alive, seats] = own
        chosen = masks.sum(axis=1) > 1
        notes = input_notes(game, rows, observations[chosen])
        parts.append((*notes, words[chosen], actions[chosen], policies[chosen]))
        places.append((alive[chosen], seats[chosen]))
        tables.apply(alive, actions)
    returns = tables.returns(tables.all_rows)
    targets = np.concatenate([returns[place] for place in places]).astype(np.float32)
    clockwise = np.arange(1, 1 + num_others(game))
    others = np.concatenate(
        [
            returns[at[:, None], (seats[:, None] + clockwise) % game.num_seats]
            for at, seats in places
        ]
    ).astype(np.float32)
    shown, wide, words, actions, policies = map(np.concatenate, zip(*parts, strict=True))
    return Lesson(shown, wide, words, actions, policies, targets, others)


def soft_policies(values: np.ndarray, masks: np.ndarray, temperature: float) -> np.ndarray:
    """Return the softmax [B, A] of action values over a temperature; NaN counts as illegal."""
    logits = np.where((masks == 1) & ~np.isnan(values), values / temperature, -np.inf)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return (chances / chances.sum(axis=1, keepdims=True)).astype(np.float32)
