"""Save where a learner stands, and continue from there."""

import io
from pathlib import Path
from typing import Any

import torch

from ..envs.core.whole_files import write_whole
from .progress import Progress, within


class Resumable:
    """A learner that can be saved to a file: its progress, and the state of each of its `parts`."""

    parts: tuple[str, ...] = ("network", "optimizer")  # attributes that torch can save
    config: Any
    progress: Progress

    def state_dict(self) -> dict[str, Any]:
        """Return what a later run needs to continue this one; it deals new games."""
        state = {part: getattr(self, part).state_dict() for part in self.parts}
        return {**state, "progress": tuple(self.progress)}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        """Continue from what `state_dict` returned, up to the limits of the present settings."""
        for part in self.parts:
            getattr(self, part).load_state_dict(saved[part])
        self.progress = within(Progress(*saved["progress"]), self.config)

    def save(self, path: Path) -> None:
        """Write the state to a file, whole or not at all."""
        content = io.BytesIO()
        torch.save(self.state_dict(), content)
        write_whole(path, content.getvalue())

    def load(self, path: Path) -> None:
        """Continue from a file. Raises ValueError for one that does not fit."""
        if not path.is_file():
            raise ValueError(f"there is no run to resume in {path.parent}: no {path.name}")
        saved = _read(path)
        try:
            self.load_state_dict(saved)
        except (RuntimeError, KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} does not fit this game and these settings; "
                "the model card beside it names those of the run"
            ) from error


def _read(path: Path) -> Any:
    try:
        return torch.load(path, weights_only=True)
    except Exception as error:  # there are many kinds, and torch's advice would mislead
        raise ValueError(f"{path} is not the state of a run, or is damaged") from error
