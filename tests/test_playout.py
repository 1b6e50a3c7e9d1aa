"""The playout search: budget, purity, no cheating, settings."""

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.players.making import players_of
from parlour.baselines.search.halving import choose, halve
from parlour.baselines.search.playout import playouts_by
from parlour.envs.core.rng import streams
from parlour.envs.registry import load_game

from .searching import NUM_TABLES, after_plies

GAME = load_game("president", num_players=4)


@pytest.mark.parametrize("num_playouts", [1, 7, 40, 400])
def test_no_more_playouts_than_the_budget_or_one_for_each_action(num_playouts: int) -> None:
    tables, _, _, masks = after_plies(GAME, 20)
    row_function = players_of(GAME)["lowest"].row_function
    assert row_function is not None
    simulate = playouts_by(GAME, row_function, 0.2)
    spent = np.zeros(NUM_TABLES)

    def counted(positions, rngs, alive, rounds, sums):
        spent[:] += rounds * alive.sum(axis=1)
        simulate(positions, rngs, alive, rounds, sums)

    rngs = streams(range(NUM_TABLES), 1)
    choose(counted, masks, rngs, tables.states, num_playouts, None)
    num_legal = masks.sum(axis=1)
    has_choice = num_legal > 1
    assert (spent <= np.maximum(num_playouts, num_legal)).all()
    assert (spent[has_choice] >= np.maximum(num_playouts / 2, num_legal)[has_choice]).all()
    assert (spent[~has_choice] == 0).all()


def test_the_better_half_stays_and_of_equals_the_lower_index() -> None:
    alive = np.array([[1, 1, 0, 1, 1], [1, 1, 1, 0, 0], [0, 0, 1, 0, 0]], np.int8)
    sums = np.array([[1.0, 3.0, 9.0, 2.0, -1.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0, 0, -5.0, 0, 0]])
    halve(alive, sums)
    assert alive.tolist() == [[0, 1, 0, 1, 0], [1, 1, 0, 0, 0], [0, 0, 1, 0, 0]]


def test_a_person_is_asked_again_until_the_action_is_legal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["nonsense", "give:2", "pass"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    tables, _, observations, masks = after_plies(GAME, 20)
    row = int(np.flatnonzero(masks[:, 0] == 1)[0])
    human, position = make_policy("human", GAME), tables.states[row]
    chosen = human.act(observations[row], masks[row], position=position)
    assert chosen == GAME.parse_action("pass")
    shown = capsys.readouterr().out
    assert GAME.describe(position, int(GAME.seat_to_act(position))).strip() in shown
    for name in ("nonsense", "give:2"):
        assert f"no legal move is called '{name}'" in shown


def test_the_list_names_those_who_play_by_themselves() -> None:
    assert "human" not in list_policies(GAME)
    assert "playout" in list_policies(GAME)
