"""OpenSpiel both ways: Parlour's games for its algorithms, and its bots as Parlour's players.

Algorithms that start before the deal need small games, whose deals are listed; bots play any game.
OpenSpiel is not installed with Parlour: `pip install open_spiel`.

Measured with 2.0.2: 300 iterations of its CFR give Kuhn poker the value -0.0558 chips (exact:
-1/18) at an exploitability of 0.0015; two give trick-taking with two values 1/3, as our solver
does. With three values (4/15) over one deal of each of the 20 pairs of hands, 100 give 0.2648 at
0.0026, in 20 seconds; 300 give 0.2660 at 0.0009.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyspiel

from parlour.baselines.policies.policy import Policy
from parlour.envs.core.game import Game
from parlour.envs.core.play.game_state import GameState, all_starts, start

Outcomes = list[tuple[GameState, float]]


class SpielGame(pyspiel.Game):
    """A game of Parlour for OpenSpiel's algorithms, with explicit chance nodes.

    The first chooses one of `starts`, positions with their probabilities: by default all deals.
    What a seat knows is its observation record, which holds the past as far as the rules let a seat
    remember it. Raises ValueError where there are too many deals to list.
    """

    def __init__(self, game: Game, starts: Outcomes | None = None) -> None:
        self.game = game
        self._root = _Node(all_starts(game) if starts is None else starts, is_kept=True)
        kinds = pyspiel.GameType
        kind = pyspiel.GameType(
            short_name=f"parlour_{game.name}",
            long_name=repr(game),
            dynamics=kinds.Dynamics.SEQUENTIAL,
            chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
            information=kinds.Information.IMPERFECT_INFORMATION,
            utility=kinds.Utility.ZERO_SUM if game.num_seats == 2 else kinds.Utility.GENERAL_SUM,
            reward_model=kinds.RewardModel.TERMINAL,
            max_num_players=game.num_seats,
            min_num_players=game.num_seats,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=False,
            parameter_specification={},
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=len(self._root.outcomes),
            num_players=game.num_seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=10_000,
        )
        super().__init__(kind, info, {})

    def new_initial_state(self) -> "SpielState":
        """Return the state before the deal; OpenSpiel makes each copy of a state from one."""
        return SpielState(self, self._root)

    def at(self, position: np.record) -> "SpielState":
        """Return the state of a position, without the history that leads there."""
        return SpielState(self, _Node([(start(self.game, position=position), 1.0)]))


class SpielState(pyspiel.State):
    """A position of a game of Parlour, or the draw of one of several."""

    def __init__(self, game: SpielGame, node: "_Node") -> None:
        super().__init__(game)
        self._node = node

    @property
    def _now(self) -> GameState:
        return self._node.outcomes[0][0]

    def _is_chance(self) -> bool:
        return len(self._node.outcomes) > 1

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's number for chance or the end."""
        if self._is_chance():
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._now.is_over else self._now.seat

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the number of each possible draw with its probability."""
        return [(k, chance) for k, (_, chance) in enumerate(self._node.outcomes)]

    def _legal_actions(self, player: int) -> list[int]:
        return self._now.legal_actions

    def _apply_action(self, action: int) -> None:
        self._node = self._node.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        is_draw = player == pyspiel.PlayerId.CHANCE
        return f"draw {action}" if is_draw else self._now.game.action_name(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return not self._is_chance() and self._now.is_over

    def returns(self) -> list[float]:
        """Return the returns of all seats, 0 before the end."""
        return [0.0] * self._now.game.num_seats if self._is_chance() else self._now.returns.tolist()

    def information_state_string(self, player: int | None = None) -> str:
        """Return what a seat knows: the bytes of its observation, as hexadecimal digits."""
        seat = self.current_player() if player is None else player
        return f"{seat}:" + self._now.observation(seat).tobytes().hex()

    observation_string = information_state_string

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """Return a position that looks the same to the seat to act, drawn with numbers in 0..1."""
        if player != self.current_player():
            raise ValueError(f"seat {player} is not to act: {self.current_player()} is")
        redealt = self._now.determinized(int(sampler() * 2**31))
        return SpielState(self.get_game(), _Node([(redealt, 1.0)]))

    def __str__(self) -> str:
        return "a draw" if self._is_chance() else str(self._now.describe())


class _Node:
    """The possible outcomes at a state. It is immutable, so copies of the state share it.

    A node that `is_kept` caches its children, because solvers visit the same states in every
    iteration. Searches visit too many states for that.
    """

    def __init__(self, outcomes: Outcomes, is_kept: bool = False) -> None:
        self.outcomes = outcomes
        self._after: dict[int, _Node] | None = {} if is_kept else None

    def after(self, action: int) -> "_Node":
        """Return the node after an action, or after the draw of this number."""
        if self._after is None:
            return _Node(self._outcomes_after(action))
        if action not in self._after:
            self._after[action] = _Node(self._outcomes_after(action), is_kept=True)
        return self._after[action]

    def _outcomes_after(self, action: int) -> Outcomes:
        if len(self.outcomes) > 1:
            return [(self.outcomes[action][0], 1.0)]
        return self.outcomes[0][0].outcomes(action)

    def __deepcopy__(self, memo: Any) -> "_Node":
        return self


def spiel_policy(name: str, game: Game, make_bot: Callable[[SpielGame], Any]) -> Policy:
    """Return a player that asks a bot of OpenSpiel for its moves.

    The bot gets the state of a position drawn from all that the seat cannot tell from the true one,
    so it cannot cheat. `make_bot(spiel_game)` makes one with a method `step(state)`.
    """
    spiel_game = SpielGame(game, [(start(game), 1.0)])
    bot = make_bot(spiel_game)

    def choose(
        observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        return np.array([bot.step(spiel_game.at(position)) for position in positions], np.int64)

    return Policy(name, game, choose, needs_positions=True)
