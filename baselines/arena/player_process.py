"""The process that a player under time control runs in: it is handed observations, it answers.

Started by `isolation`; what both must know of their talk is named here. What the player prints goes
to the standard streams, which the arena keeps as its log; the talk has two pipes of its own.
"""

import ctypes
import os
import pickle
import signal
import sys
from typing import Any, BinaryIO

import numpy as np

OUT_OF_MEMORY = 3  # exit status

# What a player says when it is ready: how it wants to be asked.
OBSERVES, SEARCHES, REMEMBERS = b"o", b"s", b"r"
# What it is asked: CHOOSE brings a record, a mask, a stream and for one that searches a position,
# and is answered by an action and the stream as it was left. The others are answered by DONE.
CHOOSE, BEGIN, WATCH = b"c", b"b", b"w"
DONE = b"d"
NUMBER = np.dtype(np.int64)  # an action or a seat

_SET_PARENT_DEATH_SIGNAL = 1  # of Linux's prctl


def main() -> int:
    """Serve one player until the arena closes its pipe; returns the exit status."""
    import resource  # not on every system: the arena reads this module's names on all of them

    read_fd, write_fd, memory_mib = (int(argument) for argument in sys.argv[1:])
    _end_with_the_arena()
    limit = memory_mib << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    requests, replies = os.fdopen(read_fd, "rb"), os.fdopen(write_fd, "wb")
    try:
        _Served(requests, replies).run()
    except BaseException as error:
        if _is_out_of_memory(error):
            return OUT_OF_MEMORY
        raise  # printed to the log before the pipes close
    return 0


class _Served:
    """A player and the two pipes it is asked and answers by."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        from ..players import make_policy  # within the memory limit, as all that a player needs

        self._requests = requests
        self._replies = replies
        self._game, spec = pickle.load(requests)
        self._policy = make_policy(spec, self._game)
        self._memory: Any = None

    def run(self) -> None:
        policy = self._policy
        how = SEARCHES if policy.needs_positions else REMEMBERS if policy.remember else OBSERVES
        self._say(how)
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
        from ...envs.core.rng import STREAM

        observations = self._read(self._game.observation_dtype)
        masks = self._read(np.dtype((np.int8, self._game.num_actions)))
        rngs = self._read(STREAM)
        if self._memory is not None:
            action = self._memory.choose(observations[0], masks[0], rngs)
        else:
            searches = self._policy.needs_positions
            positions = self._read(self._game.state_dtype) if searches else None
            action = self._policy(observations, masks, rngs, positions)
        one = int(np.asarray(action).item())  # one action for one table, or the player's error
        return np.array(one, NUMBER).tobytes() + rngs.tobytes()

    def _read(self, dtype: np.dtype) -> np.ndarray:
        """One item [1, ...] that may be written to."""
        data = np.frombuffer(bytearray(self._requests.read(dtype.itemsize)), dtype.base)
        return data.reshape(1, *dtype.shape)

    def _say(self, reply: bytes) -> None:
        self._replies.write(reply)
        self._replies.flush()


def _end_with_the_arena() -> None:
    """A stopped player would outlive a killed arena: have the system end it, where it can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def _is_out_of_memory(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        error = error.__cause__
    return False


if __name__ == "__main__":
    sys.exit(main())
