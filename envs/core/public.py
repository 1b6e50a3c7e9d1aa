"""Decide whether a seat sees which action another seat plays.

Some actions are visible to a few seats only, such as passing a card face down.
"""

import numpy as np

from .game import Game
from .rng import streams

_NUM_POSITIONS = 8  # that look the same to the seat; each is tried with every action


def is_seen(game: Game, state: np.record, action: int, seat: int) -> bool:
    """Return whether `seat` can infer that `action` was played in `state`, the position before it.

    It cannot where another action, in this position or in one that looks the same to it, leads to
    the same observation.
    """
    if int(game.seat_to_act(state)) == seat:
        return True
    states, rngs = game.new_states(_NUM_POSITIONS), streams(range(_NUM_POSITIONS))
    states[:] = state
    for position, rng in zip(states[1:], rngs[1:], strict=True):
        game.reshuffle_unseen(position, seat, rng)
    truth = _seen_after(game, state, action, seat)
    return not any(
        other != action and _seen_after(game, position, other, seat) == truth
        for position in states
        for other in game.legal_action_list(position)
    )


def _seen_after(game: Game, state: np.record, action: int, seat: int) -> bytes:
    after, observation = game.new_states(), game.new_observations()
    after[0] = state
    game.apply_action(after[0], action)
    game.observe(after[0], seat, observation[0])
    return observation.tobytes()
