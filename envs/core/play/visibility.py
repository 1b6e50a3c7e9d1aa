"""Decide whether a seat sees which action another seat plays.

Some actions are visible to a few seats only, such as passing a card face down.
"""

import numpy as np

from ..bits import clear, nth_allowed, num_allowed
from ..compile import bind, rule, unbound
from ..game import CHANCE, Game
from ..rng import streams
from .loops import loops_of

_NUM_POSITIONS = 8  # that look the same to the seat; each is tried with every action
seat_to_act = is_terminal = legal_actions = apply_action = observe = unbound
_RULES = ("seat_to_act", "is_terminal", "legal_actions", "apply_action", "observe")


def is_seen(game: Game, state: np.record, action: int, seat: int) -> bool:
    """Return whether `seat` can infer that `action` was played in `state`, the position before it.

    It cannot where another action, in this position or in one that looks the same to it, leads to
    the same observation.
    """
    if int(game.seat_to_act(state)) == seat:
        return True
    states, words = game.new_states(_NUM_POSITIONS + 1), np.zeros(game.num_mask_words, np.int64)
    states[:] = state
    others = np.arange(1, _NUM_POSITIONS)
    redealt = loops_of(game).reshuffle_rows
    redealt(states, others, np.full(len(others), seat), streams(others), states[1:_NUM_POSITIONS])
    observations = game.new_observations(2)
    game.apply_action(states[_NUM_POSITIONS], action)
    game.observe(states[_NUM_POSITIONS], seat, observations[0])
    truth, encoded = observations.view(np.uint8).reshape(2, -1)
    search = bind(_is_another, **{name: getattr(game, name) for name in _RULES})
    return not search(states, action, seat, observations[1:], words, truth, encoded)


def _is_another(states, action, seat, observation, words, truth, encoded):
    """Return whether another action than `action`, in one of these positions, looks like `truth`.

    The last position is scratch, and so are `observation` [1] and its bytes `encoded`.
    """
    last = states.shape[0] - 1
    after = states[last]
    for index in range(last):
        clear(words)
        if not is_terminal(states[index]) and seat_to_act(states[index]) != CHANCE:
            legal_actions(states[index], words)
        for number in range(num_allowed(words)):
            other = nth_allowed(words, number)
            if other != action:
                states[last] = states[index]
                encoded[:] = 0
                apply_action(after, other)
                observe(after, seat, observation[0])
                if _is_equal(truth, encoded):
                    return True
    return False


@rule
def _is_equal(left, right):
    for index in range(left.shape[0]):  # noqa: SIM110 - compiled
        if left[index] != right[index]:
            return False
    return True
