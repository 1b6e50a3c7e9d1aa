"""What networks are shown of Splendor: against plain counting, and by compiled players."""

import numpy as np
import pytest
import torch

from parlour.baselines.networks.compiled import network_functions, num_layers
from parlour.baselines.networks.derived import shown_fields, with_inputs
from parlour.baselines.networks.kinds import policy_of
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.search.guided import Settings, guided_policy
from parlour.envs import load_game
from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams
from parlour.envs.core.tables import action_masks
from parlour.envs.splendor.cards import NOTHING, NUM_COLOURS, YELLOW

from ..test_compiled_networks import positions, uneven

NUM_PLACES = 15


def cards_of(seen: np.record, seat: int) -> list[tuple[list[int], int] | None]:
    """Costs and points of the cards that a seat may buy, None where there is none."""
    table = zip(seen.table_cost, seen.table_points, strict=True)
    held = zip(seen.reserved_cost[seat], seen.reserved_points[seat], strict=True)
    return [None if p == NOTHING else (c.tolist(), int(p)) for c, p in [*table, *held]]


@pytest.mark.parametrize("num_players", [2, 3])
def test_derived_fields_count_what_each_seat_lacks(num_players: int) -> None:
    game = load_game("splendor", num_players=num_players)
    wide = with_inputs(game)
    best_purchases = set()
    for seen in positions(wide, 6, 60)[0]:
        for seat in range(num_players):
            gems, cards = seen.gems[seat], seen.cards[seat]
            payable = [NOTHING]
            for place, card in enumerate(cards_of(seen, seat)):
                if card is None:
                    assert (seen.lacking[seat, place] == 3).all()
                    assert seen.missing[seat, place] == seen.price[seat, place] == 7
                    continue
                price = [max(card[0][c] - cards[c], 0) for c in range(NUM_COLOURS)]
                lacking = [max(price[c] - gems[c], 0) for c in range(NUM_COLOURS)]
                missing = max(sum(lacking) - gems[YELLOW], 0)
                assert seen.lacking[seat, place].tolist() == [min(number, 3) for number in lacking]
                assert seen.missing[seat, place] == min(missing, 7)
                assert seen.price[seat, place] == min(sum(price), 7)
                payable += [card[1]] if missing == 0 else []
            assert seen.best_purchase[seat] == max(payable)
            best_purchases.add(max(payable))
            for slot, need in enumerate(seen.noble_need):
                lacks = [max(need[c] - cards[c], 0) for c in range(NUM_COLOURS)]
                expected = 7 if need[0] == NOTHING else min(sum(lacks), 7)
                assert seen.noble_lacking[seat, slot] == expected
    assert len(best_purchases) > 2


def test_the_other_fields_stay_as_they_are() -> None:
    game = load_game("splendor", num_players=2)
    wide = with_inputs(game)
    assert with_inputs(wide) is wide
    plain, more = positions(game, 5, 30)[0], positions(wide, 5, 30)[0]
    for field in game.observation_fields:
        np.testing.assert_array_equal(plain[field.name], more[field.name])
    assert "unseen_1" not in shown_fields(wide) and "missing" in shown_fields(wide)


def test_a_game_without_derived_inputs_stays_itself() -> None:
    game = load_game("trick_taking")
    assert with_inputs(game) is game
    assert set(shown_fields(game)) == {field.name for field in game.observation_fields}
    assert PolicyValue(game, (4,), derived_inputs=True).seen(game) is game


@pytest.fixture(scope="module")
def game() -> Game:
    return load_game("splendor", num_players=2)


@pytest.fixture(scope="module")
def network(game: Game) -> PolicyValue:
    module = uneven(PolicyValue(game, (19,), derived_inputs=True))
    assert isinstance(module, PolicyValue)
    return module


def test_compiled_players_see_what_torch_is_shown(game: Game, network: PolicyValue) -> None:
    """Of the narrow observation the policy chooses what torch does of the wide one."""
    wide = with_inputs(game)
    seen, words = positions(wide, 12, 40)
    with torch.inference_mode():
        logits, values = network(torch.from_numpy(wide.layout.integers(seen)))
    masks = action_masks(words, game.num_actions)
    record = network.record(game)
    evaluate = network_functions(num_layers(record)).evaluate
    got = np.zeros(game.num_actions, np.float32)
    for row, observation in enumerate(seen):
        value = evaluate(record[0], observation, words[row], got)
        legal = masks[row] == 1
        np.testing.assert_allclose(got[legal], logits[row, legal], atol=1e-5, rtol=0)
        assert value == pytest.approx(float(values[row]), abs=1e-5)
    narrow = positions(game, 12, 40)[0]
    chosen = policy_of("ppo", game, network)(narrow, masks, streams([0] * len(masks)))
    logits = logits.masked_fill(torch.from_numpy(masks) == 0, -torch.inf)
    assert (chosen == logits.argmax(dim=1).numpy()).all()


def test_a_search_is_guided_by_a_network_of_derived_inputs(
    game: Game, network: PolicyValue
) -> None:
    policy = guided_policy("mcts", game, network, Settings(8, 4, 2, 1.25, 0.0))
    assert policy.game is game
    states = game.new_states()
    game.deal(states[0], streams([3])[0])
    mask = action_masks(np.zeros((1, game.num_mask_words), np.int64), game.num_actions)
    mask[0, game.legal_action_list(states[0])] = 1
    action = policy(game.new_observations(), mask, streams([4]), states)
    assert mask[0, action[0]] == 1
