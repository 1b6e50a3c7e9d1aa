"""Tournaments of a few deals, in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.baselines.arena import Plan, play_tournament
from parlour.baselines.arena.play.batches import DealBatch, Outcomes
from tests import toy_game
from tests.matches import Scripted

pytestmark = pytest.mark.plain


def order_of_names(batch: DealBatch, seated: np.ndarray) -> Outcomes:
    """Players place in the order of the match; the first two share odd deals."""
    by_player = np.array([[1.0, 0.0, -1.0], [0.5, 0.5, -1.0]])
    parity = np.array(batch.seeds)[:, None, None] % 2
    return Outcomes(by_player[parity, seated])


def test_the_table_of_three_is_what_the_games_say() -> None:
    game = toy_game.game(num_players=3)

    names = ("first_legal", "playout", "random")
    plan = Plan(control=Scripted(order_of_names))
    table = play_tournament(game, names, 8, form="free_for_all", plan=plan)
    num_games = 8 * 3
    assert table.num_games == num_games
    assert {row.player: (row.wins, row.draws, row.points) for row in table.rows} == {
        "first_legal": (num_games // 2, num_games // 2, 2 * num_games),
        "playout": (0, num_games // 2, num_games // 2),
        "random": (0, 0, 0),
    }
    assert [row.player for row in table.rows] == list(names)
    assert [row.mean_return.mean for row in table.rows] == pytest.approx([0.75, 0.25, -1])
    assert [row.first_places.mean for row in table.rows] == pytest.approx([0.75, 0.25, 0])
    scores = [[None if score is None else score.mean for score in row] for row in table.cross]
    assert scores == [[None, 0.75, 1], [0.25, None, 1], [0, 0, None]]
    ahead, behind = table.superiority[0][1], table.superiority[1][0]
    assert ahead is not None and behind is not None
    assert ahead > 0.95 and ahead + behind == pytest.approx(1)
