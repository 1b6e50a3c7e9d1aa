"""What cannot be is refused, with an error that says what is wrong and what is allowed."""

from __future__ import annotations

import pytest

from parlour.envs import splendor_v0
from parlour.envs.registry import load_game

GAME = load_game("splendor")


def test_all_578_names_parse_back() -> None:
    names = [GAME.action_name(action) for action in range(GAME.num_actions)]
    assert len(set(names)) == 578
    assert [GAME.parse_action(name) for name in names] == list(range(578))


@pytest.mark.parametrize(
    "name",
    [
        "collect:red+black",  # not in order
        "collect:red*2 return:red",  # what was just collected
        "collect:yellow",
        "collect:black+red+green return:black",
        "reserve:0.1",
        "reserve:4.0",
        "reserve:1.4",
        "reserve:1.0 return:yellow",
        "buy:1.0 return:red",
        "buy-reserved:3",
        "noble:5",
        "Pass",
        "",
        None,
        3,
    ],
)
def test_other_names_are_refused_with_what_names_look_like(name: object) -> None:
    with pytest.raises(ValueError, match="actions are such as collect:black"):
        GAME.parse_action(name)  # type: ignore[arg-type]


@pytest.mark.parametrize("action", [-1, 578, 1.5, None])
def test_other_numbers_have_no_name(action: object) -> None:
    with pytest.raises(ValueError, match=r"actions 0 .. 577"):
        GAME.action_name(action)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "value"),
    [("num_players", 1), ("num_players", 5), ("target", 0), ("target", 51), ("turn_limit", 0)],
)
def test_settings_out_of_range_are_refused(setting: str, value: int) -> None:
    with pytest.raises(ValueError, match=rf"{setting} must be an integer in"):
        load_game("splendor", **{setting: value})


def test_an_illegal_action_is_named_with_what_was_legal() -> None:
    env = splendor_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"buy:1\.0.*collect:black\+red\+green"):
        env.step(GAME.parse_action("buy:1.0"))
