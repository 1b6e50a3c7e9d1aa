"""Kuhn poker written out: all its plays, and how much the best response gains against a policy."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

import parlour
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.envs import OneGame
from parlour.envs.core.game import Game

Step = tuple[int, bytes, int]  # seat, what it observes, its action
Probability = Callable[[bytes, int], float]  # of an action, for the seat that observes this


class Play(NamedTuple):
    """One way in which a deal can be played to its end."""

    steps: tuple[Step, ...]
    outcome: float  # return of seat 0


def plays(state: OneGame, steps: tuple[Step, ...] = ()) -> Iterator[Play]:
    """All plays from a state on."""
    if state.is_over:
        yield Play(steps, float(state.returns[0]))
        return
    for action in state.legal_actions:
        step = (state.seat, state.observation().tobytes(), action)
        state.apply(action)
        yield from plays(state, (*steps, step))
        state.undo()


class Kuhn:
    """All plays of all six deals, which are equally likely, and all pure strategies."""

    def __init__(self, module: Any) -> None:
        self.game: Game = module.game()
        self.max_chips: float = module.MAX_CHIPS
        starts = parlour.all_starts(self.game)
        assert len(starts) == 6
        self.plays = [play for state, _ in starts for play in plays(state)]
        self.outcomes = np.array([play.outcome for play in self.plays]) / 6
        # [seat][strategy, play]: whether the seat's own actions allow the play
        self.reach = [
            np.array([self._reach(seat, strategy) for strategy in self._strategies(seat)])
            for seat in (0, 1)
        ]

    def exploitability(self, policies: Sequence[Probability]) -> float:
        """Gain of the best response against these policies, in chips a game; mean over the seats.

        One policy is drawn before each game and played to its end: the time average where they are
        those of a run. This is half of the NashConv of Lanctot et al. 2017.
        """
        average = [
            np.mean([self._reach(seat, policy) for policy in policies], axis=0) for seat in (0, 1)
        ]
        reply_0 = (self.reach[0] @ (self.outcomes * average[1])).max()
        reply_1 = (self.reach[1] @ (-self.outcomes * average[0])).max()
        return float(reply_0 + reply_1) / 2 * self.max_chips

    def probabilities(self, network: PolicyValue) -> Probability:
        """The policy of a network, as it is now."""
        looks = sorted({look for play in self.plays for _, look, _ in play.steps})
        observations = np.concatenate(
            [np.frombuffer(look, self.game.new_observations().dtype) for look in looks]
        )
        with torch.inference_mode():
            logits, _ = network(torch.from_numpy(self.game.layout.integers(observations)))
            chances = torch.softmax(logits.double(), dim=1)  # both actions are always legal
        table = dict(zip(looks, chances.tolist(), strict=True))
        return lambda look, action: table[look][action]

    def _strategies(self, seat: int) -> Iterator[Probability]:
        """An action for each thing that the seat may observe, in all ways."""
        looks = sorted({look for play in self.plays for by, look, _ in play.steps if by == seat})
        for actions in itertools.product(range(self.game.num_actions), repeat=len(looks)):
            chosen = set(zip(looks, actions, strict=True))
            yield lambda look, action, chosen=chosen: float((look, action) in chosen)  # type: ignore[misc]

    def _reach(self, seat: int, policy: Probability) -> np.ndarray:
        """The probability of a seat's own actions in each play."""
        return np.array(
            [
                np.prod([policy(look, action) for by, look, action in play.steps if by == seat])
                for play in self.plays
            ]
        )
