"""Check that players choose legal actions, by the engine's own masks."""

from typing import Any

import numpy as np


class PlayerError(ValueError):
    """A player failed or broke a rule."""


def check_legal(game: Any, who: str, actions: np.ndarray, masks: np.ndarray) -> None:
    """Raise PlayerError that names the first illegal action and the legal ones."""
    if actions.shape != masks.shape[:1] or actions.dtype.kind not in "iu":
        raise PlayerError(
            f"{who} should choose one whole number for each of {len(masks)} rows; "
            f"it gave {actions.dtype} of shape {actions.shape}"
        )
    in_range = (actions >= 0) & (actions < game.num_actions)
    legal = in_range & (masks[np.arange(len(actions)), np.where(in_range, actions, 0)] == 1)
    if not legal.all():
        first = int(np.flatnonzero(~legal)[0])
        raise PlayerError(illegal_action_message(game, who, int(actions[first]), masks[first]))


def chosen_action(game: Any, who: str, action: int | str, masks: np.ndarray) -> int:
    """Return an action, given as a number or a name.

    Raises ValueError unless the mask, `masks` int8 [1, A], allows it.
    """
    number = game.parse_action(action) if isinstance(action, str) else action
    if not isinstance(number, int | np.integer):
        raise ValueError(f"{who}: an action is a number or a name, not {number!r}")
    if not 0 <= number < game.num_actions or not masks[0, number]:
        raise PlayerError(illegal_action_message(game, who, number, masks[0]))
    return int(number)


def illegal_action_message(game: Any, who: str, action: Any, mask: np.ndarray) -> str:
    """Return a message that names the illegal action and the legal ones."""
    is_known = isinstance(action, int | np.integer) and 0 <= action < game.num_actions
    name = game.action_name(action) if is_known else "no action of this game"
    legal = ", ".join(game.action_name(int(a)) for a in np.flatnonzero(mask))
    return f"{who} chose {action} ({name}), which is not legal; legal: {legal or 'nothing'}"
