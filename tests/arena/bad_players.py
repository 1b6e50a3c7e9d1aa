"""Players that do what no player should; each is named after what it does."""

import os
import subprocess
import sys
import threading
import time

import numpy as np

FOREVER = threading.Event()
calls: list[int] = []


def legal(observations, action_masks, rngs):
    """The first legal action: what a good player of this file does."""
    return action_masks.argmax(axis=1)


def crash(observations, action_masks, rngs):
    return observations["no_such_field"]


def leave(observations, action_masks, rngs):
    os._exit(7)


def hang_asleep(observations, action_masks, rngs):
    """From its second action on; the first has the long allowance of the start."""
    return _first_then(FOREVER.wait, observations, action_masks)


def hang_in_a_loop(observations, action_masks, rngs):
    return _first_then(_loop, observations, action_masks)


def _first_then(then, observations, action_masks):
    calls.append(1)
    if len(calls) > 1:
        then()
    return legal(observations, action_masks, None)


def _loop():
    while True:
        pass


def hog_memory(observations, action_masks, rngs):
    hoard = []
    while True:
        hoard.append(np.ones(1 << 22))


def play_illegally(observations, action_masks, rngs):
    return action_masks.argmin(axis=1)


def play_beyond_the_table(observations, action_masks, rngs):
    return np.array([action_masks.shape[1] + 5])


def play_words(observations, action_masks, rngs):
    return np.array(["the first one"])


def print_forever(observations, action_masks, rngs):
    while True:
        print("look at me")


def print_a_little(observations, action_masks, rngs):
    print("thinking aloud")
    print("and complaining", file=sys.stderr)
    return legal(observations, action_masks, rngs)


def dawdle(observations, action_masks, rngs):
    """Slower than a warning allows, faster than a forfeit."""
    start = time.monotonic()
    while time.monotonic() - start < 0.5:
        pass
    return legal(observations, action_masks, rngs)


def close_everything(observations, action_masks, rngs):
    os.closerange(3, 256)
    FOREVER.wait()


def think_on(observations, action_masks, rngs):
    """Starts a process that would go on thinking while others play."""
    program = "import time\nprint('child', flush=True)\nwhile True: pass"
    subprocess.Popen([sys.executable, "-c", program])
    return legal(observations, action_masks, rngs)


def kill_the_group(observations, action_masks, rngs):
    os.killpg(0, 9)


class Remembers:
    """A good one: the first legal action, if it has been told everything that happened."""

    def begin(self, seat, game):
        self.seen = 0

    def watch(self, observation):
        self.seen += 1

    def choose(self, observation, action_mask, rng):
        on_table = sum(int(word).bit_count() for word in observation["table"])
        assert self.seen == 1 + 2 * observation["tricks_won"].sum() + on_table
        return int(action_mask.argmax())
