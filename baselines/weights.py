"""The weights of a script: numbers by name, and as a record for compiled code."""

from collections.abc import Mapping
from typing import Any

import numpy as np

Weights = Mapping[str, Any]  # numbers, or arrays of numbers, by name


def record_of(weights: Weights) -> np.ndarray:
    """Return weights as a record [1] that a compiled function reads by their names."""
    arrays = {name: np.asarray(value, np.float64) for name, value in weights.items()}
    fields = [(name, np.float64, array.shape) for name, array in arrays.items()]
    record = np.zeros(1, np.dtype((np.record, fields)))
    for name, array in arrays.items():
        record[name] = array
    return record
