"""OpenSpiel's games for the audit: states with explicit chance, and their histories."""

import random
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from .audit import Subject

SPIEL = "pyspiel:"
_TOLERANCE = 1e-6


class SpielPosition:
    """A state in which a player decides, after chance has done what it does."""

    def __init__(
        self, state: Any, rng: random.Random, shown: Sequence[Any] = (), deals_anew: bool = True
    ) -> None:
        """`shown` holds what each player was shown at the decisions before."""
        self.state, self.rng, self.deals_anew = state, rng, deals_anew
        self.game, self.kind = state.get_game(), state.get_game().get_type()
        self.num_seats = self.game.num_players()
        self.shown = list(shown)
        self._settle()

    def _settle(self) -> None:
        state = self.state
        while state.is_chance_node():
            actions, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(self.rng.choices(actions, chances)[0])
        self.shown.append([self._reference(state, seat) for seat in range(self.num_seats)])

    def _reference(self, state: Any, seat: int) -> Hashable:
        """Return what is taken as all that a player is shown: a string, else a tensor."""
        if self.kind.provides_information_state_string:
            return str(state.information_state_string(seat))
        if self.kind.provides_observation_string:
            return str(state.observation_string(seat))
        return tuple(state.observation_tensor(seat))

    def actor(self) -> int | None:
        """Return the player to act; None at the end."""
        return None if self.state.is_terminal() else int(self.state.current_player())

    def legal(self) -> Sequence[int]:
        """Return the legal actions."""
        return list(self.state.legal_actions())

    def play(self, action: int) -> None:
        """Play an action, then chance."""
        self.state.apply_action(action)
        self._settle()

    def views(self, seat: int) -> Mapping[str, Hashable]:
        """Return the strings and tensors that the game provides."""
        kind, state = self.kind, self.state
        views: dict[str, Hashable] = {}
        if kind.provides_information_state_string:
            views["information state string"] = state.information_state_string(seat)
        if kind.provides_observation_string:
            views["observation string"] = state.observation_string(seat)
        if kind.provides_information_state_tensor:
            views["information state tensor"] = tuple(state.information_state_tensor(seat))
        if kind.provides_observation_tensor:
            views["observation tensor"] = tuple(state.observation_tensor(seat))
        return views

    def history(self) -> str:
        """Return the actions of chance and of the players, as `apply_action` takes them."""
        return str(list(self.state.history()))

    def redealt(self, seat: int, rng: random.Random) -> "SpielPosition | None":
        """Return the state of `resample_from_infostate`; None where the game lacks it."""
        if not self.deals_anew:
            return None  # OpenSpiel writes a line to stderr each time that it is asked
        try:
            state = self.state.resample_from_infostate(seat, rng.random)
        except RuntimeError as error:
            if "not implemented" in str(error):
                return None
            raise
        return SpielPosition(state, rng)

    def twin(self, seat: int, rng: random.Random) -> "SpielPosition | None":
        """Replace one event that is not the player's by another that was possible.

        Where what replaces it comes later, the two events are exchanged.
        """
        events = [(event.player, event.action) for event in self.state.full_history()]
        places = [k for k, (player, _) in enumerate(events) if player != seat]
        if not places:
            return None
        place, state, decisions = rng.choice(places), self.game.new_initial_state(), 0
        for number, (player, action) in enumerate(events):
            if not state.is_chance_node():
                if number > place and self._reference(state, seat) != self.shown[decisions][seat]:
                    return None
                decisions += 1
            if number == place:
                others = [each for each in _possible(state) if each != action]
                if not others:
                    return None
                events = _exchanged(events, place, rng.choice(others))
                action = events[place][1]
            if state.current_player() != player or action not in _possible(state):
                return None
            state.apply_action(action)
        if state.is_chance_node() or self._reference(state, seat) != self.shown[-1][seat]:
            return None
        # Where a hidden decision says who acts next, as a refused move does in dark hex, the others
        # cannot count the moves either.
        if state.current_player() != self.state.current_player() and events[place][0] >= 0:
            return None
        return SpielPosition(state, rng, self.shown[:-1], self.deals_anew)

    def wrong_returns(self) -> str | None:
        """Compare the returns with the bounds and the sum that the game declares."""
        returns, game = list(self.state.returns()), self.game
        low, high, total = game.min_utility(), game.max_utility(), game.utility_sum()
        if any(not low - _TOLERANCE <= one <= high + _TOLERANCE for one in returns):
            return f"returns {returns} outside {low} .. {high}"
        if total is not None and abs(sum(returns) - total) > _TOLERANCE:
            return f"returns {returns} add up to {sum(returns)}, not to {total}"
        each = [self.state.player_return(seat) for seat in range(self.num_seats)]
        return None if each == returns else f"returns {returns}, but player by player {each}"


def _possible(state: Any) -> list[int]:
    if state.is_chance_node():
        return [outcome for outcome, _ in state.chance_outcomes()]
    return list(state.legal_actions())


def _exchanged(
    events: Sequence[tuple[int, int]], place: int, instead: int
) -> list[tuple[int, int]]:
    """Return events with another one at `place`; where that comes later, the two change places."""
    player, action = events[place]
    changed = list(events)
    changed[place] = player, instead
    for later in range(place + 1, len(events)):
        if events[later] == (player, instead):
            changed[later] = player, action
            break
    return changed


def spiel_subject(name: str) -> Subject:
    """Return a game of OpenSpiel by its name with parameters, as `pyspiel.load_game` takes it.

    Raises ValueError where OpenSpiel is missing or the game cannot be audited.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise ValueError("pyspiel: needs OpenSpiel: pip install open_spiel") from error
    from importlib.metadata import version

    try:
        game = pyspiel.load_game(name)
    except RuntimeError as error:
        raise ValueError(f"OpenSpiel has no game {name}: {error}") from error
    if game.get_type().dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise ValueError(f"{name} has simultaneous moves, which the audit does not play")
    if game.get_type().chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise ValueError(f"{name} draws chance inside itself, so no position can be repeated")

    first = SpielPosition(game.new_initial_state(), random.Random(0))
    deals_anew = first.redealt(0, random.Random(0)) is not None

    def start(seed: int) -> SpielPosition:
        return SpielPosition(game.new_initial_state(), random.Random(seed), (), deals_anew)

    notes = () if deals_anew else ("It has no resample_from_infostate.",)
    return Subject(f"{SPIEL}{name}", f"open_spiel {version('open_spiel')}", start, notes)
