"""The compiled game beside the naive referee, trick by trick; the players beside the slow ones."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from parlour.baselines import make_policy
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from tests.top_trumps import slow_players as slow
from tests.top_trumps.bookkeeper import Bookkeeper
from tests.top_trumps.referee import DRAW, LOSS, WIN, Referee
from tests.top_trumps.tables import deck_of

OUTCOMES = {0: WIN, 1: LOSS, 2: DRAW}
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


def referee_of(state: Any) -> Referee:
    """The referee of a game just dealt."""
    deal = {
        "cards": state["values"].tolist(),
        "hands": [deck_of(state, 0), deck_of(state, 1)],
        "starter": int(state["starter"]),
    }
    return Referee(deal, trick_limit=int(state["trick_limit"]))


# The game and what is deduced


def compare_games(size: Size, num_games: int, seed: int = 0) -> Counter[str]:
    """Random play to the end; everything is asserted after every trick. Counts what was seen."""
    tables = dealt_tables(size, num_games, seed)
    referees = [referee_of(state) for state in tables.states]
    keepers = [[Bookkeeper(r.cards, r.initial_sets[seat]) for seat in (0, 1)] for r in referees]
    rng = random.Random(seed)
    counts: Counter[str] = Counter(games=num_games)
    rows = tables.all_rows
    while len(rows):
        for seat in (0, 1):
            views = tables.observe(rows, np.full(len(rows), seat))
            for row, observation in zip(rows, views, strict=True):
                check_observation(observation, referees[row], keepers[row][seat], seat, counts)
        for row in rows:
            check_position(tables.game, tables.states[row], referees[row])
        rows = np.array([row for row in rows if not referees[row].is_terminal()], dtype=np.int64)
        fields = [rng.randrange(size.num_fields) for _ in rows]
        tables.apply(rows, np.array(fields, dtype=np.int64))
        for row, field in zip(rows, fields, strict=True):
            referees[row].apply(field)
            counts["tricks"] += 1
            counts["draws"] += referees[row].reports[0][-1].outcome == DRAW
            for seat in (0, 1):
                keepers[row][seat].hear(referees[row].reports[seat][-1])
    returns = tables.returns(tables.all_rows).tolist()
    assert returns == [referee.returns() for referee in referees]
    counts["games at the limit"] = sum(r.num_tricks == size.trick_limit for r in referees)
    return counts


def check_position(game: Game, state: Any, referee: Referee) -> None:
    """The true position."""
    assert [deck_of(state, seat) for seat in (0, 1)] == referee.decks
    assert state["pile"][: state["pile_size"]].tolist() == referee.pile
    assert int(state["num_tricks"]) == referee.num_tricks
    assert bool(game.is_terminal(state)) == referee.is_terminal()
    expected = [] if referee.is_terminal() else list(range(len(referee.cards[0])))
    assert game.legal_action_list(state) == expected
    if not referee.is_terminal():
        assert int(game.seat_to_act(state)) == referee.seat_to_act()


def bits(cards: Any) -> int:
    """A set of cards as a number with a bit for each."""
    return sum(1 << card for card in cards)


def word_of(words: Any) -> int:
    """The same of the words of a record."""
    return sum((int(word) % 2**64) << (64 * index) for index, word in enumerate(words))


def check_observation(
    view: Any, referee: Referee, keeper: Bookkeeper, seat: int, counts: Counter[str]
) -> None:
    """What one seat is shown against what it has heard."""
    is_starter = referee.starter == seat
    if is_starter and not referee.is_terminal():
        keeper.see_top(referee.top_card())
    mine, others = keeper.mine, keeper.others
    num_cards = len(referee.cards)
    for name, slots in (("own_slots", mine), ("opponent_slots", others)):
        padded = [*map(bits, slots), *[0] * (num_cards - len(slots))]
        assert [word_of(words) for words in view[name]] == padded, name
    assert word_of(view["own_cards"]) == bits(referee.decks[seat])
    assert word_of(view["opponent_cards"]) == bits(referee.decks[1 - seat])
    assert word_of(view["opponent_top"]) == (bits(others[0]) if others else 0)
    assert view["deck_sizes"].tolist() == [len(mine), len(others)]
    assert view["pile"].tolist() == referee.pile + [NOBODY] * (num_cards - len(referee.pile))
    assert int(view["starter"]) == (0 if is_starter else 1)
    assert int(view["num_tricks"]) == referee.num_tricks
    assert view["values"].tolist() == referee.cards
    top = next(iter(mine[0])) if mine and len(mine[0]) == 1 else NOBODY
    assert int(view["top"]) == top
    no_values = [0] * len(referee.cards[0])
    assert view["top_values"].tolist() == (no_values if top == NOBODY else referee.cards[top])
    places = {
        next(iter(slot)): at
        for slots in (mine, others)
        for at, slot in enumerate(slots)
        if len(slot) == 1
    }
    assert view["places"].tolist() == [places.get(card, NOBODY) for card in range(num_cards)]
    check_last_trick(view, referee, keeper, seat)
    counts["observations"] += 1
    counts["slots"] += len(mine) + len(others)
    counts["slots narrowed, not known"] += sum(
        1 < len(slot) < max(map(len, others)) for slot in others
    )


def check_last_trick(view: Any, referee: Referee, keeper: Bookkeeper, seat: int) -> None:
    """The public facts of the last trick; the winner's card only where it can be told."""
    if not referee.reports[seat]:
        assert int(view["last_field"]) == int(view["last_winner"]) == NOBODY
        assert view["last_cards"].tolist() == [NOBODY, NOBODY]
        return
    report = referee.reports[seat][-1]
    assert int(view["last_field"]) == report.field
    assert int(view["last_starter"]) == (0 if report.is_starter else 1)
    assert OUTCOMES[int(view["last_winner"])] == report.outcome
    assert view["last_values"].tolist() == [report.my_value, report.other_value]
    other = report.other_card
    if other is None:  # its card went under, below what it won; perhaps only one can be there
        slot = keeper.others[-2 - len(report.pile)]
        other = next(iter(slot)) if len(slot) == 1 else NOBODY
    assert view["last_cards"].tolist() == [report.my_card, other]


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
