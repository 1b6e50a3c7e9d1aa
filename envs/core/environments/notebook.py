"""What notebooks show of environments: the game so far, with the controls of a replay."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # `import parlour` comes here, and must not load Numba
    from ..play.one_game import OneGame
    from ..play.tables import Tables

_ALONE = (
    "The position now. What led to it cannot be played again: somebody has altered the position."
)
# Their wrappers hide the method that notebooks look for.
_WRAPPERS = (("gymnasium.core", "Wrapper"), ("pettingzoo.utils.wrappers.base", "BaseWrapper"))


def environment_bundle(
    env: object,
    tables: "Tables",
    seat: int | None,
    names: Sequence[str] | None = None,
) -> dict[str, str]:
    """Return what a notebook shows of an environment: what `seat` may see, or all (seat None).

    It opens at the current position, which stands alone where the game cannot be played again. The
    SVG picture is for viewers without iframes.
    """
    from ..drawing.render import drawn, picture_svg
    from ..played.page.replay import game_data, replay_frame

    game, now = tables.game, tables.states[0]
    played = played_again(tables)
    plies = [] if played is None else played.plies
    states = [*(ply.before for ply in plies), now]
    data = game_data(game, states, [(ply.seat, ply.action) for ply in plies], seat, names)
    data["start"] = len(plies)
    if played is None:
        data["first"] = _ALONE
    return {
        "text/plain": repr(env),
        "text/html": replay_frame(data),
        "image/svg+xml": picture_svg(drawn(game, now, seat)),
    }


def played_again(tables: "Tables") -> "OneGame | None":
    """Play the game of the first table again, from the noted start, stream and actions.

    Return None where it has had too many plies, or somebody has altered the position.
    """
    from ..play.one_game import game_at
    from ..rng import STREAM

    progress, stream = tables.progress[0], np.zeros(1, STREAM)
    if progress["plies"] > tables.actions.shape[1]:
        return None
    stream["state"], stream["gamma"] = progress["start_state"], progress["start_gamma"]
    again = game_at(tables.game, tables.starts[0], stream)
    try:
        for action in tables.actions[0, : progress["plies"]].tolist():
            again.apply(action)
    except ValueError:
        return None
    return again if again.state.tobytes() == tables.states[0].tobytes() else None


def nothing_yet(env: object) -> dict[str, str]:
    """Return what a notebook shows of an environment before its first reset."""
    return {"text/plain": f"{env!r}: no game yet; call reset() to deal one"}


def show_wrapped() -> None:
    """Tell IPython, where it is running, to show a wrapped environment as the one inside."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is not None:
        formatter = shell.display_formatter.mimebundle_formatter
        for module, name in _WRAPPERS:
            formatter.for_type_by_name(module, name, _inside)


def _inside(env: Any) -> dict[str, str] | None:
    """Return what the environment itself shows; None leaves other environments as they were."""
    show = getattr(env.unwrapped, "_repr_mimebundle_", None)
    return None if show is None else show()
