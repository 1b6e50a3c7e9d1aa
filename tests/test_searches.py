"""What holds of every search: what it may know, its batches, its time, its settings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.envs.core.game import NO_SEAT, Game
from parlour.envs.core.rng import streams
from parlour.envs.registry import GAMES, find_game, load_game
from tests import toy_game

from .searching import NUM_TABLES, after_plies, saved

pytestmark = pytest.mark.plain

PRESIDENT = load_game("president", num_players=4)
TRICKS = load_game("trick_taking", num_values=5)
TRUMPS = load_game("top_trumps", num_cards=8, num_fields=3)
TOY = toy_game.game(odd="high")  # hidden hands, and a draw in mid-game
FEW = 10  # tables of a search in plain Python
MCTS, GUIDED = "mcts:num_simulations=20", "mcts:network={network},num_simulations=16"
PLAYOUT = "playout:num_playouts=6"


@pytest.mark.parametrize(
    ("spec", "game", "num_plies"),
    [
        *((MCTS, TOY, plies) for plies in (0, 1, 2, 3)),
        *(pytest.param(GUIDED, TOY, plies, marks=pytest.mark.long) for plies in (0, 1, 2, 3)),
        (PLAYOUT, TOY, 2),
    ],
    ids=str,
)
def test_choices_depend_on_the_observation_and_the_stream_alone(
    spec: str, game: Game, num_plies: int, tmp_path: Path
) -> None:
    tables, seats, observations, masks = after_plies(game, num_plies, FEW)
    policy = make_policy(spec.format(network=saved(game, tmp_path)), game)
    before = tables.states.tobytes()
    true = policy(observations, masks, streams(range(FEW), 1), tables.states)
    assert tables.states.tobytes() == before
    for seed in (100, 200):
        positions = tables.determinize(tables.all_rows, seats, streams(range(FEW), seed))
        again = policy(observations, masks, streams(range(FEW), 1), positions)
        assert (again == true).all()


@pytest.mark.parametrize(
    ("spec", "game", "num_plies"),
    [
        *((spec, TRICKS, 2) for spec in (MCTS, GUIDED)),
        (PLAYOUT, TOY, 2),
        pytest.param(  # places known
            "david:num_playouts=30", load_game("top_trumps"), 40, marks=pytest.mark.long
        ),
    ],
    ids=str,
)
def test_choices_do_not_depend_on_the_batch(
    spec: str, game: Game, num_plies: int, tmp_path: Path
) -> None:
    tables, _, observations, masks = after_plies(game, num_plies, FEW)
    policy = make_policy(spec.format(network=saved(game, tmp_path)), game)
    together = policy(observations, masks, streams(range(FEW), 1), tables.states)
    for row in range(FEW):
        one = slice(row, row + 1)
        rngs = streams([row], 1)
        assert policy(observations[one], masks[one], rngs, tables.states[one]) == together[row]


@pytest.mark.parametrize(
    ("name", "game", "purpose"),
    [
        *((name, PRESIDENT, 2) for name in ("hoarder", "lowest", "set_keeper", "planner")),
        *((name, TRUMPS, 1) for name in ("rander", "rand_maxer", "maxer", "meaner_max")),
        *((name, TRUMPS, 1) for name in ("expert", "goliath")),
    ],
    ids=str,
)
def test_a_script_is_a_pure_function_of_the_observation(
    name: str, game: Game, purpose: int
) -> None:
    """And of its stream, where it draws: those of President, given another, do the same."""
    _, _, observations, masks = after_plies(game, 0)
    before, policy = (observations.tobytes(), masks.tobytes()), make_policy(name, game)
    first = policy(observations, masks, streams(range(NUM_TABLES), 1))
    assert (policy(observations, masks, streams(range(NUM_TABLES), purpose)) == first).all()
    assert (observations.tobytes(), masks.tobytes()) == before


@pytest.mark.long
@pytest.mark.parametrize("name", ["notty", "splendor"])  # with chance; with masks of many words
def test_the_playout_search_plays_legally_within_a_time(name: str) -> None:
    game = find_game(name)
    tables, seats, observations, masks = after_plies(game, 1)
    policy = make_policy("playout:milliseconds=2,playout_policy=random", game)
    rows = np.flatnonzero(seats != NO_SEAT)
    positions = tables.determinize(rows, seats[rows], streams(rows, 1))
    actions = policy(observations[rows], masks[rows], streams(rows, 2), positions)
    assert (masks[rows, actions] == 1).all()


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_them_once(name: str) -> None:
    listed = list_policies(find_game(name))
    assert listed.count("mcts") == listed.count("playout") == 1 and "human" not in listed


@pytest.mark.parametrize("player", ["playout", "mcts"])
@pytest.mark.parametrize("budget", ["milliseconds=1", "milliseconds=0.5", "epsilon=0", "epsilon=1"])
def test_sensible_settings_are_taken(player: str, budget: str) -> None:
    assert make_policy(f"{player}:{budget}", TRICKS).needs_positions


BUDGET = [
    ("milliseconds=soon", "milliseconds must be a number above 0"),
    ("milliseconds=-3", "milliseconds must be a number above 0"),
    *((f"milliseconds={value}", "milliseconds") for value in ("True", "0", "1e999", "None1")),
    ("epsilon=1.5", r"epsilon must be a number in 0 \.\. 1"),
    *((f"epsilon={value}", "epsilon") for value in ("True", "-0.1", "1.1", "some")),
]
SENSELESS = {
    "playout": [
        *BUDGET,
        ("num_playouts=0", "num_playouts must be an integer in 1"),
        ("num_playouts=2.5", "num_playouts must be an integer in 1"),
        ("num_playouts=5,milliseconds=5", "not both"),
        ("playout_policy=playout", "must be one of random, first_legal.*lowest"),
        ("playout_policy=nobody", "must be one of random, first_legal.*lowest"),
    ],
    "mcts": [
        *BUDGET,
        ("num_simulations=0", "num_simulations must be an integer in 1"),
        ("num_simulations=5,milliseconds=5", "num_simulations or milliseconds, not both"),
        ("expansion_threshold=0", "expansion_threshold must be an integer in 1"),
        ("exploration_constant=-1", "exploration_constant must be a number of 0 or more"),
        ("exploration_constant=much", "exploration_constant must be a number of 0 or more"),
        ("shortlist=short", "shortlist must be a compiled function"),
        ("playout_policy=mcts", "must be one of random, first_legal"),
    ],
    "mcts:network={network}": [
        ("num_considered=0", "num_considered must be"),
        ("num_determinizations=0", "num_determinizations must be"),
        ("exploration_constant=-1", "exploration_constant must be"),
        ("playout_policy=random", "has no playout_policy"),
        ("num_simulations=5,milliseconds=5", "num_simulations or milliseconds, not both"),
    ],
}


@pytest.mark.parametrize(
    ("player", "setting", "message"),
    [(player, *case) for player, cases in SENSELESS.items() for case in cases],
)
def test_senseless_settings_are_refused_with_what_is_allowed(
    player: str, setting: str, message: str, tmp_path: Path
) -> None:
    player = player.format(network=saved(PRESIDENT, tmp_path))
    with pytest.raises(ValueError, match=message):
        make_policy(f"{player}{',' if ':' in player else ':'}{setting}", PRESIDENT)
