"""The player's side of the protocol with the arena: receive observations, send actions.

It runs in a process made by the fork server. A message is one packet of a SOCK_SEQPACKET socket, so
that no player can send half of one. It holds plain bytes and NumPy records: nothing is unpickled.
"""

import socket
from typing import Any

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.legal import check_legal
from ....envs.core.rng import STREAM
from ...policies.policy import Policy

OUT_OF_MEMORY = 3  # exit status
REFUSED = 4  # exit status: `make_policy` refused the spec, and printed the reason

# The first message of a player: what it needs for a choice.
OBSERVES, SEARCHES, REMEMBERS = b"o", b"s", b"r"
# Requests. After CHOOSE comes a `question`, after BEGIN a seat, after WATCH an observation. The
# reply to CHOOSE is an `ANSWER`, that to the others DONE.
CHOOSE, BEGIN, WATCH = b"c", b"b", b"w"
DONE = b"d"
SEAT = np.dtype(np.int64)
ANSWER = np.dtype([("action", np.int64), ("rng", STREAM)])  # the stream after use
_LARGEST = 1 << 20  # bytes of a message


def question(game: Game, with_position: bool) -> np.dtype:
    """Return the type of a question: what a player is shown before it chooses."""
    fields: list[Any] = [
        ("observation", game.observation_dtype),
        ("mask", np.int8, (game.num_actions,)),
        ("rng", STREAM),
    ]
    return np.dtype(fields + ([("position", game.state_dtype)] if with_position else []))


def serve(game: Game, policy: Policy, arena: socket.socket) -> None:
    """Answer as this player until the arena closes the connection."""
    asked = question(game, policy.needs_positions)
    memory: Any = None
    arena.send(SEARCHES if policy.needs_positions else REMEMBERS if policy.remember else OBSERVES)
    while request := bytearray(arena.recv(_LARGEST)):
        kind, rest = bytes(request[:1]), request[1:]
        answer = DONE
        if kind == CHOOSE:
            answer = _choose(game, policy, memory, np.frombuffer(rest, asked))
        elif kind == BEGIN:
            assert policy.remember is not None
            memory = policy.remember()
            memory.begin(int(np.frombuffer(rest, SEAT)[0]), game)
        else:
            memory.watch(np.frombuffer(rest, game.observation_dtype)[0])
        arena.send(answer)


def _choose(game: Game, policy: Policy, memory: Any, asked: np.ndarray) -> bytes:
    # Copies, because the fields of a packed record are not aligned.
    parts = {name: asked[name].copy() for name in asked.dtype.names or ()}
    observations, masks, rngs = parts["observation"], parts["mask"], parts["rng"]
    if memory is not None:
        actions = np.array([memory.choose(observations[0], masks[0], rngs)])
    else:
        actions = np.asarray(policy(observations, masks, rngs, parts.get("position")))
    # Check only type and shape, by zeros with all actions legal: the arena checks legality.
    check_legal(game, policy.name, np.zeros_like(actions), np.ones_like(masks))
    answer = np.zeros(1, ANSWER)
    answer["action"], answer["rng"] = actions, rngs
    return answer.tobytes()


def is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether a memory limit caused this error, directly or indirectly."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False
