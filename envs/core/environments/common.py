"""What the environments share: options, spaces, start positions, and ends that no rule makes."""

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from ..game import Game, check_choice, check_range
from ..positions import position_from
from ..rng import streams
from .rendering import WHOLE_TABLE

OBSERVATIONS = ("scaled", "integer")  # float32 in about -1 .. 1, or whole numbers in natural units
ILLEGAL_ACTIONS = ("lose", "raise", "random")
LAYOUTS = ("flat", "dict")


class ObservationEncoder:
    """Observation records as arrays of the Box space: scaled float32, or whole numbers."""

    def __init__(self, game: Game, observation: str) -> None:
        check_choice("observation", observation, OBSERVATIONS)
        self.layout = game.layout
        self.is_scaled = observation == "scaled"

    def space(self) -> spaces.Box:
        """The Box of the arrays: [num_inputs]."""
        low: Any = self.layout.low
        high: Any = np.maximum(self.layout.high, low + 1)  # Gymnasium warns of an empty Box
        whole: Any = self.layout.plain_dtype.type
        if not self.is_scaled:
            return spaces.Box(low, high, dtype=whole)
        return spaces.Box(low * self.layout.scale, high * self.layout.scale, dtype=np.float32)

    def encode(self, observations: np.ndarray) -> np.ndarray:
        """Return records [B] as new arrays [B, num_inputs]."""
        layout = self.layout
        return layout.scaled(observations) if self.is_scaled else layout.integers(observations)


def observation_space(game: Game, encoder: ObservationEncoder, layout: str) -> spaces.Space[Any]:
    """The space of one table's observations: an array, or a dict of it and the mask."""
    check_choice("layout", layout, LAYOUTS)
    box = encoder.space()
    if layout == "flat":
        return box
    mask = spaces.Box(0, 1, (game.num_actions,), np.int8)
    return spaces.Dict({"observation": box, "action_mask": mask})


def outside_error(num_actions: int, action: Any) -> ValueError:
    """The error for what is no action of the action space, legal or not."""
    return ValueError(f"an action is an integer in 0 .. {num_actions - 1}; got {action!r}")


def given_options(game: Game, options: Mapping[str, Any] | None, *others: str) -> tuple[Any, ...]:
    """Return the deal or the position in `reset(options=...)`, and the `others`; None if not given.

    A position is a record. Raises ValueError for what is no dict, for an unknown option and for an
    impossible deal, which is tried on a scratch position: the current game is left alone.
    """
    if not isinstance(options, Mapping | None):
        raise ValueError(f'options must be a dict, such as {{"deal": ...}}; got {options!r}')
    entries = dict(options or {})
    unknown = sorted(set(entries) - {"deal", "position", *others})
    if unknown:
        raise ValueError(
            f"reset has no option {', '.join(map(repr, unknown))}; it has 'deal' and 'position'"
        )
    deal = entries.get("deal")
    if entries.get("position") is not None:
        if deal is not None:
            raise ValueError("give reset a deal or a position, not both")
        deal = position_from(game, entries["position"])
    elif deal is not None:
        game.deal_from(game.new_states(1)[0], deal, streams([0])[0])
    return deal, *map(entries.get, others)


def shown_seat(render_seat: int | str, own: int) -> int | None:
    """Return the seat whose view `render()` shows, by the setting; None is the whole table."""
    if render_seat == WHOLE_TABLE:
        return None
    return own if isinstance(render_seat, str) else render_seat


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
