"""Playouts, by which searches evaluate a position: one compiled player plays it to the end.

They start from determinizations: positions of the information set of the seat to move.
"""

from typing import NamedTuple

import numpy as np

from ...envs.core.bits import random_allowed
from ...envs.core.compile import bind, unbound
from ...envs.core.game import Function, Game, check_range
from ...envs.core.play.loops import bindings_of, no_observation
from ...envs.core.play.policies import NO_WEIGHTS
from ...envs.core.play.tables import new_streams
from ...envs.core.rng import split, uniform
from ..networks.inputs import octets
from ..networks.learned import learned_policy
from ..policies.file_names import CHECKPOINT, checkpoint_file
from ..policies.roster import BLIND, own_players
from ..policies.settings import checked_above_zero

BUDGET = 400  # playouts or simulations a move, unless a setting says otherwise
MAX_BUDGET = 1_000_000
EPSILON = 0.2

_BLIND_FUNCTIONS = tuple(player.row_function for player in BLIND.values())

# Names to which `bind` gives a meaning.
row_function = reshuffle_unseen = settle = is_terminal = seat_to_act = legal_actions = unbound
observe = choose = apply_action = returns = unbound


def checked_budget(
    player: str,
    setting: str,
    budget: int | None,
    milliseconds: float | None,
    default: int = BUDGET,
) -> int:
    """Return the number of playouts or simulations a move, called `setting`.

    Raises ValueError for a value out of range, and where `milliseconds` are given as well.
    """
    if budget is not None and milliseconds is not None:
        raise ValueError(f"{player} takes {setting} or milliseconds, not both")
    if milliseconds is not None:
        checked_above_zero("milliseconds", milliseconds)
    budget = default if budget is None else budget
    check_range(setting, budget, 1, MAX_BUDGET)
    return budget


def playout_player(game: Game, name: str | None) -> tuple[Function, np.ndarray]:
    """Return the row function of a compiled player and its weights, a record [1] or NO_WEIGHTS.

    `name` is a script or the file of a checkpoint; None stands for the strongest fast script.
    Raises ValueError for a player that does not exist or is not compiled.
    """
    if name is None or not checkpoint_file(name).endswith(CHECKPOINT):
        return row_function_of(game, name), NO_WEIGHTS
    policy = learned_policy(name, game)
    if policy.row_function is None or policy.weights is None:
        raise ValueError(f"{name} is not compiled, so it cannot play out games")
    return policy.row_function, policy.weights


def row_function_of(game: Game, name: str | None) -> Function:
    """Return the compiled player called `name`; None stands for the strongest fast script.

    Raises ValueError for a player that does not exist or is not compiled.
    """
    players = {**BLIND, **own_players(game)}
    functions = {
        key: player.row_function
        for key, player in players.items()
        if player.row_function is not None
    }
    if name is None:
        scripts = [
            key
            for key, function in functions.items()
            if players[key].plays_out and function not in _BLIND_FUNCTIONS
        ]
        name = scripts[-1] if scripts else "random"
    if name not in functions:
        raise ValueError(f"playout_policy must be one of {', '.join(functions)}; got {name!r}")
    return functions[name]


class PlayoutScratch(NamedTuple):
    """Arrays that compiled searches write to; nothing in them outlives a simulation.

    Index 0 of `states` and `rngs` is the determinized position and the stream that all its actions
    are simulated with; index 1 is the simulation under way, which begins as a copy of them.
    """

    states: np.ndarray  # records [2]
    rngs: np.ndarray  # streams [2]
    observation: np.ndarray  # record [1]
    data: np.ndarray  # uint8 [size]: the bytes of the observation
    words: np.ndarray  # int64 [W]: a mask of actions
    outputs: np.ndarray  # float32 [A], of a network
    values: np.ndarray  # float [seats]: what the simulation was worth to each seat
    weights: np.ndarray  # of the player in playouts: a record [1] or NO_WEIGHTS; only read

    @staticmethod
    def empty(game: Game, weights: np.ndarray) -> "PlayoutScratch":
        """Return scratch for searches of `game` with playouts by a player of these weights."""
        observation = game.new_observations()
        return PlayoutScratch(
            states=game.new_states(2),
            rngs=new_streams((2,)),
            observation=observation,
            data=octets(observation)[0],
            words=np.zeros(game.num_mask_words, np.int64),
            outputs=np.zeros(game.num_actions, np.float32),
            values=np.zeros(game.num_seats),
            weights=weights,
        )


def playout_function(row_function: Function, weights: np.ndarray) -> Function:
    """Return the function (scratch, rng) -> action of a player that sees what `scratch` holds."""
    template = _network_plays if weights.size else _script_plays
    return bind(template, row_function=row_function)


def _script_plays(scratch, rng):
    return row_function(scratch.observation[0], scratch.words, rng)


def _network_plays(scratch, rng):
    return row_function(scratch.weights[0], scratch.observation[0], scratch.words, rng)


def bindings_for(game: Game, row_function: Function) -> dict[str, Function]:
    """Return the rules by name for a loop in which `row_function` plays.

    No observation is computed for players that use the mask alone.
    """
    is_blind = row_function in _BLIND_FUNCTIONS
    return bindings_of(game) | ({"observe": no_observation} if is_blind else {})


def determinize_template(position, seat, rng, states, streams, index):
    """Write a determinization for `seat` to states[index]; seed the stream of its later draws."""
    states[index] = position
    reshuffle_unseen(states[index], seat, rng)
    split(rng, streams[index])


def play_out_template(state, rng, epsilon, scratch):
    """Let one player act for all seats to the end; write the returns into `scratch.values`.

    It acts at random with probability `epsilon`.
    """
    settle(state, rng)
    while not is_terminal(state):
        seat = seat_to_act(state)
        scratch.words[:] = 0
        legal_actions(state, scratch.words)
        if epsilon > 0.0 and uniform(rng) < epsilon:
            action = random_allowed(scratch.words, rng)
        else:
            observe(state, seat, scratch.observation[0])
            action = choose(scratch, rng)
        apply_action(state, action)
        settle(state, rng)
    returns(state, scratch.values)
