"""The rules, deductions and players against the naive ones, trick by trick."""

import pytest

from tests.counts import part_and_all
from tests.top_trumps.lockstep import Size, compare_games, compare_players

GAMES = [
    (Size(2, 1, 50, starter="random"), 40),  # a trick decides, or both are empty
    (Size(7, 3, 60, top_value=4), 60),  # odd, with draws and doubtful places
    (Size(7, 3, 5000), 20),
    (Size(20, 4, 60, top_value=6), 10),
    (Size(67, 2, 60, top_value=30, starter=1), 10),  # sets of two words
]
PLAYED = [
    (Size(50, 5, 200), 10),
    pytest.param(Size(7, 3, 60, top_value=5), 300, marks=pytest.mark.long),
]
MIN_DECISIONS = 800


@pytest.mark.plain
@pytest.mark.parametrize(("size", "num_games"), part_and_all(GAMES))
def test_game_and_deductions_agree_with_the_referee(size: Size, num_games: int) -> None:
    counts = compare_games(size, num_games, seed=2)
    assert counts["tricks"] >= num_games
    if size.top_value is not None:
        assert counts["draws"] > 0
        assert counts["slots narrowed, not known"] > 0
    if num_games == 10 and size.num_cards > 7:
        assert counts["games at the limit"] > 0


@pytest.mark.parametrize(("size", "num_games"), PLAYED)
def test_players_agree_with_the_slow_ones(size: Size, num_games: int) -> None:
    """And where they draw, every field of a tie comes as often as any other."""
    counts, drawn = compare_players(size, num_games)
    for name, draws in drawn.items():
        assert counts[name] > MIN_DECISIONS
        assert draws.largest_deviation() < 4.5, name
    for name in ("rander", "rand_maxer"):
        assert counts[f"{name}, drawn"] == counts["rander"]
    for name in ("maxer", "meaner_max"):
        assert counts[f"{name}, drawn"] == 0
    if size.num_cards == 7:
        assert counts["expert, drawn"] > 100
        assert counts["goliath, drawn"] > 100
