"""A file of a user is written whole or not at all: an older one outlives full disks and kills."""

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from parlour.baselines.arena import play_tournament
from parlour.baselines.arena.results.export import export
from parlour.baselines.networks.checkpoints import Checkpoint, save_checkpoint
from parlour.baselines.recordings import FORMATS, PORTION, Recorded, record_games
from parlour.envs import load_game
from parlour.envs.core.played import transcript
from parlour.envs.core.whole_files import write_whole, written_whole
from parlour.scripts.main import main
from parlour.scripts.options import BadArgument
from parlour.scripts.output import write_json
from parlour.scripts.table.serving import open_browser
from parlour.scripts.table.store import TableStore
from parlour.training.ppo import Config
from parlour.training.session import BaseLearner, draw_curve
from tests.commands import refusal
from tests.processes import ROOT

pytestmark = pytest.mark.plain

GAME = load_game("trick_taking", num_values=3)
OLD = "what was there before\n"
SHARED = 1 << 15  # bytes that SQLite shares between processes in a file, which so has room


class Learner(BaseLearner):
    parts = ("network",)
    network: Any = nn.Linear(8, 8)


CHECKPOINT = Checkpoint("trick_taking", 0, {}, "ppo", {}, (8,), {"layer": torch.zeros(64)})
TABLE = play_tournament(GAME, ["random", "first_play"], 2)
POINT = {"against": "random", "cpu_seconds": 60.0, "fair_share": 0.5}
POINT |= {"first_places": 0.5, "low": 0.4, "high": 0.6}


def recorded(name: str, path: Path) -> None:
    record_games(Recorded(GAME, ("random",) * 2), range(4), path, name)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "text": lambda path: write_whole(path, "new " * 50),
    "checkpoint.pt": lambda path: save_checkpoint(CHECKPOINT, path),
    "state.pt": lambda path: Learner(Config()).save(path),
    "game.txt": lambda path: transcript.save(transcript.record(GAME, 1, actions=[]), path),
    "result.json": lambda path: write_json(list(range(99)), str(path)),
    "curve.png": lambda path: draw_curve([POINT], path),
    "results.json": lambda path: export(TABLE, path.parent),
    **{f"games.{name}": partial(recorded, name) for name in FORMATS if name != "minari"},
}


@contextlib.contextmanager
def full_disk(size: int = 60) -> Iterator[None]:
    """No file may grow beyond this size; Python would keep a part of a module that it compiles."""
    limits, before = resource.getrlimit(resource.RLIMIT_FSIZE), sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        sys.dont_write_bytecode = before


