"""The keywords of the environments, from which their docstrings come."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

PETTINGZOO, SOLO, VECTOR = "PettingZoo", "gym.make", "gym.make_vec"  # the views
_ALL, _BOTH = (PETTINGZOO, SOLO, VECTOR), (SOLO, VECTOR)
_Documented = TypeVar("_Documented", bound=Callable[..., Any])


class Keyword(NamedTuple):
    """A keyword of some views."""

    name: str
    defaults: dict[str, Any]  # by view; others do not have it
    values: str
    meaning: str


KEYWORDS = (
    Keyword(
        "opponents",
        {SOLO: "random", VECTOR: None},
        "a player: a name, a checkpoint, a model, a function, a class or a `Policy`; a pool: a "
        "dict of players and weights; a list with one of these for each other seat, clockwise",
        "who plays the other seats. From a pool a player is drawn for each seat in each game. None "
        'is "random"; in self-play there are no opponents. `set_opponents` changes them',
    ),
    Keyword(
        "seat",
        dict.fromkeys(_BOTH, 0),
        '0 .. number of players - 1, "random"',
        'your seat; "random" draws it anew for each game',
    ),
    Keyword(
        "self_play",
        dict.fromkeys([VECTOR], False),
        "False, True",
        'you play every seat: each step takes an action for the seat in `info["seat"]`, and the '
        "reward is that seat's",
    ),
    Keyword("num_envs", dict.fromkeys([VECTOR], 1), "1 and more", "number of tables"),
    Keyword(
        "observation",
        dict.fromkeys(_ALL, "scaled"),
        '"scaled", "integer"',
        "float32 in about -1 .. 1, or whole numbers in natural units",
    ),
    Keyword(
        "layout",
        {PETTINGZOO: "dict", SOLO: "flat", VECTOR: "flat"},
        '"flat", "dict"',
        'an array [num_inputs], or `{"observation", "action_mask"}`',
    ),
    Keyword(
        "illegal_action",
        dict.fromkeys(_BOTH, "lose"),
        '"lose", "raise", "random"',
        "an illegal action ends the game with reward -1; raises ValueError and changes nothing; or "
        "is replaced by a legal one from your seat's stream. A number outside the action space "
        "always raises",
    ),
    Keyword(
        "skip_forced",
        dict.fromkeys(_ALL, False),
        "False, True",
        "the environment plays your plies with a single legal action",
    ),
    Keyword(
        "max_episode_steps",
        dict.fromkeys(_BOTH, None),
        "1 and more, -1, None",
        "number of your steps after which a game is truncated; -1 and None set no limit. gym.make "
        "leaves it to Gymnasium",
    ),
    Keyword(
        "autoreset_mode",
        dict.fromkeys([VECTOR], "SameStep"),
        '"SameStep", "NextStep", "Disabled"',
        "when a finished table starts a new game, as in Gymnasium, whose observation wrappers need "
        '"NextStep". An environment with one table never resets by itself',
    ),
    Keyword(
        "num_threads",
        dict.fromkeys([VECTOR], 1),
        "1 and more",
        "maximum number of threads that step the tables, with SameStep and compiled players only; "
        "results do not depend on it",
    ),
    Keyword(
        "render_mode",
        dict.fromkeys(_ALL, None),
        '"ansi", "rgb_array", "svg", "human", None',
        "what `render()` gives: a text, pixels, a picture, or a window; in `gym.make_vec` one for "
        "each table",
    ),
    Keyword(
        "render_seat",
        {PETTINGZOO: "all", SOLO: "own", VECTOR: None},
        'a seat, "all", and where you have a seat "own"',
        'whose view is rendered: that of a seat, of your seat, or the whole table. None is "own", '
        'and "all" in self-play',
    ),
)


def with_keywords(view: str) -> Callable[[_Documented], _Documented]:
    """Return a decorator that adds the keywords of a view to a docstring."""
    lines = [
        f"* `{one.name}={shown(one.defaults[view])}`: {one.meaning}. Values: {one.values}."
        for one in KEYWORDS
        if view in one.defaults
    ]

    def add(documented: _Documented) -> _Documented:
        text = inspect.cleandoc(documented.__doc__ or "")
        documented.__doc__ = "\n".join([text, "", "Keywords:", "", *lines])
        return documented

    return add


def shown(default: Any) -> str:
    """A default as it is written in code."""
    return f'"{default}"' if isinstance(default, str) else str(default)
