"""Sequential halving by itself: how the budget is divided, and what is chosen, without a game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from parlour.baselines.search import halving
from parlour.baselines.search.halving import choose_by_halving, choose_in_time
from parlour.envs.core.rng import streams

pytestmark = pytest.mark.plain


class Arms:
    """Actions that always return the same, and a note of every call."""

    def __init__(self, returns: list[list[float]]) -> None:
        self.returns = np.array(returns)
        self.rounds: list[list[int]] = []
        self.alive: list[list[int]] = []

    def simulate(
        self, positions: Any, rngs: Any, alive: np.ndarray, rounds: np.ndarray, sums: np.ndarray
    ) -> None:
        self.rounds.append(rounds.tolist())
        self.alive.append(alive.sum(axis=1).tolist())
        sums += rounds[:, None] * alive * self.returns

    def choose(self, masks: list[list[int]], num_simulations: int) -> list[int]:
        rows = np.zeros(len(masks))
        chosen = choose_by_halving(
            self.simulate, np.array(masks, np.int8), streams([0]), rows, num_simulations
        )
        return chosen.tolist()


def test_each_phase_gets_the_same_share_of_the_budget() -> None:
    arms = Arms([[0.1, -0.3, 0.9, 0.2, 0.8, -1.0, 0.0, 0.3]])
    assert arms.choose([[1] * 8], 240) == [2]
    assert arms.alive == [[8], [4], [2]]
    assert arms.rounds == [[10], [20], [40]]


def test_what_one_phase_leaves_over_goes_to_the_next() -> None:
    arms = Arms([[0.5, 0.6, 0.7, 0.4, 0.3]])
    assert arms.choose([[1] * 5], 100) == [2]
    assert arms.alive == [[5], [3], [2]]
    assert arms.rounds == [[6], [11], [18]]  # 100 // 15, 70 // 6, 37 // 2


def test_every_action_is_tried_once_even_beyond_the_budget_and_none_again() -> None:
    arms = Arms([[0.0, 0.0, 0.0, 0.0, 1.0]])
    assert arms.choose([[1] * 5], 3) == [4]
    assert arms.rounds == [[1], [0], [0]]


def test_rows_are_searched_side_by_side_and_a_single_action_is_not_searched() -> None:
    arms = Arms([[0.0, 0.2, 0.1, 0.3], [9.0, 9.0, -0.5, 9.0], [-0.2, 9.0, -0.1, 9.0]])
    masks = [[1, 1, 1, 1], [0, 0, 1, 0], [1, 0, 1, 0]]
    assert arms.choose(masks, 16) == [3, 2, 2]
    assert arms.rounds == [[2, 0, 8], [4, 0, 0]]


@pytest.mark.parametrize(("num_legal", "phases"), [(4, 2), (3, 2), (2, 1), (1, 0)])
def test_each_phase_takes_the_same_time(
    num_legal: int, phases: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that is a second further at each look; a phase looks until its time is up."""
    looks = iter(range(1000))
    monkeypatch.setattr(halving.time, "perf_counter", lambda: next(looks))
    arms = Arms([[0.1, 0.4, 0.2, 0.3]])
    mask = np.array([[1] * num_legal + [0] * (4 - num_legal)], np.int8)
    chosen = choose_in_time(arms.simulate, mask, streams([0]), np.zeros(1), 10.0 * phases)
    assert chosen == (0 if num_legal == 1 else 1)
    assert len(arms.alive) == 10 * phases
    for phase in range(phases):
        left = -(-num_legal // 2**phase)
        assert arms.alive[10 * phase : 10 * (phase + 1)] == [[left]] * 10
        assert arms.rounds[10 * phase] == [64 // left]
