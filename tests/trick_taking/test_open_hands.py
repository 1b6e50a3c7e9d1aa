"""The solver for open hands against plain max^n, written again over sets of cards."""

from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.trick_taking.open_hands import TRICK, SearchStack, solve
from parlour.baselines.trick_taking.solver import card_values
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.playthrough import Playthrough

Card = tuple[int, int]  # colour and value
Hands = tuple[frozenset[Card], ...]
Trick = tuple[Card, ...]  # in the order of play


def considered(hands: Hands, leader: int, trick: Trick) -> list[Card]:
    """The legal cards that differ: see the docstring of `open_hands`."""
    num_players = len(hands)
    hand = hands[(leader + len(trick)) % num_players]
    left = set().union(*hands, trick)
    reach = {card for card in hand if is_lowest_of_run(card, hand, left)}
    if not trick:
        return sorted(reach)
    led, top = trick[0][0], max(value for colour, value in trick if colour == trick[0][0])
    following = {card for card in hand if card[0] == led}
    if not following:
        return sorted(min(c for c in hand if c[0] == colour) for colour in {c[0] for c in hand})
    losers = sorted(card for card in following if card[1] < top)[:1]
    winners = sorted(card for card in following & reach if card[1] > top)
    return losers + (winners[:1] if len(trick) == num_players - 1 else winners)


def is_lowest_of_run(card: Card, hand: frozenset[Card], left: set[Card]) -> bool:
    """Whether the next lower card that is left belongs to another seat, or is on the table."""
    lower = [other for other in left if other[0] == card[0] and other[1] < card[1]]
    return not lower or max(lower) not in hand


@cache
def plain_value(hands: Hands, leader: int, trick: Trick) -> tuple[int, ...]:
    """The tricks of every seat from now on, in parts of a trick: means are rounded down."""
    num_players = len(hands)
    if len(trick) == num_players:
        led = trick[0][0]
        best = max(range(num_players), key=lambda i: trick[i][1] if trick[i][0] == led else -1)
        winner = (leader + best) % num_players
        rest = plain_value(hands, winner, ())
        return tuple(value + TRICK * (seat == winner) for seat, value in enumerate(rest))
    seat = (leader + len(trick)) % num_players
    if not hands[seat]:
        return (0,) * num_players
    values = []
    for card in considered(hands, leader, trick):
        left = (*hands[:seat], hands[seat] - {card}, *hands[seat + 1 :])
        values.append(plain_value(left, leader, (*trick, card)))
    most = max(value[seat] for value in values)
    best_values = [value for value in values if value[seat] == most]
    return tuple(sum(column) // len(best_values) for column in zip(*best_values, strict=True))


def as_sets(state: np.record) -> tuple[Hands, int, Trick]:
    """The hands, the leader and the trick of a position."""
    num_players, num_values = state.dealt.shape
    hands = tuple(
        frozenset(
            (colour, value)
            for colour in range(num_players)
            for value in range(num_values)
            if int(state.hands[seat, colour]) >> value & 1
        )
        for seat in range(num_players)
    )
    num_played = (int(state.seat_to_act) - int(state.leader)) % num_players
    seats = [(int(state.leader) + place) % num_players for place in range(num_played)]
    trick = tuple(divmod(int(state.last_cards[seat]), num_values) for seat in seats)
    return hands, int(state.leader), trick


def positions(game: Game, most_tricks: int, num_games: int) -> Iterator[np.record]:
    """Positions of random play with `most_tricks` left, or fewer."""
    for seed in range(num_games):
        for turn in Playthrough(game, make_policy("random", game), seed):
            if turn.state.tricks_left <= most_tricks:
                yield turn.state


@pytest.mark.parametrize(
    ("num_players", "num_values", "most_tricks", "num_games"),
    [
        (3, 5, 4, 60),
        (3, 10, 4, 30),
        (4, 3, 3, 60),
        (4, 10, 3, 30),
        pytest.param(4, 13, 3, 20, marks=pytest.mark.long),
    ],
)
def test_it_equals_plain_max_n(
    num_players: int, num_values: int, most_tricks: int, num_games: int
) -> None:
    game = load_game("trick_taking", num_players=num_players, num_values=num_values)
    stack = SearchStack.empty(game, most_tricks)
    out = np.zeros(num_players)
    num_ties = 0
    for state in positions(game, most_tricks, num_games):
        solve(stack, state, out)
        expected = plain_value(*as_sets(state))
        rest = (out - state.tricks_won) * TRICK
        assert rest.tolist() == list(expected), game.describe(state)
        num_ties += any(value % TRICK for value in expected)
    assert num_ties > 0
    plain_value.cache_clear()


def test_with_two_seats_it_equals_the_exact_solution() -> None:
    game = load_game("trick_taking", num_values=8)
    stack, out = SearchStack.empty(game, 5), np.zeros(2)
    observation = game.new_observations()
    for state in positions(game, 5, 40):
        solve(stack, state, out)
        game.observe(state, int(state.seat_to_act), observation[0])
        best = card_values(game, observation).max()
        seat = int(state.seat_to_act)
        assert out[seat] - state.tricks_won[seat] == best
        assert out.sum() == 8
