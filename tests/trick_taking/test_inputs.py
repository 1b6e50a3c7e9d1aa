"""What networks are shown of trick-taking: against plain counting, and by compiled players."""

from functools import cache

import numpy as np
import pytest

from parlour.baselines.networks.derived import arranged, shown_fields, with_inputs
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams

pytestmark = pytest.mark.plain

SIZES = [(2, 10), (3, 5), (4, 10), (4, 32)]


def sets(words: np.ndarray) -> list[set[int]]:
    """The cards of each colour."""
    return [{value for value in range(32) if int(word) >> value & 1} for word in words]


def renamed(hand: list[set[int]], left: list[set[int]], num_values: int) -> list[set[int]]:
    """The cards by their distance from the highest value of those left, counted down from it."""
    return [
        {num_values - sum(other >= value for other in all_left) for value in own}
        for own, all_left in zip(hand, left, strict=True)
    ]


@cache
def games(num_players: int, num_values: int, num_games: int = 2) -> list[tuple]:
    """Random games, arranged and not, side by side: every position with a seat to act."""
    game = load_game("trick_taking", num_players=num_players, num_values=num_values)
    wide = with_inputs(game)
    random = np.random.default_rng(0)
    results = []
    for seed in range(num_games):
        state, other = game.new_states(), game.new_states()
        game.deal(state[0], streams([seed])[0])
        wide.deal(other[0], streams([seed])[0])
        while not game.is_terminal(state[0]):
            results.append((game, wide, state.copy(), other.copy()))
            names = arranged(game, state).actions[0]
            legal = wide.legal_action_list(other[0])
            assert sorted(names[legal].tolist()) == game.legal_action_list(state[0])
            action = int(random.choice(legal))
            game.apply_action(state[0], int(names[action]))
            wide.apply_action(other[0], action)
        assert wide.is_terminal(other[0])
        assert state[0].tricks_won.tolist() == other[0].tricks_won.tolist()
    return results


def seen_by(game: Game, state: np.ndarray) -> np.record:
    """What the seat to act knows."""
    observation = game.new_observations()
    game.observe(state[0], int(game.seat_to_act(state[0])), observation[0])
    return observation[0]


@pytest.mark.parametrize(
    ("num_players", "num_values"),
    [*SIZES[:3], pytest.param(*SIZES[3], marks=pytest.mark.long)],
)
def test_arranged_games_are_the_same_games_with_cards_renamed(
    num_players: int, num_values: int
) -> None:
    for game, wide, state, other in games(num_players, num_values):
        plain, more = seen_by(game, state), seen_by(wide, other)
        hand, unseen, table = (sets(plain[name]) for name in ("hand", "unseen", "table"))
        left = [a | b | c for a, b, c in zip(hand, unseen, table, strict=True)]
        names = [renamed(each, left, num_values) for each in (hand, unseen, table)]
        led = int(plain.led_colour)
        order = sorted(
            range(num_players),
            key=lambda c: (c != led, [-sum(1 << v for v in names[i][c]) for i in (0, 1)]),
        )
        for name, cards in zip(("hand", "unseen", "table"), names, strict=True):
            assert sets(more[name])[: 1 if led >= 0 else 0] == [cards[led]][: 1 if led >= 0 else 0]
            if name != "table":
                assert sets(more[name]) == [cards[colour] for colour in order]
        assert int(more.led_colour) == (0 if led >= 0 else -1)
        assert int(other[0].seat_to_act) == int(state[0].seat_to_act)
        assert int(other[0].winner) == int(state[0].winner)
        assert int(more.leader) == int(plain.leader)
        again = arranged(game, other)
        assert again.actions[0].tolist() == list(range(game.num_actions))
        assert again.positions.tobytes() == other.tobytes()


@pytest.mark.parametrize(("num_players", "num_values"), SIZES[1:3])
def test_derived_fields_count_cards_and_seats(num_players: int, num_values: int) -> None:
    for _, wide, _, other in games(num_players, num_values):
        view, state = seen_by(wide, other), other[0]
        hand, unseen, table = (sets(view[name]) for name in ("hand", "unseen", "table"))
        assert view.held.tolist() == [len(cards) for cards in hand]
        assert view.unseen_left.tolist() == [len(cards) for cards in unseen]
        for colour in range(num_players):
            highest = max(unseen[colour], default=-1)
            assert view.masters[colour] == sum(card > highest for card in hand[colour])
            for index in range(num_players):
                seat = (int(state.seat_to_act) + index) % num_players
                num_played = int(state.played[seat, colour]).bit_count()
                assert view.num_played[index, colour] == num_played
        if state.led_colour < 0:
            assert view.winners == view.unseen_winners == view.followers == 0
            continue
        highest = max(table[0])
        assert view.winners == sum(card > highest for card in hand[0])
        assert view.unseen_winners == sum(card > highest for card in unseen[0])
        after = [
            seat % num_players for seat in range(state.seat_to_act + 1, state.leader + num_players)
        ]
        if state.seat_to_act < state.leader:
            after = list(range(state.seat_to_act + 1, state.leader))
        assert view.followers == sum(not int(state.voids[seat]) & 1 for seat in after)


def test_the_order_depends_only_on_what_the_seat_knows() -> None:
    for game, wide, state, _ in games(4, 10):
        seat = int(game.seat_to_act(state[0]))
        same = state.copy()
        game.reshuffle_unseen(same[0], seat, streams([7])[0])
        view = [seen_by(wide, arranged(game, each).positions) for each in (state, same)]
        assert view[0].tobytes() == view[1].tobytes()


def test_networks_are_shown_the_cards_left_and_not_their_history() -> None:
    shown = shown_fields(with_inputs(load_game("trick_taking", num_players=4)))
    assert {"hand", "unseen", "table", "masters", "followers"} <= set(shown)
    assert not {"dealt", "played", "last_cards", "seat_to_act"} & set(shown)
