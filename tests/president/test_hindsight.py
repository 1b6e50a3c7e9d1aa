"""The bound on first places, against trying everything and against games that were won."""

import json

import numpy as np

from docs.studies.president_hindsight import RECORD, Field, first_places, load, page, race
from parlour.baselines import make_policy
from parlour.baselines.players.policy import Policy
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams

FIELD = Field(8, "lowest")
SEEDS = range(3)


def can_be_first(game: Game, others: Policy, tables: Tables, seat: int) -> bool:
    """Whether some way to play makes a seat the first that is out."""
    state = tables.states[0].copy()
    acting, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, game.num_actions)
    if not masks.any():
        return bool(state["placings"][seat] == 1)
    actions = np.flatnonzero(masks[0])
    if acting[0] != seat:
        actions = others(observations, masks, streams([0]))
    for action in actions:
        tables.states[0] = state
        tables.apply(tables.all_rows, np.array([action]))
        if can_be_first(game, others, tables, seat):
            return True
    return False


def test_the_bound_is_what_trying_everything_finds() -> None:
    game = race(FIELD.num_players)
    others = make_policy(FIELD.player, game)
    bound = first_places(FIELD, SEEDS)
    for seed, count in zip(SEEDS, bound, strict=True):
        tables = Tables(game, streams([seed]))
        found = 0
        for seat in range(FIELD.num_players):
            tables.rngs[:] = streams([seed])
            tables.deal(tables.all_rows)
            found += can_be_first(game, others, tables, seat)
        assert found == count
    assert bound.sum() > len(SEEDS)  # somebody is always first, and others can be


def test_the_page_of_the_study_is_that_of_its_record() -> None:
    found = json.loads(RECORD.read_text())
    assert RECORD.with_suffix(".md").read_text() == page(found)
    assert all(len(seats) >= 1000 for seats in found["seats"].values())
    assert found == load()  # of the present rules and scripts
