"""Only the order of a deck that was laid down is hidden, and re-dealing it shows nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from parlour.envs.core.rng import streams
from tests.notty.playing import play, table

pytestmark = pytest.mark.plain

HANDS = ("red 1 5, blue 3", "green 2 8, yellow 10")
FIRST = "red 9, blue 9 6"


def test_a_laid_down_deck_is_shuffled_and_no_seat_sees_a_difference() -> None:
    tables = table(*HANDS, first=FIRST, script="draw:1 pass")
    rows = np.array([0])
    tops: Counter[int] = Counter()
    for seed in range(300):
        for seat in (0, 1):
            determinized = tables.determinize(rows, np.array([seat]), streams([seed], 1))
            view, again = tables.game.new_observations(), tables.game.new_observations()
            tables.game.observe(tables.states[0], seat, view[0])
            tables.game.observe(determinized[0], seat, again[0])
            assert view.tobytes() == again.tobytes()
            size = int(determinized[0]["num_ordered"])
            deck, true = determinized[0]["deck_order"][:size], tables.states[0]["deck_order"][:size]
            assert sorted(deck.tolist()) == sorted(true.tolist())
            tops[int(deck[-1])] += 1
    assert len(tops) > 35  # of 38 kinds that can be on top
    assert max(tops.values()) < 50  # 16 on average


def test_what_was_drawn_is_open_and_what_will_be_drawn_is_not() -> None:
    one = table(*HANDS, first=FIRST, script="draw:1")
    other = table(*HANDS, first="red 9, green 9", script="draw:1")
    looks = [[t.observe(np.array([0]), np.array([seat])) for seat in (0, 1)] for t in (one, other)]
    assert looks[0][0].tobytes() == looks[1][0].tobytes()
    assert looks[0][1].tobytes() == looks[1][1].tobytes()
    assert looks[0][0]["hands"][0, 0].sum() == 4
    play(one, "pass draw:1")
    play(other, "pass draw:1")
    assert one.states[0]["last_cards"][1, 0] != other.states[0]["last_cards"][1, 0]
