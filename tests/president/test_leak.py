"""Re-dealing what a seat cannot know: it must see no difference, and must not be told the truth."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.num_bits import num_bits
from tests.one_table import dealt
from tests.president.playing import (
    Table,
    ladder,
    one_suit_each,
)
from tests.president.referee import DECK
from tests.president.test_rules import match

pytestmark = pytest.mark.plain

ALMOST_NEVER = 1e-4  # a fair sample fails a test this seldom; the seeds are fixed
DECK_WITHOUT_TWOS = DECK[4:]


def determinize(table: Table, seat: int, times: int) -> np.ndarray:
    """Draw positions that this seat could be in."""
    rows = np.zeros(times, np.int64)
    return table.determinize(rows, np.full(times, seat), streams(range(times), 1))


def test_the_unseen_cards_are_dealt_evenly_over_the_seats() -> None:
    hands = [["2O", *one_suit_each()[0][1:]], *one_suit_each()[1:]]
    table = Table({"hands": hands}).play("1x2")
    ones = determinize(table, 0, 1200)["hands"] >> 36 & 0b1111
    ones_of = num_bits(ones[:, 1:]).sum(axis=0)  # three ones among three hands of ten cards
    assert stats.chisquare(ones_of).pvalue > ALMOST_NEVER
    alone = (num_bits(ones[:, 1:]) == 1).all(axis=1).mean()
    assert alone == pytest.approx(10**3 / (30 * 29 * 28 / 6), abs=0.045)


def test_in_a_late_position_every_deal_is_as_likely() -> None:
    table = Table({"hands": ladder(8)}, num_players=8)
    while sum(table.sees(0)["hand_sizes"]) > 8:
        table.play(table.legal[-1])
    seat = table.seat
    sizes = table.sees(seat)["hand_sizes"]
    sample = determinize(table, seat, 1000)["hands"]
    outcomes = [tuple(row) for row in np.delete(sample, seat, axis=1).tolist()]
    weights = deals_by_weight(table, seat)
    counts = Counter(outcomes)
    assert set(counts) <= set(weights), sizes
    expected = np.array(list(weights.values()), float) * len(outcomes) / sum(weights.values())
    observed = [counts[deal] for deal in weights]
    assert len(weights) > 1
    assert stats.chisquare(observed, expected).pvalue > ALMOST_NEVER


def deals_by_weight(table: Table, seat: int) -> dict[tuple[int, ...], int]:
    """All deals of the unseen cards by rank, and in how many ways of cards each comes about."""
    sees = table.sees(seat)
    counts = zip(sees["hand"], sees["played"], strict=True)
    unseen = [rank for rank, (own, out) in enumerate(counts) for _ in range(4 - own - out)]
    seats = [s for s in range(table.game.num_seats) if s != seat]
    sizes = [sees["hand_sizes"][(s - seat) % table.game.num_seats] for s in seats]
    weights: Counter[tuple[int, ...]] = Counter()
    places = [owner for owner, size in enumerate(sizes) for _ in range(size)]
    for owners in set(itertools.permutations(places)):
        hands = [0] * len(seats)
        for rank, owner in zip(unseen, owners, strict=True):
            cards = hands[owner] >> 4 * rank & 0b1111
            hands[owner] |= (cards << 1 | 1) << 4 * rank
        weights[tuple(hands)] += 1
    return dict(weights)


def test_before_the_lead_is_known_any_unseen_two_may_be_that_of_oros() -> None:
    table = match(one_suit_each(), economy="swap_one")  # seat 0 is to give a card back
    assert table.sees(3)["has_golds"] == 0
    states = determinize(table, 3, 800)
    golds = states["golds_seat"]
    twos = num_bits(states["hands"][:, :3] & 0b1111).mean(axis=0) / 3
    share = np.array([(golds == seat).mean() for seat in range(3)])
    assert share == pytest.approx(twos, abs=0.055)


def test_the_leader_of_the_first_round_keeps_a_two() -> None:
    table = Table({"hands": ladder(4)})
    states = determinize(table, 2, 200)
    assert (states["golds_seat"] == 0).all()
    assert (states["hands"][:, 0] & 1 == 1).all()
    assert len(np.unique(states["hands"][:, 0])) > 160


def test_who_gave_its_best_card_is_never_dealt_a_higher_one() -> None:
    hands = one_suit_each()
    hands[0], hands[3] = [*hands[0][:8], "3E", "1E"], [*hands[3][:8], "3O", "1O"]
    hands[3][8:], hands[1][:2] = hands[1][:2], [*hands[3][8:]]  # the servant's best is a 12
    table = match(hands, economy="swap_one").play("give:5")
    assert table.sees(0)["received"] == [7, -1]
    states = determinize(table, 0, 200)
    assert (states["hands"][:, 3] >> 32 == 0).all()
    assert (states["hands"][:, 1:3] >> 32 != 0).any(axis=0).all()


def test_under_a_bound_for_one_seat_the_others_are_still_dealt_evenly() -> None:
    hands = one_suit_each()
    hands[3][8:], hands[1][:2] = hands[1][:2], [*hands[3][8:]]
    table = match(hands, economy="swap_one").play("give:5")
    high = num_bits(determinize(table, 0, 800)["hands"][:, 1:3] >> 32).sum(axis=0)
    assert stats.chisquare(high).pvalue > ALMOST_NEVER


@pytest.mark.parametrize("observer", [0, 3])
def test_a_card_that_was_given_stays_with_its_receiver_until_played(observer: int) -> None:
    table = match(one_suit_each(), economy="swap_one").play("give:12")
    receiver, rank = (3, 7) if observer == 0 else (0, 9)
    states = determinize(table, observer, 200)
    assert (states["hands"][:, receiver] >> 4 * rank & 1 == 1).all()
    assert not (states["hands"][:, 1] >> 4 * rank & 1 == 1).all()


def test_a_two_given_back_is_not_taken_for_that_of_oros() -> None:
    president = ["2B", "2C", *DECK_WITHOUT_TWOS[:18]]
    servant = ["2O", "2E", *DECK_WITHOUT_TWOS[18:]]
    table = match([president, servant], economy="swap_two").play("give:2 give:4")
    assert table.seat == 1
    states = determinize(table, 0, 50)
    assert (num_bits(states["hands"][:, 1] & 0b1111) >= 2).all()


def test_past_games_and_the_exchange_of_others_are_forgotten() -> None:
    table = match(one_suit_each(), economy="swap_two")
    table.play("give:4 give:5 give:6")
    states = determinize(table, 1, 10)
    assert (states["next_hands"] == 0).all()
    assert (states["received"][:, [0, 3]] == -1).all()
    assert (states["known_held"][:, [0, 3]] == 0).all()
    assert (states["received"][:, 2] == table.states["received"][0, 2]).all()


def test_games_to_come_are_dealt_again() -> None:
    game: Game = load_game("president", num_games=2)
    tables = dealt(game, [3])
    rows = np.zeros(20, np.int64)
    states = tables.determinize(rows, rows, streams(range(20), 1))
    assert len({hands.tobytes() for hands in states["next_hands"][:, 1]}) == 20
