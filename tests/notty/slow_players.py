"""The four scripted players of Notty in plain Python, from the rule sheet alone.

Values are exact fractions over all combinations of the deck; a player that leaves something to
chance tells how likely each action is. Whatever they know is open on the table of a referee.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod

from tests.notty.brute_force import GROUPS, best_discard_size, groups_in, in_order
from tests.notty.referee import Referee

PASSES_ALLOWED = 2  # in a row; then x_defensive does something else

Values = dict[str, Fraction]
Chances = dict[str, Fraction]


def draws_of(deck: list[str], number: int) -> Iterator[tuple[list[str], int]]:
    """Every combination of kinds that a draw may bring, and in how many ways it comes."""
    counts = Counter(deck)
    for cards in combinations_with_replacement(in_order(list(counts)), number):
        ways = prod(comb(counts[card], count) for card, count in Counter(cards).items())
        if ways:
            yield list(cards), ways


def mean_over_draws(
    hand: list[str], deck: list[str], number: int, measure: Callable[[list[str]], int]
) -> Fraction:
    """The mean of a measure of the hand, over all C(D, n) draws."""
    total = sum(ways * measure(hand + cards) for cards, ways in draws_of(deck, number))
    return Fraction(total, comb(len(deck), number))


def mean_over_takes(
    hand: list[str], other: list[str], measure: Callable[[list[str]], int]
) -> Fraction:
    """The mean of a measure of the hand, over the cards of another hand."""
    return Fraction(sum(measure([*hand, card]) for card in other), len(other))


def has_group(hand: list[str]) -> int:
    """1 where a valid group is in the hand, else 0."""
    return int(bool(groups_in(hand)))


def reduction_size(hand: list[str]) -> int:
    """How many cards the best discard takes out of a hand; 0 at once where there is no group."""
    return best_discard_size(hand) if groups_in(hand) else 0


def victim_of(referee: Referee, action: str) -> int:
    """The absolute seat that a take is from."""
    step = int(action.removeprefix("take:"))
    return (referee.seat_to_act() + step) % len(referee.seats)


def measured(referee: Referee, action: str, measure: Callable[[list[str]], int]) -> Fraction:
    """The mean of a measure of one's hand after a draw or a take."""
    hand = referee.hands[referee.seat_to_act()]
    kind, _, rest = action.partition(":")
    if kind == "draw":
        return mean_over_draws(hand, referee.deck(), int(rest), measure)
    return mean_over_takes(hand, referee.hands[victim_of(referee, action)], measure)


def expected_reduction(referee: Referee, action: str) -> Fraction:
    """By how many cards an action makes the hand smaller, on average."""
    if action == "pass":
        return Fraction(0)
    num_cards = int(action.removeprefix("draw:")) if action.startswith("draw:") else 1
    return measured(referee, action, reduction_size) - num_cards


def group_probability(referee: Referee, action: str) -> Fraction:
    """How likely an action gives a valid group."""
    return Fraction(0) if action == "pass" else measured(referee, action, has_group)


def open_actions(referee: Referee) -> list[str]:
    """The legal actions other than discards by hand, in the order in which ties are decided."""

    def place(action: str) -> tuple[int, int]:
        kind, _, rest = action.partition(":")
        if kind == "draw":
            return 0, int(rest)
        return (1, victim_of(referee, action)) if kind == "take" else (2, 0)

    actions = [a for a in referee.legal_actions() if not a.startswith("discard:")]
    return sorted(actions, key=place)


def best_of(values: Values) -> str:
    """The action of the highest value; of several the first."""
    return max(values, key=lambda action: values[action])


def x_defensive(referee: Referee) -> str:
    """The highest expected reduction; never a third pass in a row at first actions if it can."""
    values = {action: expected_reduction(referee, action) for action in open_actions(referee)}
    best = best_of(values)
    is_first_action = referee.phase() == "start"
    is_third_pass = referee.passes[referee.seat_to_act()] >= PASSES_ALLOWED
    others = {action: value for action, value in values.items() if action != "pass"}
    if best == "pass" and is_first_action and is_third_pass and others:
        return best_of(others)
    return best


def x_aggressive(referee: Referee) -> str:
    """The highest probability of a group; as a second action only if there is a chance."""
    values = {action: group_probability(referee, action) for action in open_actions(referee)}
    best = best_of(values)
    is_second_action = referee.phase() != "start"
    return "pass" if is_second_action and values[best] == 0 else best


def defensive(referee: Referee) -> Chances:
    """Any legal action, a pass included, with the same chance."""
    return evenly(open_actions(referee))


def largest_group(hand: list[str]) -> int:
    """How many cards the largest valid group of a hand has; 0 where there is none."""
    return max((len(GROUPS[name]) for name in groups_in(hand)), default=0)


def worthy_takes(referee: Referee) -> list[str]:
    """The legal takes from hands that hold a card which enlarges one's own largest group."""
    hand = referee.hands[referee.seat_to_act()]
    largest = largest_group(hand)
    takes = [action for action in referee.legal_actions() if action.startswith("take:")]
    return [
        action
        for action in takes
        if any(largest_group([*hand, card]) > largest for card in target(referee, action))
    ]


def target(referee: Referee, action: str) -> list[str]:
    """The hand that a take is from."""
    return referee.hands[victim_of(referee, action)]


def aggressive(referee: Referee) -> Chances:
    """Takes from the largest worthy hand that is larger than its own; else draws by hand size."""
    size = len(referee.hands[referee.seat_to_act()])
    larger = [a for a in worthy_takes(referee) if len(target(referee, a)) > size]
    if larger:
        most = max(len(target(referee, action)) for action in larger)
        return evenly([a for a in larger if len(target(referee, a)) == most])
    if referee.phase() == "drawn":
        return evenly(["pass"])
    return evenly(draws_by_size(size))


def draws_by_size(size: int) -> list[str]:
    """What aggressive draws with so many cards in hand: each of these with the same chance."""
    if size < 8:
        return ["draw:3"]
    if size < 16:
        return ["draw:1", "draw:2", "draw:3"]
    if size < 20:
        return ["pass", "draw:1"]
    return ["pass"]


def evenly(actions: list[str]) -> Chances:
    """Each action with the same chance."""
    return {action: Fraction(1, len(actions)) for action in actions}
