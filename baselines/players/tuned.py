"""Scripts with weights that a program tunes: `training/evolution.py` does the work."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...envs.core.game import Function, Game
from ..networks.compiled import record_of_arrays

Weights = Mapping[str, Any]  # numbers, or arrays of numbers, by name


class Script(NamedTuple):
    """A script whose weights are tuned: `SCRIPT` in `baselines/<game>/fit/planner.py`."""

    name: str
    games: Sequence[Game]  # in which it is tuned
    opponent: str
    row_function: Function  # compiled: (record, observation, mask words, rng) -> action
    make_record: Callable[[Weights], np.ndarray]  # the record [1] of these weights
    start: Weights  # set by hand


def record_of(weights: Weights) -> np.ndarray:
    """Return weights as a record [1] that a compiled function reads by their names."""
    return record_of_arrays({name: np.asarray(v, np.float64) for name, v in weights.items()})
