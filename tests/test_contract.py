"""What every registered game must satisfy, in every configuration listed here.

Public checkers of the views are in the tests of the views; this is about the games themselves.
"""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.envs import GAMES, check_game, find_game
from parlour.envs.core.checks.report import NO_CHANCE, CheckReport
from parlour.envs.core.game import CHANCE, Game
from parlour.envs.core.play.tables import Tables, action_masks
from parlour.envs.core.rng import streams
from tests import toy_game
from tests.processes import run_python

ROOT = Path(toy_game.__file__).resolve().parents[1]
HOUSE_FOLDERS = ("envs/core", "training", "scripts")

# Every game is tried with its defaults.
LONG: dict[str, list[dict[str, Any]]] = {  # the others, in `make test-long`
    "top_trumps": [
        {"num_cards": 67, "num_fields": 2, "trick_limit": 200, "starter": "random"},
        {"deck": "planets", "starter": 1},
    ],
    "notty": [
        {"num_players": 4, "starter": "random", "protect_small_hands": False, "turn_limit": 40},
        {"discard": "manual", "hand_limit": 12, "initial_hand": 3, "turn_limit": 60},
    ],
    "president": [
        {"num_games": 2, "economy": "swap_two", "passing": "out"},
        {"num_players": 2},
        {"num_players": 5},
        {"num_players": 8},
    ],
    "splendor": [{"num_players": 3}, {"num_players": 4, "target": 8, "turn_limit": 30}],
    "trick_taking": [{"num_players": 3, "num_values": 5}, {"num_players": 4, "leader": 2}],
}
DEFAULTS: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in GAMES]
LONG_CASES = [(name, config) for name in GAMES for config in LONG.get(name, [])]


@pytest.fixture(
    params=[*DEFAULTS, *(pytest.param(case, marks=pytest.mark.long) for case in LONG_CASES)],
    ids=str,
)
def game(request: pytest.FixtureRequest) -> Game:
    name, config = request.param
    return find_game(name, **config)


SMALL: list[tuple[str, dict[str, Any]]] = [
    ("notty", {"turn_limit": 3}),
    ("president", {"num_games": 2, "economy": "swap_two"}),
    ("splendor", {"num_players": 3, "turn_limit": 3}),
    ("top_trumps", {"num_cards": 9, "num_fields": 3, "trick_limit": 30}),
    ("trick_taking", {"num_players": 4, "num_values": 4}),
]
NEW: list[tuple[str, dict[str, Any]]] = [(name, {}) for name in GAMES if name not in dict(SMALL)]


@pytest.mark.plain
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        *(*SMALL, *NEW),
        *(pytest.param(*case, marks=pytest.mark.long) for case in (*DEFAULTS, *LONG_CASES)),
    ],
)
def test_check_game_passes(name: str, settings: dict[str, Any]) -> None:
    """Masks, questions, hidden cards, ranges, seeds, copies, returns: see `check_game`."""
    game = find_game(name, **settings)
    report = check_game(game, num_games=1)
    assert isinstance(report, CheckReport)
    assert report.num_plies > 0
    expected = ("referee", "picture") if game.has_chance else ("referee", "picture", NO_CHANCE)
    assert all(any(word in line for word in expected) for line in report.not_checked)


def plies(game: Game, tables: Tables, chooser: np.random.Generator, most: int) -> Iterator[Any]:
    """Play at random; before each ply the rows that go on, what they show, and masks as bytes."""
    for _ in range(most):
        seats, observations, words = tables.show(tables.all_rows)
        rows = np.flatnonzero(seats >= 0)
        if not len(rows):
            return
        masks = action_masks(words[rows], game.num_actions)
        yield rows, seats[rows], observations[rows], words[rows], masks
        tables.apply(rows, np.array([chooser.choice(np.flatnonzero(mask)) for mask in masks]))


@pytest.mark.plain
def test_tables_play_what_the_rules_play(game: Game) -> None:
    """Tables side by side and functions called one by one give the same bytes and masks."""
    tables = Tables(game, streams(range(3)))
    tables.deal(tables.all_rows)
    for rows, seats, observations, _, masks in plies(game, tables, np.random.default_rng(0), 40):
        for k, row in enumerate(rows):
            state = tables.states[row]
            assert game.seat_to_act(state) == seats[k] != CHANCE
            assert game.legal_action_list(state) == np.flatnonzero(masks[k]).tolist()
            view = game.new_observations()
            game.observe(state, seats[k], view[0])
            assert view[0].tobytes() == observations[k].tobytes()


