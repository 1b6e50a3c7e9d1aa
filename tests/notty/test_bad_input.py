"""Hands, spellings and players that cannot be are refused with an error that says why."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.baselines.notty.hints import hints
from parlour.envs.notty.discard import best_discard
from parlour.envs.registry import load_game
from tests.notty.bad_input import HANDS
from tests.notty.playing import table

pytestmark = pytest.mark.plain


def test_a_hand_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a hand has 1 \.\. 5 cards; got one of 6"):
        table("red 1 1 4 4 7 7", "blue 1", hand_limit=5)


def test_groups_have_one_spelling() -> None:
    game = load_game("notty", discard="manual")
    for name in ("discard:red 3-6", "discard:7 red blue green"):
        assert game.action_name(game.parse_action(name)) == name
        for other in (name.replace(" ", "_"), name.replace(" ", "  "), f"{name} ", name.upper()):
            with pytest.raises(ValueError, match=r"no action is called .*did you mean 'discard:"):
                game.parse_action(other)


@pytest.mark.parametrize(
    ("hand", "solver", "message"),
    [
        ([1] * 39, "table", r"a hand is 40 counts of 0 \.\. 2"),
        ([3] + [0] * 39, "table", r"a hand is 40 counts of 0 \.\. 2"),
        ([-1] + [0] * 39, "table", r"a hand is 40 counts of 0 \.\. 2"),
        ([1] * 21 + [0] * 19, "table", "a hand has at most 20 cards; got 21"),
        ([1] + [0] * 39, "guess", "solver must be one of table, scip; got 'guess'"),
    ],
)
def test_hands_and_solvers_that_cannot_be_are_refused(
    hand: list[int], solver: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        best_discard(hand, solver=solver)


def test_hints_are_for_seats_that_exist_and_not_while_chance_is_to_act() -> None:
    tables = table(*HANDS)
    with pytest.raises(ValueError, match=r"seat must be an integer in 0 \.\. 1; got 2"):
        hints(tables.game, tables.states[0], 2)
    tables.game.apply_action(tables.states[0], np.int64(1))
    with pytest.raises(ValueError, match="no hints while cards are being drawn"):
        hints(tables.game, tables.states[0])
