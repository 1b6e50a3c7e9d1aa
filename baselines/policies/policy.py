"""The Policy: chooses actions for a batch of seats from their observations.

A scripted player is one compiled row function, which `compiled_policy` applies to batches. All
other players are functions over batches.
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from ...envs.core.bits import gather_mask
from ...envs.core.compile import rule
from ...envs.core.game import Function, Game
from ...envs.core.play.calls import call_player
from ...envs.core.play.legal import check_legal
from ...envs.core.play.policies import NO_OBSERVATION, RAISED, Memory, player_table
from ...envs.core.rng import fresh_seed, streams, uniform


@dataclasses.dataclass(frozen=True, eq=False)
class Policy:
    """A player of one game.

    Calling it with a batch returns legal actions [B]. The arguments are observations [B] (records
    of the game's observation dtype), masks int8 [B, A] and one random stream for each row. It is a
    pure function of these, and shares no randomness with other players of the same deal.

    `values`, where a policy has it, estimates the return of each action: (records [B], masks
    int8 [B, A]) -> float [B, A], meaningful at legal actions only. That of a searching policy takes
    streams [B] and positions [B] as well.

    `probabilities`, where a policy has it, is its distribution: (records [B], masks int8 [B, A]) ->
    probabilities of the actions [B, A], 0 where illegal. `exploitability` needs it of a stochastic
    policy.

    A searching policy (`needs_positions`) also takes positions [B]: determinizations, sampled from
    the information set of its seat.

    `remember` creates a policy with memory for each seat of each game; it observes every ply. It
    plays whole games, and cannot be called for a single position.
    """

    name: str
    game: Game
    choose: Callable[..., np.ndarray]
    row_function: Function | None = None  # compiled: (observation, mask words, rng) -> action
    weights: np.ndarray | None = None  # a record [1]; where given, `row_function` takes it first
    needs_positions: bool = False
    values: Callable[..., np.ndarray] | None = None
    probabilities: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None
    remember: Callable[[], Memory] | None = None
    remake: Callable[[], "Policy"] | None = None  # makes the policy in another process
    is_blind: bool = False  # whether it looks at the mask alone

    def __repr__(self) -> str:
        return f"<Policy {self.name} of {self.game.name}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickle the call that makes the policy, because compiled functions cannot be pickled."""
        return super().__reduce_ex__(protocol) if self.remake is None else (self.remake, ())

    def __deepcopy__(self, memo: Any) -> "Policy":
        return self  # a policy never changes

    def __call__(
        self,
        observations: np.ndarray,
        action_masks: np.ndarray,
        rngs: np.ndarray,
        positions: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return actions [B]. Raises ValueError where a searching policy gets no positions."""
        if not self.needs_positions:
            return self.choose(observations, action_masks, rngs)
        if positions is None:
            raise ValueError(
                f"{self.name} searches and needs positions: act(observation, mask, "
                "position=env.unwrapped.determinize()), in PettingZoo determinize(agent), "
                "or for a batch those of Tables.determinize"
            )
        return self.choose(observations, action_masks, rngs, positions)

    def act(
        self,
        observation: Any,
        action_mask: np.ndarray,
        *,
        rng: np.ndarray | None = None,
        position: np.ndarray | None = None,
    ) -> int:
        """Return one action at one table.

        `observation` is a record, or a flat array from an environment, scaled or integer. `rng` is
        a stream array [1] to draw from; by default a fresh one is made. `position` is a state
        record for searching policies. Raises PlayerError where the action is not legal.
        """
        masks = np.asarray(action_mask, dtype=np.int8).reshape(1, self.game.num_actions)
        rngs = streams([fresh_seed()]) if rng is None else rng
        positions = None if position is None else np.asarray(position).reshape(1)
        actions = self(as_records(self.game, observation), masks, rngs, positions)
        check_legal(self.game, self.name, np.asarray(actions), masks)
        return int(actions[0])


def values_of(
    policy: Policy,
    observations: np.ndarray,
    masks: np.ndarray,
    rngs: np.ndarray,
    positions: np.ndarray | None,
) -> np.ndarray:
    """Return the values [B, A] of a policy that has them; one that searches needs positions."""
    assert policy.values is not None
    if policy.needs_positions:
        return policy.values(observations, masks, rngs, positions)
    return policy.values(observations, masks)


class Sb3Model(Protocol):
    """A model of stable-baselines3, which has its torch module as `policy`."""

    @property
    def policy(self) -> Any:
        """Its torch module."""


# Whatever `make_policy` makes a player of: a name, a file, a function or class, a model, a Policy.
PolicySpec = str | Policy | Callable[..., Any] | Sb3Model


def as_records(game: Game, observation: Any) -> np.ndarray:
    """Convert one observation, a record or a flat array, to records [1]."""
    array = np.asarray(observation)
    if array.dtype.names is not None:
        return array.reshape(1).view(game.observation_dtype)
    return game.layout.records(array.reshape(1, -1))


def compiled_policy(
    name: str,
    game: Game,
    row_function: Function,
    weights: np.ndarray | None = None,
    values: Callable[..., np.ndarray] | None = None,
    is_blind: bool = False,
) -> Policy:
    """Make a policy of a compiled row function: (observation record, mask words, rng) -> action.

    With `weights`, a record [1], the function takes that record as its first argument. With
    `is_blind` it does not look at the observation, so that one compiled loop serves every game.
    """

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        actions = np.empty(len(observations), np.int64)
        words = np.zeros(game.num_mask_words, np.int64)
        inputs = np.zeros(len(observations), NO_OBSERVATION) if is_blind else observations
        masks = np.ascontiguousarray(action_masks)  # each layout would be compiled by itself
        players = player_table(game, [policy])
        _choose_rows(players, inputs, masks, rngs, words, actions)
        if (actions == RAISED).any():  # called from Python, it raises its own error
            row = int((actions == RAISED).argmax())
            gather_mask(masks[row], words)
            first = () if weights is None else (weights[0],)
            row_function(*first, observations[row], words, rngs[row])
        return actions

    policy = Policy(
        name,
        game,
        choose,
        row_function=row_function,
        weights=weights,
        values=values,
        is_blind=is_blind,
    )
    return policy


# (observations [B], masks int8 [B, A], rngs [B], positions [B]) -> (actions [B], values [B, A])
Search = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def searching_policy(name: str, game: Game, search: Search) -> Policy:
    """Make a policy of a search that returns the best actions and the values of all actions."""
    return Policy(
        name,
        game,
        lambda *inputs: search(*inputs)[0],
        needs_positions=True,
        values=lambda *inputs: search(*inputs)[1],
    )


def remembering_policy(name: str, game: Game, remember: Callable[[], Memory]) -> Policy:
    """Make a policy of players with memory; `remember()` makes one for a seat of a game."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        raise ValueError(f"{name} has a memory: let it play whole games, not single positions")

    return Policy(name, game, choose, remember=remember)


def stochastic_policy(
    name: str, game: Game, probabilities: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> Policy:
    """Make a policy that draws: (records [B], masks int8 [B, A]) -> probabilities [B, A]."""

    def choose(observations: np.ndarray, action_masks: np.ndarray, rngs: np.ndarray) -> np.ndarray:
        cumulative = np.cumsum(probabilities(observations, action_masks), axis=1, dtype=np.float64)
        cumulative /= cumulative[:, -1:]
        drawn = np.array([uniform(rng) for rng in rngs])
        return (cumulative <= drawn[:, None]).sum(axis=1)

    return Policy(name, game, choose, probabilities=probabilities)


@rule
def _choose_rows(players, observations, action_masks, rngs, words, actions):
    """Let players[0] choose actions[k] from the k-th observation, mask int8 [A] and stream."""
    player = players[0]
    for k in range(observations.shape[0]):
        gather_mask(action_masks[k], words)
        actions[k] = call_player(player.function, player.weights, observations[k], words, rngs[k])
