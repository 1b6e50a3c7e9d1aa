"""Policy rollouts of trick-taking with hidden hands: by the networks that ship, no solver."""

from typing import Any

import numpy as np

from ...envs.core.game import Game
from ...envs.core.jit import rule
from ..networks.learned import shipped_checkpoints
from ..policy import Policy
from ..search import rollout

NETWORK = "ppo"
DEFAULTS = {"first_place_weight": 0.5, "horizon": 2}
NUM_PLAYOUTS = 150


def policy_rollout(game: Game, network: str | None = None, **settings: Any) -> Policy:
    """Plays the likeliest cards of a network out with the network in every seat.

    `network` is the file of a checkpoint; the default is the network `ppo` that ships for the game.
    All other `settings` are those of `search.rollout`, by default 150 playouts to the second choice
    that the seat has again, where the first place and the return count equally. Raises ValueError
    where no network ships and none is named.
    """
    path = network or shipped_network(game)
    if "milliseconds" not in settings:
        settings = {"num_playouts": NUM_PLAYOUTS, **settings}
    return rollout.policy_rollout(game, path, merge=merge_runs, **{**DEFAULTS, **settings})


def has_network(game: Game) -> bool:
    """Whether a network ships for these settings."""
    return NETWORK in shipped_checkpoints(game)


def shipped_network(game: Game) -> str:
    """The file of the network that ships. Raises ValueError where none does."""
    if not has_network(game):
        raise ValueError(f"no network ships for {game!r}; name a checkpoint: network=FILE.pt")
    return str(shipped_checkpoints(game)[NETWORK])


@rule
def merge_runs(state, same_as):
    """Of cards that touch, with none left between, name the lowest for each in same_as [A]."""
    seat = np.int64(state.seat_to_act)
    num_seats, num_values = state.dealt.shape
    for colour in range(num_seats):
        others = state.table[colour]
        for other in range(num_seats):
            if other != seat:
                others |= state.hands[other, colour]
        lowest = np.int64(-1)
        for value in range(num_values):
            if others >> value & 1:
                lowest = -1
            elif state.hands[seat, colour] >> value & 1:
                card = colour * num_values + value
                lowest = card if lowest < 0 else lowest
                same_as[card] = lowest
