"""Players of a game choose as networks that are shown the game with derived inputs, arranged."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from parlour.baselines.networks.derived import arranged, with_inputs
from parlour.baselines.networks.kinds import policy_of
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.envs import find_game, load_game
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import action_masks

from .searching import after_plies
from .test_compiled_networks import uneven

pytestmark = pytest.mark.plain

NUM_TABLES, NUM_PLIES = 6, 8
GAMES: list[Any] = [
    "president",
    "splendor",
    "top_trumps",
    "trick_taking",
    pytest.param("trick_taking:4", marks=pytest.mark.long),
]


def preferred(game: Game, network: PolicyValue, states: np.ndarray) -> list[int]:
    """The legal action that the torch module prefers in each of these arranged positions."""
    views = game.new_observations(len(states))
    for row, state in enumerate(states):
        game.observe(state, int(game.seat_to_act(state)), views[row])
    with torch.inference_mode():
        logits, _ = network(torch.from_numpy(game.layout.integers(views)))
    legal = [game.legal_action_list(state) for state in states]
    return [
        max(row, key=lambda action: float(one[action]))
        for row, one in zip(legal, logits, strict=True)
    ]


@pytest.mark.parametrize("name", GAMES)
def test_a_player_of_the_game_itself_chooses_as_if_it_were_arranged(name: str) -> None:
    name, _, seats = name.partition(":")
    game = find_game(name, **({"num_players": int(seats)} if seats else {}))
    wide = with_inputs(game)
    network = uneven(PolicyValue(game, (19,), derived_inputs=True))
    assert isinstance(network, PolicyValue)
    policy = policy_of("ppo", game, network)
    tables, *_ = after_plies(game, 0, NUM_TABLES)
    renamed = 0
    for _ in range(NUM_PLIES):
        _, observations, words = tables.show(tables.all_rows)
        actions = policy(observations, action_masks(words, game.num_actions), tables.rngs)
        shown = arranged(game, tables.states)
        chosen = preferred(wide, network, shown.positions)
        assert actions.tolist() == shown.actions[np.arange(NUM_TABLES), chosen].tolist()
        renamed += (actions != chosen).sum()
        if name in ("president", "top_trumps"):  # where nothing is arranged
            assert shown.positions.tobytes() == tables.states.tobytes()
        tables.apply(tables.all_rows, actions)
    assert (renamed > 0) == (name not in ("president", "top_trumps"))


def test_a_game_without_derived_inputs_stays_itself() -> None:
    game = load_game("notty")
    assert with_inputs(game) is game
    assert PolicyValue(game, (4,), derived_inputs=True).seen(game) is game
