"""Policy rollouts for any game (Tesauro and Galperin 1996): a network's choice, improved by play.

The actions that a network prefers are played out by the network itself in every seat, all in the
same determinized positions. Its own choice stands until it falls behind another by more than chance
explains.
"""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import gather_mask, nth_allowed, num_allowed
from ...envs.core.game import Function, Game, check_range
from ...envs.core.jit import bind
from ...envs.core.tables import meanings_of
from ..networks.compiled import network_functions, num_layers
from ..networks.learned import learned_policy
from ..objective import weigh_first_place
from ..policy import Policy
from .playout import MAX_BUDGET, Scratch, checked_budget, determinize_template, playing

NAME = "policy_rollout"
NUM_PLAYOUTS = 200
NUM_CONSIDERED = 6
MARGIN = 1.0
FIRST_PLACE_WEIGHT = 0.8
ROUNDS_AT_ONCE = 8
MAX_GAP_OF_LOGITS = 5.0  # of a policy: a chance of less than 1 in 148 of that of the best
MAX_GAP_OF_VALUES = 0.2  # of a network that estimates returns


class Settings(NamedTuple):
    """The numbers that steer a search; see `policy_rollout`."""

    num_playouts: int
    seconds: float | None  # in place of a number of playouts
    num_considered: int
    max_gap: float
    margin: float
    first_place_weight: float


def policy_rollout(
    game: Game,
    network: str,
    num_playouts: int | None = None,
    milliseconds: float | None = None,
    num_considered: int = NUM_CONSIDERED,
    margin: float = MARGIN,
    first_place_weight: float = FIRST_PLACE_WEIGHT,
    outcome: Function | None = None,
) -> Policy:
    """Plays out what a network would most likely do, with the network in every seat.

    `network` is the file of a checkpoint. Of the legal actions, the `num_considered` with its
    highest outputs are compared, but none far below the best. A move takes at most `num_playouts`
    games (200 by default) or `milliseconds`; it ends sooner where one action is left. An action is
    left aside when it is behind the leader by more than `margin` standard errors of their
    difference. A game counts by `first_place_weight` (0.8 by default) for the first place, and by
    the rest for the return: see `weigh_first_place`. `outcome`, a compiled function (state, seat,
    first_place_weight), may know what a game is worth to a seat before its end, and is NaN before.

    Raises ValueError for a value out of range, and for a checkpoint that does not fit.
    """
    budget = checked_budget(NAME, "num_playouts", num_playouts, milliseconds, NUM_PLAYOUTS)
    check_range("num_considered", num_considered, 1, MAX_BUDGET)
    _check_number("margin", margin, np.inf)
    _check_number("first_place_weight", first_place_weight, 1)
    player = learned_policy(network, game)
    settings = Settings(
        num_playouts=budget,
        seconds=None if milliseconds is None else milliseconds / 1000,
        num_considered=num_considered,
        max_gap=MAX_GAP_OF_LOGITS if player.values is None else MAX_GAP_OF_VALUES,
        margin=float(margin),
        first_place_weight=float(first_place_weight),
    )
    search = RolloutSearch(game, player, settings, outcome)
    return Policy(NAME, game, search.choose, needs_positions=True, values=search.values)


def _check_number(setting: str, value: float, high: float) -> None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= high or value == np.inf:
        limits = "of 0 or more" if high == np.inf else f"in 0 .. {high}"
        raise ValueError(f"{setting} must be a number {limits}; got {value!r}")


