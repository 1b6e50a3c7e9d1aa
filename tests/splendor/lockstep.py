"""The compiled rules and the referee side by side, ply by ply, over many tables."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NamedTuple

from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests import lockstep
from tests.splendor.boards import CARDS, Data, lay_out, random_board, random_deal
from tests.splendor.choosing import STYLES, Style
from tests.splendor.referee import (
    COLOURS,
    GOLD,
    Action,
    Buy,
    BuyReserved,
    Card,
    Collect,
    Referee,
    Reserve,
)

BATCH = 100  # tables side by side
NO_CARD = (-1, -1, [-1] * 5)


class Setting(NamedTuple):
    """A kind of game to compare: how it starts and the house rules."""

    start: str  # "deal", or "board" for a late position
    target: int
    turn_limit: int


SETTINGS = (
    Setting("deal", 15, 200),
    Setting("board", 15, 200),
    Setting("board", 40, 200),  # long after all else would have ended
    Setting("deal", 2, 200),  # soon over, often in a tie
    Setting("deal", 15, 11),  # by the turn limit
)


class Watcher(Referee):
    """A referee that also says what a seat's observation should be, and counts what is rare."""

    def __init__(self, deal: Data, tally: Counter[str], styles: list[Style], **rules: int) -> None:
        super().__init__(deal, **rules)
        self.tally, self.styles = tally, styles
        self.legal: dict[str, Action] = {}

    def legal_actions(self) -> dict[str, Action]:
        """Those of this position, which are kept until one is applied."""
        self.legal = super().legal_actions()
        return self.legal

    def chosen(self, rng: random.Random) -> str:
        """An action in the style of the seat to act."""
        action = self.styles[self.turn](self, list(self.legal.values()), rng)
        self.count(action)
        return action.name

    def apply(self, name: str) -> None:
        self.apply_legal(self.legal[name])

    def expected_observation(self, seat: int) -> dict[str, Any]:
        """What the sheet lets this seat know, under the names of the observation's fields."""
        order = [(seat + i) % len(self.seats) for i in range(len(self.seats))]
        seats = [self.seats[i] for i in order]
        table = [shown(card) for row in self.table for card in row]
        reserved = [[shown(card) for card in (*s.reserved, *[None] * 3)][:3] for s in seats]
        return {
            "bank": list(self.bank.values()),
            "gems": [list(s.gems.values()) for s in seats],
            "cards": [[s.cards_of(colour) for colour in COLOURS] for s in seats],
            "num_cards": [len(s.cards) for s in seats],
            "points": [s.points() for s in seats],
            "num_nobles": [len(s.nobles) for s in seats],
            "num_reserved": [len(s.reserved) for s in seats],
            "table_colour": [colour for colour, _, _ in table],
            "table_points": [points for _, points, _ in table],
            "table_cost": [cost for _, _, cost in table],
            "reserved_colour": [[colour for colour, _, _ in cards] for cards in reserved],
            "reserved_points": [[points for _, points, _ in cards] for cards in reserved],
            "reserved_cost": [[cost for _, _, cost in cards] for cards in reserved],
            "noble_need": [list(need) if need else [-1] * 5 for need in self.nobles],
            "deck_left": [len(deck) for deck in self.decks],
            "last_actions": [self.last_actions[i] for i in order],
            "seat_to_act": order.index(self.turn),
            "first_seat": order.index(self.first_seat),
            "is_choosing": int(self.choosing),
            "passes": self.passes,
            "turn": self.rounds,
            "turn_limit": self.turn_limit,
            "target": self.target,
            **{f"unseen_{tier + 1}": self._unseen(tier) for tier in range(3)},
        }

    def _unseen(self, tier: int) -> int:
        """The cards of a deck, a bit a card in the order of the data file."""
        costs = {card.cost for card in self.decks[tier] if card}
        return sum(1 << i for i, card in enumerate(CARDS[tier]) if tuple(card[2]) in costs)

    def count(self, action: Action) -> None:
        """Note what is rare about a position and the action chosen in it."""
        seat = self.seats[self.turn]
        self.tally[type(action).__name__] += 1
        returned = action.returned if isinstance(action, Collect | Reserve) else ()
        self.tally[f"{type(action).__name__} returning {len(returned)}"] += len(returned) > 0
        self.tally["yellow returned"] += GOLD in returned
        self.tally["Reserve without yellow"] += isinstance(action, Reserve) and not self.bank[GOLD]
        self.tally["paid with yellow"] += self._pays_with_yellow(action)
        self.tally["positions with an empty deck"] += any(not deck for deck in self.decks)
        self.tally["positions with an empty slot"] += any(None in row for row in self.table)
        has_seven = any(seat.cards_of(colour) == 7 for colour in COLOURS)
        is_barred = has_seven and self._is_barred_by_seven()
        self.tally["positions with a buy barred by seven"] += is_barred

    def _pays_with_yellow(self, action: Action) -> bool:
        seat = self.seats[self.turn]
        if isinstance(action, BuyReserved):
            return seat.price(seat.reserved[action.slot])[GOLD] > 0
        if isinstance(action, Buy):
            card = self.table[action.tier][action.slot]
            return card is not None and seat.price(card)[GOLD] > 0
        return False

    def _is_barred_by_seven(self) -> bool:
        seat = self.seats[self.turn]
        within_reach = [card for _, _, card in self._face_up()] + seat.reserved
        return any(
            seat.cards_of(card.colour) == 7 and seat.price(card)[GOLD] <= seat.gems[GOLD]
            for card in within_reach
        )

    def _receive_noble(self, slot: int) -> None:
        last = self.last_actions[self.turn] or ""
        self.tally["nobles received"] += 1
        self.tally["nobles received after waiting"] += last.startswith(
            ("collect", "reserve", "pass")
        )
        super()._receive_noble(slot)

    def count_end(self) -> None:
        """Note how a game ended and how close it was."""
        points = [seat.points() for seat in self.seats]
        self.tally["ends: turn limit"] += self.rounds >= self.turn_limit
        self.tally["ends: leaders level on points"] += points.count(max(points)) > 1
        self.tally["ends: victory shared"] += len(self.winners()) > 1