def test_the_flat_observation_is_within_its_bounds_and_whole(game: Game) -> None:
    """Of what acting seats see in four whole random games."""
    layout, tables = game.layout, Tables(game, streams(range(4)))
    tables.deal(tables.all_rows)
    for _, _, observations, *_ in plies(game, tables, np.random.default_rng(1), 10**6):
        vectors = layout.integers(observations)
        assert (vectors >= layout.low).all() and (vectors <= layout.high).all()
        assert np.abs(layout.scaled(observations)).max() <= 1
        if not any(field.hidden for field in game.observation_fields):
            assert layout.records(vectors).tobytes() == observations.tobytes()
            assert layout.records(layout.scaled(observations)).tobytes() == observations.tobytes()


@pytest.mark.plain
def test_every_position_can_be_described(game: Game) -> None:
    states = game.new_states()
    game.deal(states[0], streams([0])[0])
    texts = {game.describe(states[0], seat) for seat in [*range(game.num_seats), None]}
    assert all(texts)
    assert len(texts) > 1 or not game.has_hidden, "every seat is shown the same"


def test_a_game_says_what_it_is(game: Game) -> None:
    assert game.name in GAMES
    assert repr(game).startswith(f"<Game {game.name} v{game.version}")
    assert find_game(game.name, **game.config_dict()).config == game.config


@pytest.mark.parametrize("name", GAMES)
def test_unknown_and_impossible_settings_are_refused(name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} has no setting 'colour'; its settings are"):
        find_game(name, colour="blue")
    for setting in find_game(name).config_dict():
        for value in (-1, "no such word", None, 2.5):
            with pytest.raises(ValueError, match=setting):
                find_game(name, **{setting: value})


def test_an_unknown_game_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        ValueError, match=r"unknown game 'chess'; the games are top_trumps.* imported first"
    ):
        find_game("chess")


# The same bytes in every process


MAX_PLIES = 100  # of a game that goes into the digest: without the compiler plies are slow


def digest_of_games(cases: list[tuple[str, dict[str, Any]]], *seeds: int) -> str:
    """A digest of all that happens in two games of each case and seed; run in other processes."""
    digest = hashlib.sha256()
    for name, config in cases:
        game = find_game(name, **config)
        chooser = np.random.default_rng(7)
        tables = Tables(game, streams(seeds))
        for _ in range(2):  # the second deal goes on from the stream
            tables.deal(tables.all_rows)
            play_out(game, tables, chooser, digest)
    return digest.hexdigest()


def play_out(game: Game, tables: Tables, chooser: np.random.Generator, digest: Any) -> None:
    """Play to the end, or for some plies; every byte goes into the digest."""
    for rows, seats, observations, words, _ in plies(game, tables, chooser, MAX_PLIES):
        determinized = tables.determinize(rows, seats, streams(rows))
        scaled = game.layout.scaled(observations)
        for part in (tables.states, observations, words, determinized, scaled):
            digest.update(part.tobytes())
    digest.update(tables.returns(tables.all_rows).tobytes())


def in_another_process(arguments: str, **variables: str) -> str:
    """The digest as another process finds it."""
    program = f"from tests.test_contract import *; print(digest_of_games({arguments}))"
    return run_python(program, cwd=ROOT, **variables).strip()


@pytest.mark.parametrize(
    ("cases", "seed"),
    [
        ("DEFAULTS", 11),
        pytest.param("DEFAULTS", 12, marks=pytest.mark.long),
        pytest.param("LONG_CASES", 11, marks=pytest.mark.long),
    ],
)
def test_the_same_seed_gives_the_same_bytes_in_every_process_and_without_the_compiler(
    cases: str, seed: int
) -> None:
    here = digest_of_games({"DEFAULTS": DEFAULTS, "LONG_CASES": LONG_CASES}[cases], seed)
    assert in_another_process(f"{cases}, {seed}", PYTHONHASHSEED="1") == here
    assert in_another_process(f"{cases}, {seed}", NUMBA_DISABLE_JIT="1") == here


@pytest.mark.long
def test_no_rule_indexes_out_of_bounds() -> None:
    """At the default sizes, all of which are compiled anew; uncompiled rules are checked at all."""
    compiled = digest_of_games(DEFAULTS, 11, 12)
    assert in_another_process("DEFAULTS, 11, 12", NUMBA_BOUNDSCHECK="1") == compiled


# House words


@pytest.mark.parametrize("folder", HOUSE_FOLDERS)
def test_generic_code_knows_no_game_by_name(folder: str) -> None:
    names = [*GAMES, *(name.title().replace("_", "") for name in GAMES)]
    named = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names))
    for path in (ROOT / folder).rglob("*.py"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            is_example = line.lstrip().startswith(">>> ")  # which users copy from a docstring
            assert is_example or not named.search(line), f"{path.name}:{number}: {line.strip()}"
