"""A trick-taking table as a picture."""

from typing import Any

import numpy as np


def draw(state: np.record, seat: int | None = None) -> Any:
    raise NotImplementedError
