"""What people read: labels of actions, names of seats, values and results."""

import json
import random
import re
from pathlib import Path
from typing import get_args

import pytest

from parlour.envs import find_game
from parlour.envs.core.play.playthrough import Playthrough
from parlour.envs.core.words import YOU, with_names
from parlour.envs.registry import GameName
from parlour.scripts.table.catalogue import levels, middling_player, people_settings
from parlour.scripts.table.table import HERE, PLAYER, REMOTE, Occupant
from parlour.scripts.words import ending, placed, player_label, seat_names, summary_label

pytestmark = pytest.mark.plain

CODE = re.compile(r"[_*+]|\w:\w|\d\.\d|\dx\d")


@pytest.mark.parametrize("name", get_args(GameName))
def test_labels_tell_legal_actions_apart_in_words(name: str) -> None:
    game = find_game(name, **people_settings(name))
    chooser = random.Random(5)
    for _, turn in zip(range(60), Playthrough(game, seed=5), strict=False):
        labels = [game.label_action(turn.state, action) for action in turn.legal]
        assert len({*labels}) == len(labels)
        assert not [label for label in labels if CODE.search(label)]
        assert all(game.score(turn.state, seat) for seat in range(game.num_seats))
        turn.play(chooser.choice(turn.legal))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("player 0 leads", "You lead"),
        ("President: player 0 has won", "President: you have won"),
        ("player 1 is president", "Ada is president"),
        ("3 of spades of player 0", "3 of spades of you"),
        ("player 0, you: 3 cards", "You: 3 cards"),
        ("player 0        4   5", "You             4   5"),
        ("player 1        4   5", "Ada             4   5"),
        ("player 7 leads", "player 7 leads"),
    ],
)
def test_names_stand_for_seats_in_texts_of_games(text: str, expected: str) -> None:
    assert with_names(text, [YOU, "Ada"]) == expected


def test_levels_are_those_of_the_league_that_ships_weakest_first() -> None:
    for name in get_args(GameName):
        file = Path(__file__).parents[1] / "docs" / "league" / f"{name}.json"
        for league in json.loads(file.read_text()):
            game = find_game(name, **league["config"])
            rated = [rung["player"] for rung in reversed(league["ladder"])]
            ranks = [f"Level {rank} of {len(rated)}" for rank in range(1, len(rated) + 1)]
            by_level = levels(game)
            assert by_level.pop("best") in ranks
            assert list(by_level.items()) == list(zip(rated, ranks, strict=True))
            assert middling_player(game) not in (rated[0], rated[-1])


def test_everybody_has_one_name() -> None:
    seats = [
        Occupant(HERE, "You"),
        Occupant(REMOTE, "Ada"),
        Occupant(PLAYER, "set_keeper", "set_keeper"),
        Occupant(PLAYER, "set_keeper", "set_keeper"),
    ]
    assert seat_names(seats, 0) == ["You", "Ada", "Collector 1", "Collector 2"]
    assert seat_names(seats, 1) == ["Host", "You", "Collector 1", "Collector 2"]
    for folder in ("runs/demo", "runs/demo/", "runs/demo/checkpoint.pt"):
        assert player_label(folder) == "demo"
    assert player_label("mine/players.py:bold") == "players.py (bold)"
    assert player_label("./checkpoint.pt") == "./checkpoint.pt"
    assert player_label("mcts:milliseconds=200") == "Mcts (milliseconds 200)"


def test_a_summary_names_players_as_people_do_and_keeps_other_code() -> None:
    summary = "Like `set_keeper`, but with `--fast`."
    assert summary_label(summary, {"set_keeper"}) == "Like Collector, but with `--fast`."


def test_results_are_scores_of_the_game() -> None:
    assert ending(["You", "Ada"], [0.4, -0.4], ["7 tricks", "3 tricks"]) == "You won 7 tricks to 3"
    assert ending(["You", "Ada"], [0, 0], ["5 tricks", "5 tricks"]) == "A draw, 5 tricks each"
    four = ["You", "Ada", "Bo", "Cy"]
    titles = ["3rd", "president", "2nd", "servant"]
    assert ending(four, [-1 / 3, 1, 1 / 3, -1], titles) == "Ada won; you came 3rd of 4"
    assert placed(["You", "Ada"], [-1, 1], ["", ""]) == [("Ada", "+1"), ("You", "-1")]


def test_values_are_shown_as_chances_tricks_and_places() -> None:
    assert find_game("splendor").value_scale.words(0.22) == "61 % to win"
    assert find_game("splendor", num_players=4).value_scale.words(0) == "25 % to win"
    assert find_game("trick_taking").value_scale.words(0.4) == "7.0 tricks"
    assert find_game("president").value_scale.words(1 / 3) == "place 2.0"
    assert find_game("splendor").value_scale.loss_words(0.12) == "6 %"
