"""Kuhn poker: three cards, one each for two seats, one bet; the smallest game with a bluff.

Rules and solution: H. W. Kuhn, "A simplified two-person poker" (1950). Where both play best, the
first seat loses 1/18 of a chip a deal. In this folder: `parlour watch kuhn --import kuhn`.
"""

import dataclasses
from itertools import permutations
from typing import Any

import numpy as np

from parlour.envs.authoring import (
    NO_ACTION,
    Field,
    Game,
    allow,
    below,
    functions_in,
    make_config,
    register_game,
    rule,
)

RANKS = "JQK"
NAMES = ("pass", "bet")
PASS, BET = range(2)
NO_CARD = -1
MAX_PLIES = 3  # pass, bet, and the answer
MAX_CHIPS = 2.0  # that a seat can win or lose: a return of 1


@dataclasses.dataclass(frozen=True)
class Config:
    """Kuhn poker has no settings."""


@rule
def deal(state, rng):
    """Both seats ante one chip and get one card each; the third stays unseen."""
    state.cards[0] = below(rng, 3)
    state.cards[1] = (state.cards[0] + 1 + below(rng, 2)) % 3
    state.actions[:] = NO_ACTION
    state.num_plies = 0


@rule
def seat_to_act(state):
    """The seats act in turn, seat 0 first."""
    return state.num_plies % 2


@rule
def legal_actions(state, mask):
    """Pass or bet: to pass after a bet is to fold, to bet after a bet is to call."""
    allow(mask, PASS)
    allow(mask, BET)


@rule
def apply_action(state, action):
    """What is said lies open."""
    state.actions[state.num_plies] = action
    state.num_plies += 1


@rule
def is_terminal(state):
    """A bet has been answered, or both seats have passed."""
    is_answered = state.num_plies > 1 and state.actions[state.num_plies - 2] == BET
    have_passed = state.num_plies == 2 and state.actions[1] == PASS
    return is_answered or have_passed


@rule
def is_shown_down(state):
    """The cards are compared, as nobody has folded."""
    return (
        is_terminal(state)
        and state.actions[state.num_plies - 1] == state.actions[state.num_plies - 2]
    )


@rule
def returns(state, out):
    """The higher card, or the seat that did not fold, wins one chip; two after a called bet."""
    out[:] = 0.0
    if is_terminal(state):
        last_seat = (state.num_plies - 1) % 2
        winner = 1 - last_seat
        if is_shown_down(state):
            winner = 0 if state.cards[0] > state.cards[1] else 1
        is_called = is_shown_down(state) and state.actions[state.num_plies - 1] == BET
        chips = 2.0 if is_called else 1.0
        out[:] = -chips / MAX_CHIPS
        out[winner] = chips / MAX_CHIPS


@rule
def observe(state, seat, out):
    """The seat's own card, what was said, and at the showdown the other card."""
    out.card = state.cards[seat]
    out.other_card = state.cards[1 - seat] if is_shown_down(state) else NO_CARD
    for ply in range(MAX_PLIES):
        out.actions[ply] = state.actions[ply]
    out.is_own_turn = seat_to_act(state) == seat


@rule
def reshuffle_unseen(state, seat, rng):
    """The other seat holds either of the two other cards, unless they were shown."""
    if not is_shown_down(state):
        state.cards[1 - seat] = (state.cards[seat] + 1 + below(rng, 2)) % 3


def deal_from(state: np.record, data: Any, rng: np.record) -> None:
    """Deal `{"cards": "KJ"}`: the king to seat 0, the jack to seat 1."""
    deals = ["".join(cards) for cards in permutations(RANKS, 2)]
    if not isinstance(data, dict) or list(data) != ["cards"] or data["cards"] not in deals:
        raise ValueError(f'a deal is {{"cards": "KJ"}}, or another of {", ".join(deals)}')
    deal(state, rng)
    state["cards"] = [RANKS.index(card) for card in data["cards"]]


def describe(state: np.record, seat: int | None = None) -> str:
    """One line for each seat, and what was said."""
    is_open = seat is None or is_shown_down(state)
    lines = [
        f"player {holder}: {RANKS[card] if is_open or holder == seat else '?'}"
        for holder, card in enumerate(state["cards"].tolist())
    ]
    said = [NAMES[action] for action in state["actions"].tolist() if action != NO_ACTION]
    return "\n".join([*lines, f"said: {' '.join(said)}"])


def action_name(action: int) -> str:
    """`pass` or `bet`. Raises ValueError for a number that is no action."""
    if action not in range(len(NAMES)):
        raise ValueError(f"actions are 0 (pass) and 1 (bet), not {action}")
    return NAMES[action]


def game(**settings: Any) -> Game:
    """Kuhn poker. Raises TypeError for a setting, as there are none."""
    top_card = len(RANKS) - 1
    actions = Field("actions", np.int8, (MAX_PLIES,), NO_ACTION, BET, "said so far; -1: nothing")
    return Game(
        name="kuhn",
        version=0,
        config=make_config(Config, "kuhn", settings),
        make=game,
        num_seats=2,
        num_actions=len(NAMES),
        state_fields=(
            Field("cards", np.int8, (2,), 0, top_card, "each seat's card: 0 jack .. 2 king"),
            actions,
            Field("num_plies", np.int8, (), 0, MAX_PLIES, "actions so far"),
        ),
        observation_fields=(
            Field("card", np.int8, (), 0, top_card, "the seat's own card: 0 jack .. 2 king"),
            Field("other_card", np.int8, (), NO_CARD, top_card, "at a showdown; -1: not shown"),
            actions,
            Field("is_own_turn", np.int8, (), 0, 1, "1 for the seat to act"),
        ),
        has_chance=True,
        has_hidden=True,
        **functions_in(__name__),
    )


register_game(game)
