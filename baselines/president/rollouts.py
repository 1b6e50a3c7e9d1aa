"""Policy rollouts of President: by the networks that ship, and no longer than necessary."""

from typing import Any

import numpy as np

from ...envs.core.compile import rule
from ...envs.core.game import Game
from ..networks.learned import shipped_checkpoints
from ..players.policy import Policy
from ..search import rollout

NETWORKS = ("ppo", "dqn")  # by preference


def policy_rollout(game: Game, network: str | None = None, **settings: Any) -> Policy:
    """Plays out what a network would most likely do, with the network in every seat.

    `network` is one that ships for this game, `ppo` or else `dqn` by default, or the file of a
    checkpoint; all other `settings` are those of `search.rollout`. Raises ValueError where no
    network ships and none is named.
    """
    shipped = shipped_checkpoints(game)
    network = network or _preferred(game)
    if network is None:
        raise ValueError(f"no network ships for {game!r}; name a checkpoint: network=FILE.pt")
    path = str(shipped.get(network, network))
    early = rollout.Knowledge(outcome if game.config.num_games == 1 else None)
    return rollout.policy_rollout(game, path, knowledge=early, **settings)


def _preferred(game: Game) -> str | None:
    return next((name for name in NETWORKS if name in shipped_checkpoints(game)), None)


def has_network(game: Game) -> bool:
    """Whether a network ships for these settings."""
    return _preferred(game) is not None


@rule
def outcome(state, seat, first_place_weight, values, memory):
    """What a single game is worth to a seat, as soon as that is certain; NaN before.

    It is when the seat has its placing; where only the first place counts, when any seat has one.
    """
    num_seats = state.hands.shape[0]
    placing = np.int64(state.placings[seat])
    if placing == 0:
        is_second_at_best = first_place_weight == 1.0 and state.num_out > 0
        return -1.0 if is_second_at_best else np.nan
    score = (num_seats + 1 - 2 * placing) / (num_seats - 1)
    first = 1.0 if placing == 1 else -1.0
    return score + first_place_weight * (first - score)
