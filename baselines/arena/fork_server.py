"""The fork server: a process that has loaded Parlour, and forks a fresh process for each player.

It runs no user's code, so every player starts every game from the same memory and, in a sandbox,
from the same files. Loading and compiling happen beforehand and are charged to no player.
"""

import contextlib
import os
import pickle
import random
import select
import signal
import socket
import struct
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...envs.core.code_cache import cache_folder
from ...envs.core.game import Game
from ...envs.core.play.tables import Tables, action_masks
from ...envs.core.rng import streams
from ..players import make_policy
from . import namespaces
from .guard import FAILED, MESSAGE, Guard, children, confine_player
from .limits import Limits
from .play.entrants import names_a_file
from .player_process import OUT_OF_MEMORY, REFUSED, PlayerServer, is_out_of_memory

HEADER = struct.Struct("<I")  # the size of the message that follows
NUM_DESCRIPTORS = 5
_IDLE_SECONDS = 1.0


class Opening(NamedTuple):
    """What a fork server needs to know at its start."""

    game: Game
    specs: tuple[str, ...]  # the players that it will start
    is_confined: bool  # whether players get namespaces of their own


class Order(NamedTuple):
    """One player to start. With it come four descriptors: control, requests, replies, output.

    A fifth is the entrance of its control group, where it has one.
    """

    spec: str
    limits: Limits
    hidden: tuple[str, ...]  # files and folders that a confined player may not see


def main() -> int:
    """Serve the arena at the other end of the socket whose number is the only argument."""
    namespaces.adopt_orphans()
    namespaces.allow_inspection(False)
    with socket.socket(fileno=int(sys.argv[1])) as arena:
        opening = pickle.loads(_receive(arena)[0])
        for spec in dict.fromkeys(opening.specs):
            _warm_up(spec, opening.game)
        arena.sendall(b"\n")
        guards: set[int] = set()
        while True:
            if not select.select([arena], [], [], _IDLE_SECONDS)[0]:
                _reap(guards, opening.is_confined)
                continue
            message, descriptors = _receive(arena)
            if not message:
                return 0
            child = os.fork()
            if child == 0:
                arena.close()
                _become_guard(opening, pickle.loads(message), descriptors)
            guards.add(child)
            for descriptor in descriptors:
                os.close(descriptor)
            _reap(guards, opening.is_confined)


def _receive(arena: socket.socket) -> tuple[bytes, list[int]]:
    """Receive a message and its descriptors; return an empty message where the arena has ended."""
    header, descriptors, _, _ = socket.recv_fds(arena, HEADER.size, NUM_DESCRIPTORS)
    if len(header) < HEADER.size:
        return b"", []
    (size,) = HEADER.unpack(header)
    message = b""
    while len(message) < size:
        part = arena.recv(size - len(message))
        if not part:
            return b"", []
        message += part
    return message, descriptors


def _warm_up(spec: str, game: Game) -> None:
    """Load and compile what this player needs, without running a user's file."""
    if names_a_file(spec):
        if ".pt" in spec:
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


def _reap(guards: set[int], is_confined: bool) -> None:
    """Reap ended guards; without a sandbox, kill the processes that a killed guard has left."""
    with contextlib.suppress(ChildProcessError):
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            guards.discard(pid)
    if not is_confined:
        for pid in set(children(os.getpid())) - guards:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _become_guard(opening: Opening, order: Order, descriptors: list[int]) -> None:
    """In a fork: set up the sandbox, start the player and guard it; never return."""
    control = socket.socket(fileno=descriptors[0])
    try:
        if opening.is_confined:
            namespaces.allow_inspection(True)  # or else its files in /proc would belong to root
            namespaces.unshare()
            if os.fork():  # the child is the first process of the new namespace
                os._exit(0)
            namespaces.make_view(_view(order))
            namespaces.allow_inspection(False)
        _guard_player(opening, order, control, descriptors)
    except OSError as error:
        traceback.print_exc()
        control.sendall(MESSAGE.pack(FAILED, error.errno or 0))
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


def _guard_player(
    opening: Opening, order: Order, control: socket.socket, descriptors: list[int]
) -> None:
    private = None if opening.is_confined else Path(tempfile.mkdtemp(prefix="parlour-"))
    namespaces.adopt_orphans()
    player = os.fork()
    if player == 0:
        _become_player(opening, order, descriptors[1:], private or namespaces.PRIVATE)
    for descriptor in descriptors[1:]:
        os.close(descriptor)
    Guard(control, player, order.limits, private).run()


def _view(order: Order) -> namespaces.View:
    """Return the view of a player: Python, Parlour, this folder, and the files that it names."""
    own = [part for part in _parts(order.spec) if os.path.exists(part)]
    folders = [str(Path(part).resolve().parent) for part in own]
    is_common = {str(namespaces.PRIVATE), "/var/tmp"}
    beside = [folder for folder in folders if folder not in is_common]
    python = [sys.prefix, sys.base_prefix, *filter(None, sys.path), os.getcwd()]
    cache = str(cache_folder())
    kept = (*python, *beside, *own, cache)
    needed = [Path(path).resolve() for path in kept]
    hidden = [  # except folders that contain a needed file
        path for path in order.hidden if not any(n.is_relative_to(path) for n in needed)
    ]
    return namespaces.View(kept, tuple(hidden), (cache,), order.limits.private_mib)


def _parts(spec: str) -> list[str]:
    """Return the parts of a spec that may be paths, as in `FILE.py:Class:weights=FILE`."""
    for separator in ":=,":
        spec = spec.replace(separator, "\n")
    return [part.strip() for part in spec.split("\n") if part.strip()]


def _become_player(opening: Opening, order: Order, descriptors: list[int], private: Path) -> None:
    """In a fork of the guard: run the player until the arena closes its pipe; never return."""
    status = 1
    try:
        os.setsid()
        requests, replies, output, *entrances = descriptors
        for entrance in entrances:
            os.write(entrance, b"0")
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        for stream in (1, 2):
            os.dup2(output, stream)
        _close_all_but({0, 1, 2, requests, replies})
        os.environ.update({name: str(private) for name in ("HOME", "TMPDIR")})
        tempfile.tempdir = None
        _draw_fresh_randomness()
        sys.path.insert(0, "")
        sys.dont_write_bytecode = True
        confine_player(order.limits, opening.is_confined)
        status = _serve(opening.game, order.spec, requests, replies)
    except BaseException as error:
        if is_out_of_memory(error):
            status = OUT_OF_MEMORY
        else:
            traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        os._exit(status)


def _serve(game: Game, spec: str, requests: int, replies: int) -> int:
    """Serve the player; return the exit status."""
    with os.fdopen(requests, "rb") as asked, os.fdopen(replies, "wb") as answers:
        try:
            server = PlayerServer(game, spec, asked, answers)
        except (ValueError, TypeError):
            traceback.print_exc()
            return REFUSED
        server.run()
    return 0


def _draw_fresh_randomness() -> None:
    """Seed the global generators anew: otherwise all forks would draw the same numbers."""
    random.seed()
    np.random.seed()
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.seed()


def _close_all_but(kept: set[int]) -> None:
    start = 0
    for descriptor in sorted(kept):
        if start < descriptor:  # an empty range would close everything
            os.closerange(start, descriptor)
        start = descriptor + 1
    os.closerange(start, 1 << 16)


if __name__ == "__main__":
    sys.exit(main())
