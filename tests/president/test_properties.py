"""What holds in every position of every game, whatever the seed, the settings and the choices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.envs.core.fields import Field
from parlour.envs.core.game import NO_SEAT
from parlour.envs.core.play.tables import Tables
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.president.playing import ECONOMIES, PASSINGS, PLAYER_COUNTS, random_actions


def settings_with(player_counts: Sequence[int]) -> st.SearchStrategy[dict]:
    """All settings with these numbers of players."""
    return st.fixed_dictionaries(
        {
            "num_players": st.sampled_from(player_counts),
            "num_games": st.sampled_from((1, 3)),
            "economy": st.sampled_from(ECONOMIES),
            "passing": st.sampled_from(PASSINGS),
        }
    )


SETTINGS = settings_with((2, 4))
EVERY_SETTING = settings_with(PLAYER_COUNTS)
SEEDS = st.integers(0, 2**63 - 20)
NUM_TABLES = 16


def choose(
    words: np.ndarray, num_actions: int, eagerness: int, choices: np.random.Generator
) -> np.ndarray:
    """Random actions; the more eager, the more often the highest legal action is taken."""
    actions = random_actions(words, num_actions, choices)
    last = np.array([int(word).bit_length() - 1 for word in words[:, 0]]).clip(min=0)
    return np.where(choices.random(len(words)) * 4 < eagerness, last, actions)


@settings(max_examples=20, deadline=None)
@given(config=SETTINGS, seed=SEEDS, eagerness=st.integers(0, 4))
def test_every_position_of_every_match_adds_up(config: dict, seed: int, eagerness: int) -> None:
    check_match(config, seed, eagerness)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(config=EVERY_SETTING, seed=SEEDS, eagerness=st.integers(0, 4))
def test_so_it_does_with_any_number_of_players(config: dict, seed: int, eagerness: int) -> None:
    check_match(config, seed, eagerness)


def check_match(config: dict, seed: int, eagerness: int) -> None:
    """Play matches side by side and look at every position."""
    game = load_game("president", **config)
    tables = Tables(game, streams(range(seed, seed + NUM_TABLES)))
    tables.deal(tables.all_rows)
    choices = np.random.default_rng(seed)
    longest = config["num_games"] * (40 * game.num_seats + 3)
    for _ in range(longest + 1):
        seats, _, words = tables.show(tables.all_rows)
        check_positions(tables)
        running = np.flatnonzero(seats != NO_SEAT)
        if not len(running):
            break
        assert (words[running] != 0).all()
        actions = choose(words, game.num_actions, eagerness, choices)
        tables.apply(running, actions[running])
    assert (seats == NO_SEAT).all()
    check_ends(tables)


def check_positions(tables: Tables) -> None:
    """Cards conserved, hand sizes true, placings without gaps, all numbers within their bounds."""
    game = tables.game
    check_bounds(tables.states, game.state_fields)
    rows = np.repeat(tables.all_rows, game.num_seats)
    seats = np.tile(np.arange(game.num_seats), len(tables.all_rows))
    seen = tables.observe(rows, seats)
    check_bounds(seen, game.observation_fields)
    assert (seen["hand"].sum(axis=1) == seen["hand_sizes"][:, 0]).all()
    assert (seen["hand_sizes"].sum(axis=1) + seen["played"].sum(axis=1) == 40).all()
    by_table = seen.reshape(len(tables.all_rows), game.num_seats)
    assert (by_table["hand"].sum(axis=1) + by_table["played"][:, 0] == 4).all()
    assert (by_table["has_golds"].sum(axis=1) == (seen["played"][:: game.num_seats, 0] == 0)).all()
    for placings, sizes in zip(seen["placings"], seen["hand_sizes"], strict=True):
        placed = sorted(placings[placings > 0])
        assert placed == list(range(1, len(placed) + 1))
        assert ((placings > 0) == (sizes == 0)).all() or len(placed) == game.num_seats


def check_bounds(records: np.ndarray, fields: tuple[Field, ...]) -> None:
    """Every number of the records within what its Field declares."""
    for field in fields:
        values = records[field.name]
        assert values.min() >= field.low, field.name
        assert values.max() <= field.high, field.name


def check_ends(tables: Tables) -> None:
    """Placings are permutations; returns within -1 .. 1 sum to 0 and follow the placings."""
    num_seats = tables.game.num_seats
    placings = tables.states["placings"]
    assert (np.sort(placings, axis=1) == np.arange(1, num_seats + 1)).all()
    returns = tables.returns(tables.all_rows)
    assert np.abs(returns).max() <= 1
    assert returns.sum(axis=1) == pytest.approx(np.zeros(len(returns)))
    if tables.game.config.num_games == 1:
        assert (np.argsort(-returns, axis=1) == np.argsort(placings, axis=1)).all()
    assert np.unique(returns, axis=1).size > 1
