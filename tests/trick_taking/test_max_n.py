"""The search `max_n`: its values against plain max^n over re-deals, its choices, its settings."""

import re
from pathlib import Path

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.arena import play_match
from parlour.baselines.networks.policy_value import PolicyValue
from parlour.baselines.players.making import resolved
from parlour.envs import load_game
from parlour.envs.core.rng import streams

from ..searching import after_plies, asked, saved
from ..test_compiled_networks import uneven
from .test_open_hands import TRICK, as_sets, plain_value

GAME = load_game("trick_taking", num_players=3, num_values=5)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of a network that has learned nothing."""
    module = uneven(PolicyValue(GAME, (8,), derived_inputs=True))
    return saved(GAME, tmp_path_factory.mktemp("max_n"), module, hidden=(8,), derived_inputs=True)


def worth(tricks: list[float], seat: int, weight: float) -> float:
    """What the tricks of all seats at the end are worth to one."""
    n, total, most = len(tricks), sum(tricks), max(tricks)
    returned = (n * tricks[seat] / total - 1) / (n - 1)
    first = 2 / tricks.count(most) - 1 if tricks[seat] == most else -1
    return (1 - weight) * returned + weight * first


@pytest.mark.parametrize("weight", [pytest.param(0.0, marks=pytest.mark.long), 0.5])
def test_its_values_are_means_of_plain_max_n_over_re_deals(weight: float, network: Path) -> None:
    """Within five standard errors of 300 re-deals of each of the two, drawn independently."""
    tables = after_plies(GAME, 7, 6)[0]
    policy = make_policy(
        "max_n",
        GAME,
        num_simulations=3000,
        network=str(network),
        first_place_weight=weight,
    )
    masks, actions, values = asked(policy, tables)
    rng = streams([77])[0]
    num_choices = 0
    for row, state in enumerate(tables.states):
        seat = int(state.seat_to_act)
        if len(set(values[row, masks[row] == 1])) == 1:
            continue
        num_choices += 1
        means = {}
        for action in np.flatnonzero(masks[row]):
            found = []
            for _ in range(300):
                other = tables.states[row : row + 1].copy()
                GAME.reshuffle_unseen(other[0], seat, rng)
                GAME.apply_action(other[0], int(action))
                rest = plain_value(*as_sets(other[0]))
                tricks = [
                    won + more / TRICK
                    for won, more in zip(other[0].tricks_won.tolist(), rest, strict=True)
                ]
                found.append(worth(tricks, seat, weight))
            means[action] = np.mean(found)
            error = np.std(found) / np.sqrt(len(found) / 2)
            assert values[row, action] == pytest.approx(means[action], abs=5 * error + 1e-9)
        assert means[actions[row]] >= max(means.values()) - 0.08
    assert num_choices > 2
    plain_value.cache_clear()


def test_cards_that_touch_have_one_value(network: Path) -> None:
    tables = after_plies(GAME, 4, 40)[0]
    policy = make_policy("max_n", GAME, num_simulations=60, network=str(network))
    masks, _, values = asked(policy, tables)
    num_pairs = 0
    for row, state in enumerate(tables.states):
        hands, _, trick = as_sets(state)
        own = hands[int(state.seat_to_act)]
        others = set().union(*hands, trick) - own
        for colour, value in sorted(own):
            higher = [v for c, v in own if c == colour and v > value]
            card = colour * 5 + value
            if not higher or not masks[row, card]:
                continue
            if not any(c == colour and value < v < min(higher) for c, v in others):
                num_pairs += 1
                assert values[row, card] == values[row, colour * 5 + min(higher)]
    assert num_pairs > 10


@pytest.mark.release
def test_the_same_inputs_give_the_same_choice_whatever_was_asked_before(network: Path) -> None:
    policy = make_policy(f"max_n:network={network},num_simulations=50", GAME)
    first = asked(policy, after_plies(GAME, 3, 5)[0])
    asked(policy, after_plies(GAME, 6, 8)[0])
    again = asked(policy, after_plies(GAME, 3, 5)[0])
    for one, other in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_limit_in_time_also_gives_a_legal_card(network: Path) -> None:
    tables = after_plies(GAME, 2, 3)[0]
    policy = make_policy(f"max_n:network={network},milliseconds=1", GAME)
    masks, actions, _ = asked(policy, tables)
    assert masks[np.arange(3), actions].all()


@pytest.mark.release
@pytest.mark.parametrize("num_players", [3, 4])
def test_it_beats_the_best_script_where_a_network_ships(num_players: int) -> None:
    game = load_game("trick_taking", num_players=num_players)
    result = play_match(game, "max_n:num_simulations=40", "smart", 40, seed=7)
    assert result.first_places.mean > 1.1 / num_players


def test_it_is_best_where_a_network_ships() -> None:
    for num_players in (3, 4):
        assert resolved("best", load_game("trick_taking", num_players=num_players)) == "max_n"
    assert "max_n" not in list_policies(GAME)
    with pytest.raises(ValueError, match=r"no network ships.*network=FILE\.pt"):
        make_policy("max_n", GAME)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"first_place_weight": 2}, "first_place_weight must be a number in 0 .. 1"),
        ({"num_simulations": 0}, "num_simulations"),
        ({"milliseconds": -1}, "milliseconds must be a number above 0"),
        ({"network": "nobody.pt"}, "nobody.pt"),
    ],
)
def test_impossible_settings_are_refused(settings: dict, message: str, network: Path) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make_policy("max_n", GAME, **{"network": str(network), **settings})
