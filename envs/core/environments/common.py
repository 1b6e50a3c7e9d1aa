"""The options, spaces and start positions that the three environments share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from ..drawing.render import WHOLE_TABLE
from ..game import Game, check_choice
from ..play.loops import Told
from ..play.tables import Tables
from ..positions import position_from
from ..rng import streams

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

    def with_views(self, told: Told) -> Told:
        """Return `told` with a new encoding: in a copy the old one views other arrays."""
        return told._replace(encoding=self.layout.encoding(told.records, self.is_scaled))


def seen_by_all(tables: Tables, encoder: ObservationEncoder) -> np.ndarray:
    """Return the observations of all seats one after another, [N, seats * num_inputs]."""
    num_tables, num_seats = len(tables.all_rows), tables.game.num_seats
    rows, seats = np.repeat(tables.all_rows, num_seats), np.tile(range(num_seats), num_tables)
    return encoder.encode(tables.observe(rows, seats)).reshape(num_tables, -1)


def mask_space(game: Game) -> spaces.Box:
    """The space of action masks, int8 [A]."""
    return spaces.Box(0, 1, (game.num_actions,), np.int8)


def observation_space(game: Game, encoder: ObservationEncoder, layout: str) -> spaces.Space[Any]:
    """The space of one table's observations: an array, or a dict of it and the mask."""
    check_choice("layout", layout, LAYOUTS)
    box = encoder.space()
    if layout == "flat":
        return box
    return spaces.Dict({"observation": box, "action_mask": mask_space(game)})


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
    given = dict(options or {})
    unknown = sorted(set(given) - {"deal", "position", *others})
    if unknown:
        raise ValueError(
            f"reset has no option {', '.join(map(repr, unknown))}; it has 'deal' and 'position'"
        )
    deal = given.get("deal")
    if given.get("position") is not None:
        if deal is not None:
            raise ValueError("give reset a deal or a position, not both")
        deal = position_from(game, given["position"])
    elif deal is not None:
        game.deal_from(game.new_states(1)[0], deal, streams([0])[0])
    return deal, *map(given.get, others)


def check_started(is_started: bool, method: str) -> None:
    """Raise ValueError for a method that is called before the first reset."""
    if not is_started:
        raise ValueError(f"call reset() before {method}()")


def shown_seat(render_seat: int | str, own: int) -> int | None:
    """Return the seat whose view `render()` shows, by the setting; None is the whole table."""
    if render_seat == WHOLE_TABLE:
        return None
    return own if isinstance(render_seat, str) else render_seat


def state_without(view: object, derived: tuple[str, ...]) -> dict[str, Any]:
    """Return what a copy of `view` takes over: all attributes but the derived ones."""
    return {name: value for name, value in vars(view).items() if name not in derived}


def no_choice_error(game: Game) -> ValueError:
    """The error for a game that is over before anybody has a choice."""
    return ValueError(f"this deal of {game.name} ends before you have a choice")
