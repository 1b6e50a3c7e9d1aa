"""The red team: the attacker loses its game, nothing else changes, nothing is left behind."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from parlour.baselines.arena.contest.sandbox import BWRAP, NONE, choose_sandbox, why_no_bubblewrap
from parlour.baselines.arena.contest.time_control import TimeControl, isolated, play_game
from parlour.baselines.arena.results.store import Store
from parlour.envs import load_game
from parlour.envs.core.code_cache import cache_folder
from tests.processes import processes

from . import attackers
from .attackers import ATTACKS, MARK, Attack

pytestmark = pytest.mark.plain

GAME = load_game("trick_taking", num_values=4)  # each seat acts four times a game
EVERY_ATTACK = {name: how for attacks in ATTACKS.values() for name, how in attacks.items()}
# One of each area, in every run of the suite; `make test-long` tries all of them.
SOME_ATTACKS = dict(list(attacks.items())[1] for attacks in ATTACKS.values())
LIMITS: dict[str, Any] = {
    "seconds": 0.4,  # the victim needs 0.03, and a busy machine may give it a tenth of a core
    "forfeit_seconds": 1.0,
    "start_seconds": 30.0,
    "memory_mib": 600,
    "processes": 32,
    "output_kib": 64,
}


def test_the_sandbox_runs_where_bubblewrap_does() -> None:
    """Nothing below may pass because there was no sandbox."""
    own = ["--unshare-all", "--unshare-user", "--disable-userns"]
    trial = ["bwrap", *own, "--ro-bind", "/", "/", "true"]
    if shutil.which("bwrap") is not None and subprocess.run(trial).returncode == 0:
        assert why_no_bubblewrap() is None
        assert choose_sandbox("auto") == BWRAP


class Ground:
    """Where the red team plays: its targets, and what they were before."""

    def __init__(self, folder: Path, is_confined: bool) -> None:
        self.folder = folder
        self.players = folder / "players"
        self.players.mkdir()
        self.file = self.players / "attackers.py"
        shutil.copy(attackers.__file__, self.file)
        self.opponent = folder / "opponent" / "opponent.py"
        self.opponent.parent.mkdir()
        shutil.copy(attackers.__file__, self.opponent)
        self.working = folder / "working"
        self.working.mkdir()
        (self.working / MARK).write_text("nobody's")
        self.store = self.players / "store.db"
        Store(self.store).close()
        self.logs = self.players / "logs"
        self.bystander = subprocess.Popen(
            [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
        )
        self.server = socket.create_server(("127.0.0.1", 0))
        self.datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.datagrams.bind(self.server.getsockname())
        self.abstract = socket.socket(socket.AF_UNIX)
        self.abstract.bind(f"\0{MARK}-{os.getpid()}")
        self.file_socket = socket.socket(socket.AF_UNIX)
        self.file_socket.bind(str(folder / "s"))
        for listening in (self.abstract, self.file_socket):
            listening.listen()
        in_tmp = folder / "in_tmp"
        in_tmp.write_text("left by others")
        targets = {
            "arena": os.getpid(),
            "bystander": self.bystander.pid,
            "is_confined": is_confined,
            "opponent": str(self.opponent),
            "cache": str(cache_folder()),
            "in_tmp": str(in_tmp),
            "port": self.server.getsockname()[1],
            "abstract": f"{MARK}-{os.getpid()}",
            "socket": str(folder / "s"),
            "working_folder": str(self.working),
            "log": str(self.logs / "0-log"),
            "store": str(self.store),
        }
        (self.players / "targets.json").write_text(json.dumps(targets))
        self._before = self._files()

    def _files(self) -> dict[Path, bytes]:
        """Every file that nobody may change."""
        files = [p for p in self.folder.rglob("*") if p.is_file() and self.logs not in p.parents]
        return {path: path.read_bytes() for path in files}

    def check(self) -> None:
        """Nothing has changed, nobody was reached, nothing is left."""
        assert self._files() == self._before
        assert self.bystander.poll() is None
        state = Path(f"/proc/{self.bystander.pid}/stat").read_text().rpartition(")")[2].split()[0]
        assert state != "T"
        for listening in (self.server, self.abstract, self.file_socket):
            listening.setblocking(False)
            with pytest.raises(BlockingIOError):
                listening.accept()
        with pytest.raises(BlockingIOError):
            self.datagrams.recv(1, socket.MSG_DONTWAIT)
        for place in ("/tmp", "/dev/shm", "/var/tmp", os.path.expanduser("~")):
            assert not list(Path(place).glob(f"{MARK}*"))
        assert not (cache_folder() / MARK).exists()

    def close(self) -> None:
        """Put away what was set up."""
        self.bystander.communicate()
        for each in (self.server, self.datagrams, self.abstract, self.file_socket):
            each.close()


@pytest.fixture
def ground(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Ground]:
    ground = Ground(tmp_path, request.node.callspec.params["method"] != NONE)
    yield ground
    ground.close()


def descendants(parent: int) -> set[int]:
    """All processes below this one that have not ended."""
    pids: set[int] = set()
    for one in processes():
        if one.parent == parent:
            pids |= {*descendants(one.pid), *([] if one.has_ended else [one.pid])}
    return pids


def lasting(earlier: set[int]) -> set[int]:
    """Processes below this one that came later and do not end, once they had time to."""
    deadline = time.monotonic() + 30
    while (left := descendants(os.getpid()) - earlier) and time.monotonic() < deadline:
        pass
    return left


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize(
    ("method", "attacks"),
    [
        ("auto", SOME_ATTACKS),
        *(pytest.param(how, EVERY_ATTACK, marks=pytest.mark.long) for how in (BWRAP, NONE)),
    ],
    ids=["auto", "bwrap-all", "none-all"],
)
def test_an_attacker_loses_its_game_and_nothing_else_happens(
    method: str, attacks: dict[str, Attack], ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = _available(method)
    monkeypatch.setenv("PARLOUR_SECRET", "not for players")
    monkeypatch.chdir(ground.working)
    attacks = {n: how for n, how in attacks.items() if chosen != NONE or how.open_kind}
    before = descendants(os.getpid())
    files = (str(ground.store), str(ground.folder / "in_tmp"))
    control = TimeControl(**LIMITS, logs=str(ground.logs), sandbox=chosen, hidden=files)
    specs = [f"{ground.opponent}:legal", *(f"{ground.file}:{name}" for name in attacks)]
    wrong = []
    with isolated(GAME, specs, control, ground.logs) as (victim, *players):
        (ground.logs / "0-log").write_text("kept")
        servers = descendants(os.getpid())
        for player, (name, how) in zip(players, attacks.items(), strict=True):
            returns, fault = play_game(GAME, [victim, player], 0)
            report = "it plays on" if fault is None else f"{fault.kind}: {fault.detail}"
            if fault is None or not _is_as_expected(how, fault, chosen):
                wrong.append(f"{name}: {report}")
            elif returns.tolist() != [1, -1] or victim.warnings:
                wrong.append(f"{name}: {returns} {victim.warnings}")
            if left := lasting(servers):
                wrong.append(f"{name}: left {left}")
            ground.check()
        assert (ground.logs / "0-log").read_text() == "kept"
    assert not wrong, "\n".join(wrong)
    assert not lasting(before)
    for notes in ground.logs.glob("*.arena"):
        assert not re.search("^warning: the opponent", notes.read_text(), re.MULTILINE)


def _available(method: str) -> str:
    """The sandbox to try; the test is skipped only where there is no bubblewrap that works."""
    if method != NONE and (why := why_no_bubblewrap()) is not None:
        pytest.skip(why)
    return choose_sandbox(method)


def _is_as_expected(how: Attack, fault: Any, method: str) -> bool:
    kind = how.open_kind if method == NONE else how.kind
    is_printable = fault.detail.isprintable() and len(fault.detail) < 1000
    match = re.search(how.reason, fault.detail) or method == NONE
    is_kind = re.fullmatch(kind, fault.kind)
    return bool(fault.seat == 1 and is_kind and match and is_printable)


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.parametrize("method", ["auto"])
def test_a_player_cannot_keep_notes_from_one_sitting_to_the_next(
    method: str, ground: Ground
) -> None:
    """In a duplicate deal it would know the opponent's hand when the deal returns."""
    control = TimeControl(**LIMITS, logs=str(ground.logs), sandbox=_available(method))
    keeper = f"{ground.file}:keep_notes"
    with isolated(GAME, [keeper, keeper], control, ground.logs) as players:
        for sitting in range(2):
            places = players if sitting == 0 else players[::-1]
            assert play_game(GAME, places, 0, sitting)[1] is None
    ground.check()


