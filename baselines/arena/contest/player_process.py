"""The player's side of the protocol with the arena: receive observations, send actions.

It runs in a process made by the fork server. A message is one packet of a SOCK_SEQPACKET socket, so
that no player can send half of one. It holds plain bytes and NumPy records: nothing is unpickled.
"""

import socket
from typing import Any

import numpy as np

from ....envs.core.game import Game
from ....envs.core.play.seating import check_legal
from ....envs.core.rng import STREAM
from ...players.making import make_policy

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


class PlayerServer:
    """A player at its end of the connection. Raises what `make_policy` raises."""

    def __init__(self, game: Game, spec: str, arena: socket.socket) -> None:
        self._arena = arena
        self._game = game
        self._policy = make_policy(spec, game)
        self._question = question(game, self._policy.needs_positions)
        self._memory: Any = None

    def run(self) -> None:
        """Answer until the arena closes the connection."""
        policy = self._policy
        self._arena.send(
            SEARCHES if policy.needs_positions else REMEMBERS if policy.remember else OBSERVES
        )
        answers = {CHOOSE: self._choose, BEGIN: self._begin, WATCH: self._watch}
        while request := bytearray(self._arena.recv(_LARGEST)):
            self._arena.send(answers[bytes(request[:1])](request[1:]))

    def _begin(self, request: bytearray) -> bytes:
        assert self._policy.remember is not None
        self._memory = self._policy.remember()
        self._memory.begin(int(np.frombuffer(request, SEAT)[0]), self._game)
        return DONE

    def _watch(self, request: bytearray) -> bytes:
        self._memory.watch(np.frombuffer(request, self._game.observation_dtype)[0])
        return DONE

    def _choose(self, request: bytearray) -> bytes:
        # Copies: within the question its parts lie at odd addresses.
        asked = {
            name: np.frombuffer(request, self._question)[name].copy()
            for name in self._question.names or ()
        }
        observations, masks, rngs = asked["observation"], asked["mask"], asked["rng"]
        if self._memory is not None:
            actions = np.array([self._memory.choose(observations[0], masks[0], rngs)])
        else:
            actions = np.asarray(self._policy(observations, masks, rngs, asked.get("position")))
        # Here only their form, with an action that is always legal: the arena warns of others.
        check_legal(self._game, self._policy.name, np.zeros_like(actions), np.ones_like(masks))
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
