"""President, the Spanish way: its settings, and `game(**settings)`, which makes the `Game`."""

import dataclasses
from typing import Any

from ..core.game import (
    Game,
    arranged_by,
    check_settings,
    drawn_by,
    functions_in,
    make_config,
    setting,
)
from ..core.words import Scale
from . import observation, rules, text

VERSION = 0


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes and house rules of President."""

    num_players: int = setting(4, "seats: 2, 4, 5 or 8", "Players", choices=rules.SEAT_COUNTS)
    num_games: int = setting(
        1,
        "games in an episode, with the exchange of cards between them",
        "Games in a match",
        limits=(1, rules.MAX_GAMES),
    )
    economy: str = setting(
        "swap_one",
        'what is exchanged: "none", "swap_one" or "swap_two"',
        "Exchange between games",
        choices={"none": "none", "swap_one": "one card", "swap_two": "two cards"},
    )
    passing: str = setting(
        "free",
        '"free", or "out": a pass locks the seat out of the round',
        "After a pass",
        choices={"free": "you may play again", "out": "you are out of the round"},
    )

    def __post_init__(self) -> None:
        check_settings(self)


def game(**settings: Any) -> Game:
    """The game of President for these settings (see `Config`).

    Raises TypeError for an unknown setting, ValueError for an impossible value.
    """
    config = make_config(Config, "president", settings)
    return Game(
        name="president",
        version=VERSION,
        config=config,
        make=game,
        num_seats=config.num_players,
        num_actions=rules.NUM_ACTIONS,
        state_fields=rules.state_fields(config.num_players, config.num_games),
        observation_fields=observation.observation_fields(config.num_players, config.num_games),
        house_rules={
            "passing": rules.PASSINGS.index(config.passing),
            "economy": rules.ECONOMIES.index(config.economy),
        },
        scale=None if config.num_players == 2 else _places(config.num_players),
        has_chance=True,
        has_public_view=True,
        has_hidden=True,
        **functions_in(rules, observation, text, draw=drawn_by(__name__), **arranged_by(__name__)),
    )


def _places(num_seats: int) -> Scale:
    """Expected places: placings are evenly spaced from +1 to -1."""
    return Scale((num_seats + 1) / 2, (1 - num_seats) / 2, "place {}", "{} places", 1)
