"""What the studies of the table make of their readings."""

import pytest

from .loads import growth


def test_memory_that_goes_up_and_down_does_not_grow() -> None:
    level = [(games, 500 + 40 * (games % 2)) for games in range(1, 21)]
    assert growth(level, 2) == pytest.approx(0, abs=0.01)


def test_what_each_game_leaves_behind_is_growth() -> None:
    leaking = [(games, 500 + 5 * games) for games in range(1, 21)]
    assert growth(leaking, 2) > 0.05
    assert growth([(1, 100), *leaking[1:]], 2) == growth(leaking, 2)  # the start does not count
