"""What cannot be is refused with an error that says why: settings, deals, actions and players.

Each game lists it in `bad_input.py` of its folder.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from parlour.baselines import make_policy
from parlour.envs import GAMES
from parlour.envs.registry import find_game
from tests.searching import after_plies

pytestmark = pytest.mark.plain


def listed(kind: str) -> list[Any]:
    """What each game lists under this name: the game, what cannot be, and what is said of it."""
    return [
        pytest.param(name, *case, id=f"{name}-{number}")
        for name in GAMES
        if (Path(__file__).parent / name / "bad_input.py").exists()
        for number, case in enumerate(getattr(import_module(f"tests.{name}.bad_input"), kind, []))
    ]


@pytest.mark.parametrize(("name", "settings", "message"), listed("SETTINGS"))
def test_impossible_settings_are_refused(name: str, settings: dict, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        find_game(name, **settings)


@pytest.mark.parametrize(("name", "deal", "message"), listed("DEALS"))
def test_impossible_deals_are_refused_and_leave_the_table_as_it_was(
    name: str, deal: Any, message: str
) -> None:
    game = find_game(name, **import_module(f"tests.{name}.bad_input").TABLE)
    tables, *_ = after_plies(game, 0, 1)
    before = tables.states.tobytes(), tables.rngs.tobytes()
    with pytest.raises(ValueError, match=message):
        tables.deal_from(0, deal)
    assert (tables.states.tobytes(), tables.rngs.tobytes()) == before


@pytest.mark.parametrize(("name", "action", "message"), listed("NAMES"))
def test_names_of_no_action_are_refused(name: str, action: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_game(name).parse_action(action)


@pytest.mark.parametrize(("name", "action", "message"), listed("NUMBERS"))
def test_numbers_of_no_action_are_refused(name: str, action: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_game(name).action_name(action)


@pytest.mark.parametrize(("name", "player", "message"), listed("PLAYERS"))
def test_players_that_cannot_be_are_refused(name: str, player: str, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        make_policy(player, find_game(name))


def test_a_file_that_is_interrupted_while_it_loads_is_not_called_wrong(tmp_path: Path) -> None:
    file = tmp_path / "waits.py"
    file.write_text("raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        make_policy(f"{file}:choose", find_game("president"))
