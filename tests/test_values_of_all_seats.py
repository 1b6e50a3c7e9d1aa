"""Games of more than two seats: what a guide expects for every seat, and how it learns that."""

from typing import Any

import numpy as np
import pytest
import torch

from parlour.baselines import make_policy
from parlour.baselines.networks.compiled import network_functions, num_layers, values_all_seats
from parlour.baselines.networks.inputs import octets
from parlour.baselines.networks.kinds import new_network
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.search.guided import GuidedSearch, GuidedSettings
from parlour.envs import load_game
from parlour.envs.core.bits import num_allowed
from parlour.envs.core.game import Game
from parlour.envs.core.rng import streams
from parlour.training.expert_iteration import taught
from parlour.training.self_play import Batch, expect_others, new_batch
from tests.one_table import dealt

pytestmark = pytest.mark.plain

GAME = load_game("trick_taking", num_players=3)
OWN, NEXT, AFTER_NEXT = 0.5, -0.25, 0.125


def guide(game: Game, num_others: int) -> PolicyValue:
    """A network that always expects the same: OWN, then NEXT and AFTER_NEXT of the others."""
    torch.manual_seed(0)
    network = PolicyValue(game, (8,), num_others=num_others)
    with torch.no_grad():
        network.value.weight.zero_()
        network.value.bias.fill_(OWN)
        if network.others is not None:
            network.others.weight.zero_()
            network.others.bias.copy_(torch.tensor([NEXT, AFTER_NEXT]))
    return network


@pytest.mark.release
def test_a_leaf_is_worth_to_the_root_what_its_own_seat_may_expect() -> None:
    """The next seat decides there, and the root is the second one after it."""
    game = load_game("splendor", num_players=3)
    tables = dealt(game, [3])
    num_legal = num_allowed(tables.show(tables.all_rows)[2][0])
    settings = GuidedSettings(num_legal, num_legal, 1, 1.25, 0.0)  # each action once
    for num_others, expected in ((2, AFTER_NEXT), (0, -OWN / 2)):
        search = GuidedSearch(game, guide(game, num_others).record(game), settings)
        values = search.search(tables.states, streams([0])).action_values[0]
        np.testing.assert_allclose(values[~np.isnan(values)], expected)


def test_the_compiled_values_equal_those_of_torch() -> None:
    torch.manual_seed(1)
    network = new_network("expert_iteration", GAME, {"hidden": (19, 9)})
    record = network.record(GAME)
    assert values_all_seats(record) and not values_all_seats(guide(GAME, 0).record(GAME))
    tables = dealt(GAME, range(20))
    _, observations, words = tables.show(tables.all_rows)
    evaluate = network_functions(num_layers(record)).evaluate_all
    logits, got = np.zeros(GAME.num_actions, np.float32), np.zeros(3)
    with torch.inference_mode():
        dense = torch.from_numpy(GAME.layout.integers(observations))
        expected, body = network(dense), network.encoder(dense)
        for layer in network.layers:
            body = torch.relu(layer(body))
        others = network.values_of_others(body).numpy()
    assert not np.allclose(others[:, 0], others[:, 1])
    for row, data in enumerate(octets(observations)):
        evaluate(record[0], data, words[row], logits, got)
        np.testing.assert_allclose(got, [expected[1][row], *others[row]], atol=1e-5)


def test_a_game_of_two_seats_needs_no_other_value() -> None:
    game = load_game("trick_taking")
    network = new_network("expert_iteration", game, {"hidden": (4,)})
    assert network.others is None and network.values_of_others(torch.zeros(5, 4)).shape == (5, 0)


def test_a_teachers_games_show_what_the_others_got_clockwise() -> None:
    network = new_network("expert_iteration", GAME, {"hidden": (4,)})
    teacher = make_policy("first_play", GAME)
    lesson = taught(GAME, teacher, 1, 4, network.rows(GAME), 1.0)
    first, second, third = lesson.targets[:3]  # the first trick, in the order of the seats
    assert len({float(value) for value in (first, second, third)}) > 1
    np.testing.assert_array_equal(lesson.others[0], [second, third])
    np.testing.assert_array_equal(lesson.others[1], [third, first])
    np.testing.assert_array_equal(lesson.others[2], [first, second])


def test_the_targets_of_the_others_are_those_of_td_lambda() -> None:
    """Computed anew as the weighted sum of all values ahead in the same game."""
    random = np.random.default_rng(0)
    shape = (2, 9)
    is_last = np.zeros(shape, np.bool_)
    is_last[1, [3, 6]] = True
    network = new_network("expert_iteration", GAME, {"hidden": (4,)})
    batch = new_batch(GAME, network.rows(GAME), *shape, has_search=True)._replace(
        seats=random.integers(3, size=shape).astype(np.int8),
        values_of_all=random.uniform(-1, 1, (*shape, 3)),
        is_last=is_last,
        returns=random.uniform(-1, 1, (*shape, 3)),
        other_targets=np.full((*shape, 2), np.nan, np.float32),
    )
    following = random.uniform(-1, 1, 3)
    expect_others(batch, following, 1, 0.7)
    assert np.isnan(batch.other_targets[0]).all()
    for index in range(9):
        for other in (1, 2):
            seat = (batch.seats[1, index] + other) % 3
            expected = expected_ahead(batch, 1, index, seat, 0.7 ** (1 / 3), following)
            assert batch.other_targets[1, index, other - 1] == pytest.approx(expected, abs=1e-6)


def expected_ahead(
    batch: Batch, table: int, index: int, seat: int, decay: float, following: Any = None
) -> float:
    total, weight = 0.0, 1.0
    for ahead in range(index, batch.seats.shape[1]):
        if batch.is_last[table, ahead]:
            return total + weight * batch.returns[table, ahead, seat]
        if ahead == batch.seats.shape[1] - 1:
            return total + weight * following[seat]
        value = batch.values_of_all[table, ahead + 1, seat]
        total, weight = total + weight * (1 - decay) * value, weight * decay
    raise AssertionError
