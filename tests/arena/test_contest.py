"""Time control and isolation: a player's fault costs that player its game and nothing else."""

import os
import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from parlour.baselines.arena.contest import ContestGame, isolated, play_contest_game
from parlour.baselines.arena.match import play_deals
from parlour.baselines.arena.time_control import TimeControl, forfeit_returns
from parlour.baselines.players import make_policy
from parlour.envs import load_game

BAD = Path(__file__).parent / "bad_players.py"
GAME = load_game("trick_taking", num_values=4)  # each seat acts four times a game
ACTIONS = 4
MEMORY_MIB = 1024
OUTPUT_KIB = 64


def bad(name: str) -> str:
    return f"{BAD}:{name}"


def control(start_seconds: float = 60.0, warnings: int = 3) -> TimeControl:
    """The contest's, with everything but the start made short."""
    return TimeControl(0.4, 1.2, start_seconds, warnings, MEMORY_MIB, OUTPUT_KIB)


def two_games(name: str, logs: Path, limits: TimeControl) -> list[ContestGame]:
    """Two games of this player of the bad file in seat 1, a good one in seat 0."""
    with isolated(GAME, [bad("legal"), bad(name)], limits, logs) as players:
        return [play_contest_game(GAME, players, seed) for seed in range(2)]


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("crash", "crash", "status 1: .*no_such_field"),
        ("leave", "crash", "status 7"),
        ("kill_the_group", "crash", "status -9"),
        ("close_everything", "crash", "closed its connection"),
        ("play_words", "crash", "ValueError.*the first one"),
        ("no_such_function", "crash", "ValueError: say which function"),
        ("hog_memory", "memory", f"more than {MEMORY_MIB} MiB"),
        ("play_illegally", "warnings", "3 warnings: .*not legal.*not legal.*not legal"),
        ("play_beyond_the_table", "warnings", "no action of this game"),
        ("print_forever", "output", f"more than {OUTPUT_KIB} KiB"),
    ],
)
def test_a_fault_costs_its_player_the_game_and_nothing_else(
    name: str, kind: str, reason: str, tmp_path: Path
) -> None:
    for game in two_games(name, tmp_path, control()):
        assert game.fault is not None
        assert (game.fault.seat, game.fault.player, game.fault.kind) == (1, bad(name), kind)
        assert re.search(reason, game.fault.reason), game.fault.reason
        assert game.returns.tolist() == [1, -1]
        assert game.warnings[0] == ()


@pytest.mark.parametrize("name", ["hang_asleep", "hang_in_a_loop"])
def test_a_player_that_hangs_forfeits(name: str, tmp_path: Path) -> None:
    for game in two_games(name, tmp_path, control()):
        assert game.fault is not None
        assert (game.fault.seat, game.fault.kind) == (1, "time")
        assert game.fault.reason == "gave no action within 1.2 s"


def test_slow_actions_are_warnings_and_are_played(tmp_path: Path) -> None:
    """The first has the allowance of the start; each of the others is a warning."""
    for game in two_games("dawdle", tmp_path, control(warnings=ACTIONS)):
        assert game.fault is None
        assert len(game.warnings[1]) == ACTIONS - 1
        assert all(re.match(r"took \d\.\d\d s", text) for text in game.warnings[1])


def test_the_last_warning_forfeits(tmp_path: Path) -> None:
    for game in two_games("dawdle", tmp_path, control(warnings=ACTIONS - 1)):
        assert game.fault is not None
        assert game.fault.seat == 1
        assert len(game.warnings[1]) >= ACTIONS - 2


def test_a_player_that_is_never_ready_forfeits(tmp_path: Path) -> None:
    with isolated(GAME, ["first_play", "first_play"], control(0.01), tmp_path) as players:
        game = play_contest_game(GAME, players, 0)
    assert game.fault is not None
    assert (game.fault.seat, game.fault.kind) == (0, "start")


def test_what_a_player_prints_is_in_its_log_and_nowhere_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    games = two_games("print_a_little", tmp_path, control())
    assert [game.fault for game in games] == [None, None]
    silent, talking = (path.read_text() for path in sorted(tmp_path.iterdir()))
    assert silent == ""
    assert talking.count("thinking aloud\n") == 2 * ACTIONS
    assert talking.count("and complaining\n") == 2 * ACTIONS
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "config", "players"),
    [
        ("president", {"num_players": 2}, ("lowest", "random")),
        ("trick_taking", {"num_values": 5}, ("random", "playout:num_playouts=30")),
    ],
)
def test_without_a_fault_the_games_are_those_of_a_match(
    name: str, config: dict[str, int], players: tuple[str, str], tmp_path: Path
) -> None:
    game = load_game(name, **config)
    policies = (make_policy(players[0], game), make_policy(players[1], game))
    seeds = np.arange(3)
    with isolated(game, players, TimeControl(60, 60, 60), tmp_path) as seated:
        again = [
            [
                play_contest_game(game, seated, int(seed), 0).returns,
                play_contest_game(game, seated[::-1], int(seed), 1).returns,
            ]
            for seed in seeds
        ]
    assert play_deals(game, policies, seeds).tolist() == np.array(again).tolist()


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_player_and_all_it_started_are_suspended_while_others_play(tmp_path: Path) -> None:
    with isolated(GAME, [bad("legal"), bad("think_on")], control(), tmp_path) as players:
        assert play_contest_game(GAME, players, 0).fault is None
        deadline = time.monotonic() + 30
        while (states := descendants(os.getpid())) != ["T"] * (2 + ACTIONS):  # the signal travels
            assert time.monotonic() < deadline, states
    assert set(descendants(os.getpid())) <= {"Z"}


def descendants(parent: int) -> list[str]:
    """The state letters of all processes started by `parent`, and by those."""
    letters = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, ppid = entry.read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
        if int(ppid) == parent:
            letters += [state, *descendants(int(entry.parent.name))]
    return letters


def test_the_limits_must_make_sense() -> None:
    with pytest.raises(ValueError, match="seconds must be a number above 0; got 0"):
        TimeControl(seconds=0)
    with pytest.raises(ValueError, match="forfeit_seconds must be at least seconds"):
        TimeControl(seconds=5)
    with (
        pytest.raises(ValueError, match="given as text"),
        isolated(GAME, ["random", lambda *_: 0], TimeControl(), Path("unused")),
    ):
        raise AssertionError("a function cannot be sent to another process")


def test_who_forfeits_loses_and_the_others_share_what_it_loses() -> None:
    game = load_game("president", num_players=5)
    returns = forfeit_returns(game, 3)
    assert returns.tolist() == [0.25, 0.25, 0.25, -1, 0.25]
