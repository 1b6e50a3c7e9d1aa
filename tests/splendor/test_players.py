"""Splendor's players: known positions, and each stronger than the one before it."""

from __future__ import annotations

import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.matches import match_results
from tests.splendor.boards import CARDS, Data, board, empty_seat, lay_out

pytestmark = pytest.mark.plain

GAME = load_game("splendor")
SEED = 5


def chosen(name: str, deal: Data) -> str:
    """What a player does in a position."""
    tables = Tables(GAME, streams([SEED]))
    lay_out(tables, 0, deal)
    seats, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, GAME.num_actions)
    policy = make_policy(name, GAME)
    rngs = streams([SEED], 1)
    positions = tables.determinize(tables.all_rows, seats, rngs) if policy.needs_positions else None
    return GAME.action_name(int(policy(observations, masks, rngs, positions)[0]))


def last_chance() -> Data:
    """Seat 0 has 15 points; seat 1, last in the round, has 14 and can pay slot 2.0: 3 points."""
    fives = [card for card in CARDS[2] if card[1] == 5]
    ahead = empty_seat() | {"cards": fives[2:]}
    behind = empty_seat() | {
        "cards": [*fives[:2], next(card for card in CARDS[2] if card[:2] == ["green", 4])],
        "gems": [0, 0, 0, 0, 4, 2],
    }
    cards = ahead["cards"] + behind["cards"]
    white = next(card for card in CARDS[1] if card[:2] == ["white", 3])
    others = [card for card in CARDS[1] if card != white]
    third = [card for card in CARDS[2] if card not in cards]
    return board(
        [ahead, behind],
        seat_to_act=1,
        table=[CARDS[0][:4], [white, *others[:2], others[6]], third[:4]],
        decks=[CARDS[0][4:], [*others[2:6], *others[7:]], third[4:]],
    )


def test_its_own_players_are_listed_weakest_first() -> None:
    names = list_policies(GAME)
    own = [names.index(name) for name in ("greedy", "planner", "mcts", "expert_iteration")]
    assert own == sorted(own)


@pytest.mark.parametrize("name", ["greedy", "planner", "mcts:num_simulations=60"])
def test_a_card_that_wins_at_once_is_bought(name: str) -> None:
    assert chosen(name, last_chance()) == "buy:2.0"


@pytest.mark.release
def test_each_script_beats_the_one_before_it() -> None:
    """A player as strong as its opponent would win half of the games."""
    greedy, planner = match_results(GAME, [("greedy", "random"), ("planner", "greedy")], 300)
    assert greedy.first_places.low > 0.98
    assert planner.first_places.low > 0.75


@pytest.mark.long
def test_the_search_beats_its_own_playouts_player() -> None:
    result = play_match(GAME, "mcts:num_simulations=60", "greedy", num_deals=15)
    assert result.first_places.mean > 0.55
