"""The rules against the naive referee, in every position of many games.

Who has to act, every legal action, one seat's whole observation, and the returns must be the same.
The seats play in several styles and many games start late, so that what is rare comes up, too.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from parlour.envs.registry import load_game
from tests.splendor.boards import PLAYER_COUNTS, stuck_board
from tests.splendor.lockstep import SETTINGS, Setting, compare, compare_deals
from tests.splendor.referee import Referee

GAMES = {2: 30, 3: 25, 4: 20}  # of each setting
RARE = (
    "Collect returning 1",
    "Collect returning 2",
    "Collect returning 3",
    "Reserve returning 1",
    "Reserve without yellow",
    "yellow returned",
    "paid with yellow",
    "Pass",
    "TakeNoble",
    "nobles received after waiting",
    "positions with an empty deck",
    "positions with an empty slot",
    "positions with a buy barred by seven",
    "ends: turn limit",
    "ends: leaders level on points",
    "ends: victory shared",
)


@pytest.mark.plain
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_a_game_goes_as_the_referee_says(num_players: int, setting: Setting) -> None:
    compare(num_players, setting, 1, seed=3)


@pytest.mark.long
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_games_go_as_the_referee_says_and_bring_up_what_is_rare(num_players: int) -> None:
    tally: Counter[str] = Counter()
    for setting in SETTINGS:
        tally += compare(num_players, setting, GAMES[num_players], seed=0)
    assert [event for event in RARE if not tally[event]] == []


@pytest.mark.plain
def test_nobles_come_after_a_pass_too_one_at_a_time_and_by_choice() -> None:
    game = load_game("splendor", num_players=3)
    tally: Counter[str] = Counter()
    rng = random.Random(0)
    referee = Referee(stuck_board(), num_players=3)
    referee.apply("pass")
    assert sorted(referee.legal_actions()) == ["noble:0", "noble:1"] and referee.passes == 1
    compare_deals(game, [stuck_board() for _ in range(4)], rng, tally)
    assert tally["Pass"] >= 4 and tally["TakeNoble"] >= 4
    one_met = stuck_board()
    one_met["position"]["nobles"][0] = [0, 4, 4, 0, 0]
    compare_deals(game, [one_met], rng, tally)
    assert tally["nobles received"] >= 5
