"""The rules against the naive referee: random games, ply by ply."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from parlour.envs.core.game import Game
from parlour.envs.registry import load_game
from tests.counts import part_and_all
from tests.lockstep import compare
from tests.one_table import dealt
from tests.president.playing import ECONOMIES, PASSINGS, PLAYER_COUNTS, deal_of
from tests.president.referee import RANKS, TWO_OF_OROS, Referee, best_cards, exchanges, rank_of

pytestmark = pytest.mark.plain

SOME_SEEDS = range(3)  # in every run of the suite
# 10,000 games for every number of players, half of them with each passing rule: 2,500 in the long
# run, the others before a release.
ALL_SEEDS = [
    pytest.param(
        range(first, first + 1250), marks=pytest.mark.release if first else pytest.mark.long
    )
    for first in range(0, 5000, 1250)
]
MATCHES = 20
OTHER_COUNTS = [count for count in PLAYER_COUNTS if count != 4]  # for matches, in the long run


@pytest.mark.parametrize("seeds", [SOME_SEEDS, *ALL_SEEDS], ids=str)
@pytest.mark.parametrize("passing", PASSINGS)
@pytest.mark.parametrize("num_players", PLAYER_COUNTS)
def test_random_games_go_as_the_referee_says(num_players: int, passing: str, seeds: range) -> None:
    game = load_game("president", num_players=num_players, passing=passing)
    compare_games(game, seeds)


@pytest.mark.parametrize(
    ("num_players", "passing", "economy", "num_matches"),
    [
        *part_and_all(itertools.product([4], PASSINGS, ECONOMIES, [MATCHES])),
        *(
            pytest.param(*settings, MATCHES, marks=pytest.mark.long)
            for settings in itertools.product(OTHER_COUNTS, PASSINGS, ECONOMIES)
        ),
    ],
)
def test_random_matches_go_as_the_referee_says(
    num_players: int, passing: str, economy: str, num_matches: int
) -> None:
    game = load_game(
        "president", num_players=num_players, num_games=3, economy=economy, passing=passing
    )
    compare_games(game, range(num_matches))


def compare_games(game: Game, seeds: range) -> None:
    """Hold the games of these deals against referees of their own."""
    tables = dealt(game, seeds)
    watchers = [Watcher(deal_of(state), **game.config_dict()) for state in tables.states]
    compare(tables, watchers, random.Random(seeds.start))


class Watcher(Referee):
    """A referee that also remembers which ranks the two who exchange have seen of each other."""

    def expected_observation(self, seat: int) -> dict[str, Any]:
        """What the sheet lets this seat know, under the names of the observation's fields."""
        around, table, placings = self._from(seat), self.table, self._placings()
        hand, played = (self._count_by_rank(cards) for cards in (self.hands[seat], self.played))
        actions = [self._shown_action(self.last_actions[s]) for s in around]
        barred = self.locked_out if self.passing == "out" else self.passed
        expected = {
            "hand": hand,
            "played": played,
            "unseen": [4 - n - m for n, m in zip(hand, played, strict=True)],
            "has_golds": TWO_OF_OROS in self.hands[seat],
            "table_count": table["count"] if table else 0,
            "table_rank": RANKS.index(table["rank"]) if table else -1,
            "table_seat": (table["owner"] - seat) % len(self.seats) if table else -1,
            "hand_sizes": [len(self.hands[s]) for s in around],
            "passed": [s in barred for s in around],
            "placings": [placings[s] for s in around],
            "last_count": [count for count, _ in actions],
            "last_rank": [rank for _, rank in actions],
            "roles": [self.roles[s] for s in around],
            "gives_left": len(self.gives),
            "given": self._padded(sorted(self.still_held_of_given[seat])),
            "received": self._padded(self.ranks_received[seat]),
        }
        if not self.is_terminal():
            expected["games_left"] = len(self.deals) - self.game_number
            expected["seat_to_act"] = (self.seat_to_act() - seat) % len(self.seats)
        return expected

    def apply(self, name: str) -> None:
        self.apply_legal(name)

    def _start_game(self) -> None:
        self.ranks_received: list[list[int]] = [[] for _ in self.seats]
        self.still_held_of_given: list[list[int]] = [[] for _ in self.seats]
        self.golds_given_by: int | None = None
        self.partners: dict[int, int] = {}
        super()._start_game()

    def _move_best_cards_up(self) -> None:
        for lower, upper, count in exchanges(self.roles, self.economy):
            self.partners |= {lower: upper, upper: lower}
            for card in best_cards(self.hands[lower], count):
                self._remember(lower, upper, card)
        super()._move_best_cards_up()

    def _give(self, rank: str) -> None:
        giver, receiver = self.gives[0]
        before = list(self.hands[giver])
        super()._give(rank)
        (card,) = (card for card in before if card not in self.hands[giver])
        self._remember(giver, receiver, card)

    def _remember(self, giver: int, receiver: int, card: str) -> None:
        rank = RANKS.index(rank_of(card))
        self.ranks_received[receiver].append(rank)
        self.still_held_of_given[giver].append(rank)
        self._forget_one(self.still_held_of_given[receiver], rank)
        if card == TWO_OF_OROS:
            self.golds_given_by = giver

    def _play(self, seat: int, count: int, rank: str) -> None:
        """Of the cards given one goes with each card of its rank played, the 2 of oros first."""
        if seat in self.partners:
            partner = self.partners[seat]
            cards = self.still_held_of_given[partner]
            is_opening = not self.played
            for _ in range(count - is_opening):
                self._forget_one(cards, RANKS.index(rank))
            if is_opening and self.golds_given_by == partner:
                self._forget_one(cards, RANKS.index(rank))
        super()._play(seat, count, rank)

    def _from(self, seat: int) -> list[int]:
        return self.seats[seat:] + self.seats[:seat]

    @staticmethod
    def _forget_one(ranks: list[int], rank: int) -> None:
        if rank in ranks:
            ranks.remove(rank)

    @staticmethod
    def _padded(ranks: list[int]) -> list[int]:
        return [*ranks, -1, -1][:2]

    @staticmethod
    def _shown_action(name: str | None) -> tuple[int, int]:
        if name is None:
            return -1, -1
        if name == "pass":
            return 0, -1
        if name.startswith("give:"):
            return 1, -1
        count, rank = name.split("x")
        return int(count), RANKS.index(rank)
