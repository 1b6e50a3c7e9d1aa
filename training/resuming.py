"""Save where a learner stands, and continue from there."""

import abc
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch


class Resumable(abc.ABC):
    """A learner whose state can be saved to a file."""

    @abc.abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return what a later run needs to continue this one."""

    @abc.abstractmethod
    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave."""

    def save(self, path: Path) -> None:
        """Write the state to a file, whole or not at all."""
        partial = path.with_suffix(".partial")
        torch.save(self.state_dict(), partial)
        partial.replace(path)

    def load(self, path: Path) -> None:
        """Continue from a file. Raises ValueError where it is none, or of another network."""
        if not path.is_file():
            raise ValueError(f"there is no run to resume in {path.parent}: no {path.name}")
        try:
            self.load_state_dict(torch.load(path, weights_only=True))
        except (RuntimeError, KeyError, TypeError, ValueError, UnpicklingError) as error:
            raise ValueError(f"{path} does not fit this game and these settings") from error
