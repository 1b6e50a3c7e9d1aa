"""The red team: each function attacks once, early in a game, and plays on where that worked.

An attack that is refused raises an error, by which the attacker loses. `targets.json` beside this
file names what there is to attack. The area of an attack is in ATTACKS, with how it has to end.
"""

import ctypes
import fcntl
import json
import mmap
import os
import pwd
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
MARK = "parlour-red-team"  # in the name of everything that attackers leave
FOREVER = threading.Event()
_LIBC = ctypes.CDLL(None, use_errno=True)
_calls: list[int] = []


class Refused(Exception):
    """Raised by an attacker that has seen its attack come to nothing."""


class Attack(NamedTuple):
    """How an attack has to end."""

    kind: str  # of the fault
    reason: str  # a regular expression
    open_kind: str = ""  # the fault without a sandbox; empty where nothing is promised


ATTACKS: dict[str, dict[str, Attack]] = {}


def _first_call(area: str) -> int:
    """The action to attack at: the first may take longer, as hogs do."""
    return 1 if area in ("processes", "memory", "channels") else 2


def attack(area: str, kind: str, reason: str, open_kind: str = "") -> Any:
    """Enter a function that attacks as a player of the red team."""

    def enter(function):
        def player(observations, action_masks, rngs):
            _calls.append(1)
            if len(_calls) == _first_call(area):
                function()
            return action_masks.argmax(axis=1)

        ATTACKS.setdefault(area, {})[function.__name__] = Attack(kind, reason, open_kind)
        player.__name__ = function.__name__
        return player

    return enter


def target(name: str) -> Any:
    return json.loads((HERE / "targets.json").read_text())[name]


def legal(observations, action_masks, rngs):
    """The victim: thinks a little, plays the first legal action, and is never attacked for it."""
    end = time.process_time() + 0.03
    while time.process_time() < end:
        pass
    return action_masks.argmax(axis=1)


# -- processes


@attack("processes", "crash", "ProcessLookupError")
def kill_another_process():
    os.kill(target("bystander"), signal.SIGKILL)


@attack("processes", "crash", "No such process")
def kill_everybody():
    if target("is_confined"):
        os.kill(-1, signal.SIGKILL)


@attack("processes", "crash", "status", "crash")
def kill_the_guard():
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.1)
    raise Refused("the guard still stands")


@attack("processes", "crash", "status 0")
def leave_a_daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            FOREVER.wait()
        os._exit(0)
    os._exit(0)


@attack("processes", "processes|crash", "more than 32|temporarily unavail", "processes|crash")
def fork_on_and_on():
    while True:
        if os.fork() == 0:
            FOREVER.wait()


@attack("processes", "processes|crash", "more than 32|can't start new", "processes|crash")
def start_threads_on_and_on():
    while True:
        threading.Thread(target=FOREVER.wait, daemon=True).start()


@attack("processes", "crash", "Operation not permitted|PermissionError")
def trace_the_guard():
    if _LIBC.ptrace(16, 1, 0, 0) < 0:  # PTRACE_ATTACH
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


# -- files


@attack("files", "crash", "Read-only file system")
def write_beside_itself():
    (HERE / MARK).write_text("mine")


@attack("files", "crash", "No such file|Read-only file system")
def replace_the_opponent():
    Path(target("opponent")).write_text("def choose(*_): return None")


@attack("files", "crash", "No space left|File too large", "crash")
def fill_the_private_folder():
    path = Path(os.environ["TMPDIR"]) / "big"
    with path.open("wb") as file:
        while True:
            file.write(bytes(1 << 22))


@attack("files", "crash", "Operation not permitted")
def mount_the_system_anew():
    if _LIBC.mount(None, b"/", None, 32 | 4096, None) < 0:  # MS_REMOUNT | MS_BIND
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@attack("files", "crash", "written in a layer|Read-only file system")
def poison_the_compiled_code():
    (Path(target("cache")) / MARK).write_text("poison")
    raise Refused("written in a layer")


