"""What a user may write; `assert_type` fails in a type checker where the type is Any."""

from typing import assert_type

import gymnasium
import numpy as np

import parlour
import parlour.envs.president_v0
from parlour.baselines import Policy
from parlour.baselines.arena import MatchResult, Plan, Standings
from parlour.baselines.environments import make_solo, make_vector
from parlour.envs import find_game, load_game, president_v0
from parlour.envs.core.checks.report import CheckReport
from parlour.envs.core.environments.aec import CheckedEnv, RawEnv
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.game import Game
from parlour.envs.core.play.one_game import OneGame
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.played.transcript import Transcript

assert_type(parlour.__version__, str)
assert_type(parlour.list_games(), list[str])
game = parlour.load_game("president", num_players=2)
assert_type(game, Game)
assert_type(load_game("president"), Game)
assert_type(find_game("a_game_of_mine"), Game)
assert_type(game.num_actions, int)
assert_type(game.layout.name(37), str)
parlour.register_game(game.make)

assert_type(parlour.list_policies(game), list[str])
lowest = parlour.make_policy("lowest", game)
assert_type(lowest, Policy)
with parlour.Store(":memory:") as store:
    result = parlour.play_match(game, lowest, "random", num_deals=20, plan=Plan(store=store))
assert_type(store, parlour.Store)
assert_type(result, MatchResult)
assert_type(result.elo.mean, float)
assert_type(parlour.play_tournament(game, ["random", lowest], num_deals=20), Standings)
assert_type(parlour.play(game, "lowest"), Playthrough)
assert_type(parlour.play(game, [lowest, "random"], seed=7).actions, list[int])
state = parlour.start(game, seed=7)
assert_type(state, OneGame)
assert_type(state.outcomes(state.legal_actions[0]), list[tuple[OneGame, float]])
assert_type(parlour.rng(7), np.ndarray)
assert_type(parlour.transcript.record(game, 7, policies=lowest), Transcript)
assert_type(parlour.check_game(game, num_games=1), CheckReport)

env = president_v0.env(num_players=4)
assert_type(env, CheckedEnv)
assert_type(parlour.envs.president_v0.raw_env(), RawEnv)
env.reset(seed=1)
observation, reward, terminated, truncated, info = env.last()
assert_type(observation, dict[str, np.ndarray])
assert_type(reward, float)
assert_type(make_solo("president"), SoloEnv)
assert_type(make_vector("president", num_envs=2), TablesEnv)
make_solo("president").set_opponents({"lowest": 1, lowest: 2})
make_vector("president").set_opponents(["lowest", "random", lowest])
print(parlour.position_of(gymnasium.make("parlour:President-v0")))
