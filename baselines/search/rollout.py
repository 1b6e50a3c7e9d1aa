"""Policy rollouts for any game (Tesauro and Galperin 1996): a network's choice, improved by play.

The actions that a network prefers are played out by the network itself in every seat, all in the
same determinized positions, to the end or to a horizon. Its own choice stands until it falls behind
another by more than chance explains.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...envs.core.bits import nth_allowed, num_allowed
from ...envs.core.compile import bind
from ...envs.core.game import Function, Game, check_range
from ...envs.core.play.loops import meanings_of
from ..networks.compiled import best_legal, network_functions, num_layers
from ..networks.derived import arranged
from ..networks.inputs import row_function
from ..networks.learned import shown_policy
from ..players.objective import weigh_first_place
from ..players.policy import Policy
from ..players.settings import checked_number
from .playout import MAX_BUDGET, PlayoutScratch, checked_budget, determinize_template

NAME = "policy_rollout"
NUM_PLAYOUTS = 200
NUM_CONSIDERED = 6
MARGIN = 1.0  # standard errors by which an action is behind when it is left aside
FIRST_PLACE_WEIGHT = 0.8
ROUNDS_AT_ONCE = 8
MAX_GAP_OF_LOGITS = 5.0  # of a policy: a chance of less than 1 in 148 of that of the best
MAX_GAP_OF_VALUES = 0.2  # of a network that estimates returns


class RolloutSettings(NamedTuple):
    """The numbers that steer a search; see `policy_rollout`."""

    num_playouts: int
    seconds: float | None  # in place of a number of playouts
    num_considered: int
    max_gap: float


class Worth(NamedTuple):
    """What a playout counts; see `policy_rollout`."""

    first_place_weight: float
    horizon: int  # 0 for none


class Knowledge(NamedTuple):
    """What a game's folder may know about its positions, as compiled functions.

    `outcome(state, seat, first_place_weight, values, memory)` says what a game is worth to a seat
    before its end, or NaN; `values` [seats] is scratch. `merge(state, same_as)` names in same_as
    [A] the action that is as good as each.
    """

    outcome: Function | None = None
    memory: tuple = ()
    merge: Function | None = None


NO_KNOWLEDGE = Knowledge()


def policy_rollout(
    game: Game,
    network: str,
    num_playouts: int | None = None,
    milliseconds: float | None = None,
    num_considered: int = NUM_CONSIDERED,
    first_place_weight: float = FIRST_PLACE_WEIGHT,
    horizon: int = 0,
    knowledge: Knowledge = NO_KNOWLEDGE,
) -> Policy:
    """Plays out what a network would most likely do, with the network in every seat.

    `network` is the file of a checkpoint. Of the legal actions, the `num_considered` with its
    highest outputs are compared, but none far below the best. A move takes at most `num_playouts`
    games (200 by default) or `milliseconds`; it ends sooner where one action is left. An action is
    left aside when it is behind the leader by more than a standard error of their difference. A
    game counts by `first_place_weight` (0.8 by default) for the first place, and by the rest for
    the return: see `weigh_first_place`. With a `horizon` h above 0 a playout ends at the seat's
    h-th next choice, and returns the network's value of that position. With `knowledge` a playout
    ends as soon as its outcome is known, and of equivalent actions only one is compared.

    Raises ValueError for a value out of range, and for a checkpoint that does not fit.
    """
    budget = checked_budget(NAME, "num_playouts", num_playouts, milliseconds, NUM_PLAYOUTS)
    check_range("num_considered", num_considered, 1, MAX_BUDGET)
    check_range("horizon", horizon, 0, MAX_BUDGET)
    player = shown_policy(network, game)
    settings = RolloutSettings(
        num_playouts=budget,
        seconds=None if milliseconds is None else milliseconds / 1000,
        num_considered=num_considered,
        max_gap=MAX_GAP_OF_LOGITS if player.values is None else MAX_GAP_OF_VALUES,
    )
    worth = Worth(checked_number("first_place_weight", first_place_weight, 1), horizon)
    if horizon > 0 and player.values is not None:
        raise ValueError(f"{player.name} values actions, not positions; it needs a horizon of 0")
    search = RolloutSearch(game, player, settings, worth, knowledge)
    return Policy(NAME, game, search.choose, needs_positions=True, values=search.values)


class RolloutSearch:
    """The rollouts of one game by one compiled network."""

    def __init__(
        self,
        game: Game,
        player: Policy,
        settings: RolloutSettings,
        worth: Worth,
        knowledge: Knowledge,
    ) -> None:
        """Raise ValueError where the network's outputs are not one for each action."""
        self.game = game
        self.seen = player.game
        self.settings = settings
        self._worth = worth
        self._knowledge = knowledge
        weights = player.weights
        if weights is not None:
            functions = network_functions(num_layers(weights))
            choose = row_function(functions.best_action, player.game.observation_dtype)
        if weights is None or player.row_function != choose:
            raise ValueError(f"{player.name} cannot be rolled out: its network is of another kind")
        self._weights = weights
        rules = meanings_of(self.seen)
        self._evaluate = bind(_evaluate_rows, evaluate=functions.evaluate, **rules)
        self._play_rounds = _bind_rounds(functions.evaluate, knowledge.outcome, rules)

    def choose(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        """Return actions [B]."""
        shown, names = self._shown(positions)
        outputs = self._outputs(shown)
        actions = outputs.argmax(axis=1)
        for row in np.flatnonzero(masks.sum(axis=1, dtype=np.int64) > 1):
            considered = self._considered(shown[row], outputs[row], self.settings.max_gap)
            running, means = self._race(shown[row], rngs[row], considered)
            if running[0] != considered[0]:  # the network's choice has fallen behind
                actions[row] = running[means.argmax()]
        return names[np.arange(len(actions)), actions]

    def values(
        self, observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        """Return what each action is worth [B, A]; NaN of those that are not considered."""
        shown, names = self._shown(positions)
        values = np.full(masks.shape, np.nan)
        is_allowed = np.take_along_axis(masks, names, axis=1) == 1
        for row, outputs in enumerate(np.where(is_allowed, self._outputs(shown), -np.inf)):
            considered = self._considered(shown[row], outputs, np.inf)
            running, means = self._race(shown[row], rngs[row], considered, np.inf)
            same_as = self._same_as(shown[row])
            for action, mean in zip(running, means, strict=True):
                values[row, names[row, same_as == same_as[action]]] = mean
        values[masks == 0] = np.nan
        return values

    def _shown(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return positions [B] as the network sees them, and what its actions are here [B, A]."""
        if self.seen is self.game:
            actions = np.arange(self.game.num_actions)
            return positions, np.broadcast_to(actions, (len(positions), len(actions)))
        return arranged(self.game, positions)

    def _outputs(self, positions: np.ndarray) -> np.ndarray:
        """Return the outputs of the network [B, A], -inf at illegal actions."""
        outputs = np.full((len(positions), self.game.num_actions), -np.inf, np.float32)
        scratch = PlayoutScratch.empty(self.seen, self._weights)
        self._evaluate(positions, scratch, outputs)
        return outputs

    def _considered(self, position: np.ndarray, outputs: np.ndarray, max_gap: float) -> np.ndarray:
        """Return the actions to compare, the network's own choice first."""
        best_first = np.argsort(-outputs, kind="stable")
        gaps = outputs.max() - outputs[best_first]
        best_first = best_first[(gaps <= max_gap) & np.isfinite(gaps)]
        _, first_places = np.unique(self._same_as(position)[best_first], return_index=True)
        return best_first[np.sort(first_places)][: self.settings.num_considered]

    def _same_as(self, position: np.ndarray) -> np.ndarray:
        """Return the action that stands for each [A]."""
        same_as = np.arange(self.game.num_actions)
        if self._knowledge.merge is not None:
            self._knowledge.merge(position, same_as)
        return same_as

    def _race(
        self,
        position: np.ndarray,
        rng: np.ndarray,
        running: np.ndarray,
        margin: float = MARGIN,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the actions that are left at the end, in the same order, and their mean worth."""
        scratch = PlayoutScratch.empty(
            self.seen, self._weights
        )  # fresh, so that threads do not share it
        samples = np.empty((0, len(running)))
        has_time = self._clock()
        while len(running) > 1 or margin == np.inf:
            num_rounds = has_time(len(running))
            if num_rounds == 0:
                break
            more = np.empty((num_rounds, len(running)))
            what = self._worth, scratch, self._knowledge.memory
            self._play_rounds(position, rng, running, *what, more)
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
    num_rounds = len(samples)
    leader = samples.sum(axis=0).argmax()
    behind = samples[:, [leader]] - samples
    means = behind.mean(axis=0)
    variances = np.maximum((behind**2).mean(axis=0) - means**2, 0.0)
    return means <= margin * (np.sqrt(variances / num_rounds) + 1.0 / num_rounds)


def _evaluate_rows(positions, scratch, outputs):
    for row in range(positions.shape[0]):
        scratch.words[:] = 0
        legal_actions(positions[row], scratch.words)
        observe(positions[row], seat_to_act(positions[row]), scratch.observation[0])
        evaluate(scratch.weights[0], scratch.data, scratch.words, outputs[row])


def _bind_rounds(
    evaluate: Function, outcome: Function | None, rules: dict[str, Function]
) -> Function:
    known = (
        bind(_outcome_at_end, **rules) if outcome is None else bind(_known_outcome, outcome=outcome)
    )
    play_on = bind(_play_on, evaluate=evaluate, outcome_of=known, **rules)
    determinize = bind(determinize_template, **rules)
    return bind(_play_rounds, determinize=determinize, play_on=play_on, **rules)


def _play_rounds(position, rng, actions, how, scratch, memory, samples):
    """Play all actions [A] out in each of R determinized positions; write samples [R, A]."""
    states, streams = scratch.states, scratch.rngs
    seat = seat_to_act(position)
    for index in range(samples.shape[0]):
        determinize(position, seat, rng, states, streams, 0)
        for k in range(actions.shape[0]):
            states[1] = states[0]
            streams[1] = streams[0]
            apply_action(states[1], actions[k])
            samples[index, k] = play_on(states[1], streams[1], seat, how, scratch, memory)


def _play_on(state, rng, own_seat, how, scratch, memory):
    """Let the network act for all seats; return what the game is worth to `own_seat`.

    Stop when the outcome is known, or at the horizon, where the network's value is returned.
    """
    left = how.horizon  # from 0 it only turns negative: no horizon
    settle(state, rng)
    worth = outcome_of(state, own_seat, how.first_place_weight, scratch, memory)
    while np.isnan(worth):
        scratch.words[:] = 0
        legal_actions(state, scratch.words)
        action = nth_allowed(scratch.words, 0)
        if num_allowed(scratch.words) > 1:
            seat = seat_to_act(state)
            observe(state, seat, scratch.observation[0])
            value = evaluate(scratch.weights[0], scratch.data, scratch.words, scratch.outputs)
            if seat == own_seat:
                left -= 1
                if left == 0:
                    return np.float64(value)
            action = best_legal(scratch.words, scratch.outputs)
        apply_action(state, action)
        settle(state, rng)
        worth = outcome_of(state, own_seat, how.first_place_weight, scratch, memory)
    return worth


def _outcome_at_end(state, seat, first_place_weight, scratch, memory):
    if not is_terminal(state):
        return np.nan
    returns(state, scratch.values)
    weigh_first_place(scratch.values, first_place_weight)
    return scratch.values[seat]


def _known_outcome(state, seat, first_place_weight, scratch, memory):
    return outcome(state, seat, first_place_weight, scratch.values, memory)
