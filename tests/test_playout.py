"""The playout search: budget, purity, no cheating, settings."""

import numpy as np
import pytest

from parlour.baselines import list_policies, make_policy
from parlour.baselines.players.making import players_of
from parlour.baselines.search.halving import choose, halve
from parlour.baselines.search.playout import _Search
from parlour.envs.core.game import Game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from parlour.envs.registry import GAMES, find_game, load_game

GAME = load_game("president", num_players=4)
NUM_TABLES = 24


def middle_positions(
    game: Game = GAME, num_plies: int = 20
) -> tuple[Tables, np.ndarray, np.ndarray, np.ndarray]:
    """Positions after some random plies: tables, rows still running, seats, observations, masks."""
    tables = Tables(game, streams(range(NUM_TABLES)))
    tables.deal(tables.all_rows)
    policy = make_policy("random", game)
    rngs = streams(range(NUM_TABLES), 9)
    for _ in range(num_plies):
        _, observations, words = tables.show(tables.all_rows)
        masks = action_masks(words, game.num_actions)
        tables.apply(tables.all_rows, policy(observations, masks, rngs))
    seats, observations, words = tables.show(tables.all_rows)
    return tables, seats, observations, action_masks(words, game.num_actions)


@pytest.mark.parametrize("num_playouts", [1, 7, 40, 400])
def test_no_more_playouts_than_the_budget_or_one_for_each_action(
    num_playouts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables, _, _, masks = middle_positions()
    row_function = players_of(GAME)["lowest"].row_function
    assert row_function is not None
    search = _Search(GAME, row_function, 0.2)
    spent = np.zeros(NUM_TABLES)
    simulate = search.simulate

    def counted(positions, rngs, alive, rounds, sums):
        spent[:] += rounds * alive.sum(axis=1)
        simulate(positions, rngs, alive, rounds, sums)

    monkeypatch.setattr(search, "simulate", counted)
    rngs = streams(range(NUM_TABLES), 1)
    choose(search.simulate, masks, rngs, tables.states, num_playouts, None)
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


@pytest.mark.parametrize("num_players", [2, 4, 8])
def test_choices_depend_on_the_observation_and_the_stream_alone(num_players: int) -> None:
    game = load_game("president", num_players=num_players)
    tables, seats, observations, masks = middle_positions(game, num_plies=6)
    policy = make_policy("playout:num_playouts=60", game)
    chosen = []
    for positions_seed in (100, 200):
        positions = tables.determinize(
            tables.all_rows, seats, streams(range(NUM_TABLES), positions_seed)
        )
        chosen.append(policy(observations, masks, streams(range(NUM_TABLES), 1), positions))
    true = policy(observations, masks, streams(range(NUM_TABLES), 1), tables.states)
    assert (chosen[0] == chosen[1]).all()
    assert (chosen[0] == true).all()


def test_choices_do_not_depend_on_the_batch() -> None:
    tables, _, observations, masks = middle_positions()
    policy = make_policy("playout:num_playouts=60", GAME)
    together = policy(observations, masks, streams(range(NUM_TABLES), 1), tables.states)
    for row in range(NUM_TABLES):
        one = slice(row, row + 1)
        rngs = streams([row], 1)
        assert policy(observations[one], masks[one], rngs, tables.states[one]) == together[row]


def test_the_position_is_left_as_it_was() -> None:
    tables, _, observations, masks = middle_positions()
    before = tables.states.tobytes()
    policy = make_policy("playout:num_playouts=60", GAME)
    policy(observations, masks, streams(range(NUM_TABLES), 1), tables.states)
    assert tables.states.tobytes() == before


@pytest.mark.parametrize("game", [find_game(name) for name in GAMES], ids=list(GAMES))
def test_it_plays_any_game_legally_within_a_time(game: Game) -> None:
    tables, seats, observations, masks = middle_positions(game, num_plies=1)
    policy = make_policy("playout:milliseconds=2,playout_policy=random", game)
    positions = tables.determinize(tables.all_rows, seats, streams(range(NUM_TABLES), 1))
    actions = policy(observations, masks, streams(range(NUM_TABLES), 2), positions)
    assert (masks[np.arange(NUM_TABLES), actions] == 1).all()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("playout:num_playouts=0", "num_playouts must be an integer in 1"),
        ("playout:num_playouts=2.5", "num_playouts must be an integer in 1"),
        ("playout:milliseconds=-3", "milliseconds must be a number above 0"),
        ("playout:milliseconds=soon", "milliseconds must be a number above 0"),
        ("playout:num_playouts=5,milliseconds=5", "not both"),
        ("playout:epsilon=1.5", r"epsilon must be a number in 0 \.\. 1"),
        ("playout:noise=1.5", r"epsilon must be a number in 0 \.\. 1"),
        ("playout:playout_policy=playout", "must be one of random, first_legal.*lowest"),
        ("playout:playout_policy=nobody", "must be one of random, first_legal.*lowest"),
    ],
)
def test_a_bad_setting_is_refused_and_says_what_is_allowed(spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_policy(spec, GAME)


def test_a_person_is_asked_again_until_the_action_is_legal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = iter(["nonsense", "give:2", "pass"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    tables, _, observations, masks = middle_positions()
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
