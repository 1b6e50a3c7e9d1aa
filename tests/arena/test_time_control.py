"""Time control and isolation: a player's fault costs that player its game and nothing else."""

import dataclasses
import os
import re
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from parlour.baselines.arena.batches import Fault
from parlour.baselines.arena.match import play_match
from parlour.baselines.arena.playing import Plan
from parlour.baselines.arena.time_control import TimeControl, isolated, play_game
from parlour.envs import find_game, load_game

BAD = Path(__file__).parent / "bad_players.py"
GAME = load_game("trick_taking", num_values=4)  # each seat acts four times a game
ACTIONS = 4
MEMORY_MIB = 1024
OUTPUT_KIB = 64


def bad(name: str) -> str:
    return f"{BAD}:{name}"


def control(start_seconds: float = 60.0, warnings: int = 3) -> TimeControl:
    """The contest's, with everything but the start made short."""
    return TimeControl(
        seconds=0.4,
        forfeit_seconds=1.2,
        start_seconds=start_seconds,
        warnings=warnings,
        memory_mib=MEMORY_MIB,
        output_kib=OUTPUT_KIB,
    )


class Game(NamedTuple):
    """What a game came to."""

    returns: list[float]
    fault: Fault | None
    warnings: list[list[str]]  # of each seat


def games(name: str, logs: Path, limits: TimeControl, num_games: int = 2) -> list[Game]:
    """Games of this player of the bad file in seat 1, a good one in seat 0."""
    played = []
    with isolated(GAME, [bad("legal"), bad(name)], limits, logs) as players:
        for seed in range(num_games):
            returns, fault = play_game(GAME, players, seed)
            played.append(Game(returns.tolist(), fault, [player.warnings for player in players]))
    return played


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("crash", "crash", "status 1: .*no_such_field"),
        ("leave", "crash", "status 7"),
        ("kill_the_group", "crash", "status -9"),
        ("close_everything", "crash", "closed its connection"),
        ("play_words", "crash", "ValueError.*the first one"),
        ("no_such_function", "crash", "ValueError: name a function"),
        ("hog_memory", "memory", f"more than {MEMORY_MIB} MiB"),
        ("play_illegally", "warnings", "3 warnings: .*not legal.*not legal.*not legal"),
        ("play_beyond_the_table", "warnings", "no action of this game"),
        ("print_forever", "output", f"more than {OUTPUT_KIB} KiB"),
    ],
)
def test_a_fault_costs_its_player_the_game_and_nothing_else(
    name: str, kind: str, reason: str, tmp_path: Path
) -> None:
    for game in games(name, tmp_path, control(), num_games=2 if name == "crash" else 1):
        assert game.fault is not None
        assert (game.fault.seat, game.fault.player, game.fault.kind) == (1, bad(name), kind)
        assert re.search(reason, game.fault.detail), game.fault.detail
        assert game.returns == [1, -1]
        assert game.warnings[0] == []


@pytest.mark.parametrize("name", ["hang_asleep", "hang_in_a_loop"])
def test_a_player_that_hangs_forfeits(name: str, tmp_path: Path) -> None:
    for game in games(name, tmp_path, control(), num_games=1):
        assert game.fault is not None
        assert (game.fault.seat, game.fault.kind) == (1, "time")
        assert game.fault.detail == "gave no action within 1.2 s"


def test_slow_actions_are_warnings_and_are_played(tmp_path: Path) -> None:
    """The first has the allowance of the start; each of the others is a warning."""
    for game in games("dawdle", tmp_path, control(warnings=ACTIONS)):
        assert game.fault is None
        assert len(game.warnings[1]) == ACTIONS - 1
        assert all(re.match(r"took \d\.\d\d s", text) for text in game.warnings[1])


def test_the_last_warning_forfeits(tmp_path: Path) -> None:
    for game in games("dawdle", tmp_path, control(warnings=ACTIONS - 1)):
        assert game.fault is not None
        assert game.fault.seat == 1
        assert len(game.warnings[1]) >= ACTIONS - 2


def test_a_player_that_is_never_ready_forfeits(tmp_path: Path) -> None:
    with isolated(GAME, ["first_play", "first_play"], control(0.01), tmp_path) as players:
        returns, fault = play_game(GAME, players, 0)
    assert fault is not None
    assert (fault.seat, fault.kind, returns.tolist()) == (0, "start", [-1, 1])


def test_what_a_player_prints_is_in_its_log_and_nowhere_else(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    two = games("print_a_little", tmp_path, control())
    assert [game.fault for game in two] == [None, None]
    silent, talking = (path.read_text() for path in sorted(tmp_path.iterdir()))
    assert silent == ""
    assert talking.count("thinking aloud\n") == 2 * ACTIONS
    assert talking.count("and complaining\n") == 2 * ACTIONS
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("name", "config", "players"),
    [
        ("president", {"num_players": 4}, ("lowest", "random")),
        ("trick_taking", {"num_values": 5}, ("random", "playout:num_playouts=30")),
        ("trick_taking", {"num_values": 4}, (f"{BAD}:Remembers", "random")),
    ],
)
def test_without_a_fault_a_match_is_the_same_as_in_one_process(
    name: str, config: dict[str, int], players: tuple[str, str], tmp_path: Path
) -> None:
    game = find_game(name, **config)
    limits = TimeControl(60, 60, 60, logs=str(tmp_path))
    plain, timed = (
        play_match(game, *players, num_deals=3, plan=Plan(control=how)) for how in (None, limits)
    )
    assert timed == plain


def test_a_match_counts_the_games_that_were_lost_by_a_fault(tmp_path: Path) -> None:
    limits = dataclasses.replace(control(), logs=str(tmp_path))
    players = ("first_play", bad("crash"))
    result = play_match(GAME, *players, num_deals=2, plan=Plan(control=limits))
    assert result.faults == (0, 4)
    assert result.wins.mean == 1
    assert "lost by a fault: first_play 0 games, crash 4" in str(result)
    logs = [path.read_text() for path in tmp_path.rglob("1-*.log")]
    assert all("[arena] forfeits: its process ended with status 1" in log for log in logs)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_player_and_all_it_started_are_suspended_while_others_play(tmp_path: Path) -> None:
    others = descendants(os.getpid()).keys()
    with isolated(GAME, [bad("legal"), bad("think_on")], control(), tmp_path) as players:
        assert play_game(GAME, players, 0)[1] is None
        deadline = time.monotonic() + 30
        states: list[str] = []
        while states != ["T"] * (2 + ACTIONS):  # the signal travels
            assert time.monotonic() < deadline, states
            found = descendants(os.getpid())
            states = [state for pid, state in found.items() if pid not in others]
    left = descendants(os.getpid())
    assert {state for pid, state in left.items() if pid not in others} <= {"Z"}


def descendants(parent: int) -> dict[int, str]:
    """The state letters of all processes started by `parent`, and by those, by process id."""
    letters: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, ppid = entry.read_text().rpartition(")")[2].split()[:2]
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
        if int(ppid) == parent:
            pid = int(entry.parent.name)
            letters |= {pid: state, **descendants(pid)}
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
