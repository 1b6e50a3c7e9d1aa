"""What a seat learns of another seat's action: its name, or only that there was one.

Some actions are seen by a few seats only, such as a card that is given face down.
"""

import numpy as np

from .game import Game
from .rng import streams

_NUM_POSITIONS = 8  # that the seat cannot tell from the true one; each is tried with every action


def is_seen(game: Game, state: np.record, action: int, seat: int) -> bool:
    """Whether `seat` can tell, from what it may know, that `action` was played in `state`.

    It cannot where another action, in this position or in one that looks the same to it, leaves it
    with the same observation. `state` is the position before the action.
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
