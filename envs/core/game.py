"""The contract: a game is a record and a few compiled functions over it.

`Game` names them; everything else in Parlour, from the environments to the tournaments, is made
from a `Game` and knows no game by name.
"""

import dataclasses
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from .bits import mask_words
from .records import Field, FlatLayout, record_dtype

CHANCE = -1  # seat_to_act where the game itself must draw next
NO_SEAT = -1
NO_ACTION = -1

Function = Callable[..., Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Game:
    """A game: sizes, records and functions.

    The functions marked compiled are `@rule` functions over records. Verbs change the state in
    place; questions leave it byte-identical. A function takes `rng` (a STREAM record) if and only
    if it draws.
    """

    name: str
    version: int  # rises when rules, actions or observation change
    config: Any  # frozen dataclass: sizes and house rules
    make: Callable[..., "Game"]  # make(**config) gives this game again
    num_seats: int
    num_actions: int
    state_fields: tuple[Field, ...]
    observation_fields: tuple[Field, ...]
    house_rules: Mapping[str, Any]  # state fields that hold them; `deal` leaves them alone

    # Compiled.
    deal: Function  # (state, rng): a new game
    seat_to_act: Function  # (state) -> seat, or CHANCE
    legal_actions: Function  # (state, mask): set the bits of all legal actions in a cleared mask
    apply_action: Function  # (state, action): the action must be legal
    is_terminal: Function  # (state) -> bool
    returns: Function  # (state, out): out[seat] in -1 .. 1; all 0 before the end
    observe: Function  # (state, seat, out): only what that seat may know
    reshuffle_unseen: Function  # (state, seat, rng): re-deal all that seat cannot know

    # Plain Python.
    deal_from: Function  # (state, data, rng): a given deal as plain data; ValueError if impossible
    describe: Function  # (state, seat | None) -> str
    action_name: Callable[[int], str]
    parse_action: Callable[[str], int]  # ValueError if there is no such action
    draw: Function  # (state, seat | None) -> render.Picture

    # Compiled, and only for games that draw in mid-game.
    play_chance: Function | None = None  # (state, rng): one draw of the game itself

    @cached_property
    def state_dtype(self) -> np.dtype:
        """The record of a position."""
        return record_dtype(self.state_fields)

    @cached_property
    def observation_dtype(self) -> np.dtype:
        """The record of what one seat may know."""
        return self.layout.dtype

    @cached_property
    def layout(self) -> FlatLayout:
        """How an observation becomes a network's input."""
        return FlatLayout(self.observation_fields)

    @property
    def num_mask_words(self) -> int:
        """Length of an action mask in 64-bit words."""
        return mask_words(self.num_actions)

    def new_states(self, num_tables: int = 1) -> np.ndarray:
        """Positions [num_tables] that carry the house rules, to be dealt."""
        states = np.zeros(num_tables, self.state_dtype)
        for name, value in self.house_rules.items():
            states[name] = value
        return states

    def new_observations(self, num_rows: int = 1) -> np.ndarray:
        """Empty observation records [num_rows]."""
        return np.zeros(num_rows, self.observation_dtype)

    def legal_action_list(self, state: np.record) -> list[int]:
        """The legal actions of a position in ascending order; empty at the end and at chance."""
        if self.is_terminal(state) or self.seat_to_act(state) == CHANCE:
            return []
        mask = np.zeros(self.num_mask_words, np.int64)
        self.legal_actions(state, mask)
        bits = np.unpackbits(mask.view(np.uint8), bitorder="little")
        return np.flatnonzero(bits).tolist()

    def config_dict(self) -> dict[str, Any]:
        """The configuration as plain data: `load_game(game.name, **game.config_dict())`."""
        return dataclasses.asdict(self.config)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (self.make, self.config_dict())

    def __repr__(self) -> str:
        settings = ", ".join(f"{k}={v!r}" for k, v in self.config_dict().items())
        return f"<Game {self.name} v{self.version}: {settings}>"


def _remake(make: Callable[..., Game], config: Mapping[str, Any]) -> Game:
    return make(**config)


def make_config(config_class: type, game_name: str, settings: Mapping[str, Any]) -> Any:
    """Build a game's Config; an unknown setting raises TypeError that lists the known ones."""
    known = [field.name for field in dataclasses.fields(config_class)]
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise TypeError(
            f"{game_name} has no setting {', '.join(map(repr, unknown))}; "
            f"its settings are {', '.join(known)}"
        )
    return config_class(**settings)


def check_choice(setting: str, value: Any, allowed: Collection[Any]) -> None:
    """Raise ValueError unless `value` is one of `allowed` (of the same type as one of them)."""
    if not any(type(value) is type(choice) and value == choice for choice in allowed):
        choices = ", ".join(repr(choice) for choice in allowed)
        raise ValueError(f"{setting} must be one of {choices}; got {value!r}")


def check_range(setting: str, value: Any, low: int, high: int) -> None:
    """Raise ValueError unless `value` is an integer in low .. high."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{setting} must be an integer in {low} .. {high}; got {value!r}")
