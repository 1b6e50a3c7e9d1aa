"""Refuse settings with which nothing could be learned, before a run begins."""

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..envs.core.game import check_range
from ..envs.core.play.slices import MAX_THREADS

MAX_COUNT = 10**12
MAX_UNITS, MAX_TABLES = 2**14, 2**20  # of a layer, and of games side by side; memory ends before


def check_learner_settings(
    config: Any,
    above_zero: Iterable[str] = (),
    fractions: Iterable[str] = (),
    from_zero: Iterable[str] = (),
) -> None:
    """Check a learner's settings: `hidden`, all integers, and the numbers that are named by kind.

    Integers are at least 1, `seed` and those `from_zero` at least 0; `fractions` are numbers in
    0 .. 1. Raises ValueError.
    """
    for field in dataclasses.fields(config):
        if field.type is int:
            least = 0 if field.name in ("seed", *from_zero) else 1
            most = {"num_tables": MAX_TABLES, "num_threads": MAX_THREADS}.get(field.name, MAX_COUNT)
            check_range(field.name, getattr(config, field.name), least, most)
    if not config.hidden:
        raise ValueError("hidden must name at least one layer of units")
    for units in config.hidden:
        check_range("hidden", units, 1, MAX_UNITS)
    for name in above_zero:
        if not getattr(config, name) > 0:
            raise ValueError(f"{name} must be above 0; got {getattr(config, name)}")
    for name in fractions:
        if not 0 <= getattr(config, name) <= 1:
            raise ValueError(f"{name} must be in 0 .. 1; got {getattr(config, name)}")


def shares_of_tables(
    self_play: float, opponents: Sequence[Any], weights: Sequence[float]
) -> np.ndarray:
    """Return the shares of tables with self-play and with each opponent. Raises ValueError.

    Without weights each opponent has the weight 1.
    """
    weights = list(weights) or [1.0] * len(opponents)
    if len(weights) != len(opponents):
        raise ValueError(
            "opponent_weights has a weight for each of the opponents; got "
            f"{len(weights)} for {len(opponents)}"
        )
    array = np.array([self_play, *weights], dtype=float)
    if not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise ValueError(
            f"weights of self-play and opponents are 0 or more, not all 0; got {array.tolist()}"
        )
    return array / array.sum()
