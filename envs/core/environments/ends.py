"""Ends of games that are none of their rules: by an illegal action, or after a number of steps."""

import warnings

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


def step_limit(max_steps: int | None) -> int | None:
    """Return how many steps a game may have, None for any. Raises ValueError for a wrong number."""
    if max_steps in (None, -1):  # -1, as `gymnasium.make` has it
        return None
    check_range("max_episode_steps", max_steps, 1, 2**62)
    return max_steps
