"""Compiled opponents inside the step of the single-seat and of the vector environment."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.environments import vector_env
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core import code_cache

pytestmark = pytest.mark.plain


def test_players_that_look_at_nothing_hide_nothing_from_others() -> None:
    """They choose what they choose where they are not compiled, and are shown everything."""
    game = load_game("president", num_players=4)
    compiled = [make_policy(name, game) for name in ("first_legal", "planner", "random")]
    shown = [dataclasses.replace(policy, row_function=None) for policy in compiled]
    games = [vector_env(game, 5, opponents=opponents) for opponents in (compiled, shown)]
    view, infos = zip(*(env.reset(seed=3) for env in games), strict=True)
    for _ in range(40):
        np.testing.assert_array_equal(*view)
        actions = infos[0]["action_mask"].argmax(axis=1)
        view, _, _, _, infos = zip(*(env.step(actions) for env in games), strict=True)


def constants_in(rule: Any) -> Iterator[np.ndarray]:
    names, values = rule.py_func.__code__.co_names, rule.py_func.__globals__
    yield from (values[name] for name in names if isinstance(values.get(name), np.ndarray))
    for _, inner in code_cache.rules_in(rule):
        yield from constants_in(inner)


@pytest.mark.parametrize("name", GAMES)
def test_numba_keeps_the_code_of_every_player(name: str) -> None:
    """It keeps none with a constant of more than a megabyte."""
    game = find_game(name)
    for player in list_policies(game):
        function = make_policy(player, game).row_function
        sizes = [constant.nbytes for constant in constants_in(function)] if function else []
        assert max(sizes, default=0) <= 10**6, player
