"""The search `alpha_beta`: its values against plain minimax, its choices, what it refuses."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_duplicate
from parlour.baselines.networks.kinds import action_values, new_network
from parlour.baselines.networks.modules import RankedValues
from parlour.baselines.players.game_parts import checkpoint_folder
from parlour.baselines.trick_taking.measures import regret
from parlour.envs import load_game
from parlour.envs.core.play.game_state import GameState, start
from parlour.envs.core.play.tables import action_masks
from parlour.envs.core.rng import streams
from parlour.training.lookahead import Config

from ..searching import after_plies, asked, saved

NUM_VALUES = 4
GAME = load_game("trick_taking", num_values=NUM_VALUES)
LEARNER = Config(hidden=(8, 8), inputs=("tricks_won",), sets=("hand", "unseen", "table"))


def network(seed: int = 3) -> RankedValues:
    """A network that has learned nothing but what the tricks won are worth."""
    torch.manual_seed(seed)
    module: RankedValues = new_network("lookahead", GAME, dataclasses.asdict(LEARNER))
    with torch.no_grad():
        worth = torch.full((NUM_VALUES,), 1.0 / NUM_VALUES)
        module.baseline.weight[:] = torch.cat([worth, -worth])
        module.baseline.bias.zero_()
    return module


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alpha_beta")
    return saved(GAME, folder, network(), "lookahead", **dataclasses.asdict(LEARNER))


def plain_value(state: GameState, num_tricks: int) -> float:
    """The return of the seat to act by full minimax to the end of that many tricks."""
    if num_tricks == 0:
        mask = np.isin(np.arange(GAME.num_actions), state.legal_actions).astype(np.int8)
        return float(
            action_values(GAME, network(), np.array([state.observation()]), mask[None]).max()
        )
    return max(value_after(state, action, num_tricks) for action in state.legal_actions)


def value_after(state: GameState, action: int, num_tricks: int) -> float:
    """The return of the seat to act after an action."""
    seat, after = state.seat, state.copy()
    after.apply(action)
    if after.is_over:
        return float(after.returns[seat])
    is_complete = after.position["led_colour"] == -1
    value = plain_value(after, num_tricks - is_complete)
    return value if after.seat == seat else -value


@pytest.mark.parametrize("num_tricks", [1, 2])
@pytest.mark.parametrize("num_plies", [0, 1, 3])
def test_its_values_are_those_of_plain_minimax(num_tricks: int, num_plies: int, path: Path) -> None:
    tables = after_plies(GAME, num_plies, 4)[0]
    policy = make_policy("alpha_beta", GAME, num_tricks=num_tricks, network=str(path))
    masks, _, values = asked(policy, tables)
    for row, mask in enumerate(masks):
        for action in np.flatnonzero(mask).tolist():
            wanted = value_after(start(GAME, position=tables.states[row]), action, num_tricks)
            assert values[row, action] == pytest.approx(wanted, abs=1e-5)
    assert np.isnan(values[masks == 0]).all()


def test_it_plays_a_card_of_the_highest_value() -> None:
    """Choices are found with narrow bounds; a wrong bound would give a worse card."""
    game = load_game("trick_taking")
    policy = make_policy("alpha_beta", game)
    for num_plies in (0, 1, 6, 9, 14, 17):
        _, actions, values = asked(policy, after_plies(game, num_plies, 60)[0])
        best = np.nanmax(values, axis=1)
        np.testing.assert_allclose(values[np.arange(60), actions], best, atol=1e-5)


def test_a_search_to_the_end_plays_perfectly_by_any_network(path: Path) -> None:
    policy = make_policy("alpha_beta", GAME, num_tricks=NUM_VALUES, network=str(path))
    assert regret(GAME, policy).mean == 0.0
    shallow = make_policy("alpha_beta", GAME, num_tricks=1, network=str(path))
    assert regret(GAME, shallow).mean > 0.02


def test_of_equal_cards_it_plays_the_one_that_the_network_prefers(path: Path) -> None:
    tables = after_plies(GAME, 0, 100)[0]
    _, actions, values = asked(
        make_policy("alpha_beta", GAME, num_tricks=4, network=str(path)), tables
    )
    _, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, GAME.num_actions)
    liked = action_values(GAME, network(), observations, masks)
    is_best = np.isclose(values, np.nanmax(values, axis=1, keepdims=True))
    assert (actions == np.where(is_best, liked, -np.inf).argmax(axis=1)).all()


def test_what_it_knows_of_earlier_positions_changes_nothing() -> None:
    game = load_game("trick_taking")
    tables = after_plies(game, 2, 30)[0]
    used = make_policy("alpha_beta", game)
    first = asked(used, tables)[1]
    asked(used, after_plies(game, 7, 30)[0])
    assert (asked(used, tables)[1] == first).all()
    _, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, game.num_actions)
    for row in range(30):
        one = slice(row, row + 1)
        fresh = make_policy("alpha_beta", game)
        assert fresh(observations[one], masks[one], streams([0])) == first[row]


def test_it_gives_away_far_less_than_its_network() -> None:
    """Over all deals 0.0032 tricks a game; the network alone 0.093, no network 0.44 to 0.96."""
    game = load_game("trick_taking")
    assert regret(game, "alpha_beta", num_deals=1000).mean < 0.01
    assert play_duplicate(game, "alpha_beta", "smart", 300, seed=77).losses.mean == 0.0


def test_it_is_listed_where_its_network_ships() -> None:
    assert "alpha_beta" in list_policies(load_game("trick_taking"))
    assert "alpha_beta" not in list_policies(GAME)
    assert "alpha_beta" not in list_policies(load_game("trick_taking", num_players=3))
    with pytest.raises(ValueError, match=r"no network ships .* name a checkpoint"):
        make_policy("alpha_beta", GAME)


def test_impossible_settings_and_other_networks_are_refused(tmp_path: Path) -> None:
    game = load_game("trick_taking")
    with pytest.raises(ValueError, match=r"num_tricks must be .* 1 \.\. 5"):
        make_policy("alpha_beta", game, num_tricks=0)
    shipped = str(checkpoint_folder("trick_taking") / "lookahead.pt")
    with pytest.raises(ValueError, match="plays with 2 seats"):
        make_policy("alpha_beta", load_game("trick_taking", num_players=3), network=shipped)
    other = str(checkpoint_folder("trick_taking") / "mlp.pt")
    with pytest.raises(ValueError, match=r"cannot value positions .* --sets hand,unseen,table"):
        make_policy("alpha_beta", game, network=other)
    config = dataclasses.replace(LEARNER, inputs=("tricks_won", "leader"))
    settings = dataclasses.asdict(config)
    module = new_network("lookahead", GAME, settings)
    path = saved(GAME, tmp_path, module, "lookahead", **settings)
    with pytest.raises(ValueError, match="--inputs tricks_won"):
        make_policy("alpha_beta", GAME, network=str(path))