def shown(card: Card | None) -> tuple[int, int, list[int]]:
    """A card as an observation shows it: colour, points, cost; -1 for none."""
    if card is None:
        return NO_CARD
    return COLOURS.index(card.colour), card.points, list(card.cost)


def compare(num_players: int, setting: Setting, num_games: int, seed: int) -> Counter[str]:
    """Play games of one setting side by side; any difference is an AssertionError.

    Returns how often each rare thing happened.
    """
    rules = {"target": setting.target, "turn_limit": setting.turn_limit}
    game = load_game("splendor", num_players=num_players, **rules)
    rng = random.Random(f"{num_players} {setting} {seed}")
    tally: Counter[str] = Counter()
    for first in range(0, num_games, BATCH):
        deals = []
        for _ in range(min(BATCH, num_games - first)):
            is_deal = setting.start == "deal"
            deals.append(
                random_deal(rng, num_players)
                if is_deal
                else random_board(rng, num_players, setting.target)
            )
        compare_deals(game, deals, rng, tally)
    return tally


def compare_deals(game: Game, deals: list[Data], rng: random.Random, tally: Counter[str]) -> None:
    """All the games that begin with these deals, each at a table of its own."""
    tables = Tables(game, streams(range(len(deals))))
    watchers = []
    for row, deal in enumerate(deals):
        lay_out(tables, row, deal)
        watchers.append(
            Watcher(deal, tally, rng.choices(STYLES, k=game.num_seats), **game.config_dict())
        )
    lockstep.compare(tables, watchers, rng, lambda watcher, _, rng: watcher.chosen(rng))
    for watcher in watchers:
        watcher.count_end()
