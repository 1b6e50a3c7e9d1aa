"""What notebooks show of environments: the game so far, with the controls of a replay."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    positions = tables.game_so_far(0)
    states = [now] if positions is None else [state for state, _ in positions]
    plies = [(int(game.seat_to_act(state)), action) for state, action in (positions or ())[:-1]]
    data = game_data(game, states, plies, seat, names)
    data["start"] = len(plies)
    if positions is None:
        data["first"] = _ALONE
    return {
        "text/plain": repr(env),
        "text/html": replay_frame(data),
        "image/svg+xml": picture_svg(drawn(game, now, seat)),
    }


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
