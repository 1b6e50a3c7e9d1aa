"""Render modes ansi, rgb_array, svg and human: a game as text, as a picture, or in a window.

What draws is imported when a picture is first asked for.
"""

from typing import Any

import numpy as np

from ..game import Game, check_choice

RENDER_MODES = ("ansi", "rgb_array", "svg", "human")
RENDER_FPS = 2  # slow enough to follow each ply
WHOLE_TABLE = "all"  # for `render_seat`: everything, all hands open
LEARNING_SEAT = "own"  # for `render_seat`: what the learning seat may see


def rendering() -> dict[str, Any]:
    """Return what an environment's `metadata` says of rendering; wrappers may change it."""
    return {"render_modes": list(RENDER_MODES), "render_fps": RENDER_FPS}


def check_render_seat(game: Game, render_seat: Any, names: tuple[str, ...]) -> None:
    """Raise ValueError unless `render_seat` is one of these names or a seat of the game."""
    check_choice("render_seat", render_seat, (*names, *range(game.num_seats)))


class Renderer:
    """One environment's `render()`: text, an array, or a window.

    Raises ValueError for an unknown mode. A copy of it (deepcopy, pickle) opens its own window.
    """

    def __init__(self, game: Game, mode: str | None, fps: float = RENDER_FPS) -> None:
        """Open nothing yet; `fps` frames a second in a window."""
        if mode is not None and mode not in RENDER_MODES:
            modes = ", ".join(map(repr, RENDER_MODES))
            raise ValueError(f"render_mode must be None or one of {modes}; got {mode!r}")
        self.game, self.mode = game, mode
        self._window: Any = None
        if mode == "human":
            from ..drawing.render import Window

            self._window = Window(game.name.replace("_", " ").title(), fps)

    def render(self, state: np.record, seat: int | None = None) -> str | np.ndarray | None:
        """Text ("ansi", "svg"), uint8 [H, W, 3] ("rgb_array"), or None ("human", mode None)."""
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return self.game.describe(state, seat)
        from ..drawing import render

        if self.mode == "svg":
            return render.picture_svg(render.drawn(self.game, state, seat))
        frame = render.render_frame(self.game, state, seat)
        if self.mode == "rgb_array":
            return frame
        self._window.show(frame)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
