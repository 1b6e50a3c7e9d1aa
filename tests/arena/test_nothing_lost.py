"""Faults around a run lose no result and cost one line of message."""

import contextlib
import os
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from parlour.baselines.arena import Plan, Store, Workers, play_match
from parlour.baselines.arena.play.batches import DealBatch, Match, play_batch
from parlour.baselines.arena.play.entrants import enter
from parlour.baselines.arena.play.match import MatchResult
from parlour.baselines.arena.results import store as stores
from parlour.baselines.arena.results.store import Setting, store_files
from parlour.envs import load_game
from parlour.scripts.main import main
from tests.commands import refusal, told
from tests.processes import processes

pytestmark = pytest.mark.plain

GAME = load_game("trick_taking", num_values=4)
PLAYERS = ("random", "first_play")


def played(store: Path | None, **plan: Any) -> MatchResult:
    """A match of 12 deals in batches of 4."""
    if store is None:
        return play_match(GAME, *PLAYERS, num_deals=12, plan=Plan(batch_deals=4, **plan))
    with Store(store) as opened:
        return play_match(
            GAME, *PLAYERS, num_deals=12, plan=Plan(batch_deals=4, store=opened, **plan)
        )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with this match."""
    played(tmp_path / "store.db")
    return tmp_path / "store.db"


def change(path: Path, statement: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


def test_a_damaged_result_is_told_in_a_line_and_played_again(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = played(path)
    change(path, "UPDATE batch SET returns = x'00' WHERE first_seed = 4")
    assert played(path) == before
    lines = [line for line in caplog.messages if "damaged" in line]  # others tell of slow machines
    assert [line.rpartition(": ")[2] for line in lines] == [
        "the results of deals 4 to 7 of random v first_play are damaged and left out"
    ]
    caplog.clear()
    assert played(path) == before
    assert not any("damaged" in line for line in caplog.messages)


def test_a_store_that_cannot_be_written_to_can_be_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = played(path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for a user who is not root
    assert played(path) == before
    with pytest.raises(sqlite3.OperationalError, match="readonly"), Store(path) as store:
        play_match(GAME, *PLAYERS, num_deals=20, plan=Plan(batch_deals=4, store=store))


MATCH = "match trick_taking random,first_play --set num_values=4 --deals 20"
USES = {  # how a store is used, and what a damaged one is refused with
    "ratings {store}": "cannot read {store}: ",
    "replay {store} --think 0": "cannot read {store}: ",
    f"{MATCH} --store {{store}}": "cannot keep results in {store}: ",
}


@pytest.mark.parametrize("table", ["sqlite_autoindex_setting_1", "player", "batch"])
def test_a_store_with_a_damaged_page_is_refused_in_a_line(
    table: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(path) as database:
        (size,) = database.execute("PRAGMA page_size").fetchone()
        where = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = database.execute(where, (table,)).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    for command, expected in USES.items():
        said = refusal(command.format(store=path), capsys)
        assert f"{expected.format(store=path)}database disk image is malformed" in said


@pytest.mark.parametrize(
    ("table", "column", "text"),
    [
        *(("setting", "config", text) for text in ("[]", "[1e400]", "[" * 3000)),
        ("setting", "control", "5"),
        *(("match", "players", text) for text in ("[]", "[1e400]", '"x"')),
        ("match", "seating", "[]"),
    ],
)
def test_a_store_with_a_damaged_text_is_refused_in_a_line(
    table: str, column: str, text: str, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(path, f"UPDATE {table} SET {column} = ?", text)
    for command in (f"ratings {path}", f"replay {path} --think 0"):
        assert f"{path} is damaged: " in refusal(command, capsys)


def test_a_store_that_was_cut_off_is_refused_in_a_line(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path.write_bytes(path.read_bytes()[:5000])
    for command in USES:
        said = refusal(command.format(store=path), capsys)
        assert f"the store {path}: " in said or f"cannot read {path}: " in said


@pytest.mark.parametrize("value", [99.0, float("nan")])
def test_a_store_with_an_impossible_return_is_refused_in_a_line(
    value: float, path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    returns = np.zeros((4, 2, 2))
    returns[1, 1, 0] = value
    packed = zlib.compress(returns.tobytes())
    change(path, "UPDATE batch SET returns = ? WHERE first_seed = 4", packed)
    for command in (f"ratings {path}", f"{MATCH} --store {path}", f"replay {path} --deal 5"):
        assert (
            f"{path}: row 2 of its batches has a return of {value:g}, which is not in -1 .. 1: "
            "trick_taking, deal 5, sitting 1, seat 0"
        ) in refusal(command, capsys)


def test_a_store_that_cannot_be_used_is_refused_by_its_cause(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other, text = path.with_name("other.db"), path.with_name("text.db")
    change(other, "CREATE TABLE cards (id INTEGER)")
    text.write_text("no database at all, but long enough to be read as the head of one" * 9)
    for where, cause in {
        other: "not a store of results",
        text: "not a store",
        path.parent: "folder",
    }.items():
        assert cause in refusal(f"{MATCH} --store {where}", capsys)
    monkeypatch.setitem(stores._CONNECTION, "timeout", 0.1)
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("BEGIN IMMEDIATE")
        said = refusal(f"{MATCH} --store {path}", capsys)
    assert f"cannot keep results in {path}: another program keeps it locked" in said
    change(path, "PRAGMA user_version = 1")
    assert "it has format 1, and this version of Parlour reads" in refusal(
        f"ratings {path}", capsys
    )


def test_names_in_a_store_reach_no_terminal_with_control_characters(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(path, "UPDATE player SET name = ?, spec = ?", "\x1b[2Jred\x07", "\x9b31m")
    said = told(f"ratings {path} --files", capsys)
    assert not {"\x1b", "\x07", "\x9b"} & set(said)
    assert "\\x9b31m (as of 20" in said


def test_a_store_whose_results_are_all_damaged_has_none_to_rate(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(path, "UPDATE batch SET returns = x'00'")
    assert f"{path} has no results to rate" in refusal(f"ratings {path}", capsys)


def test_a_game_of_a_store_that_cannot_be_written_to_can_be_replayed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = path.parent / "pages" / "game.html"
    page.parent.mkdir()
    path.with_name("store.db-shm").symlink_to("no folder/index")  # SQLite cannot make it
    monkeypatch.setattr(os, "access", lambda place, mode: Path(place) == page.parent)
    assert main(["replay", str(path), "--html", str(page), "--think", "0"]) == 0


def left_by_a_killed_run(folder: Path) -> tuple[Path, MatchResult]:
    """A store whose results are in its log, and these results."""
    with Store(folder / "running.db"):  # keeps SQLite from emptying the log
        before = played(folder / "running.db")
        for file in store_files("running.db"):
            if (folder / file).exists():
                shutil.copy(folder / file, folder / file.replace("running", "killed"))
    return folder / "killed.db", before


def test_a_killed_runs_results_are_read_where_they_cannot_be_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, before = left_by_a_killed_run(tmp_path)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as for a user who is not root
    monkeypatch.setattr("parlour.baselines.arena.play.playing.play_all", lambda *_: iter(()))
    assert played(path) == before


def test_a_log_that_cannot_be_read_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = left_by_a_killed_run(tmp_path)
    index = tmp_path / "killed.db-shm"
    index.unlink()
    index.symlink_to("no folder/index")  # SQLite cannot make it, as in a folder of others
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ValueError, match=r"are in killed\.db-wal, .*; copy both files to a folder"):
        Store(path)


def test_results_of_one_batch_are_kept_once(tmp_path: Path) -> None:
    """Two runs may play the same deals, or some of them, at the same time."""
    path = tmp_path / "store.db"
    match = Match(enter(PLAYERS, GAME), "field")
    with Store(path) as store, Store(path) as other:
        for batch in (DealBatch(GAME, match, first, 4, match.entrants) for first in (0, 2)):
            outcomes = play_batch(batch)
            store.add(batch, outcomes)
            other.add(batch, outcomes)
        assert [first for first, _ in store.read(Setting.of(GAME, None), match)] == [0, 2]
    assert played(path) == played(None)


def test_a_refused_player_leaves_the_store_free(tmp_path: Path) -> None:
    with Store(tmp_path / "store.db") as store:
        with pytest.raises(ValueError, match="results of max cannot be kept: it is an object"):
            play_match(GAME, max, "random", num_deals=4, plan=Plan(store=store))
        with Store(tmp_path / "store.db") as other:
            play_match(GAME, *PLAYERS, num_deals=4, plan=Plan(store=other))


def check_replacement(workers: Workers, path: Path) -> None:
    """A worker whose player kills it once is replaced, and its batch played again."""

    def killed_once(observations: Any, action_masks: Any, rngs: Any) -> Any:
        if not path.exists():
            path.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return action_masks.argmax(axis=1)

    plan = Plan(workers, batch_deals=4)
    result = play_match(GAME, killed_once, "first_play", num_deals=8, plan=plan)
    assert path.exists()
    assert result == play_match(GAME, killed_once, "first_play", num_deals=8)


def test_a_worker_that_is_killed_is_replaced_and_its_batch_played_again(tmp_path: Path) -> None:
    check_replacement(Workers(2), tmp_path / "once")


def test_a_player_that_ends_every_worker_is_named_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "exits.py"
    file.write_text("import os\n\ndef leave(*_):\n    os._exit(3)\n")
    command = f"match trick_taking {file}:leave,first_play --set num_values=4 --deals 1 --workers 2"
    said = refusal(command, capsys)
    assert "a worker process ended 3 times in a row, in games of leave, first_play" in said


def test_a_crash_names_file_and_line_and_everything_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine.py"
    file.write_text("import helper_of_mine\n\ndef choose(*_):\n    helper_of_mine.fail()\n")
    (tmp_path / "helper_of_mine.py").write_text("def fail():\n    return 1 / 0\n")
    for option in ([], ["--traceback"]):
        with pytest.raises(SystemExit):
            main(["match", "trick_taking", f"{file}:choose,random", "--deals", "1", *option])
        text = capsys.readouterr().err
        assert f"{file}:choose failed: ZeroDivisionError" in text
        assert "(helper_of_mine.py, line 2)" in text
        assert ("Traceback" in text) == bool(option)


FORKING = """
import os
from pathlib import Path
from time import sleep

