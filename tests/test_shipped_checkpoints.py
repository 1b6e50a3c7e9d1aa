"""The checkpoints that ship: each loads, has its card, fits today's rules and still plays well."""

from pathlib import Path

import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_duplicate, play_match
from parlour.baselines.networks.checkpoints import load_checkpoint, model_card
from parlour.baselines.policies.game_parts import checkpoint_folder
from parlour.envs import GAMES, find_game, load_game

CHECKPOINTS = sorted(path for name in GAMES for path in checkpoint_folder(name).glob("*.pt"))

SEARCHES = ("mcts", "playout")
OTHER_BYTES = 10_000  # of a file: all that it says of itself


@pytest.mark.parametrize(
    "path", CHECKPOINTS, ids=lambda path: f"{path.parents[1].name}/{path.stem}"
)
def test_it_is_found_by_name_and_its_card_says_what_it_holds(path: Path) -> None:
    checkpoint = load_checkpoint(path)
    game = find_game(checkpoint.game, **checkpoint.game_config)
    assert checkpoint.game_version == game.version
    assert checkpoint.algorithm in list_policies(game)
    assert make_policy(checkpoint.algorithm, game).name == checkpoint.algorithm
    assert path.with_suffix(".md").read_text() == model_card(checkpoint)
    weights = sum(tensor.nbytes for tensor in checkpoint.weights.values())
    assert path.stat().st_size < weights + OTHER_BYTES  # no state of an optimizer
    for result in checkpoint.strength:
        is_search = result["second"].partition(":")[0] in SEARCHES
        assert result["num_games"] >= (500 if is_search else 20_000)


@pytest.mark.release
@pytest.mark.parametrize(
    ("player", "num_players", "floor"),
    [
        ("dqn", 2, 0.88),
        ("dqn", 4, 0.38),
        ("ppo", 4, 0.38),
    ],
)
def test_the_president_networks_beat_the_lowest_script(
    player: str, num_players: int, floor: float
) -> None:
    """Fair shares are 50 and 25 %; a flat Monte Carlo player reaches about 94 and 39 %."""
    game = load_game("president", num_players=num_players)
    result = play_match(game, player, "lowest", num_deals=600, seed=77)
    assert result.first_places.low > floor


@pytest.mark.release
def test_the_trick_taking_perceptron_plays_as_its_card_says() -> None:
    """Measured: 73 % of deals won to 10 % lost."""
    game = load_game("trick_taking")
    result = play_duplicate(game, "mlp", "first_play", 600, seed=77)
    assert result.wins.mean > 0.66 and result.losses.mean < 0.14


@pytest.mark.release
def test_the_splendor_network_beats_the_scripts_and_guides_a_search_that_beats_it() -> None:
    """The best script wins about half of the games that the network wins."""
    game = find_game("splendor")
    result = play_match(game, "expert_iteration", "planner", num_deals=300, seed=77)
    assert result.first_places.low > 0.55
    result = play_match(game, "guided:num_simulations=32", "expert_iteration", 60, seed=77)
    assert result.first_places.low > 0.5
