"""What holds in every position of any game: nothing is made, nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game

GAMES = {n: load_game("splendor", num_players=n, turn_limit=60) for n in (2, 3, 4)}
GEMS = {2: 4, 3: 5, 4: 7}


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**31), num_players=st.sampled_from([2, 3, 4]))
def test_gems_cards_and_points_are_conserved(seed: int, num_players: int) -> None:
    game = GAMES[num_players]
    state, seen = game.new_states()[0], game.new_observations()
    game.deal(state, streams([seed])[0])
    chooser = np.random.default_rng(seed)
    while not game.is_terminal(state):
        game.observe(state, 0, seen[0])
        check_counts(seen[0], num_players)
        game.apply_action(state, int(chooser.choice(game.legal_action_list(state))))
    out = np.zeros(num_players)
    game.returns(state, out)
    assert out.sum() == pytest.approx(0)
    assert not out.any() or (out.max() <= 1 and out.min() == pytest.approx(-1 / (num_players - 1)))


def check_counts(seen: np.record, num_players: int) -> None:
    """All gems, cards and nobles are somewhere; nobody holds more than is allowed."""
    gems = seen.bank + seen.gems.sum(axis=0)
    assert gems.tolist() == [GEMS[num_players]] * 5 + [5]
    assert seen.gems.sum(axis=1).max() <= 10
    on_table = (seen.table_colour >= 0).sum()
    reserved = (seen.reserved_colour >= 0).sum()
    assert on_table + reserved + seen.num_cards.sum() + seen.deck_left.sum() == 90
    unseen = [int(seen[f"unseen_{tier}"]).bit_count() for tier in (1, 2, 3)]
    assert unseen == seen.deck_left.tolist()
    free_nobles = (seen.noble_need[:, 0] >= 0).sum()
    assert free_nobles + seen.num_nobles.sum() == num_players + 1
    assert seen.cards.max() <= 7
