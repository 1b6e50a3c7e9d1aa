"""The tree search for any game: exact values, chance, hidden cards, budget, purity, settings."""

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.players import players_of
from parlour.baselines.search import playout
from parlour.baselines.search.mcts import NO_NODE, ROOT, _keep_all, _Tree
from parlour.baselines.search.playout import (
    PLAYOUTS_BETWEEN_CLOCKS,
    choose_by_halving,
    choose_in_time,
)
from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams
from parlour.envs.core.tables import Tables, action_masks
from parlour.envs.registry import GAMES, load_game
from tests import toy_game

TRICKS = load_game("trick_taking", num_values=5)  # solved exactly; only the order dealt is hidden
TOY = toy_game.game(odd="high")  # hidden hands, and a draw in mid-game
NUM_TABLES = 40


def after_plies(game: Game, num_plies: int) -> tuple[Tables, np.ndarray, np.ndarray, np.ndarray]:
    """Positions after random plies: tables, seats to act, observations, masks."""
    tables = Tables(game, streams(range(NUM_TABLES)))
    tables.deal(tables.all_rows)
    policy, rngs = make_policy("random", game), streams(range(NUM_TABLES), 9)
    for _ in range(num_plies):
        _, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, game.num_actions)
        tables.apply(tables.all_rows, policy(observations, masks, rngs))
    seats, observations, words = tables.show(tables.all_rows)
    return tables, seats, observations, action_masks(words, game.num_actions)


def best_share(spec: str, num_plies: int) -> float:
    """In what share of positions a search chooses a card that perfect play would."""
    tables, seats, observations, masks = after_plies(TRICKS, num_plies)
    rngs = streams(range(NUM_TABLES), 1)
    actions = make_policy(spec, TRICKS)(
        observations, masks, rngs, tables.imagine(tables.all_rows, seats, rngs)
    )
    values = make_policy("perfect", TRICKS).values
    assert values is not None
    exact = np.where(masks == 1, values(observations, masks), -np.inf)
    return float((exact[np.arange(NUM_TABLES), actions] == exact.max(axis=1)).mean())


def test_it_finds_what_perfect_play_would_choose_where_flat_search_does_not() -> None:
    """Playouts at random mislead a search without a tree; in the tree seats learn to reply."""
    spec = "mcts:num_playouts=4000,playout_policy=random"
    flat, tree = best_share(spec + ",expand_at=1000000", 2), best_share(spec, 2)
    assert tree >= 0.95
    assert flat < 0.85


def test_it_beats_random_play_where_hands_are_hidden_and_the_game_draws() -> None:
    result = play_match(TOY, "mcts:num_playouts=60", "random", num_deals=150)
    assert result.mean_return.low > 0


@pytest.mark.parametrize("num_plies", [0, 1, 2, 3])
def test_choices_depend_on_the_observation_and_the_stream_alone(num_plies: int) -> None:
    tables, seats, observations, masks = after_plies(TOY, num_plies)
    policy = make_policy("mcts:num_playouts=60", TOY)
    before = tables.states.tobytes()
    true = policy(observations, masks, streams(range(NUM_TABLES), 1), tables.states)
    assert tables.states.tobytes() == before
    for seed in (100, 200):
        positions = tables.imagine(tables.all_rows, seats, streams(range(NUM_TABLES), seed))
        again = policy(observations, masks, streams(range(NUM_TABLES), 1), positions)
        assert (again == true).all()


def test_choices_do_not_depend_on_the_batch() -> None:
    tables, _, observations, masks = after_plies(TRICKS, 2)
    policy = make_policy("mcts:num_playouts=60", TRICKS)
    together = policy(observations, masks, streams(range(NUM_TABLES), 1), tables.states)
    for row in range(NUM_TABLES):
        one = slice(row, row + 1)
        rngs = streams([row], 1)
        assert policy(observations[one], masks[one], rngs, tables.states[one]) == together[row]


def new_tree(num_nodes: int) -> _Tree:
    row = players_of(TRICKS)["random"].row
    assert row is not None
    return _Tree(TRICKS, row, _keep_all, num_nodes, 0.2, 2, 0.5)


def num_played_out(tree: _Tree) -> int:
    """The visits of the root's children: every playout went through one of them."""
    visits, child = 0, tree.nodes[ROOT]["first_child"]
    while child != NO_NODE:
        visits += int(tree.nodes[child]["visits"])
        child = tree.nodes[child]["next_sibling"]
    return visits


@pytest.mark.parametrize("num_playouts", [1, 7, 40, 400])
def test_no_more_playouts_than_the_budget_or_one_for_each_action(num_playouts: int) -> None:
    tables, _, _, masks = after_plies(TRICKS, 2)
    tree = new_tree(num_playouts + TRICKS.num_actions + 1)
    for row in range(NUM_TABLES):
        one = slice(row, row + 1)
        tree.clear()
        choose_by_halving(
            tree.play_rounds, masks[one], streams([row]), tables.states[one], num_playouts
        )
        most = max(num_playouts, int(masks[row].sum()))
        assert most / 2 <= num_played_out(tree) <= most
        assert tree.size[0] <= num_playouts + TRICKS.num_actions + 1


def test_time_is_spent_to_the_end_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that shows a millisecond more at each look."""
    looks = iter(range(1000))
    monkeypatch.setattr(playout.time, "perf_counter", lambda: next(looks) / 1000)
    tables, _, _, masks = after_plies(TRICKS, 0)
    assert masks[0].sum() == 5  # three phases: of 5, 3 and 2 actions
    tree = new_tree(NUM_TABLES * PLAYOUTS_BETWEEN_CLOCKS)
    choose_in_time(tree.play_rounds, masks[:1], streams([0]), tables.states[:1], 0.03)
    num_looks = next(looks)
    assert 30 <= num_looks <= 34
    assert num_played_out(tree) <= num_looks * PLAYOUTS_BETWEEN_CLOCKS
    assert num_played_out(tree) >= 25 * (PLAYOUTS_BETWEEN_CLOCKS - 5)


def test_a_full_tree_is_searched_on() -> None:
    """No node is made beyond the room there is."""
    tables, _, _, masks = after_plies(TRICKS, 0)
    tree = new_tree(TRICKS.num_actions + 4)
    choose_by_halving(tree.play_rounds, masks[:1], streams([0]), tables.states[:1], 500)
    assert tree.size[0] == len(tree.nodes)
    assert num_played_out(tree) > 250


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mcts:num_playouts=0", "num_playouts must be an integer in 1"),
        ("mcts:milliseconds=soon", "milliseconds must be a number above 0"),
        ("mcts:num_playouts=5,milliseconds=5", "mcts takes num_playouts or milliseconds, not both"),
        ("mcts:noise=1.5", r"noise must be a chance in 0 \.\. 1"),
        ("mcts:expand_at=0", "expand_at must be an integer in 1"),
        ("mcts:explore=-1", "explore must be a number of 0 or more"),
        ("mcts:explore=much", "explore must be a number of 0 or more"),
        ("mcts:shortlist=short", "shortlist must be a compiled function"),
        ("mcts:playout_policy=mcts", "must be one of random, first_legal, first_play"),
    ],
)
def test_a_bad_setting_is_refused_and_says_what_is_allowed(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_policy(spec, TRICKS)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_one(name: str) -> None:
    assert list_policies(load_game(name)).count("mcts") == 1
