"""What a user may write; `assert_type` fails in a type checker where the type is Any."""

from typing import assert_type

import numpy as np

import parlour.envs.president_v0
from parlour.baselines import Policy, list_policies, make_policy
from parlour.baselines.arena import MatchResult, Standings, play_match, play_tournament
from parlour.baselines.environments import make_solo, make_vector
from parlour.envs import check_game, find_game, load_game, president_v0
from parlour.envs.core.environments.aec import CheckedEnv, RawEnv
from parlour.envs.core.environments.solo import SoloEnv
from parlour.envs.core.environments.vector import TablesEnv
from parlour.envs.core.game import Game

game = load_game("president", num_players=4)
assert_type(game, Game)
assert_type(find_game("a_game_of_mine"), Game)
assert_type(game.num_actions, int)
assert_type(list_policies(game), list[str])
planner = make_policy("planner", game)
assert_type(planner, Policy)

env = president_v0.env(num_players=4)
assert_type(env, CheckedEnv)
assert_type(parlour.envs.president_v0.raw_env(), RawEnv)
env.reset(seed=1)
observation, reward, terminated, truncated, info = env.last()
assert_type(observation, dict[str, np.ndarray])
assert_type(reward, float)
assert_type(make_solo("president"), SoloEnv)
assert_type(make_vector("president", num_envs=2), TablesEnv)
make_solo("president").set_opponents({"lowest": 1, planner: 2})
make_vector("president").set_opponents(["lowest", "random", planner])

result = play_match(game, planner, "lowest", num_deals=500)
assert_type(result, MatchResult)
assert_type(result.elo.mean, float)
assert_type(play_tournament(game, ["random", planner]), Standings)
print(check_game(game, num_games=1))