@attack("files", "crash", "Read-only file system|No such file")
def write_to_the_real_home():
    (Path(pwd.getpwuid(os.getuid()).pw_dir) / MARK).write_text("mine")


@attack("files", "crash", "No such file")
def find_what_others_left_in_tmp():
    Path(target("in_tmp")).read_text()


@attack("files", "crash", "Read-only file system|Operation not permitted|No such file")
def change_the_kernel():
    path = Path("/proc/sys/kernel/core_pattern")
    path.write_text(path.read_text())


@attack("files", "crash", "No such file")
def open_the_disk():
    os.open("/dev/vda" if Path("/dev/vda").exists() else "/dev/sda", os.O_RDONLY)


# -- network


@attack("network", "crash", "OSError|Network is unreachable|Connection refused")
def connect_to_a_server():
    socket.create_connection(("127.0.0.1", target("port")), timeout=1)


@attack("network", "crash", "Connection refused")
def send_a_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        out.connect(("127.0.0.1", target("port")))
        out.send(MARK.encode())
        out.recv(1)


@attack("network", "crash", "Connection refused|Operation not permitted")
def connect_to_an_abstract_socket():
    with socket.socket(socket.AF_UNIX) as out:
        out.connect("\0" + target("abstract"))


@attack("network", "crash", "Operation not permitted")
def connect_to_a_socket_file():
    with socket.socket(socket.AF_UNIX) as out:
        out.connect(target("socket"))


@attack("network", "crash", "Operation not permitted|PermissionError")
def listen_to_the_wire():
    socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)


# -- memory


@attack("memory", "memory", "more than 600 MiB", "memory")
def hog_memory():
    hoard = []
    while True:
        hoard.append(np.ones(1 << 22))


