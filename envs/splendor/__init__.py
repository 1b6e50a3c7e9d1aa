"""Splendor: its settings, and `game(**settings)`, which makes the `Game`."""

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
from . import actions, deals, observation, rules, text

VERSION = 0


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes and house rules of Splendor."""

    num_players: int = setting(
        2, "seats: 2 .. 4", "Players", limits=(rules.MIN_SEATS, rules.MAX_SEATS)
    )
    target: int = setting(
        15,
        "points that end the game at the end of a round",
        "Play to",
        "points",
        limits=(1, rules.MAX_TARGET),
    )
    turn_limit: int = setting(
        200,
        "turns of each seat after which the game ends anyway",
        "Longest game",
        "turns each",
        limits=(1, rules.MAX_TURNS),
    )

    def __post_init__(self) -> None:
        check_settings(self)


def game(**settings: Any) -> Game:
    """The game of Splendor for these settings (see `Config`).

    Raises TypeError for an unknown setting, ValueError for an impossible value.
    """
    config = make_config(Config, "splendor", settings)
    return Game(
        name="splendor",
        version=VERSION,
        config=config,
        make=game,
        num_seats=config.num_players,
        num_actions=actions.NUM_ACTIONS,
        state_fields=rules.state_fields(config.num_players),
        observation_fields=observation.observation_fields(
            config.num_players, config.target, config.turn_limit
        ),
        house_rules={"target": config.target, "turn_limit": config.turn_limit},
        icons=text.ICONS,
        has_chance=True,
        has_public_view=True,
        has_hidden=True,
        **functions_in(
            rules, observation, deals, text, draw=drawn_by(__name__), **arranged_by(__name__)
        ),
    )
