"""`parlour watch --seat N` and `render()` show nothing that seat N cannot know.

Every position is compared with others that the seat cannot tell from it: same text, same bytes.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.baselines import make_policy
from parlour.baselines.advice.move_values import hints_of
from parlour.baselines.environments import make_solo
from parlour.baselines.policies.policy import Policy, searching_policy
from parlour.envs import GAMES, find_game, load_game
from parlour.envs.core.drawing.render import render_frame
from parlour.envs.core.environments.aec import RawEnv
from parlour.envs.core.game import CHANCE, Game
from parlour.envs.core.rng import streams
from parlour.scripts.console.watch import ply_text, position_lines
from parlour.scripts.main import main
from parlour.scripts.table.store import TableStore
from parlour.scripts.table.table import Setup

from .example_games import imported
from .one_table import redealt
from .test_render import positions, sample
from .view_tools import short

pytestmark = pytest.mark.plain

NUM_POSITIONS = 2
NUM_REDEALS = 2
NUM_ACTIONS = 3
CASES = [
    *((name, short(name, {})) for name in GAMES),
    pytest.param("president", {"num_games": 2, "economy": "swap_two"}, marks=pytest.mark.long),
    pytest.param("notty", {"num_players": 3, "discard": "manual"}, marks=pytest.mark.long),
    pytest.param("trick_taking", {"num_players": 3, "num_values": 5}, marks=pytest.mark.long),
]


def thinker(game: Game) -> Policy:
    """A player whose opinion of an action depends on the cards that only its seat sees."""

    def values(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        digest = np.frombuffer(observations.tobytes(), np.uint8).astype(float).sum()
        return np.sin(digest + np.arange(game.num_actions))[None]

    return Policy("thinker", game, make_policy("random", game).choose, values=values)


def shown(player: Policy, state: np.record, seat: int) -> tuple[list[str], dict[int, str]]:
    """All that is printed for `seat` at a position, and for some actions that can follow."""
    game = player.game
    actions = game.legal_action_list(state)[:NUM_ACTIONS]
    hint_lines = hints_of(game) if game.seat_to_act(state) != CHANCE else None
    return (
        position_lines(game, state, seat, hint_lines),
        {action: ply_text(player, state, action, seat, streams([0])) for action in actions},
    )


@pytest.mark.parametrize(("name", "config"), CASES)
def test_watching_from_a_seat_shows_what_it_can_know(name: str, config: dict) -> None:
    game = find_game(name, **config)
    player = thinker(game)
    num_compared = 0
    for states in sample(positions(game)[:-1], NUM_POSITIONS):
        for seat in range(game.num_seats):
            lines, plies = shown(player, states[0], seat)
            for other in redealt(game, states[0], seat, NUM_REDEALS):
                lines_again, again = shown(player, other, seat)
                assert lines_again == lines
                for action in plies.keys() & again.keys():
                    assert again[action] == plies[action]
                    num_compared += 1
            is_own = seat == game.seat_to_act(states[0])
            assert all(("(" in text.partition(": ")[2]) == is_own for text in plies.values())
    assert num_compared > 5


def test_a_card_given_face_down_is_seen_by_the_two_who_exchange() -> None:
    game = load_game("president", num_players=4, num_games=2, economy="swap_two")
    player = make_policy("random", game)
    states = next(
        state
        for state in positions(game)
        if any(game.action_name(a).startswith("give") for a in game.legal_action_list(state[0]))
    )
    giver = int(game.seat_to_act(states[0]))
    partner = int(states[0]["partners"][giver])
    (action, *_) = game.legal_action_list(states[0])
    for seat in range(4):
        text = ply_text(player, states[0], action, seat, streams([0]))
        assert (game.label_action(states[0], action) in text) == (seat in (giver, partner))


def test_another_seats_expectations_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["watch", "president", "--players", "lowest,dqn,dqn,dqn", "--plies", "12"]
    main([*command, "--seat", "1"])
    lines = [line for line in capsys.readouterr().out.splitlines() if "(dqn):" in line]
    shown = [line for line in lines if "expects" in line or "only choice" in line]
    assert shown and len(shown) < len(lines)
    assert all("player 1 (dqn)" in line for line in shown)
    main(command)
    everything = capsys.readouterr().out
    assert "player 2 (dqn)" in everything and everything.count("expects") > len(shown)


@pytest.fixture(scope="module")
def nim() -> Iterator[None]:
    with imported("nim"):
        yield


@pytest.mark.usefixtures("nim")
@pytest.mark.parametrize(
    "command",
    [
        "nim --players mcts:num_simulations=16,random",
        "president --players mcts:num_simulations=4,random,random,random --plies 5",
    ],
)
def test_a_player_that_searches_shows_what_it_expects(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its moves are those that it plays where another seat watches, which is not shown it."""

    def plies(*more: str) -> list[str]:
        assert main(["watch", *command.split(), "--seed", "2", *more]) == 0
        return re.findall(r"^ +\d+  (player .*)", capsys.readouterr().out, re.MULTILINE)

    shown, others = plies(), plies("--seat", "1")
    assert any("expects" in ply for ply in shown)
    assert not any("expects" in ply for ply in others)
    assert [ply.split("   (")[0] for ply in shown] == [ply.split("   (")[0] for ply in others]


