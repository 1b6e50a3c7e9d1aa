"""The contract: a game is a record and a few compiled functions over it.

`Game` names them; everything else in Parlour, from the environments to the tournaments, is made
from a `Game` and knows no game by name.
"""

import dataclasses
import importlib
import inspect
import sys
from collections.abc import Callable, Collection, Mapping
from functools import cache, cached_property, lru_cache, partial
from types import ModuleType
from typing import Any

import numpy as np

from . import defaults
from .bits import allowed_list, mask_words
from .compile import relate
from .fields import Field, FlatLayout, check_fields, record_dtype
from .records import COMMON, result_dtype
from .rng import STREAM
from .words import Scale, check_setting_names

CHANCE = -1  # value of seat_to_act if the game itself must draw next
NO_SEAT = -1
NO_ACTION = -1

Function = Callable[..., Any]

_FUNCTIONS = {  # the functions of a `Game`, by their names in its modules, and what they take
    "deal": ("state", "rng"),
    "seat_to_act": ("state",),
    "play_chance": ("state", "rng"),
    "legal_actions": ("state", "mask"),
    "apply_action": ("state", "action"),
    "is_terminal": ("state",),
    "returns": ("state", "out"),
    "observe": ("state", "seat", "out"),
    "reshuffle_unseen": ("state", "seat", "rng"),
    "deal_from": ("state", "data", "rng"),
    "check_position": ("state",),
    "describe": ("state", "seat"),
    "action_name": ("action",),
    "parse_action": ("name",),
    "draw": ("state", "seat"),
    "lay_out": ("state",),
    "arrange": ("state", "piles", "seat"),
    "label_action": ("state", "action"),
    "score": ("state", "seat"),
}


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Game:
    """A game: sizes, records, two declared facts, and functions.

    `config` is a frozen dataclass of sizes and house rules, and `make(**config)` makes this game
    again. `version` rises when rules, actions or observations change. `state_fields` declare the
    record of a position, `observation_fields` that of what one seat may know. `house_rules` gives
    values of state fields that `deal` leaves alone. `has_chance`: whether two games with the same
    actions can differ. `has_hidden`: whether a dealt game can contain anything that a seat cannot
    know.

    These functions are compiled: `@rule` functions over records. Verbs change the state in place;
    questions leave it byte-identical. A function takes `rng` (a STREAM record) if and only if it
    draws.

    * `deal(state, rng)`: deal a new game, over whatever the record held
    * `seat_to_act(state)`: return the seat, or `CHANCE` where the game itself must draw next
    * `play_chance(state, rng)`: make one draw of the game itself, in mid-game
    * `legal_actions(state, mask)`: `allow` each legal action in a mask without any
    * `apply_action(state, action)`: play an action, which is legal
    * `is_terminal(state)`: return whether the game is over
    * `returns(state, out)`: write out[seat] in -1 .. 1 for each seat; all 0 before the end
    * `observe(state, seat, out)`: write the seat's information state, and no more
    * `reshuffle_unseen(state, seat, rng)`: resample what the seat cannot know (determinization)

    These are plain Python:

    * `deal_from(state, data, rng)`: deal a position given as plain data; ValueError for a wrong one
    * `check_position(state)`: ValueError for a position given as data that the game cannot reach
      although every number is in its range; by default there are none
    * `describe(state, seat)`: return the position as text, as the seat may see it; all for None
    * `action_name(action)`: return the name of an action; ValueError where there is none
    * `parse_action(name)`: return the action of that name; ValueError where there is none
    * `draw(state, seat, is_narrow=False, is_live=True)`: return a `Picture`, of all for the seat
      None; one that is not live has nothing to click; without `draw` pictures show what `describe`
      says
    * `lay_out(state)`: return the pieces in each pile, by names, for `arrange`
    * `arrange(state, piles, seat)`: lay out such piles with this seat to act, and
      return a dict of `Pile`; ValueError where pieces cannot lie so. See `arranging`
    * `label_action(state, action)`: return the name of an action in words, chosen in this position,
      such as "a pair of sevens"; it reveals no more than the action itself
    * `score(state, seat)`: return what a seat has achieved, such as "7 tricks", which all may
      know; "" where a game has no other score than its returns

    `icons` gives words of the labels a symbol and its colour. `scale` says what people read in
    place of expected returns; by default the chance to win, for games that one seat wins. With
    `has_public_view`, `draw` takes the seat `NO_SEAT` for people who see what every seat sees.

    Functions with a default may be left out; see `defaults`.

    Raises ValueError for fields that no record can have, for functions that cannot be called as
    above, and where the facts and the functions contradict each other.
    """

    name: str
    version: int
    config: Any
    make: Callable[..., "Game"]
    num_seats: int
    num_actions: int
    state_fields: tuple[Field, ...]
    observation_fields: tuple[Field, ...]
    house_rules: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    has_chance: bool
    has_hidden: bool

    # Compiled.
    deal: Function
    seat_to_act: Function
    play_chance: Function | None = None
    legal_actions: Function
    apply_action: Function
    is_terminal: Function
    returns: Function
    observe: Function
    reshuffle_unseen: Function = defaults.nothing_is_unseen

    # Plain Python.
    deal_from: Function = defaults.derived
    check_position: Callable[[np.record], None] = defaults.any_position
    describe: Function
    action_name: Callable[[int], str]
    parse_action: Callable[[str], int] = defaults.derived
    draw: Function | None = None
    lay_out: Callable[[np.record], dict[str, Any]] | None = None
    arrange: Function | None = None
    label_action: Callable[[np.record, int], str] = defaults.derived
    score: Callable[[np.record, int], str] = defaults.no_score
    has_public_view: bool = False
    icons: Mapping[str, tuple[str, str]] = dataclasses.field(default_factory=dict)
    scale: Scale | None = None

    def __post_init__(self) -> None:
        check_fields(self.state_fields)
        check_fields(self.observation_fields)
        for name, taken in _FUNCTIONS.items():
            _check_call(name, getattr(self, name), taken)
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
            "label_action": partial(defaults.name_as_label, self.action_name),
        }
        for name, function in derived.items():
            if getattr(self, name) is defaults.derived:
                object.__setattr__(self, name, function)

    @cached_property
    def state_dtype(self) -> np.dtype:
        """The record of a position."""
        dtype = record_dtype(self.state_fields)
        relate((dtype, self.observation_dtype), (STREAM, result_dtype(self.num_seats), *COMMON))
        return dtype

    @cached_property
    def observation_dtype(self) -> np.dtype:
        """The record of what one seat may know."""
        return self.layout.dtype

    @property
    def value_scale(self) -> Scale:
        """What people read in place of an expected return."""
        return self.scale or Scale(100 / self.num_seats, 100 * (1 - 1 / self.num_seats))

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