def fork(observations, action_masks, rngs):
    child = os.fork()
    if child:
        Path("{fifo}").write_text(str(child))
    sleep(1000)
"""
CONTEST = """
from parlour.baselines.arena import Plan, play_match
from parlour.baselines.arena.contest.time_control import TimeControl
from parlour.envs import load_game

control = TimeControl(seconds=500, forfeit_seconds=500, logs="{logs}", sandbox="none")
game = load_game("trick_taking", num_values=4)
play_match(game, "{player}:fork", "{player}:fork", num_deals=1, plan=Plan(control=control))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_a_players_child_does_not_outlive_a_killed_arena(tmp_path: Path) -> None:
    """Not even without a sandbox."""
    fifo, player = tmp_path / "fifo", tmp_path / "forking.py"
    os.mkfifo(fifo)
    player.write_text(FORKING.format(fifo=fifo))
    program = CONTEST.format(logs=tmp_path / "logs", player=player)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    arena = subprocess.Popen([sys.executable, "-c", program])
    assert select.select([reader, os.pidfd_open(arena.pid)], [], [])[0] == [reader]
    child = os.pidfd_open(int(os.read(reader, 20)))
    arena.kill()
    arena.wait()
    assert select.select([child], [], [], 60)[0], "it is still there"


STUCK = """
import os
from time import sleep

def stuck(observations, action_masks, rngs):
    os.write({descriptor}, b"%d\\n" % os.getpid())
    sleep(1000)
"""


