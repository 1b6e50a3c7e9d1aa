"""Small tools of the Notty tests: a table on a stacked deal, hands written short, plies by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from parlour.baselines.policies.policy import Policy
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.played.transcript import name_starts, split_names
from parlour.envs.core.rng import streams
from parlour.envs.notty.cards import KIND_NAMES, kinds_of
from parlour.envs.notty.text import cards_text
from parlour.envs.registry import load_game
from tests.one_table import OneTable

# Sixteen and twenty cards without a group: no three neighbours, no number in three colours.
SIXTEEN = "red 1 1 2 2 4 4 5 5, blue 7 7 8 8 10 10, green 3 3"
TWENTY = f"{SIXTEEN} 6 6, yellow 9 9"


def cards(text: str) -> list[str]:
    """`red 1 2 2, blue 7` as a list of card names."""
    names = []
    for part in filter(None, text.split(", ")):
        colour, *numbers = part.split()
        names += [f"{colour} {number}" for number in numbers]
    return names


def counts(text: str) -> list[int]:
    """`red 1 2 2, blue 7` as how many there are of each kind."""
    names = cards(text)
    return [names.count(name) for name in KIND_NAMES]


def rest_of(*hands: str, first: str = "") -> list[str]:
    """A whole deck, top first, beside these hands, that begins with the cards of `first`."""
    gone = [name for hand in (*hands, first) for name in cards(hand)]
    rest = [name for name in KIND_NAMES for _ in range(2)]
    for name in gone:
        rest.remove(name)
    return cards(first) + rest


def deal_of(*hands: str, first: str | None = None, **more: Any) -> dict[str, Any]:
    """A deal as data; with `first` a whole deck that begins with these cards."""
    deal: dict[str, Any] = {"hands": [cards(hand) for hand in hands], **more}
    if first is not None:
        deal["deck"] = rest_of(*hands, first=first)
    return deal


def table(
    *hands: str, first: str | None = None, script: str = "", seed: int = 0, **config: Any
) -> OneTable:
    """A table on these hands, after the plies of the script; `beginner` may say who begins."""
    more = {"seat_to_act": config.pop("beginner")} if "beginner" in config else {}
    game = load_game("notty", num_players=len(hands), **config)
    return play(OneTable(game, deal_of(*hands, first=first, **more), seed), script)


def play(table: OneTable, script: str) -> OneTable:
    """Play the actions of the script, spaces between them."""
    game = table.game
    names = name_starts(game.action_name(action) for action in range(game.num_actions))
    return table.play(*split_names(script, names))


def decisions(policy: Policy, tables: Tables, number: int) -> list[str]:
    """What a player does at the one table, with `number` different streams."""
    _, views, words = tables.show(tables.all_rows)
    masks = action_masks(words, tables.game.num_actions)
    actions = policy(
        np.repeat(views, number), np.repeat(masks, number, axis=0), streams(range(number), 7)
    )
    return [tables.game.action_name(int(action)) for action in actions]


def hand(tables: Tables, seat: int) -> str:
    """The cards of a seat at the one table, written short."""
    return cards_text(kinds_of(*tables.states[0]["hands"][seat]))