def test_an_action_that_a_search_leaves_aside_is_not_shown() -> None:
    game = load_game("president")
    state = next(s[0] for s in positions(game) if len(game.legal_action_list(s[0])) > 1)
    _, kept, *_ = game.legal_action_list(state)

    def search(*inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        values = np.full((1, game.num_actions), np.nan)
        values[0, kept] = 0.5
        return np.array([kept]), values

    player = searching_policy("searcher", game, search)
    text = ply_text(player, state, kept, None, streams([0]))
    label = game.label_action(state, kept)
    assert text.endswith(f": {label}   (expects {label}: place 1.8)")


def test_the_single_seat_environment_shows_its_own_seats_view() -> None:
    for options, seat in (({}, 1), ({"render_seat": 0}, 0), ({"render_seat": "all"}, None)):
        env = make_solo("president", seat=1, render_mode="ansi", **options)
        env.reset(seed=4)
        assert env.render() == env.game.describe(env._episodes.tables.states[0], seat)


def test_people_watch_a_game_with_the_settings_that_people_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Setup] = []

    def serve(arguments: object, start: Callable[[TableStore], str]) -> None:
        store = TableStore(tmp_path / "tables.db")
        assert start(store).startswith("&seat=")
        opened.append(store.recent(1)[0].setup)
        store.close()

    monkeypatch.setattr("parlour.scripts.commands.watch.serve", serve)
    for more in ((), ("--set", "num_cards=30,deck=random")):
        assert main(["watch", "top_trumps", "--browser", *more]) == 0
    assert opened[0].settings == {"deck": "planets"}
    assert opened[1].settings == {"deck": "random", "num_cards": 30}
    assert [setup.seed for setup in opened] == [0, 0]


def test_the_learning_seat_is_followed_where_it_is_drawn() -> None:
    env = make_solo("president", seat="random", render_mode="rgb_array")
    seats = set()
    for seed in range(6):
        _, info = env.reset(seed=seed)
        seats.add(info["seat"])
        frame = render_frame(env.game, env._episodes.tables.states[0], info["seat"])
        np.testing.assert_array_equal(env.render(), frame)
    assert len(seats) > 1


def test_the_aec_environment_shows_the_table_or_a_seat() -> None:
    game = load_game("president")
    for options, seat in (({}, None), ({"render_seat": "all"}, None), ({"render_seat": 2}, 2)):
        env = RawEnv(game, render_mode="ansi", **options)
        env.reset(seed=4)
        assert env.render() == game.describe(env._tables.states[0], seat)


@pytest.mark.parametrize("wrong", [4, -1, "mine", None, True])
def test_a_view_for_nobody_is_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="render_seat must be one of 'own', 'all', 0, 1, 2, 3"):
        make_solo("president", render_seat=wrong)
    with pytest.raises(ValueError, match="render_seat must be one of 'all', 0, 1, 2, 3"):
        RawEnv(load_game("president"), render_seat=wrong)
