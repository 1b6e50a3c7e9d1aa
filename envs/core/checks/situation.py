"""Positions of a game and random games, by plain calls of its rules, compiled or in Python."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..bits import allowed_list
from ..fields import Field
from ..game import CHANCE, Game
from ..rng import streams
from .report import CheckError, Trial

MANY = 1_000_000  # plies; endless games are found by then
FEW = 10  # positions of each game, for what takes long: texts, pictures, play to the end
_OBSERVER_STREAM = 1 << 20  # purpose of re-dealing streams; far from those of tables and players


@dataclass
class Situation:
    """A position and its random stream, with methods that call the game's rules.

    Every question checks that it leaves all bytes of the position as they were.
    """

    game: Game
    states: np.ndarray  # [1]
    rngs: np.ndarray  # [1]
    seed: int  # of the game, for messages and random actions
    num_plies: int = 0  # so far
    limit: int = MANY  # plies until the end, and draws of the game in a row

    @classmethod
    def new(cls, game: Game, seed: int, limit: int = MANY) -> "Situation":
        """Return a position that is not dealt yet."""
        return cls(game, game.new_states(), streams([seed]), seed, limit=limit)

    @property
    def where(self) -> str:
        """The place in the game, for messages."""
        return f"seed {self.seed}, ply {self.num_plies + 1}"

    def error(self, check: str, sentence: str) -> CheckError:
        """Return the error for a fault at this place."""
        return CheckError(check, f"{self.where}: {sentence}")

    def _ask(self, question: str, *arguments: Any) -> Any:
        before = self.states.tobytes()
        answer = getattr(self.game, question)(self.states[0], *arguments)
        if self.states.tobytes() != before:
            raise self.error("questions", f"{question} changes the position")
        return answer

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self._ask("is_terminal"))

    @property
    def seat_to_act(self) -> int:
        """The seat to act, or CHANCE."""
        return int(self._ask("seat_to_act"))

    def legal(self) -> list[int]:
        """Return the legal actions."""
        mask = np.zeros(self.game.num_mask_words, np.int64)
        self._ask("legal_actions", mask)
        return allowed_list(mask)

    def seen(self, seat: int, fill: int = 0) -> np.ndarray:
        """Return a seat's observation, a record [1], written over a buffer of `fill` bytes."""
        out = self.game.new_observations()
        out.view(np.uint8)[:] = fill
        self._ask("observe", seat, out[0])
        return out

    def returns(self, fill: float = 0.0) -> np.ndarray:
        """Return the returns [seats], written over a buffer of `fill`."""
        out = np.full(self.game.num_seats, fill, np.float64)
        self._ask("returns", out)
        return out

    def shown(self, seat: int | None) -> dict[str, Any]:
        """Return the text for a seat, all for None, the scores, and the picture if there is one."""
        names = ("describe",) if self.game.draw is None else ("describe", "draw")
        scores = [self._ask("score", one) for one in range(self.game.num_seats)]
        return {name: self._ask(name, seat) for name in names} | {"score": scores}

    def labels(self, most: int = MANY) -> dict[str, Any]:
        """Return what people call the legal actions: `label_action` with each of the first."""
        actions = [] if self.is_over else self.legal()[:most]
        return {"label_action": {action: self._ask("label_action", action) for action in actions}}

    def laid(self) -> dict[str, Any]:
        """Return the pieces in each pile, of a game that can be laid out."""
        return self._ask("lay_out")

    def check_same(self, shown: dict[str, Any], again: dict[str, Any]) -> None:
        """Raise CheckError where a question has another answer when it is asked again here."""
        for name, answer in shown.items():
            if answer != again[name]:
                raise self.error(
                    "repeatable",
                    f"{name} has another answer when it is asked again: it depends on a clock, or "
                    "on numbers drawn elsewhere, and not on the position alone",
                )

    def copy(self) -> "Situation":
        """Return a position that goes on alone."""
        return replace(self, states=self.states.copy(), rngs=self.rngs.copy())

    def redealt(self, seat: int, number: int) -> "Situation":
        """Return a determinization for the seat, sampled by a stream of `number`."""
        twins = self.states.copy()
        self.game.reshuffle_unseen(twins[0], seat, streams([number], _OBSERVER_STREAM + seat)[0])
        return replace(self, states=twins, rngs=streams([number], _OBSERVER_STREAM))

    def deal(self) -> "Situation":
        """Deal, let the game draw until a seat has to act, and return this position."""
        self.num_plies = 0
        self.game.deal(self.states[0], self.rngs[0])
        self.settle()
        return self

    def apply(self, action: int) -> int:
        """Play an action, and let the game draw; return the number of draws."""
        self.num_plies += 1
        self.game.apply_action(self.states[0], action)
        return self.settle()

    def settle(self) -> int:
        """Let the game draw until a seat has to act; return the number of draws."""
        draws = 0
        while not self.is_over and self.seat_to_act == CHANCE:
            if self.game.play_chance is None:
                raise CheckError("seat_to_act", "chance is to act, but the game has no play_chance")
            if draws == self.limit:
                problem = f"the game drew {draws} times in a row and no seat could act"
                raise CheckError("ends", problem)
            self.game.play_chance(self.states[0], self.rngs[0])
            draws += 1
        return draws

    def after(self, action: int) -> "Situation":
        """Return a copy in which an action was played, before the game draws."""
        twin = self.copy()
        twin.game.apply_action(twin.states[0], action)
        return twin

    def choices(self) -> list[int]:
        """Return the legal actions, having checked that a seat is to act and has one."""
        seat, last, end = self.seat_to_act, self.game.num_seats - 1, self.game.num_actions
        if not 0 <= seat <= last:
            problem = (
                f"seat {seat} is to act; seats are 0 .. {last}, and CHANCE where the game draws"
            )
            raise self.error("seat_to_act", problem)
        legal, place = self.legal(), f"{self.where}, seat {seat}"
        if not legal:
            raise CheckError("mask_empty", f"{place}: nothing is legal, and the game is not over")
        if legal[-1] >= end:
            problem = f"{place}: {legal[-1]} is legal, but actions end at {end - 1}"
            raise CheckError("mask_range", problem)
        return legal

    def check_fields(self, fields: Sequence[Field], records: np.ndarray, label: str) -> None:
        """Check that every number of some records is inside the range that its field declares."""
        for field in fields:
            values, low, high = np.ravel(records[field.name]), field.low, field.high
            allowed = f"{low} .. {high}"
            if field.num_bits:
                values, low, high = values.view(np.uint64), 0, 2**field.num_bits - 1
                allowed = f"sets of {field.num_bits}"
            if ((values < low) | (values > high)).any():
                value = f"{field.name} = {values.tolist()}"
                raise self.error("ranges", f"{label} has {value}, outside {allowed}")


