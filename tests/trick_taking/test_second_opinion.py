"""The rules against the naive referee, and what must hold in every position."""

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.counts import part_and_all
from tests.lockstep import compare
from tests.one_table import dealt
from tests.trick_taking.referee import Referee, colour_of, value_of
from tests.trick_taking.tables import cards_of, table

pytestmark = pytest.mark.plain

# Seats, values, games: side by side, one ply at a time.
CONFIGS = [(2, 1, 20), (2, 6, 60), (2, 32, 20), (3, 5, 60), (4, 4, 50)]


@pytest.mark.parametrize(("num_players", "num_values", "num_games"), part_and_all(CONFIGS))
def test_the_rules_agree_with_the_referee(
    num_players: int, num_values: int, num_games: int
) -> None:
    leader = num_players - 1
    game = load_game("trick_taking", num_players=num_players, num_values=num_values, leader=leader)
    tables = dealt(game, range(num_games))
    sizes = {"num_players": num_players, "num_values": num_values}
    watchers = [
        Watcher({"hands": state["dealt"].tolist(), "leader": leader}, **sizes)
        for state in tables.states
    ]
    plies = compare(tables, watchers, random.Random(num_values))
    assert plies == num_games * num_players * num_values


class Watcher(Referee):
    """A referee that also says what a seat should see."""

    def expected_observation(self, seat: int) -> dict[str, Any]:
        """All that the sheet lets a seat know."""
        around = self.seats[seat:] + self.seats[:seat]
        others = [card for other in around[1:] for card in self.hands[other]]
        by_seat = [[card for owner, card in self.played if owner == one] for one in around]
        expected = {
            "hand": self._words(self.hands[seat]),
            "unseen": self._words(others),
            "table": self._words(self.table),
            "played": [self._words(cards) for cards in by_seat],
            "leader": around.index(self.leader),
            "tricks_won": [self.tricks_won[one] for one in around],
            "led_colour": colour_of(self.table[0]) if self.table else -1,
        }
        if not self.is_terminal():
            expected["seat_to_act"] = around.index(self.seat_to_act())
        return expected

    def _words(self, cards: list[str]) -> list[int]:
        """A set of cards, a word a colour."""
        return [
            sum(1 << value_of(card) for card in cards if colour_of(card) == colour)
            for colour in self.seats
        ]


def all_deals(state: np.record, seat: int) -> list[tuple]:
    """Every deal of the unseen cards that agrees with hand sizes and voids, by brute force."""
    num_values = state["dealt"].shape[1]
    others = [other for other in range(len(state["hands"])) if other != seat]
    sizes = [len(cards_of(state["hands"][other], num_values)) for other in others]
    pool = sorted(card for o in others for card in cards_of(state["hands"][o], num_values))
    deals = []
    for owners in itertools.product(range(len(others)), repeat=len(pool)):
        counts = [owners.count(place) for place in range(len(others))]
        fits = counts == sizes and not any(
            state["voids"][others[place]] >> int(card.split(".")[0]) & 1
            for card, place in zip(pool, owners, strict=True)
        )
        if fits:
            deals.append(owners)
    return deals


@pytest.mark.parametrize(
    ("num_players", "script"),
    [
        (3, "0.0 1.0"),  # seat 1 is void in colour 0
        (4, "0.0 1.0"),  # seat 1 is void in colour 0, two others are not
        (4, "0.0 1.0 0.1 0.2 3.2 3.0"),
    ],
)
def test_re_deals_are_uniform_over_all_that_agree_with_what_was_seen(
    num_players: int, script: str
) -> None:
    """After this script each deal that seat 0 thinks possible is drawn about equally often."""
    num_draws = 2_000
    hands = {
        3: [[0, 1, 2], [3, 4, 6], [5, 7, 8]],
        4: [[0, 6, 9], [3, 4, 7], [1, 10, 5], [2, 11, 8]],
    }[num_players]
    played = table({"hands": hands}, script, num_players=num_players, num_values=3)
    rows = np.zeros(num_draws, np.int64)
    determinized = played.determinize(rows, rows, streams(range(num_draws)))
    expected = all_deals(played.state, 0)
    counts = Counter(state["hands"].tobytes() for state in determinized)
    assert len(expected) > 2
    assert len(counts) == len(expected)
    assert stats.chisquare(list(counts.values())).pvalue > 1e-4
