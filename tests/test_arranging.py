"""Positions are laid out from piles of pieces, those of each game from an empty table too."""

import dataclasses
import json
import random
from itertools import islice
from typing import Any

import numpy as np
import pytest

from parlour.envs import find_game
from parlour.envs.core.arranging import arranged
from parlour.envs.core.checks.laying import check_laid_out
from parlour.envs.core.checks.report import CheckError, Trial
from parlour.envs.core.checks.situation import Sample
from parlour.envs.core.drawing.render import drawn
from parlour.envs.core.play.one_game import start
from parlour.envs.core.positions import position_data, position_from

pytestmark = pytest.mark.plain

SETTINGS: dict[str, dict[str, Any]] = {
    "top_trumps": {"num_cards": 8, "num_fields": 3},
    "trick_taking": {"num_players": 3, "num_values": 4},
    "president": {"num_players": 4},
    "splendor": {"num_players": 3},
    "notty": {"num_players": 3},
}


def game_of(name: str) -> Any:
    return find_game(name, **SETTINGS[name])


def positions(game: Any, number: int) -> Any:
    """Positions of random games in which a seat is to act."""
    chooser = random.Random(1)
    for seed in range(number):
        playing = start(game, seed)
        while not playing.is_over:
            if chooser.random() < 0.2:
                yield playing.position
            playing.apply(chooser.choice(playing.legal_actions))


def pieces_in(piles: dict[str, Any]) -> dict[str, list[str]]:
    return {name: sorted(pile.pieces) for name, pile in piles.items()}


def faces_drawn(game: Any, state: np.record, piles: dict[str, Any]) -> None:
    """Every part that a pile names is in the picture."""
    picture = drawn(game, state, None, is_live=False)
    ids = {part.id for part in picture.shapes if hasattr(part, "id")}
    for name, pile in piles.items():
        assert {*pile.faces} <= ids, name
        assert len(pile.faces) <= len(pile.pieces)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_position_of_a_game_is_laid_out_as_it_is(name: str) -> None:
    """What can be seen of it stays; history is forgotten."""
    game = game_of(name)
    num_laid = 0
    for position in islice(positions(game, 6), 12):
        seat = int(game.seat_to_act(position))
        state, piles, problem = arranged(game, position, None, seat)
        faces_drawn(game, state, piles)
        if problem:
            assert (name == "notty" and "group" in problem) or name == "splendor", problem
            continue
        num_laid += 1
        again, same, problem = arranged(game, state, None, seat)
        assert problem == "" and pieces_in(same) == pieces_in(piles)
        assert again.tobytes() == state.tobytes()
        for each in range(game.num_seats):
            assert game.score(state, each) == game.score(position, each)
        data = json.loads(json.dumps(position_data(game, state)))
        assert position_from(game, data).tobytes() == state.tobytes()
        assert game.legal_action_list(state)
    assert num_laid > 5


@pytest.mark.parametrize("name", SETTINGS)
def test_a_position_is_made_from_an_empty_table_piece_by_piece(name: str) -> None:
    """Each piece is moved alone, so that all that lies between can be drawn."""
    game = game_of(name)
    *_, position = positions(game, 2)
    seat = int(game.seat_to_act(position))
    aim, goal, problem = arranged(game, position, None, seat)
    assert problem == ""
    state, piles, problem = arranged(game, position, {}, seat)
    assert problem != ""
    wanted = pieces_in(goal)
    while pieces_in(piles) != wanted:
        here = {pile: list(each.pieces) for pile, each in piles.items()}
        piece, source, target = next(
            (piece, source, target)
            for source in here
            for piece in here[source]
            if here[source].count(piece) > wanted[source].count(piece)
            for target in here
            if here[target].count(piece) < wanted[target].count(piece)
        )
        here[source].remove(piece)
        here[target].append(piece)
        state, piles, problem = arranged(game, position, here, seat)
        faces_drawn(game, state, piles)
    assert problem == ""
    for each in range(game.num_seats):
        assert game.score(state, each) == game.score(aim, each)


@pytest.mark.parametrize(
    ("piles", "seat", "reason"),
    [
        ({"hands": []}, 0, "piles are hand 0"),
        ({"hand 0": "9 of spades"}, 0, "a list of pieces"),
        ({"hand 0": ["joker"]}, 0, "no piece 'joker'"),
        ({"hand 0": ["1 of spades"], "hand 1": ["1 of spades"]}, 0, "more often"),
        ({"trick 0": ["1 of spades", "2 of spades"]}, 0, "one card in the trick"),
        ({}, 3, "seat must be"),
        ({}, "0", "seat must be"),
    ],
)
def test_pieces_that_cannot_lie_so_are_refused(piles: Any, seat: Any, reason: str) -> None:
    game = game_of("trick_taking")
    with pytest.raises(ValueError, match=reason):
        arranged(game, start(game, 1).position, piles, seat)


@pytest.mark.parametrize(
    ("name", "piles", "problem"),
    [
        ("trick_taking", {}, "player 0 has 4 cards before its turn, not 0"),
        ("president", {"hand 0": ["7"]}, "player 1 has no card and has not gone out"),
        ("notty", {"hand 0": ["red 1"]}, "player 1 has 1 to 20 cards, not 0"),
        ("notty", {f"hand {s}": [f"red {k}" for k in (1, 2, 3)] for s in range(2)}, "player 2"),
        ("top_trumps", {}, "8 cards lie in the decks and the draw pile, not 0"),
        ("splendor", {}, "a slot of tier 1 is empty"),
    ],
)
def test_what_is_missing_is_said(name: str, piles: Any, problem: str) -> None:
    game = game_of(name)
    assert problem in arranged(game, start(game, 1).position, piles, 0)[2]


# What check_game says of a game's own functions


def laid_with(arrange: Any) -> str | None:
    game = dataclasses.replace(game_of("trick_taking"), arrange=arrange)
    return check_laid_out(Sample(game, Trial(range(1, 3), None, True, 100)))


def loses_a_card(state: np.record, piles: Any, seat: int) -> Any:
    lacking = {**piles, "hand 0": list(piles["hand 0"])[1:]} if piles else piles
    return game_of("trick_taking").arrange(state, lacking, seat)


def goes_by_the_deal(state: np.record, piles: Any, seat: int) -> Any:
    """Write a field by what it was before, which the pieces do not say."""
    dealt = np.roll(state["dealt"], 1, axis=1)
    shown = game_of("trick_taking").arrange(state, piles, seat)
    state["dealt"] = dealt
    return shown


def test_the_check_of_a_game_lays_its_positions_out() -> None:
    assert laid_with(game_of("trick_taking").arrange) is None
    assert laid_with(None) == ""


@pytest.mark.parametrize(
    ("arrange", "problem"),
    [
        (loses_a_card, "arrange does not lay out hand 0"),
        (goes_by_the_deal, "taken apart and laid out again, the position differs in dealt"),
    ],
)
def test_the_check_of_a_game_finds_pieces_and_fields_that_go_astray(
    arrange: Any, problem: str
) -> None:
    with pytest.raises(CheckError, match=f"laid_out: seed 1, ply .*{problem}"):
        laid_with(arrange)
