"""President, the Spanish way: `game(**config)` and the environment made from it."""

import dataclasses
from typing import Any

from ..core.game import Game, check_choice, check_range, functions_in, make_config, setting
from . import draw, observation, rules, text

VERSION = 0


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes and house rules of President."""

    num_players: int = setting(4, "seats: 2, 4, 5 or 8")
    num_games: int = setting(1, "games in an episode, with the exchange of cards between them")
    economy: str = setting("swap_one", 'what is exchanged: "none", "swap_one" or "swap_two"')
    passing: str = setting("free", '"free", or "out": a pass locks the seat out of the round')

    def __post_init__(self) -> None:
        check_choice("num_players", self.num_players, rules.SEAT_COUNTS)
        check_range("num_games", self.num_games, 1, rules.MAX_GAMES)
        check_choice("economy", self.economy, rules.ECONOMIES)
        check_choice("passing", self.passing, rules.PASSINGS)


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
        has_chance=True,
        has_hidden=True,
        **functions_in(rules, observation, text, draw),
    )
