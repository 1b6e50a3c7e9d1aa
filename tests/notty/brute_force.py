"""Notty's cards, valid groups and best discard by exhaustive search, from the rule sheet alone.

A hand is a list of card names, "red 3"; the two copies of a card have the same name.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations

COLOURS = ["red", "blue", "green", "yellow"]
NUMBERS = range(1, 11)
KINDS = [f"{colour} {number}" for colour in COLOURS for number in NUMBERS]
DECK = KINDS * 2

Cards = tuple[str, ...]
Counts = tuple[int, ...]


def all_groups() -> dict[str, Cards]:
    """Rule 3: every valid group under the name that its discard has, runs before sets."""
    groups: dict[str, Cards] = {}
    for colour in COLOURS:
        for first in NUMBERS:
            for last in range(first + 2, 11):
                run = tuple(f"{colour} {number}" for number in range(first, last + 1))
                groups[f"{colour} {first}-{last}"] = run
    for number in NUMBERS:
        for size in (3, 4):
            for colours in combinations(COLOURS, size):
                groups[f"{number} {' '.join(colours)}"] = tuple(f"{c} {number}" for c in colours)
    return groups


GROUPS = all_groups()
GROUPS_WITH = {
    kind: [frozenset(group) for group in GROUPS.values() if kind in group] for kind in KINDS
}


def in_order(cards: list[str] | Cards) -> list[str]:
    """Cards sorted as in the rule sheet: by colour red, blue, green, yellow, then by number."""
    return sorted(cards, key=KINDS.index)


def counts_of(hand: list[str]) -> Counts:
    """How many of each of the 40 kinds are in a hand."""
    counts = Counter(hand)
    return tuple(counts[kind] for kind in KINDS)


def cards_of(counts: Counts) -> list[str]:
    """The hand of these counts."""
    return [kind for kind, count in zip(KINDS, counts, strict=True) for _ in range(count)]


def groups_in(hand: list[str]) -> list[str]:
    """The names of all valid groups that a hand holds."""
    cards = set(hand)
    return [name for name, group in GROUPS.items() if cards.issuperset(group)]


def best_rest(hand: list[str]) -> list[str]:
    """Rule 10: what is left of a hand after the best discard, in order.

    The fewest cards possible; of several such rests the one of the lexicographically smallest
    counts.
    """
    in_a_group = {card for name in groups_in(hand) for card in GROUPS[name]}
    apart = [card for card in hand if card not in in_a_group]
    _, rest = _search(tuple(in_order([card for card in hand if card in in_a_group])))
    return in_order([*apart, *rest])


def best_discard_size(hand: list[str]) -> int:
    """The most cards of a hand that disjoint valid groups can hold."""
    return len(hand) - len(best_rest(hand))


@lru_cache(maxsize=200_000)
def _search(hand: Cards) -> tuple[int, Cards]:
    """Every way to keep the first card or to discard it in a group: (cards kept, which ones).

    Cards are in order, so that the lexicographically smallest counts are the latest cards.
    """
    if not hand:
        return 0, ()
    first, rest = hand[0], hand[1:]
    num_kept, kept = _search(rest)
    ways = [(num_kept + 1, (first, *kept))]
    for group in GROUPS_WITH[first]:
        if group.issubset(hand):
            ways.append(_search(_without(hand, group)))
    return min(ways, key=lambda way: (way[0], counts_of(list(way[1]))))


def _without(hand: Cards, group: frozenset[str]) -> Cards:
    """The hand less one card of each kind in the group."""
    rest = list(hand)
    for card in group:
        rest.remove(card)
    return tuple(rest)
