"""The game beside the naive referee, trick by trick; the players beside the slow ones."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from parlour.baselines import make_policy
from parlour.envs import load_game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from tests.lockstep import compare
from tests.top_trumps import slow_players as slow
from tests.top_trumps.bookkeeper import Bookkeeper
from tests.top_trumps.referee import DRAW, LOSS, WIN, Referee
from tests.top_trumps.tables import deck_of

OUTCOMES = [WIN, LOSS, DRAW]
NOBODY = -1


class Size(NamedTuple):
    """One kind of game. With `top_value` the decks have values 0 .. top_value: many draws."""

    num_cards: int
    num_fields: int
    trick_limit: int
    top_value: int | None = None
    starter: int | str = 0


def dealt_tables(size: Size, num_games: int, seed: int) -> Tables:
    """New games."""
    game = load_game(
        "top_trumps",
        num_cards=size.num_cards,
        num_fields=size.num_fields,
        trick_limit=size.trick_limit,
        starter=size.starter,
    )
    tables = Tables(game, streams(range(seed, seed + num_games)))
    if size.top_value is None:
        tables.deal(tables.all_rows)
        return tables
    rng = random.Random(seed)
    for row in range(num_games):
        tables.deal_from(row, narrow_deal(rng, size))
    return tables


def narrow_deal(rng: random.Random, size: Size) -> dict[str, Any]:
    """A deal as data with few different values."""
    assert size.top_value is not None
    cards = [
        [rng.randint(0, size.top_value) for _ in range(size.num_fields)]
        for _ in range(size.num_cards)
    ]
    order = rng.sample(range(size.num_cards), size.num_cards)
    half = (size.num_cards + 1) // 2
    hands = [order[:half], order[half:]]
    return {"cards": cards, "hands": hands, "starter": rng.randrange(2)}


def deal_of(state: Any) -> dict[str, Any]:
    """A game just dealt as plain data."""
    return {
        "cards": state["values"].tolist(),
        "hands": [deck_of(state, 0), deck_of(state, 1)],
        "starter": int(state["starter"]),
    }


def referee_of(state: Any) -> Referee:
    """The referee of a game just dealt."""
    return Referee(deal_of(state), trick_limit=int(state["trick_limit"]))


# The game and what is deduced


def compare_games(size: Size, num_games: int, seed: int = 0) -> Counter[str]:
    """Random play to the end beside referees. Counts what was seen."""
    tables = dealt_tables(size, num_games, seed)
    counts: Counter[str] = Counter(games=num_games)
    watchers = [Watcher(state, counts) for state in tables.states]
    counts["tricks"] = compare(tables, watchers, random.Random(seed))
    counts["games at the limit"] = sum(each.num_tricks == size.trick_limit for each in watchers)
    return counts


class Watcher(Referee):
    """A referee with the books of both seats, which counts what is rare."""

    def __init__(self, state: Any, counts: Counter[str]) -> None:
        super().__init__(deal_of(state), trick_limit=int(state["trick_limit"]))
        self.keepers = [Bookkeeper(self.cards, cards) for cards in self.initial_sets]
        self.counts = counts
        self.num_words = state["unplaced"].shape[1]

    def legal_actions(self) -> list[str]:
        return [f"Field{field}" for field in range(len(self.cards[0]))]

    def apply(self, name: Any) -> None:
        super().apply(int(name.removeprefix("Field")))
        self.counts["draws"] += self.reports[0][-1].outcome == DRAW
        for keeper, reports in zip(self.keepers, self.reports, strict=True):
            keeper.hear(reports[-1])

    def expected_observation(self, seat: int) -> dict[str, Any]:
        """What one seat is shown by what it has heard."""
        keeper, is_starter = self.keepers[seat], self.starter == seat
        if is_starter and not self.is_terminal():
            keeper.see_top(self.top_card())
        mine, others = keeper.mine, keeper.others
        top = next(iter(mine[0])) if mine and len(mine[0]) == 1 else NOBODY
        places = {
            next(iter(slot)): place
            for slots in (mine, others)
            for place, slot in enumerate(slots)
            if len(slot) == 1
        }
        self.counts["slots narrowed, not known"] += sum(
            1 < len(slot) < max(map(len, others)) for slot in others
        )
        num_cards = len(self.cards)
        return {
            "own_slots": self._slots(mine),
            "opponent_slots": self._slots(others),
            "own_cards": self._words(self.decks[seat]),
            "opponent_cards": self._words(self.decks[1 - seat]),
            "opponent_top": self._words(others[0] if others else ()),
            "deck_sizes": [len(mine), len(others)],
            "pile": self.pile + [NOBODY] * (num_cards - len(self.pile)),
            "starter": int(not is_starter),
            "num_tricks": self.num_tricks,
            "values": self.cards,
            "top": top,
            "top_values": [0] * len(self.cards[0]) if top == NOBODY else self.cards[top],
            "places": [places.get(card, NOBODY) for card in range(num_cards)],
            **self._last_trick(seat),
        }

    def _slots(self, slots: list[set[int]]) -> list[list[int]]:
        return [self._words(slot) for slot in [*slots, *[()] * (len(self.cards) - len(slots))]]

    def _words(self, cards: Any) -> list[int]:
        """A set of cards as the words of a record."""
        words = np.zeros(self.num_words, np.int64)
        for card in cards:
            words[card // 64] |= np.int64(1) << np.int64(card % 64)
        return words.tolist()

    def _last_trick(self, seat: int) -> dict[str, Any]:
        """The public facts of the last trick; the winner's card only where it can be told."""
        if not self.reports[seat]:
            return {"last_field": NOBODY, "last_winner": NOBODY, "last_cards": [NOBODY, NOBODY]}
        report = self.reports[seat][-1]
        other = report.other_card
        if other is None:  # its card went under, below what it won; perhaps only one can be there
            slot = self.keepers[seat].others[-2 - len(report.pile)]
            other = next(iter(slot)) if len(slot) == 1 else NOBODY
        return {
            "last_field": report.field,
            "last_starter": int(not report.is_starter),
            "last_winner": OUTCOMES.index(report.outcome),
            "last_values": [report.my_value, report.other_value],
            "last_cards": [report.my_card, other],
        }


