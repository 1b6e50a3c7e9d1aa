"""A probe for self-play: three positions in which a wrong mask, sign, bootstrap or seat shows.

Half of the games begin at the `gate`, where seat 0 takes 0.8 (`stay`) or goes on to be judged by
seat 1, who hits it (-1) or misses (+1). The other half begin at the `door`, where seat 0 takes 0.8
or goes on to a room of its own, where it wins 1 or loses 1. A sound learner stays at the gate, for
seat 1 will hit, and goes through the door: 0.8 and 1.
"""

import dataclasses
from typing import Any

import numpy as np

from parlour.envs.core.bits import allow
from parlour.envs.core.game import Game
from parlour.envs.core.jit import rule
from parlour.envs.core.records import Field
from parlour.envs.core.rng import below

STAY, GO, HIT, MISS, LOSE, WIN = range(6)
NAMES = ("stay", "go", "hit", "miss", "lose", "win")
GATE, DOOR, BENCH, ROOM, OVER = range(5)
NO_ACTION = -1


@dataclasses.dataclass(frozen=True)
class Config:
    """What to set."""

    stay: int = 8  # what seat 0 gets for staying, in tenths


@rule
def deal(state, rng):
    state.place = GATE if below(rng, 2) == 0 else DOOR
    state.last = NO_ACTION


@rule
def seat_to_act(state):
    return 1 if state.place == BENCH else 0


@rule
def legal_actions(state, mask):
    if state.place == BENCH:
        allow(mask, HIT)
        allow(mask, MISS)
    elif state.place == ROOM:
        allow(mask, LOSE)
        allow(mask, WIN)
    else:
        allow(mask, STAY)
        allow(mask, GO)


@rule
def apply_action(state, action):
    state.last = action
    if action == GO:
        state.place = BENCH if state.place == GATE else ROOM
    else:
        state.place = OVER


@rule
def is_terminal(state):
    return state.place == OVER


@rule
def returns(state, out):
    out[:] = 0.0
    if state.place == OVER:
        won = state.last == MISS or state.last == WIN
        out[0] = state.stay / 10 if state.last == STAY else (1.0 if won else -1.0)
        out[1] = -out[0]


@rule
def observe(state, seat, out):
    out.seat = seat
    out.place = min(state.place, ROOM)


@rule
def reshuffle_unseen(state, seat, rng):
    """Nothing is random that a seat could not see."""


def deal_from(state: np.record, data: dict[str, int], rng: np.record) -> None:
    state.place = data["place"]
    state.last = NO_ACTION


def probe_duel(**settings: Any) -> Game:
    """The probe as a Game of two seats."""
    config = Config(**settings)
    return Game(
        name="duel",
        version=0,
        config=config,
        make=probe_duel,
        house_rules={"stay": config.stay},
        num_seats=2,
        num_actions=len(NAMES),
        state_fields=(
            Field("place", np.int8, (), 0, OVER, "where the game is"),
            Field("last", np.int8, (), NO_ACTION, WIN, "the last action"),
            Field("stay", np.int8, (), -10, 10, "what seat 0 gets for staying, in tenths"),
        ),
        observation_fields=(
            Field("seat", np.int8, (), 0, 1, "who looks"),
            Field("place", np.int8, (), 0, ROOM, "where the game is"),
        ),
        has_chance=True,
        has_hidden=True,
        deal=deal,
        seat_to_act=seat_to_act,
        legal_actions=legal_actions,
        apply_action=apply_action,
        is_terminal=is_terminal,
        returns=returns,
        observe=observe,
        reshuffle_unseen=reshuffle_unseen,
        deal_from=deal_from,
        describe=lambda state, seat=None: f"place {state.place}",
        action_name=lambda action: NAMES[action],
        parse_action=NAMES.index,
        draw=lambda state, seat=None: None,
    )
