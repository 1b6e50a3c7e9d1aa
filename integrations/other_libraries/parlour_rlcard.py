"""RLCard's agents at our tables: the states that they read, and a player that asks one.

RLCard is not installed with Parlour: `pip install rlcard`, and `rlcard[torch]` for its learners.
"""

from typing import Any

import numpy as np

from parlour.baselines.policies.policy import Policy
from parlour.envs.core.game import Game


def agent_state(game: Game, observation: np.ndarray, action_mask: np.ndarray) -> dict[str, Any]:
    """Return the state of RLCard for what an environment shows: float32 [num_inputs], int8 [A].

    `learner.feed([state, action, reward, next_state, done])` takes such states too.
    """
    legal = np.flatnonzero(action_mask).tolist()
    names = [game.action_name(action) for action in legal]
    return {
        "obs": observation,
        "legal_actions": dict.fromkeys(legal),
        "raw_obs": observation,
        "raw_legal_actions": names,
    }


def rlcard_policy(name: str, game: Game, agent: Any) -> Policy:
    """Return a player that asks an agent of RLCard, `agent.eval_step(state)`, for its moves.

    Agents that read the cards of RLCard's own games (`use_raw`) cannot play here: ValueError.
    """
    if getattr(agent, "use_raw", False):
        raise ValueError(f"{name} reads the cards of a game of RLCard (use_raw), not observations")

    def choose(observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        rows = zip(game.layout.scaled(observations), masks, strict=True)
        return np.array([agent.eval_step(agent_state(game, *row))[0] for row in rows], np.int64)

    return Policy(name, game, choose)
