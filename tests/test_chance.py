"""The game's own draws: all their outcomes, and a game that a draw ends."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare

import parlour
from parlour.baselines import make_policy
from parlour.envs import load_game
from parlour.envs.core.compile import rule
from parlour.envs.core.environments.aec import RawEnv
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.game import NO_SEAT, Game
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams, uniform
from tests import toy_game
from tests.searching import after_plies
from tests.toy_game import NO_CARD

pytestmark = pytest.mark.plain


@rule
def is_drawn(state):
    """The game is over once its card is drawn, after one play of each seat."""
    return state.drawn != NO_CARD


def short_game() -> Game:
    """The toy game, ended by its own draw."""
    return dataclasses.replace(toy_game.game(), is_terminal=is_drawn)


def test_all_deals_are_listed_with_their_probabilities() -> None:
    starts = parlour.all_starts(toy_game.game(num_players=2))
    assert len(starts) == 45 * 28  # two cards of ten, two of the other eight
    assert len({state.position.tobytes() for state, _ in starts}) == len(starts)
    assert all(chance == pytest.approx(1 / len(starts)) for _, chance in starts)


def test_all_outcomes_of_a_draw_are_listed_with_their_probabilities() -> None:
    state = parlour.start(toy_game.game(num_players=2), seed=3)
    ((first, certain),) = state.outcomes(state.legal_actions[0])
    assert certain == 1.0 and first.actions == state.legal_actions[:1] and not state.actions
    outcomes = first.outcomes(first.legal_actions[1])
    drawn = [int(after.position["drawn"]) for after, _ in outcomes]
    assert sum(1 << card for card in drawn) == first.position["deck"] and len({*drawn}) == 6
    assert all(chance == pytest.approx(1 / 6) for _, chance in outcomes)
    after, _ = outcomes[2]
    after.undo()
    assert after.position.tobytes() == first.position.tobytes()


def test_a_draw_follows_the_listed_probabilities() -> None:
    """A card of Notty's deck, which still has two or one of it."""
    state = parlour.start(load_game("notty"), seed=2)
    outcomes = {after.position.tobytes(): chance for after, chance in state.outcomes("draw:1")}
    assert sum(outcomes.values()) == pytest.approx(1) and len(set(outcomes.values())) == 2
    num_draws, draws = 600, Counter[bytes]()
    for seed in range(num_draws):
        branch = parlour.start(state.game, seed, position=state.position)
        branch.apply("draw:1")
        draws[branch.position.tobytes()] += 1
    assert set(draws) <= set(outcomes)
    counts = [(draws[key], num_draws * chance) for key, chance in outcomes.items()]
    assert chisquare(*zip(*counts, strict=True)).pvalue > 1e-6


@rule
def draw_real(state, rng):
    """Draw what has too many values."""
    state.drawn = np.int64(10 * uniform(rng))


def test_outcomes_that_cannot_be_listed_are_refused() -> None:
    with pytest.raises(ValueError, match=r"president can draw in more than 10,000 ways here"):
        parlour.all_starts(load_game("president"))
    game = dataclasses.replace(toy_game.game(num_players=2), play_chance=draw_real)
    state = parlour.start(game, seed=3)
    state.apply(state.legal_actions[0])
    with pytest.raises(ValueError, match=r"toy draws other numbers than those of below\(rng, n\)"):
        state.outcomes(state.legal_actions[0])


def test_tables_see_the_end_after_the_draw() -> None:
    tables = Tables(short_game(), streams(range(4)))
    tables.deal(tables.all_rows)
    for expected in (0, 1, NO_SEAT):
        seats, _, words = tables.show(tables.all_rows)
        assert (seats == expected).all()
        if expected != NO_SEAT:
            actions = np.array([int(word).bit_length() - 1 for word in words[:, 0]])
            tables.apply(tables.all_rows, actions)
    assert (words == 0).all()


def test_the_views_see_the_end_after_the_draw() -> None:
    env = RawEnv(short_game())
    env.reset(seed=1)
    for _ in range(2):
        env.step(int(env.last()[0]["action_mask"].argmax()))
    assert all(env.terminations.values())
    envs = TablesEnv(short_game(), num_envs=3, self_play=True)
    _, info = envs.reset(seed=1)
    ends = []
    for _ in range(4):
        _, _, terminated, _, info = envs.step(info["action_mask"].argmax(axis=1))
        ends.append(terminated.tolist())
    assert ends == [[False] * 3, [True] * 3] * 2


def test_playouts_see_the_end_after_the_draw() -> None:
    game = short_game()
    tables, _, observations, masks = after_plies(game, 0, 1)
    policy = make_policy("playout:num_playouts=20,playout_policy=random", game)
    action = policy.act(observations[0], masks[0], position=tables.states[0], rng=streams([1]))
    assert masks[0, action] == 1
