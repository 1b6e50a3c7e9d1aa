"""How far a run has come, what it has spent, and how its settings decay meanwhile."""

import math
import time
from typing import Any, NamedTuple, Protocol

FINAL_FRACTION = 0.05  # of a decayed setting, left at the end of a run


class Progress(NamedTuple):
    """How far a run has come; NaN is what is not known yet, or not measured by this learner.

    `loss`, `entropy` and `forced` are those of the last gradient step, or means over its batch.
    """

    done: float = 0.0  # rises to 1
    seconds: float = 0.0  # spent learning: what happens between two steps is not counted
    decisions: int = 0  # of learning seats, and of a teacher
    updates: int = 0  # gradient steps
    loss: float = math.nan
    entropy: float = math.nan  # of the policies, in nats
    forced: float = math.nan  # fraction of the learning seats' plies without a choice
    cpu_seconds: float = 0.0  # of all threads of the process and of all actors, in the same time


class Losses(NamedTuple):
    """Means over the decisions of a gradient step, or of several; of tensors or numbers."""

    policy: Any
    value: Any
    entropy: Any


class Limits(Protocol):
    """The settings that end a run."""

    total_steps: int  # decisions
    minutes: float


class Spent(NamedTuple):
    """Time, or what the clocks show."""

    seconds: float  # of the wall clock
    cpu_seconds: float  # of all threads of the process


def clocks() -> Spent:
    """Return what the clocks show now."""
    return Spent(time.monotonic(), time.process_time())


def since(start: Spent) -> Spent:
    """Return the time since the clocks showed `start`."""
    now = clocks()
    return Spent(now.seconds - start.seconds, now.cpu_seconds - start.cpu_seconds)


def advanced(
    before: Progress,
    limits: Limits,
    num_decisions: int,
    num_updates: int,
    spent: Spent,
    **latest: Any,
) -> Progress:
    """Return the progress after more decisions and updates, which took the time `spent`.

    `latest` has the new values of its other fields.
    """
    seconds = before.seconds + spent.seconds
    decisions = before.decisions + num_decisions
    return before._replace(
        done=_fraction_done(decisions, seconds, limits),
        seconds=seconds,
        decisions=decisions,
        updates=before.updates + num_updates,
        cpu_seconds=before.cpu_seconds + spent.cpu_seconds,
        **latest,
    )


def within(progress: Progress, limits: Limits) -> Progress:
    """Return the progress of a run that now has these limits."""
    return progress._replace(done=_fraction_done(progress.decisions, progress.seconds, limits))


def _fraction_done(decisions: int, seconds: float, limits: Limits) -> float:
    """Return how much of a run is over, in 0 .. 1: by decisions or by time, whichever is more."""
    return min(max(decisions / limits.total_steps, seconds / (60 * limits.minutes)), 1.0)


def cosine_decay(done: float) -> float:
    """Return the factor, 1 at the start and FINAL_FRACTION at the end, by half a cosine."""
    return FINAL_FRACTION + (1 - FINAL_FRACTION) * (1 + math.cos(math.pi * done)) / 2


def linear_decay(first: float, last: float, done: float) -> float:
    """Return the value between `first`, at the start of a run, and `last`, at its end."""
    return first + done * (last - first)
