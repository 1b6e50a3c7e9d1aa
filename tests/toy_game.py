"""A complete game of a few lines, for testing what works on any game: two cards each, one drawn.

Every seat plays one of its two cards; then the game itself draws a card; then every seat plays its
other card. The highest of these wins, or the lowest if the drawn card is odd (or never, by the
house rule `odd="high"`).
"""

import dataclasses
from functools import partial
from typing import Any

import numpy as np

from parlour.envs.core.bits import lowest_bit, nth_bit, popcount
from parlour.envs.core.compile import rule
from parlour.envs.core.defaults import name_of
from parlour.envs.core.fields import Field
from parlour.envs.core.game import CHANCE, Game, check_choice, check_range, make_config
from parlour.envs.core.rng import below

NUM_CARDS = 10
ALL_CARDS = (1 << NUM_CARDS) - 1
NO_CARD = -1
ODD_RULES = ("low", "high")


@rule
def deal(state, rng):
    """Two cards for each seat; the rest is the deck."""
    state.deck = ALL_CARDS
    state.played[:] = NO_CARD
    state.drawn = NO_CARD
    state.num_plays = 0
    for seat in range(state.hands.shape[0]):
        state.hands[seat] = 0
        for _ in range(2):
            state.hands[seat] |= take_from_deck(state, rng)


@rule
def take_from_deck(state, rng):
    """One card of the deck, each as likely, as a set of one."""
    card = np.int64(1) << nth_bit(state.deck, below(rng, popcount(state.deck)))
    state.deck ^= card
    return card


@rule
def seat_to_act(state):
    """Seats play in order; after the first cards the game draws."""
    num_seats = state.hands.shape[0]
    if state.num_plays == num_seats and state.drawn == NO_CARD:
        return CHANCE
    return state.num_plays % num_seats


@rule
def play_chance(state, rng):
    """A card is drawn for all to see."""
    state.drawn = lowest_bit(take_from_deck(state, rng))


@rule
def legal_actions(state, mask):
    """A seat plays a card of its hand."""
    mask[0] = state.hands[seat_to_act(state)]