# What a shell starts in the background ignores Ctrl-C; so may the process of the tests.
AT_A_TERMINAL = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from parlour.scripts.main import main
from tests.commands import refusal
from tests.processes import processes
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.long
@pytest.mark.parametrize("command", ["match", "tournament --players"])
def test_ctrl_c_with_two_workers_prints_a_line_and_leaves_no_process(
    command: str, tmp_path: Path
) -> None:
    """Even where both workers are stuck in a player's code."""
    fifo, player = tmp_path / "fifo", tmp_path / "stuck.py"
    os.mkfifo(fifo)
    player.write_text(STUCK.replace("{descriptor}", f"os.open({str(fifo)!r}, os.O_WRONLY)"))
    name, *option = command.split()
    arguments = [name, "trick_taking", *option, f"{player}:stuck,random", "--set", "num_values=4"]
    arguments += ["--deals", "5000", "--workers=2"]
    with subprocess.Popen(
        [sys.executable, "-c", AT_A_TERMINAL, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as arena:
        with fifo.open() as pids:
            workers = {int(pids.readline()) for _ in range(2)}
        started = members_of(arena.pid)
        assert len(workers) == 2 and workers < started and arena.pid not in workers
        handles = [os.pidfd_open(pid) for pid in started - {arena.pid}]
        os.killpg(arena.pid, signal.SIGINT)
        _, text = arena.communicate()
    # Joblib's tracker, a process of its own, may warn in two lines of semaphores that are gone.
    lines = [
        line
        for line in text.splitlines()
        if "resource_tracker" not in line and line != "  warnings.warn("
    ]
    assert lines[-1:] == [f"parlour {name}: stopped"]
    assert all("compiling" in line for line in lines[:-1])
    assert arena.returncode == 130
    for handle in handles:
        assert select.select([handle], [], [], 60)[0], "a process is still there"
    assert not members_of(arena.pid)


def members_of(group: int) -> set[int]:
    """The processes of a process group that have not ended."""
    return {one.pid for one in processes() if one.group == group and not one.has_ended}
