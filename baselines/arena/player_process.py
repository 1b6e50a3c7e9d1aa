"""The player's side of the protocol with the arena: receive observations, send actions.

It runs in a process made by the fork server (see `fork_server`). The constants of the protocol are
defined here. The player prints to the standard streams, which the arena keeps as its log; the
protocol has two pipes of its own.
"""

from typing import Any, BinaryIO

import numpy as np

from ...envs.core.game import Game
from ...envs.core.play.seating import check_legal
from ...envs.core.rng import STREAM
from ..players import make_policy

OUT_OF_MEMORY = 3  # exit status
REFUSED = 4  # exit status: `make_policy` refused the spec, and printed the reason

# The first byte from a player: what it needs for a choice.
OBSERVES, SEARCHES, REMEMBERS = b"o", b"s", b"r"
# Requests. CHOOSE sends a record, a mask, a stream and, to a player that searches, a position; the
# reply is an action and the stream after use. The reply to the others is DONE.
CHOOSE, BEGIN, WATCH = b"c", b"b", b"w"
DONE = b"d"
NUMBER = np.dtype(np.int64)  # an action or a seat


class PlayerServer:
    """A player, with the pipes of requests and replies.

    Raises what `make_policy` raises.
    """

    def __init__(self, game: Game, spec: str, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies
        self._game = game
        self._policy = make_policy(spec, game)
        self._memory: Any = None

    def run(self) -> None:
        """Answer until the arena closes its pipe."""
        policy = self._policy
        self._say(
            SEARCHES if policy.needs_positions else REMEMBERS if policy.remember else OBSERVES
        )
        answers = {CHOOSE: self._choose, BEGIN: self._begin, WATCH: self._watch}
        while kind := self._requests.read(1):
            self._say(answers[kind]())

    def _begin(self) -> bytes:
        assert self._policy.remember is not None
        self._memory = self._policy.remember()
        self._memory.begin(int(self._read(NUMBER)[0]), self._game)
        return DONE

    def _watch(self) -> bytes:
        self._memory.watch(self._read(self._game.observation_dtype)[0])
        return DONE

    def _choose(self) -> bytes:
        observations = self._read(self._game.observation_dtype)
        masks = self._read(np.dtype((np.int8, self._game.num_actions)))
        rngs = self._read(STREAM)
        if self._memory is not None:
            actions = np.array([self._memory.choose(observations[0], masks[0], rngs)])
        else:
            searches = self._policy.needs_positions
            positions = self._read(self._game.state_dtype) if searches else None
            actions = np.asarray(self._policy(observations, masks, rngs, positions))
        # Here only their form, with an action that is always legal: the arena warns of others.
        check_legal(self._game, self._policy.name, np.zeros_like(actions), np.ones_like(masks))
        return actions.astype(NUMBER).tobytes() + rngs.tobytes()

    def _read(self, dtype: np.dtype) -> np.ndarray:
        """Read one item [1, ...], which may be written to."""
        data = np.frombuffer(bytearray(self._requests.read(dtype.itemsize)), dtype.base)
        return data.reshape(1, *dtype.shape)

    def _say(self, reply: bytes) -> None:
        self._replies.write(reply)
        self._replies.flush()


def is_out_of_memory(error: BaseException | None) -> bool:
    """Return whether a memory limit caused this error, directly or indirectly."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False
