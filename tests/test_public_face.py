"""What `parlour` itself offers: names that are imported late, with examples that run."""

import doctest
from typing import get_args

import numpy as np
import pytest

import parlour
from parlour.baselines import load_network, make_policy, takes_arrays
from parlour.baselines.policies.roster import Kind
from parlour.envs.core.fields import FlatLayout
from parlour.envs.core.play.playthrough import Playthrough

from .example_games import imported

pytestmark = pytest.mark.plain

NAMES = ["Store", "check_game", "list_games", "list_policies", "load_game", "make_policy", "play"]
NAMES += ["play_match", "play_tournament", "position_of", "register_game", "rng", "transcript"]
NAMES += ["all_starts", "best_response", "exploitability", "start"]


def test_these_names_and_no_others_are_shown() -> None:
    assert dir(parlour) == sorted(["__version__", *NAMES])


EXAMPLES = [getattr(parlour, name) for name in NAMES]
EXAMPLES += [FlatLayout.name, load_network, takes_arrays]


@pytest.mark.parametrize("thing", EXAMPLES, ids=lambda thing: thing.__name__)
def test_the_example_of_a_name_runs(thing: object, capsys: pytest.CaptureFixture[str]) -> None:
    (test,) = doctest.DocTestFinder(recurse=False).find(thing, "example", globs={})
    assert test.examples
    with imported():  # forgets what an example registers
        result = doctest.DocTestRunner().run(test)
    assert not result.failed, capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "hint"),
    [("lod_game", "did you mean 'load_game'\\?"), ("zzz", "it has Store, .*, transcript$")],
)
def test_a_name_that_is_not_there_gets_a_hint(name: str, hint: str) -> None:
    with pytest.raises(AttributeError, match=f"'parlour' has no attribute '{name}'; {hint}"):
        getattr(parlour, name)


def test_play_is_the_playthrough_of_these_players() -> None:
    game = parlour.load_game("president", num_players=2)
    lowest, random = make_policy("lowest", game), make_policy("random", game)
    expected = Playthrough(game, [lowest, random], seed=3)
    for turn in expected:
        turn.choose()
    played = parlour.play(game, ["lowest", random], seed=3)
    assert played.actions == expected.actions
    assert played.returns.tolist() == expected.returns.tolist() != [0, 0]
    alone = parlour.play(game, "lowest", seed=3)
    assert alone.actions == parlour.play(game, [lowest, lowest], seed=3).actions != played.actions


@pytest.mark.parametrize(
    ("players", "message"), [(["lowest"], "2 seats, not 1"), ("lowset", "no player 'lowset'")]
)
def test_players_that_cannot_be_seated_are_refused(players: str | list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parlour.play(parlour.load_game("president", num_players=2), players)


def test_the_stream_of_a_seed_deals_its_game() -> None:
    game = parlour.load_game("president", num_players=2)
    states, stream = game.new_states(), parlour.rng(5)
    game.deal(states[0], stream[0])
    first = next(iter(Playthrough(game, seed=5))).state
    assert states[0].tobytes() == first.tobytes()
    assert not np.array_equal(stream, parlour.rng(5))


def test_players_are_listed_by_kind() -> None:
    everybody = parlour.list_policies("president")
    kinds = {kind: parlour.list_policies("president", kind=kind) for kind in get_args(Kind)}
    assert sorted(name for names in kinds.values() for name in names) == sorted(everybody)
    assert kinds["best"] == ["best"] and kinds["network"] == ["dqn", "ppo"]
    assert kinds["search"] == ["playout", "mcts", "playout_exact"] and not kinds["solver"]
    assert kinds["script"][-1] == "planner"
    two_seats = parlour.load_game("president", num_players=2)
    assert parlour.list_policies(two_seats, kind="solver") == ["perfect"]
    with pytest.raises(ValueError, match="best, script, search, solver, network; got 'scripts'"):
        parlour.list_policies("president", kind="scripts")  # type: ignore[arg-type]


def test_a_game_may_be_named_wherever_a_game_is_taken() -> None:
    game = parlour.load_game("trick_taking")
    assert make_policy("high_low", "trick_taking").game.config == game.config
    assert parlour.start("trick_taking", 3).legal_actions == parlour.start(game, 3).legal_actions
    assert (
        parlour.play("trick_taking", "random", 3).actions == parlour.play(game, "random", 3).actions
    )
    moves = [parlour.transcript.record(each, 3, actions=[]).deal for each in (game, "trick_taking")]
    assert moves[0] == moves[1]
    with pytest.raises(ValueError, match="unknown game 'presidnt'; did you mean 'president'"):
        parlour.play_match("presidnt", "random", "random")
    with pytest.raises(TypeError, match=r"a game is a Game, or the name of one .*; got 3"):
        parlour.list_policies(3)  # type: ignore[arg-type]
