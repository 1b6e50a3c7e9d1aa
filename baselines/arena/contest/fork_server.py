"""The fork server: a process that has loaded Parlour, and forks a fresh process for each game.

It runs no user's code, so every player starts every game from the same memory. Loading and
compiling happen beforehand and are charged to no player. It learns of no entrant: for each spec it
forks a server that reads that spec alone, from a socket of its own, so that no player finds
another's in its memory. For each game such a server forks a supervisor, which enters the player's
sandbox, forks the player there, and ends it with the arena.
"""

import contextlib
import json
import os
import pickle
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ....envs.core.code_cache import PRIVATE_CODE, cache_folder
from ....envs.core.game import Game
from ....envs.core.play.tables import Tables, action_masks
from ....envs.core.rng import streams
from ...players.making import make_policy
from ...policies.file_names import CODE
from ..play.entrants import names_a_file
from ..play.parent import end_with_parent
from .confine import (
    drop_privileges,
    enter_sandbox,
    limit_resources,
    refuse_channels,
)
from .limits import PlayerLimits
from .player_process import OUT_OF_MEMORY, REFUSED, is_out_of_memory, serve
from .sandbox import Sandbox

# Messages of a supervisor: the player's process id, then its exit status. Instead of the former,
# where the sandbox fails, minus the number of the error.
MESSAGE = struct.Struct("<i")
_ROOT = Path(__file__).resolve().parents[len(__package__.split(".")) - 1]
# Variables that players get: the paths of programs, the language, threads, caches.
_PASSED_ON = ("PATH", "HOME", "LANG", "TZ", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "XDG_CACHE_HOME")
_PASSED_ON_BEGINNINGS = ("LC_", "NUMBA_", "OMP_", "MKL_", "OPENBLAS_")
_NEW_SERVER = b"s"  # an order, with the socket from which the new server reads a spec
_LARGEST = 1 << 16  # bytes of an order
_LAST_WORDS_SECONDS = 5.0
_SPARE = 2  # processes beyond the limit, so that the arena can see that it is exceeded
_MIB = 1 << 20


