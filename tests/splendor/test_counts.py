"""The sheet's exact counts of legal actions on the game itself, gems laid by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from parlour.envs.registry import load_game
from parlour.envs.splendor.cards import pack
from tests.one_table import OneTable
from tests.splendor.boards import board, empty_seat, record_of

pytestmark = pytest.mark.plain

# Gems held, bank -> how many ways to collect different (by size), collect same, reserve.
FULL = [4, 4, 4, 4, 4, 5]
NOTHING = [0, 0, 0, 0, 0, 0]
SHEET_COUNTS: list[tuple[list[int], list[int], dict[int, int], int, int]] = [
    (NOTHING, FULL, {3: 10}, 5, 12),
    ([2, 2, 1, 1, 1, 0], FULL, {3: 10}, 5, 12),
    ([2, 2, 2, 1, 1, 0], FULL, {2: 10, 3: 20}, 5, 12),
    ([2, 2, 2, 2, 1, 0], FULL, {1: 5, 2: 30, 3: 26}, 20, 12),
    ([2, 2, 2, 2, 2, 0], FULL, {1: 20, 2: 60, 3: 20}, 50, 60),
    ([5, 5, 0, 0, 0, 0], FULL, {1: 8, 2: 15, 3: 10}, 11, 24),
    ([5, 5, 0, 0, 0, 0], [2, 2, 7, 7, 7, 5], {1: 8, 2: 15, 3: 10}, 9, 24),  # of four players
    ([5, 5, 0, 0, 0, 0], NOTHING, {}, 0, 12),
    (NOTHING, [4, 4, 0, 0, 0, 5], {2: 1}, 2, 12),
    (NOTHING, NOTHING, {}, 0, 12),
]


def counts_of(names: list[str]) -> tuple[dict[int, int], int, int]:
    """How many ways to collect different by size, to collect two of one colour, to reserve."""
    taken = [name.split()[0] for name in names if name.startswith("collect:")]
    different = Counter(colours.count("+") + 1 for colours in taken if "*" not in colours)
    num_reserves = sum(name.startswith("reserve:") for name in names)
    return dict(different), len(taken) - different.total(), num_reserves


@pytest.mark.parametrize(("gems", "bank", "different", "same", "reserve"), SHEET_COUNTS)
def test_the_exact_counts_of_the_sheet(
    gems: list[int], bank: list[int], different: dict[int, int], same: int, reserve: int
) -> None:
    """Two players with a full bank have more gems than there are: gems are laid by hand here."""
    game = load_game("splendor", num_players=2)
    table = OneTable(game, record_of(game, board([empty_seat(), empty_seat()])["position"]))
    table.state["gems"][0] = pack(gems)
    table.state["bank"] = pack(bank)
    assert counts_of(table.legal) == (different, same, reserve)
    assert "pass" not in table.legal
