"""Save where a learner stands, and continue from there."""

import pickle
from pathlib import Path
from typing import Any, Protocol

import torch


class Resumable(Protocol):
    """A learner whose state can be saved."""

    def state_dict(self) -> dict[str, Any]:
        """Return what a later run needs to continue this one."""

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave."""


def save_run(learner: Resumable, path: Path) -> None:
    """Write the state of a learner to a file, whole or not at all."""
    partial = path.with_suffix(".partial")
    torch.save(learner.state_dict(), partial)
    partial.replace(path)


def load_run(learner: Resumable, path: Path) -> None:
    """Continue from a file. Raises ValueError where it is none, or of another network."""
    if not path.is_file():
        raise ValueError(f"there is no run to resume in {path.parent}: no {path.name}")
    try:
        learner.load_state_dict(torch.load(path, weights_only=True))
    except (RuntimeError, KeyError, TypeError, ValueError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path} does not fit this game and these settings") from error
