"""Notty: its settings, and `game(**settings)`, which makes the `Game`."""

import dataclasses
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from ..core.defaults import name_of
from ..core.game import (
    Game,
    arranged_by,
    check_choice,
    check_range,
    check_settings,
    drawn_by,
    functions_in,
    make_config,
    setting,
)
from . import observation, rules, text

VERSION = 0


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes and house rules of Notty."""

    FOR_PEOPLE: ClassVar[Mapping[str, int]] = {"turn_limit": 40}  # where they choose no settings

    num_players: int = setting(2, "seats: 2, 3 or 4", "Players", choices=rules.SEAT_COUNTS)
    hand_limit: int = setting(
        20,
        "the largest hand: 5 .. 20",
        "Largest hand",
        "cards",
        limits=(rules.MIN_HAND_LIMIT, rules.HAND_LIMIT),
    )
    initial_hand: int = setting(
        5, "cards dealt to each seat: 1 .. hand_limit", "Cards dealt", "to each"
    )
    turn_limit: int = setting(
        200,
        "turns of each seat, after which the game is a draw: 1 .. 5000",
        "Longest game",
        "turns each",
        limits=(1, rules.MAX_TURN_LIMIT),
    )
    discard: str = setting(
        "optimal",
        'who discards: the game ("optimal") or the seats ("manual")',
        "Groups are discarded",
        choices={"optimal": "by themselves", "manual": "by the players"},
    )
    protect_small_hands: bool = setting(
        True,
        "nobody takes from a hand of two or fewer cards",
        "Small hands are protected",
        choices=(False, True),
    )
    starter: int | str = setting(
        0,
        'the seat that begins, or "random"',
        "First to play",
        choices={0: "seat 1", 1: "seat 2", 2: "seat 3", 3: "seat 4", "random": "drawn by lot"},
    )

    def __post_init__(self) -> None:
        check_settings(self)
        check_range("initial_hand", self.initial_hand, 1, self.hand_limit)
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
        icons=text.ICONS,
        has_chance=True,
        has_hidden=False,  # the order of the deck is hidden only if a start position gives it
        **functions_in(
            rules,
            observation,
            text,
            draw=drawn_by(__name__),
            **arranged_by(__name__),
            action_name=partial(name_of, text.action_names(num_seats, config.discard)),
        ),
    )
