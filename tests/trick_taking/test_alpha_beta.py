"""The search `alpha_beta`: its values against plain minimax, its choices, what it refuses."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_duplicate
from parlour.baselines.networks.checkpoints import Checkpoint, save_checkpoint
from parlour.baselines.networks.kinds import action_values, new_network
from parlour.baselines.networks.modules import RankedValues
from parlour.baselines.players.game_parts import checkpoint_folder
from parlour.baselines.players.policy import Policy
from parlour.baselines.trick_taking.measures import regret
from parlour.envs import load_game
from parlour.envs.core.game import NO_SEAT, Game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.training.lookahead import Config

from .test_max_n import late_tables

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
    return saved(network(), LEARNER, tmp_path_factory.mktemp("alpha_beta"))


def saved(module: torch.nn.Module, config: Config, folder: Path) -> Path:
    weights, settings = module.state_dict(), dataclasses.asdict(config)
    checkpoint = Checkpoint(
        "trick_taking", 0, GAME.config_dict(), "lookahead", settings, config.hidden, weights
    )
    save_checkpoint(checkpoint, folder / "mine.pt")
    return folder / "mine.pt"


def plain_value(game: Game, module: RankedValues, states: np.ndarray, num_tricks: int) -> float:
    """The return of the seat to act by full minimax to the end of that many tricks."""
    tables = Tables(game, streams([0]))
    tables.states[:] = states
    (seat,), observations, words = tables.show(tables.all_rows)
    if seat == NO_SEAT:
        return float(tables.returns(tables.all_rows)[0, 0])
    masks = action_masks(words, game.num_actions)
    if num_tricks == 0:
        return float(action_values(game, module, observations, masks).max())
    return max(
        value_after(game, module, states, action, num_tricks)
        for action in np.flatnonzero(masks).tolist()
    )


def value_after(
    game: Game, module: RankedValues, states: np.ndarray, action: int, num_tricks: int
) -> float:
    """The return of the seat to act after an action."""
    tables = Tables(game, streams([0]))
    tables.states[:] = states
    seat = tables.show(tables.all_rows)[0][0]
    tables.apply(tables.all_rows, np.array([action]))
    next_seat = tables.show(tables.all_rows)[0][0]
    if next_seat == NO_SEAT:
        return float(tables.returns(tables.all_rows)[0, seat])
    is_complete = tables.states[0]["led_colour"] == -1
    value = plain_value(game, module, tables.states, num_tricks - is_complete)
    return value if next_seat == seat else -value


def asked(policy: Policy, tables: Tables) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The masks of all tables, what the policy plays there, and its values."""
    _, observations, words = tables.show(tables.all_rows)
    masks = action_masks(words, tables.game.num_actions)
    assert policy.values is not None
    actions = policy(observations, masks, streams(range(len(masks))))
    return masks, actions, policy.values(observations, masks)


@pytest.mark.parametrize("num_tricks", [1, 2])
@pytest.mark.parametrize("num_plies", [0, 1, 3])
def test_its_values_are_those_of_plain_minimax(num_tricks: int, num_plies: int, path: Path) -> None:
    tables = late_tables(GAME, 4, num_plies)
    policy = make_policy("alpha_beta", GAME, num_tricks=num_tricks, network=str(path))
    masks, _, values = asked(policy, tables)
    for row, mask in enumerate(masks):
        for action in np.flatnonzero(mask).tolist():
            start = tables.states[row : row + 1]
            wanted = value_after(GAME, network(), start, action, num_tricks)
            assert values[row, action] == pytest.approx(wanted, abs=1e-5)
    assert np.isnan(values[masks == 0]).all()


def test_it_plays_a_card_of_the_highest_value() -> None:
    """Choices are found with narrow bounds; a wrong bound would give a worse card."""
    game = load_game("trick_taking")
    policy = make_policy("alpha_beta", game)
    for num_plies in (0, 1, 6, 9, 14, 17):
        _, actions, values = asked(policy, late_tables(game, 60, num_plies))
        best = np.nanmax(values, axis=1)
        np.testing.assert_allclose(values[np.arange(60), actions], best, atol=1e-5)


def test_a_search_to_the_end_plays_perfectly_by_any_network(path: Path) -> None:
    policy = make_policy("alpha_beta", GAME, num_tricks=NUM_VALUES, network=str(path))
    assert regret(GAME, policy).mean == 0.0
    shallow = make_policy("alpha_beta", GAME, num_tricks=1, network=str(path))
    assert regret(GAME, shallow).mean > 0.02


def test_of_equal_cards_it_plays_the_one_that_the_network_prefers(path: Path) -> None:
    tables = late_tables(GAME, 100, 0)
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
    tables = late_tables(game, 30, 2)
    used = make_policy("alpha_beta", game)
    first = asked(used, tables)[1]
    asked(used, late_tables(game, 30, 7))
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
    module = new_network("lookahead", GAME, dataclasses.asdict(config))
    with pytest.raises(ValueError, match="--inputs tricks_won"):
        make_policy("alpha_beta", GAME, network=str(saved(module, config, tmp_path)))
