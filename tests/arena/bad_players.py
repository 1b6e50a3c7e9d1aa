"""Players that do what no player should; each is named after what it does."""

import sys
import time

import numpy as np

DAWDLE = 0.5  # seconds of computing


def legal(observations, action_masks, rngs):
    """The first legal action: what a good player of this file does."""
    return action_masks.argmax(axis=1)


def crash(observations, action_masks, rngs):
    return observations["no_such_field"]


def play_illegally(observations, action_masks, rngs):
    return action_masks.argmin(axis=1)


def play_beyond_the_table(observations, action_masks, rngs):
    return np.array([action_masks.shape[1] + 5])


def play_words(observations, action_masks, rngs):
    return np.array(["the first one"])


def play_a_fraction(observations, action_masks, rngs):
    return action_masks.argmax(axis=1) + 0.7


def play_a_numeral(observations, action_masks, rngs):
    return [str(action) for action in action_masks.argmax(axis=1)]


def print_a_little(observations, action_masks, rngs):
    print("thinking aloud")
    print("and complaining", file=sys.stderr)
    return legal(observations, action_masks, rngs)


def dawdle(observations, action_masks, rngs):
    """Legal, after some computing."""
    start = time.process_time()
    while time.process_time() - start < DAWDLE:
        pass
    return legal(observations, action_masks, rngs)


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
