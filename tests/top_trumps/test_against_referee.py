"""The compiled rules, deductions and players against the naive ones, trick by trick."""

import pytest

from tests.counts import part_and_all
from tests.top_trumps.lockstep import Size, compare_games, compare_players

SMALLEST = Size(2, 1, 50, starter="random")  # a trick decides, or both are empty
GAMES = [
    (Size(7, 3, 60, top_value=4), 300),  # odd, with draws and doubtful places
    (Size(7, 3, 5000), 100),
    (Size(50, 5, 60), 6),
    (Size(50, 5, 60, top_value=6), 4),
    (Size(67, 2, 60, top_value=30, starter=1), 3),  # sets of two words
]
PLAYED = [
    (Size(50, 5, 200), 10),
    (Size(7, 3, 60, top_value=5), 300),
    pytest.param(Size(50, 5, 200), 40, marks=pytest.mark.long),
]
MIN_DECISIONS = 800


@pytest.mark.parametrize(
    ("size", "num_games"),
    [*part_and_all(GAMES), pytest.param(SMALLEST, 200, marks=pytest.mark.long)],
)
def test_game_and_deductions_agree_with_the_referee(size: Size, num_games: int) -> None:
    counts = compare_games(size, num_games)
    assert counts["tricks"] >= num_games
    assert counts["observations"] == 2 * (counts["tricks"] + num_games)
    if size.top_value is not None:
        assert counts["draws"] > 0
        assert counts["slots narrowed, not known"] > 0
    if size.trick_limit == 60 and size.num_cards > 7:
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
