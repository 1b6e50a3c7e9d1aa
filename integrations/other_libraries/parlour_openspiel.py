"""OpenSpiel both ways: Parlour's games for its algorithms, and its bots as Parlour's players.

Solvers need small games, whose deals are listed; searches, learners and bots play any game.

Measured with 2.0.2: 300 iterations of its CFR give Kuhn poker the value -0.0558 chips (exact:
-1/18) at an exploitability of 0.0015; two give trick-taking with two values 1/3, as our solver
does. With three values (4/15) over one deal of each of the 20 pairs of hands, 100 give 0.2648 at
0.0026, in 20 seconds; 300 give 0.2660 at 0.0009.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyspiel

from parlour.baselines import Policy
from parlour.envs import OneGame, all_starts, find_game, list_games, start
from parlour.envs.authoring import CHANCE, Game

NUM_SAMPLES = 1_000  # draws that stand for all where there are too many to list
MAX_OUTCOMES = 10_000  # that can be listed
MAX_PLAYERS = 16
PREFIX = "parlour_"  # of the names under which OpenSpiel loads our games
KINDS = pyspiel.GameType

Outcome = tuple[OneGame | Callable[[], OneGame], float]  # a state or what makes it, its chance


class SpielGame(pyspiel.Game):
    """A game of Parlour for OpenSpiel's algorithms, with explicit chance nodes.

    The first chooses one of `starts`, positions with their probabilities: by default all deals.
    Where there are too many deals, or draws of the game, to list, 1,000 that are sampled stand for
    them. What a seat knows is its observation record, which holds the past as far as the rules let
    a seat remember it; tensors are the scaled inputs of our networks.

    The games that ship are registered: `pyspiel.load_game("parlour_trick_taking(num_values=2)")`.
    """

    def __init__(self, game: Game, starts: Sequence[Outcome] | None = None) -> None:
        self.game, self.starts = game, starts
        are_listed = True
        if starts is None:
            starts, are_listed = _all_or_sampled(game)
        self._root = _Node(starts, is_kept=True, are_listed=are_listed)
        info = pyspiel.GameInfo(
            num_distinct_actions=game.num_actions,
            max_chance_outcomes=max(len(self._root.outcomes), MAX_OUTCOMES),
            num_players=game.num_seats,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=10_000,
        )
        super().__init__(_type_of(game), info, _parameters(game))

    def __reduce__(self) -> tuple[Any, ...]:
        return SpielGame, (self.game, self.starts)

    def __deepcopy__(self, memo: Any) -> "SpielGame":
        return self  # a game never changes

    def make_py_observer(
        self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None
    ) -> "SpielObserver":
        """Return what writes all that a seat knows into a tensor. ValueError for parameters."""
        if params:
            raise ValueError(f"observers of {self.game.name} have no parameters; got {params}")
        return SpielObserver(self.game)

    def new_initial_state(self) -> "SpielState":
        """Return the state before the deal; OpenSpiel makes each copy of a state from one."""
        return SpielState(self, self._root)

    def at(self, position: np.record) -> "SpielState":
        """Return the state of a position, without the history that leads there."""
        now: list[Outcome] = [(start(self.game, position=position), 1.0)]
        return SpielState(self, _Node(now, False, self._root.are_listed))


class SpielState(pyspiel.State):
    """A position of a game of Parlour, or the draw of one of several."""

    def __init__(self, game: SpielGame, node: "_Node") -> None:
        super().__init__(game)
        self._node = node

    def __reduce__(self) -> tuple[Any, ...]:
        return _replayed, (self.get_game(), self._node, self.history())

    def __deepcopy__(self, memo: Any) -> "SpielState":
        return self.clone()

    @property
    def _now(self) -> OneGame:
        return self._node.state(0)

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

    def known(self, seat: int) -> np.ndarray | None:
        """Return the observation record [1] of a seat; None before the deal and at other draws."""
        if self._is_chance():
            return None
        observations = self._now.game.new_observations()
        observations[0] = self._now.observation(seat)
        return observations

    def information_state_string(self, player: int | None = None) -> str:
        """Return what a seat knows: the bytes of its observation, as hexadecimal digits."""
        seat = self.current_player() if player is None else player
        record = self.known(seat)
        return f"{seat}:" + ("" if record is None else record.tobytes().hex())

    observation_string = information_state_string

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> "SpielState":
        """Return a position that looks the same to the seat to act, drawn with numbers in 0..1."""
        if player != self.current_player():
            raise ValueError(f"seat {player} is not to act: {self.current_player()} is")
        redealt = self._now.determinized(int(sampler() * 2**31))
        node = _Node([(redealt, 1.0)], False, self._node.are_listed)
        return SpielState(self.get_game(), node)

    def __str__(self) -> str:
        return "a draw" if self._is_chance() else str(self._now.describe())


class SpielObserver:
    """Writes the scaled inputs of a seat's observation; zeros where the game itself draws."""

    def __init__(self, game: Game) -> None:
        self.layout = game.layout
        self.tensor = np.zeros(self.layout.num_inputs, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write what a seat knows."""
        record = state.known(player)
        self.tensor[:] = 0 if record is None else self.layout.scaled(record)[0]

    def string_from(self, state: SpielState, player: int) -> str:
        """Return what a seat knows as text."""
        return state.information_state_string(player)


class _Node:
    """The possible outcomes at a state. It is immutable, so copies of the state share it.

    A node that `is_kept` caches its children, because solvers visit the same states in every
    iteration. Searches visit too many states for that.
    """

    def __init__(
        self, outcomes: Sequence[Outcome], is_kept: bool = False, are_listed: bool = True
    ) -> None:
        """`are_listed`: whether later draws are all listed, and not sampled."""
        self.outcomes, self.are_listed = outcomes, are_listed
        self._after: dict[int, _Node] | None = {} if is_kept else None

    def state(self, number: int) -> OneGame:
        """Return the outcome of this number."""
        outcome = self.outcomes[number][0]
        return outcome() if callable(outcome) else outcome

    def after(self, action: int) -> "_Node":
        """Return the node after an action, or after the draw of this number."""
        if self._after is None:
            return _Node(self._outcomes_after(action), False, self.are_listed)
        if action not in self._after:
            self._after[action] = _Node(self._outcomes_after(action), True, self.are_listed)
        return self._after[action]

    def _outcomes_after(self, action: int) -> Sequence[Outcome]:
        if len(self.outcomes) > 1:
            return [(self.state(action), 1.0)]
        now = self.state(0)
        if self.are_listed or not _is_draw_after(now, action):
            return now.outcomes(action)
        return _sampled(lambda seed: _played(now, action, seed))

    def __deepcopy__(self, memo: Any) -> "_Node":
        return self


def _all_or_sampled(game: Game) -> tuple[Sequence[Outcome], bool]:
    """Return all deals and True; or where there are too many, some, each as likely, and False."""
    try:
        return all_starts(game), True
    except ValueError:
        return _sampled(lambda seed: start(game, seed)), False


def _is_draw_after(state: OneGame, action: int) -> bool:
    """Return whether the game itself draws after an action."""
    if state.game.play_chance is None or action not in state.legal_actions:
        return False
    position = state.position
    state.game.apply_action(position, action)
    return not state.game.is_terminal(position) and state.game.seat_to_act(position) == CHANCE


def _sampled(make: Callable[[int], OneGame]) -> list[Outcome]:
    return [(partial(make, seed), 1 / NUM_SAMPLES) for seed in range(NUM_SAMPLES)]


def _played(state: OneGame, action: int, seed: int) -> OneGame:
    """Return the game after an action, with the draws of a stream of this seed."""
    after = start(state.game, seed, position=state.position)
    after.apply(action)
    return after


def _replayed(game: SpielGame, node: _Node, actions: Sequence[int]) -> SpielState:
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def _parameters(game: Game) -> dict[str, Any]:
    """Return the settings that OpenSpiel can write into the name of a game."""
    settings = game.config_dict().items()
    return {name: value for name, value in settings if isinstance(value, bool | int | float | str)}


def _type_of(game: Game) -> Any:
    return KINDS(
        short_name=f"{PREFIX}{game.name}",
        long_name=f"{game.name} of Parlour",
        dynamics=KINDS.Dynamics.SEQUENTIAL,
        chance_mode=KINDS.ChanceMode.EXPLICIT_STOCHASTIC,
        information=KINDS.Information.IMPERFECT_INFORMATION,
        utility=KINDS.Utility.ZERO_SUM if game.num_seats == 2 else KINDS.Utility.GENERAL_SUM,
        reward_model=KINDS.RewardModel.TERMINAL,
        max_num_players=MAX_PLAYERS,
        min_num_players=1,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=_parameters(game),
    )


def register(game: Game) -> None:
    """Let `pyspiel.load_game` make a game, with other settings too, unless it does already."""
    if f"{PREFIX}{game.name}" in pyspiel.registered_names():
        return

    class Loaded:
        """A class, which unlike a function is not freed when OpenSpiel lets go of it at exit."""

        def __new__(cls, params: Mapping[str, Any]) -> SpielGame:  # type: ignore[misc]
            return SpielGame(game.make(**game.config_dict() | params))

    pyspiel.register_game(_type_of(game), Loaded)


for _name in list_games():
    register(find_game(_name))


def spiel_policy(name: str, game: Game, make_bot: Callable[[SpielGame], Any]) -> Policy:
    """Return a player that asks a bot of OpenSpiel for its moves.

    The bot gets the state of a position drawn from all that the seat cannot tell from the true one,
    so it cannot cheat. `make_bot(spiel_game)` makes one with a method `step(state)`.
    """
    spiel_game = SpielGame(game)
    bot = make_bot(spiel_game)

    def choose(
        observations: np.ndarray, masks: np.ndarray, rngs: np.ndarray, positions: np.ndarray
    ) -> np.ndarray:
        return np.array([bot.step(spiel_game.at(position)) for position in positions], np.int64)

    return Policy(name, game, choose, needs_positions=True)
