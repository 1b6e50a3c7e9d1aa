"""A game that the game's own draw can end: no view asks a seat again after that."""

import dataclasses

import numpy as np

from parlour.baselines import make_policy
from parlour.envs.core.compile import rule
from parlour.envs.core.environments.aec import RawEnv
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.game import NO_SEAT, Game
from parlour.envs.core.play.loops import NEW_GAME, Ways, loops_of
from parlour.envs.core.play.tables import Tables, new_told, nobody
from parlour.envs.core.rng import streams
from tests import toy_game
from tests.toy_game import NO_CARD


@rule
def is_drawn(state):
    """The game is over once its card is drawn, after one play of each seat."""
    return state.drawn != NO_CARD


def short_game() -> Game:
    """The toy game, ended by its own draw."""
    return dataclasses.replace(toy_game.game(), is_terminal=is_drawn)


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


def test_a_step_sees_the_end_after_the_draw() -> None:
    game = short_game()
    tables = Tables(game, streams([0]))
    games, told, seats = tables.games(), new_told(game, 1), []
    action = np.array([NEW_GAME])
    for _ in range(3):
        ways = Ways(skip_forced=False, deals_again=False)
        loops_of(game).step(0, 1, games, nobody(game.num_seats), action, told, ways)
        seats.append(games.seats[0])
        action = np.array([int(games.masks[0, 0]).bit_length() - 1])
    assert seats == [0, 1, NO_SEAT]


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
    tables = Tables(game, streams([0]))
    tables.deal(tables.all_rows)
    _, observations, words = tables.show(tables.all_rows)
    mask = np.array([int(words[0, 0]) >> action & 1 for action in range(game.num_actions)])
    policy = make_policy("playout:num_playouts=20,playout_policy=random", game)
    action = policy.act(observations[0], mask, position=tables.states[0], rng=streams([1]))
    assert mask[action] == 1
