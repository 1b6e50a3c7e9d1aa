"""RLCard's games for the audit. RLCard deals nothing anew, so the adapter does it.

For each game it knows which piles are hidden from a seat, and shuffles the cards in them.
"""

import json
import random
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from .audit import Position, Subject

Place = tuple[Any, Any]  # a list or the fields of an object, and where a card lies in it
RLCARD = "rlcard:"
ADDRESS = re.compile(r" at 0x\w+")  # of an object in memory, which says nothing of the game


def _cards(*piles: list[Any]) -> list[Place]:
    return [(pile, index) for pile in piles for index in range(len(pile))]


def _others(game: Any, seat: int) -> list[Place]:
    return _cards(*(player.hand for player in game.players if player.player_id != seat))


def _holdem(game: Any, seat: int) -> list[Place]:
    return [*_others(game, seat), *_cards(game.dealer.deck)]


def _leduc(game: Any, seat: int) -> list[Place]:
    others = [(vars(player), "hand") for player in game.players if player.player_id != seat]
    return [*others, *_cards(game.dealer.deck)]


def _gin(game: Any, seat: int) -> list[Place]:
    return _cards(game.round.dealer.stock_pile)


def _bridge(game: Any, seat: int) -> list[Place]:
    open_hands = {seat}
    if game.round.is_bidding_over():
        open_hands.add(game.round.get_dummy().player_id)
    return _cards(
        *(player.hand for player in game.round.players if player.player_id not in open_hands)
    )


HIDDEN: dict[str, Callable[[Any, int], list[Place]]] = {
    "leduc-holdem": _leduc,
    "limit-holdem": _holdem,
    "no-limit-holdem": _holdem,
    "uno": _holdem,
    "mahjong": _holdem,
    "gin-rummy": _gin,
    "bridge": _bridge,
}


class Snapshot(NamedTuple):
    """What a position shows, kept while the position itself goes back to what it was."""

    to_act: int | None
    actions: Sequence[int]
    seat_views: Sequence[Mapping[str, Hashable]]
    events: str

    def actor(self) -> int | None:
        """Return the seat to act."""
        return self.to_act

    def legal(self) -> Sequence[int]:
        """Return its legal actions."""
        return self.actions

    def views(self, seat: int) -> Mapping[str, Hashable]:
        """Return all that a seat is shown."""
        return self.seat_views[seat]

    def history(self) -> str:
        """Return what leads here."""
        return self.events


def _lay(places: Sequence[Place], cards: Sequence[Any]) -> None:
    for (holder, key), card in zip(places, cards, strict=True):
        holder[key] = card


class SteppedPosition(Position):
    """A position of an environment without re-deals; `rlcard` is the RLCard one it wraps."""

    def __init__(self, env: Any, rlcard: Any, num_seats: int) -> None:
        self.env, self.rlcard, self.num_seats = env, rlcard, num_seats
        self.actions: list[int] = []

    def play(self, action: int) -> None:
        """Play an action."""
        self.env.step(action)
        self.actions.append(action)

    def history(self) -> str:
        """Return the actions played."""
        return str(self.actions)

    def twin(self, seat: int, rng: random.Random) -> Snapshot | None:
        """Show the position with the cards shuffled that a seat cannot see.

        None where it is not known which cards these are.
        """
        hidden = HIDDEN.get(getattr(self.rlcard, "name", ""))
        places = [] if hidden is None else hidden(self.rlcard.game, seat)
        cards = [holder[key] for holder, key in places]
        if not cards:
            return None
        _lay(places, rng.sample(cards, len(cards)))
        views = [self.views(each) for each in range(self.num_seats)]
        shown = Snapshot(self.actor(), self.legal(), views, "a shuffle of hidden cards")
        _lay(places, cards)
        return shown


class RlcardPosition(SteppedPosition):
    """A position of an RLCard environment."""

    def __init__(self, env: Any) -> None:
        super().__init__(env, env, env.num_players)

    def actor(self) -> int | None:
        """Return the player to act; None at the end."""
        return None if self.env.is_over() else int(self.env.get_player_id())

    def legal(self) -> Sequence[int]:
        """Return the legal actions."""
        return sorted(self.env.get_state(self.env.get_player_id())["legal_actions"])

    def views(self, seat: int) -> Mapping[str, Hashable]:
        """Return the observation, as numbers and in words."""
        state = self.env.get_state(seat)
        words = json.dumps(state.get("raw_obs"), default=str, sort_keys=True)
        return {
            "obs": tuple(map(float, state["obs"].ravel())),
            "raw_obs": ADDRESS.sub("", words),
        }


def rlcard_subject(name: str) -> Subject:
    """Return a game of RLCard. Raises ValueError where RLCard is missing or lacks the game."""
    try:
        import rlcard
    except ImportError as error:
        raise ValueError("rlcard: needs RLCard: pip install rlcard") from error
    try:
        env = rlcard.make(name, {"seed": 0})
    except ValueError as error:
        raise ValueError(f"RLCard has no game {name}") from error

    def start(seed: int) -> RlcardPosition:
        env.seed(seed)
        env.reset()
        return RlcardPosition(env)

    version = f"rlcard {rlcard.__version__}"
    return Subject(f"{RLCARD}{name}", version, start, notes_of(env), declares_returns=False)


def notes_of(env: Any) -> tuple[str, ...]:
    """Return what the audit cannot tell; `env` is the RLCard environment, or None."""
    notes = ["It has no re-deal of its own."]
    if getattr(env, "name", None) not in HIDDEN:
        notes.append("It is not known which of its cards are hidden.")
    return tuple(notes)
