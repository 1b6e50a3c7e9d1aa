"""The players of Notty in known positions: values, ties, counters, choices; and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.notty.chances import chances
from parlour.baselines.notty.finisher import (
    CLASS_SHAPE,
    CORRECTED,
    FIRST_TURNS,
    LAST_TURN,
    LEFT_ALONE,
    PATIENT_TURNS,
    TAKEN_FROM,
    load_values,
    table_index,
)
from parlour.baselines.notty.fit import values as notty_learning
from parlour.baselines.notty.hints import hint_lines, hints
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.notty.rules import NOTHING_YET
from tests.notty.playing import SIXTEEN, TWENTY, decisions, play, table

pytestmark = pytest.mark.plain

NEAR = "red 3 4, blue 9"  # red 2 and 5 make a group
FAR = "green 2 8, yellow 10"


def only(tables: Tables, name: str) -> str:
    """What a player that does not draw by lot does."""
    (action,) = set(decisions(make_policy(name, tables.game), tables, 3))
    return action


# x_defensive


def test_the_estimate_plays_as_the_exact_value_where_one_move_is_far_better() -> None:
    assert only(table(NEAR, "red 2 2 5"), "x_defensive:sampling=True") == "take:+1"


# x_aggressive


def test_of_equally_hopeless_first_moves_x_aggressive_draws_one() -> None:
    """A hand of one card at a limit of five, where no two more cards make a group with a take."""
    tables = table("red 1 1 4 4", "blue 1 1 7", hand_limit=5)
    assert tables.legal == ["pass", "draw:1", "take:+1"]
    assert only(tables, "x_aggressive") == "draw:1"


# always_pass


# finisher


def test_finisher_takes_the_card_that_wins() -> None:
    assert only(table("red 3 4", "red 2 5 5, green 8"), "finisher") == "take:+1"


def test_finisher_does_not_help_a_small_hand() -> None:
    """It would like either card of three, but two cards left are nearly a win."""
    assert only(table(f"{SIXTEEN} 9", "green 8 2, yellow 10"), "finisher") != "take:+1"


@pytest.mark.release
def test_finisher_wins_against_x_defensive_and_more_than_it_loses() -> None:
    """No more than that, on 30 deals from both sides: how often, a study of many deals tells."""
    result = play_match("notty", "finisher", "x_defensive", 30)
    assert result.wins.mean > result.losses.mean


TURNS = 400  # of both seats, in a game of two
FIRST, PATIENT = 2 * FIRST_TURNS, 2 * PATIENT_TURNS


@pytest.mark.parametrize(
    ("turns", "taken", "table"),
    [
        (0, [(0, 0)], CORRECTED),  # it waits long for a single opponent to take
        (PATIENT - 1, [(5, 0)], CORRECTED),
        (PATIENT, [(5, 0)], LEFT_ALONE),  # from larger hands only
        (PATIENT, [(0, 1)], CORRECTED),
        (TURNS - 3, [(9, 0)], LEFT_ALONE),
        (TURNS - 2, [(0, 9)], LAST_TURN),
        (TURNS - 1, [(9, 0)], LAST_TURN),
        (3 * FIRST // 2 - 1, [(0, 0), (0, 0)], 2),  # at first it expects takers
        (3 * FIRST // 2, [(5, 0), (0, 0)], LEFT_ALONE),
        (3 * FIRST // 2, [(5, 0), (0, 1)], 2),
        (2 * FIRST - 1, [(0, 0), (0, 0), (0, 0)], 3),
        (TURNS - 5, [(0, 0), (0, 1), (5, 5)], 3),
        (TURNS - 4, [(0, 0), (0, 1), (5, 5)], LAST_TURN),
    ],
)
def test_finisher_has_a_table_for_those_who_take_and_for_its_last_turn(
    turns: int, taken: list[tuple[int, int]], table: int
) -> None:
    """Of cards that each opponent has taken, from larger hands and from others."""
    for own in ((0, 0), (0, 1)):
        assert table_index(turns, TURNS, np.array([own, *taken], np.int16)) == table


def test_finisher_waits_but_not_in_its_last_turn() -> None:
    """Red 5 would empty this hand at once; a fourth card that fails spoils it for later."""
    for turn_limit, move in ((200, "pass"), (1, "draw")):
        assert only(table("red 3 4 6", FAR, turn_limit=turn_limit), "finisher").startswith(move)


@pytest.mark.parametrize(
    ("mine", "move"),
    [
        ("red 1, blue 9", "draw:1"),
        ("red 1, blue 9, green 5, yellow 3", "draw:1"),
        ("red 1, blue 9, green 5", "pass"),  # three: a card may be taken
        ("red 3 4", "pass"),  # red 2 and 5 complete it
    ],
)
def test_finisher_does_not_wait_in_vain_for_a_single_opponent(mine: str, move: str) -> None:
    """With two or four cards that no card completes it draws one; else it waits for a taker."""
    assert only(table(mine, FAR), "finisher") == move


@pytest.mark.release
def test_learning_finds_that_a_hand_with_outs_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two seats against two players in turn, with three against a mixture."""
    oppositions = notty_learning.OPPOSITIONS
    shorter = {2: [one._replace(turns=4000) for one in oppositions[2][:2]]}
    shorter[3] = [oppositions[3][0]._replace(turns=4000)]
    monkeypatch.setattr(notty_learning, "OPPOSITIONS", shorter)
    values = notty_learning.learn_values(num_rounds=1, seat_counts=(2, 3))
    assert np.array_equal(values, notty_learning.learn_values(num_rounds=1, seat_counts=(2, 3)))
    assert values.shape == load_values().shape and (np.abs(values[LEFT_ALONE + 1 :]) <= 1).all()
    assert (values[2] != values[1]).any()
    for tables in (values[1:3], load_values()[TAKEN_FROM:LAST_TURN]):
        of_two_cards = tables[:, NOTHING_YET].reshape(-1, *CLASS_SHAPE)[:, 2].mean(axis=(2, 3, 4))
        assert (of_two_cards[:, 2] > of_two_cards[:, 0]).all()  # two kinds make a group, and none


