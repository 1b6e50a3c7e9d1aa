"""How far a run has come, and how its learning rate and epsilon decay meanwhile."""

import math
from typing import NamedTuple

FINAL_FRACTION = 0.05  # of a decayed setting, left at the end of a run


class Progress(NamedTuple):
    """How far a run has come; `done` rises from 0 to 1."""

    done: float
    seconds: float  # spent learning: what happens between two steps is not counted
    decisions: int  # of learning seats
    updates: int  # gradient steps
    loss: float  # of the last gradient step; NaN before the first
    cpu_seconds: float = 0.0  # of all threads of the process, in the same time


def start_of_run() -> Progress:
    """Return the progress before the first step."""
    return Progress(done=0.0, seconds=0.0, decisions=0, updates=0, loss=math.nan)


def cosine_decay(done: float) -> float:
    """Return the factor, 1 at the start and FINAL_FRACTION at the end, by half a cosine."""
    return FINAL_FRACTION + (1 - FINAL_FRACTION) * (1 + math.cos(math.pi * done)) / 2


def fraction_done(decisions: int, total_steps: int, seconds: float, minutes: float) -> float:
    """Return how much of a run is over, in 0 .. 1: by decisions or by time, whichever is more."""
    return min(max(decisions / total_steps, seconds / (60 * minutes)), 1.0)
