"""Control groups of players: when they are used, their limits, and what the arena makes of them.

A folder with plain files stands for the kernel's, because most machines offer no delegated groups.
The last tests use the kernel's own and are skipped where there are none; they passed under
user-mode Linux 7.2.7, as root and as another user.
"""

import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlour.baselines.arena import cgroups, isolation
from parlour.baselines.arena.cgroups import Group, place_of_groups
from parlour.baselines.arena.limits import Limits
from parlour.baselines.arena.time_control import isolated, play_game

from .test_time_control import GAME, bad, control, games

SESSION = "0::/user.slice/app.slice/terminal.scope\n"


class FakeGroup(Group):
    """A group whose memory the kernel is said to have found too large."""

    written: list[dict[str, str]]

    def __init__(self, parent: Path, limits: Limits) -> None:
        super().__init__(parent, limits)
        (self._folder / "memory.events").write_text("low 0\nmax 7\noom 1\noom_kill 1\n")

    def close(self) -> None:
        self.written.append({file.name: file.read_text() for file in self._folder.iterdir()})
        super().close()


@pytest.fixture
def app_slice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder beside the arena's own group, with all that a systemd session passes on."""
    own = tmp_path / "own"
    own.write_text(f"1:name=systemd:/\n{SESSION}")
    parent = tmp_path / "user.slice" / "app.slice"
    parent.mkdir(parents=True)
    (parent / "cgroup.subtree_control").write_text("cpu memory pids\n")
    monkeypatch.setattr(cgroups, "_OWN", own)
    monkeypatch.setattr(cgroups, "_MOUNT", tmp_path)
    monkeypatch.setattr(Path, "rmdir", shutil.rmtree)  # the kernel removes a group with its files
    place_of_groups.cache_clear()
    yield parent
    place_of_groups.cache_clear()


def test_groups_are_made_beside_the_arenas_own(app_slice: Path) -> None:
    (app_slice / "parlour-999999999-0").mkdir()  # of an arena that has ended
    (app_slice / f"parlour-{os.getppid()}-0").mkdir()
    assert place_of_groups() == app_slice
    left = [f"parlour-{os.getppid()}-0", "cgroup.subtree_control"]
    assert sorted(file.name for file in app_slice.iterdir()) == sorted(left)


@pytest.mark.parametrize("own", ["0::/\n", "9:pids:/\n4:memory:/x\n", ""])
def test_without_a_group_beside_its_own_the_guard_is_left_alone(app_slice: Path, own: str) -> None:
    cgroups._OWN.write_text(own)
    assert place_of_groups() is None


@pytest.mark.parametrize("passed_on", ["", "cpu pids", "memory"])
def test_both_limits_are_needed(app_slice: Path, passed_on: str) -> None:
    (app_slice / "cgroup.subtree_control").write_text(passed_on)
    assert place_of_groups() is None


def test_a_folder_that_cannot_be_written_to_is_not_used(
    app_slice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*unused: object, **options: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert place_of_groups() is None


def test_a_group_that_refuses_a_limit_is_removed(
    app_slice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_text

    def write_some(path: Path, text: str) -> int:
        if path.name == "pids.max":
            raise OSError("no such controller")
        return write(path, text)

    monkeypatch.setattr(Path, "write_text", write_some)
    assert place_of_groups() is None
    assert [file.name for file in app_slice.iterdir()] == ["cgroup.subtree_control"]


def test_a_player_enters_its_group_and_the_kernels_verdict_counts(
    app_slice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    FakeGroup.written = []
    monkeypatch.setattr(isolation, "place_of_groups", lambda: app_slice)
    monkeypatch.setattr(isolation, "Group", FakeGroup)
    limits = control()
    (game,) = games("crash", tmp_path / "logs", limits, num_games=1)
    assert game.fault is not None
    assert game.fault.kind == "memory"
    assert len(FakeGroup.written) == 2
    for files in FakeGroup.written:
        assert files["cgroup.procs"] == "0"
        assert files["memory.max"] == str((limits.memory_mib + limits.private_mib) * 2**20)
        assert (files["memory.swap.max"], files["memory.oom.group"]) == ("0", "1")
        assert files["pids.max"] == str(limits.processes + 2)
    assert [file.name for file in app_slice.iterdir()] == ["cgroup.subtree_control"]


# With the kernel's groups


@pytest.fixture
def place() -> Path:
    """The folder in which this process can make groups, if there is one."""
    place_of_groups.cache_clear()
    found = place_of_groups()
    if found is None:
        pytest.skip("this machine offers no control group that passes on memory and pids")
    return found


ENTER = "import os, sys\nos.write(int(sys.argv[1]), b'0')\n"
HOG_IN_CHILDREN = """
for _ in range(8):
    if os.fork() == 0:
        hog = bytearray(os.urandom(1 << 20)) * 40
        sys.stdin.read()
for _ in range(8):
    os.wait()
"""
FORK_ON = """
children = 0
try:
    while True:
        if os.fork() == 0:
            sys.stdin.read()
            os._exit(0)
        children += 1
except BlockingIOError:
    print(children, flush=True)
sys.stdin.read()
"""


def inside(group: Group, program: str) -> subprocess.Popen[str]:
    """A program in this group; its children wait for as long as its input is open."""
    return subprocess.Popen(
        [sys.executable, "-c", ENTER + program, str(group.entrance)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=[group.entrance],
        text=True,
    )


def test_the_kernel_ends_all_processes_of_a_group_that_is_too_large(place: Path) -> None:
    group = Group(place, Limits(memory_mib=128, private_mib=1))
    with inside(group, HOG_IN_CHILDREN) as program:
        assert program.wait() == -9  # though each child alone uses 41 MiB
    assert group.was_out_of_memory()
    group.close()
    assert not list(place.glob("parlour-*"))


def test_the_kernel_refuses_processes_beyond_the_limit_and_none_is_left(place: Path) -> None:
    group = Group(place, Limits(processes=10))
    with inside(group, FORK_ON) as program:
        assert program.stdout is not None
        assert int(program.stdout.readline()) == 11  # with itself 12: two more than the limit
        pids = (group._folder / "cgroup.procs").read_text().split()
        assert len(pids) == 12
        handles = [os.pidfd_open(int(pid)) for pid in pids]
        assert not group.was_out_of_memory()
        group.close()
        for handle in handles:
            assert select.select([handle], [], [], 60)[0], "it is still there"
    assert not list(place.glob("parlour-*"))


def test_every_player_has_a_group_of_its_own(place: Path, tmp_path: Path) -> None:
    names = []
    specs = [bad("legal"), bad("say_its_group"), bad("say_its_group")]
    with isolated(GAME, specs, control(), tmp_path / "logs") as (victim, *players):
        for player in players:
            _, fault = play_game(GAME, [victim, player], 0)
            assert fault is not None
            names.append(fault.detail[fault.detail.index(f"parlour-{os.getpid()}-") :])
    assert len(set(names)) == 2
    assert not list(place.glob("parlour-*"))