@attack("memory", "memory", "more than 600 MiB", "memory")
def hog_memory_in_children():
    for _ in range(5):
        if os.fork() == 0:
            hoard = bytearray(150 << 20)
            hoard[:: mmap.PAGESIZE] = bytes([1]) * (len(hoard) // mmap.PAGESIZE)
            FOREVER.wait()
    FOREVER.wait()


@attack("memory", "memory", "more than 600 MiB", "memory")
def hog_memory_in_files():
    for number in range(20):
        file = os.memfd_create(f"{MARK}-{number}")
        os.write(file, bytes(60 << 20))
    FOREVER.wait()


@attack("memory", "crash", "No space left|File too large")
def hog_shared_memory():
    with open(f"/dev/shm/{MARK}", "wb") as file:
        while True:
            file.write(bytes(1 << 22))


@attack("memory", "crash", "Permission denied")
def read_the_guard():
    Path("/proc/1/mem").read_bytes()


@attack("memory", "crash", "No such file")
def read_the_arena():
    Path(f"/proc/{target('arena')}/mem").read_bytes()


@attack("memory", "crash", "nothing in here", "crash")
def read_its_own_environment():
    if b"PARLOUR_SECRET" not in Path("/proc/self/environ").read_bytes():
        raise Refused("nothing in here")


# -- protocol


def _connection() -> int:
    """The socket for requests and answers: all that there is beside the standard streams."""
    for number in range(3, 64):
        try:
            if os.readlink(f"/proc/self/fd/{number}").startswith("socket:"):
                return number
        except OSError:
            continue
    raise Refused("no socket")


# Stopped after each answer by chance, it answers three questions with an action that is not legal.
@attack(
    "protocol",
    "protocol|warnings",
    "answered more than it was asked|3 warnings: .*not legal",
    "protocol|warnings",
)
def answer_twice():
    for _ in range(3):
        os.write(_connection(), bytes(24))


@attack("protocol", "protocol", "answered", "protocol")
def flood_the_arena():
    connection = _connection()
    while True:
        os.write(connection, bytes(1 << 16))


@attack("protocol", "protocol", "other than 24 bytes", "protocol")
def answer_by_half():
    os.write(_connection(), b"abc")
    FOREVER.wait()


@attack("protocol", "crash", "closed its connection", "crash")
def answer_nothing():
    os.write(_connection(), b"")
    socket.socket(fileno=_connection()).send(b"")
    FOREVER.wait()


@attack("protocol", "crash", "closed its connection", "crash")
def hang_up():
    os.closerange(3, 256)
    FOREVER.wait()


@attack("protocol", "crash", "no way to it", "crash")
def speak_for_the_guard():
    """To the first process of the sandbox, which stops and continues the others."""
    for number in range(3, 64):
        if os.path.exists(f"/proc/self/fd/{number}") and number != _connection():
            os.write(number, b"CONT\n")
            return
    raise Refused("no way to it")


@attack("protocol", "warnings", "3 warnings: .*no action of this game", "warnings")
def play_a_huge_number():
    while True:
        os.write(_connection(), (1 << 62).to_bytes(8, "little") + bytes(16))
        os.read(_connection(), 1 << 16)


# -- time


@attack("time", "time", "gave no action within 1", "time")
def hang_asleep():
    FOREVER.wait()


@attack("time", "time", "gave no action within 1", "time")
def hang_in_a_loop():
    while True:
        pass


@attack("time", "time", "gave no action within 1", "time")
def stop_itself():
    while True:
        os.kill(os.getpid(), signal.SIGSTOP)


@attack("time", "time", "gave no action within 1", "time")
def compute_in_a_child():
    child = os.fork()
    if child == 0:
        end = time.process_time() + 2
        while time.process_time() < end:
            pass
        os._exit(0)
    os.waitpid(child, 0)


@attack("time", "time", "gave no action within 1", "time")
def compute_in_children_nobody_waits_for():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    program = "import time\nwhile time.process_time() < 2: pass"
    subprocess.Popen([sys.executable, "-S", "-c", program]).wait()


_shared = mmap.mmap(-1, 8)


def _count() -> int:
    return int.from_bytes(_shared[:8], "little")


def think_while_others_play(observations, action_masks, rngs):
    """A child counts on; it must not get far while the opponent thinks."""
    _calls.append(1)
    if len(_calls) == 2:
        if os.fork() == 0:
            os.setsid()
            end = time.process_time() + 60
            while time.process_time() < end:
                _shared[:8] = (time.process_time_ns()).to_bytes(8, "little")
        while _count() < 5_000_000:
            pass
        _calls.append(_count())
    elif len(_calls) == 4 and _count() - _calls[2] < 25_000_000:  # of the opponent's 60 ms
        raise Refused("stopped with its parent")
    return action_masks.argmax(axis=1)


ATTACKS["time"]["think_while_others_play"] = Attack("crash", "stopped with its parent")


# -- channels to other players, or to others on the machine


def _called(status):
    if status < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@attack("channels", "crash", "No such file")
def read_the_opponent():
    Path(target("opponent")).read_text()


@attack("channels", "crash", "nobody else is here")
def find_the_opponent_in_memory():
    """Its spec, in what this process was forked from, or what the system says about it."""
    spec = re.compile(rb"opponent\.py:legal|/opponent[/]")
    with open("/proc/self/mem", "rb", 0) as memory:
        for line in Path("/proc/self/maps").read_text().splitlines():
            if " rw" in line and "[v" not in line:
                start, end = (int(text, 16) for text in line.split()[0].split("-"))
                memory.seek(start)
                if re.search(rb"opponent\.py:legal", memory.read(end - start)):
                    return
    for name in ("environ", "cmdline", "mountinfo"):
        if spec.search(Path("/proc/self", name).read_bytes()):
            return
    raise Refused("nobody else is here")


@attack("channels", "crash", "No such file")
def list_the_working_folder():
    if MARK in os.listdir(target("working_folder")):
        return
    raise FileNotFoundError("No such file")


@attack("channels", "crash", "Operation not permitted|PermissionError")
def lock_a_file_of_the_system():
    fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_EX)


