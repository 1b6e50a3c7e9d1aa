"""Everything that the author of a game imports: `from parlour.envs.authoring import Game, rule`.

`docs/examples/nim.py` is a whole game made with it, and the page to copy.
"""

from .core.bits import allow, is_allowed, lowest_bit, nth_allowed, nth_bit, num_allowed, popcount
from .core.compile import array_rule, rule
from .core.drawing.picture import Circle, Line, Part, Picture, Polygon, Rectangle, Text
from .core.fields import Field
from .core.game import (
    CHANCE,
    NO_ACTION,
    NO_SEAT,
    Game,
    check_choice,
    check_range,
    functions_in,
    make_config,
    setting,
)
from .core.rng import below, shuffle, streams, uniform
from .core.seats import next_seat, relative_seat
from .registry import make_aec, make_raw_aec, register_game

__all__ = [
    "CHANCE",
    "NO_ACTION",
    "NO_SEAT",
    "Circle",
    "Field",
    "Game",
    "Line",
    "Part",
    "Picture",
    "Polygon",
    "Rectangle",
    "Text",
    "allow",
    "array_rule",
    "below",
    "check_choice",
    "check_range",
    "functions_in",
    "is_allowed",
    "lowest_bit",
    "make_aec",
    "make_config",
    "make_raw_aec",
    "next_seat",
    "nth_allowed",
    "nth_bit",
    "num_allowed",
    "popcount",
    "register_game",
    "relative_seat",
    "rule",
    "setting",
    "shuffle",
    "streams",
    "uniform",
]
