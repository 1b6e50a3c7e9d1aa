"""A search for trick-taking with hidden hands: re-deal them, play on by a network, solve the end.

The cards that the network finds likely are tried in the same re-deals (Ginsberg 2001). The network
plays on in every seat, and where the seat itself has a choice again its value counts: a policy
rollout that is cut off (Tesauro and Galperin 1996). The last tricks are solved instead, with all
hands open and every seat for itself (`open_hands`).
"""

import dataclasses
import threading
from collections.abc import Callable

import numpy as np

from ...envs.core.compile import rule
from ...envs.core.game import Game
from ..networks.learned import shipped_checkpoints
from ..players.objective import weigh_first_place
from ..players.policy import Policy
from ..search import rollout
from ..search.playout import checked_budget
from .open_hands import SearchStack, lowest_of_own_runs, others_in, solve

NAME = "max_n"
NUM_SIMULATIONS = 200
SOLVED_TRICKS = 3
HORIZON = 1
FIRST_PLACE_WEIGHT = 0.5


def max_n(
    game: Game,
    num_simulations: int | None = None,
    milliseconds: float | None = None,
    network: str | None = None,
    first_place_weight: float = FIRST_PLACE_WEIGHT,
) -> Policy:
    """Re-deals the hidden hands, plays on by a network, and solves the last tricks by max^n.

    `network` is the file of a checkpoint; the default is the network `ppo` that ships for the game.
    A move takes at most `num_simulations` (200 by default) or `milliseconds`. A simulation ends
    where the seat has a choice again, with the network's value of it, or where three tricks are
    left. What is solved counts by `first_place_weight` for the first place, and by the rest for the
    return. All else is as in `search.rollout`.

    Raises ValueError for a value out of range, for a checkpoint that does not fit, and where no
    network ships and none is named.
    """
    budget = checked_budget(
        NAME, "num_simulations", num_simulations, milliseconds, default=NUM_SIMULATIONS
    )
    if network is None and not has_ppo_network(game):
        raise ValueError(f"no network ships for {game!r}; name a checkpoint: network=FILE.pt")
    policy = rollout.policy_rollout(
        game,
        network or str(shipped_checkpoints(game)["ppo"]),
        None if milliseconds is not None else budget,
        milliseconds,
        first_place_weight=first_place_weight,
        horizon=HORIZON,
        knowledge=rollout.Knowledge(outcome, SearchStack.empty(game, SOLVED_TRICKS), merge_runs),
    )
    lock = threading.Lock()  # threads must not share the stack
    assert policy.values is not None
    return dataclasses.replace(
        policy,
        name=NAME,
        choose=_alone(policy.choose, lock),
        values=_alone(policy.values, lock),
    )


def has_ppo_network(game: Game) -> bool:
    """Whether a network ships for these settings."""
    return "ppo" in shipped_checkpoints(game)


def _alone(function: Callable[..., np.ndarray], lock: threading.Lock) -> Callable[..., np.ndarray]:
    def run(*inputs: np.ndarray) -> np.ndarray:
        with lock:
            return function(*inputs)

    return run


@rule
def outcome(state, seat, first_place_weight, values, memory):
    """What a game is worth to a seat where few enough tricks are left to solve; NaN before."""
    if state.tricks_left > memory.tricks:
        return np.nan
    solve(memory, state, values)
    worth_of(values, first_place_weight)
    return values[seat]


@rule
def worth_of(tricks, first_place_weight):
    """Turn the tricks of all seats into what they are worth."""
    num_seats, total = tricks.shape[0], tricks.sum()
    for seat in range(num_seats):
        tricks[seat] = (num_seats * tricks[seat] / total - 1.0) / (num_seats - 1)
    weigh_first_place(tricks, first_place_weight)


@rule
def merge_runs(state, same_as):
    """Of cards that touch, with none left between, name the lowest for each in same_as [A]."""
    seat = np.int64(state.seat_to_act)
    num_seats, num_values = state.dealt.shape
    for colour in range(num_seats):
        own = state.hands[seat, colour]
        lowest = lowest_of_own_runs(own, others_in(state, seat, colour))
        card = np.int64(-1)
        for value in range(num_values):
            if lowest >> value & 1:
                card = colour * num_values + value
            if own >> value & 1:
                same_as[colour * num_values + value] = card
