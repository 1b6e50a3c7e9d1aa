"""What a seat needs of a policy, and a table of the compiled ones for the loops."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, Protocol

import numba
import numpy as np

from ..compile import address_of, array_rule, bind, is_lean, unbound
from ..game import Function, Game
from ..records import PLAYER
from ..rng import STREAM
from .calls import number_of_uncompiled

NO_WEIGHTS = np.zeros(0, np.int8)  # in place of the weights of a script
RAISED = -9  # in place of an action: a player has raised an error
NO_OBSERVATION = np.dtype(
    (np.record, [("nothing", np.int8)])
)  # in place of what a seat knows, for players that look at the mask alone

row_function = ask = OBSERVATION = WEIGHTS = NUM_WORDS = unbound  # see `_entry`


class Memory(Protocol):
    """A player with memory: one for each seat of each table, for one game.

    It gets the observation of its seat at the start and after every ply of any seat.
    """

    def begin(self, seat: int, game: Any) -> None:
        """Begin a new game, before the first observation."""

    def watch(self, observation: Any) -> None:
        """Receive the observation of its seat, a record."""

    def choose(self, observation: Any, action_mask: Any, rng: Any) -> int:
        """Choose a legal action; `rng` is the stream of its seat, [1]."""


class SeatedPolicy(Protocol):
    """What a seat needs of a policy; see `parlour.baselines.Policy`."""

    @property
    def name(self) -> str:
        """The name, for messages."""

    @property
    def row_function(self) -> Function | None:
        """Compiled: (observation record, mask words, rng) -> action; None if it is not compiled."""

    @property
    def weights(self) -> np.ndarray | None:
        """A record [1] that `row_function` takes as its first argument; None for scripts."""

    @property
    def needs_positions(self) -> bool:
        """Return whether it searches from determinized positions."""

    @property
    def remember(self) -> Callable[[], Memory] | None:
        """The maker of a player with memory; None where the policy needs only the observation."""

    @property
    def is_blind(self) -> bool:
        """Return whether it looks at the action mask alone."""

    def __call__(self, observations: Any, action_masks: Any, rngs: Any, positions: Any) -> Any:
        """Actions [B]."""


def player_table(game: Game, policies: Sequence[SeatedPolicy]) -> np.ndarray:
    """Return a PLAYER record for each policy, [max(1, P)]."""
    table = np.zeros(max(1, len(policies)), PLAYER)
    for row, policy in zip(table, policies, strict=False):
        if policy.row_function is not None and policy.remember is None:
            row["function"], row["weights"] = callable_player(
                policy.row_function,
                policy.weights,
                NO_OBSERVATION if policy.is_blind else game.observation_dtype,
                game.num_mask_words,
            )
            row["is_blind"] = policy.is_blind
    return table


@cache  # and kept, because the code of a function lives no longer than it
def _entry(row_function: Function, *dtypes: Any, num_words: int) -> tuple[Any, int]:
    """Return a function of pointers that asks a player, and its address."""
    template = _ask_script if len(dtypes) == 1 else _ask_network
    bindings = dict(zip(("OBSERVATION", "WEIGHTS"), dtypes, strict=False))
    entry = bind(template, row_function=row_function, NUM_WORDS=num_words, **bindings)
    if not is_lean(row_function):
        entry = bind(_ask_guarded, ask=entry)
    return entry, address_of(entry, [STREAM, *dtypes])


def callable_player(
    row_function: Function, weights: np.ndarray | None, observation_dtype: Any, num_words: int
) -> tuple[int, int]:
    """Return the addresses of a compiled player and of its weights, for `call_player`."""
    if numba.config.DISABLE_JIT:
        first = () if weights is None else (weights[0],)
        return number_of_uncompiled(partial(row_function, *first)), 0
    if weights is None:
        return _entry(row_function, observation_dtype, num_words=num_words)[1], 0
    dtypes = observation_dtype, weights.dtype
    return _entry(row_function, *dtypes, num_words=num_words)[1], weights.ctypes.data


@array_rule
def _ask_script(weights, observation, mask, rng):
    action = row_function(
        numba.carray(observation, (1,), OBSERVATION)[0],
        numba.carray(mask, (NUM_WORDS,), np.int64),
        numba.carray(rng, (1,), STREAM)[0],
    )
    return np.int64(action)


@array_rule
def _ask_network(weights, observation, mask, rng):
    action = row_function(
        numba.carray(weights, (1,), WEIGHTS)[0],
        numba.carray(observation, (1,), OBSERVATION)[0],
        numba.carray(mask, (NUM_WORDS,), np.int64),
        numba.carray(rng, (1,), STREAM)[0],
    )
    return np.int64(action)


@array_rule
def _ask_guarded(weights, observation, mask, rng):
    """Ask a player that may raise errors, which do not cross a C function."""
    try:
        return ask(weights, observation, mask, rng)
    except Exception:
        return np.int64(RAISED)