class RolloutSearch:
    """The rollouts of one game by one compiled network."""

    def __init__(
        self, game: Game, player: Policy, settings: Settings, outcome: Function | None
    ) -> None:
        """Raise ValueError where the network's outputs are not one for each action."""
        self.game = game
        self.settings = settings
        weights = player.weights
        functions = None if weights is None else network_functions(num_layers(weights))
        if weights is None or functions is None or player.row_function != functions.best_action:
            raise ValueError(f"{player.name} cannot be rolled out: its network is of another kind")
        self._weights = weights
        self._evaluate = _bind_evaluate(functions.evaluate)
        choose = playing(functions.best_action, weights)
        self._play_rounds = _bind_rounds(choose, outcome, tuple(meanings_of(game).items()))

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        """Return actions [B]."""
        outputs = self._outputs(observations, masks)
        actions = outputs.argmax(axis=1)
        for row in np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1):
            considered = self._considered(outputs[row], self.settings.max_gap)
            running, means = self._race(positions[row], rngs[row], considered)
            if running[0] != considered[0]:  # the network's choice has fallen behind
                actions[row] = running[means.argmax()]
        return actions

    def values(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        """Return what each action is worth [B, A]; NaN of those that are not considered."""
        values = np.full(masks.shape, np.nan)
        for row, outputs in enumerate(self._outputs(observations, masks)):
            considered = self._considered(outputs, np.inf)
            running, means = self._race(positions[row], rngs[row], considered, margin=np.inf)
            values[row, running] = means
        return values

    def _outputs(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return the outputs of the network [B, A], -inf at illegal actions."""
        outputs = np.full(masks.shape, -np.inf, np.float32)
        words = np.zeros(self.game.num_mask_words, np.int64)
        self._evaluate(self._weights, observations, masks, words, outputs)
        return outputs

    def _considered(self, outputs: np.ndarray, max_gap: float) -> np.ndarray:
        """Return the actions to compare, the network's own choice first."""
        best_first = np.argsort(-outputs, kind="stable")[: self.settings.num_considered]
        gaps = outputs.max() - outputs[best_first]
        return best_first[(gaps <= max_gap) & np.isfinite(gaps)]

    def _race(
        self,
        position: np.ndarray,
        rng: np.ndarray,
        running: np.ndarray,
        margin: float | None = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the actions that are left at the end, in the same order, and their mean worth."""
        margin = self.settings.margin if margin is None else margin
        scratch = Scratch.empty(self.game, self._weights)  # fresh, so that threads do not share it
        samples = np.empty((0, len(running)))
        has_time = self._clock()
        while len(running) > 1 or margin == np.inf:
            num_rounds = has_time(len(running))
            if num_rounds == 0:
                break
            more = np.empty((num_rounds, len(running)))
            weight = self.settings.first_place_weight
            self._play_rounds(position, rng, running, weight, scratch, more)
            samples = np.concatenate([samples, more])
            left = is_in_the_race(samples, margin)
            running, samples = running[left], samples[:, left]
        return running, samples.mean(axis=0) if len(samples) else np.zeros(len(running))

    def _clock(self) -> Callable[[int], int]:
        """Return a function of the number of actions: how many rounds there is still time for."""
        left = self.settings.num_playouts
        start = time.perf_counter()

        def num_rounds(num_actions: int) -> int:
            nonlocal left
            if self.settings.seconds is not None:
                is_over = time.perf_counter() >= start + self.settings.seconds
                return 0 if is_over else ROUNDS_AT_ONCE
            count = min(ROUNDS_AT_ONCE, left // num_actions)
            left -= count * num_actions
            return count

        return num_rounds


def is_in_the_race(samples: np.ndarray, margin: float) -> np.ndarray:
    """Return which columns of [rounds, actions] are not clearly behind the one of the best mean.

    A column is clearly behind by more than `margin` standard errors of the mean difference. One
    standard error is taken to be 1 / rounds larger, because a few equal samples prove nothing.
    """
    leader = samples.mean(axis=0).argmax()
    behind = samples[:, leader, None] - samples
    errors = behind.std(axis=0) / np.sqrt(len(samples))
    is_in: np.ndarray = behind.mean(axis=0) <= margin * (errors + 1 / len(samples))
    return is_in


@lru_cache
def _bind_evaluate(evaluate: Function) -> Function:
    return bind(_evaluate_rows, evaluate=evaluate)


def _evaluate_rows(weights, observations, masks, words, outputs):
    for row in range(observations.shape[0]):
        gather_mask(masks[row], words)
        evaluate(weights[0], observations[row], words, outputs[row])


@lru_cache
def _bind_rounds(
    choose: Function, outcome: Function | None, meanings: tuple[tuple[str, Function], ...]
) -> Function:
    rules = dict(meanings)
    known = bind(_outcome_at_end, **rules) if outcome is None else bind(_early, outcome=outcome)
    play_on = bind(_play_on, choose=choose, outcome_of=known, **rules)
    determinize = bind(determinize_template, **rules)
    return bind(_play_rounds, determinize=determinize, play_on=play_on, **rules)


def _play_rounds(position, rng, actions, first_place_weight, scratch, samples):
    """Play all actions [A] out in each of R determinized positions; write samples [R, A]."""
    states, streams = scratch.states, scratch.rngs
    seat = seat_to_act(position)
    for index in range(samples.shape[0]):
        determinize(position, seat, rng, states, streams, 0)
        for k in range(actions.shape[0]):
            states[1] = states[0]
            streams[1] = streams[0]
            apply_action(states[1], actions[k])
            samples[index, k] = play_on(states[1], streams[1], seat, first_place_weight, scratch)


def _play_on(state, rng, own_seat, first_place_weight, scratch):
    """Let the network act for all seats until it is known what the game is worth to one."""
    settle(state, rng)
    worth = outcome_of(state, own_seat, first_place_weight, scratch)
    while np.isnan(worth):
        scratch.words[:] = 0
        legal_actions(state, scratch.words)
        action = nth_allowed(scratch.words, 0)
        if num_allowed(scratch.words) > 1:
            observe(state, seat_to_act(state), scratch.observation[0])
            action = choose(scratch, rng)
        apply_action(state, action)
        settle(state, rng)
        worth = outcome_of(state, own_seat, first_place_weight, scratch)
    return worth


def _outcome_at_end(state, seat, first_place_weight, scratch):
    if not is_terminal(state):
        return np.nan
    returns(state, scratch.values)
    weigh_first_place(scratch.values, first_place_weight)
    return scratch.values[seat]


def _early(state, seat, first_place_weight, scratch):
    return outcome(state, seat, first_place_weight)