@pytest.mark.parametrize("name", WRITERS)
def test_an_older_file_outlives_a_full_disk(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(OLD)
    with pytest.raises((OSError, BadArgument), match="too large"), full_disk():
        WRITERS[name](path)
    assert path.read_text() == OLD
    assert list(tmp_path.iterdir()) == [path]
    WRITERS[name](path)
    assert path in tmp_path.iterdir() and OLD.encode() not in path.read_bytes()


def test_a_file_keeps_its_mode_a_link_its_place_and_a_device_is_no_file(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text(OLD)
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink() and path.read_text() == "new" and path.stat().st_mode & 0o777 == 0o640
    write_whole("/dev/null", "new")
    assert not Path("/dev/null").is_file()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, "new")
    with contextlib.suppress(ZeroDivisionError), written_whole(tmp_path / "games") as folder:
        folder.mkdir()
        (folder / str(1 // 0)).touch()
    assert {each.name for each in tmp_path.iterdir()} == {"file", "link"}


def in_python(folder: Path) -> str:
    """A player that is not compiled, so that games are written after every 64 deals."""
    player = folder / "mine.py"
    player.write_text("def first(o, masks, r):\n    return masks.argmax(axis=1)\n")
    return f"{player}:first"


def listen_to_ctrl_c() -> None:
    """A shell's background job ignores Ctrl-C, and so do the processes that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_an_older_recording_outlives_a_killed_one(stop: signal.Signals, tmp_path: Path) -> None:
    """What a stopped one has is whole games under another name, which Ctrl-C says."""
    path = tmp_path / "games.jsonl"
    path.write_text(OLD)
    command = f"-m parlour record trick_taking --players {in_python(tmp_path)} --format jsonl"
    with subprocess.Popen(
        [sys.executable, *command.split(), "--deals", "200000", "--out", str(path)],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        preexec_fn=listen_to_ctrl_c,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        deadline = time.monotonic() + 120
        while not (partial := [p for p in tmp_path.glob("*partial*") if "\n" in p.read_text()]):
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(stop)
        said = process.communicate(timeout=120)[1]
    assert path.read_text() == OLD
    lines = partial[0].read_text().splitlines()
    whole = (
        lines if partial[0].read_text().endswith("\n") else lines[:-1]
    )  # the last may be cut off
    assert [json.loads(line)["deal"] for line in whole]
    if stop == signal.SIGINT:
        counted = re.search(r"at least ([0-9,]+) deals are in " + str(partial[0]), said)
        assert counted is not None
        assert int(counted[1].replace(",", "")) <= len({json.loads(line)["deal"] for line in lines})


@pytest.mark.long
def test_a_killed_recording_of_minari_says_how_much_is_there(tmp_path: Path) -> None:
    minari = pytest.importorskip("minari")
    pytest.importorskip("pyarrow")
    command = f"-m parlour record trick_taking --set num_values=3 --players {in_python(tmp_path)}"
    command += f" --format minari --deals 200000 --quiet --out {tmp_path / 'games'}"
    with subprocess.Popen(
        [sys.executable, *command.split()],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    ) as process:
        deadline, total = time.monotonic() + 120, 0
        while total < 2 * PORTION:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
            for kept in tmp_path.glob("games.partial*/metadata.json"):
                with contextlib.suppress(json.JSONDecodeError):
                    total = json.loads(kept.read_text())["total_episodes"]
        process.kill()
    (partial,) = tmp_path.glob("games.partial*")
    data = minari.MinariDataset(partial)
    assert data.total_episodes >= total
    assert all(len(episode) == 3 for episode in data)  # of three tricks


@pytest.mark.parametrize("name", FORMATS)
def test_a_recording_that_has_no_place_is_refused_in_a_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kept").touch()
    run = f"record trick_taking --set num_values=3 --deals 4 --format {name} --out"
    assert f"{tmp_path} is a folder" in refusal(f"{run} {tmp_path}", capsys)
    if name != "minari":
        with full_disk():
            said = refusal(f"{run} {tmp_path}/games", capsys)
        assert f"cannot write {tmp_path}/games" in said and "too large" in said
        assert "cannot write /proc/games" in refusal(f"{run} /proc/games", capsys)


@pytest.mark.parametrize(
    ("size", "trouble"), [(60, "cannot open the store"), (SHARED, "cannot keep results in")]
)
def test_results_outlive_a_full_disk(
    size: int, trouble: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept, new = tmp_path / "kept.db", tmp_path / "new.db"
    run = "match trick_taking random,first_play --set num_values=3 --deals 4 --store {}"
    more = "tournament trick_taking --players random,first_play,high_low --set num_values=3"
    assert main(run.format(kept).split()) == 0
    said = capsys.readouterr().out
    with full_disk(size):
        refused = refusal(f"{more} --deals 90 --store {kept}", capsys)
        assert f"{trouble} {kept}: reading or writing failed" in refused
        assert f"cannot open the store {new}: " in refusal(run.format(new), capsys)
    assert "cannot open the store" in refusal(f"ratings {new}", capsys)
    assert main(run.format(kept).split()) == 0
    assert capsys.readouterr().out == said
    assert main(run.format(new).split()) == 0


def test_a_store_of_tables_on_a_full_disk_is_refused(tmp_path: Path) -> None:
    path, address = tmp_path / "tables.db", "http://127.0.0.1:8477"
    with full_disk(), pytest.raises(ValueError, match="cannot keep tables: "):
        TableStore(path, True, address)
    TableStore(path).close()
    with full_disk(SHARED), pytest.raises(ValueError, match=r"cannot keep tables: .*too large"):
        TableStore(path, True, address + SHARED * "-")  # in the file that names the server
    with contextlib.closing(TableStore(path, True, address)) as store:
        assert store.recent(1) == []


def test_no_browser_is_started_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with full_disk():
        open_browser("http://127.0.0.1:8477/")
    assert "Open the address yourself" in capsys.readouterr().err and not opened
