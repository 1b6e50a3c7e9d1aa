"""The public face: `load_game`, `GAMES`, and a module for each game, such as `president_v0`."""

import importlib
from typing import TYPE_CHECKING, Any

from .registry import (
    GAMES,
    GameName,
    find_game,
    list_games,
    load_game,
    pettingzoo_names,
    register_game,
)

_LAZY = {
    "OneGame": ".core.play.one_game",
    "Playthrough": ".core.play.playthrough",
    "all_starts": ".core.play.one_game",
    "check_game": ".core.checks.check_game",
    "position_data": ".core.positions",
    "position_of": ".core.positions",
    "replay_page": ".core.played.page.replay",
    "start": ".core.play.one_game",
}
__all__ = ["GAMES", "GameName", "find_game", "list_games", "load_game"]
__all__ += [
    "OneGame",
    "Playthrough",
    "all_starts",
    "check_game",
    "position_data",
    "position_of",
    "register_game",
    "replay_page",
    "start",
]
__all__ += pettingzoo_names()

if TYPE_CHECKING:
    from .core.checks.check_game import check_game
    from .core.play.one_game import OneGame, all_starts, start
    from .core.play.playthrough import Playthrough
    from .core.played.page.replay import replay_page
    from .core.positions import position_data, position_of
else:

    def __getattr__(name: str) -> Any:
        """What is imported only when it is asked for, so that `import parlour` stays light."""
        if name in _LAZY:
            return getattr(importlib.import_module(_LAZY[name], __name__), name)
        if name in pettingzoo_names():
            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}; "
            f"the environments are {', '.join(pettingzoo_names())}"
        )


def __dir__() -> list[str]:
    return sorted(__all__)