# The players


SETTINGS: dict[str, dict[str, float]] = {
    "rander": {},
    "maxer": {},
    "rand_maxer": {"fraction": 0.75},
    "meaner_max": {},
    "expert": {"m": 0.3},
    "goliath": {"m": 0.6},
}


class Drawn(NamedTuple):
    """How a player drew among fields: sums over decisions, by field, of choices and of chances."""

    chosen: np.ndarray
    expected: np.ndarray
    variance: np.ndarray

    def largest_deviation(self) -> float:
        """In standard deviations; 0 where nothing was drawn."""
        is_drawn = self.variance > 1
        gap = np.abs(self.chosen - self.expected)[is_drawn] / np.sqrt(self.variance[is_drawn])
        return float(gap.max(initial=0.0))


def compare_players(
    size: Size, num_games: int, seed: int = 0
) -> tuple[Counter[str], dict[str, Drawn]]:
    """Ask every player and its slow counterpart at every decision; a drawn one of three plays.

    Asserts that no choice is outside of what the slow player may choose. Near-ties of meaner_max
    are counted and left out: the two may round a z-score differently.
    """
    tables = dealt_tables(size, num_games, seed)
    policies = {name: make_policy(name, tables.game, **s) for name, s in SETTINGS.items()}
    referees = [referee_of(state) for state in tables.states]
    listeners = [[_listeners(referee, seat) for seat in (0, 1)] for referee in referees]
    drawn = {name: Drawn(*np.zeros((3, size.num_fields))) for name in SETTINGS}
    rng = random.Random(seed)
    counts: Counter[str] = Counter(games=num_games)
    rngs = streams(range(num_games), 7)
    rows = tables.all_rows
    while len(rows):
        seats, views, _ = tables.show(rows)
        masks = np.ones((len(rows), size.num_fields), np.int8)
        own = rngs[rows]
        chosen = {name: policy(views, masks, own) for name, policy in policies.items()}
        rngs[rows] = own
        for place, row in enumerate(rows):
            chances = _slow_chances(referees[row], listeners[row][seats[place]])
            for name, chance in chances.items():
                _enter(name, int(chosen[name][place]), chance, drawn[name], counts)
        fields = chosen[rng.choice(["rander", "expert", "goliath"])]
        tables.apply(rows, fields)
        for row, field in zip(rows, fields.tolist(), strict=True):
            referees[row].apply(field)
            for seat in (0, 1):
                for listener in listeners[row][seat].values():
                    listener.hear(referees[row].reports[seat][-1])
        rows = np.array([row for row in rows if not referees[row].is_terminal()], dtype=np.int64)
    return counts, drawn


def _listeners(referee: Referee, seat: int) -> dict[str, Any]:
    mine = referee.initial_sets[seat]
    return {
        "expert": slow.Expert(referee.cards, mine, **SETTINGS["expert"]),
        "goliath": slow.Goliath(referee.cards, mine, **SETTINGS["goliath"]),
    }


def _slow_chances(referee: Referee, listeners: dict[str, Any]) -> dict[str, list[float]]:
    top = referee.top_card()
    card = referee.cards[top]
    chances = {
        "rander": slow.rander(card),
        "maxer": slow.maxer(card),
        "rand_maxer": slow.rand_maxer(card, **SETTINGS["rand_maxer"]),
        **{name: listener.choose(top) for name, listener in listeners.items()},
    }
    scores = sorted(slow.normalised(card, referee.cards))
    if len(scores) == 1 or scores[-1] - scores[-2] > slow.TIE:
        chances["meaner_max"] = slow.meaner_max(card, referee.cards)
    return chances


def _enter(name: str, field: int, chance: list[float], drawn: Drawn, counts: Counter[str]) -> None:
    assert chance[field] > 0, (name, field, chance)
    counts[name] += 1
    if max(chance) < 1:
        counts[f"{name}, drawn"] += 1
        drawn.chosen[field] += 1
        drawn.expected[:] += chance
        drawn.variance[:] += np.array(chance) * (1 - np.array(chance))
