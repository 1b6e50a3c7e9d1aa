"""Recipe: MaskablePPO of sb3-contrib by self-play, against frozen copies of itself.

Each reward is credited to the seat that learns, as all other seats are players of the environment:
at first `config.opponents`, then in equal parts the copies made so far, one after each round.

    model = learn(game, Config(total_steps=400_000, opponents="random", num_envs=512))
    print(play_match(game, make_policy(model, game), "random", num_deals=1_000))
"""

from typing import Any

from sb3_contrib import MaskablePPO

from ...baselines.players.making import make_policy
from ...envs.core.game import Game
from . import Config
from .sb3_ppo import make_model

ROUNDS = 8


def learn(game: Game, config: Config) -> MaskablePPO:
    """Train in a random seat against copies of the model; return the trained model."""
    model = make_model(game, config)
    env: Any = model.get_env()
    copies: dict[Any, int] = {}
    for _ in range(ROUNDS):
        model.learn(config.total_steps // ROUNDS)  # resets the tables, so new opponents play
        copies[make_policy(model, game)] = 1
        env.env_method("set_opponents", copies)
    return model
