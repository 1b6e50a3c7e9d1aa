"""Trick-taking: `game(**config)` and the environment made from it."""

import dataclasses
from functools import partial
from typing import Any

from ..core.game import Game, check_range, functions_in, make_config, setting
from . import draw, observation, rules, text

VERSION = 0


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes and the house rule of trick-taking."""

    num_values: int = setting(10, "values of each colour, and tricks of a game: 1 .. 32")
    num_players: int = setting(2, "seats, and colours: 2 .. 4")
    leader: int = setting(0, "the seat that leads the first trick")

    def __post_init__(self) -> None:
        check_range("num_values", self.num_values, rules.MIN_VALUES, rules.MAX_VALUES)
        check_range("num_players", self.num_players, rules.MIN_SEATS, rules.MAX_SEATS)
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
        has_chance=True,
        has_hidden=num_seats > 2 or num_values > 1,
        **functions_in(
            rules,
            observation,
            text,
            draw,
            action_name=partial(text.action_name, num_seats, num_values),
            parse_action=partial(text.parse_action, num_seats, num_values),
        ),
    )
