"""Positions of a game and random games, by plain calls of its rules, compiled or in Python."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..bits import allowed_list
from ..fields import Field
from ..game import CHANCE, Game
from ..rng import streams
from .report import CheckError, Trial

MANY = 1_000_000  # plies; endless games are found by then
_OBSERVER_STREAM = 1 << 20  # purpose of re-dealing streams; far from those of tables and players


@dataclass
class Situation:
    """A position and its stream, which asks the rules of a game and plays on."""

    game: Game
    states: np.ndarray  # [1]
    rngs: np.ndarray  # [1]
    seed: int  # of the game, for messages and random actions
    num_plies: int = 0  # so far

    @property
    def where(self) -> str:
        """The place in the game, for messages."""
        return f"seed {self.seed}, ply {self.num_plies + 1}"

    def error(self, check: str, sentence: str) -> CheckError:
        """Return the error for a fault at this place."""
        return CheckError(check, f"{self.where}: {sentence}")

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self.game.is_terminal(self.states[0]))

    @property
    def seat_to_act(self) -> int:
        """The seat to act, or CHANCE."""
        return int(self.game.seat_to_act(self.states[0]))

    def legal(self) -> list[int]:
        """Return the legal actions."""
        mask = np.zeros(self.game.num_mask_words, np.int64)
        self.game.legal_actions(self.states[0], mask)
        return allowed_list(mask)

    def seen(self, seat: int, fill: int = 0) -> np.ndarray:
        """Return a seat's observation, a record [1], written over a buffer of `fill` bytes."""
        out = self.game.new_observations()
        out.view(np.uint8)[:] = fill
        self.game.observe(self.states[0], seat, out[0])
        return out

    def returns(self, fill: float = 0.0) -> np.ndarray:
        """Return the returns [seats], written over a buffer of `fill`."""
        out = np.full(self.game.num_seats, fill)
        self.game.returns(self.states[0], out)
        return out

    def redealt(self, seat: int, number: int) -> "Situation":
        """Return a copy with everything that the seat cannot know dealt anew from this stream."""
        twins = self.states.copy()
        rng = streams([number], _OBSERVER_STREAM + seat)[0]
        self.game.reshuffle_unseen(twins[0], seat, rng)
        return Situation(self.game, twins, streams([number], _OBSERVER_STREAM), number)

    def deal(self) -> "Situation":
        """Deal, and return this position."""
        self.game.deal(self.states[0], self.rngs[0])
        return self

    def play(self, actions: Iterable[int], max_draws: int = MANY) -> Iterator[int]:
        """Play these actions; yield before each and after the last how often the game has drawn.

        An iterator `actions` may look at the position to choose the next one.
        """
        yield self._settle(max_draws)
        for action in actions:
            self.num_plies += 1
            self.game.apply_action(self.states[0], action)
            yield self._settle(max_draws)

    def _settle(self, max_draws: int) -> int:
        """Let the game draw until a seat has to act; return the number of draws."""
        draws = 0
        while not self.is_over and self.seat_to_act == CHANCE:
            if self.game.play_chance is None:
                raise CheckError("seat_to_act", "chance is to act, but the game has no play_chance")
            if draws == max_draws:
                what = f"the game drew {draws} times in a row and no seat could act"
                raise CheckError("ends", what)
            self.game.play_chance(self.states[0], self.rngs[0])
            draws += 1
        return draws


class PlayedGame(NamedTuple):
    """A random game: the settled position and the stream before each ply and at the end."""

    seed: int
    states: np.ndarray  # [plies + 1]
    rngs: np.ndarray  # [plies + 1]
    actions: tuple[int, ...]

    def at(self, game: Game, ply: int) -> Situation:
        """Return a copy of the position before a ply, counted from 0."""
        place = slice(ply, ply + 1)
        return Situation(game, self.states[place].copy(), self.rngs[place].copy(), self.seed, ply)


def play(game: Game, seed: int, trial: Trial) -> PlayedGame:
    """Until the game ends, and it must end, a seat is to act and has a legal action."""
    return play_on(
        Situation(game, game.new_states(), streams([seed]), seed).deal(), trial.max_plies
    )


def play_on(position: Situation, max_plies: int = MANY) -> PlayedGame:
    """Play randomly to the end."""
    states, rngs = [], []
    actions: list[int] = []
    for _ in position.play(_random_actions(position, max_plies, actions), max_plies):
        states.append(position.states.copy())
        rngs.append(position.rngs.copy())
    return PlayedGame(position.seed, np.concatenate(states), np.concatenate(rngs), tuple(actions))


def _random_actions(position: Situation, max_plies: int, actions: list[int]) -> Iterator[int]:
    """Yield legal actions until the game is over, and add them to `actions`."""
    game, chooser = position.game, np.random.default_rng(position.seed)
    while not position.is_over:
        if len(actions) == max_plies:
            what = f"seed {position.seed}: the game is not over after {max_plies} plies"
            raise CheckError("ends", what)
        seat, last = position.seat_to_act, game.num_seats - 1
        if not 0 <= seat <= last:
            what = f"seat {seat} is to act; seats are 0 .. {last}, and CHANCE where the game draws"
            raise position.error("seat_to_act", what)
        legal, what = position.legal(), f"{position.where}, seat {seat}"
        if not legal:
            raise CheckError("mask_empty", f"{what}: nothing is legal, and the game is not over")
        if legal[-1] >= (end := game.num_actions):
            what = f"{what}: {legal[-1]} is legal, but actions end at {end - 1}"
            raise CheckError("mask_range", what)
        actions.append(int(chooser.choice(legal)))
        yield actions[-1]
        check_fields(position, game.state_fields, position.states, "the position")


def check_fields(
    position: Situation, fields: Sequence[Field], records: np.ndarray, what: str
) -> None:
    """Check that every number of some records is inside the range that its field declares."""
    for field in fields:
        values = np.ravel(records[field.name])
        if field.num_bits:
            is_inside = field.num_bits == 64 or not (values.view(np.uint64) >> field.num_bits).any()
            allowed = f"sets of {field.num_bits}"
        else:
            is_inside = bool(((values >= field.low) & (values <= field.high)).all())
            allowed = f"{field.low} .. {field.high}"
        if not is_inside:
            found = f"{field.name} = {values.tolist()}"
            raise position.error("ranges", f"{what} has {found}, outside {allowed}")


def differing(records: np.ndarray, others: np.ndarray) -> str:
    """Return the names of the fields in which two records [1] differ."""
    names = records.dtype.names or ()
    return ", ".join(name for name in names if np.any(records[name] != others[name]))
