"""Leduc hold'em: six cards, a private card each, a public card, and two rounds of bets.

Rules: Southey and others, "Bayes' Bluff: Opponent Modelling in Poker" (2005). In this folder:
`parlour watch leduc --import leduc`.
"""

import dataclasses
from typing import Any

import numpy as np

from parlour.envs.authoring import (
    CHANCE,
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
NUM_CARDS = 6  # two of each rank
NAMES = ("fold", "call", "raise")
FOLD, CALL, RAISE = range(3)
NO_CARD = -1
NUM_ROUNDS, MAX_RAISES = 2, 2
MAX_PLIES = 4  # of a round: call, raise, raise, call
RAISES = np.array([2, 4])  # chips, by round
MAX_CHIPS = 13  # that a seat can win or lose: a return of 1


@dataclasses.dataclass(frozen=True)
class Config:
    """Leduc hold'em has no settings."""


@rule
def deal(state, rng):
    """Both seats ante one chip and get one card each."""
    state.cards[0] = below(rng, NUM_CARDS)
    state.cards[1] = (state.cards[0] + 1 + below(rng, NUM_CARDS - 1)) % NUM_CARDS
    state.public = NO_CARD
    state.actions[:] = NO_ACTION
    state.num_plies[:] = 0
    state.num_raises[:] = 0
    state.paid[:] = 1
    state.betting_round = 0
    state.folded = 0


@rule
def is_settled(state, betting_round):
    """A round ends with a call, but not with the first action."""
    plies = state.num_plies[betting_round]
    return plies > 1 and state.actions[betting_round, plies - 1] == CALL


@rule
def seat_to_act(state):
    """The seats act in turn, seat 0 first in both rounds; between them the public card is drawn."""
    if state.betting_round == 0 and is_settled(state, 0):
        return CHANCE
    return state.num_plies[state.betting_round] % 2


@rule
def play_chance(state, rng):
    """Lay open one of the four other cards."""
    low, high = min(state.cards[0], state.cards[1]), max(state.cards[0], state.cards[1])
    card = below(rng, NUM_CARDS - 2)
    card += card >= low
    card += card >= high
    state.public = card
    state.betting_round = 1


@rule
def legal_actions(state, mask):
    """Call, which is to check where both have paid the same; fold or raise, where possible."""
    if state.paid[0] != state.paid[1]:
        allow(mask, FOLD)
    allow(mask, CALL)
    if state.num_raises[state.betting_round] < MAX_RAISES:
        allow(mask, RAISE)


@rule
def apply_action(state, action):
    """Pay what is due, and the raise; a fold ends the game."""
    number = state.betting_round
    seat = state.num_plies[number] % 2
    state.actions[number, state.num_plies[number]] = action
    state.num_plies[number] += 1
    if action == FOLD:
        state.folded = 1
        return
    state.paid[seat] = state.paid[1 - seat]
    if action == RAISE:
        state.paid[seat] += RAISES[number]
        state.num_raises[number] += 1


@rule
def is_terminal(state):
    """A seat has folded, or the second round is settled."""
    return state.folded == 1 or (state.betting_round == 1 and is_settled(state, 1))


@rule
def is_shown_down(state):
    """The cards are compared, as nobody has folded."""
    return is_terminal(state) and state.folded == 0


@rule
def strength(state, seat):
    """A pair with the public card beats all ranks."""
    rank = state.cards[seat] // 2
    return rank + len(RANKS) * (rank == state.public // 2)


@rule
def returns(state, out):
    """The winner gets what the loser has paid; equal hands get nothing."""
    out[:] = 0.0
    if not is_terminal(state):
        return
    winner = state.num_plies[state.betting_round] % 2  # the one that has not folded
    if state.folded == 0:
        if strength(state, 0) == strength(state, 1):
            return
        winner = 0 if strength(state, 0) > strength(state, 1) else 1
    out[winner] = state.paid[1 - winner] / MAX_CHIPS
    out[1 - winner] = -out[winner]


@rule
def observe(state, seat, out):
    """The seat's own card, the public one, all actions, and at the showdown the other card."""
    out.card = state.cards[seat]
    out.public = state.public
    out.other_card = state.cards[1 - seat] if is_shown_down(state) else NO_CARD
    for number in range(NUM_ROUNDS):
        for ply in range(MAX_PLIES):
            out.actions[number, ply] = state.actions[number, ply]
    out.is_first = seat == 0


@rule
def reshuffle_unseen(state, seat, rng):
    """The other seat holds any card that is neither the own nor the public one."""
    if is_shown_down(state):
        return
    card = below(rng, NUM_CARDS)
    while card in (state.cards[seat], state.public):
        card = below(rng, NUM_CARDS)
    state.cards[1 - seat] = card


def describe(state: np.record, seat: int | None = None) -> str:
    """One line for each seat, the public card, and what was done."""
    is_open = seat is None or is_shown_down(state)
    lines = [
        f"player {holder}: {RANKS[card // 2] if is_open or holder == seat else '?'}"
        for holder, card in enumerate(state["cards"].tolist())
    ]
    public = int(state["public"])
    actions = [NAMES[a] for a in state["actions"].ravel().tolist() if a != NO_ACTION]
    return "\n".join(
        [
            *lines,
            f"public: {'-' if public == NO_CARD else RANKS[public // 2]}",
            f"actions: {' '.join(actions)}",
        ]
    )


def action_name(action: int) -> str:
    """`fold`, `call` or `raise`. Raises ValueError for a number that is no action."""
    if action not in range(len(NAMES)):
        raise ValueError(f"actions are 0 (fold), 1 (call) and 2 (raise), not {action}")
    return NAMES[action]


def game(**settings: Any) -> Game:
    """Leduc hold'em. Raises TypeError for a setting, as there are none."""
    rounds, top_card = (NUM_ROUNDS,), NUM_CARDS - 1
    actions = Field(
        "actions", np.int8, (NUM_ROUNDS, MAX_PLIES), NO_ACTION, RAISE, "by round; -1: none"
    )
    return Game(
        name="leduc",
        version=0,
        config=make_config(Config, "leduc", settings),
        make=game,
        num_seats=2,
        num_actions=len(NAMES),
        state_fields=(
            Field("cards", np.int8, (2,), 0, top_card, "each seat's card: rank * 2 + suit"),
            Field("public", np.int8, (), NO_CARD, top_card, "the public card; -1: not drawn"),
            actions,
            Field("num_plies", np.int8, rounds, 0, MAX_PLIES, "actions in each round"),
            Field("num_raises", np.int8, rounds, 0, MAX_RAISES, "raises in each round"),
            Field("paid", np.int8, (2,), 1, MAX_CHIPS, "chips that each seat has paid"),
            Field("betting_round", np.int8, (), 0, 1, "0 before the public card, 1 after it"),
            Field("folded", np.int8, (), 0, 1, "1: the last action was a fold"),
        ),
        observation_fields=(
            Field("card", np.int8, (), 0, top_card, "the seat's own card: rank * 2 + suit"),
            Field("public", np.int8, (), NO_CARD, top_card, "the public card; -1: not drawn"),
            Field("other_card", np.int8, (), NO_CARD, top_card, "at a showdown; -1: not shown"),
            actions,
            Field("is_first", np.int8, (), 0, 1, "1 for seat 0, which acts first in each round"),
        ),
        has_chance=True,
        has_hidden=True,
        **functions_in(__name__),
    )


register_game(game)
