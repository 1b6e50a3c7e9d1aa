"""The contract: a game is a record and a few compiled functions over it.

`Game` names them; everything else in Parlour, from the environments to the tournaments, is made
from a `Game` and knows no game by name.
"""

import dataclasses
import sys
from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial
from types import ModuleType
from typing import Any

import numpy as np

from . import defaults
from .bits import allowed_list, mask_words
from .records import Field, FlatLayout, record_dtype

CHANCE = -1  # value of seat_to_act if the game itself must draw next
NO_SEAT = -1
NO_ACTION = -1

Function = Callable[..., Any]

_FUNCTIONS = (  # the functions of a `Game`, by their names in its modules
    "deal",
    "seat_to_act",
    "play_chance",
    "legal_actions",
    "apply_action",
    "is_terminal",
    "returns",
    "observe",
    "observe_inputs",
    "observe_constants",
    "reshuffle_unseen",
    "deal_from",
    "describe",
    "action_name",
    "parse_action",
    "draw",
)


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """A game: sizes, records, two declared facts, and functions.

    The functions marked compiled are `@rule` functions over records. Verbs change the state in
    place; questions leave it byte-identical. A function takes `rng` (a STREAM record) if and only
    if it draws. What has a default may be left out; see `defaults` for what then happens.

    Raises ValueError if the facts and the functions contradict each other.
    """

    name: str
    version: int  # rises when rules, actions or observations change
    config: Any  # frozen dataclass: sizes and house rules
    make: Callable[..., "Game"]  # make(**config) makes this game again
    num_seats: int
    num_actions: int
    state_fields: tuple[Field, ...]
    observation_fields: tuple[Field, ...]
    house_rules: Mapping[str, Any] = dataclasses.field(  # state fields that hold them;
        default_factory=dict  # `deal` leaves them alone
    )

    has_chance: bool  # whether two games with the same actions can differ
    has_hidden: bool  # whether a dealt game can contain anything that a seat cannot know

    # Compiled.
    deal: Function  # (state, rng): a new game
    seat_to_act: Function  # (state) -> seat, or CHANCE
    play_chance: Function | None = None  # (state, rng): one draw by the game itself, during a game
    legal_actions: Function  # (state, mask): set the bits of all legal actions in a cleared mask
    apply_action: Function  # (state, action): the action must be legal
    is_terminal: Function  # (state) -> bool
    returns: Function  # (state, out): out[seat] in -1 .. 1; all 0 before the end
    observe: Function  # (state, seat, out): only what that seat may know
    observe_inputs: Function | None = None  # (state, seat, out): the same, but fields that are
    # hidden or is_constant may be left as they are in `out`; worth it where they are most of it
    observe_constants: Function | None = None  # (state, seat, out): the fields that are is_constant
    reshuffle_unseen: Function = (  # (state, seat, rng): re-deal what the seat cannot know
        defaults.nothing_is_unseen
    )

    # Plain Python.
    deal_from: Function = defaults.derived  # (state, data, rng): a deal as data, or ValueError
    describe: Function  # (state, seat | None) -> str
    action_name: Callable[[int], str]  # ValueError if there is no such action
    parse_action: Callable[[str], int] = defaults.derived  # ValueError if there is no such action
    draw: Function = defaults.derived  # (state, seat | None, is_narrow=False) -> picture.Picture

    def __post_init__(self) -> None:
        if self.has_hidden and self.reshuffle_unseen is defaults.nothing_is_unseen:
            raise ValueError(
                f"{self.name} declares has_hidden=True and needs reshuffle_unseen, "
                "which re-deals what a seat cannot know"
            )
        if self.play_chance is not None and not self.has_chance:
            raise ValueError(f"{self.name} has play_chance but declares has_chance=False")
        derived: dict[str, Function] = {
            "deal_from": partial(defaults.deal_from_fields, self.deal, self.state_fields),
            "parse_action": partial(defaults.parse_name, self.action_name, self.num_actions),
            "draw": partial(defaults.draw_text, self),
        }
        for name, function in derived.items():
            if getattr(self, name) is defaults.derived:
                object.__setattr__(self, name, function)

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
        """The conversion of an observation into a network's input."""
        return FlatLayout(self.observation_fields)

    @property
    def num_mask_words(self) -> int:
        """Length of an action mask in 64-bit words."""
        return mask_words(self.num_actions)

    def new_states(self, num_tables: int = 1) -> np.ndarray:
        """Positions [num_tables] with the house rules, not yet dealt."""
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
        return allowed_list(mask)

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


def functions_in(*modules: ModuleType | str, **bound: Function) -> dict[str, Any]:
    """Pick the functions of a `Game` out of its modules, by the names that `Game` gives them.

    A module is given itself or by its name: `functions_in(__name__)` for a game in one file. The
    functions in `bound` replace those found if they need to know the settings:
    `Game(..., **functions_in(rules, observation, text, draw, action_name=partial(...)))`.
    """
    found = {
        name: getattr(module, name)
        for module in (sys.modules[m] if isinstance(m, str) else m for m in modules)
        for name in _FUNCTIONS
        if hasattr(module, name)
    }
    return found | bound


def make_config(config_class: type, game_name: str, settings: Mapping[str, Any]) -> Any:
    """Build a game's Config; an unknown setting raises a TypeError that lists the known ones."""
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
