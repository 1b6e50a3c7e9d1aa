"""A few games of each kind against the referees, in plain Python.

The suite's own comparisons are thousands of compiled games; see `test_against_referee.py` of each
game.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from parlour.envs.registry import load_game
from tests.notty.lockstep import Lockstep, random_deal
from tests.president.playing import ECONOMIES, PASSINGS, record_games
from tests.president.test_against_referee import replay
from tests.splendor.boards import PLAYER_COUNTS, stuck_board
from tests.splendor.lockstep import SETTINGS, Setting, compare, compare_deals
from tests.top_trumps.lockstep import Size, compare_games
from tests.trick_taking.test_second_opinion import test_the_rules_agree_with_the_referee as tricks

pytestmark = pytest.mark.plain

NOTTY = (
    {"num_players": 2, "turn_limit": 8, "hand_limit": 7},
    {"num_players": 3, "turn_limit": 5, "hand_limit": 5},
    {"num_players": 4, "turn_limit": 3, "hand_limit": 6},
)


@pytest.mark.parametrize("config", NOTTY)
def test_notty(config: dict) -> None:
    rng = random.Random(str(config))
    for seed in range(2):
        deal = random_deal(rng, config["num_players"], config.get("hand_limit", 20))
        Lockstep(seed, deal, config).run(rng)


@pytest.mark.parametrize("passing", PASSINGS)
@pytest.mark.parametrize("num_players", [2, 4, 5, 8])
def test_president(num_players: int, passing: str) -> None:
    game = load_game("president", num_players=num_players, passing=passing)
    replay(record_games(game, range(3), num_watched=1, watch_every=8))


@pytest.mark.parametrize("passing", PASSINGS)
@pytest.mark.parametrize("economy", ECONOMIES)
def test_president_with_exchanges(economy: str, passing: str) -> None:
    settings = {"num_players": 4, "num_games": 3, "economy": economy, "passing": passing}
    replay(record_games(load_game("president", **settings), range(2), num_watched=1, watch_every=8))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_splendor(num_players: int, setting: Setting) -> None:
    compare(num_players, setting, 1, seed=3)


def test_splendor_where_nobles_wait() -> None:
    game = load_game("splendor", num_players=3)
    compare_deals(game, [stuck_board(), stuck_board()], random.Random(0), Counter())


@pytest.mark.parametrize(
    ("size", "num_games"),
    [
        (Size(2, 1, 50, starter="random"), 4),
        (Size(7, 3, 60, top_value=4), 6),
        (Size(7, 3, 5000), 2),
        (Size(20, 4, 30, top_value=6), 1),
        (Size(67, 2, 20, top_value=30, starter=1), 1),
    ],
)
def test_top_trumps(size: Size, num_games: int) -> None:
    compare_games(size, num_games)


@pytest.mark.parametrize(
    ("num_seats", "num_values", "num_games"), [(2, 1, 2), (2, 6, 6), (3, 5, 6), (4, 4, 5)]
)
def test_trick_taking(num_seats: int, num_values: int, num_games: int) -> None:
    tricks(num_seats, num_values, num_games)