# By hand


@pytest.mark.parametrize(
    "name", ["defensive", "aggressive", "x_aggressive", "x_defensive", "finisher"]
)
def test_by_hand_they_put_away_the_best_discard_first(name: str) -> None:
    hand = "red 1 2 3 4 5, green 1, yellow 1, blue 8"
    tables = table(hand, FAR, discard="manual")
    done = [only(tables, name)]
    play(tables, done[0])
    done.append(only(tables, name))
    play(tables, done[1])
    assert sorted(done) == ["discard:1 red green yellow", "discard:red 2-5"]


# Hints


def test_the_finisher_values_moves_as_it_chooses() -> None:
    """Draws of one card and takes are counted exactly; larger draws are samples."""
    for first, other in ((NEAR, FAR), ("red 3 4", "red 2 5 5, green 8"), (TWENTY, FAR)):
        tables = table(first, other)
        _, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, tables.game.num_actions)
        values = chances(tables.game)(observations, masks)[0]
        best = tables.game.parse_action(only(tables, "finisher"))
        assert values[best] >= values.max() - 0.02
        assert (values[masks[0] == 0] == 0).all() and ((values >= 0) & (values <= 1)).all()
    tables = table("red 3 4", "red 2 5 5, green 8")
    _, observations, words = tables.show(tables.all_rows)
    values = chances(tables.game)(observations, action_masks(words, tables.game.num_actions))[0]
    take, passing = (tables.game.parse_action(name) for name in ("take:+1", "pass"))
    assert values[take] > 0.75 > values[passing]  # three of four cards win at once


def test_hints_for_another_seat_and_for_a_group_held_by_hand() -> None:
    tables = table(NEAR, "green 1 2 3, blue 5", discard="manual")
    shown = hints(tables.game, tables.states[0], 1)
    assert shown.best_discard == [(20, 21, 22)]
    assert shown.moves[0][1:] == (1, 3)
    assert tables.states[0]["seat_to_act"] == 0


def test_hints_as_text_name_the_groups_and_every_move() -> None:
    tables = table("red 1 2 3, blue 9", FAR, discard="manual", first="red 9")
    before = tables.states.tobytes()
    title, *moves = hint_lines(tables.game, tables.states[0], 0)
    assert title == "hints for player 0: best discard red 1-3"
    assert [line.split()[0] for line in moves] == ["pass", "draw:1", "draw:2", "draw:3", "take:+1"]
    assert moves[0].split(maxsplit=1)[1] == "P(group) 100.00 %   expected reduction +3.000"
    assert tables.states.tobytes() == before


def test_hints_as_text_say_what_a_take_brings() -> None:
    tables = table(NEAR, "red 2, green 7, yellow 9")
    title, *moves = hint_lines(tables.game, tables.states[0], 0)
    assert title == "hints for player 0: best discard nothing"
    assert moves[-1] == "  take:+1 P(group)  33.33 %   expected reduction +0.000"