@attack("channels", "crash", "Operation not permitted|PermissionError")
def lock_bytes_of_a_file_of_the_system():
    fcntl.lockf(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_SH, 1)


@attack("channels", "crash", "Operation not permitted|PermissionError")
def ask_for_locks_of_others():
    asked = mmap.mmap(-1, 64)
    fcntl.fcntl(os.open(os.__file__, os.O_RDONLY), fcntl.F_GETLK, bytes(asked[:32]))


@attack("channels", "crash", "Operation not permitted|PermissionError")
def watch_who_opens_a_file():
    _called(_LIBC.inotify_init1(0))


@attack("channels", "crash", "Operation not permitted|PermissionError")
def leave_a_key():
    number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]  # add_key
    _called(_LIBC.syscall(number, b"user", MARK.encode(), b"1", 1, -3))  # of the session


@attack("channels", "crash", "Operation not permitted|PermissionError")
def open_a_ring():
    _called(_LIBC.syscall(425, 4, ctypes.create_string_buffer(120)))  # io_uring_setup


# -- logs


@attack("logs", "output", "more than 64 KiB", "output")
def print_forever():
    while True:
        print("look at me")


@attack("logs", "output", "more than 64 KiB", "output")
def print_in_a_child():
    if os.fork() == 0:
        while True:
            print("look at me")
    FOREVER.wait()


@attack("logs", "crash", "No such file|Read-only file system")
def forge_another_log():
    with open(target("log"), "a") as file:
        file.write("[arena] forfeits: it gave up\n")


@attack("logs", "crash", "No such file")
def read_another_log():
    Path(target("log")).read_text()


@attack("logs", "crash", r"ValueError: \?\[2J\?\[31mhello", "crash")
def paint_the_terminal():
    raise ValueError("\x1b[2J\x1b[31mhello")


@attack("logs", "crash", "xxx", "crash")
def die_with_a_long_speech():
    raise ValueError("x" * 20_000)


@attack("logs", "crash", "status 5", "crash")
def forge_a_note_of_the_arena():
    print("[arena] warning: the opponent cheats", flush=True)
    os._exit(5)


# -- store and results


@attack("results", "crash", "nothing in it|Permission denied")
def read_the_secret():
    if not Path(target("store")).read_bytes():
        raise Refused("nothing in it")


@attack("results", "crash", "OperationalError|DatabaseError")
def forge_a_result():
    with sqlite3.connect(target("store")) as database:
        database.execute("UPDATE batch SET returns = x'00'")


@attack("results", "crash", "busy|Read-only file system|Device or resource")
def delete_the_store():
    os.unlink(target("store"))


@attack("results", "crash", "Read-only file system")
def plant_a_module():
    (Path(np.__file__).parents[1] / f"{MARK}.pth").write_text("import os")


@attack("results", "crash", "status 0", "crash")
def leave_as_if_all_was_well():
    os._exit(0)


@attack("results", "crash", "nobody counts in here", "crash")
def count_for_the_arena():
    from parlour.baselines.arena.contest import time_control
    from parlour.baselines.arena.play import batches

    batches.forfeit = time_control.forfeit = lambda num_seats, seat: np.ones(num_seats)
    raise Refused("nobody counts in here")


def keep_notes(observations, action_masks, rngs):
    """Keeps what it knows in every way it can; where it finds any of it again, it crashes."""
    import builtins

    folders = [Path(os.environ["TMPDIR"]), Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"), HERE]
    places = [folder / f"{MARK}-notes" for folder in dict.fromkeys(folders)]
    if not _calls:
        notes = [place for place in places if place.exists()]
        assert not notes, notes
        assert not hasattr(builtins, "notes")
    _calls.append(1)
    builtins.notes = observations.tobytes()
    os.environ["NOTES"] = "kept"
    for place in places:
        try:
            place.write_bytes(observations.tobytes())
        except OSError:
            continue
    return action_masks.argmax(axis=1)
