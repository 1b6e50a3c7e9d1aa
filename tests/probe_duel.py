"""A probe for self-play: four positions in which a wrong mask, sign, bootstrap or seat shows.

Half of the games begin at the `gate`, where seat 0 takes 0.8 (`stay`) or goes on to be judged by
seat 1, who hits it (-1) or misses (+1). The other half begin at the `door`, where seat 0 takes 0.8
or goes on to a room of its own, where it wins 1 or loses 1. A sound learner stays at the gate, for
seat 1 will hit, and goes through the door: 0.8 and 1.
"""

import dataclasses
from typing import Any

import numpy as np
import torch

from parlour.baselines.networks.kinds import policy_of
from parlour.envs.authoring import setting
from parlour.envs.core.bits import allow
from parlour.envs.core.compile import rule
from parlour.envs.core.fields import Field
from parlour.envs.core.game import Game
from parlour.envs.core.rng import below

from .probes import NO_ACTION, new_probe, played
from .probes import Config as NoSettings

STAY, GO, HIT, MISS, LOSE, WIN = range(6)
NAMES = ("stay", "go", "hit", "miss", "lose", "win")
GATE, DOOR, BENCH, ROOM, OVER = range(5)


@dataclasses.dataclass(frozen=True)
class Config(NoSettings):
    """What to set."""

    stay: int = setting(8, "what seat 0 gets for staying, in tenths")


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


def probe_duel(**settings: Any) -> Game:
    """The probe as a Game of two seats."""
    return new_probe(
        probe_duel,
        Config(**settings),
        NAMES,
        OVER,
        (
            Field("seat", np.int8, (), 0, 1, "who looks"),
            Field("place", np.int8, (), 0, ROOM, "where the game is"),
        ),
        deal=deal,
        seat_to_act=seat_to_act,
        legal_actions=legal_actions,
        apply_action=apply_action,
        is_terminal=is_terminal,
        returns=returns,
        observe=observe,
    )


def scores(learner: str, game: Game, network: torch.nn.Module) -> tuple[float, float]:
    """What seat 0 gets at the gate and at the door, where both seats play the learned policy."""
    policy = policy_of(learner, game, network)
    return played(game, policy, GATE), played(game, policy, DOOR)


def equal(first: torch.nn.Module, second: torch.nn.Module) -> bool:
    """Whether two networks have the same weights."""
    others = second.state_dict()
    return all(torch.equal(tensor, others[key]) for key, tensor in first.state_dict().items())
