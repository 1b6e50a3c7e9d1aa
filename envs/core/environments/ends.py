"""Ends of games that are none of their rules: by an illegal action, or after a number of steps."""

import warnings

import numpy as np

from ..game import check_range


class IllegalEnds:
    """Counts the games in a row that an illegal action ended, and warns once."""

    MANY = 100  # a learner that uses the mask never gets there

    def __init__(self) -> None:
        self._num_in_a_row = 0
        self._has_warned = False

    def note(self, num_ended: int, num_illegal: int) -> None:
        """Count games that have just ended, and those of them that an illegal action ended."""
        self._num_in_a_row = self._num_in_a_row + num_illegal if num_illegal == num_ended else 0
        if self._num_in_a_row >= self.MANY and not self._has_warned:
            self._has_warned = True
            warnings.warn(
                f"an illegal action ended each of the last {self._num_in_a_row} games: does the "
                "learner use the action mask? sb3-contrib's MaskablePPO does, by `action_masks()`; "
                'others read info["action_mask"]; illegal_action="random" plays a legal action',
                stacklevel=4,
            )


class StepClocks:
    """The steps of the game at each table, of at most `max_steps`; without a limit for None."""

    def __init__(self, num_tables: int, max_steps: int | None) -> None:
        if max_steps == -1:  # as `gymnasium.make` has it
            max_steps = None
        if max_steps is not None:
            check_range("max_episode_steps", max_steps, 1, 2**62)
        self._max_steps = max_steps
        self._num_steps = np.zeros(num_tables, np.int64)

    def restart(self, rows: np.ndarray) -> None:
        """Start at 0 for new games."""
        self._num_steps[rows] = 0

    def tick(self, ended: np.ndarray, waiting: np.ndarray) -> np.ndarray:
        """Count a step; return bool [N], where it was the last that is allowed.

        No step has been played at the tables that were `waiting` for a new game.
        """
        if self._max_steps is None:
            return np.zeros(len(ended), np.bool_)
        self._num_steps += 1
        self._num_steps[waiting] = 0
        is_last = self._num_steps >= self._max_steps
        self._num_steps[ended | is_last] = 0
        return is_last
