"""Settings, deals, actions and hands that cannot be are refused with an error that says why."""

from __future__ import annotations

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.notty.hints import hints
from parlour.envs.notty.discard import best_discard
from parlour.envs.registry import load_game
from tests.notty.playing import counts, deal_of, rest_of, table

HANDS = ("red 1 5, blue 3", "green 2 8, yellow 10")


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"num_players": 5}, "num_players must be one of 2, 3, 4; got 5"),
        ({"hand_limit": 21}, r"hand_limit must be an integer in 5 \.\. 20; got 21"),
        ({"initial_hand": 0}, r"initial_hand must be an integer in 1 \.\. 20; got 0"),
        ({"hand_limit": 8, "initial_hand": 9}, r"initial_hand must be an integer in 1 \.\. 8"),
        ({"turn_limit": 0}, r"turn_limit must be an integer in 1 \.\. 5000; got 0"),
        ({"discard": "none"}, "discard must be one of 'optimal', 'manual'; got 'none'"),
        ({"protect_small_hands": 1}, "protect_small_hands must be one of False, True; got 1"),
        ({"starter": 2}, "starter must be one of 0, 1, 'random'; got 2"),
    ],
)
def test_impossible_settings_are_refused(config: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_game("notty", **config)


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        ([], "a deal is"),
        ({"deck": []}, "a deal is"),
        ({**deal_of(*HANDS), "trump": 1}, "a deal is"),
        (deal_of(HANDS[0]), "a deal needs 2 hands"),
        ({"hands": 7}, "a deal needs 2 hands"),
        ({"hands": [["red 1"], "red 2"]}, "cards are given as a list"),
        ({"hands": [["red 1"], ["red 11"]]}, "no card is called 'red 11'; a card is a colour"),
        ({"hands": [["red 1"], [3]]}, "no card is called 3"),
        ({"hands": [["red 1"], []]}, r"a hand has 1 \.\. 20 cards; got one of 0"),
        ({"hands": [["red 1"], ["red 1", "red 1"]]}, "two cards red 1; the deal has 3"),
        ({**deal_of(*HANDS), "seat_to_act": 2}, r"a seat 0 \.\. 1; got 2"),
        ({**deal_of(*HANDS), "seat_to_act": True}, "got True"),
        ({**deal_of(*HANDS), "deck": ["red 1"]}, "a deck is all cards that nobody holds"),
        ({**deal_of(*HANDS), "deck": [*rest_of(*HANDS), "red 1"]}, "1 of red 1, not 2"),
        ({**deal_of(*HANDS), "deck": "red 1"}, "cards are given as a list"),
    ],
)
def test_impossible_deals_are_refused_and_leave_the_table_as_it_was(
    deal: dict, message: str
) -> None:
    tables = table(*HANDS, script="draw:1")
    before = tables.states.tobytes()
    with pytest.raises(ValueError, match=message):
        tables.deal_from(0, deal)
    assert tables.states.tobytes() == before


def test_a_hand_beyond_the_limit_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a hand has 1 \.\. 5 cards; got one of 6"):
        table("red 1 1 4 4 7 7", "blue 1", hand_limit=5)


def test_names_of_actions_are_read_back() -> None:
    for config, size in (({}, 5), ({"num_players": 4, "discard": "manual"}, 201)):
        game = load_game("notty", **config)
        names = [game.action_name(action) for action in range(game.num_actions)]
        assert len(set(names)) == game.num_actions == size
        assert [game.parse_action(name) for name in names] == list(range(size))


def test_groups_have_one_spelling() -> None:
    game = load_game("notty", discard="manual")
    for name in ("discard:red 3-6", "discard:7 red blue green"):
        assert game.action_name(game.parse_action(name)) == name
        for other in (name.replace(" ", "_"), name.replace(" ", "  "), f"{name} ", name.upper()):
            with pytest.raises(ValueError, match=r"no action is called .*discard:red 3-6"):
                game.parse_action(other)


@pytest.mark.parametrize("name", ["draw:0", "draw:4", "take:+2", "take:1", "discard:red 3-6", ""])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"no action is called .*; actions are pass, draw:1"):
        load_game("notty").parse_action(name)


@pytest.mark.parametrize("action", [-1, 5, 1.0])
def test_numbers_that_are_no_action_are_refused(action: int) -> None:
    with pytest.raises(ValueError, match=r"Notty has actions 0 \.\. 4 here"):
        load_game("notty").action_name(action)


@pytest.mark.parametrize(
    ("hand", "message"),
    [
        ([1] * 39, r"a hand is 40 counts of 0 \.\. 2"),
        ([3] + [0] * 39, r"a hand is 40 counts of 0 \.\. 2"),
        ([-1] + [0] * 39, r"a hand is 40 counts of 0 \.\. 2"),
        ([1] * 21 + [0] * 19, "a hand has at most 20 cards; got 21"),
    ],
)
def test_hands_that_cannot_be_are_refused(hand: list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        best_discard(hand)


def test_an_unknown_solver_is_refused() -> None:
    with pytest.raises(ValueError, match="solver must be one of table, scip; got 'guess'"):
        best_discard(counts("red 1"), solver="guess")


def test_settings_of_players_are_checked() -> None:
    with pytest.raises(ValueError, match="sampling must be True or False; got 3"):
        make_policy("x_defensive:sampling=3", load_game("notty"))


def test_hints_are_for_seats_that_exist_and_not_while_chance_is_to_act() -> None:
    tables = table(*HANDS)
    with pytest.raises(ValueError, match=r"seat must be an integer in 0 \.\. 1; got 2"):
        hints(tables.game, tables.states[0], 2)
    tables.game.apply_action(tables.states[0], np.int64(1))
    with pytest.raises(ValueError, match="no hints while cards are being drawn"):
        hints(tables.game, tables.states[0])
