"""The process that a player under time control runs in: it is handed observations, it answers.

Started by `isolation`; nothing here is for others to import. What the player prints goes to the
standard streams, which the arena keeps as its log. The game's traffic has two pipes of its own.
"""

import ctypes
import os
import pickle
import resource
import signal
import sys
from typing import BinaryIO

import numpy as np

OUT_OF_MEMORY = 3  # exit status
READY, READY_FOR_POSITIONS = b"r", b"p"
ACTION = np.dtype(np.int64)
_SET_PARENT_DEATH_SIGNAL = 1  # of Linux's prctl


def main() -> int:
    """Serve one player until the arena closes its pipe; returns the exit status."""
    read_fd, write_fd, memory_mib = (int(argument) for argument in sys.argv[1:])
    _end_with_the_arena()
    limit = memory_mib << 20
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    with os.fdopen(read_fd, "rb") as requests, os.fdopen(write_fd, "wb") as replies:
        try:
            _serve(requests, replies)
        except BaseException as error:
            if _is_out_of_memory(error):
                print("out of memory", file=sys.stderr, flush=True)
                return OUT_OF_MEMORY
            raise
    return 0


def _serve(requests: BinaryIO, replies: BinaryIO) -> None:
    """Requests are records and a mask as bytes; replies an action and the stream drawn from."""
    from ...envs.core.rng import STREAM  # within the memory limit, as everything the player needs
    from ..players import make_policy

    game, spec = pickle.load(requests)
    policy = make_policy(spec, game)
    replies.write(READY_FOR_POSITIONS if policy.needs_positions else READY)
    replies.flush()
    mask_type = np.dtype((np.int8, game.num_actions))
    while head := requests.read(game.observation_dtype.itemsize):
        observations = np.frombuffer(bytearray(head), game.observation_dtype)
        masks = _read(requests, mask_type)
        rngs = _read(requests, STREAM)
        positions = _read(requests, game.state_dtype) if policy.needs_positions else None
        actions = np.asarray(policy(observations, masks, rngs, positions))
        action = int(actions.item())  # one action for one table, or an error of the player's
        replies.write(np.array(action, ACTION).tobytes() + rngs.tobytes())
        replies.flush()


def _read(requests: BinaryIO, dtype: np.dtype) -> np.ndarray:
    """One item [1, ...] that may be written to."""
    data = np.frombuffer(bytearray(requests.read(dtype.itemsize)), dtype.base)
    return data.reshape(1, *dtype.shape)


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
