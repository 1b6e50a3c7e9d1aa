"""What networks are shown of Top Trumps: against plain counting, and by a player of the game."""

import numpy as np
import pytest

from parlour.baselines.networks.derived import shown_fields, with_inputs
from parlour.baselines.top_trumps.inputs import STEPS
from parlour.envs import load_game
from parlour.envs.core.rng import streams

pytestmark = pytest.mark.plain


@pytest.mark.parametrize("settings", [{}, {"num_cards": 67, "num_fields": 2}])
def test_derived_fields_compare_the_top_card_with_the_possible_ones(settings: dict) -> None:
    game = load_game("top_trumps", **settings)
    wide = with_inputs(game)
    state, random = wide.new_states()[0], np.random.default_rng(0)
    wide.deal(state, streams([3])[0])
    view = wide.new_observations()[0]
    num_compared = 0
    for _ in range(60):
        if wide.is_terminal(state):
            break
        for seat in range(2):
            wide.observe(state, seat, view)
            bits = [int(word) >> bit & 1 for word in view.opponent_top for bit in range(64)]
            possible = [card for card, bit in enumerate(bits) if bit]
            for field in range(game.num_actions):
                values = [int(view.values[card, field]) for card in possible]
                own, is_known = int(view.top_values[field]), view.top >= 0
                shares = [sum(v < own for v in values), sum(v == own for v in values)]
                rounded = [int(STEPS * share / len(values) + 0.5) * is_known for share in shares]
                assert [view.beaten[field], view.tied[field]] == rounded
                num_compared += is_known and len(possible) > 1
        wide.apply_action(state, int(random.choice(wide.legal_action_list(state))))
    assert num_compared > 20


def test_networks_are_shown_no_names_of_cards() -> None:
    shown = shown_fields(with_inputs(load_game("top_trumps")))
    assert set(shown) >= {"beaten", "tied", "deck_sizes"}
    assert not {"values", "places", "top_values", "own_cards", "opponent_top"} & set(shown)
