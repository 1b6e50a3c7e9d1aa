"""Hints for people who play Notty: the exact result of every move, and the best discard.

What a move is worth in the end is estimated by the finisher.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from ...envs.core.game import CHANCE, Game, check_range
from ...envs.notty.cards import hand_size
from ...envs.notty.discard import best_discard, most_discarded, pack
from ...envs.notty.rules import NOTHING_YET, PASS, TAKE, first_discard
from ...envs.notty.text import group_name
from ..advice.move_values import Values
from .chances import chances
from .draws import num_draws
from .expectations import results_of_draw, results_of_take
from .players import hands_of

ADVISER = "finisher"


class Hint(NamedTuple):
    """A move, the probability of a group after it, and the expected reduction of the hand.

    The reduction includes the best discard after the move.
    """

    action: int
    probability: Fraction
    reduction: Fraction


class Hints(NamedTuple):
    """The moves of a seat, in the order of the actions, and the groups of its best discard."""

    moves: tuple[Hint, ...]
    best_discard: list[tuple[int, ...]]


def hints(game: Game, state: np.record, seat: int | None = None) -> Hints:
    """Return hints for a seat, by default for the seat to act.

    Another seat gets the hints that it would have if its turn began now. Raises ValueError for a
    seat that does not exist, and if chance has to act.
    """
    if game.seat_to_act(state) == CHANCE:
        raise ValueError("there are no hints while cards are being drawn or taken")
    seat = int(state["seat_to_act"]) if seat is None else seat
    check_range("seat", seat, 0, game.num_seats - 1)
    position = game.new_states()
    position[0] = state
    if seat != state["seat_to_act"]:
        position["seat_to_act"], position["phase"] = seat, NOTHING_YET
    observation = game.new_observations()
    game.observe(position[0], seat, observation[0])
    hands = hands_of(observation[0])
    moves = tuple(
        _hint(hands, action)
        for action in game.legal_action_list(position[0])
        if action < first_discard(game.num_seats)
    )
    return Hints(moves, best_discard(observation[0]["hands"][0]))


def estimates(game: Game, player: str) -> Values | None:
    """Return the function by which a player values moves, or None; only the finisher has one."""
    return chances(game) if player == ADVISER else None


def hint_lines(game: Game, state: np.record, seat: int) -> list[str]:
    """The hints for a seat as text: the best discard and a line for each move."""
    shown = hints(game, state, seat)
    groups = ", ".join(group_name(group) for group in shown.best_discard) or "nothing"
    names = [game.action_name(hint.action) for hint in shown.moves]
    lines = [
        f"  {name:<7} P(group) {float(100 * hint.probability):6.2f} %"
        f"   expected reduction {float(hint.reduction):+.3f}"
        for name, hint in zip(names, shown.moves, strict=True)
    ]
    return [f"hints for player {seat}: best discard {groups}", *lines]


def _hint(hands: np.ndarray, action: int) -> Hint:
    if action == PASS:
        return _of_nothing(hands[0])
    if action > TAKE:
        other = hands[action - TAKE]
        (hits, cards), total, count = results_of_take(hands[0], other), hand_size(other), 1
    else:
        deck, count = hands[-1], action
        hits, cards = results_of_draw(hands[0], deck, count)
        total = num_draws(hand_size(deck), count)
    return Hint(action, Fraction(int(hits), int(total)), Fraction(int(cards), int(total)) - count)


def _of_nothing(hand: np.ndarray) -> Hint:
    """A pass leaves the hand as it is; with manual discards a group in it can still go."""
    most = int(most_discarded(hand[0], hand[1], pack(hand[0], hand[1])))
    return Hint(PASS, Fraction(int(most > 0)), Fraction(most))
