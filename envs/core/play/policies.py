"""What a seat needs of a policy, and a table of the compiled ones for the loops."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from ..game import Function, Game
from ..records import PLAYER
from .calls import callable_player

NO_OBSERVATION = np.dtype(
    (np.record, [("nothing", np.int8)])
)  # in place of what a seat knows, for players that look at the mask alone


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
