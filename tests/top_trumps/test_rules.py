"""Every sentence of the rules, on stacked deals. The numbers are those of the game's README."""

import re

import numpy as np
import pytest
from scipy import stats

from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.top_trumps.tables import CARDS, Table, deck_of, members

pytestmark = pytest.mark.plain

ALMOST_NEVER = 1e-4  # a fair sample fails a test this seldom; the seeds are fixed
NUM_DEALS = 500
ODD = {"num_cards": 71, "num_fields": 1, "trick_limit": 200, "starter": "random"}


def dealt(num_deals: int = NUM_DEALS, **settings: object) -> np.ndarray:
    tables = Tables(load_game("top_trumps", **settings), streams(range(num_deals)))
    tables.deal(tables.all_rows)
    return tables.states


def test_1_each_game_has_a_deck_of_its_own_which_both_may_look_through() -> None:
    states = dealt(2)
    assert (states["values"][0] != states["values"][1]).any()
    table = Table([[5, 0, 2], [1, 4, 3]])
    assert table.observed(0)["values"].tolist() == table.observed(1)["values"].tolist() == CARDS
    assert table.observed(0)["means"].tolist() == [3500, 200]
    assert table.observed(1)["deviations"].tolist() == [1708, 82]


@pytest.mark.compiled
def test_2_values_are_rounded_normal_numbers_of_random_mean_and_deviation() -> None:
    values = dealt()["values"].astype(float)
    assert values.min() >= 0
    means, variances = values.mean(axis=1), values.var(axis=1, ddof=1)
    assert means.mean() == pytest.approx(59.5, abs=1.2)
    assert means.min() < 33 < 86 < means.max()
    expected = np.mean(np.arange(5, 20) ** 2) + 1 / 12  # rounding adds a twelfth
    assert variances.mean() == pytest.approx(expected, rel=0.05)
    standard = (values - means[:, None]) / np.sqrt(variances)[:, None]
    assert stats.kurtosis(standard.ravel()) == pytest.approx(-6 / 51, abs=0.1)


@pytest.mark.compiled
def test_2_equal_values_are_common() -> None:
    values = dealt(200)["values"]
    pairs = values[:, :, None, :] == values[:, None, :, :]
    share = (pairs.sum() - 200 * 50 * 5) / (200 * 50 * 49 * 5)
    assert 0.024 < share < 0.031


def test_3_ids_are_six_characters_and_fields_are_numbered() -> None:
    game = load_game("top_trumps")
    ids = dealt(20)["ids"]
    assert all(len(set(row)) == 50 for row in ids.tolist())
    assert 0 <= ids.min() <= ids.max() < 36**6
    state = dealt(1)[0]
    names = re.findall(r"\b[0-9A-Z]{6}\b", game.describe(state))
    assert len(set(names)) == 50
    assert [game.action_name(a) for a in range(5)] == [f"Field{a}" for a in range(5)]


@pytest.mark.compiled
def test_4_the_deck_is_dealt_in_halves_at_random() -> None:
    states = dealt()
    assert (states["deck_sizes"] == 25).all()
    for state in states[:20]:
        assert sorted(deck_of(state, 0) + deck_of(state, 1)) == list(range(50))
    first = [deck_of(state, 0)[0] for state in states]
    assert stats.chisquare(np.bincount(first, minlength=50)).pvalue > ALMOST_NEVER


def test_4_an_odd_card_goes_to_seat_0() -> None:
    states = dealt(5, **ODD)
    assert (states["deck_sizes"] == [36, 35]).all()


def test_5_a_seat_knows_the_set_of_its_cards_but_not_their_order() -> None:
    table = Table([[5, 0, 2], [1, 4, 3]])
    assert table.own(1) == [{1, 3, 4}] * 3
    assert table.other(1) == [{0, 2, 5}] * 3
    assert members(table.observed(1)["own_cards"]) == {1, 3, 4}
    assert members(table.observed(1)["opponent_cards"]) == {0, 2, 5}
    assert (table.observed(1)["places"] == -1).all()


def test_6_seat_0_starts_or_as_the_house_rule_says() -> None:
    assert (dealt(9)["starter"] == 0).all()
    lots = dealt(300, num_cards=2, num_fields=1, starter="random")["starter"]
    assert stats.binomtest(int(lots.sum()), 300).pvalue > ALMOST_NEVER
    assert (dealt(9, deck="planets", starter=1)["starter"] == 1).all()


def test_6_the_winner_starts_next_and_after_a_drawn_trick_the_same_seat() -> None:
    table = Table([[5, 0, 2], [1, 4, 3]])
    assert table.play(0).state["starter"] == 0
    assert table.play(0).state["starter"] == 1
    drawn = Table([[5, 0, 2], [4, 1, 3]], starter=1).play(1)
    assert drawn.state["starter"] == 1


def test_7_the_starter_sees_its_top_card_and_may_choose_any_field() -> None:
    table = Table([[5, 0, 2], [1, 4, 3]])
    view = table.observed(0)
    assert (view["top"], view["top_values"].tolist()) == (5, [60, 3])
    assert table.own(0) == [{5}, {0, 2}, {0, 2}]
    assert (table.observed(1)["top"], table.observed(1)["top_values"].tolist()) == (-1, [0, 0])
    assert table.game.legal_action_list(table.state) == [0, 1]


