"""Nim: take objects from one heap; the seat that takes the last one of all wins.

The page to copy for a game of your own. In this folder: `parlour watch nim --import nim`.
"""

import dataclasses

import numpy as np

import parlour.envs.authoring as pl

MAX_HEAPS = 4
LARGEST = 2 * MAX_HEAPS - 1  # objects in a heap
NUM_ACTIONS = MAX_HEAPS * LARGEST


@dataclasses.dataclass(frozen=True)
class Config:
    """The settings of Nim."""

    num_heaps: int = pl.setting(4, "heaps of 1, 3, 5, ... objects: 1 .. 4")

    def __post_init__(self) -> None:
        pl.check_range("num_heaps", self.num_heaps, 1, MAX_HEAPS)


@pl.rule
def deal(state, rng):
    """Lay out heaps of 1, 3, 5, ... objects; seat 0 begins."""
    for heap in range(state.heaps.shape[0]):
        state.heaps[heap] = 2 * heap + 1
    state.seat = 0


@pl.rule
def seat_to_act(state):
    """The seats take turns."""
    return state.seat


@pl.rule
def legal_actions(state, mask):
    """Take one or more objects, all from one heap."""
    for heap in range(state.heaps.shape[0]):
        for index in range(state.heaps[heap]):
            pl.allow(mask, heap * LARGEST + index)


@pl.rule
def apply_action(state, action):
    """The objects leave their heap, and the other seat is to act."""
    state.heaps[action // LARGEST] -= action % LARGEST + 1
    state.seat = 1 - state.seat


@pl.rule
def is_terminal(state):
    """All heaps are empty."""
    return state.heaps.sum() == 0


@pl.rule
def returns(state, out):
    """The seat that took the last object wins: the one that is not to act."""
    out[:] = 0.0
    if is_terminal(state):
        out[state.seat] = -1.0
        out[1 - state.seat] = 1.0


@pl.rule
def observe(state, seat, out):
    """Everything lies open."""
    out.heaps[:] = state.heaps
    out.is_own_turn = state.seat == seat


def describe(state: np.record, seat: int | None = None) -> str:
    """One line for each heap."""
    return "\n".join(f"heap {heap}: {'|' * n}" for heap, n in enumerate(state["heaps"].tolist()))


def action_name(action: int) -> str:
    """`2x1` takes two objects from heap 1. Raises ValueError for a number that is no action."""
    pl.check_range("action", action, 0, NUM_ACTIONS - 1)
    return f"{action % LARGEST + 1}x{action // LARGEST}"


def game(**settings: int) -> pl.Game:
    """Nim with these settings. Raises TypeError for an unknown one, ValueError for a wrong one."""
    config = pl.make_config(Config, "nim", settings)
    heaps = pl.Field("heaps", np.int8, (config.num_heaps,), 0, LARGEST, "objects in each heap")
    seat = pl.Field("seat", np.int8, (), 0, 1, "the seat to act")
    own_turn = pl.Field("is_own_turn", np.int8, (), 0, 1, "1 for the seat to act")
    return pl.Game(
        name="nim",
        version=0,
        config=config,
        make=game,
        num_seats=2,
        num_actions=NUM_ACTIONS,
        state_fields=(heaps, seat),
        observation_fields=(heaps, own_turn),
        has_chance=False,
        has_hidden=False,
        **pl.functions_in(__name__),
    )


pl.register_game(game)
