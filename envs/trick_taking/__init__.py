"""Trick-taking: its settings, and `game(**settings)`, which makes the `Game`."""

import dataclasses
from functools import partial
from typing import Any

from ..core.defaults import name_of
from ..core.game import (
    Game,
    arranged_by,
    check_range,
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
    """The sizes and the house rule of trick-taking."""

    num_values: int = setting(
        10,
        "values of each colour, and tricks of a game: 1 .. 32",
        "Cards of each suit",
        limits=(rules.MIN_VALUES, rules.MAX_VALUES),
    )
    num_players: int = setting(
        2, "seats, and colours: 2 .. 4", "Players", limits=(rules.MIN_SEATS, rules.MAX_SEATS)
    )
    leader: int = setting(
        0,
        "the seat that leads the first trick",
        "First to lead",
        choices={seat: f"seat {seat + 1}" for seat in range(rules.MAX_SEATS)},
    )

    def __post_init__(self) -> None:
        check_settings(self)
        check_range("leader", self.leader, 0, self.num_players - 1)


def game(**settings: Any) -> Game:
    """The game of trick-taking for these settings (see `Config`).

    Raises TypeError for an unknown setting, ValueError for an impossible value.
    """
    config = make_config(Config, "trick_taking", settings)
    num_seats, num_values = config.num_players, config.num_values
    return Game(
        name="trick_taking",
        version=VERSION,
        config=config,
        make=game,
        num_seats=num_seats,
        num_actions=num_seats * num_values,
        state_fields=rules.state_fields(num_seats, num_values),
        observation_fields=observation.observation_fields(num_seats, num_values),
        house_rules={"first_leader": config.leader},
        icons=text.ICONS,
        scale=Scale(
            num_values / num_seats, num_values * (1 - 1 / num_seats), "{} tricks", "{} tricks", 1
        ),
        has_chance=True,
        has_public_view=True,
        has_hidden=num_seats > 2 or num_values > 1,
        **functions_in(
            rules,
            observation,
            text,
            draw=drawn_by(__name__),
            **arranged_by(__name__),
            action_name=partial(name_of, text.action_names(num_seats, num_values)),
        ),
    )
