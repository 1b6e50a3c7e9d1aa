"""The arena's side of the fork server: start it, and let it start players."""

import contextlib
import os
import pickle
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...envs.core.code_cache import cache_folder
from ...envs.core.game import Game
from .cgroups import Group
from .fork_server import HEADER, Opening, Order
from .limits import Limits
from .sandbox import NONE, prefix

_MODULE = f"{__package__}.fork_server"
_ROOT = Path(__file__).resolve().parents[len(__package__.split(".")) - 1]
# Variables that players get: the paths of programs, the language, threads, caches.
_PASSED_ON = ("PATH", "HOME", "LANG", "TZ", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "XDG_CACHE_HOME")
_PASSED_ON_BEGINNINGS = ("LC_", "NUMBA_", "OMP_", "MKL_", "OPENBLAS_")
_LAST_WORDS_SECONDS = 5.0


class Started(NamedTuple):
    """The arena's ends of its connections with a player and its guard."""

    control: socket.socket
    requests: int  # to write to, without waiting
    replies: int
    output: int


class ForkServer:
    """Starts a fresh process for every game of every player; use it as a context.

    `specs` are the players that it will start. `hidden` are files and folders that no player in a
    sandbox may see. Raises OSError where it cannot be started.
    """

    def __init__(
        self, game: Game, specs: Sequence[str], sandbox: str, hidden: Sequence[str] = ()
    ) -> None:
        self._opening = Opening(game, tuple(specs), sandbox != NONE)
        self._sandbox = sandbox
        self._hidden = tuple(hidden)
        self._launch()

    def _launch(self) -> None:
        self._socket, theirs = socket.socketpair()
        cache = cache_folder()
        with contextlib.suppress(OSError):  # read-only: every process compiles for itself
            cache.mkdir(parents=True, exist_ok=True)
        number = str(theirs.fileno())
        python = [sys.executable, "-P", "-u", "-m", _MODULE, number]
        with theirs:
            self._popen = subprocess.Popen(
                [*prefix(self._sandbox, [str(cache)]), *python],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C reaches only the arena
                env=_environment(),
            )
        self._send(pickle.dumps(self._opening), [])
        if not self._socket.recv(1):
            raise OSError(f"the fork server ended with status {self._popen.wait()}")

    def start(self, spec: str, limits: Limits, group: Group | None = None) -> Started:
        """Start a player, in this control group; its guard sends messages on `control`."""
        control, guards = socket.socketpair()
        requests_out, requests_in = os.pipe()
        replies_out, replies_in = os.pipe()
        output_out, output_in = os.pipe()
        theirs = [guards.detach(), requests_out, replies_in, output_in]
        os.set_blocking(requests_in, False)
        sent = theirs if group is None else [*theirs, group.entrance]
        order = pickle.dumps(Order(spec, limits, self._hidden))
        try:
            try:
                self._send(order, sent)
            except BrokenPipeError:  # the server was killed
                self.close()
                self._launch()
                self._send(order, sent)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        return Started(control, requests_in, replies_out, output_out)

    def _send(self, message: bytes, descriptors: list[int]) -> None:
        socket.send_fds(self._socket, [HEADER.pack(len(message))], descriptors)
        self._socket.sendall(message)

    def close(self) -> None:
        """End the fork server; its players end with the arena's ends of their connections."""
        self._socket.close()
        try:
            self._popen.wait(_LAST_WORDS_SECONDS)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()

    def __enter__(self) -> "ForkServer":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()


def _environment() -> dict[str, str]:
    passed = {
        name: value
        for name, value in os.environ.items()
        if name in _PASSED_ON or name.startswith(_PASSED_ON_BEGINNINGS)
    }
    paths = [str(_ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**passed, "PYTHONPATH": os.pathsep.join(paths)}
