"""A probe for learners: three positions in which a learner that forgets a mask or a sign must fail.

At the start a seat takes 0.2 (`safe`) or walks into a cell (`trap`), where its only action loses 1.
Half of the games begin in a treasury instead, which looks exactly like the cell but where the only
action wins 1. Only the action mask tells the two apart.
"""

from typing import Any

import numpy as np

from parlour.envs.core.bits import allow
from parlour.envs.core.compile import rule
from parlour.envs.core.fields import Field
from parlour.envs.core.game import Game
from parlour.envs.core.rng import below

from .probes import NO_ACTION, Config, new_probe

SAFE, TRAP, LOSE, WIN = range(4)
NAMES = ("safe", "trap", "lose", "win")
START, CELL, TREASURY, OVER = range(4)
SAFE_RETURN = 0.2  # what a sound learner gets from the start


@rule
def deal(state, rng):
    state.place = START if below(rng, 2) == 0 else TREASURY
    state.last = NO_ACTION


@rule
def seat_to_act(state):
    return 0


@rule
def legal_actions(state, mask):
    if state.place == START:
        allow(mask, SAFE)
        allow(mask, TRAP)
    elif state.place == CELL:
        allow(mask, LOSE)
    else:
        allow(mask, WIN)


@rule
def apply_action(state, action):
    state.last = action
    state.place = CELL if action == TRAP else OVER


@rule
def is_terminal(state):
    return state.place == OVER


@rule
def returns(state, out):
    out[:] = 0.0
    if state.place == OVER:
        out[0] = 0.2 if state.last == SAFE else (1.0 if state.last == WIN else -1.0)
        out[1] = -out[0]


@rule
def observe(state, seat, out):
    out.is_room = state.place != START


def probe_game(**settings: Any) -> Game:
    """The probe as a Game of two seats, of which only seat 0 ever acts."""
    return new_probe(
        probe_game,
        Config(**settings),
        NAMES,
        OVER,
        (Field("is_room", np.int8, (), 0, 1, "in the cell or the treasury"),),
        deal=deal,
        seat_to_act=seat_to_act,
        legal_actions=legal_actions,
        apply_action=apply_action,
        is_terminal=is_terminal,
        returns=returns,
        observe=observe,
    )