class ForkServer:
    """Starts a fresh process for every game of every player; use it as a context.

    `specs` are the players that it will start. Raises OSError where it cannot be started.
    """

    def __init__(self, game: Game, specs: Sequence[str]) -> None:
        with contextlib.suppress(OSError):  # read-only: every process compiles for itself
            cache_folder().mkdir(parents=True, exist_ok=True)
        self._socket, theirs = _packets()
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", "-u", "-m", __name__, str(theirs.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C reaches only the arena
                env=_environment(),
            )
        assert self._popen.stdin is not None
        with self._popen.stdin as opening:
            pickle.dump(game, opening)
        self._check(self._socket)
        self._servers: dict[str, socket.socket] = {}
        for spec in dict.fromkeys(specs):
            self._servers[spec], theirs = _packets()
            with theirs:
                socket.send_fds(self._socket, [_NEW_SERVER], [theirs.fileno()])
            self._servers[spec].send(spec.encode())
        for server in self._servers.values():
            self._check(server)

    def _check(self, server: socket.socket) -> None:
        """Wait until a server is ready. Raises OSError where it has ended."""
        if not server.recv(1):
            self.close()
            raise OSError(f"the fork server ended with status {self._popen.returncode}")

    def start(
        self, spec: str, limits: PlayerLimits, sandbox: Sandbox
    ) -> tuple[socket.socket, socket.socket, int]:
        """Start a player in this sandbox; return the connections with it and its supervisor.

        The last one is a descriptor of the file in memory that the player prints to.
        """
        player, player_end = _packets()
        supervisor, supervisor_end = _packets()
        output = os.memfd_create("output")
        resources = limits.memory_mib * _MIB, limits.private_mib * _MIB, limits.processes
        order = [resources, sandbox.first, sandbox.private]
        descriptors = [player_end.fileno(), supervisor_end.fileno(), output]
        with player_end, supervisor_end:
            socket.send_fds(self._servers[spec], [json.dumps(order).encode()], descriptors)
        return player, supervisor, output

    def close(self) -> None:
        """End the fork server; its players end with the arena's ends of their connections."""
        for connection in (*self._servers.values(), self._socket):
            connection.close()
        try:
            self._popen.wait(_LAST_WORDS_SECONDS)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def _packets() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _environment() -> dict[str, str]:
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_BEGINNINGS)
    }
    paths = [str(_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**passed, "PYTHONPATH": os.pathsep.join(paths)}


# In the process of the fork server


def main() -> None:
    """Serve the arena at the other end of the socket whose number is the only argument."""
    game = pickle.load(sys.stdin.buffer)
    _warm_up("random", game)  # what every user's file needs
    with socket.socket(fileno=int(sys.argv[1])) as arena:
        arena.send(b"\n")
        for _, (connection,) in _orders(arena):
            if os.fork() == 0:
                arena.close()
                _serve_one(game, connection)
            os.close(connection)


def _orders(arena: socket.socket) -> Iterator[tuple[bytes, list[int]]]:
    """Yield the orders of the arena, each with its descriptors; reap children that have ended."""
    while order := socket.recv_fds(arena, _LARGEST, 3):
        if not order[0]:
            return
        yield order[0], order[1]
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _serve_one(game: Game, connection: int) -> None:
    """In a fork: start games of the player whose spec the arena sends first; never return."""
    with socket.socket(fileno=connection) as arena:
        spec = arena.recv(_LARGEST).decode()
        _warm_up(spec, game)
        arena.send(b"\n")
        for order, descriptors in _orders(arena):
            if os.fork() == 0:
                arena.close()
                _supervise(game, spec, json.loads(order), descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
    os._exit(0)


def _warm_up(spec: str, game: Game) -> None:
    """Load and compile what this player needs, without running a user's file."""
    if names_a_file(spec):
        if CODE not in spec:
            import torch  # noqa: F401

        spec = "random"
    with contextlib.suppress(Exception):  # the player's process reports any failure
        policy = make_policy(spec, game)
        if policy.remember is not None:
            return
        tables = Tables(game, streams([0]))
        tables.deal(tables.all_rows)
        rows = tables.all_rows
        seats, observations, words = tables.show(rows)
        rngs = streams([1])
        positions = tables.determinize(rows, seats, rngs) if policy.needs_positions else None
        policy(observations, action_masks(words, game.num_actions), rngs, positions)


def _supervise(game: Game, spec: str, order: list[Any], descriptors: list[int]) -> None:
    """In a fork: start the player in its sandbox, and end it with the arena; never return."""
    resources, sandbox, private = order
    player_socket, own, output = descriptors
    with socket.socket(fileno=own) as arena:
        try:
            folder = os.getcwd()
            if sandbox:
                enter_sandbox(sandbox)
            player = os.fork()
            if player == 0:
                end_with_parent()  # else a player that waits, suspended, would outlive it
                os.setsid()
                arena.close()
                os.chdir(folder)
                _confine(resources, bool(sandbox), private)
                _become_player(game, spec, player_socket, output)
            os.close(player_socket)
            os.close(output)
            arena.send(MESSAGE.pack(player))
            select.select([own, os.pidfd_open(player)], [], [])  # until either has ended
            for kill in (os.kill, os.killpg):
                with contextlib.suppress(ProcessLookupError):
                    kill(player, signal.SIGKILL)
            status = os.waitstatus_to_exitcode(os.waitpid(player, 0)[1])
            arena.send(MESSAGE.pack(status))
        except BrokenPipeError:
            pass  # the arena has gone
        except OSError as error:
            traceback.print_exc()
            arena.send(MESSAGE.pack(-(error.errno or 1)))
        finally:
            os._exit(0)


def _confine(resources: Sequence[int], is_in_sandbox: bool, private: str) -> None:
    """Limit this process, the player's, and point it to its private folder."""
    memory, file_size, processes = resources
    limit_resources(memory, file_size, processes + _SPARE if is_in_sandbox else None)
    if is_in_sandbox:
        drop_privileges()
        refuse_channels()
        # The other code caches are read-only.
        os.environ |= {PRIVATE_CODE: os.path.join(private, "code")}
    os.environ |= {"HOME": private, "TMPDIR": private}
    tempfile.tempdir = None


def _become_player(game: Game, spec: str, arena: int, output: int) -> None:
    """In a fork of the supervisor: run the player until the arena hangs up; never return."""
    status = 1
    try:
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        for stream in (1, 2):
            os.dup2(output, stream)
        for descriptor in map(int, os.listdir("/proc/self/fd")):
            if descriptor > 2 and descriptor != arena:
                with contextlib.suppress(OSError):
                    os.close(descriptor)
        _draw_fresh_randomness()
        sys.path.insert(0, "")
        sys.dont_write_bytecode = True
        with socket.socket(fileno=arena) as connection:
            try:
                policy = make_policy(spec, game)
            except (ValueError, TypeError):
                status = REFUSED
                raise
            serve(game, policy, connection)
        status = 0
    except BaseException as error:
        if status != REFUSED and is_out_of_memory(error):
            status = OUT_OF_MEMORY
        else:
            traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        os._exit(status)


def _draw_fresh_randomness() -> None:
    """Seed the global generators anew: otherwise all forks would draw the same numbers."""
    random.seed()
    np.random.seed()
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.seed()


if __name__ == "__main__":
    main()
