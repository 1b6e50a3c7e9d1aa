"""The exact best response against trying everything, position by position, in small games."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.baselines import Policy, make_policy
from parlour.baselines.search import best_response
from parlour.baselines.search.best_response import best_replies, hash_of, is_same
from parlour.envs import load_game
from parlour.envs.core.game import NO_SEAT, Game
from parlour.envs.core.play.legal import PlayerError
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from tests.searching import after_plies
from tests.view_tools import last_legal

pytestmark = pytest.mark.plain

GAMES = [
    load_game("trick_taking", num_values=3),
    load_game("trick_taking", num_players=3, num_values=2),
    load_game("top_trumps", num_cards=5, num_fields=2, trick_limit=4),  # draws pile up cards
]


def positions(game: Game, num_tables: int, num_plies: int) -> np.ndarray:
    """Positions that many plies into games of random actions."""
    return after_plies(game, num_plies, num_tables)[0].states


def value_by_trying(game: Game, policy: Policy, state: np.ndarray, seat: int) -> float:
    """What the seat can expect if it tries everything and `policy` plays all others."""
    tables = Tables(game, streams([0]))
    tables.states[:] = state
    acting, observations, words = tables.show(tables.all_rows)
    if acting[0] == NO_SEAT:
        return float(tables.returns(tables.all_rows)[0, seat])
    masks = action_masks(words, game.num_actions)
    legal = np.flatnonzero(masks[0])
    if acting[0] != seat and policy.name != "random":
        legal = policy(observations, masks, streams([0]))
    values = [value_by_trying(game, policy, after(game, state, int(a)), seat) for a in legal]
    return max(values) if acting[0] == seat else sum(values) / len(values)


def after(game: Game, state: np.ndarray, action: int) -> np.ndarray:
    """The position after an action."""
    states = np.array([state], game.state_dtype)
    game.apply_action(states[0], np.int64(action))
    return states[0]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("player", [last_legal, "random"])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.num_seats}")
def test_a_reply_is_worth_what_trying_everything_brings(
    game: Game, player: object, seat: int
) -> None:
    policy = make_policy(player, game)  # type: ignore[arg-type]
    states = np.concatenate([positions(game, 2, 1), positions(game, 2, 2)])
    values, action_values = best_replies(game, policy, states, np.full(len(states), seat))
    for row, state in enumerate(states):
        assert values[row] == pytest.approx(value_by_trying(game, policy, state, seat))
        acts = int(game.seat_to_act(state)) == seat and not game.is_terminal(state)
        legal = game.legal_action_list(state) if acts else []
        for action in range(game.num_actions):
            if action in legal:
                tried = value_by_trying(game, policy, after(game, state, action), seat)
                assert action_values[row, action] == pytest.approx(tried)
            else:
                assert np.isnan(action_values[row, action])


def test_what_does_not_fit_in_memory_is_solved_in_parts_or_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = GAMES[0]
    policy = make_policy(last_legal, game)
    states, seats = positions(game, 70, 0), np.zeros(70, np.int64)
    expected = best_replies(game, policy, states, seats)
    monkeypatch.setattr(best_response, "MAX_MOVES", 100)  # of a few positions at once
    for reply, whole in zip(best_replies(game, policy, states, seats), expected, strict=True):
        np.testing.assert_array_equal(reply, whole)
    monkeypatch.setattr(best_response, "MAX_MOVES", 10)
    with pytest.raises(ValueError, match="more than 10 moves can follow one position"):
        best_replies(game, policy, states, seats)


def test_a_narrowed_reply_chooses_from_what_it_is_left() -> None:
    game = GAMES[0]
    policy = make_policy(last_legal, game)
    states = positions(game, 6, 0)

    def narrow(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        first = np.zeros_like(masks)
        first[np.arange(len(masks)), masks.argmax(axis=1)] = 1
        return first

    values, action_values = best_replies(game, policy, states, np.zeros(6, np.int64), narrow)
    assert np.isfinite(action_values).sum(axis=1).tolist() == [1] * 6
    for row, state in enumerate(states):
        state = np.array([state], game.state_dtype)[0]
        while not game.is_terminal(state):
            legal = game.legal_action_list(state)
            state = after(game, state, legal[0] if game.seat_to_act(state) == 0 else legal[-1])
        returns = np.zeros(game.num_seats)
        game.returns(state, returns)
        assert values[row] == returns[0]


@pytest.mark.parametrize(
    ("name", "player", "error", "message"),
    [
        ("notty", "random", ValueError, "notty draws in mid-game"),
        ("trick_taking", "playout", PlayerError, "playout searches"),
        ("trick_taking", lambda o, m, rngs: drawn(rngs), PlayerError, r"<lambda>.* at random"),
    ],
)
def test_what_has_no_exact_reply_is_refused(
    name: str, player: object, error: type[Exception], message: str
) -> None:
    game = load_game("notty") if name == "notty" else GAMES[0]
    states = positions(game, 1, 0)
    seat = 1 - int(game.seat_to_act(states[0]))
    with pytest.raises(error, match=message):
        best_replies(game, make_policy(player, game), states, np.array([seat]))  # type: ignore[arg-type]


def drawn(rngs: np.ndarray) -> np.ndarray:
    """The first action, after a draw."""
    rngs.view(np.uint8)[:] += 1
    return np.zeros(len(rngs), np.int64)


@pytest.mark.parametrize(
    ("changed", "by"), [(None, 0), (0, 1), (0, -1), (8, 1), (15, -1), (16, 1), (18, -1)]
)
def test_rows_are_the_same_if_all_their_bytes_are(changed: int | None, by: int) -> None:
    as_bytes = np.full((2, 19), 100, np.uint8)  # two words, and three bytes that are left
    if changed is not None:
        as_bytes[1, changed] = 100 + by
    words = np.ndarray((2, 2), np.int64, as_bytes, strides=(19, 8))
    for row, other in ((0, 1), (1, 0)):
        assert is_same(words, as_bytes, row, other) == (changed is None)
    hashes = [int(hash_of(words, as_bytes, row)) for row in (0, 1)]
    assert (hashes[0] == hashes[1]) == (changed is None)
