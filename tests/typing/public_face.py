"""The public face has the types of its homes; `assert_type` fails where a type is Any."""

from typing import assert_type

import gymnasium
import numpy as np

import parlour
from parlour.baselines import Policy
from parlour.baselines.arena import MatchResult, Plan, Standings
from parlour.envs.core.checks.report import CheckReport
from parlour.envs.core.game import Game
from parlour.envs.core.play.game_state import GameState
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.played.transcript import Transcript

assert_type(parlour.__version__, str)
assert_type(parlour.list_games(), list[str])
game = parlour.load_game("president", num_players=2)
assert_type(game, Game)
assert_type(game.layout.name(37), str)
assert_type(parlour.list_policies(game), list[str])
lowest = parlour.make_policy("lowest", game)
assert_type(lowest, Policy)
with parlour.Store(":memory:") as store:
    result = parlour.play_match(game, lowest, "random", num_deals=20, plan=Plan(store=store))
assert_type(store, parlour.Store)
assert_type(result, MatchResult)
assert_type(parlour.play_tournament(game, ["random", lowest], num_deals=20), Standings)
assert_type(parlour.play(game, "lowest"), Playthrough)
assert_type(parlour.play(game, [lowest, "random"], seed=7).actions, list[int])
state = parlour.start(game, seed=7)
assert_type(state, GameState)
assert_type(state.outcomes(state.legal_actions[0]), list[tuple[GameState, float]])
assert_type(parlour.rng(7), np.ndarray)
assert_type(parlour.transcript.record(game, 7, policies=lowest), Transcript)
assert_type(parlour.check_game(game, num_games=1), CheckReport)
parlour.register_game(game.make)
env = gymnasium.make("parlour:President-v0")
env.reset(seed=1)
print(parlour.position_of(env))