@lru_cache(maxsize=1024)  # a game is made more often than its functions change
def _check_call(name: str, function: Function | None, taken: tuple[str, ...]) -> None:
    """Raise ValueError for a function that does not take what it is given."""
    if function is None:
        return
    signature = inspect.signature(function)
    try:
        signature.bind(*taken)
    except TypeError:
        raise ValueError(
            f"{name} is called as {name}({', '.join(taken)}), but it takes {signature}"
        ) from None


def _remake(make: Callable[..., Game], config: Mapping[str, Any]) -> Game:
    return make(**config)


def functions_in(*modules: ModuleType | str, **bound: Function) -> dict[str, Any]:
    """Pick the functions of a `Game` out of its modules, by the names that `Game` gives them.

    A module is given itself or by its name: `functions_in(__name__)` for a game in one file. The
    functions in `bound` replace those of the modules if they need to know the settings:
    `Game(..., **functions_in(rules, observation, text, action_name=partial(...)))`.
    """
    functions = {
        name: getattr(module, name)
        for module in (sys.modules[m] if isinstance(m, str) else m for m in modules)
        for name in _FUNCTIONS
        if hasattr(module, name)
    }
    return functions | bound


@cache
def drawn_by(package: str) -> Function:
    """Return the function `draw` of a game's module `draw`, imported when it is first called."""

    def draw(*arguments: Any, is_narrow: bool = False, is_live: bool = True) -> Any:
        module = importlib.import_module(f"{package}.draw")
        return module.draw(*arguments, is_narrow=is_narrow, is_live=is_live)

    return draw


def arranged_by(package: str) -> dict[str, Function]:
    """Return the functions of a game's module `arrange`, imported when one is first called."""

    def lay_out(*arguments: Any) -> Any:
        return importlib.import_module(f"{package}.arrange").lay_out(*arguments)

    def arrange(*arguments: Any) -> Any:
        return importlib.import_module(f"{package}.arrange").arrange(*arguments)

    return {"lay_out": lay_out, "arrange": arrange}


def setting(
    default: Any,
    meaning: str,
    label: str = "",
    unit: str = "",
    limits: tuple[int, int] | None = None,
    choices: Mapping[Any, str] | Collection[Any] = (),
) -> Any:
    """Declare a field of a Config: its default, and what it means in a few words for users.

    At the table its `label` stands for its name, with a `unit` after the value; `limits`, the least
    and the largest value, or `choices`, the values, with labels in a mapping, are then offered.
    `check_settings` checks the limits or, where there are none, the choices.
    """
    shown = {"label": label, "unit": unit, "limits": limits, "choices": choices}
    return dataclasses.field(default=default, metadata={"meaning": meaning, **shown})


def check_settings(config: Any) -> None:
    """Raise ValueError for a field of a Config outside its limits or choices; see `setting`."""
    for field in dataclasses.fields(config):
        value, limits = getattr(config, field.name), field.metadata["limits"]
        if limits is not None:
            check_range(field.name, value, *limits)
        elif field.metadata["choices"]:
            check_choice(field.name, value, field.metadata["choices"])


def make_config(config_class: type, game_name: str, settings: Mapping[str, Any]) -> Any:
    """Build a game's Config; an unknown setting raises a TypeError that lists the known ones."""
    names = [field.name for field in dataclasses.fields(config_class)]
    check_setting_names(game_name, settings, names)
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
