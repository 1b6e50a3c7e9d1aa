"""The players of Notty in known positions: values, ties, counters, choices; and by hand."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from docs.studies.notty_pairs import play_deals
from parlour.baselines import list_policies, make_policy
from parlour.baselines.advice.hints import hints_of
from parlour.baselines.arena.play.entrants import scripted_players
from parlour.baselines.notty.chances import chances
from parlour.baselines.notty.draws import num_draws
from parlour.baselines.notty.expectations import after_draw, after_take
from parlour.baselines.notty.finisher import (
    AFTER_TAKE_FACTOR,
    CLASS_SHAPE,
    CORRECTED,
    FIRST_TURNS,
    LAST_TURN,
    LEFT_ALONE,
    PATIENT_TURNS,
    TAKEN_FROM,
    VALUES,
    best_action,
    class_of,
    demands_of,
    load_values,
    opponent_model_of,
    smallest_other,
    table_of,
    waits_in_vain,
)
from parlour.baselines.notty.fit import values as notty_learning
from parlour.baselines.notty.hints import hint_lines, hints
from parlour.baselines.players.making import players_of
from parlour.baselines.search.playout import row_function_of
from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.notty.cards import deck_words, words_of
from parlour.envs.notty.discard import best_discard
from parlour.envs.notty.rules import DRAW, HAS_DRAWN, HAS_TAKEN, NOTHING_YET, PASS
from parlour.envs.registry import load_game
from tests.notty.playing import SIXTEEN, TWENTY, counts, legal, play, table

pytestmark = pytest.mark.plain

NEAR = "red 3 4, blue 9"  # red 2 and 5 make a group
FAR = "green 2 8, yellow 10"


def chosen(tables: Tables, name: str, *, draws: int = 1) -> Counter:
    """How often a player does what at the one table."""
    policy, game = make_policy(name, tables.game), tables.game
    _, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, game.num_actions)
    many = policy(
        np.repeat(observations, draws), np.repeat(masks, draws, axis=0), streams(range(draws), 1)
    )
    return Counter(game.action_name(action) for action in many.tolist())


def only(tables: Tables, name: str) -> str:
    """What a player that does not draw by lot does."""
    (action,) = chosen(tables, name, draws=3)
    return action


def words(hand: list[int] | np.ndarray) -> np.ndarray:
    """A hand as two words."""
    out = np.zeros(2, np.int64)
    words_of(np.array(hand), out)
    return out


def test_the_players_are_listed_weakest_first() -> None:
    names = list_policies(load_game("notty"))
    scripts = ["always_pass", "defensive", "aggressive", "x_aggressive", "x_defensive", "finisher"]
    assert [name for name in names if name in scripts] == scripts
    assert make_policy("X-DEFENSIVE", load_game("notty")).name == "x_defensive"


def test_all_scripts_play_tournaments_and_a_fast_one_plays_games_out() -> None:
    game = load_game("notty")
    players = players_of(game)
    scripts = ["random", "first_legal", "always_pass", "defensive", "aggressive"]
    assert scripted_players(game) == [*scripts, "x_aggressive", "x_defensive", "finisher"]
    assert row_function_of(game, None) is players["aggressive"].row_function
    assert row_function_of(game, "x_aggressive") is players["x_aggressive"].row_function


# What draws and takes bring


@pytest.mark.parametrize("count", [1, 2, 3])
def test_draws_are_counted_exactly(count: int) -> None:
    """Against a count of every draw, card by card, from a deck of 14 cards."""
    hand = counts("red 3 4, blue 3, green 9 9 10")
    deck = counts("red 2 2 3 5 6, green 3 3 8 8, yellow 3 9, blue 1 4 9")
    hits = cards = 0
    pile = [kind for kind in range(40) for _ in range(deck[kind])]
    for drawn in combinations(pile, count):
        with_them = np.array(hand) + np.bincount(drawn, minlength=40)
        most = sum(len(group) for group in best_discard(with_them))
        hits, cards = hits + (most > 0), cards + most
    assert after_draw(words(hand), words(deck), count) == (hits, cards)
    assert num_draws(len(pile), count) == len(list(combinations(pile, count)))


def test_takes_are_counted_exactly() -> None:
    hand, other = counts("red 3 4 6, blue 4"), counts("red 5 5 2, yellow 4 9")
    # Either red 5 makes a run of four, red 2 one of three, yellow 4 a set, yellow 9 nothing.
    assert after_take(words(hand), words(other)) == (4, 4 + 4 + 3 + 3)


# x_defensive


def test_of_equal_takes_the_one_from_the_lowest_seat_is_chosen() -> None:
    hands = ("red 2, blue 1 5", "green 1 3 5", NEAR, "red 5, blue 1 7")
    assert only(table(*hands, beginner=2), "x_defensive") == "take:+2"


def test_the_estimate_plays_as_the_exact_value_where_one_move_is_far_better() -> None:
    assert only(table(NEAR, "red 2 2 5"), "x_defensive:sampling=True") == "take:+1"


# x_aggressive


def test_of_equally_hopeless_first_moves_x_aggressive_draws_one() -> None:
    """A hand of one card at a limit of five, where no two more cards make a group with a take."""
    tables = table("red 1 1 4 4", "blue 1 1 7", hand_limit=5)
    assert legal(tables) == ["pass", "draw:1", "take:+1"]
    assert only(tables, "x_aggressive") == "draw:1"


# always_pass


def test_always_pass_passes() -> None:
    assert only(table(NEAR, "red 2 2 5"), "always_pass") == "pass"


# finisher


def test_finisher_takes_the_card_that_wins() -> None:
    assert only(table("red 3 4", "red 2 5 5, green 8"), "finisher") == "take:+1"


def test_finisher_does_not_help_a_small_hand() -> None:
    """It would like either card of three, but two cards left are nearly a win."""
    assert only(table(f"{SIXTEEN} 9", "green 8 2, yellow 10"), "finisher") != "take:+1"


@pytest.mark.release
def test_finisher_wins_against_x_defensive_and_more_than_it_loses() -> None:
    """No more than that, on 30 deals from both sides: how often, a study of many deals tells."""
    winners, turns = play_deals("finisher", "x_defensive", range(30))
    won = (winners == [0, 1]).sum()
    lost = (winners == [1, 0]).sum()
    assert won > lost
    assert (turns[winners == NO_SEAT] == 400).all() and (turns[winners != NO_SEAT] < 400).all()


def test_a_deal_that_decides_the_game_is_won_once_by_each_side() -> None:
    """Seat 0 is dealt a run of five here, and has won before anybody acts."""
    winners, turns = play_deals("always_pass", "aggressive", [33])
    assert winners.tolist() == [[0, 0]]  # `always_pass` sits at 0, then at 1
    assert turns.tolist() == [[0, 0]]


TURNS = 400  # of both seats, in a game of two


def takes(*of_seats: tuple[int, int]) -> np.ndarray:
    """Cards that each seat has taken, from larger hands and from others; the own seat first."""
    return np.array([(0, 0), *of_seats], np.int16)


def test_finisher_is_left_alone_where_nobody_takes_from_a_hand_that_is_no_larger() -> None:
    turns = 2 * FIRST_TURNS
    assert opponent_model_of(turns, takes((5, 0))) == LEFT_ALONE
    assert opponent_model_of(turns, takes((0, 1))) == 1
    assert opponent_model_of(3 * turns // 2, takes((5, 0), (0, 0))) == LEFT_ALONE
    assert opponent_model_of(3 * turns // 2, takes((5, 0), (0, 1))) == 2
    it_took_itself = np.array([(0, 1), (0, 0)], np.int16)
    assert opponent_model_of(turns, it_took_itself) == LEFT_ALONE


def test_finisher_expects_takers_at_first() -> None:
    assert opponent_model_of(2 * FIRST_TURNS - 1, takes((0, 0))) == 1
    assert opponent_model_of(4 * FIRST_TURNS - 1, takes((0, 0), (0, 0), (0, 0))) == 3


def test_finisher_waits_long_for_a_single_opponent_to_take() -> None:
    patient = 2 * PATIENT_TURNS
    assert table_of(0, TURNS, takes((0, 0))) == CORRECTED
    assert table_of(patient - 1, TURNS, takes((5, 0))) == CORRECTED
    assert table_of(patient, TURNS, takes((5, 0))) == LEFT_ALONE
    assert table_of(patient, TURNS, takes((0, 1))) == CORRECTED


def test_finisher_tells_several_opponents_only_by_whether_one_takes() -> None:
    for seats in (takes((0, 0), (0, 1)), takes((9, 0), (0, 0), (0, 0))):
        for turns in (0, 200):
            assert table_of(turns, TURNS, seats) == opponent_model_of(turns, seats)


def test_finisher_has_a_table_for_its_last_turn() -> None:
    """Then as many turns are left as there are seats, or fewer."""
    for seats in (takes((0, 9)), takes((9, 0)), takes((0, 0), (0, 1), (5, 5))):
        last = TURNS - len(seats)
        assert table_of(last - 1, TURNS, seats) != LAST_TURN
        assert table_of(last, TURNS, seats) == table_of(TURNS - 1, TURNS, seats) == LAST_TURN


def test_finisher_waits_but_not_in_its_last_turn() -> None:
    """Red 5 would empty this hand at once; a fourth card that fails spoils it for later."""
    for turn_limit, move in ((200, "pass"), (1, "draw")):
        assert only(table("red 3 4 6", FAR, turn_limit=turn_limit), "finisher").startswith(move)


def test_the_table_of_the_last_turn_holds_only_chances_to_win_at_once() -> None:
    last = VALUES[LAST_TURN]
    assert (last[NOTHING_YET] == 0).all() and (last >= 0).all() and (last <= 1).all()
    for phase in (HAS_DRAWN, HAS_TAKEN):
        by_size = last[phase].reshape(CLASS_SHAPE).max(axis=(1, 2, 3, 4))
        assert by_size[2] > by_size[4] > by_size[10]
    of_two = last[HAS_DRAWN].reshape(CLASS_SHAPE)[2, 2]  # two kinds make a group with two cards
    assert of_two[:, 2].mean() > of_two[:, 0].mean()  # and a take may bring one


def test_the_corrected_table_lowers_the_chances_after_a_take() -> None:
    learned, corrected = VALUES[TAKEN_FROM], VALUES[CORRECTED]
    assert np.allclose(corrected[HAS_TAKEN], AFTER_TAKE_FACTOR * learned[HAS_TAKEN])
    assert np.array_equal(corrected[:HAS_TAKEN], learned[:HAS_TAKEN])


def test_finisher_does_not_wait_in_vain_for_a_single_opponent() -> None:
    """With two cards that no third completes it draws one, where it would wait for a taker."""
    tables = table("red 1, blue 9", FAR)
    assert only(tables, "finisher") == "draw:1"
    _, observations, words = tables.show(tables.all_rows)
    found = chances(tables.game)(observations, action_masks(words, tables.game.num_actions))[0]
    assert found[PASS] <= found[DRAW + 1]
    (state,) = tables.states
    hands, passes = np.array([*state["hands"], deck_words(state["hands"])]), np.zeros(2, np.int64)
    pass_or_draw = np.array([0b11])
    (rng,) = streams([0])
    for model, action in ((TAKEN_FROM, PASS), (CORRECTED, DRAW + 1)):
        found_best = best_action(
            VALUES[model], model, pass_or_draw, hands, NOTHING_YET, passes, rng
        )[0]
        assert found_best == action


@pytest.mark.parametrize(
    ("mine", "in_vain"),
    [
        ("red 1, blue 9", True),
        ("red 1, blue 9, green 5, yellow 3", True),
        ("red 1, blue 9, green 5", False),  # three: a card may be taken
        ("red 3 4", False),  # red 2 and 5 complete it
    ],
)
def test_two_or_four_cards_wait_in_vain_that_no_card_completes(mine: str, in_vain: bool) -> None:
    (state,) = table(mine, FAR).states
    hands = np.array([*state["hands"], deck_words(state["hands"])])
    assert waits_in_vain(hands[0], demands_of(hands, np.zeros(2, np.int64))) == in_vain


def test_finisher_left_alone_leaves_nothing_it_hopes_for_to_chance() -> None:
    """Draws of two and three cards are tried at random; without them it needs no random number."""
    (state,) = table(NEAR, FAR).states
    hands, passes = np.array([*state["hands"], deck_words(state["hands"])]), np.zeros(2, np.int64)
    every_move = np.array([0b11111])
    for opponent_model in (1, LEFT_ALONE):
        (rng,) = streams([0])
        before = rng.copy()
        best_action(
            VALUES[opponent_model], opponent_model, every_move, hands, NOTHING_YET, passes, rng
        )
        assert (rng == before).all() == (opponent_model == LEFT_ALONE)


def class_index(mine: str, other: str, passes: int = 0) -> tuple[int, ...]:
    """The class of a position: size, outs, demand, hit, smallest hand of the others."""
    (state,) = table(mine, other).states
    hands = np.array([*state["hands"], deck_words(state["hands"])])
    demands = demands_of(hands, np.array([0, passes]))
    index = class_of(hands[0, 0], hands[0, 1], hands, smallest_other(hands), demands)
    return np.unravel_index(index, CLASS_SHAPE)


def test_a_position_is_classed_by_size_outs_and_the_chance_of_a_take() -> None:
    # Red 2 and 5 make a group; they are one of four cards of the other hand, then none.
    assert class_index("red 3 4", "red 2, green 8, blue 9, yellow 6") == (2, 2, 0, 2, 1)
    assert class_index("red 3 4", "green 1 8, blue 9, yellow 6") == (2, 2, 0, 0, 1)
    assert class_index("red 1", "red 2, green 8") == (1, 0, 0, 0, 0)  # nobody takes from two


def test_a_position_is_classed_by_what_tempts_another_seat() -> None:
    other = "red 3 4, green 1 8"  # wants red 2 and 5
    assert class_index("red 2, blue 9, yellow 7", other)[2] == 2  # a third of three cards
    four = "red 2, blue 9, yellow 7, yellow 10"
    assert class_index(four, other)[2] == 1
    assert class_index(four, other, passes=2)[2] == 2  # it will not pass a third time
    assert class_index("blue 9, yellow 7 10", other)[2] == 0


@pytest.mark.release
def test_learning_finds_that_a_hand_with_outs_is_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """With two seats against two players in turn, with three against a mixture."""
    fields = notty_learning.FIELDS
    shorter = {2: [field._replace(turns=4000) for field in fields[2][:2]]}
    shorter[3] = [fields[3][0]._replace(turns=4000)]
    monkeypatch.setattr(notty_learning, "FIELDS", shorter)
    values = notty_learning.learn_values(num_rounds=1, seat_counts=(2, 3))
    assert np.array_equal(values, notty_learning.learn_values(num_rounds=1, seat_counts=(2, 3)))
    assert values.shape == load_values().shape and (np.abs(values[LEFT_ALONE + 1 :]) <= 1).all()
    assert (values[2] != values[1]).any()
    for tables in (values[1:3], load_values()[TAKEN_FROM:LAST_TURN]):
        of_two_cards = tables[:, NOTHING_YET].reshape(-1, *CLASS_SHAPE)[:, 2].mean(axis=(2, 3, 4))
        assert (of_two_cards[:, 2] > of_two_cards[:, 0]).all()  # two kinds make a group, and none


@pytest.mark.long
@pytest.mark.parametrize(("num_seats", "changed"), [(2, [0, 1, 4]), (3, [2])])
def test_tables_of_one_number_of_seats_leave_the_others_as_they_ship(
    monkeypatch: pytest.MonkeyPatch, num_seats: int, changed: list[int]
) -> None:
    fields = [field._replace(turns=200) for field in notty_learning.FIELDS[num_seats]]
    monkeypatch.setattr(notty_learning, "FIELDS", {num_seats: fields})
    values = notty_learning.learn_values(num_rounds=1, seat_counts=[num_seats])
    differs = (values != load_values()).any(axis=(1, 2))
    assert np.flatnonzero(differs).tolist() == changed


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


def test_hints_are_the_values_the_players_go_by() -> None:
    tables = table(NEAR, "red 2, green 7, yellow 9")
    shown = hints(tables.game, tables.states[0])
    by_name = {tables.game.action_name(hint.action): hint for hint in shown.moves}
    assert list(by_name) == legal(tables)
    assert by_name["pass"][1:] == (0, 0)
    assert by_name["take:+1"][1:] == (Fraction(1, 3), 0)
    once, twice = deck_words(tables.states[0]["hands"])
    deck = int(once).bit_count() + int(twice).bit_count()
    outs = 3  # red 2, red 5 twice; the other red 2 is taken
    assert by_name["draw:1"][1:] == (Fraction(outs, deck), Fraction(3 * outs, deck) - 1)
    assert shown.best_discard == []


def test_the_finisher_values_moves_as_it_chooses() -> None:
    """Draws of one card and takes are counted exactly; larger draws are samples."""
    for first, other in ((NEAR, FAR), ("red 3 4", "red 2 5 5, green 8"), (TWENTY, FAR)):
        tables = table(first, other)
        _, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, tables.game.num_actions)
        found = chances(tables.game)(observations, masks)[0]
        best = tables.game.parse_action(only(tables, "finisher"))
        assert found[best] >= found.max() - 0.02
        assert (found[masks[0] == 0] == 0).all() and ((found >= 0) & (found <= 1)).all()
    tables = table("red 3 4", "red 2 5 5, green 8")
    _, observations, words = tables.show(tables.all_rows)
    found = chances(tables.game)(observations, action_masks(words, tables.game.num_actions))[0]
    take, passing = (tables.game.parse_action(name) for name in ("take:+1", "pass"))
    assert found[take] > 0.75 > found[passing]  # three of four cards win at once


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


def test_hints_are_found_by_the_name_of_the_game() -> None:
    assert hints_of(load_game("notty")) is hint_lines
    assert hints_of(load_game("president")) is None
