"""The compiled searches against slow ones: the same sums and the same tree, to the last digit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.players.making import players_of
from parlour.baselines.search import halving
from parlour.baselines.search.mcts import (
    NEVER,
    TreeSearch,
    TreeSettings,
    keep_all,
)
from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests import toy_game
from tests.searching import after_plies
from tests.slow_search import SlowSearch

pytestmark = pytest.mark.plain

TRICKS = load_game("trick_taking", num_values=5)
TOY = toy_game.game(odd="high")  # hidden hands, and a draw in mid-game
CASES = [(TRICKS, "random", 0), (TRICKS, "high_low", 3), (TOY, "random", 0), (TOY, "random", 2)]
ROUNDS = 14
every_case = pytest.mark.parametrize(
    ("game", "player", "num_plies"), CASES, ids=[f"{g.name}-{p}-{n}" for g, p, n in CASES]
)


def a_position(game: Game, num_plies: int) -> tuple[np.ndarray, list[int]]:
    """A position [1] that far into a game of random actions, and what is legal."""
    tables, *_ = after_plies(game, num_plies, 1)
    return tables.states, game.legal_action_list(tables.states[0])


def row_of(game: Game, player: str) -> Any:
    row = players_of(game)[player].row_function
    assert row is not None
    return row


def simulated(
    simulate: halving.Simulate, game: Game, states: np.ndarray, legal: list[int]
) -> dict[int, float]:
    """The sums of a compiled search, by action."""
    alive = np.zeros((1, game.num_actions), np.int8)
    alive[0, legal] = 1
    sums = np.zeros((1, game.num_actions))
    simulate(states, streams([3]), alive, np.array([ROUNDS]), sums)
    assert not sums[alive == 0].any()
    return {action: sums[0, action] for action in legal}


@every_case
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_playouts_bring_what_slow_ones_bring(
    game: Game, player: str, num_plies: int, epsilon: float
) -> None:
    states, legal = a_position(game, num_plies)
    row = row_of(game, player)
    slow = SlowSearch(game, row, epsilon).flat(states[0], streams([3])[0], legal[1:], ROUNDS)
    flat = TreeSearch(game, row, keep_all, 1, TreeSettings(epsilon, NEVER))
    assert simulated(flat.simulate, game, states, legal[1:]) == pytest.approx(slow)


@every_case
@pytest.mark.parametrize(
    ("expansion_threshold", "exploration_constant", "max_nodes"),
    [(1, 0.5, 1000), (3, 0.0, 1000), (2, 2.0, 12)],
)
def test_the_tree_grows_as_the_slow_one(
    game: Game,
    player: str,
    num_plies: int,
    expansion_threshold: int,
    exploration_constant: float,
    max_nodes: int,
) -> None:
    states, legal = a_position(game, num_plies)
    row = row_of(game, player)
    slow = SlowSearch(game, row, 0.2, expansion_threshold, exploration_constant, max_nodes)
    slow_sums = slow.in_tree(states[0], streams([3])[0], legal, ROUNDS)
    settings = TreeSettings(0.2, expansion_threshold, exploration_constant)
    search = TreeSearch(game, row, keep_all, max_nodes, settings)
    assert simulated(search.simulate, game, states, legal) == pytest.approx(slow_sums)


@pytest.mark.parametrize("budget", ["num_simulations=30", "milliseconds=1"])
def test_the_policy_halves_over_a_tree_of_its_own_for_each_row(
    budget: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that shows a millisecond more at each look."""
    tables, _, observations, masks = after_plies(TRICKS, 1)
    looks = itertools.count()
    monkeypatch.setattr(halving.time, "perf_counter", lambda: next(looks) / 1000)
    policy = make_policy(f"mcts:{budget},playout_policy=random", TRICKS)
    chosen = policy(observations[:4], masks[:4], streams(range(4)), tables.states[:4])
    for row in range(4):
        one = slice(row, row + 1)
        search = TreeSearch(TRICKS, row_of(TRICKS, "random"), keep_all, 2000, TreeSettings())
        batch = (search.simulate, masks[one], streams([row]), tables.states[one])
        if budget.startswith("num"):
            assert chosen[row] == halving.choose_by_halving(*batch, 30)[0]
        else:
            assert chosen[row] == halving.choose_in_time(*batch, 0.001)
