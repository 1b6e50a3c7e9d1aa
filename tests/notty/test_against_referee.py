"""The rules against the naive referee, ply by ply over random games."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.counts import part_and_all
from tests.lockstep import compare
from tests.notty.brute_force import KINDS
from tests.notty.lockstep import Beside, names_of, random_action, random_deal
from tests.notty.referee import Referee

pytestmark = pytest.mark.plain

ALMOST_NEVER = 1e-4  # a fair sample fails a test this seldom; the seeds are fixed
ALL_GAMES = 50
# Settings, how so many games must be seen to end, and their number.
CONFIGS: list[tuple[dict[str, Any], str, int]] = [
    ({"num_players": 2, "turn_limit": 30}, "out of turns", ALL_GAMES),
    *(  # the last card of a hand may be taken, so that random games are won, too
        (
            {"num_players": num_players, "turn_limit": 20, "protect_small_hands": False},
            "won, out of turns",
            ALL_GAMES,
        )
        for num_players in (2, 3)
    ),
    (
        {"num_players": 2, "turn_limit": 30, "discard": "manual", "hand_limit": 9},
        "stuck",
        ALL_GAMES,
    ),
    ({"num_players": 4, "turn_limit": 12, "hand_limit": 8}, "won, stuck", ALL_GAMES),
    ({"num_players": 4, "turn_limit": 8, "discard": "manual"}, "out of turns", ALL_GAMES),
    ({"num_players": 2, "turn_limit": 60, "hand_limit": 5}, "stuck", ALL_GAMES),
]


def end_of(referee: Referee) -> str:
    """How a game has ended."""
    if referee.winner is not None:
        return "won"
    is_out_of_turns = referee.turns_played == referee.turn_limit * len(referee.seats)
    return "out of turns" if is_out_of_turns else "stuck"


@pytest.mark.parametrize(("config", "ends", "num_games"), part_and_all(CONFIGS))
def test_the_rules_agree_with_the_referee(
    config: dict[str, Any], ends: str, num_games: int
) -> None:
    rng = random.Random(str(config))
    events = set()
    for seed in range(num_games):
        deal = random_deal(rng, config["num_players"], config.get("hand_limit", 20))
        tables, referee = Beside.dealt(seed, deal, config)
        compare(tables, [referee], rng, random_action)
        events.add(end_of(referee))
    assert num_games < ALL_GAMES or events >= set(ends.split(", "))


@pytest.mark.parametrize("action", ["draw:1", "draw:2", "take:+1"])
def test_all_cards_and_pairs_come_with_the_same_chance(action: str) -> None:
    num_tables = 4_000
    game = load_game("notty")
    hands = [["red 10", "yellow 10"], ["blue 2", "blue 2", "blue 5", "green 7"]]
    tables = Tables(game, streams(range(num_tables), 1))
    tables.deal_from(0, {"hands": hands, "seat_to_act": 0})
    tables.states[:] = tables.states[0]
    tables.apply(tables.all_rows, np.full(num_tables, game.parse_action(action)))
    referee = Referee({"hands": hands})
    referee.apply(action)
    moved = tables.states["last_cards"][:, 0]
    came = Counter(tuple(sorted(names_of(kinds), key=KINDS.index)) for kinds in moved)
    chances = referee.chance_outcomes()
    assert set(came) <= set(chances)
    shares = [num_tables * float(chance) for chance in chances.values()]
    counts = [came[cards] for cards in chances]
    assert stats.chisquare(counts, shares).pvalue > ALMOST_NEVER