@rule
def apply_action(state, action):
    """The card leaves the hand and lies open."""
    seat = seat_to_act(state)
    state.played[state.num_plays // state.hands.shape[0], seat] = action
    state.hands[seat] ^= np.int64(1) << action
    state.num_plays += 1


@rule
def is_terminal(state):
    """All cards are played."""
    return state.num_plays == 2 * state.hands.shape[0]


@rule
def returns(state, out):
    """+1 for the winner; the others share the loss."""
    out[:] = 0.0
    if is_terminal(state):
        wins_low = state.drawn % 2 == 1 and state.odd == 0
        winner = 0
        for seat in range(out.shape[0]):
            is_higher = state.played[1, seat] > state.played[1, winner]
            if seat != winner and is_higher != wins_low:
                winner = seat
        out[:] = -1.0 / (out.shape[0] - 1)
        out[winner] = 1.0


@rule
def observe(state, seat, out):
    """The seat's own cards and all that lies open."""
    out.seat = seat
    out.num_plays = state.num_plays
    out.drawn = state.drawn
    out.odd = state.odd
    out.played[:] = state.played
    out.hand[0] = state.hands[seat]


@rule
def reshuffle_unseen(state, seat, rng):
    """The deck and the hands of the others are dealt again."""
    for other in range(state.hands.shape[0]):
        if other != seat:
            state.deck |= state.hands[other]
    for other in range(state.hands.shape[0]):
        if other != seat:
            num_held = popcount(state.hands[other])
            state.hands[other] = 0
            for _ in range(num_held):
                state.hands[other] |= take_from_deck(state, rng)


def deal_from(state: np.record, data: dict[str, Any], rng: np.record) -> None:
    """Lay out `{"hands": [[card, card], ...]}`."""
    if not isinstance(data, dict) or set(data) != {"hands"}:
        raise ValueError('a deal is {"hands": [[card, card], ...]}')
    cards = [card for hand in data["hands"] for card in hand]
    is_whole = [len(hand) for hand in data["hands"]] == [2] * len(state["hands"])
    if not is_whole or len(set(cards) & set(range(NUM_CARDS))) != len(cards):
        raise ValueError(f"every seat needs two cards of its own; got {data['hands']}")
    deal(state, rng)
    state["hands"] = [sum(1 << card for card in hand) for hand in data["hands"]]
    state["deck"] = ALL_CARDS ^ sum(1 << card for card in cards)


def describe(state: np.record, seat: int | None = None) -> str:
    """A line a seat."""
    lines = [f"drawn: {state['drawn']}"]
    for other, hand in enumerate(state["hands"].tolist()):
        cards = [str(card) for card in range(NUM_CARDS) if hand >> card & 1]
        shown = " ".join(cards) if seat in (None, other) else "?"
        lines.append(f"player {other}: {shown}")
    return "\n".join(lines)


@dataclasses.dataclass(frozen=True)
class Config:
    """The settings of the toy game."""

    num_players: int = 2
    odd: str = "low"

    def __post_init__(self) -> None:
        check_range("num_players", self.num_players, 2, 3)
        check_choice("odd", self.odd, ODD_RULES)


def game(**settings: Any) -> Game:
    """The toy game."""
    config = make_config(Config, "toy", settings)
    n, i8, i64 = config.num_players, np.int8, np.int64
    return Game(
        name="toy",
        version=0,
        config=config,
        make=game,
        num_seats=n,
        num_actions=NUM_CARDS,
        state_fields=(
            Field("hands", i64, (n,), 0, ALL_CARDS, "cards held"),
            Field("deck", i64, (), 0, ALL_CARDS, "cards not dealt"),
            Field("played", i8, (2, n), NO_CARD, NUM_CARDS - 1, "cards played; -1: not yet"),
            Field("drawn", i8, (), NO_CARD, NUM_CARDS - 1, "the card the game drew"),
            Field("num_plays", i8, (), 0, 2 * n, "cards played so far"),
            Field("odd", i8, (), 0, 1, "house rule: what wins if the drawn card is odd"),
        ),
        observation_fields=(
            Field("seat", i8, (), 0, n - 1, "the seat"),
            Field("num_plays", i8, (), 0, 2 * n, "cards played so far"),
            Field("drawn", i8, (), NO_CARD, NUM_CARDS - 1, "the card the game drew"),
            Field("odd", i8, (), 0, 1, "house rule: what wins if the drawn card is odd"),
            Field("played", i8, (2, n), NO_CARD, NUM_CARDS - 1, "cards played; -1: not yet"),
            Field("hand", i64, (1,), 0, ALL_CARDS, "the seat's own cards", num_bits=NUM_CARDS),
        ),
        house_rules={"odd": ODD_RULES.index(config.odd)},
        has_chance=True,
        has_hidden=True,
        deal=deal,
        seat_to_act=seat_to_act,
        legal_actions=legal_actions,
        apply_action=apply_action,
        is_terminal=is_terminal,
        returns=returns,
        observe=observe,
        reshuffle_unseen=reshuffle_unseen,
        deal_from=deal_from,
        describe=describe,
        action_name=partial(name_of, [f"card:{card}" for card in range(NUM_CARDS)]),
        draw=describe,  # a picture that is a text
        play_chance=play_chance,
    )


class Referee:
    """The toy game once more, in plain Python, without house rules."""

    def __init__(self, deal: dict[str, Any]) -> None:
        self.hands = [list(hand) for hand in deal["hands"]]
        self.plays: list[list[int]] = [[] for _ in self.hands]
        self.drawn = NO_CARD

    def chance(self, state: np.record) -> None:
        self.drawn = int(state["drawn"])

    def is_terminal(self) -> bool:
        return not any(self.hands)

    def seat_to_act(self) -> int:
        fewest = min(map(len, self.plays))
        return [len(plays) for plays in self.plays].index(fewest)

    def legal_actions(self) -> list[str]:
        return [f"card:{card}" for card in self.hands[self.seat_to_act()]]

    def apply(self, name: str) -> None:
        seat, card = self.seat_to_act(), int(name.removeprefix("card:"))
        self.hands[seat].remove(card)
        self.plays[seat].append(card)

    def returns(self) -> list[float]:
        last = [plays[1] for plays in self.plays]
        winner = last.index(min(last) if self.drawn % 2 == 1 else max(last))
        loss = -1 / (len(last) - 1)
        return [1.0 if seat == winner else loss for seat in range(len(last))]


def referee(num_players: int = 2) -> Any:
    """What `check_game` takes as a referee: seed -> (deal, referee)."""

    def of_seed(seed: int) -> tuple[dict[str, Any], Referee]:
        cards = np.random.default_rng(seed).permutation(NUM_CARDS).tolist()
        deal = {"hands": [cards[2 * seat : 2 * seat + 2] for seat in range(num_players)]}
        return deal, Referee(deal)

    return of_seed
