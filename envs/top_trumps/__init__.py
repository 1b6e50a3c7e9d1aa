"""Top Trumps: its settings, and `game(**settings)`, which makes the `Game`."""

import dataclasses
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from ..core.defaults import name_of
from ..core.game import (
    Game,
    arranged_by,
    check_choice,
    check_settings,
    drawn_by,
    functions_in,
    make_config,
    setting,
)
from . import cards, observation, rules, text

VERSION = 0
STARTERS = (0, 1, "random")


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes and house rules of Top Trumps."""

    FOR_PEOPLE: ClassVar[Mapping[str, str]] = {"deck": "planets"}  # where they choose no settings
    # Settings that may be the path of a file, with the values that ship.
    FILES: ClassVar[Mapping[str, Sequence[str]]] = {"deck": tuple(cards.SHIPPED)}

    num_cards: int = setting(
        50, "cards in the deck: 2 .. 128", "Cards", limits=(cards.MIN_CARDS, cards.MAX_CARDS)
    )
    num_fields: int = setting(
        5,
        "integers on a card: 1 .. 16",
        "Values on a card",
        limits=(cards.MIN_FIELDS, cards.MAX_FIELDS),
    )
    trick_limit: int = setting(
        5000, "largest number of tricks", "Longest game", "tricks", limits=(1, rules.MAX_TRICKS)
    )
    starter: int | str = setting(
        0,
        'the seat that starts: 0, 1 or "random"',
        "First to choose",
        choices={0: "seat 1", 1: "seat 2", "random": "drawn by lot"},
    )
    deck: str = setting(
        cards.RANDOM, 'the cards: "random", "planets" or the text of a CSV file', "Deck"
    )

    def __post_init__(self) -> None:
        check_settings(self)
        if cards.deck_text(self.deck) != cards.RANDOM:
            sizes = _deck_sizes(self.deck)
            check_choice("num_cards", self.num_cards, [sizes["num_cards"]])
            check_choice("num_fields", self.num_fields, [sizes["num_fields"]])


def game(**settings: Any) -> Game:
    """The game of Top Trumps for these settings (see `Config`).

    `deck` may also be the path of a CSV file or a pandas DataFrame with a column `id`; it then
    determines the sizes. Raises TypeError for an unknown setting, ValueError for an impossible
    value.
    """
    if "deck" in settings:
        deck = cards.deck_text(settings["deck"])
        settings = {**_deck_sizes(deck), **settings, "deck": deck}
    config = make_config(Config, "top_trumps", settings)
    names, values = _names_and_values(config)
    numbers = [value for row in values for value in row]
    low, high = (min(numbers), max(numbers)) if numbers else (0, rules.MAX_VALUE)
    sizes = (config.num_cards, config.num_fields, config.trick_limit, low, high)
    return Game(
        name="top_trumps",
        version=VERSION,
        config=config,
        make=game,
        num_seats=rules.NUM_SEATS,
        num_actions=config.num_fields,
        state_fields=rules.state_fields(*sizes),
        observation_fields=observation.observation_fields(*sizes),
        house_rules=_house_rules(config, values),
        has_chance=True,
        has_hidden=True,
        has_public_view=True,
        **functions_in(
            rules,
            observation,
            text,
            describe=partial(text.describe, names),
            action_name=partial(name_of, names.fields),
            label_action=partial(text.label_action, names),
            draw=partial(drawn_by(__name__), names),
            **{name: partial(call, names) for name, call in arranged_by(__name__).items()},
        ),
    )


def _deck_sizes(deck: str) -> dict[str, int]:
    """The settings that a deck determines."""
    if deck == cards.RANDOM:
        return {}
    read = cards.read_deck(deck)
    return {"num_cards": len(read.ids), "num_fields": len(read.field_names)}


def _names_and_values(config: Config) -> tuple[text.Names, tuple[tuple[int, ...], ...]]:
    if config.deck == cards.RANDOM:
        fields = tuple(f"Field{field}" for field in range(config.num_fields))
        return text.Names(fields, None), ()
    deck = cards.read_deck(config.deck)
    return text.Names(deck.field_names, deck.ids), deck.values


def _house_rules(config: Config, values: tuple[tuple[int, ...], ...]) -> dict[str, Any]:
    """The state fields that a deal does not change, among them a fixed deck."""
    house_rules: dict[str, Any] = {
        "trick_limit": config.trick_limit,
        "first_starter": STARTERS.index(config.starter),
        "has_own_deck": int(bool(values)),
    }
    if values:
        house_rules |= {"values": values, "ids": tuple(range(len(values)))}
    return house_rules
