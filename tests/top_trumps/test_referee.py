"""Hand-checked tricks for the naive referee, the bookkeeper and the slow players.

Each test is one sentence of the rule sheet, played on a stacked deal.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.top_trumps.bookkeeper import Bookkeeper, replay
from tests.top_trumps.referee import Referee
from tests.top_trumps.slow_players import (
    Expert,
    Goliath,
    best_expected,
    maxer,
    meaner_max,
    rand_maxer,
    rander,
)

# Cards 0 .. 5 with two fields; seat 0 has 0, 1, 2 and seat 1 has 3, 4, 5, top first.
CARDS = [[9, 1], [5, 5], [2, 8], [3, 1], [5, 7], [4, 4]]
DEAL: dict[str, Any] = {"cards": CARDS, "hands": [[0, 1, 2], [3, 4, 5]]}


def play(deal: dict[str, Any], fields: str, **settings: int) -> Referee:
    referee = Referee(deal, **settings)
    for field in fields.split():
        referee.apply(int(field))
    return referee


def random_deal(rng: random.Random, num_cards: int, num_fields: int, top: int) -> dict[str, Any]:
    cards = [[rng.randint(0, top) for _ in range(num_fields)] for _ in range(num_cards)]
    order = rng.sample(range(num_cards), num_cards)
    half = (num_cards + 1) // 2
    return {"cards": cards, "hands": [order[:half], order[half:]]}


def test_the_winner_takes_both_cards_its_own_first() -> None:
    assert play(DEAL, "0").decks == [[1, 2, 0, 3], [4, 5]]


def test_equal_values_go_to_the_pile_the_card_of_the_seat_that_did_not_start_first() -> None:
    referee = play(DEAL, "0 0")
    assert referee.pile == [4, 1]
    assert referee.decks == [[2, 0, 3], [5]]


def test_the_pile_goes_to_the_winner_of_the_next_decided_trick_in_its_order() -> None:
    assert play(DEAL, "1").pile == [3, 0]
    referee = play(DEAL, "1 1")
    assert referee.pile == []
    assert referee.decks == [[2], [5, 4, 1, 3, 0]]


def test_the_winner_starts_and_after_a_draw_the_same_seat() -> None:
    assert play(DEAL, "0").starter == 0
    assert play(DEAL, "1").starter == 0
    assert play(DEAL, "1 1").starter == 1
    assert play(DEAL, "", starter=1).starter == 1


def test_the_loser_hears_the_value_but_not_the_card() -> None:
    winner, loser = (reports[0] for reports in play(DEAL, "0").reports)
    assert (winner.outcome, winner.my_card, winner.other_card, winner.other_value) == (
        "win",
        0,
        3,
        3,
    )
    assert (loser.outcome, loser.my_card, loser.other_card, loser.other_value) == (
        "loss",
        3,
        None,
        9,
    )


def test_a_seat_without_cards_has_lost_also_when_its_last_card_is_in_the_pile() -> None:
    cards = [[5, 1], [4, 2], [5, 3]]
    referee = play({"cards": cards, "hands": [[0, 1], [2]]}, "0")
    assert referee.is_terminal()
    assert referee.decks == [[1], []]
    assert referee.returns() == [1, -1]


def test_both_empty_is_a_draw() -> None:
    referee = play({"cards": [[5], [5]], "hands": [[0], [1]]}, "0")
    assert referee.is_terminal()
    assert referee.returns() == [0, 0]


def test_at_the_limit_more_cards_in_the_deck_win_and_the_pile_does_not_count() -> None:
    assert play(DEAL, "0", trick_limit=1).returns() == [1, -1]
    assert play(DEAL, "1", trick_limit=1).returns() == [0, 0]
    assert play(DEAL, "1").returns() == [0, 0]
    assert not play(DEAL, "1").is_terminal()


@pytest.mark.parametrize("num_cards", [2, 3, 7, 20])
def test_cards_are_never_lost_and_truth_is_among_what_is_deduced(num_cards: int) -> None:
    for seed in range(25):
        rng = random.Random(seed)
        deal = random_deal(rng, num_cards, 3, 6)
        referee = Referee(deal, trick_limit=400)
        keepers = [Bookkeeper(deal["cards"], deal["hands"][seat]) for seat in (0, 1)]
        while not referee.is_terminal():
            referee.apply(rng.randrange(3))
            assert sorted(referee.decks[0] + referee.decks[1] + referee.pile) == list(
                range(num_cards)
            )
            for seat, keeper in enumerate(keepers):
                keeper.hear(referee.reports[seat][-1])
                slots = [keeper.mine, keeper.others]
                for deck, known in zip((seat, 1 - seat), slots, strict=True):
                    pairs = zip(referee.decks[deck], known, strict=True)
                    assert all(card in slot for card, slot in pairs)
                    union = set().union(*known)
                    assert union == set(referee.decks[deck])
        again = replay(deal["cards"], deal["hands"][0], referee.reports[0])
        assert (again.mine, again.others) == (keepers[0].mine, keepers[0].others)


def test_the_bookkeeper_narrows_the_card_it_lost_to_and_follows_its_slot() -> None:
    keeper = replay(CARDS, [3, 4, 5], play(DEAL, "0").reports[1])
    assert keeper.mine == [{4, 5}, {4, 5}]
    assert keeper.others == [{1, 2}, {1, 2}, {0}, {3}]


def test_the_bookkeeper_goes_on_from_a_slot_that_shrinks_to_one_card() -> None:
    keeper = replay(CARDS, [0, 1, 2], play(DEAL, "0 0").reports[0])
    assert keeper.others == [{5}]
    assert keeper.mine == [{2}, {0}, {3}]


@pytest.mark.parametrize("num_cards", [2, 5, 12, 31])
def test_goliaths_own_book_is_the_bookkeepers(num_cards: int) -> None:
    """Two readings of the sheet: propagation step by step, and striking until nothing changes."""
    for seed in range(15):
        rng = random.Random(seed)
        deal = random_deal(rng, num_cards, 2, 9)
        referee = Referee(deal, trick_limit=300)
        goliath = Goliath(deal["cards"], deal["hands"][1])
        expert = Expert(deal["cards"], deal["hands"][1])
        keeper = Bookkeeper(deal["cards"], deal["hands"][1])
        while not referee.is_terminal():
            referee.apply(rng.randrange(2))
            for listener in (goliath, expert, keeper):
                listener.hear(referee.reports[1][-1])
            assert goliath.slots == keeper.others
            assert expert.others == set(referee.decks[0])


def test_the_plain_players_on_a_known_card() -> None:
    assert rander([3, 9, 9]) == pytest.approx([1 / 3] * 3)
    assert maxer([3, 9, 9]) == [0, 1, 0]
    assert rand_maxer([3, 9], 0.5) == [0.25, 0.75]
    deck = [[3, 90, 7], [5, 100, 7], [4, 80, 7]]
    assert meaner_max([5, 92, 0], deck) == [1, 0, 0]
    assert meaner_max([3, 100, 7], deck) == [0, 0, 1]  # no spread: the raw value counts


def test_the_expected_score_counts_lower_and_a_part_of_the_equal_cards() -> None:
    against = [[1, 5], [2, 6], [4, 5], [3, 7]]
    assert best_expected([3, 6], against, 0.5) == [0.5, 0.5]
    assert best_expected([3, 6], against, 1.0) == [0.5, 0.5]
    assert best_expected([4, 6], against, 0.0) == [1, 0]
    assert best_expected([3, 6], [*against, [9, 6]], 0.4) == [0, 1]


def test_goliath_plays_against_the_card_it_knows() -> None:
    goliath = Goliath(CARDS, [3, 4, 5])
    goliath.slots = [{2}, {0, 1}]
    assert goliath.choose(4) == [1, 0]
    goliath.slots = [{0}, {1, 2}]
    assert goliath.choose(4) == [0, 1]