class PlayedGame(NamedTuple):
    """A random game: the positions before each ply and at the end, and the actions."""

    positions: list[Situation]  # [plies + 1]
    actions: list[int]


def play_on(position: Situation, chooser_seed: int = 0) -> PlayedGame:
    """Until the game ends, and it must end, a seat is to act and has a legal action."""
    chooser = np.random.default_rng(chooser_seed)
    played = PlayedGame([], [])
    while True:
        position.check_fields(position.game.state_fields, position.states, "the position")
        played.positions.append(position.copy())
        if position.is_over:
            return played
        if len(played.actions) == position.limit:
            problem = f"seed {position.seed}: the game is not over after {position.limit} plies"
            raise CheckError("ends", problem)
        action = int(chooser.choice(position.choices()))
        played.actions.append(action)
        position.apply(action)


class Sample:
    """Random games, from whose positions the checks start."""

    remedy = "draw from `rng` alone, as below(rng, n) does, and let it go on from deal to deal"

    def __init__(self, game: Game, trial: Trial) -> None:
        self.game, self.trial = game, trial
        starts = [Situation.new(game, seed, trial.max_plies).deal() for seed in trial.seeds]
        self.played = [play_on(start, start.seed) for start in starts]
        self._position = starts[0]

    def play(self, seed: int | None = None) -> list[bytes]:
        """Play a game by the same choices for all seeds; return its positions.

        Without a seed the stream of the game before goes on.
        """
        if seed is not None:
            self._position = Situation.new(self.game, seed)
        return [one.states.tobytes() for one in play_on(self._position.deal()).positions]

    def positions(self, most: int = MANY) -> Iterator[Situation]:
        """Yield positions: `most` of each game, evenly spread."""
        for positions, _ in self.played:
            count = min(most, len(positions))
            for place in np.linspace(0, len(positions) - 1, count).astype(int):
                yield positions[place]

    def views(self, most: int = MANY) -> Iterator[tuple[Situation, int]]:
        """Yield these positions with each seat."""
        return itertools.product(self.positions(most), range(self.game.num_seats))

    @cached_property
    def redealt(self) -> np.ndarray:
        """Bytes of a position [seats, bytes], not 0 where re-deals for the seat changed them."""
        changed = np.zeros((self.game.num_seats, self.game.state_dtype.itemsize), np.uint8)
        for position, seat, twin in self.redeals():
            changed[seat] |= position.states.view(np.uint8) != twin.states.view(np.uint8)
        return changed

    def redeals(
        self, most: int = MANY, first: int = 0
    ) -> Iterator[tuple[Situation, int, Situation]]:
        """Yield each position and seat with its re-dealt twin; streams count from `first`."""
        for number, (position, seat) in enumerate(self.views(most), first):
            yield position, seat, position.redealt(seat, number)


def differing(records: np.ndarray, others: np.ndarray) -> str:
    """Return the names of the fields in which two records [1] differ; none where they are equal."""
    if records.tobytes() == others.tobytes():
        return ""
    names = records.dtype.names or ()
    return ", ".join(name for name in names if np.any(records[name] != others[name]))
