"""The exact solver of two-seat President against plain minimax, and the player that uses it."""

import random
from functools import cache

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.president.solver import Solver
from parlour.envs.core.game import NO_ACTION, Game
from parlour.envs.core.play.playthrough import turns
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.one_table import dealt

pytestmark = pytest.mark.plain

NUM_RANKS = 10


@cache
def minimax(own: tuple, other: tuple, table: tuple | None) -> bool:
    """Whether the seat to act wins: hands as counts by rank, table as (count, rank)."""
    for rank in range(NUM_RANKS):
        for count in range(1, own[rank] + 1):
            if table is not None and (count != table[0] or rank <= table[1]):
                continue
            left = (*own[:rank], own[rank] - count, *own[rank + 1 :])
            if not any(left) or not minimax(other, left, (count, rank)):
                return True
    return table is not None and not minimax(other, own, None)


def solver_wins(solver: Solver, own: tuple, other: tuple, table: tuple | None) -> bool:
    """Whether the solver finds a winning action of the seat to act, from what it observes."""
    game = load_game("president", num_players=2)
    observations, masks = game.new_observations(), np.zeros((1, game.num_actions), np.int8)
    observations["hand"] = own
    observations["played"] = 4 - np.array(own) - np.array(other)
    observations["hand_sizes"] = sum(own), sum(other)
    masks[0, 0] = table is not None
    for rank in range(NUM_RANKS):
        for count in range(1, own[rank] + 1):
            masks[0, 4 * rank + count] = table is None or (count == table[0] and rank > table[1])
    return bool(solver.winning_actions(observations, masks)[0] != NO_ACTION)


def random_hands(rng: random.Random, most_cards: int) -> list[tuple[int, ...]]:
    """Two hands of one to `most_cards` cards each; few ranks, so that sets meet."""
    ranks = rng.sample(range(NUM_RANKS), rng.choice([4, 6, 10]))
    cards = [rank for rank in ranks for _ in range(4)]
    rng.shuffle(cards)
    first = rng.randint(1, most_cards)
    second = first + rng.randint(1, most_cards)
    hands = cards[:first], cards[first:second]
    return [tuple(hand.count(rank) for rank in range(NUM_RANKS)) for hand in hands]


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver(load_game("president", num_players=2))


@pytest.mark.compiled
def test_the_solver_agrees_with_minimax_on_every_kind_of_position(solver: Solver) -> None:
    rng = random.Random(1)
    wins = 0
    for _ in range(1500):
        own, other = random_hands(rng, 6)
        count, rank = rng.randint(1, 3), rng.randrange(NUM_RANKS)
        table = rng.choice([None, (count, rank)])
        expected = minimax(own, other, table)
        wins += expected
        assert solver_wins(solver, own, other, table) == expected, (own, other, table)
    assert 400 < wins < 1300


@cache
def late_positions(passing: str, num_plies: int = 36) -> tuple[Game, np.ndarray, np.ndarray]:
    game = load_game("president", num_players=2, passing=passing)
    tables = dealt(game, range(120))
    policy = make_policy("random", game)
    for number, turn in enumerate(turns(tables)):
        if number == num_plies:
            break
        turn.actions[:] = policy(turn.observations, turn.masks, streams(turn.rows, 9 + number))
    keep = turn.observations["hand_sizes"].sum(axis=1) <= 14
    return game, turn.observations[keep], turn.masks[keep]


def value_after(observation: np.void, action: int) -> bool:
    """By minimax, whether this action wins."""
    own = tuple(observation["hand"].tolist())
    other = tuple((4 - observation["hand"] - observation["played"]).tolist())
    if action == 0:
        return not minimax(other, own, None)
    rank, count = (action - 1) >> 2, ((action - 1) & 3) + 1
    left = (*own[:rank], own[rank] - count, *own[rank + 1 :])
    return not any(left) or not minimax(other, left, (count, rank))


@pytest.mark.parametrize("passing", ["free", "out"])
def test_its_actions_win_and_where_it_finds_none_all_lose(passing: str) -> None:
    game, observations, masks = late_positions(passing)
    actions = Solver(game).winning_actions(observations, masks)
    assert len(actions) > 30
    assert 10 < (actions >= 0).sum() < len(actions)
    for observation, mask, action in zip(observations, masks, actions, strict=True):
        if action >= 0:
            assert mask[action] == 1
            assert value_after(observation, int(action))
        else:
            assert not any(value_after(observation, int(a)) for a in np.flatnonzero(mask))


def test_answers_do_not_depend_on_what_was_solved_before() -> None:
    game, observations, masks = late_positions("free")
    used = Solver(game)
    used.winning_actions(observations[::-1].copy(), masks[::-1].copy())
    fresh = Solver(game).winning_actions(observations, masks)
    assert (used.winning_actions(observations, masks) == fresh).all()


def test_larger_positions_and_the_exchange_are_left_to_the_search() -> None:
    game, observations, masks = late_positions("free")
    assert (Solver(game).winning_actions(observations, masks, 0) == -1).all()
    observations = observations.copy()
    observations["gives_left"] = 1
    assert (Solver(game).winning_actions(observations, masks) == -1).all()


@pytest.mark.long
def test_exact_endgames_beat_the_search_without_them() -> None:
    game = load_game("president", num_players=2)
    budget = "num_playouts=30,playout_policy=lowest,epsilon=0.3"  # alike but for the endgames
    result = play_match(game, f"playout_exact:{budget}", f"playout:{budget}", 150, seed=3)
    assert result.first_places.low > 0.5
