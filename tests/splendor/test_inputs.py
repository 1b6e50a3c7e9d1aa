"""What networks are shown of Splendor: against plain counting, and by compiled players."""

import numpy as np
import pytest

from parlour.baselines.networks.derived import arranged, shown_fields, with_inputs
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.search.guided import GuidedSettings, guided_policy
from parlour.envs import load_game
from parlour.envs.core.rng import streams
from parlour.envs.splendor.cards import NOTHING, NUM_COLOURS, YELLOW

from ..test_compiled_networks import positions, uneven

pytestmark = pytest.mark.plain


def cards_of(view: np.record, seat: int) -> list[tuple[list[int], int] | None]:
    """Costs and points of the cards that a seat may buy, None where there is none."""
    table = zip(view.table_cost, view.table_points, strict=True)
    reserved = zip(view.reserved_cost[seat], view.reserved_points[seat], strict=True)
    return [None if p == NOTHING else (c.tolist(), int(p)) for c, p in [*table, *reserved]]


@pytest.mark.parametrize("num_players", [2, pytest.param(3, marks=pytest.mark.long)])
def test_derived_fields_count_what_each_seat_lacks(num_players: int) -> None:
    game = load_game("splendor", num_players=num_players)
    wide = with_inputs(game)
    best_purchases = set()
    for view in positions(wide, 4, 50)[0]:
        for seat in range(num_players):
            gems, cards = view.gems[seat], view.cards[seat]
            payable = [NOTHING]
            for place, card in enumerate(cards_of(view, seat)):
                if card is None:
                    assert (view.missing_by_colour[seat, place] == 3).all()
                    assert view.missing[seat, place] == view.reduced_cost[seat, place] == 7
                    continue
                reduced = [max(card[0][c] - cards[c], 0) for c in range(NUM_COLOURS)]
                lacking = [max(reduced[c] - gems[c], 0) for c in range(NUM_COLOURS)]
                missing = max(sum(lacking) - gems[YELLOW], 0)
                assert view.missing_by_colour[seat, place].tolist() == [
                    min(number, 3) for number in lacking
                ]
                assert view.missing[seat, place] == min(missing, 7)
                assert view.reduced_cost[seat, place] == min(sum(reduced), 7)
                payable += [card[1]] if missing == 0 else []
            assert view.best_purchase[seat] == max(payable)
            best_purchases.add(max(payable))
            for slot, need in enumerate(view.noble_need):
                lacks = [max(need[c] - cards[c], 0) for c in range(NUM_COLOURS)]
                expected = 7 if need[0] == NOTHING else min(sum(lacks), 7)
                assert view.noble_missing[seat, slot] == expected
    assert len(best_purchases) > 2


def test_arranged_games_are_the_same_games() -> None:
    """Played side by side, arranged and not, each action by the name it has there.

    What is known differs in the order of the cards of a tier alone, what is legal in names.
    """
    game = load_game("splendor", num_players=2)
    wide = with_inputs(game)
    assert with_inputs(wide) is wide
    assert "unseen_1" not in shown_fields(wide) and "missing" in shown_fields(wide)
    random = np.random.default_rng(0)
    unordered = {"table_cost", "table_colour", "table_points", "last_actions"}
    num_moved = 0
    for seed in range(3):
        state, other = game.new_states(), game.new_states()
        game.deal(state[0], streams([seed])[0])
        wide.deal(other[0], streams([seed])[0])
        while not game.is_terminal(state[0]) and int(state[0].turn) < 60:
            shown = arranged(game, state)
            table = shown.positions[0].table.reshape(3, 4)
            assert table.tolist() == other[0].table.reshape(3, 4).tolist()
            assert int(shown.positions[0].face_up) == int(other[0].face_up)
            seat = int(game.seat_to_act(state[0]))
            plain, more = game.new_observations(), wide.new_observations()
            game.observe(state[0], seat, plain[0])
            wide.observe(other[0], seat, more[0])
            for field in game.observation_fields:
                if field.name not in unordered:
                    np.testing.assert_array_equal(plain[field.name], more[field.name])
            points = [np.sort(one["table_points"].reshape(3, 4), axis=1) for one in (plain, more)]
            np.testing.assert_array_equal(points[0], points[1])
            if not more["is_choosing"][0]:
                is_empty = more["table_colour"] == NOTHING
                missing = np.where(is_empty, 99, more["missing"][:, 0, :12])
                assert (np.diff(missing.reshape(3, 4), axis=1) >= 0).all()
            names, legal = shown.actions[0], wide.legal_action_list(other[0])
            assert sorted(names[legal].tolist()) == game.legal_action_list(state[0])
            action = int(random.choice(legal))
            num_moved += action != names[action]
            game.apply_action(state[0], int(names[action]))
            wide.apply_action(other[0], action)
        assert game.is_terminal(state[0]) == wide.is_terminal(other[0])
    assert num_moved > 25


@pytest.mark.release
def test_a_search_is_guided_by_a_network_of_derived_inputs() -> None:
    """Its values are those of legal actions that it tried, in every position of a game."""
    game = load_game("splendor", num_players=2)
    network = uneven(PolicyValue(game, (19,), derived_inputs=True))
    policy = guided_policy("mcts", game, network, GuidedSettings(8, 4, 2, 1.25, 0.0))
    assert policy.game is game and policy.values is not None
    state, random = game.new_states(), np.random.default_rng(2)
    game.deal(state[0], streams([3])[0])
    mask = np.zeros((1, game.num_actions), np.int8)
    for _ in range(60):
        legal = game.legal_action_list(state[0])
        mask[:] = 0
        mask[0, legal] = 1
        values = policy.values(game.new_observations(), mask, streams([4]), state)
        valued = set(np.flatnonzero(~np.isnan(values[0])))  # the search tries no forced action
        assert valued <= set(legal) and (valued or len(legal) == 1)
        assert policy(game.new_observations(), mask, streams([4]), state)[0] in legal
        game.apply_action(state[0], int(random.choice(legal)))
