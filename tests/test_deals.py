"""Whole games in one compiled loop are those that are played ply by ply."""

from typing import Any

import numpy as np
import pytest

from parlour.baselines import compiled_policy, make_policy
from parlour.baselines.arena import Plan, Workers, play_match
from parlour.baselines.arena.play.batches import play_deals
from parlour.baselines.policies.policy import Policy
from parlour.envs import find_game, load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play import slices
from parlour.envs.core.play.legal import PlayerError
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.rng import SEED_LIMIT

from .test_after_errors import compiled_illegal
from .view_tools import short

pytestmark = pytest.mark.plain

IN_EVERY_RUN = {"notty": "defensive", "president": "lowest"}  # with draws in mid-game, without
OTHERS = {"top_trumps": "maxer", "splendor": "greedy", "trick_taking": "smart"}


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slices, "MIN_PLIES", 1)


@pytest.mark.parametrize(
    ("name", "script"),
    [
        *IN_EVERY_RUN.items(),
        *(pytest.param(*item, marks=pytest.mark.long) for item in OTHERS.items()),
    ],
)
@pytest.mark.parametrize("num_threads", [1, 3])
def test_games_are_those_that_are_played_ply_by_ply(
    name: str, script: str, num_threads: int
) -> None:
    game = find_game(name, **short(name, {}))
    policies = tuple(make_policy(player, game) for player in (script, "random", "first_legal"))
    seated = np.random.default_rng(0).integers(0, 3, (4, 3, game.num_seats))
    seeds = np.array([SEED_LIMIT - 1, *range(3)])
    compiled = play_deals(game, policies, seeds, seated, num_threads)
    alike = np.broadcast_to(seated[0, :1], (4, 1, game.num_seats))  # no array of its own
    expected = play_deals(game, policies, seeds, alike.copy(), num_threads)
    np.testing.assert_array_equal(play_deals(game, policies, seeds, alike), expected)
    for deal, sitting in np.ndindex(seated.shape[:2]):
        players = [policies[index] for index in seated[deal, sitting]]
        one = Playthrough(game, players, int(seeds[deal]), sitting=sitting)
        for _ in one:
            pass
        np.testing.assert_array_equal(compiled[deal, sitting], one.returns)


def test_a_player_that_is_not_compiled_plays_the_same_games() -> None:
    game = load_game("trick_taking")
    compiled = make_policy("first_play", game)
    policies = (make_policy("random", game), Policy("slow", game, compiled.choose), compiled)
    seeds, places = np.arange(3), np.array([[[0, 1], [1, 0]]]).repeat(3, axis=0)
    expected = play_deals(game, policies, seeds, np.where(places == 1, 2, 0))
    np.testing.assert_array_equal(play_deals(game, policies, seeds, places), expected)


@pytest.mark.parametrize("num_threads", [1, 3])
def test_an_illegal_choice_is_named(num_threads: int) -> None:
    game: Game = load_game("trick_taking")
    policy: Any = compiled_policy("stubborn", game, compiled_illegal)
    plan = Plan(Workers(num_threads=num_threads))
    with pytest.raises(PlayerError, match=r"stubborn chose 19 \(card:1\.9\).* legal: card:"):
        play_match(game, policy, "random", 20, plan=plan)


def test_the_last_seeds_can_be_played() -> None:
    game = load_game("trick_taking")
    result = play_match(game, "smart", "smart", 3, seed=SEED_LIMIT - 3, plan=Plan(batch_deals=2))
    assert (result.num_games, result.mean_return.mean) == (6, 0)
