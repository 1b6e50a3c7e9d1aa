"""The players against slow ones written from the document, decision by decision."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable

import pytest

from parlour.baselines import make_policy
from parlour.baselines.notty.hints import hints
from tests.notty import slow_players
from tests.notty.brute_force import DECK, KINDS, best_rest, in_order
from tests.notty.lockstep import Beside
from tests.notty.playing import decisions
from tests.notty.referee import Referee
from tests.notty.slow_players import Chances

pytestmark = pytest.mark.plain

NUM_POSITIONS = 30
NUM_CHANCES = 12  # positions in which a player leaves something to chance
NUM_FULL_DECKS = 2  # these take the slow players half a second each
NUM_DECISIONS = 400  # in each of these


def random_hands(rng: random.Random, sizes: list[int], has_twins: bool) -> list[list[str]]:
    """Hands of these sizes; as twins, the first and the last are the same cards."""
    cards = rng.sample(DECK, len(DECK))
    hands = [[cards.pop() for _ in range(size)] for size in sizes]
    if has_twins:
        kinds = rng.sample(sorted(set(DECK)), sizes[0])
        rest = [card for card in rng.sample(DECK, len(DECK)) if card not in kinds]
        hands = [list(kinds), *([rest.pop() for _ in hand] for hand in hands[1:-1]), list(kinds)]
    return hands


def random_position(rng: random.Random, small_deck: bool) -> Beside | None:
    """A position in a first or a second action; None where the deal is over at once."""
    num_players = 4 if small_deck else 2
    smallest = 12 if small_deck else 1
    sizes = [rng.randint(smallest, 20) for _ in range(num_players)]
    seat = rng.randrange(num_players)
    sizes[seat] = rng.randint(1, 19)
    has_twins = small_deck and rng.random() < 0.3
    deal = {"hands": random_hands(rng, sizes, has_twins), "seat_to_act": seat}
    position = Beside.dealt(rng.randrange(1000), deal, {"num_players": num_players})
    moves = [name for name in position.referee.legal_actions() if name != "pass"]
    if moves and rng.random() < 0.4:
        position.play(rng.choice(moves))
    referee = position.referee
    if referee.is_terminal() or referee.seat_to_act() != seat:
        return None
    referee.passes[seat] = rng.randint(0, 4)
    position.tables.states[0]["passes"][seat] = referee.passes[seat]
    return position


def random_positions(seed: int, num_positions: int, small_deck: bool = True) -> list[Beside]:
    """So many positions."""
    rng = random.Random(seed)
    positions: list[Beside] = []
    while len(positions) < num_positions:
        position = random_position(rng, small_deck)
        if position is not None:
            positions.append(position)
    return positions


@pytest.mark.parametrize("name", ["x_defensive", "x_aggressive"])
def test_a_calculating_player_decides_as_the_slow_one_does(name: str) -> None:
    kinds = set()
    for position in random_positions(1, NUM_POSITIONS):
        kinds.add(agreed_decision(name, position).split(":")[0])
    assert kinds == {"draw", "take", "pass"}


@pytest.mark.long
@pytest.mark.parametrize("name", ["x_defensive", "x_aggressive"])
def test_a_calculating_player_decides_so_with_a_full_deck_too(name: str) -> None:
    for position in random_positions(2, NUM_FULL_DECKS, small_deck=False):
        agreed_decision(name, position)


def agreed_decision(name: str, position: Beside) -> str:
    """What both versions of a player do."""
    slow: Callable[[Referee], str] = getattr(slow_players, name)
    (fast,) = decisions(make_policy(name, position.tables.game), position.tables, 1)
    assert fast == slow(position.referee), vars(position.referee)
    return fast


@pytest.mark.parametrize("name", ["defensive", "aggressive"])
def test_a_player_of_chance_does_each_thing_as_often_as_the_slow_one(name: str) -> None:
    slow: Callable[[Referee], Chances] = getattr(slow_players, name)
    for position in random_positions(3, NUM_CHANCES):
        policy = make_policy(name, position.tables.game)
        chances = slow(position.referee)
        chosen = decisions(policy, position.tables, NUM_DECISIONS)
        assert set(chosen) == set(chances), position.referee.hands
        for action, chance in chances.items():
            expected = NUM_DECISIONS * float(chance)
            assert abs(chosen.count(action) - expected) <= 5 * expected**0.5


def test_hints_are_exact() -> None:
    for position in random_positions(5, 1):
        game, referee = position.tables.game, position.referee
        state = position.tables.states[0]
        moves = {game.action_name(hint.action): hint for hint in hints(game, state).moves}
        assert set(moves) == set(referee.legal_actions())
        for action, hint in moves.items():
            assert hint.probability == slow_players.group_probability(referee, action)
            assert hint.reduction == slow_players.expected_reduction(referee, action)
        for seat, hand in enumerate(referee.hands):
            left = Counter(hand)
            for group in hints(game, state, seat).best_discard:
                left.subtract(KINDS[kind] for kind in group)
            assert in_order(list(left.elements())) == best_rest(hand)
