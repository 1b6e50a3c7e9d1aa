"""Tournaments of a few deals: short enough for plain Python, as `small_lockstep` is."""

from __future__ import annotations

import pytest

from parlour.baselines.arena import play_match, play_tournament
from parlour.envs.registry import load_game
from tests.arena.test_tournament import (
    test_duplicate_scoring_is_for_two_seats,
    test_everybody_meets_everybody_and_the_mirror_only_where_it_differs,
    test_free_for_all_seats_every_group_in_balance,
    test_what_cannot_be_played_is_refused,
)

__all__ = [
    "test_duplicate_scoring_is_for_two_seats",
    "test_everybody_meets_everybody_and_the_mirror_only_where_it_differs",
    "test_free_for_all_seats_every_group_in_balance",
    "test_what_cannot_be_played_is_refused",
]
GAME = load_game("trick_taking", num_values=3)
THREE = ("random", "first_play", "smart")


def test_two_players_of_two_seats_meet_as_in_a_match() -> None:
    table = play_tournament(GAME, ("smart", "random"), 8)
    match = play_match(GAME, "random", "smart", 8)
    loser = next(row for row in table.rows if row.player == "random")
    assert loser.mean_return == pytest.approx(match.mean_return)
    assert (loser.wins / 16, loser.draws / 16) == pytest.approx((match.wins.mean, match.draws.mean))
    assert loser.points == 3 * loser.wins + loser.draws
    assert loser.games == loser.wins + loser.draws + loser.losses == 16


def test_the_table_does_not_depend_on_the_order_of_players() -> None:
    table = play_tournament(GAME, THREE, 6)
    assert play_tournament(GAME, THREE[::-1], 6) == table
    assert [row.points for row in table.rows] == sorted(
        (row.points for row in table.rows), reverse=True
    )


def test_in_duplicate_two_hands_of_one_deal_are_one_game() -> None:
    table = play_tournament(GAME, ("smart", "random"), 10, scoring="duplicate")
    assert [row.games for row in table.rows] == [10, 10]
    assert table.rows[0].wins == table.rows[1].losses
