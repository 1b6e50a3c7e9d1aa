"""Random games of each game: every position adds up, and a re-deal shows a seat no difference.

What is particular to a game is in `invariants.py` of its folder: SETTINGS to draw from and, for
the long run, EVERY_SETTING; `check` for all positions, `check_ends` for those at the end, and
`check_redeal` for positions beside those that they were re-dealt into.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.envs import GAMES
from parlour.envs.core.fields import Field
from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import find_game
from tests.one_table import dealt

SHORT = (2, 50)  # tables and plies, without the compiler
LONG = (12, 1000)
SEEDS = st.integers(0, 2**63 - 20)
ABOUT = {
    name: import_module(f"tests.{name}.invariants")
    for name in GAMES
    if (Path(__file__).parent / name / "invariants.py").exists()
}


@pytest.mark.plain
@pytest.mark.parametrize("name", ABOUT)
@settings(max_examples=2, deadline=None)
@given(data=st.data(), seed=SEEDS, eagerness=st.integers(-3, 4))
def test_every_position_adds_up(name: str, data: Any, seed: int, eagerness: int) -> None:
    game = find_game(name, **data.draw(ABOUT[name].SETTINGS))
    play_out(ABOUT[name], game, SHORT, seed, eagerness)


@pytest.mark.long
@pytest.mark.parametrize("name", ABOUT)
@settings(max_examples=60, deadline=None)
@given(data=st.data(), seed=SEEDS, eagerness=st.integers(-3, 4))
def test_with_every_setting(name: str, data: Any, seed: int, eagerness: int) -> None:
    about = ABOUT[name]
    drawn = data.draw(getattr(about, "EVERY_SETTING", about.SETTINGS))
    play_out(about, find_game(name, **drawn), LONG, seed, eagerness)


def play_out(
    about: ModuleType, game: Any, size: tuple[int, int], seed: int, eagerness: int
) -> None:
    """Play games side by side, at most so many plies, and look at every position."""
    num_tables, max_plies = size
    tables = dealt(game, range(seed, seed + num_tables))
    choices = np.random.default_rng(seed)
    for _ in range(max_plies):
        seats, observations, words = tables.show(tables.all_rows)
        rows = np.flatnonzero(seats != NO_SEAT)
        check_bounds(tables.states, game.state_fields)
        check_bounds(observations[rows], game.observation_fields)
        about.check(tables, seats)
        if not len(rows):
            break
        check_redeal(about, tables, rows, choices.integers(game.num_seats, size=len(rows)))
        masks = action_masks(words[rows], game.num_actions)
        assert masks.any(axis=1).all()
        tables.apply(rows, chosen(masks, eagerness, choices))
    returns = tables.returns(tables.all_rows)
    assert np.abs(returns).max() <= 1
    assert returns.sum(axis=1) == pytest.approx(np.zeros(num_tables))
    if not len(rows):
        about.check_ends(tables, returns)


def chosen(masks: np.ndarray, eagerness: int, choices: np.random.Generator) -> np.ndarray:
    """Random actions; the more eager, the more often the last legal one, or below 0 the first."""
    drawn = (masks * (1 - choices.random(masks.shape))).argmax(axis=1)
    last = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    extreme = last if eagerness > 0 else masks.argmax(axis=1)
    return np.where(choices.random(len(masks)) * 4 < abs(eagerness), extreme, drawn)


def check_bounds(records: np.ndarray, fields: tuple[Field, ...]) -> None:
    """Every number of the records within what its Field declares."""
    for field in fields:
        values = records[field.name]
        assert not values.size or values.min() >= field.low, field.name
        assert not values.size or values.max() <= field.high, field.name


def check_redeal(about: ModuleType, tables: Tables, rows: np.ndarray, seats: np.ndarray) -> None:
    """Re-deal for these seats: they see the same bytes, and the true positions stay."""
    before = tables.states.tobytes()
    dealt = Tables(tables.game, streams(range(len(rows))))
    dealt.states[:] = tables.determinize(rows, seats, streams(range(len(rows)), 1))
    assert tables.states.tobytes() == before
    everyone = np.arange(len(rows))
    assert tables.observe(rows, seats).tobytes() == dealt.observe(everyone, seats).tobytes()
    assert (tables.show(rows)[0] == dealt.show(everyone)[0]).all()
    about.check_redeal(tables.states[rows], dealt.states, seats)
