"""Notty: `game(**config)`, and the best discard of a hand."""

import dataclasses
from functools import partial
from typing import Any

from ..core.game import Game, check_choice, check_range, functions_in, make_config, setting
from . import draw, observation, rules, text

VERSION = 0


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes and house rules of Notty."""

    num_players: int = setting(2, "seats: 2, 3 or 4")
    hand_limit: int = setting(20, "the largest hand: 5 .. 20")
    initial_hand: int = setting(5, "cards dealt to each seat: 1 .. hand_limit")
    turn_limit: int = setting(200, "turns of each seat, after which the game is a draw: 1 .. 5000")
    discard: str = setting("optimal", 'who discards: the game ("optimal") or the seats ("manual")')
    protect_small_hands: bool = setting(True, "nobody takes from a hand of two or fewer cards")
    starter: int | str = setting(0, 'the seat that begins, or "random"')

    def __post_init__(self) -> None:
        check_choice("num_players", self.num_players, rules.SEAT_COUNTS)
        check_range("hand_limit", self.hand_limit, rules.MIN_HAND_LIMIT, rules.HAND_LIMIT)
        check_range("initial_hand", self.initial_hand, 1, self.hand_limit)
        check_range("turn_limit", self.turn_limit, 1, rules.MAX_TURN_LIMIT)
        check_choice("discard", self.discard, rules.DISCARDS)
        check_choice("protect_small_hands", self.protect_small_hands, (False, True))
        check_choice("starter", self.starter, (*range(self.num_players), "random"))


def game(**settings: Any) -> Game:
    """The game of Notty for these settings (see `Config`).

    Raises TypeError for an unknown setting, ValueError for an impossible value.
    """
    config = make_config(Config, "notty", settings)
    num_seats = config.num_players
    return Game(
        name="notty",
        version=VERSION,
        config=config,
        make=game,
        num_seats=num_seats,
        num_actions=rules.num_actions(num_seats, config.discard),
        state_fields=rules.state_fields(num_seats),
        observation_fields=observation.observation_fields(num_seats),
        house_rules={
            "hand_limit": config.hand_limit,
            "initial_hand": config.initial_hand,
            "turn_limit": config.turn_limit,
            "discard": rules.DISCARDS.index(config.discard),
            "protect_small_hands": int(config.protect_small_hands),
            "starter": rules.RANDOM_STARTER if config.starter == "random" else config.starter,
        },
        has_chance=True,
        has_hidden=False,  # the order of the deck is hidden only if a start position gives it
        **functions_in(
            rules,
            observation,
            text,
            draw,
            action_name=partial(text.action_name, num_seats, config.discard),
            parse_action=partial(text.parse_action, num_seats, config.discard),
        ),
    )