def test_7_both_values_are_announced_and_the_higher_wins() -> None:
    table = Table([[5, 0, 2], [1, 4, 3]]).play(1)
    for seat, values in ((0, [3, 1]), (1, [1, 3])):
        view = table.observed(seat)
        assert view["last_values"].tolist() == values
        assert (view["last_field"], view["last_starter"], view["last_winner"]) == (1, seat, seat)
    assert table.state["last_winner"] == 0


def test_8_the_winner_puts_its_own_card_the_losers_and_the_pile_at_the_bottom() -> None:
    table = Table([[5, 0, 2], [4, 1, 3]]).play(1)
    assert table.pile == [4, 5]
    table.play(0)
    assert table.deck(1) == [3, 1, 0, 4, 5]
    assert table.deck(0) == [2]
    assert table.pile == []


def test_9_the_loser_learns_the_value_and_the_winner_the_card() -> None:
    table = Table([[5, 0, 2], [1, 4, 3]], [[10, 1], [20, 1], [30, 2], [40, 2], [50, 3], [30, 3]])
    table.play(0)
    assert table.other(1) == [{0, 2, 5}, {0, 2, 5}, {2, 5}, {1}]
    assert table.observed(1)["last_cards"].tolist() == [1, -1]
    assert table.other(0) == [{3, 4}, {3, 4}]
    assert table.observed(0)["last_cards"].tolist() == [5, 1]
    assert table.own(0) == [{0}, {2}, {5}, {1}]


def test_9_what_is_found_out_is_struck_everywhere_and_tells_of_others_in_turn() -> None:
    """Card 5 is 2 or 5 to seat 1; when 2 shows up elsewhere it can only be 5."""
    cards = [[10, 1], [20, 1], [30, 2], [40, 2], [50, 3], [30, 3]]
    table = Table([[5, 2, 0], [1, 4, 3]], cards).play(0)
    assert table.other(1)[2:] == [{2, 5}, {1}]
    table.play(0)  # seat 0 leads its 2 and loses it to the 4
    assert table.deck(0) == [0, 5, 1]
    assert table.other(1) == [{0}, {5}, {1}]
    assert table.observed(1)["places"].tolist() == [0, 2, 2, 0, 1, 1]


def test_10_a_draw_goes_to_the_pile_the_starters_card_last_for_all_to_see() -> None:
    table = Table([[5, 0, 2], [4, 1, 3]], starter=1).play(1)
    assert table.pile == [5, 4]
    for seat in (0, 1):
        view = table.observed(seat)
        assert view["pile"].tolist() == [5, 4, -1, -1, -1, -1]
        assert view["last_winner"] == 2
    assert table.observed(0)["last_cards"].tolist() == [5, 4]
    assert table.observed(1)["last_cards"].tolist() == [4, 5]
    assert table.other(0) == [{1, 3}, {1, 3}]


def test_10_the_pile_grows_until_a_trick_is_decided() -> None:
    table = Table([[5, 0, 2], [4, 1, 3]]).play(1, 1)
    assert table.pile == [4, 5, 1, 0]
    assert table.play(0).deck(1) == [3, 2, 4, 5, 1, 0]


def test_11_a_seat_without_a_card_loses_at_once() -> None:
    table = Table([[5, 4, 3], [2, 1, 0]]).play(0, 0)
    assert table.outcome == [0, 0]
    assert not table.is_over
    table.play(0)
    assert table.is_over
    assert table.outcome == [1, -1]


def test_11_also_when_its_last_card_went_to_the_pile() -> None:
    cards = [[10, 1], [20, 1], [30, 2], [40, 2], [50, 3], [60, 1]]
    table = Table([[5, 4, 3], [2, 0, 1]], cards).play(0, 0)
    assert (table.deck(0), table.deck(1)) == ([3, 5, 2, 4, 0], [1])
    table = Table([[5, 4, 1], [2, 3, 0]], cards).play(0, 0, 1)
    assert table.pile == [0, 1]
    assert table.outcome == [1, -1]


def test_11_both_empty_at_once_is_a_draw() -> None:
    table = Table([[5, 3, 1], [4, 2, 0]]).play(1, 1, 1)
    assert table.state["deck_sizes"].tolist() == [0, 0]
    assert table.is_over
    assert table.outcome == [0, 0]


def test_12_at_the_trick_limit_more_cards_win_and_the_pile_does_not_count() -> None:
    table = Table([[5, 0, 2], [1, 4, 3]], trick_limit=2)
    table.play(0, 0)
    assert table.outcome == [0, 0]
    assert table.is_over
    table = Table([[5, 4, 2], [1, 3, 0]], trick_limit=1).play(0)
    assert table.outcome == [1, -1]
    table = Table([[0, 5, 2], [1, 4, 3]], trick_limit=2).play(1, 1)
    assert (table.pile, table.outcome) == ([1, 0, 4, 5], [0, 0])


def test_nobody_looks_at_a_top_card_once_the_game_is_over() -> None:
    table = Table([[5, 0, 2], [1, 4, 3]], trick_limit=1).play(0)
    assert table.observed(0)["top"] == -1
    assert table.own(0)[0] == {0, 2}


def test_a_deck_of_the_games_own_is_what_is_played_with() -> None:
    game = load_game("top_trumps", deck="planets")
    assert (game.config.num_cards, game.num_actions) == (9, 6)
    assert game.action_name(0) == "diameter_km"
    state = dealt(1, deck="planets")[0]
    assert state["values"][2].tolist() == [12756, 5514, 365, 29800, 15, 1]
    assert state["deck_sizes"].tolist() == [5, 4]
    assert "Earth" in game.describe(state)
