"""Scripted players of Top Trumps: known positions, purity, settings, and strength in order."""

import itertools

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game
from tests.matches import match_results
from tests.one_table import played
from tests.top_trumps.tables import Table

pytestmark = pytest.mark.plain

SCRIPTS = ["rander", "maxer", "meaner_max", "expert", "goliath"]
ALL_FIELDS = np.ones(2, np.int8)


def choices(player: str, table: Table, times: int = 40) -> set[int]:
    """The fields that a player chooses for the starter, over so many streams."""
    view = np.repeat(np.asarray(table.observed(int(table.state["starter"]))).reshape(1), times)
    masks = np.repeat(ALL_FIELDS[None], times, axis=0)
    policy = make_policy(player, table.game)
    return set(policy(view.view(table.game.observation_dtype), masks, streams(range(times))))


def table_of(cards: list[list[int]]) -> Table:
    """Seat 0 starts with card 0; seat 1 holds 3, 4 and 5."""
    return Table([[0, 1, 2], [3, 4, 5]], cards)


def test_meaner_max_takes_the_raw_value_where_a_field_does_not_vary() -> None:
    cards = [[3, 30], [3, 10], [3, 20], [3, 10], [3, 20], [3, 10]]
    assert choices("meaner_max", table_of(cards)) == {0}


def test_expert_counts_the_opponents_cards_that_are_lower_and_half_of_the_equal_ones() -> None:
    """Field0 beats one of three and ties none; Field1 beats none and ties all: 1/3 against m."""
    cards = [[50, 50], [1, 1], [1, 1], [40, 50], [60, 50], [70, 50]]
    assert choices("expert", table_of(cards)) == {1}
    assert choices("expert:m=0.3", table_of(cards)) == {0}
    cards[4] = [50, 60]  # 1.5 of 3 against 1 of 3
    assert choices("expert", table_of(cards)) == {0}


def test_user_and_the_original_spellings_are_found() -> None:
    game = load_game("top_trumps")
    spellings = {"MeanerMax": "meaner_max", "EXPert": "expert", "RandMaxer": "rand_maxer"}
    for spelling, name in {**spellings, "Goliath": "goliath", "rander": "rander"}.items():
        assert make_policy(spelling, game).name == name
    assert make_policy("User", game).name == "human"
    assert "user" not in list_policies(game)


@pytest.mark.release
def test_each_script_beats_the_one_before_it() -> None:
    pairs = [(stronger, weaker) for weaker, stronger in itertools.pairwise(SCRIPTS)]
    for result in match_results(load_game("top_trumps"), pairs, 300, seed=3):
        assert result.mean_return.low > 0, result


STRENGTHS = {  # first places in per cent, by an independent program: 95 % intervals
    ("expert", "meaner_max"): (60.3, 62.2),
    ("goliath", "expert"): (86.7, 88.0),
    ("goliath", "meaner_max"): (93.4, 94.4),
}


@pytest.mark.compiled
def test_strengths_agree_with_an_independent_program() -> None:
    """Its intervals, and ours of 2,000 deals, touch."""
    results = match_results(load_game("top_trumps"), list(STRENGTHS), 2000, seed=8)
    for result, (low, high) in zip(results, STRENGTHS.values(), strict=True):
        assert 100 * result.first_places.low < high, result
        assert 100 * result.first_places.high > low, result


@pytest.mark.release
def test_every_player_plays_real_decks() -> None:
    """But for the searches of any game, which are tested for any game."""
    game = load_game("top_trumps", deck="planets", starter=1)
    names = set(list_policies(game)) - {"best", "playout", "mcts", "david"}
    names |= {"david:num_playouts=12"}
    results = match_results(game, [(name, "maxer") for name in sorted(names)], 3)
    assert [result.num_games for result in results] == [6] * len(names)


# David


def play_on(table: Table, names: tuple[str, str]) -> list[float]:
    """These players from here to the end; the returns."""
    policies = [make_policy(name, table.game) for name in names]
    return played(table.game, policies, 1, deal=table.state).returns.tolist()


def lost_for_goliath() -> Table:
    """Seat 0 can win this trick, and loses the game if it does: every card's place is known."""
    cards = [[26, 31], [22, 12], [31, 19], [30, 31], [37, 25], [21, 30]]
    return Table([[0, 1, 2], [4, 3, 5]], cards).play(1, 0, 1, 1, 0)


def test_david_loses_a_trick_on_purpose_to_win_the_game() -> None:
    assert play_on(lost_for_goliath(), ("goliath", "goliath")) == [-1, 1]
    assert play_on(lost_for_goliath(), ("david", "goliath")) == [1, -1]


def test_david_thinks_for_the_time_it_is_given() -> None:
    table = lost_for_goliath()
    position = table.states.copy()
    for milliseconds in (0.001, 5):
        david = make_policy("david", table.game, milliseconds=milliseconds)
        view = table.observed(0)
        action = david.act(view, ALL_FIELDS, rng=streams([1]), position=position)
        assert action in np.flatnonzero(ALL_FIELDS)


@pytest.mark.release
def test_david_is_clearly_stronger_than_goliath() -> None:
    """+114 Elo in 20,000 games; of 600 the interval is some 25 wide to either side."""
    result = play_match(load_game("top_trumps"), "david", "goliath", 300, seed=2)
    assert result.elo.low > 50
