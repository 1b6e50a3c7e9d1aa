"""Scripted players of President: known positions, purity, and strength in order."""

import itertools

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.matches import match_results

pytestmark = pytest.mark.plain

BY_LOWEST = "playout_policy=lowest,epsilon=0.3"
SCRIPTS = ["hoarder", "lowest", "set_keeper", "planner"]
RANKS = ("2", "4", "5", "6", "7", "10", "11", "12", "3", "1")


def choice(name: str, hand: str, table: str = "", played: str = "", others: int = 9) -> str:
    """What a player does with a hand of ranks such as "4 4 7", by the name of the action."""
    game = load_game("president", num_players=4)
    observation = game.new_observations()
    for card in hand.split():
        observation["hand"][0, RANKS.index(card)] += 1
    for card in played.split():
        observation["played"][0, RANKS.index(card)] += 1
    observation["hand_sizes"][0] = [len(hand.split()), others, others, others]
    observation["table_rank"] = -1
    count, low = 0, -1
    if table:
        count, low = int(table[0]), RANKS.index(table[2:])
        observation["table_count"], observation["table_rank"] = count, low
    mask = np.zeros(game.num_actions, np.int8)
    mask[0] = bool(table)
    for rank, number in enumerate(observation["hand"][0]):
        for size in range(1, number + 1):
            if not table or (size == count and rank > low):
                mask[1 + 4 * rank + size - 1] = 1
    return game.action_name(make_policy(name, game).act(observation[0], mask, rng=streams([1])))


def test_lowest_leads_its_lowest_rank_with_as_many_as_it_can() -> None:
    assert choice("lowest", "4 4 4 7 1") == "3x4"


def test_lowest_follows_with_the_lowest_that_beats_and_breaks_sets_for_it() -> None:
    assert choice("lowest", "4 7 7 11 1", table="1x5") == "1x7"
    assert choice("lowest", "4 7 7 11 1", table="2x11") == "pass"


def test_set_keeper_follows_with_a_whole_set_and_breaks_one_only_if_it_must() -> None:
    assert choice("set_keeper", "4 7 7 11 1", table="1x5") == "1x11"
    assert choice("set_keeper", "4 7 7 11 11", table="1x5") == "1x7"


def test_hoarder_passes_rather_than_break_a_set_or_play_a_three_or_a_one() -> None:
    assert choice("hoarder", "4 4 5 5 7 7 3", table="1x6") == "pass"
    assert choice("hoarder", "4 4 7 7 3", table="1x6") == "1x3"
    assert choice("hoarder", "4 4 5 7 7 11 3", table="1x6") == "1x11"


def test_planner_plays_what_nothing_beats_and_keeps_its_one_weak_card_for_the_end() -> None:
    assert choice("planner", "4 1 1") == "2x1"
    assert choice("planner", "4") == "1x4"


def test_planner_leads_a_weak_set_while_it_still_holds_what_takes_the_lead_back() -> None:
    played = "2 2 4 4 5 5 5 5 6 6 6 6 7 10 10 10 10 11 11 11 12 12 3 3 1 1 1 1"
    assert choice("planner", "4 4 7 7 7 12 12", played=played, others=5) == "2x4"
    played = "2 2 2 2 4 4 4 4 6 6 7 7 10 10 11 12 1 1 1 1"
    assert choice("planner", "5 5 11 11 12 12 12 3 3", "1x11", played, 11) == "1x3"


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_lowest_card_is_given_back(name: str) -> None:
    game = load_game("president", num_players=4, num_games=2)
    observation = game.new_observations()
    observation["hand"][0] = [0, 2, 1, 1, 1, 1, 1, 1, 1, 2]
    observation["gives_left"] = 1
    mask = np.zeros(game.num_actions, np.int8)
    mask[41 + np.flatnonzero(observation["hand"][0])] = 1
    assert game.action_name(make_policy(name, game).act(observation[0], mask)) == "give:4"


@pytest.mark.parametrize(
    ("num_players", "scripts"),
    [(2, SCRIPTS), *(pytest.param(n, [], marks=pytest.mark.long) for n in (2, 5))],
)
@pytest.mark.parametrize("passing", ["free", "out"])
def test_every_player_plays_whole_matches(
    num_players: int, scripts: list[str], passing: str
) -> None:
    """The scripts, and in the long run all others."""
    game = load_game(
        "president",
        num_players=num_players,
        num_games=2 if num_players == 2 else 3,
        economy="swap_two",
        passing=passing,
    )
    left_out = {"best"}  # is among the others
    left_out |= {"mcts"} if num_players == 5 else {"mcts", "playout"}  # tested for any game
    names = scripts or [name for name in list_policies(game) if name not in left_out]
    players = [f"{n}:num_playouts=12" if n.startswith("playout") else n for n in names]
    results = match_results(game, [(player, "lowest") for player in players], 2)
    assert [result.num_games for result in results] == [2 * num_players] * len(names)


@pytest.mark.release
@pytest.mark.parametrize("num_players", [2, 4, 5, 8])
def test_each_script_beats_the_one_before_it(num_players: int) -> None:
    game = load_game("president", num_players=num_players)
    pairs = itertools.pairwise(SCRIPTS)
    results = match_results(game, [(better, worse) for worse, better in pairs], 2000, seed=11)
    for result in results:
        assert result.mean_return.low > 0, result
        assert result.first_places.low > 1 / num_players, result


@pytest.mark.release
@pytest.mark.parametrize(("num_players", "floor"), [(2, 0.85), (4, 0.30)])
def test_the_search_beats_lowest(num_players: int, floor: float) -> None:
    game = load_game("president", num_players=num_players)
    result = play_match(game, f"playout:num_playouts=200,{BY_LOWEST}", "lowest", 150, seed=5)
    assert result.first_places.low > floor