SEES = """
import os
from pathlib import Path

HERE = Path(__file__).parent


def choose(observations, action_masks, rngs):
    assert sorted(os.listdir(HERE)) == {expected!r}, os.listdir(HERE)
    return action_masks.argmax(axis=1)
"""


@pytest.mark.skipif(why_no_bubblewrap() is not None, reason="needs bubblewrap")
@pytest.mark.parametrize(
    ("places", "expected"),
    [
        (("a/one.py", "b/two.py"), (["mine.txt", "one.py"], ["mine.txt", "two.py"])),
        (("a/one.py", "a/two.py"), (["one.py"], ["two.py"])),
        (("a/one.py", "a/b/two.py"), (["one.py"], ["mine.txt", "two.py"])),
    ],
)
def test_a_player_sees_its_folder_or_its_file_where_others_have_theirs(
    places: tuple[str, str], expected: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    files = [tmp_path / place for place in places]
    for file, names in zip(files, expected, strict=True):
        file.parent.mkdir(exist_ok=True)
        (file.parent / "mine.txt").touch()
        file.write_text(SEES.format(expected=names))
    control = TimeControl(**LIMITS, logs=str(tmp_path / "logs"), sandbox=BWRAP)
    with isolated(GAME, [f"{file}:choose" for file in files], control, tmp_path) as players:
        assert play_game(GAME, players, 0)[1] is None
