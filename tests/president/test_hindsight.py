"""The bound on first places, against trying everything and against games that were won."""

import json

import numpy as np
import pytest

from docs.studies.president_hindsight import RECORD, Field, first_places, load, page, race
from parlour.baselines import make_policy
from parlour.baselines.policies.policy import Policy
from parlour.envs.core.play.one_game import OneGame, start

FIELD = Field(8, "lowest")
SEEDS = range(1, 3)


def can_be_first(others: Policy, state: OneGame, seat: int) -> bool:
    """Whether some way to play makes a seat the first that is out."""
    if state.is_over:
        return bool(state.position["placings"][seat] == 1)
    actions = state.legal_actions
    if state.seat != seat:
        mask = np.isin(np.arange(state.game.num_actions), actions)
        actions = [others.act(state.observation(), mask)]
    for action in actions:
        state.apply(action)
        is_first = can_be_first(others, state, seat)
        state.undo()
        if is_first:
            return True
    return False


@pytest.mark.long
def test_the_bound_is_what_trying_everything_finds() -> None:
    game = race(FIELD.num_players)
    others = make_policy(FIELD.player, game)
    bound = first_places(FIELD, SEEDS)
    for seed, count in zip(SEEDS, bound, strict=True):
        seats = range(FIELD.num_players)
        assert count == sum(can_be_first(others, start(game, seed), seat) for seat in seats)
    assert bound.sum() > len(SEEDS)  # somebody is always first, and others can be


def test_the_page_of_the_study_is_that_of_its_record() -> None:
    record = json.loads(RECORD.read_text())
    assert RECORD.with_suffix(".md").read_text() == page(record)
    assert all(len(seats) >= 1000 for seats in record["seats"].values())
    assert record == load()  # of the present rules and scripts
