"""The tree search for any game: exact values, chance, hidden cards, budget, purity, settings."""

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.players.making import players_of
from parlour.baselines.search.mcts import TreeSearch, TreeSettings, keep_all
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game

from .searching import NUM_TABLES, after_plies

pytestmark = pytest.mark.plain

TRICKS = load_game("trick_taking", num_values=5)  # solved exactly; only the order dealt is hidden


def best_fraction(spec: str, num_plies: int) -> float:
    """The fraction of positions in which a search chooses a card that perfect play would."""
    tables, seats, observations, masks = after_plies(TRICKS, num_plies)
    rngs = streams(range(NUM_TABLES), 1)
    actions = make_policy(spec, TRICKS)(
        observations, masks, rngs, tables.determinize(tables.all_rows, seats, rngs)
    )
    values = make_policy("perfect", TRICKS).values
    assert values is not None
    exact = np.where(masks == 1, values(observations, masks), -np.inf)
    return float((exact[np.arange(NUM_TABLES), actions] == exact.max(axis=1)).mean())


@pytest.mark.compiled
def test_it_finds_what_perfect_play_would_choose_where_flat_search_does_not() -> None:
    """Playouts at random mislead a search without a tree; in the tree seats learn to reply."""
    spec = "mcts:num_simulations=4000,playout_policy=random"
    flat, tree = best_fraction(spec + ",expansion_threshold=1000000", 2), best_fraction(spec, 2)
    assert tree >= 0.95
    assert flat < 0.85


def test_the_values_of_the_roots_actions_are_the_means_that_halving_compares() -> None:
    tables, _, _, masks = after_plies(TRICKS, 2)
    row_function = players_of(TRICKS)["random"].row_function
    assert row_function is not None
    settings = TreeSettings(epsilon=0.2, expansion_threshold=2, exploration_constant=0.5)
    search = TreeSearch(TRICKS, row_function, keep_all, 1000, settings)
    sums = np.zeros(masks[:1].shape)
    search.simulate(tables.states[:1], streams([0]), masks[:1], np.array([40]), sums)
    expected = np.where(masks[0] == 1, sums[0] / 40, np.nan)
    np.testing.assert_allclose(search.tree.action_values(TRICKS.num_actions), expected)
